package conform_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// A small alphabet, so that names meet in all ways: casings, names that come
// twice, names of ours, names that hold dots.
var memberNames = []string{"a", "A", "b", "B", "c", "d", "a.b", "_why", "_value", "_source_file", "_field:_why", "k", `q"`, "é", ""}

func scalarTypes() []schema.Type {
	return []schema.Type{
		schema.String, schema.Long, schema.Integer, schema.Byte, schema.Double, schema.Float, schema.Boolean, schema.Date,
		schema.Timestamp, schema.Binary,
		schema.Decimal{Precision: 5, Scale: 2},
		schema.Decimal{Precision: 30, Scale: 1},
	}
}

// typeOf draws a type.
func typeOf(t *rapid.T, depth int) schema.Type {
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 5).Draw(t, "kind")
	}
	switch kind {
	case 3:
		return schema.Struct{Fields: fieldsOf(t, depth-1, 0)}
	case 4:
		return schema.Array{Element: typeOf(t, depth-1), ContainsNull: true}
	case 5:
		key := rapid.SampledFrom([]schema.Type{schema.String, schema.Integer}).Draw(t, "key")
		return schema.Map{Key: key, Value: typeOf(t, depth-1), ValueContainsNull: true}
	default:
		return rapid.SampledFrom(scalarTypes()).Draw(t, "scalar")
	}
}

// fieldsOf draws fields whose names differ whatever their casing.
func fieldsOf(t *rapid.T, depth, least int) []schema.Field {
	var all []schema.Field
	for _, name := range rapid.Permutation([]string{"a", "B", "c", "k", "a.b"}).Draw(t, "fields")[:rapid.IntRange(max(least, 1), 4).Draw(t, "count")] {
		all = append(all, schema.Field{Name: name, Type: typeOf(t, depth), Nullable: true})
	}
	return all
}

// valueOf draws JSON, mostly of a type.
func valueOf(t *rapid.T, want schema.Type, depth int) string {
	if rapid.IntRange(0, 9).Draw(t, "stray") == 0 {
		want = nil
	}
	switch want := want.(type) {
	case schema.Struct:
		return objectOf(t, want.Fields, depth)
	case schema.Array:
		var all []string
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			all = append(all, valueOf(t, want.Element, depth-1))
		}
		return "[" + strings.Join(all, ",") + "]"
	case schema.Map:
		var all []string
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			key := rapid.SampledFrom([]string{"a", "A", "1", "01", "2", "a.b"}).Draw(t, "key")
			all = append(all, text(key)+":"+valueOf(t, want.Value, depth-1))
		}
		return "{" + strings.Join(all, ",") + "}"
	}
	scalars := []string{
		"1", "-7", "2.5", "0.10", "300", "1e2", "1e400", "9007199254740993", "123.45", "true", "false", "null", `"x"`, `"5"`, `"007"`, `"true"`,
		`"2026-11-30"`, `"2026-11-30T10:00:00.123456Z"`, `""`, `"a\"\n"`,
	}
	if depth > 0 {
		scalars = append(scalars, "{}", "[]", `[1,{"z":null}]`, `{"a":{"b":1}}`)
	}
	return rapid.SampledFrom(scalars).Draw(t, "json")
}

func objectOf(t *rapid.T, known []schema.Field, depth int) string {
	var all []string
	for range rapid.IntRange(0, 5).Draw(t, "members") {
		if i := rapid.IntRange(0, 2*len(known)).Draw(t, "field"); i < len(known) {
			all = append(all, text(known[i].Name)+":"+valueOf(t, known[i].Type, depth-1))
			continue
		}
		name := rapid.SampledFrom(memberNames).Draw(t, "name")
		var want schema.Type
		for _, f := range known {
			if strings.EqualFold(f.Name, name) {
				want = f.Type
			}
		}
		all = append(all, text(name)+":"+valueOf(t, want, depth-1))
	}
	return "{" + strings.Join(all, ",") + "}"
}

func policyOf(t *rapid.T) contract.Policy {
	p := contract.Policy{
		Preset:        rapid.SampledFrom([]string{"", contract.RescueMode, contract.NoEvolution}).Draw(t, "preset"),
		Kinds:         map[event.Kind]string{},
		CaseSensitive: rapid.IntRange(0, 4).Draw(t, "case") == 0,
		NoRescue:      rapid.IntRange(0, 4).Draw(t, "rescue") == 0,
	}
	if rapid.Bool().Draw(t, "ignore") {
		p.Kinds[event.ColumnAdded] = "ignore"
	}
	if action := rapid.SampledFrom([]string{"", "", "", "null", "quarantine"}).Draw(t, "misfit"); action != "" {
		p.Kinds[event.ValueMisfit] = action
	}
	return p
}

