package conform_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// fitted fits a file to columns, and says all that came of it.
func fitted(t *testing.T, p contract.Policy, notNull bool, path string, x file, columns ...string) (lines, plan string) {
	t.Helper()
	v, table := agreed(t, p, columns...)
	if notNull {
		table.Fields[0].Nullable = false
	}
	f, err := conform.New(v, p, table, x.object(path))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Fit(x.slab())
	if err != nil {
		t.Fatal(err)
	}
	all := []string{rows(t, table, r.Batch), outText(r.Out)}
	for _, m := range f.Misfits() {
		all = append(all, fmt.Sprintf("%s of %q %s: %s, %d from record %d", m.Column, m.Of, m.Why, m.Action, m.Count, m.Record))
	}
	return strings.Join(all, "\n"), planText(f)
}

func TestTypedPolicies(t *testing.T) {
	numbers := []any{int64(1), nil, int64(1 << 40)}
	tail := func(record int) string { return fmt.Sprintf(`"_file_path":"file:///f.parquet","_record":%d`, record) }
	for _, c := range []struct {
		name    string
		policy  contract.Policy
		notNull bool
		path    string
		columns []string
		file    file
		want    string
	}{
		{
			name: "the preset that has no rescue column", policy: contract.Policy{Preset: contract.NoEvolution},
			columns: []string{"a: int"}, file: typedFile(t, "a: bigint; b: bigint", numbers, numbers),
			want: "1\n∅\n∅\n\na of \"\" type:int: null, 1 from record 3\nb of \"\" unknown: ignore, 2 from record 1",
		},
		{
			name: "of one nested field", policy: contract.Policy{Columns: map[string]map[event.Kind]string{"s.a": {event.ValueMisfit: "null"}}},
			columns: []string{"s: struct<a:int,b:int>"},
			file:    typedFile(t, "s: struct<a:bigint,b:bigint>", []any{tuple{int64(1 << 40), int64(1)}, tuple{int64(1), int64(1 << 40)}}),
			want: "{a:∅ b:1} | ∅\n" + `{a:1 b:∅} | {"s":{"b":1099511627776},` + tail(2) + `,"_why":{"s.b":"type:int"}}` + "\n" +
				"\ns.a of \"\" type:int: null, 1 from record 1\ns.b of \"\" type:int: rescue, 1 from record 2",
		},
		{
			name: "elements are null", policy: contract.Policy{Kinds: map[event.Kind]string{event.ValueMisfit: "null"}},
			columns: []string{"l: array<int>"}, file: typedFile(t, "l: array<bigint>", []any{list{int64(1), int64(1 << 40)}}),
			want: "[1 ∅] | ∅\n\nl.element of \"\" type:int: null, 1 from record 1",
		},
		{
			name: "NOT NULL of a column that is copied", notNull: true,
			columns: []string{"a: bigint"}, file: typedFile(t, "a: bigint", numbers),
			want: "1 | ∅\n1099511627776 | ∅\n" + `2 E0505 a: found no value in a column that may not be null {"a":null}` + "\na of \"\" null: quarantine, 1 from record 2",
		},
		{
			name: "NOT NULL of one that is converted", notNull: true,
			columns: []string{"a: int"}, file: typedFile(t, "a: bigint", numbers),
			want: "1 | ∅\n" + `2 E0505 a: found no value in a column that may not be null {"a":null}` + "\n" +
				`3 E0505 a: found 1099511627776, want int: the column may not be null {"a":1099511627776}` +
				"\na of \"\" null: quarantine, 1 from record 2\na of \"\" type:int: quarantine, 1 from record 3",
		},
		{
			name: "NOT NULL of one that is taken apart", notNull: true,
			columns: []string{"l: array<int>"}, file: typedFile(t, "l: array<bigint>", []any{nil, list{int64(1 << 40)}, list{int64(7)}}),
			want: "[7] | ∅\n" + `1 E0505 l: found no value in a column that may not be null {"l":null}` + "\n" +
				`2 E0505 l: found [1099511627776], want array<int>: the column may not be null {"l":[1099511627776]}` +
				"\nl of \"\" null: quarantine, 1 from record 1\nl of \"\" type:array<int>: quarantine, 1 from record 2",
		},
		{
			name: "NOT NULL of one that is absent", notNull: true,
			columns: []string{"z: int", "a: int"}, file: typedFile(t, "a: int", []any{int64(1)}),
			want: "\n" + `1 E0505 z: found no value in a column that may not be null {"a":1}` + "\nz of \"\" null: quarantine, 1 from record 1",
		},
		{
			name: "casings of a case-sensitive source", policy: contract.Policy{CaseSensitive: true},
			columns: []string{"a: int", "s: struct<x:int>"},
			file:    typedFile(t, "A: int; s: struct<X:int>", []any{int64(1)}, []any{tuple{int64(2)}}),
			want: `∅ | {x:∅} | {"A":1,"s":{"X":2},` + tail(1) + `,"_why":{"A":"case","s.X":"case"}}` + "\n" +
				"\nA of \"\" case: rescue, 1 from record 1\ns.X of \"x\" case: rescue, 1 from record 1",
		},
		{
			name: "a folder wins", path: "a=7/f.parquet",
			columns: []string{"a: int"}, file: typedFile(t, "a: bigint", []any{int64(7), int64(8), nil}),
			want: "7 | ∅\n" + `7 | {"a":8,"_file_path":"file:///a=7/f.parquet","_record":2,"_why":{"a":"partition"}}` + "\n7 | ∅\n" +
				"\na of \"\" partition: rescue, 1 from record 2",
		},
		{
			name: "names of ours", columns: []string{"a: int"},
			file: typedFile(t, "_why: int; _source_file: int; a: int", []any{int64(1)}, []any{int64(2)}, []any{int64(3)}),
			want: `3 | {"_field:_why":1,"_field:_source_file":2,` + tail(1) + `,"_why":{"_field:_why":"unknown","_field:_source_file":"unknown"}}` + "\n" +
				"\n_why of \"\" unknown: rescue, 1 from record 1\n_source_file of \"\" unknown: rescue, 1 from record 1",
		},
		{
			name: "a name twice", columns: []string{"a: int"}, file: typedFile(t, "a: int; a: int", []any{int64(1)}, []any{int64(2)}),
			want: `1 | {"a#2":2,` + tail(1) + `,"_why":{"a#2":"unknown"}}` + "\n\n`a#2` of \"\" unknown: rescue, 1 from record 1",
		},
		{
			name: "text that Auto Loader's modes do not convert", policy: contract.Policy{Preset: contract.RescueMode},
			columns: []string{"a: int"}, file: typedFile(t, "a: string", []any{"7"}),
			want: `∅ | {"a":"7",` + tail(1) + `,"_why":{"a":"type:int"}}` + "\n\na of \"\" type:int: rescue, 1 from record 1",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := c.path
			if path == "" {
				path = "f.parquet"
			}
			got, _ := fitted(t, c.policy, c.notNull, path, c.file, c.columns...)
			check(t, "outcome", got, c.want)
		})
	}
}

