package intake_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/format"
	"landfall/internal/format/csv"
	formatjson "landfall/internal/format/json"
	"landfall/internal/intake"
	"landfall/internal/parquetfile"
	"landfall/internal/state"
)

// large is a CSV file of many slabs: with line breaks in quotes, malformed and ragged
// records, and in its midst a value that is no number.
func large() string {
	var text strings.Builder
	text.WriteString("a,b\n")
	for i := range 400 {
		switch {
		case i%37 == 5:
			fmt.Fprintf(&text, "%d,\"line\nof %d, \"\"quoted\"\"\"\n", i, i)
		case i%90 == 7:
			fmt.Fprintf(&text, "%d,\"7\"8\n", i)
		case i%90 == 8:
			fmt.Fprintf(&text, "%d,x,more,\n", i)
		case i == 200:
			text.WriteString("no number,b\n")
		default:
			fmt.Fprintf(&text, "%d,text %d\n", i, i%50)
		}
	}
	return text.String()
}

// largeTree is the same of JSON.
func largeTree() string {
	var text strings.Builder
	for i := range 400 {
		switch {
		case i%37 == 5:
			fmt.Fprintf(&text, "{\"a\":%d,\"b\":\"\\u00e9\\n\",\"c%d\":{\"d\":[1,%d]}}\n", i, i%3, i)
		case i%90 == 7:
			fmt.Fprintf(&text, "{\"a\":%d,\"b\":\n", i)
		case i == 200:
			text.WriteString("{\"a\":\"no number\",\"A\":1}\n")
		default:
			fmt.Fprintf(&text, "{\"a\":%d,\"b\":\"text %d\"}\n", i, i%50)
		}
	}
	return text.String()
}

// gzipped compresses a text.
func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestStagesDoNotShow lands a large file between small ones by workers of any number:
// all that comes of it is the same, to the byte, whatever it meets in its midst.
func TestStagesDoNotShow(t *testing.T) {
	whole := gzipped(t, large())
	wrongSum := bytes.Clone(whole)
	wrongSum[len(wrongSum)-8] ^= 1
	policy := func(kind contract.Kind, action string) contract.Policy {
		return contract.Policy{Kinds: map[contract.Kind]string{kind: action}}
	}
	for name, c := range map[string]struct {
		file []byte
		tree bool
		// again is a type of a that another shape has, fate that of the file, "" for an
		// error.
		policy contract.Policy
		again  string
		fate   state.Fate
	}{
		"rescue":         {file: []byte(large()), fate: state.Landed},
		"quarantine":     {file: []byte(large()), policy: policy(event.ValueMisfit, "quarantine"), fate: state.Landed},
		"fail":           {file: []byte(large()), policy: policy(event.ValueMisfit, "fail")},
		"another type":   {file: []byte(large()), again: "string", fate: state.Landed},
		"trees":          {file: []byte(largeTree()), tree: true, fate: state.Landed},
		"trees anew":     {file: []byte(largeTree()), tree: true, again: "string", fate: state.Landed},
		"compressed":     {file: whole, fate: state.Landed},
		"cut off":        {file: whole[:len(whole)/2], fate: state.Landed},
		"wrong checksum": {file: wrongSum, fate: state.Quarantined},
		"cut off trees":  {file: gzipped(t, largeTree())[:600], tree: true, fate: state.Landed},
	} {
		t.Run(name, func(t *testing.T) {
			want := ""
			for _, workers := range []int{1, 2, 3, 8} {
				files := map[string][]byte{"b.csv": c.file}
				if !c.tree {
					files["a.csv"], files["c.csv"] = []byte("a,b\n1,x\n"), []byte("a,b\n2,y\n")
				}
				w := newWorld(t, "a: bigint; b: string", files)
				w.src.Workers, w.src.Unit, w.src.Policy = workers, 20, c.policy
				w.src.Parquet = parquetfile.Options{RowGroupBytes: 1 << 10}
				w.src.Decode = func(ctx context.Context, path string, r intake.Input) (format.Reader, error) {
					return csv.Open(ctx, path, r, csv.Options{SlabBytes: 64})
				}
				if c.tree {
					w.src.Tree = true
					w.src.Decode = func(ctx context.Context, path string, r intake.Input) (format.Reader, error) {
						return formatjson.Open(ctx, path, r, formatjson.Options{SlabBytes: 64})
					}
				}
				got, fate := w.told(c.again)
				if fate != c.fate {
					t.Fatalf("the file is %q, want %q: %s", fate, c.fate, got)
				}
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("%d workers make\n%.2000s, want\n%.2000s", workers, got, want)
				}
			}
		})
	}
}

// told lands all, under a shape in which a has the type again if that is set, and spells
// what came of it, and the fate of the object b.csv.
func (w *world) told(again string) (all string, fate state.Fate) {
	w.t.Helper()
	now := *w.shape
	now.Version.Columns = append([]contract.Column(nil), now.Version.Columns...)
	if again != "" {
		now.Version.Columns[0].Type = again
	}
	for _, s := range []*intake.Shape{w.shape, &now} {
		table, err := contract.TableSchema(s.Version, w.src.Policy)
		if err != nil {
			w.t.Fatal(err)
		}
		s.Fits, s.File, s.Held = table, table, nil
		for i := range table.Fields {
			s.Held = append(s.Held, i)
		}
	}
	a := intake.New(w.src, w.in, "a", nil)
	if err := a.Settle(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	files, err := a.Write(w.t.Context(), w.shape, func(context.Context) (*intake.Shape, error) { return &now, nil })
	if err != nil {
		return err.Error(), ""
	}
	out, err := json.Marshal([]any{a.Outcomes, a.Drift, a.Seen, files})
	if err != nil {
		w.t.Fatal(err)
	}
	all = string(out)
	for _, f := range files {
		all += fmt.Sprintf("\n%q", w.read(f.Path))
	}
	for q, err := range w.src.State.KeptOut(w.t.Context(), state.Mark{Batch: 1, Attempt: "a", Objects: a.Outcomes}) {
		if err != nil {
			w.t.Fatal(err)
		}
		all += fmt.Sprintf("\n%+v", q)
	}
	for i, o := range a.Outcomes {
		if w.in.Objects[i].Path == "b.csv" {
			fate = o.Fate
		}
	}
	return all, fate
}
