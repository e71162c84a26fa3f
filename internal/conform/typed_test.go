package conform_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Values of typed columns: nil, int64 (also days, µs and unscaled decimals),
// *big.Int for longer decimals, float64, bool, string; a tuple for a struct, a
// list for an array, pairs for a map.
type (
	tuple []any
	pairs []pair
	pair  struct{ key, value any }
)

// shredder writes values into leaves.
type shredder struct {
	infos  []column.LeafInfo
	leaves []column.Leaf
}

// shred makes a typed column of values.
func shred(typ schema.Type, values ...any) column.Column {
	s := &shredder{infos: column.Leaves(typ, true)}
	s.leaves = make([]column.Leaf, len(s.infos))
	for i := range s.leaves {
		if p := s.infos[i].Type; p == schema.String || p == schema.Binary {
			s.leaves[i].Text = &column.Text{}
		}
	}
	for _, v := range values {
		s.put(typ, true, v, 0, 0, 0, 0)
	}
	for i := range s.leaves {
		l, nulls := &s.leaves[i], 0
		for _, def := range l.Defs {
			if def < s.infos[i].MaxDef {
				nulls++
			}
		}
		if nulls == 0 {
			l.Defs = nil
		}
	}
	return column.Column{Type: typ, Leaves: s.leaves}
}

// put writes one value of a type whose leaves begin at first. depth counts the
// arrays around, rep is the level of its first entry.
func (s *shredder) put(t schema.Type, nullable bool, v any, first int, def, depth, rep uint8) {
	if v == nil {
		s.levels(t, first, def, rep)
		return
	}
	if nullable {
		def++
	}
	switch t := t.(type) {
	case schema.Struct:
		for i, f := range t.Fields {
			s.put(f.Type, f.Nullable, v.(tuple)[i], first, def, depth, rep)
			first += len(column.Leaves(f.Type, true))
		}
	case schema.Array:
		if len(v.(list)) == 0 {
			s.levels(t, first, def, rep)
		}
		for _, e := range v.(list) {
			s.put(t.Element, t.ContainsNull, e, first, def+1, depth+1, rep)
			rep = depth + 1
		}
	case schema.Map:
		if len(v.(pairs)) == 0 {
			s.levels(t, first, def, rep)
		}
		for _, e := range v.(pairs) {
			s.put(t.Key, false, e.key, first, def+1, depth+1, rep)
			s.put(t.Value, t.ValueContainsNull, e.value, first+len(column.Leaves(t.Key, true)), def+1, depth+1, rep)
			rep = depth + 1
		}
	default:
		s.levels(t, first, def, rep)
		s.scalar(&s.leaves[first], t, v)
	}
}

func (s *shredder) levels(t schema.Type, first int, def, rep uint8) {
	for i := range column.Leaves(t, true) {
		l := &s.leaves[first+i]
		l.Defs = append(l.Defs, def)
		if s.infos[first+i].MaxRep > 0 {
			l.Reps = append(l.Reps, rep)
		}
	}
}

func (s *shredder) scalar(l *column.Leaf, t schema.Type, v any) {
	d, _ := t.(schema.Decimal)
	switch v := v.(type) {
	case string:
		l.Text.AppendValue([]byte(v))
	case bool:
		l.Bools = append(l.Bools, v)
	case float64:
		l.Floats = append(l.Floats, v)
	case *big.Int:
		low := new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64))
		l.Wide = append(l.Wide, value.Int128{High: new(big.Int).Rsh(v, 64).Int64(), Low: low.Uint64()})
	case int64:
		if d.Precision > 18 {
			l.Wide = append(l.Wide, value.Int128{High: v >> 63, Low: uint64(v)})
		} else {
			l.Ints = append(l.Ints, v)
		}
	default:
		panic(v)
	}
}

// file is typed input: its header, and its columns of values.
type file struct {
	names  []string
	types  []schema.Type
	values [][]any
}

// typedFile reads "name: type" and takes the values of each.
func typedFile(t tb, columns string, values ...[]any) file {
	t.Helper()
	var x file
	x.values = values
	for _, c := range strings.Split(columns, "; ") {
		name, ddl, _ := strings.Cut(c, ": ")
		typ := schema.Type(schema.Unknown)
		if ddl != "void" {
			var err error
			if typ, err = schema.ParseDDL(ddl); err != nil {
				t.Fatal(err)
			}
		}
		x.names, x.types = append(x.names, name), append(x.types, typ)
	}
	return x
}

