package conform_test

import (
	"fmt"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
)

// outs writes down what is kept out.
func outs(out []column.Bad) string {
	var lines []string
	for _, b := range out {
		lines = append(lines, fmt.Sprintf("%d@%d %s %s: %s", b.Record, b.Offset, b.Code, b.Bytes, b.Reason))
	}
	return strings.Join(lines, "\n")
}

// misfits writes down what no column took.
func misfits(f *conform.Fitter) string {
	var all []string
	for _, m := range f.Misfits() {
		column := m.Column
		if m.Of != "" {
			column += " of " + m.Of
		}
		all = append(all, fmt.Sprintf("{%s %s %s %d %d}", column, m.Why, m.Action, m.Record, m.Count))
	}
	return "[" + strings.Join(all, " ") + "]"
}

func TestRowsKeptOut(t *testing.T) {
	quarantine := func(kinds ...event.Kind) contract.Policy {
		p := contract.Policy{Kinds: map[event.Kind]string{}}
		for _, k := range kinds {
			p.Kinds[k] = "quarantine"
		}
		return p
	}
	for _, c := range []struct {
		name    string
		policy  contract.Policy
		columns []string
		notNull int // 1-based column
		records []string
		rows    string
		out     string
		misfits string
	}{
		{
			"a misfit", quarantine(event.ValueMisfit),
			[]string{"a: int", "l: array<struct<x:date>>"},
			0,
			[]string{`{"a":1}`, `{"a":"x","b":1}`, `{"a":2,"b":2}`, `{"l":[{"x":"soon"}],"a":3}`, `5`},
			"1 | ∅ | ∅\n2 | ∅ | " + `{"b":2,"_file_path":"file:///a.json","_record":3,"_why":{"b":"unknown"}}`,
			"2@8 E0409 {\"a\":\"x\",\"b\":1}: a: found \"x\", want int (policy value_misfit: quarantine)\n" +
				"4@38 E0409 {\"l\":[{\"x\":\"soon\"}],\"a\":3}: l.element.x: found \"soon\", want date (policy value_misfit: quarantine)\n" +
				"5@65 E0409 5: _value: found 5, want an object (policy value_misfit: quarantine)",
			"[{a type:int quarantine 2 1} {l.element.x type:date quarantine 4 1} {_value type:struct quarantine 5 1} {b unknown rescue 3 1}]",
		},
		{
			"no rescue column",
			contract.Policy{NoRescue: true},
			[]string{"a: int", "s: struct<b:int>"},
			0,
			[]string{`{"a":"x"}`, `{"a":1,"new":2}`, `{"A":1,"a":2}`, `{"a":1,"a":2}`, `{"s":{"b":[]}}`, `{"s":{"b":3}}`},
			"∅ | {b:3}",
			"1@0 E0409 {\"a\":\"x\"}: a: found \"x\", want int\n" +
				"2@10 E0409 {\"a\":1,\"new\":2}: new: found 2, want a column that takes it (there is no rescue column)\n" +
				"3@26 E0409 {\"A\":1,\"a\":2}: A: found 1, want one casing of the name (there is no rescue column)\n" +
				"4@40 E0409 {\"a\":1,\"a\":2}: a: found the name twice, want each name once\n" +
				"5@54 E0409 {\"s\":{\"b\":[]}}: s.b: found [], want int",
			"[{a type:int quarantine 1 1} {s.b type:int quarantine 5 1} {new unknown quarantine 2 1} {A of a case quarantine 3 1} {a duplicate quarantine 4 1}]",
		},
		{
			"a column that may not be null",
			contract.Policy{},
			[]string{"a: int", "b: string"},
			1,
			[]string{`{"a":1}`, `{"a":null}`, `{"b":1}`, `{"a":"x"}`, `{}`, `7`, `{"a":2}`},
			"1 | ∅ | ∅\n2 | ∅ | ∅",
			"2@8 E0505 {\"a\":null}: a: found no value in a column that may not be null\n" +
				"3@19 E0505 {\"b\":1}: a: found no value in a column that may not be null\n" +
				"4@27 E0505 {\"a\":\"x\"}: a: found \"x\", want int: the column may not be null\n" +
				"5@37 E0505 {}: a: found no value in a column that may not be null\n" +
				"6@40 E0505 7: a: found no value in a column that may not be null",
			"[{a null quarantine 2 4} {a type:int quarantine 4 1}]",
		},
		{
			"a field that may not be null",
			contract.Policy{},
			[]string{"a: int", "s: struct<x:int not null>", "l: array<struct<x:int not null>>"},
			0,
			[]string{`{"s":{"x":null}}`, `{"s":null}`, `{"s":{}}`, `{"s":{"x":1},"l":[{"x":1}]}`, `{"l":[{"x":1},{}]}`},
			"∅ | ∅ | ∅ | ∅\n∅ | {x:1} | [{x:1}] | ∅",
			"1@0 E0505 {\"s\":{\"x\":null}}: s.x: found no value in a column that may not be null\n" +
				"3@28 E0505 {\"s\":{}}: s.x: found no value in a column that may not be null\n" +
				"5@65 E0505 {\"l\":[{\"x\":1},{}]}: l.element.x: found no value in a column that may not be null",
			"[{s.x null quarantine 1 2} {l.element.x null quarantine 5 1}]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, table := agreed(t, c.policy, c.columns...)
			if c.notNull > 0 {
				table.Fields[c.notNull-1].Nullable = false
			}
			f, err := conform.New(v, c.policy, table, treeObject("a.json"))
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := f.Fit(trees(t, c.records...))
			if err != nil {
				t.Fatal(err)
			}
			check(t, "rows", rows(t, table, fitted.Batch), c.rows)
			check(t, "out", outs(fitted.Out), c.out)
			check(t, "misfits", misfits(f), c.misfits)
		})
	}
}