// Every cell of a tree is in one place, and can be found there again.
func TestEveryCellIsInOnePlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policyOf(t)
		known := fieldsOf(t, 2, 1)
		v := contract.Version{Number: 1}
		for _, f := range known {
			v.Columns = append(v.Columns, contract.Column{Name: f.Name, Original: f.Name, Type: f.Type.String()})
		}
		table, err := contract.TableSchema(v, p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range known {
			if rapid.IntRange(0, 9).Draw(t, "required") == 0 {
				table.Fields[i].Nullable = false
			}
		}
		var records []string
		for range rapid.IntRange(1, 4).Draw(t, "records") {
			records = append(records, rapid.OneOf(
				rapid.Custom(func(t *rapid.T) string { return objectOf(t, known, 3) }), rapid.SampledFrom([]string{"7", "[]", "null", `"x"`, "{}"}),
				rapid.Custom(func(t *rapid.T) string { return objectOf(t, known, 3) }),
			).Draw(t, "record"))
		}
		path := rapid.SampledFrom([]string{"a.json", "k=1/a.json", "c=5/c=6/k=x/a.json"}).Draw(t, "path")
		f := fitter(t, v, p, table, treeObject(path))
		whole := fit(t, f, table, trees(t, records...))
		account(t, p, table, path, records, whole)
		chosen(t, p, f)
		inPieces(t, whole, f, table, fitter(t, v, p, table, treeObject(path)), func(i int) *column.Slab {
			if i == len(records) {
				return nil
			}
			s := trees(t, records[i])
			s.Records[0] = int64(i + 1)
			return s
		})
	})
}

func fitter(t *rapid.T, v contract.Version, p contract.Policy, table schema.Struct, o conform.Object) *conform.Fitter {
	f, err := conform.New(v, p, table, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// result is what became of a slab, its values read.
type result struct {
	cells  [][]any // by row
	out    []column.Bad
	counts conform.Counts
}

func fit(t *rapid.T, f *conform.Fitter, table schema.Struct, s *column.Slab) result {
	fitted, err := f.Fit(s)
	if err != nil {
		t.Fatal(err)
	}
	r := result{cells: make([][]any, fitted.Batch.Rows), out: slices.Clone(fitted.Out), counts: fitted.Counts}
	for i, field := range table.Fields {
		for row, v := range read(t, field, fitted.Batch.Columns[i], fitted.Batch.Rows) {
			r.cells[row] = append(r.cells[row], v)
		}
	}
	return r
}

// inPieces fits record by record, which must give the same as all at once.
func inPieces(t *rapid.T, whole result, all *conform.Fitter, table schema.Struct, f *conform.Fitter, piece func(int) *column.Slab) {
	var sum result
	for i := 0; ; i++ {
		s := piece(i)
		if s == nil {
			break
		}
		r := fit(t, f, table, s)
		sum.cells, sum.out = append(sum.cells, r.cells...), append(sum.out, r.out...)
		sum.counts.Add(r.counts)
	}
	if got, want := showRows(sum.cells), showRows(whole.cells); got != want {
		t.Fatalf("in pieces:\n%s\nat once:\n%s", got, want)
	}
	if sum.counts != whole.counts {
		t.Fatalf("in pieces %+v, at once %+v", sum.counts, whole.counts)
	}
	reasons := func(out []column.Bad) (all string) {
		for _, b := range out {
			all += fmt.Sprintln(b.Record, b.Code, b.Reason, string(b.Bytes))
		}
		return all
	}
	if got, want := reasons(sum.out), reasons(whole.out); got != want {
		t.Fatalf("kept out in pieces:\n%s\nat once:\n%s", got, want)
	}
	sorted := func(f *conform.Fitter) string {
		lines := []string{}
		for _, m := range f.Misfits() {
			lines = append(lines, fmt.Sprint(m))
		}
		for _, r := range f.Remarks() {
			lines = append(lines, fmt.Sprint(r))
		}
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	if got, want := sorted(f), sorted(all); got != want {
		t.Fatalf("misfits in pieces:\n%s\nat once:\n%s", got, want)
	}
}

// chosen checks that what is dropped is so by somebody's choice.
func chosen(t *rapid.T, p contract.Policy, f *conform.Fitter) {
	for _, m := range f.Misfits() {
		misfit := strings.HasPrefix(m.Why, contract.WhyType+":")
		var kind event.Kind
		switch {
		case p.Preset == contract.NoEvolution || m.Action != "ignore" && m.Action != "null":
			continue
		case misfit:
			kind = event.ValueMisfit
		case m.Why == contract.WhyUnknown:
			kind = event.ColumnAdded
		}
		if p.Kinds[kind] != m.Action {
			t.Fatalf("%+v, which nobody chose", m)
		}
	}
}

func showRows(rows [][]any) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(show(list(row)) + "\n")
	}
	return b.String()
}

// account finds every cell of the records again, by an own reading of the rules.
func account(t *rapid.T, p contract.Policy, table schema.Struct, path string, records []string, r result) {
	var want conform.Counts
	row := 0
	for i, record := range records {
		if kept := slices.IndexFunc(r.out, func(b column.Bad) bool { return b.Record == int64(i+1) }); kept >= 0 {
			if string(r.out[kept].Bytes) != record || r.out[kept].Reason == "" {
				t.Fatalf("kept out %+v, want %s", r.out[kept], record)
			}
			continue
		}
		s := &search{T: t, policy: p, record: record}
		cells := r.cells[row]
		row++
		want.Rows++
		rescued, names := s.open(table, cells, i+1)
		s.folders(table, cells, path, rescued, names)
		rescued = rescued.without(s.taken...)
		s.root(table, cells, parse(t, record), rescued, path)
		want.Add(s.counts)
	}
	if row != len(r.cells) {
		t.Fatalf("%d rows, want %d", len(r.cells), row)
	}
	want.Cells = want.Typed + want.Null + want.Rescued + want.Ignored
	if r.counts != want {
		t.Fatalf("got %+v, want %+v\n%s\n%s", r.counts, want, strings.Join(records, "\n"), showRows(r.cells))
	}
}
