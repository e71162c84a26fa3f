package conform_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/rescue"
	"landfall/internal/schema"
)

// drawing draws typed input for a contract.
type drawing struct {
	*rapid.T
	// tame keeps to what a tree of the same rows says, too: conversions that text
	// has, texts that are UTF-8, maps that are objects.
	tame bool
}

// like draws the type of a file's field for a column: often the same, or one
// whose values may convert.
func (d drawing) like(t schema.Type, depth int) schema.Type {
	if rapid.IntRange(0, 11).Draw(d.T, "other") == 0 && !d.tame {
		return d.any(depth)
	}
	switch t := t.(type) {
	case schema.Struct:
		return schema.Struct{Fields: d.fields(t.Fields, depth-1)}
	case schema.Array:
		return schema.Array{Element: d.like(t.Element, depth-1), ContainsNull: true}
	case schema.Map:
		key := t.Key
		if !d.tame {
			key = rapid.SampledFrom([]schema.Type{schema.String, schema.Integer, schema.Double, schema.Binary}).Draw(d.T, "key")
		}
		return schema.Map{Key: key, Value: d.like(t.Value, depth-1), ValueContainsNull: true}
	}
	if rapid.Bool().Draw(d.T, "same") {
		return t
	}
	others := []schema.Type{
		schema.String, schema.Long, schema.Integer, schema.Short, schema.Byte, schema.Boolean, schema.Date, schema.Unknown,
		schema.Decimal{Precision: 5, Scale: 2},
		schema.Decimal{Precision: 30, Scale: 1},
	}
	if t == schema.String && depth > 0 && rapid.Bool().Draw(d.T, "parts") {
		return d.any(depth - 1)
	}
	if d.tame && (t == schema.Binary || t == schema.Float) {
		others = others[:1]
	}
	if !d.tame {
		others = append(others, schema.Float, schema.Double, schema.Timestamp, schema.TimestampNTZ, schema.Binary)
	}
	return rapid.SampledFrom(others).Draw(d.T, "like")
}

func (d drawing) any(depth int) schema.Type {
	if d.tame {
		return schema.Array{Element: schema.Struct{Fields: []schema.Field{
			{Name: "p", Type: schema.Integer, Nullable: true}, {Name: `q"`, Type: schema.String, Nullable: true},
		}}, ContainsNull: true}
	}
	return typeOf(d.T, max(depth, 0))
}

// fields draws those of a file: some of the known ones, in any casing and order,
// and others.
func (d drawing) fields(known []schema.Field, depth int) []schema.Field {
	var all []schema.Field
	add := func(name string, t schema.Type) {
		if slices.ContainsFunc(all, func(f schema.Field) bool { return f.Name == name }) {
			return
		}
		all = append(all, schema.Field{Name: name, Type: t, Nullable: true})
	}
	for _, f := range known {
		if rapid.IntRange(0, 4).Draw(d.T, "absent") == 0 {
			continue
		}
		name := f.Name
		if rapid.IntRange(0, 3).Draw(d.T, "recased") == 0 {
			name = rapid.SampledFrom([]func(string) string{strings.ToUpper, strings.ToLower}).Draw(d.T, "casing")(name)
		}
		add(name, d.like(f.Type, depth))
	}
	for range rapid.IntRange(0, 2).Draw(d.T, "more") {
		name, t := rapid.SampledFrom([]string{"A", "b", "z", "_why", "a.c", "é"}).Draw(d.T, "name"), schema.Type(schema.String)
		if at := (schema.Struct{Fields: known}).Lookup(name); at >= 0 {
			t = known[at].Type
		}
		add(name, d.like(t, depth))
	}
	if len(all) == 0 {
		add("z", schema.Long)
	}
	return rapid.Permutation(all).Draw(d.T, "order")
}

// value draws a value of a type.
func (d drawing) value(t schema.Type, nullable bool) any {
	if nullable && rapid.IntRange(0, 4).Draw(d.T, "null") == 0 || t == schema.Type(schema.Unknown) {
		return nil
	}
	switch t := t.(type) {
	case schema.Struct:
		v := tuple{}
		for _, f := range t.Fields {
			v = append(v, d.value(f.Type, f.Nullable))
		}
		return v
	case schema.Array:
		v := list{}
		for range rapid.IntRange(0, 3).Draw(d.T, "length") {
			v = append(v, d.value(t.Element, t.ContainsNull))
		}
		return v
	case schema.Map:
		v := pairs{}
		for range rapid.IntRange(0, 3).Draw(d.T, "entries") {
			key := d.value(t.Key, false)
			if d.tame && slices.ContainsFunc(v, func(p pair) bool { return p.key == key }) {
				continue
			}
			v = append(v, pair{key, d.value(t.Value, t.ValueContainsNull)})
		}
		return v
	case schema.Decimal:
		n := rapid.SampledFrom([]int64{0, -5, 100, 700, 12345, 99999}).Draw(d.T, "decimal")
		if t.Precision > 18 {
			return new(big.Int).Mul(big.NewInt(n), big.NewInt(rapid.SampledFrom([]int64{1, 1e18}).Draw(d.T, "factor")))
		}
		return n
	}
	return d.scalar(t)
}