// Without a rescue column a row with a value that has no column is kept out,
// unless somebody chose to ignore new columns, or the mode none.
func TestWithoutRescueColumn(t *testing.T) {
	records := []string{
		`{"a":"1","":5}`, `{"a":"2","v":{}}`, `{"a":"3","s":{"":7,"z":1}}`, `{"a":"4","_rescued_data":9}`,
		`{"a":"5","v":null,"x":null}`, `{"a":"6","s":{"Z":1,"z":2}}`, `{"a":"7","old":1}`,
	}
	const out = "1@0 E0409 {\"a\":\"1\",\"\":5}: ``: found 5, want a column that takes it (there is no rescue column)\n" +
		"2@15 E0409 {\"a\":\"2\",\"v\":{}}: v: found {}, want a column that takes it (there is no rescue column)\n" +
		"3@32 E0409 {\"a\":\"3\",\"s\":{\"\":7,\"z\":1}}: s.``: found 7, want a column that takes it (there is no rescue column)\n" +
		"4@59 E0409 {\"a\":\"4\",\"_rescued_data\":9}: _rescued_data: found 9, want a column that takes it (there is no rescue column)\n" +
		"6@115 E0409 {\"a\":\"6\",\"s\":{\"Z\":1,\"z\":2}}: s.Z: found 1, want one casing of the name (there is no rescue column)\n" +
		"7@143 E0409 {\"a\":\"7\",\"old\":1}: old: found 1, want a column that takes it (there is no rescue column)"
	for _, preset := range []string{"", contract.RescueMode, contract.AddNewColumns, contract.NoEvolution} {
		p := contract.Policy{NoRescue: true, Preset: preset}
		if preset == contract.RescueMode {
			p.Kinds = map[event.Kind]string{event.ColumnAdded: "rescue"}
		}
		v, table := agreed(t, p, "a: string", "s: struct<z:bigint>", "v: void")
		v.Columns = append(v.Columns, contract.Column{Name: "old", Original: "old", Type: "string", Retired: true})
		f, err := conform.New(v, p, table, treeObject("a.json"))
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := f.Fit(trees(t, records...))
		if err != nil {
			t.Fatal(err)
		}
		if preset == contract.NoEvolution {
			if fitted.Counts.Rows != 7 || fitted.Counts.Ignored != 6 {
				t.Errorf("%+v", fitted.Counts)
			}
			continue
		}
		check(t, "out", outs(fitted.Out), out)
	}
}

