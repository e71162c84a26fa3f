package conform_test

import (
	"testing"
	"time"

	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
	"landfall/internal/value"
)

const csvTail = `,"_file_path":"file:///a.csv","_record":`

func TestTypedFields(t *testing.T) {
	for _, c := range []struct {
		name    string
		policy  contract.Policy
		columns []string
		header  []string
		records [][]string
		rows    string
		counts  conform.Counts
	}{
		{
			"O3: codes keep their zeros",
			contract.Policy{},
			[]string{"id: bigint", "zip: string"},
			[]string{"id", "zip"},
			[][]string{{"1", "02134"}, {"2", "90210"}, {"003", "0"}},
			"1 | 02134 | ∅\n2 | 90210 | ∅\n" + `∅ | 0 | {"id":"003"` + csvTail + `3,"_why":{"id":"type:bigint"}}`,
			conform.Counts{Rows: 3, Cells: 6, Typed: 5, Rescued: 1},
		},
		{
			"O17: an outlier",
			contract.Policy{},
			[]string{"c: bigint"},
			[]string{"c"},
			[][]string{{"1"}, {"2.5"}, {"n/a"}, {"4.0"}, {null}, {""}},
			"1 | ∅\n" + `∅ | {"c":"2.5"` + csvTail + `2,"_why":{"c":"type:bigint"}}` + "\n" +
				`∅ | {"c":"n/a"` + csvTail + `3,"_why":{"c":"type:bigint"}}` + "\n4 | ∅\n∅ | ∅\n" +
				`∅ | {"c":""` + csvTail + `6,"_why":{"c":"type:bigint"}}`,
			conform.Counts{Rows: 6, Cells: 6, Typed: 2, Null: 1, Rescued: 3},
		},
		{
			"O18: ids that look like numbers",
			contract.Policy{},
			[]string{"a: double", "b: string"},
			[]string{"a", "b"},
			[][]string{{"1e5", "1e5"}, {"0047583311587E590003", "39e1804"}, {"1.5E-7", "1E0"}},
			`∅ | 1e5 | {"a":"1e5"` + csvTail + `1,"_why":{"a":"type:double"}}` + "\n" +
				`∅ | 39e1804 | {"a":"0047583311587E590003"` + csvTail + `2,"_why":{"a":"type:double"}}` + "\n1.5e-07 | 1E0 | ∅",
			conform.Counts{Rows: 3, Cells: 6, Typed: 4, Rescued: 2},
		},
		{
			"O22: NA is Namibia",
			contract.Policy{},
			[]string{"iso2: string", "n: int"},
			[]string{"iso2", "n"},
			[][]string{{"NA", "NA"}, {null, null}, {"", "1"}},
			`NA | ∅ | {"n":"NA"` + csvTail + `1,"_why":{"n":"type:int"}}` + "\n∅ | ∅ | ∅\n | 1 | ∅",
			conform.Counts{Rows: 3, Cells: 6, Typed: 3, Null: 2, Rescued: 1},
		},
		{
			"O25: ragged records",
			contract.Policy{},
			[]string{"name: string", "age: bigint", "city: string"},
			[]string{"name", "age", "city"},
			[][]string{{"Alice", "25", "Rome"}, {"Bob", "30", "Milan", "EXTRA"}, {"Carl", "41"}},
			"Alice | 25 | Rome | ∅\n" + `Bob | 30 | Milan | {"_c3":"EXTRA"` + csvTail + `2,"_why":{"_c3":"ragged"}}` + "\nCarl | 41 | ∅ | ∅",
			conform.Counts{Rows: 3, Cells: 10, Typed: 8, Null: 1, Rescued: 1, RaggedShort: 1, RaggedLong: 1},
		},
		{
			"every type",
			contract.Policy{},
			[]string{
				"b: boolean", "y: tinyint", "s: smallint", "i: int", "f: float", "d: decimal(5,2)",
				"w: decimal(38,10)", "x: binary", "t: date", "z: timestamp", "n: timestamp_ntz", "l: array<int>",
			},
			[]string{"b", "y", "s", "i", "f", "d", "w", "x", "t", "z", "n", "l"},
			[][]string{
				{
					"TRUE", "-128", "32767", "-2147483648", "0.5", "-123.45", "-1234567890123456789012345678.0000000001", "ñ",
					"2024-02-29", "2026-11-30T10:00:00.123456+02:00", "2026-11-30 10:00", null,
				},
				{"1", "128", "-32769", "2147483648", "0.123456789", "1.234", "1e5", "", "2023-02-29", "x", "2026-11-30T10:00:00Z", "[1]"},
			},
			"true | -128 | 32767 | -2147483648 | 0.5 | -2469/20 | -12345678901234567890123456780000000001/10000000000 | ñ | " +
				"2024-02-29 | 2026-11-30T08:00:00.123456 | 2026-11-30T10:00:00 | ∅ | ∅\n" +
				`∅ | ∅ | ∅ | ∅ | ∅ | ∅ | ∅ |  | ∅ | ∅ | ∅ | ∅ | {"b":"1","y":"128","s":"-32769","i":"2147483648","f":"0.123456789","d":"1.234","w":"1e5",` +
				`"t":"2023-02-29","z":"x","n":"2026-11-30T10:00:00Z","l":"[1]"` + csvTail + `2,"_why":{"b":"type:boolean","y":"type:tinyint","s":"type:smallint",` +
				`"i":"type:int","f":"type:float","d":"type:decimal(5,2)","w":"type:decimal(38,10)","t":"type:date","z":"type:timestamp",` +
				`"n":"type:timestamp_ntz","l":"type:array<int>"}}`,
			conform.Counts{Rows: 2, Cells: 24, Typed: 12, Null: 1, Rescued: 11},
		},
		{
			"a column without a type",
			contract.Policy{},
			[]string{"a: string", "b: void"},
			[]string{"b", "a"},
			[][]string{{null, "x"}, {"y", null}},
			"x | ∅\n" + `∅ | {"b":"y"` + csvTail + `2,"_why":{"b":"type:void"}}`,
			conform.Counts{Rows: 2, Cells: 4, Typed: 1, Null: 2, Rescued: 1},
		},
		{
			"misfits that are null",
			contract.Policy{Kinds: map[event.Kind]string{event.ValueMisfit: "rescue"}, Columns: map[string]map[event.Kind]string{"a": {event.ValueMisfit: "null"}}},
			[]string{"A: int", "b: int"},
			[]string{"A", "b"},
			[][]string{{"x", "y"}},
			`∅ | ∅ | {"b":"y"` + csvTail + `1,"_why":{"b":"type:int"}}`,
			conform.Counts{Rows: 1, Cells: 2, Rescued: 1, Ignored: 1},
		},
		{
			"names with dots",
			contract.Policy{Preset: contract.RescueMode},
			[]string{"a.b: int"},
			[]string{"a.b", "c.d", "e f"},
			[][]string{{"x", "y", "z"}},
			`∅ | {"a.b":"x","c.d":"y","e f":"z"` + csvTail + "1,\"_why\":{\"`a.b`\":\"type:int\",\"`c.d`\":\"unknown\",\"e f\":\"unknown\"}}",
			conform.Counts{Rows: 1, Cells: 3, Rescued: 3},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, table := agreed(t, c.policy, c.columns...)
			f, err := conform.New(v, c.policy, table, object("a.csv", c.header...))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second uses the buffers again
				fitted, err := f.Fit(slab(len(c.header), c.records...))
				if err != nil {
					t.Fatal(err)
				}
				check(t, c.name, rows(t, table, fitted.Batch), c.rows)
				if fitted.Counts != c.counts {
					t.Errorf("got %+v, want %+v", fitted.Counts, c.counts)
				}
			}
		})
	}
}