func TestTypedPlans(t *testing.T) {
	for _, c := range []struct{ column, file, want string }{
		{"s: struct<a:int,b:array<string>>", "S: struct<A:int,B:array<string>>", "copy 0"},
		{"s: struct<a:int,b:string>", "s: struct<b:string,a:int>", "recode 0"}, // the leaves stand in another order
		{"s: struct<a:int,b:string>", "s: struct<a:int>", "recode 0"},
		{"s: struct<a:int>", "s: struct<a:int,b:int>", "recode 0"},
		{"m: map<string,array<int>>", "m: map<string,array<int>>", "copy 0"},
		{"m: map<struct<a:int>,int>", "m: map<struct<A:int>,int>", "copy 0"},
		{"m: map<string,int>", "m: map<int,int>", "recode 0"},
		{"a: string", "a: binary", "recode 0"},
		{"a: decimal(10,2)", "a: decimal(9,2)", "recode 0"}, // the same values, but not the same pages
		{"a: int", "a: void", "recode 0"},
	} {
		x := typedFile(t, c.file, []any{nil})
		_, plan := fitted(t, contract.Policy{}, false, "f.parquet", x, c.column)
		rest := ", recode, constant, constant"
		if strings.HasPrefix(c.want, "copy") {
			rest = ", constant, constant, constant"
		}
		check(t, c.column+" of "+c.file, plan, c.want+rest)
	}
}