func TestFieldsWithoutRescueColumn(t *testing.T) {
	const none = ", want a column that takes it (there is no rescue column)"
	for _, c := range []struct {
		name, path string
		header     []string
		ignore     bool
		out        string
	}{
		{"two casings", "a.csv", []string{"id", "x", "X"}, false, `2@10 E0409 3,4,LOST: X: found "LOST", want one casing of the name (there is no rescue column)`},
		{"a new column", "a.csv", []string{"id", "x", "y"}, false, `2@10 E0409 3,4,LOST: y: found "LOST"` + none},
		{"a new column that is ignored", "a.csv", []string{"id", "x", "y"}, true, ``},
		{"a reserved name", "a.csv", []string{"id", "x", "_source_file"}, true, `2@10 E0409 3,4,LOST: _source_file: found "LOST"` + none},
		{"another value than the folder's", "dt=5/a.csv", []string{"id", "x", "dt"}, true, `2@10 E0409 3,4,LOST: dt: found "LOST", want the value of the folder (there is no rescue column)`},
		{"a folder without a column", "k=5/a.csv", []string{"id", "x", "dt"}, false, `1@0 E0409 1,2,∅: k: found "5" in its path` + none + "\n" + `2@10 E0409 3,4,LOST: k: found "5" in its path` + none},
		{"a folder that its column does not take", "dt=x/a.csv", []string{"id", "x", "_"}, true, `1@0 E0409 1,2,∅: dt: found "x" in its path, want int (there is no rescue column)` + "\n" +
			`2@10 E0409 3,4,LOST: dt: found "x" in its path, want int (there is no rescue column)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := contract.Policy{NoRescue: true, Preset: contract.RescueMode}
			if c.ignore {
				p.Kinds = map[event.Kind]string{event.ColumnAdded: "ignore"}
			}
			dt := "dt: string"
			if c.path == "dt=x/a.csv" {
				dt = "dt: int"
			}
			v, table := agreed(t, p, "id: string", "x: string", dt)
			f, err := conform.New(v, p, table, object(c.path, c.header...))
			if err != nil {
				t.Fatal(err)
			}
			s := slab(3, []string{"1", "2", null}, []string{"3", "4", "LOST"})
			s.Bad = []column.Bad{{Record: 9, Bytes: []byte("?"), Code: "E0401", Reason: "bad"}}
			fitted, err := f.Fit(s)
			if err != nil {
				t.Fatal(err)
			}
			out := strings.TrimSuffix(strings.TrimSuffix(outs(fitted.Out), "9@0 E0401 ?: bad"), "\n")
			check(t, "out", out, c.out)
		})
	}
}

func TestFieldsKeptOut(t *testing.T) {
	p := contract.Policy{
		Kinds:   map[event.Kind]string{event.RecordRagged: "quarantine"},
		Columns: map[string]map[event.Kind]string{"a": {event.ValueMisfit: "quarantine"}},
	}
	v, table := agreed(t, p, "a: int", "b: string", "c: int", "e: int")
	table.Fields[1].Nullable = false
	f, err := conform.New(v, p, table, object("a.csv", "a", "b", "c", "d"))
	if err != nil {
		t.Fatal(err)
	}
	s := slab(4, []string{"1", "x", "2", "3"}, []string{"?", "x", "2", "3"}, []string{"1", "x"}, []string{"1", null, "2", "3"},
		[]string{"1", "x", "2", "3", "4"}, []string{"4", "y", "#", null})
	fitted, err := f.Fit(s)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "rows", rows(t, table, fitted.Batch), `1 | x | 2 | ∅ | {"d":"3"`+csvTail+`1,"_why":{"d":"unknown"}}`+"\n"+
		`4 | y | ∅ | ∅ | {"c":"#"`+csvTail+`6,"_why":{"c":"type:int"}}`)
	check(t, "out", outs(fitted.Out), `2@10 E0409 ?,x,2,3: a: found "?", want int (policy value_misfit: quarantine)`+"\n"+
		"3@20 E0409 1,x: found 2 fields, want 4 (policy record_ragged: quarantine)\n"+
		"4@30 E0505 1,∅,2,3: b: found no value in a column that may not be null\n"+
		"5@40 E0409 1,x,2,3,4: found 5 fields, want 4 (policy record_ragged: quarantine)")
	if want := (conform.Counts{Rows: 2, Cells: 8, Typed: 5, Null: 1, Rescued: 2}); fitted.Counts != want {
		t.Errorf("got %+v, want %+v", fitted.Counts, want)
	}

	table.Fields[3].Nullable = false // e, which the file does not have
	if f, err = conform.New(v, p, table, object("a.csv", "a", "b", "c", "d")); err != nil {
		t.Fatal(err)
	}
	fitted, err = f.Fit(slab(4, []string{"1", "x", "2", "3"}))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "out", outs(fitted.Out), "1@0 E0505 1,x,2,3: e: found no value in a column that may not be null")
	if fitted.Batch.Rows != 0 {
		t.Errorf("%d rows", fitted.Batch.Rows)
	}
}

func TestFail(t *testing.T) {
	for _, c := range []struct {
		kind event.Kind
		json string
		want string
	}{
		{event.ValueMisfit, `{"a":{"b":["` + strings.Repeat("long", 30) + `"]}}`, `a.json:1: a.b.element: found "` + strings.Repeat("long", 19) + `lon…, want int (policy value_misfit: fail) [E0701]`},
		{event.KeyDuplicate, `{"a":{"b":null,"b":[]}}`, "∅"},
		{event.KeyDuplicate, `{"a":{"b":[1],"b":[]}}`, `a.json:1: a.b: found the name twice, want each name once (policy key_duplicate: fail) [E0701]`},
	} {
		p := contract.Policy{Kinds: map[event.Kind]string{c.kind: "fail"}}
		v, table := agreed(t, p, "a: struct<b:array<int>>")
		f, err := conform.New(v, p, table, treeObject("a.json"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Fit(trees(t, c.json))
		got := null
		if err != nil {
			got = err.Error()
		}
		check(t, c.json, got, c.want)
	}
}

func TestMalformedRecords(t *testing.T) {
	bad := []column.Bad{
		{Record: 2, Line: 2, Offset: 8, Length: 5, Bytes: []byte(`{"a":`), Reason: "it ends too soon", Code: "E0401"},
		{Record: 4, Line: 4, Offset: 20, Length: 2, Bytes: []byte("\xff{"), Reason: "no text", Code: "E0406"},
		{Record: 5, Line: 5, Offset: 30, Length: 1 << 30, Reason: "too long", Code: "E0405"},
	}
	const all = "2@8 E0401 {\"a\":: it ends too soon\n4@20 E0406 \xff{: no text\n5@30 E0405 : too long"
	for _, c := range []struct {
		name    string
		policy  contract.Policy
		columns []string
		notNull bool
		rows    string
		out     string
		dropped int64
		err     string
	}{
		{name: "quarantine", columns: []string{"a: int"}, rows: "1 | ∅\n3 | ∅", out: all},
		{
			name: "Auto Loader's", policy: contract.Policy{Preset: contract.AddNewColumns}, columns: []string{"a: int", "s: string"},
			rows: "1 | ∅ | ∅\n3 | ∅ | ∅\n" +
				`∅ | ∅ | {"_corrupt_record":"{\"a\":","_file_path":"file:///a.json","_record":2,"_byte_offset":8,"_why":{"_corrupt_record":"malformed"}}` + "\n" +
				`∅ | ∅ | {"_corrupt_record":{"$base64":"/3s="},"_file_path":"file:///a.json","_record":4,"_byte_offset":20,"_why":{"_corrupt_record":"malformed"}}`,
			out: "5@30 E0405 : too long",
		},
		{
			name: "a column of its own", columns: []string{"_corrupt_record: string", "a: int"},
			rows: "∅ | 1 | ∅\nx | 3 | ∅\n{\"a\": | ∅ | ∅\n" +
				`∅ | ∅ | {"_corrupt_record":{"$base64":"/3s="},"_file_path":"file:///a.json","_record":4,"_byte_offset":20,"_why":{"_corrupt_record":"malformed"}}`,
			out: "5@30 E0405 : too long",
		},
		{
			name: "a column that may not be null", policy: contract.Policy{Preset: contract.AddNewColumns}, columns: []string{"a: int"}, notNull: true,
			rows: "1 | ∅\n3 | ∅", out: all,
		},
		{
			name: "drop", policy: contract.Policy{Kinds: map[event.Kind]string{event.RecordMalformed: "drop"}}, columns: []string{"a: int"},
			rows: "1 | ∅\n3 | ∅", dropped: 3,
		},
		{
			name: "fail", policy: contract.Policy{Kinds: map[event.Kind]string{event.RecordMalformed: "fail"}}, columns: []string{"a: int"},
			err: "a.json:2: it ends too soon (policy record_malformed: fail) [E0701]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, table := agreed(t, c.policy, c.columns...)
			table.Fields[0].Nullable = !c.notNull
			f, err := conform.New(v, c.policy, table, treeObject("a.json"))
			if err != nil {
				t.Fatal(err)
			}
			records := []string{`{"a":1}`, `{"a":3}`}
			if c.name == "a column of its own" {
				records[1] = `{"a":3,"_corrupt_record":"x"}`
			}
			s := trees(t, records...)
			s.Records[1], s.Bad = 3, bad
			fitted, err := f.Fit(s)
			if c.err != "" {
				check(t, "error", fmt.Sprint(err), c.err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			check(t, "rows", rows(t, table, fitted.Batch), c.rows)
			check(t, "out", outs(fitted.Out), c.out)
			if fitted.Counts.Dropped != c.dropped || fitted.Counts.Malformed != fitted.Counts.Rows-2 {
				t.Errorf("got %+v", fitted.Counts)
			}
		})
	}
}

// Malformed records of flat input stand behind the columns, which stay where
// they are.
func TestMalformedBesideFields(t *testing.T) {
	p := contract.Policy{Kinds: map[event.Kind]string{event.RecordMalformed: "rescue"}}
	v, table := agreed(t, p, "a: string", "b: int", "_corrupt_record: string")
	f, err := conform.New(v, p, table, object("k=1/a.csv", "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	s := slab(2, []string{"x", "1"})
	s.Bad = []column.Bad{{Record: 2, Bytes: []byte(`"`), Code: string(diag.RecordMalformed)}}
	fitted, err := f.Fit(s)
	if err != nil {
		t.Fatal(err)
	}
	const why = `{"k":"1","_file_path":"file:///k=1/a.csv","_record":`
	check(t, "rows", rows(t, table, fitted.Batch), "x | 1 | ∅ | "+why+`1,"_why":{"k":"unknown"}}`+"\n"+`∅ | ∅ | " | `+why+`2,"_why":{"k":"unknown"}}`)
	if want := (conform.Counts{Rows: 2, Cells: 5, Typed: 3, Rescued: 2, Malformed: 1}); fitted.Counts != want {
		t.Errorf("got %+v, want %+v", fitted.Counts, want)
	}
	if n := len(s.Fields[0].Spans); n != 1 {
		t.Errorf("the slab's own column has %d values", n)
	}
}