func (x file) object(path string) conform.Object {
	o := object(path, x.names...)
	o.Types = x.types
	return o
}

func (x file) slab() *column.Slab {
	s := &column.Slab{}
	for i := range x.values[0] {
		s.Records = append(s.Records, int64(i+1))
	}
	for i, values := range x.values {
		s.Columns = append(s.Columns, shred(x.types[i], values...))
	}
	return s
}

func TestTypedColumns(t *testing.T) {
	rescued := func(record, members, why string) string {
		return "{" + members + `,"_file_path":"file:///f.parquet","_record":` + record + `,"_why":{` + why + "}}"
	}
	for _, c := range []struct {
		name    string
		policy  contract.Policy
		columns []string
		file    file
		plan    string
		rows    string
		out     string
		counts  conform.Counts
	}{
		{
			name: "copied, in another order and casing", columns: []string{"a: bigint", "b: string", "c: double"},
			file: typedFile(t, "B: string; A: bigint", []any{"x", nil}, []any{int64(7), int64(8)}),
			plan: "copy 1, copy 0, constant, constant, constant, constant",
			rows: "7 | x | ∅ | ∅\n8 | ∅ | ∅ | ∅", counts: conform.Counts{Rows: 2, Cells: 4, Typed: 3, Null: 1},
		},
		{
			name: "converted, and what does not fit", columns: []string{"a: int", "b: string"},
			file:   typedFile(t, "a: bigint; b: int", []any{int64(7), int64(1 << 40), nil}, []any{int64(1), nil, int64(3)}),
			plan:   "recode 0, recode 1, recode, constant, constant",
			rows:   "7 | 1 | ∅\n∅ | ∅ | " + rescued("2", `"a":1099511627776`, `"a":"type:int"`) + "\n∅ | 3 | ∅",
			counts: conform.Counts{Rows: 3, Cells: 6, Typed: 3, Null: 2, Rescued: 1},
		},
		{
			name: "unknown fields of all kinds", columns: []string{"a: int"}, policy: contract.Policy{Kinds: map[contract.Kind]string{}},
			file: typedFile(t, "a: int; n: void; d: decimal(5,2); f: double; t: timestamp; y: date; s: struct<p:int,q:string>; l: array<int>; m: map<int,string>; b: binary; w: boolean",
				[]any{int64(1), int64(2)}, []any{nil, nil}, []any{int64(-5), nil}, []any{math.NaN(), 0.5},
				[]any{int64(1_500_000), nil}, []any{int64(1), nil}, []any{tuple{nil, "x\""}, nil}, []any{list{int64(1), nil}, list{}},
				[]any{pairs{{int64(1), "v"}}, nil}, []any{"\xff", "ok"}, []any{true, nil}),
			plan: "copy 0, recode, constant, constant",
			rows: "1 | " + rescued("1", `"d":-0.05,"f":"NaN","t":"1970-01-01T00:00:01.5Z","y":"1970-01-02","s":{"p":null,"q":"x\""},"l":[1,null],"m":{"1":"v"},"b":{"$base64":"/w=="},"w":true`,
				`"d":"unknown","f":"unknown","t":"unknown","y":"unknown","s":"unknown","l":"unknown","m":"unknown","b":"unknown","w":"unknown"`) + "\n" +
				"2 | " + rescued("2", `"f":0.5,"l":[],"b":"ok"`, `"f":"unknown","l":"unknown","b":"unknown"`),
			counts: conform.Counts{Rows: 2, Cells: 27, Typed: 2, Null: 10, Rescued: 15},
		},
		{
			name:    "nested: unknown fields, casings, misfits, what is absent",
			columns: []string{"s: struct<a:int,b:struct<c:bigint,z:int>>", "l: array<struct<x:int>>", "m: map<string,int>", "j: string"},
			file: typedFile(t, "s: struct<A:bigint,b:struct<C:int,q:int>,a:int>; l: array<struct<x:bigint>>; m: map<string,bigint>; j: struct<k:array<int>>",
				[]any{tuple{int64(5), tuple{int64(6), int64(7)}, int64(8)}, nil},
				[]any{list{tuple{int64(1)}, tuple{int64(1 << 40)}}, list{tuple{int64(2)}, nil}},
				[]any{pairs{{"p", int64(1)}, {"q", int64(1 << 40)}}, pairs{}},
				[]any{tuple{list{int64(1)}}, tuple{nil}}),
			plan: "recode 0, recode 1, recode 2, recode 3, recode, constant, constant",
			rows: `{a:8 b:{c:6 z:∅}} | ∅ | <p:1 q:∅> | {"k":[1]} | ` + rescued("1", `"s":{"A":5,"b":{"q":7}},"l":[{"x":1},{"x":1099511627776}],"m":{"q":1099511627776}`,
				`"s.A":"case","s.b.q":"unknown","l":"type:array<struct<x:int>>","m.q":"type:int"`) + "\n" +
				`∅ | [{x:2} ∅] | <> | {"k":null} | ∅`,
			counts: conform.Counts{Rows: 2, Cells: 20, Typed: 8, Null: 7, Rescued: 5},
		},
		{
			name: "misfits are null", columns: []string{"a: int"}, policy: contract.Policy{Kinds: map[contract.Kind]string{event.ValueMisfit: "null"}},
			file: typedFile(t, "a: string", []any{"7", "x"}), plan: "recode 0, recode, constant, constant",
			rows: "7 | ∅\n∅ | ∅", counts: conform.Counts{Rows: 2, Cells: 2, Typed: 1, Ignored: 1},
		},
		{
			name: "new columns are ignored", columns: []string{"a: int"}, policy: contract.Policy{Kinds: map[contract.Kind]string{event.ColumnAdded: "ignore"}},
			file: typedFile(t, "a: int; n: int", []any{int64(1), nil}, []any{int64(2), nil}), plan: "copy 0, recode, constant, constant",
			rows: "1 | ∅\n∅ | ∅", counts: conform.Counts{Rows: 2, Cells: 4, Typed: 1, Null: 2, Ignored: 1},
		},
		{
			name: "rows of misfits are kept out", columns: []string{"a: int", "b: bigint"}, policy: contract.Policy{Kinds: map[contract.Kind]string{event.ValueMisfit: "quarantine"}},
			file: typedFile(t, "a: bigint; b: bigint; l: array<int>", []any{int64(1), int64(1 << 40), int64(3)}, []any{nil, int64(5), int64(6)}, []any{nil, list{int64(1), int64(2)}, list{}}),
			plan: "recode 0, copy 1, recode, constant, constant",
			rows: "1 | ∅ | ∅\n3 | 6 | " + rescued("3", `"l":[]`, `"l":"unknown"`), out: `2 E0409 a: found 1099511627776, want int (policy value_misfit: quarantine) {"a":1099511627776,"b":5,"l":[1,2]}`,
			counts: conform.Counts{Rows: 2, Cells: 6, Typed: 3, Null: 2, Rescued: 1},
		},
		{
			name: "no rescue column", columns: []string{"a: int"}, policy: contract.Policy{NoRescue: true},
			file: typedFile(t, "a: int; b: int", []any{int64(1), int64(2)}, []any{nil, int64(5)}),
			plan: "copy 0, constant, constant",
			rows: "1", out: `2 E0409 b: found 5, want a column that takes it (there is no rescue column) {"a":2,"b":5}`,
			counts: conform.Counts{Rows: 1, Cells: 2, Typed: 1, Null: 1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, table := agreed(t, c.policy, c.columns...)
			f, err := conform.New(v, c.policy, table, c.file.object("f.parquet"))
			if err != nil {
				t.Fatal(err)
			}
			check(t, "plan", planText(f), c.plan)
			for range 2 { // buffers are used again
				fitted, err := f.Fit(c.file.slab())
				if err != nil {
					t.Fatal(err)
				}
				check(t, "rows", rows(t, table, fitted.Batch), c.rows)
				check(t, "out", outText(fitted.Out), c.out)
				if fitted.Counts != c.counts {
					t.Errorf("got  %+v\nwant %+v", fitted.Counts, c.counts)
				}
			}
		})
	}
}

func planText(f *conform.Fitter) string {
	var all []string
	for _, a := range f.Plan() {
		text := [...]string{conform.Constant: "constant", conform.Copy: "copy", conform.Recode: "recode"}[a.Kind]
		if a.Field >= 0 {
			text += fmt.Sprintf(" %d", a.Field)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func outText(out []column.Bad) string {
	var all []string
	for _, b := range out {
		all = append(all, fmt.Sprintf("%d %s %s %s", b.Record, b.Code, b.Reason, b.Bytes))
	}
	return strings.Join(all, "\n")
}
