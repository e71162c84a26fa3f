package conform_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// slab cuts records into a slab of that width, as a scanner would; ∅ is null.
func slab(width int, records ...[]string) *column.Slab {
	s := &column.Slab{Fields: make([]column.Text, width)}
	for row, record := range records {
		s.Records = append(s.Records, int64(row+1))
		from := len(s.Data)
		s.Data = append(s.Data, strings.Join(record, ",")...)
		s.Where = append(s.Where, column.Where{
			Offset: int64(10 * row), Line: int64(row + 1), From: uint32(from), To: uint32(len(s.Data)),
		})
		for i := range s.Fields {
			if i < len(record) && record[i] != null {
				s.Fields[i].AppendValue([]byte(record[i]))
			} else {
				s.Fields[i].AppendNull()
			}
		}
		if len(record) == width {
			continue
		}
		r := column.Ragged{Row: row, Have: len(record)}
		for _, value := range record[min(width, len(record)):] {
			if value == null {
				r.Extra = append(r.Extra, nil)
			} else {
				r.Extra = append(r.Extra, []byte(value))
			}
		}
		s.Ragged = append(s.Ragged, r)
	}
	return s
}

func landed(t *testing.T, p contract.Policy, headers ...string) (contract.Version, schema.Struct) {
	t.Helper()
	var v contract.Version
	for i, h := range headers {
		path, header, _ := strings.Cut(h, ": ")
		keys, _ := contract.Folders(path)
		names := strings.Split(header, ",")
		ev := evolution.Evidence{Objects: []contract.ObjectEvidence{{Path: path, Header: names, Partitions: keys, Evidence: texts(names)}}}
		r, err := evolution.Evolve(v, ev, p, nil)
		if err != nil {
			t.Fatalf("header %d: %v", i, err)
		}
		v = r.Version
	}
	table, err := contract.TableSchema(v, p)
	if err != nil {
		t.Fatal(err)
	}
	return v, table
}

// texts is the evidence of a file in which all values are text.
func texts(header []string) column.Evidence {
	var e column.Evidence
	for _, name := range header {
		e.Fields = append(e.Fields, column.FieldEvidence{Name: name, First: 1, Evidence: column.Evidence{
			Bare: []column.Seen{{Class: value.Text, Count: 1, First: 1}},
		}})
	}
	return e
}