// A folder's value is one of its column's type, by the rules for CSV.
func TestTypedFolders(t *testing.T) {
	v, table := agreed(t, contract.Policy{}, "d: date", "n: bigint", "i: int", "x: timestamp", "s: struct<a:int>")
	path := "d=2026-11-30/n=5/i=7/x=2026-11-30/s=1/"
	url := `,"_file_path":"file:///` + path
	f, err := conform.New(v, contract.Policy{}, table, object(path+"a.csv", "d", "n", "i", "x", "s"))
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := f.Fit(slab(5, []string{"2026-11-30", "5.0", "7", "2026-11-30T00:00:00Z", "1"}, []string{"2026-11-29", "6", "007", null, null}))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC).UnixMicro()
	check(t, "rows", rows(t, table, fitted.Batch), "2026-11-30 | 5 | 7 | "+show(at)+" | ∅ | "+
		`{"s":"1","s#2":"1"`+url+`a.csv","_record":1,"_why":{"s":"partition","s#2":"type:struct<a:int>"}}`+"\n"+
		"2026-11-30 | 5 | 7 | "+show(at)+" | ∅ | "+
		`{"d":"2026-11-29","n":"6","i":"007","s#2":"1"`+url+`a.csv","_record":2,"_why":{"d":"partition","n":"partition","i":"partition","s#2":"type:struct<a:int>"}}`)
	if want := (conform.Counts{Rows: 2, Cells: 12, Typed: 4, Null: 2, Rescued: 6}); fitted.Counts != want {
		t.Errorf("got %+v, want %+v", fitted.Counts, want)
	}

	if f, err = conform.New(v, contract.Policy{}, table, treeObject(path+"a.json")); err != nil {
		t.Fatal(err)
	}
	fitted, err = f.Fit(trees(t, `{"d":"2026-11-30","n":5,"i":"7","x":null,"s":{"a":1}}`, `{"D":1,"n":[5],"s":null}`))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "trees", rows(t, table, fitted.Batch), "2026-11-30 | 5 | 7 | "+show(at)+" | ∅ | "+
		`{"s":{"a":1},"s#2":"1"`+url+`a.json","_record":1,"_why":{"s":"partition","s#2":"type:struct<a:int>"}}`+"\n"+
		"2026-11-30 | 5 | 7 | "+show(at)+" | ∅ | "+
		`{"D":1,"n":[5],"s":"1"`+url+`a.json","_record":2,"_why":{"D":"partition","n":"partition","s":"type:struct<a:int>"}}`)
	if want := (conform.Counts{Rows: 2, Cells: 10, Typed: 3, Null: 2, Rescued: 5}); fitted.Counts != want {
		t.Errorf("got %+v, want %+v", fitted.Counts, want)
	}
}