func (d drawing) scalar(t schema.Type) any {
	switch t {
	case schema.Boolean:
		return rapid.Bool().Draw(d.T, "boolean")
	case schema.Float:
		return float64(rapid.SampledFrom([]float32{0, 0.5, 2, -1.5}).Draw(d.T, "float"))
	case schema.Double:
		values := []float64{0, 0.1, 7, -2.5e-9, 1e300, 9007199254740993, math.NaN()}
		if d.tame { // text of NaN is none where strings are no numbers
			values = values[:6]
		}
		return rapid.SampledFrom(values).Draw(d.T, "double")
	case schema.String:
		return rapid.SampledFrom([]string{"", "x", "7", "007", "-2.50", "true", "2026-11-30", "2026-11-30T10:00:00Z", "a\"\n\x00é", "{}", "NaN"}).Draw(d.T, "string")
	case schema.Binary:
		if d.tame {
			return rapid.SampledFrom([]string{"", "x", "7"}).Draw(d.T, "bytes")
		}
		return rapid.SampledFrom([]string{"", "x", "\xff\xfe", "7"}).Draw(d.T, "bytes")
	case schema.Byte:
		return int64(rapid.Int8().Draw(d.T, "byte"))
	case schema.Short:
		return int64(rapid.Int16().Draw(d.T, "short"))
	case schema.Date:
		return rapid.SampledFrom([]int64{0, -1, 20000}).Draw(d.T, "date")
	case schema.Timestamp, schema.TimestampNTZ:
		return rapid.SampledFrom([]int64{0, -1, 86_400_000_000, 1_796_032_800_123_456}).Draw(d.T, "instant")
	case schema.Integer:
		return rapid.SampledFrom([]int64{0, 1, -7, 300, math.MaxInt32}).Draw(d.T, "int")
	default:
		return rapid.SampledFrom([]int64{0, 1, -7, 300, math.MaxInt32, 1 << 40, 9007199254740993}).Draw(d.T, "long")
	}
}

// feed draws a contract, and a file for it.
func (d drawing) feed() (contract.Version, contract.Policy, schema.Struct, file) {
	t, p := d.T, policyOf(d.T)
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
	var x file
	rows := rapid.IntRange(1, 4).Draw(t, "rows")
	for _, f := range d.fields(known, 3) {
		x.names, x.types = append(x.names, f.Name), append(x.types, f.Type)
		values := make([]any, rows)
		for i := range values {
			values[i] = d.value(f.Type, true)
		}
		x.values = append(x.values, values)
	}
	return v, p, table, x
}

// row is one of a file as a file of its own.
func (x file) row(i int) *column.Slab {
	if i == len(x.values[0]) {
		return nil
	}
	one := file{names: x.names, types: x.types}
	for _, values := range x.values {
		one.values = append(one.values, values[i:i+1])
	}
	s := one.slab()
	s.Records[0] = int64(i + 1)
	return s
}

// json is a row as JSON.
func (x file) json(i int) string {
	var parts []string
	for k, c := range x.row(i).Columns {
		part := rescue.NewPart(x.types[k])
		cursor := rescue.NewCursor(part)
		cursor.Reset(c)
		parts = append(parts, text(x.names[k])+":"+string(cursor.Append(nil, part)))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// Typed input gives what a tree of the same rows gives: columns, the rescue
// column to the letter, what is kept out and why, and what is told.
func TestTypedIsAsTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, p, table, x := drawing{t, true}.feed()
		f := fitter(t, v, p, table, x.object("a.json"))
		whole := fit(t, f, table, x.slab())
		records := make([]string, len(x.values[0]))
		for i := range records {
			records[i] = x.json(i)
		}
		g := fitter(t, v, p, table, treeObject("a.json"))
		tree := fit(t, g, table, trees(t, records...))
		input := fmt.Sprint(x.names, x.types, "\n", table, "\n", strings.Join(records, "\n"))
		if got, want := showRows(whole.cells), showRows(tree.cells); got != want {
			t.Fatalf("%s\ntyped:\n%s\ntree:\n%s", input, got, want)
		}
		if got, want := outText(whole.out), outText(tree.out); got != want {
			t.Fatalf("%s\nkept out typed:\n%s\ntree:\n%s", input, got, want)
		}
		if got, want := told(f), told(g); got != want {
			t.Fatalf("%s\ntold typed:\n%s\ntree:\n%s", input, got, want)
		}
		inPieces(t, whole, f, table, fitter(t, v, p, table, x.object("a.json")), x.row)
	})
}

func told(f *conform.Fitter) string {
	var lines []string
	for _, m := range f.Misfits() {
		m.Of = "" // a header's field has none
		lines = append(lines, fmt.Sprint(m))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// Every value of typed input is in one place, and can be found there again.
func TestEveryTypedValueIsInOnePlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, p, table, x := drawing{t, false}.feed()
		f := fitter(t, v, p, table, x.object("a.json"))
		whole := fit(t, f, table, x.slab())
		row := 0
		for i := range x.values[0] {
			record := x.json(i)
			if kept := slices.IndexFunc(whole.out, func(b column.Bad) bool { return b.Record == int64(i+1) }); kept >= 0 {
				if string(whole.out[kept].Bytes) != record || whole.out[kept].Reason == "" {
					t.Fatalf("kept out %+v, want %s", whole.out[kept], record)
				}
				continue
			}
			s := &search{T: t, policy: p, record: record}
			rescued, _ := s.open(table, whole.cells[row], i+1)
			s.root(table, whole.cells[row], parse(t, record), rescued, "")
			row++
		}
		if row != len(whole.cells) || whole.counts.Rows != int64(row) {
			t.Fatalf("%d rows, want %d", len(whole.cells), row)
		}
		chosen(t, p, f)
		inPieces(t, whole, f, table, fitter(t, v, p, table, x.object("a.json")), x.row)
	})
}