func object(path string, header ...string) conform.Object {
	_, folders := contract.Folders(path)
	return conform.Object{Path: path, URL: "file:///" + path, Header: header, Partitions: folders, IngestedAt: time.UnixMicro(7)}
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		name    string
		policy  contract.Policy
		headers []string
		object  conform.Object
		records [][]string
		rows    string
		counts  conform.Counts
	}{
		{
			"another order",
			contract.Policy{},
			[]string{"a.csv: NAME,AGE"},
			object("b.csv", "AGE", "name"),
			[][]string{{"54", "Sam"}, {null, ""}},
			"Sam | 54 | ∅\n | ∅ | ∅",
			conform.Counts{Rows: 2, Cells: 4, Typed: 3, Null: 1},
		},
		{
			"a missing column",
			contract.Policy{},
			[]string{"a.csv: a,b"},
			object("b.csv", "b"),
			[][]string{{"1"}},
			"∅ | 1 | ∅",
			conform.Counts{Rows: 1, Cells: 1, Typed: 1},
		},
		{
			"ragged records",
			contract.Policy{},
			[]string{"p.csv: name,age,city"},
			object("p.csv", "name", "age", "city"),
			[][]string{{"Alice", "25", "Rome"}, {"Bob", "30", "Milan", "EXTRA", null, "x"}, {"Carl", "41"}},
			"Alice | 25 | Rome | ∅\n" +
				`Bob | 30 | Milan | {"_c3":"EXTRA","_c5":"x","_file_path":"file:///p.csv","_record":2,"_why":{"_c3":"ragged","_c5":"ragged"}}` + "\n" +
				"Carl | 41 | ∅ | ∅",
			conform.Counts{Rows: 3, Cells: 12, Typed: 8, Null: 2, Rescued: 2, RaggedShort: 1, RaggedLong: 1},
		},
		{
			"a field past the header named as one in it",
			contract.Policy{Preset: "rescue"},
			[]string{"p.csv: a"},
			object("q.csv", "a", "_c2"),
			[][]string{{"1", "2", "3"}},
			`1 | {"_c2":"2","_c2#2":"3","_file_path":"file:///q.csv","_record":1,"_why":{"_c2":"unknown","_c2#2":"ragged"}}`,
			conform.Counts{Rows: 1, Cells: 3, Typed: 1, Rescued: 2, RaggedLong: 1},
		},
		{
			"two casings",
			contract.Policy{},
			[]string{"a.csv: UserUPN"},
			object("b.csv", "UserUpn", "UserUPN"),
			[][]string{{null, "x"}, {"y", "z"}},
			"x | ∅\n" +
				`z | {"UserUpn":"y","_file_path":"file:///b.csv","_record":2,"_why":{"UserUpn":"case"}}`,
			conform.Counts{Rows: 2, Cells: 4, Typed: 2, Null: 1, Rescued: 1},
		},
		{
			"equal names",
			contract.Policy{},
			[]string{"a.csv: x,x,x_2,x"},
			object("a.csv", "x", "x", "x_2", "x"),
			[][]string{{"1", "2", "3", "4"}},
			"1 | 2 | 3 | 4 | ∅",
			conform.Counts{Rows: 1, Cells: 4, Typed: 4},
		},
		{
			"names of ours",
			contract.Policy{},
			[]string{"a.csv: a"},
			object("b.csv", "a", "_rescued_data", "_source_file"),
			[][]string{{"1", "2", null}},
			`1 | {"_field:_rescued_data":"2","_file_path":"file:///b.csv","_record":1,"_why":{"_field:_rescued_data":"unknown"}}`,
			conform.Counts{Rows: 1, Cells: 3, Typed: 1, Null: 1, Rescued: 1},
		},
		{
			"keys of the rescue column",
			contract.Policy{Preset: "rescue"},
			[]string{"a.csv: a"},
			object("b.csv", "a", "_why", "_field:_why", `q"`),
			[][]string{{"1", "2", "3", "\xff"}},
			`1 | {"_field:_why":"2","_field:_field:_why":"3","q\"":{"$base64":"/w=="},"_file_path":"file:///b.csv","_record":1,` +
				`"_why":{"_field:_why":"unknown","_field:_field:_why":"unknown","q\"":"unknown"}}`,
			conform.Counts{Rows: 1, Cells: 4, Typed: 1, Rescued: 3},
		},
		{
			"a folder against a field",
			contract.Policy{},
			[]string{"dt=1/a.csv: DT,x"},
			object("dt=1/a.csv", "DT", "x"),
			[][]string{{"1", "a"}, {"2", "b"}, {null, "c"}},
			"1 | a | ∅\n" +
				`1 | b | {"DT":"2","_file_path":"file:///dt=1/a.csv","_record":2,"_why":{"DT":"partition"}}` + "\n" +
				"1 | c | ∅",
			conform.Counts{Rows: 3, Cells: 6, Typed: 4, Null: 1, Rescued: 1},
		},
		{
			"folders of one key",
			contract.Policy{},
			[]string{"k=1/a.csv: k,x"},
			object("k=1/K=__HIVE_DEFAULT_PARTITION__/K=3/k=2/x=9/k=2/a.csv", "k", "x"),
			[][]string{{"5", "9"}, {null, null}},
			`2 | 9 | {"k":"5","k#2":"1","K":"3","_file_path":"file:///k=1/K=__HIVE_DEFAULT_PARTITION__/K=3/k=2/x=9/k=2/a.csv","_record":1,` +
				`"_why":{"k":"partition","k#2":"partition","K":"partition"}}` + "\n" +
				`2 | 9 | {"k#2":"1","K":"3","_file_path":"file:///k=1/K=__HIVE_DEFAULT_PARTITION__/K=3/k=2/x=9/k=2/a.csv","_record":2,` +
				`"_why":{"k#2":"partition","K":"partition"}}`,
			conform.Counts{Rows: 2, Cells: 8, Typed: 1, Null: 2, Rescued: 5},
		},
		{
			"folders named as ours",
			contract.Policy{},
			[]string{"a.csv: x"},
			object("_rescued_data=1/_why=2/=3/a.csv", "x"),
			[][]string{{"a"}},
			`a | {"_field:_rescued_data":"1","_field:_why":"2","_file_path":"file:///_rescued_data=1/_why=2/=3/a.csv","_record":1,` +
				`"_why":{"_field:_rescued_data":"unknown","_field:_why":"unknown"}}`,
			conform.Counts{Rows: 1, Cells: 3, Typed: 1, Rescued: 2},
		},
		{
			"new folders that are ignored",
			contract.Policy{Kinds: map[event.Kind]string{event.ColumnAdded: "ignore"}},
			[]string{"dt=1/a.csv: x"},
			object("dt=1/n=1/dt=2/a.csv", "x"),
			[][]string{{"a"}},
			`a | 2 | {"dt":"1","_file_path":"file:///dt=1/n=1/dt=2/a.csv","_record":1,"_why":{"dt":"partition"}}`,
			conform.Counts{Rows: 1, Cells: 3, Typed: 1, Rescued: 1, Ignored: 1},
		},
		{
			"a null folder",
			contract.Policy{},
			[]string{"dt=1/a.csv: x"},
			object("dt=__HIVE_DEFAULT_PARTITION__/a.csv", "x"),
			[][]string{{"a"}},
			"a | ∅ | ∅",
			conform.Counts{Rows: 1, Cells: 1, Typed: 1},
		},
		{
			"ignored columns",
			contract.Policy{Kinds: map[event.Kind]string{event.ColumnAdded: "ignore"}},
			[]string{"a.csv: a"},
			object("b.csv", "a", "b", "A"),
			[][]string{{"1", "2", "3"}, {"4", null, null}},
			`1 | {"A":"3","_file_path":"file:///b.csv","_record":1,"_why":{"A":"case"}}` + "\n" +
				"4 | ∅",
			conform.Counts{Rows: 2, Cells: 6, Typed: 2, Null: 2, Rescued: 1, Ignored: 1},
		},
		{
			"no rescue column",
			contract.Policy{Preset: "none"},
			[]string{"dt=1/a.csv: a"},
			object("dt=2/b.csv", "a", "b", "A", "dt"),
			[][]string{{"1", "2", "3", "4", "5"}},
			"1 | 2",
			conform.Counts{Rows: 1, Cells: 5, Typed: 1, Ignored: 4, RaggedLong: 1},
		},
	} {
		v, table := landed(t, c.policy, c.headers...)
		f, err := conform.New(v, c.policy, table, c.object)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		fitted, err := f.Fit(slab(len(c.object.Header), c.records...))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		check(t, c.name, rows(t, table, fitted.Batch), c.rows)
		if fitted.Counts != c.counts {
			t.Errorf("%s: got %+v, want %+v", c.name, fitted.Counts, c.counts)
		}
	}
}