// Digits beyond the microsecond go, are rescued, or stop the run.
func TestTruncatedValues(t *testing.T) {
	const exact, longer = "2026-11-30T10:00:00.123456000Z", "2026-11-30T10:00:00.123456789Z"
	for action, want := range map[string]string{
		"land": "2026-11-30T10:00:00.123456 | ∅\n2026-11-30T10:00:00.123456 | ∅",
		"rescue": "2026-11-30T10:00:00.123456 | ∅\n∅ | " +
			`{"t":"` + longer + `"` + csvTail + `2,"_why":{"t":"type:timestamp"}}`,
		"fail": "a.csv:2: t: found \"" + longer + "\", want digits to the microsecond (policy value_truncated: fail) [E0701]",
	} {
		p := contract.Policy{Kinds: map[event.Kind]string{event.ValueTruncated: action}}
		v, table := agreed(t, p, "t: timestamp")
		f, err := conform.New(v, p, table, object("a.csv", "t"))
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := f.Fit(slab(1, []string{exact}, []string{longer}))
		if err != nil {
			check(t, action, err.Error(), want)
			continue
		}
		check(t, action, rows(t, table, fitted.Batch), want)
		if got := len(f.Remarks()); (got == 1) != (action == "land") {
			t.Errorf("%s: %d remarks", action, got)
		}
	}
}

// Values are read in the forms of their source.
func TestForms(t *testing.T) {
	zone := time.FixedZone("", 3600)
	v, table := agreed(t, contract.Policy{}, "t: timestamp", "n: timestamp_ntz", "d: double")
	o := object("a.csv", "t", "n", "d")
	o.Forms = &value.Forms{Zone: zone, NaN: "nix"}
	f, err := conform.New(v, contract.Policy{}, table, o)
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := f.Fit(slab(3, []string{"2026-11-30 10:00", "2026-11-30 10:00", "nix"}))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "rows", rows(t, table, fitted.Batch), "2026-11-30T09:00:00 | 2026-11-30T10:00:00 | NaN | ∅")
}

// A column that a rollback retired stays in the table, and takes nothing.
func TestRetiredColumns(t *testing.T) {
	p := contract.Policy{Kinds: map[event.Kind]string{event.ColumnAdded: "ignore"}}
	v, table := agreed(t, p, "a: int", "b: int")
	v.Columns[1].Retired = true
	table.Fields[1] = schema.Field{Name: "b", Type: schema.Integer, Nullable: true}
	f, err := conform.New(v, p, table, object("a.csv", "a", "B", "c"))
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := f.Fit(slab(3, []string{"1", "2", "3"}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `1 | ∅ | {"B":"2"` + csvTail + `1,"_why":{"B":"unknown"}}`
	check(t, "fields", rows(t, table, fitted.Batch), want)
	o := treeObject("a.json")
	o.URL = "file:///a.csv"
	if f, err = conform.New(v, p, table, o); err != nil {
		t.Fatal(err)
	}
	if fitted, err = f.Fit(trees(t, `{"a":1,"B":"2","c":{}}`)); err != nil {
		t.Fatal(err)
	}
	check(t, "trees", rows(t, table, fitted.Batch), want)
}