func TestTypedInputFails(t *testing.T) {
	p := contract.Policy{Kinds: map[event.Kind]string{event.ValueMisfit: "fail"}}
	x := typedFile(t, "a: struct<b:bigint>", []any{tuple{int64(1)}, tuple{int64(1 << 40)}})
	v, table := agreed(t, p, "a: struct<b:int>")
	f, err := conform.New(v, p, table, x.object("f.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Fit(x.slab())
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != diag.PolicyFail || d.Path != "a.b" || d.At.Record != 2 {
		t.Errorf("got %+v", err)
	}
}

func TestTypedSlabsOfAnotherShape(t *testing.T) {
	x := typedFile(t, "a: int; b: array<int>", []any{int64(1)}, []any{list{int64(1), int64(2)}})
	v, table := agreed(t, contract.Policy{}, "a: int")
	for name, change := range map[string]func(*column.Slab){
		"a column less": func(s *column.Slab) { s.Columns = s.Columns[:1] },
		"a leaf less":   func(s *column.Slab) { s.Columns[1].Leaves = nil },
		"a row more":    func(s *column.Slab) { s.Records = append(s.Records, 2) },
		"a value more":  func(s *column.Slab) { s.Columns[0].Leaves[0].Ints = []int64{1, 2} },
		"text":          func(s *column.Slab) { s.Fields = make([]column.Text, 2) },
	} {
		f, err := conform.New(v, contract.Policy{}, table, x.object("f.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		s := x.slab()
		change(s)
		if _, err := f.Fit(s); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	o := x.object("f.parquet")
	o.Types = []schema.Type{schema.Integer}
	if _, err := conform.New(v, contract.Policy{}, table, o); err == nil {
		t.Error("a type for one of two fields: accepted")
	}
}

// A copied column is the file's own leaves, under the table's type.
func TestCopiedLeavesAreTheFiles(t *testing.T) {
	x := typedFile(t, "M: map<string,array<int>>", []any{nil, pairs{{"a", list{int64(1)}}}})
	v, table := agreed(t, contract.Policy{}, "m: map<string,array<int>>")
	f, err := conform.New(v, contract.Policy{}, table, x.object("f.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	s := x.slab()
	r, err := f.Fit(s)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range r.Batch.Columns[0].Leaves {
		if from := s.Columns[0].Leaves[i]; l.Text != from.Text || &l.Defs[0] != &from.Defs[0] || len(l.Ints) > 0 && &l.Ints[0] != &from.Ints[0] {
			t.Errorf("leaf %d is a copy", i)
		}
	}
	check(t, "type", r.Batch.Columns[0].Type.String(), "map<string,array<int>>")
}

// No value costs an allocation of its own where nothing is rescued.
func TestTypedValuesDoNotAllocate(t *testing.T) {
	allocs := func(rows int) float64 {
		values := make([]any, rows)
		for i := range values {
			values[i] = list{tuple{"a", int64(i), pairs{{"k", int64(1)}, {"l", nil}}}}
		}
		x := typedFile(t, "l: array<struct<A:string,n:int,m:map<string,int>>>; s: string", values, make([]any, rows))
		v, table := agreed(t, contract.Policy{}, "l: array<struct<n:bigint,m:map<string,bigint>,a:string>>", "s: string")
		f, err := conform.New(v, contract.Policy{}, table, x.object("f.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		s := x.slab()
		return testing.AllocsPerRun(5, func() {
			if _, err := f.Fit(s); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(10), allocs(1000); many > few {
		t.Errorf("%v allocations for 1000 rows, %v for 10", many, few)
	}
}

// What a column of its type does not hold of a value is rescued in whole, unless the
// policy lets digits go: the reader has told of these.
func TestTypedFlaws(t *testing.T) {
	times := []any{int64(0), int64(1_500_000), int64(2)}
	flaws := []column.Flaw{{Value: 1, Kind: column.Cut, Nanos: 7}, {Value: 2, Kind: column.Skipped}}
	tail := func(record int, why string) string {
		return fmt.Sprintf(`,"_file_path":"file:///f.parquet","_record":%d,"_why":{%s}}`, record, why)
	}
	wall := `"1970-01-01T00:00:00.000002"`
	for name, c := range map[string]struct {
		action, column, file string
		values               []any
		want                 string
	}{
		"digits go": {
			"land", "a: timestamp", "a: timestamp", times,
			"1970-01-01T00:00:00 | ∅\n1970-01-01T00:00:01.5 | ∅\n∅ | " + `{"a":` + wall + tail(3, `"a":"type:timestamp"`),
		},
		"digits stay": {
			"rescue", "a: timestamp", "a: timestamp", times,
			"1970-01-01T00:00:00 | ∅\n∅ | " + `{"a":"1970-01-01T00:00:01.500000007Z"` + tail(2, `"a":"type:timestamp"`) + "\n∅ | " + `{"a":` + wall + tail(3, `"a":"type:timestamp"`),
		},
		"in an array digits go": {
			"land", "a: array<timestamp>", "a: array<timestamp>",
			[]any{list{int64(0), int64(1)}, list{int64(2)}},
			"[1970-01-01T00:00:00 1970-01-01T00:00:00.000001] | ∅\n∅ | " + `{"a":[` + wall + `]` + tail(2, `"a":"type:array<timestamp>"`),
		},
		"in an array digits stay": {
			"rescue", "a: array<timestamp>", "a: array<timestamp>",
			[]any{list{int64(0), int64(1)}, list{int64(2)}},
			"∅ | " + `{"a":["1970-01-01T00:00:00Z","1970-01-01T00:00:00.000001007Z"]` + tail(1, `"a":"type:array<timestamp>"`) +
				"\n∅ | " + `{"a":[` + wall + `]` + tail(2, `"a":"type:array<timestamp>"`),
		},
		"no column": {
			"land", "b: int", "a: timestamp", times,
			"∅ | " + `{"a":"1970-01-01T00:00:00Z"` + tail(1, `"a":"unknown"`) + "\n∅ | " + `{"a":"1970-01-01T00:00:01.500000007Z"` + tail(2, `"a":"unknown"`) +
				"\n∅ | " + `{"a":` + wall + tail(3, `"a":"unknown"`),
		},
		"as JSON": {
			"land", "a: string", "a: array<timestamp>",
			[]any{list{int64(0), int64(1)}, list{int64(2)}},
			`["1970-01-01T00:00:00Z","1970-01-01T00:00:00.000001007Z"] | ∅` + "\n[" + wall + "] | ∅",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := contract.Policy{Kinds: map[event.Kind]string{event.ValueTruncated: c.action}}
			x := typedFile(t, c.file, c.values)
			v, table := agreed(t, p, c.column)
			f, err := conform.New(v, p, table, x.object("f.parquet"))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // a slab is fitted more than once
				slab := x.slab()
				slab.Columns[0].Leaves[0].Flaws = flaws
				r, err := f.Fit(slab)
				if err != nil {
					t.Fatal(err)
				}
				check(t, "rows", rows(t, table, r.Batch), c.want)
				if err := r.Counts.Check(); err != nil {
					t.Error(err)
				}
				if got := fmt.Sprint(flaws); got != "[{1 1 7} {2 2 0}]" {
					t.Errorf("the slab's flaws are %s", got)
				}
			}
		})
	}
}
