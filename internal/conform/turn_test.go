package conform_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/format/json"
	"landfall/internal/schema"
)

// A fitter that was turned to an object gives what a new one does, to the order in
// which it tells of misfits.
func TestTurnedFitterIsAsANewOne(t *testing.T) {
	turns := 0
	rapid.Check(t, func(t *rapid.T) {
		p, known := policyOf(t), fieldsOf(t, 2, 1)
		if action := rapid.SampledFrom([]string{"", "rescue"}).Draw(t, "malformed"); action != "" {
			p.Kinds[event.RecordMalformed] = action
		}
		v := contract.Version{Number: 1}
		for _, f := range known {
			v.Columns = append(v.Columns, contract.Column{Name: f.Name, Original: f.Name, Type: f.Type.String()})
		}
		table, err := contract.TableSchema(v, p)
		if err != nil {
			t.Fatal(err)
		}
		kinds := rapid.SampledFrom([]func(*rapid.T, []schema.Field) (conform.Object, iter.Seq[*column.Slab]){flatFile, treeFile(new(json.Pool))})
		paths := rapid.SampledFrom([]string{"a", "b", "k=1/a", "k=1/b", "K=2/k=x/a"})
		kind := kinds.Draw(t, "kind")
		var turned *conform.Fitter
		for n := range rapid.IntRange(2, 5).Draw(t, "objects") {
			o, slabs := kind(t, known)
			o.Path = paths.Draw(t, "path")
			_, o.Partitions = contract.Folders(o.Path)
			o.URL, o.IngestedAt = "file:///"+o.Path, time.UnixMicro(int64(n))
			if turned != nil && turned.Turn(o) {
				turns++
			} else {
				turned = fitter(t, v, p, table, o)
			}
			got := inWords(t, turned, table, slabs)
			if want := inWords(t, fitter(t, v, p, table, o), table, slabs); got != want {
				t.Fatalf("turned:\n%s\nnew:\n%s", got, want)
			}
		}
	})
	if turns == 0 {
		t.Error("no fitter was turned")
	}
}

// inWords is all that becomes of an object.
func inWords(t *rapid.T, f *conform.Fitter, table schema.Struct, slabs iter.Seq[*column.Slab]) string {
	var b strings.Builder
	for s := range slabs {
		r := fit(t, f, table, s)
		fmt.Fprintf(&b, "%s%+v\n", showRows(r.cells), r.counts)
		for _, out := range r.out {
			fmt.Fprintln(&b, out.Record, out.Code, out.Reason, string(out.Bytes))
		}
	}
	fmt.Fprintf(&b, "%+v\n%+v\n", f.Misfits(), f.Remarks())
	return b.String()
}

// flatFile draws a file with a header that the others may have too.
func flatFile(t *rapid.T, known []schema.Field) (conform.Object, iter.Seq[*column.Slab]) {
	header := []string{known[0].Name, "A", "new"}
	if rapid.IntRange(0, 3).Draw(t, "header") == 0 {
		header = append(header, "b")
	}
	records := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(fieldValue), 0, 6), 0, 4).Draw(t, "records")
	return conform.Object{Header: header}, func(yield func(*column.Slab) bool) { yield(slab(len(header), records...)) }
}

// treeFile draws files whose readers share their memory, and so their shapes.
func treeFile(pool *json.Pool) func(*rapid.T, []schema.Field) (conform.Object, iter.Seq[*column.Slab]) {
	return func(t *rapid.T, known []schema.Field) (conform.Object, iter.Seq[*column.Slab]) {
		seen := []string{"7", "{}", `{"a":1,`}
		for range 3 {
			seen = append(seen, objectOf(t, known, 3))
		}
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(seen), 0, 8).Draw(t, "records"), "\n")
		return conform.Object{Tree: true}, func(yield func(*column.Slab) bool) {
			r, err := json.Open(t.Context(), "a.json", strings.NewReader(text), json.Options{Pool: pool})
			if err != nil {
				t.Fatal(err)
			}
			for s, err := range r.Slabs(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if !yield(s) {
					return
				}
			}
		}
	}
}