// The table's owner may give a column another type or add columns of any.
func TestTableOfOthers(t *testing.T) {
	v, table := landed(t, contract.Policy{}, "dt=1/a.csv: a,b")
	table.Fields[0].Type = schema.Long
	table.Fields[2].Type = schema.Date // dt, of the folders
	table.Fields = append(table.Fields, schema.Field{Name: "theirs", Type: schema.Struct{}, Nullable: true})
	f, err := conform.New(v, contract.Policy{}, table, object("dt=1/a.csv", "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	s := slab(2, []string{"-7", "x"}, []string{"12b", null})
	fitted, err := f.Fit(s)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "rows", rows(t, table, fitted.Batch), `-7 | x | ∅ | {"dt":"1","_file_path":"file:///dt=1/a.csv","_record":1,"_why":{"dt":"type:date"}} | ∅`+"\n"+
		`∅ | ∅ | ∅ | {"a":"12b","dt":"1","_file_path":"file:///dt=1/a.csv","_record":2,"_why":{"a":"type:bigint","dt":"type:date"}} | ∅`)
	if want := (conform.Counts{Rows: 2, Cells: 6, Typed: 2, Null: 1, Rescued: 3}); fitted.Counts != want {
		t.Errorf("got %+v, want %+v", fitted.Counts, want)
	}
	check(t, "misfits", misfits(f), "[{a type:bigint rescue 2 1} {dt type:date rescue 1 2}]")
	if fitted.Batch.Columns[1].Text != &s.Fields[1] {
		t.Error("text was copied")
	}
}

func TestRefusals(t *testing.T) {
	v, table := landed(t, contract.Policy{}, "a.csv: a,b")
	o := object("b.csv", "a")
	with := func(i int, change func(*schema.Field)) schema.Struct {
		fields := append([]schema.Field(nil), table.Fields...)
		change(&fields[i])
		return schema.Struct{Fields: fields}
	}
	for _, c := range []struct {
		table schema.Struct
		want  string
	}{
		{schema.Struct{Fields: append(table.Fields, schema.Field{Name: "x", Type: schema.String})}, "b.csv: x: the table's column may not be null, and no value is known for it [E0505]"},
		{with(2, func(f *schema.Field) { f.Type = schema.Struct{} }), "b.csv: _rescued_data: the table's column is struct<>, want string [E0505]"},
		{with(4, func(f *schema.Field) { f.Type = schema.String }), "b.csv: _ingested_at: the table's column is string, want timestamp [E0505]"},
		{with(1, func(f *schema.Field) { f.Name = "c" }), "the table lacks columns of the contract: [b]"},
		{with(2, func(f *schema.Field) { f.Name = "c" }), "the table lacks the rescue column _rescued_data"},
	} {
		if _, err := conform.New(v, contract.Policy{}, c.table, o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}

	p := contract.Policy{Kinds: map[event.Kind]string{event.RecordRagged: "fail"}}
	f, err := conform.New(v, p, table, o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Fit(slab(1, []string{"1"}, []string{"1", "2"}))
	check(t, "ragged", fmt.Sprint(err), "b.csv:2: found 2 fields, want 1 (policy record_ragged: fail) [E0701]")
	if diag.CodeOf(err) != diag.PolicyFail {
		t.Errorf("got code %s", diag.CodeOf(err))
	}
}

func TestSlabsThatAreNone(t *testing.T) {
	v, table := landed(t, contract.Policy{}, "a.csv: a")
	f, err := conform.New(v, contract.Policy{}, table, object("a.csv", "a"))
	if err != nil {
		t.Fatal(err)
	}
	short, tangled := slab(1, []string{"1"}), slab(1, []string{"1", "2"}, []string{"1", "2"})
	short.Fields[0].Spans = nil
	tangled.Ragged[0], tangled.Ragged[1] = tangled.Ragged[1], tangled.Ragged[0]
	for _, s := range []*column.Slab{slab(2, []string{"1", "2"}), short, tangled} {
		if _, err := f.Fit(s); err == nil {
			t.Errorf("a slab was taken: %+v", s)
		}
	}
}
