package evolution_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// evidence reads one object a line: "path: field,field". Each field has a text.
func evidence(lines ...string) evolution.Evidence {
	var ev evolution.Evidence
	for _, line := range lines {
		path, header, _ := strings.Cut(line, ": ")
		keys, _ := contract.Folders(path)
		o := contract.ObjectEvidence{Path: path, Partitions: keys}
		if header != "" {
			o.Header = strings.Split(header, ",")
		}
		for _, name := range o.Header {
			o.Evidence.Fields = append(o.Evidence.Fields, column.FieldEvidence{
				Name: name, Evidence: column.Evidence{Bare: []column.Seen{{Class: value.Text, Count: 1, First: 1}}},
			})
		}
		ev.Objects = append(ev.Objects, o)
	}
	return ev
}

// columns writes a version as "stored=original …", a folder's column with /.
func columns(v contract.Version) string {
	var s []string
	for _, c := range v.Columns {
		text, original := c.Name, c.Original
		if c.K > 0 {
			original += fmt.Sprintf("#%d", c.K)
		}
		if c.Name != original {
			text += "=" + original
		}
		if c.Type != "string" {
			text += ":" + c.Type
		}
		if c.Partition {
			text += "/"
		}
		s = append(s, text)
	}
	return strings.Join(s, " ")
}

func drift(r evolution.Result) string {
	var s []string
	for _, d := range r.Drift {
		s = append(s, fmt.Sprintf("%s %s %s %s>%s %d %s %s", d.Kind, d.Column, d.File, d.From, d.To, d.Count, d.Decision, d.Policy))
	}
	return strings.Join(s, "\n")
}

func evolve(t *testing.T, v contract.Version, p contract.Policy, lines ...string) evolution.Result {
	t.Helper()
	r, err := evolution.Evolve(v, evidence(lines...), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
	}
}

func TestFirstLanding(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  string
		drift string
	}{
		{"other order", []string{"a.csv: NAME,AGE", "b.csv: AGE,NAME"}, "NAME AGE", `column_added NAME a.csv >string 2 add evolve
column_added AGE a.csv >string 2 add evolve
column_order  b.csv NAME, AGE>AGE, NAME 1 by_name evolve`},
		{
			"many layouts",
			[]string{"f1.csv: id,name", "f2.csv: id,city,name", "f3.csv: name,id", "f4.csv: id"},
			"id name city",
			`column_added id f1.csv >string 4 add evolve
column_added name f1.csv >string 3 add evolve
column_added city f2.csv >string 1 add evolve
column_order  f3.csv id, name>name, id 1 by_name evolve`,
		},
		{
			"casings of two files",
			[]string{"a.csv: UserUPN", "b.csv: UserUpn", "c.csv: UserUpn"},
			"UserUPN",
			`column_added UserUPN a.csv >string 3 add evolve
column_recased UserUPN b.csv UserUPN>UserUpn 2 fold evolve`,
		},
		{
			"casings in one file",
			[]string{"a.csv: a,A"},
			"a",
			`column_added a a.csv >string 1 add evolve
column_recased a a.csv a>A 1 rescue evolve`,
		},
		{
			"equal names",
			[]string{"a.csv: a,a_1,a", "b.csv: a,a_1,a"},
			"a a_1 a#2",
			`column_added a a.csv >string 2 add evolve
column_added a_1 a.csv >string 2 add evolve
column_added a#2 a.csv >string 2 add evolve
name_duplicate a#2 a.csv a>a#2 1 clean evolve`,
		},
		{"equal names beside a look-alike", []string{"a.csv: x,x,x#2,x"}, "x x#2_881e3bfc=x#2 x#2 x#3", ""},
		{"folders", []string{"dt=1/hour=00/a.csv: x,DT", "dt=1/hour=01/b.csv: x"}, "x DT/ hour/", ""},
		{"blank names", []string{"a.csv: ,x, "}, "_c0 x _c2", ""},
		{"space around", []string{"a.csv:  id ,n", "b.csv: id,n"}, "id n", ""},
		{
			"names of ours",
			[]string{"a.csv: id,_source_file,_Rescued_data"},
			"id",
			`column_added id a.csv >string 1 add evolve
column_added _source_file a.csv reserved> 1 rescue evolve
column_added _Rescued_data a.csv reserved> 1 rescue evolve`,
		},
		{"an empty file", []string{"dt=1/a.csv"}, "", ""},
	} {
		r := evolve(t, contract.Version{}, contract.Policy{}, c.files...)
		check(t, c.name, columns(r.Version), c.want)
		if c.drift != "" {
			check(t, c.name, drift(r), c.drift)
		}
		again := evolve(t, r.Version, contract.Policy{}, c.files...)
		if again.Version.Number != r.Version.Number || len(again.Foreign) > 0 {
			t.Errorf("%s: the same files again lead to version %d: %s", c.name, again.Version.Number, columns(again.Version))
		}
	}
}

// What changed place is told, and nothing of what stands before and behind it.
func TestColumnOrder(t *testing.T) {
	v := evolve(t, contract.Version{}, contract.Policy{}, "a.csv: a,b,c,d,e,f,g,h").Version
	r := evolve(t, v, contract.Policy{}, "b.csv: a,b,c,d,e,g,f,h")
	check(t, "drift", drift(r), "column_order  b.csv f, g>g, f 1 by_name evolve")
}

// leadsOn ends the reason for which a file is kept out.
const leadsOn = "; if this is how the feed looks from now on, set policy file_foreign: land (--policy file_foreign=land)"

// A header may hold names of any length; a message does not.
func TestLongNames(t *testing.T) {
	v := evolve(t, contract.Version{}, contract.Policy{}, "a.csv: a").Version
	r := evolve(t, v, contract.Policy{}, "b.csv: "+strings.Repeat("ä", 1000)+",c,d,e,f,g,h")
	check(t, "foreign", r.Foreign["b.csv"],
		"shares no column with the feed: found "+strings.Repeat("ä", 40)+"…, c, d, e, f and 2 more, want a"+leadsOn)
}

func TestCleanedNames(t *testing.T) {
	r := evolve(t, contract.Version{}, contract.Policy{}, "a.csv: Order ID,Order/ID,Order_ID,Code région")
	got := r.Version.Columns
	if got[0].Name == "Order_ID" || !strings.HasPrefix(got[0].Name, "Order_ID_") {
		t.Errorf("Order ID is stored as %s", got[0].Name)
	}
	check(t, "names", columns(contract.Version{Columns: got[1:]}), "Order/ID Order_ID Code_région=Code région")
	check(t, "cleaned", drift(evolution.Result{Drift: r.Drift[4:]}),
		"name_cleaned Order ID a.csv Order ID>"+got[0].Name+" 1 clean evolve\n"+
			"name_cleaned Code région a.csv Code région>Code_région 1 clean evolve")

	// Over time the first to come keeps the name, whatever it was made from.
	first := evolve(t, contract.Version{}, contract.Policy{}, "a.csv: n,Order ID")
	second := evolve(t, first.Version, contract.Policy{}, "b.csv: n,Order_ID")
	check(t, "first", columns(first.Version), "n Order_ID=Order ID")
	late := second.Version.Columns[2]
	if late.Original != "Order_ID" || !strings.HasPrefix(late.Name, "Order_ID_") {
		t.Errorf("the later Order_ID is stored as %s of %s", late.Name, late.Original)
	}
}

func TestStandingContract(t *testing.T) {
	v := evolve(t, contract.Version{}, contract.Policy{}, "dt=1/a.csv: id,name").Version
	r := evolve(t, v, contract.Policy{}, "dt=1/b.csv: id", "dt=1/c.csv: id", "d.csv: NAME,note,id", "dt=1/e.csv: <html>")
	check(t, "columns", columns(r.Version), "id name dt/ note")
	if r.Version.Number != 2 {
		t.Errorf("version %d, want 2", r.Version.Number)
	}
	check(t, "drift", drift(r), `column_missing name dt=1/b.csv > 2 null evolve
column_order  d.csv id, name>name, id 1 by_name evolve
column_recased name d.csv name>NAME 1 fold evolve
column_added note d.csv >string 1 add evolve
column_missing dt d.csv > 1 null evolve
file_foreign  dt=1/e.csv >shares no column with the feed: found <html>, want id, name, dt 1 quarantine evolve`)
	check(t, "cause", drift(evolution.Result{Drift: r.Version.Cause}), "column_added note d.csv >string 1 add evolve")
	check(t, "foreign", r.Foreign["dt=1/e.csv"], "shares no column with the feed: found <html>, want id, name, dt"+leadsOn)
	if len(v.Columns) != 3 {
		t.Errorf("the old version now has %d columns", len(v.Columns))
	}
}

// A file may share a column with one of its batch and yet be foreign: what
// counts is the contract that stood before.
func TestForeignCountsFromBefore(t *testing.T) {
	v := evolve(t, contract.Version{}, contract.Policy{}, "a.csv: id").Version
	r := evolve(t, v, contract.Policy{}, "b.csv: id,x", "c.csv: x,y")
	if _, foreign := r.Foreign["c.csv"]; !foreign || columns(r.Version) != "id x" {
		t.Errorf("foreign %v, columns %s", r.Foreign, columns(r.Version))
	}
}

func TestTheFileOfTheContractsSpellingWins(t *testing.T) {
	v := evolve(t, contract.Version{}, contract.Policy{}, "a.csv: id").Version
	b := contract.Bind(v, contract.Policy{}, []string{"ID", "ID", "id", "Id"}, nil)
	var got []string
	for _, f := range b.Fields {
		got = append(got, fmt.Sprintf("%s %d %s", f.Name, f.Column, f.Why))
	}
	check(t, "binding", strings.Join(got, ", "), "ID -1 case, ID#2 -1 case, id 0 , Id -1 case")
}

func TestPolicies(t *testing.T) {
	v := evolve(t, contract.Version{}, contract.Policy{}, "a.csv: id,name").Version
	for _, c := range []struct {
		kind         event.Kind
		action, file string
		columns      string
		fails        string
		decision     string
	}{
		{event.ColumnAdded, "rescue", "b.csv: id,name,x", "id name", "", "rescue"},
		{event.ColumnAdded, "ignore", "b.csv: id,name,x", "id name", "", "ignore"},
		{event.ColumnAdded, "rescue", "k=1/b.csv: id,name", "id name", "", "rescue"},
		{event.ColumnAdded, "fail", "b.csv: id,name,x", "id name", `b.csv: column "x" is new (policy column_added: fail)`, "fail"},
		{event.ColumnMissing, "fail", "b.csv: id", "id name", `b.csv: column "name" is missing`, "fail"},
		{event.ColumnRecased, "fail", "b.csv: ID,name", "id name", `b.csv: found "ID", want "id"`, "fail"},
		{event.ColumnRecased, "fail", "b.csv: id,Id,name", "id name", `b.csv: found "Id", want "id"`, "fail"},
		{event.NameCleaned, "fail", "b.csv: id,name,a b", "id name", `b.csv: column "a b" cannot keep its name`, ""},
		{event.NameDuplicate, "fail", "b.csv: id,name,id", "id name", `b.csv: column "id" stands 2 times`, ""},
		{event.FileForeign, "fail", "b.csv: x", "id name", "b.csv: shares no column with the feed", "fail"},
		{event.FileForeign, "land", "b.csv: x", "id name x", "", "land"},
	} {
		p := contract.Policy{Kinds: map[event.Kind]string{c.kind: c.action}}
		r, err := evolution.Evolve(v, evidence(c.file), p, nil)
		name := fmt.Sprintf("%s: %s, %s", c.kind, c.action, c.file)
		check(t, name, columns(r.Version), c.columns)
		switch {
		case c.fails == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.fails != "" && (diag.CodeOf(err) != diag.PolicyFail || !strings.HasPrefix(err.Error(), c.fails)):
			t.Errorf("%s: got %v, want %q", name, err, c.fails)
		}
		if c.decision != "" && (r.Drift[0].Decision != c.decision || r.Drift[0].Policy != "policy") {
			t.Errorf("%s: decided %s by %s", name, r.Drift[0].Decision, r.Drift[0].Policy)
		}
	}
}

func TestPresets(t *testing.T) {
	for preset, want := range map[string]string{
		"": "a b", contract.Evolves: "a b", contract.AddNewColumns: "a b",
		contract.RescueMode: "a", contract.NoEvolution: "a", contract.FailOnNewColumns: "fails",
	} {
		p := contract.Policy{Preset: preset}
		v := evolve(t, contract.Version{}, p, "1.csv: a").Version // the first landing adds under any
		r, err := evolution.Evolve(v, evidence("2.csv: a,b"), p, nil)
		got := columns(r.Version)
		if errors.Is(err, &diag.Diagnostic{Code: diag.PolicyFail}) {
			got = "fails"
			if hint := diag.Render(err, false); !strings.Contains(hint, "set cloudFiles.schemaEvolutionMode to addNewColumns") {
				t.Errorf("%s: the hint does not name what was set: %s", preset, hint)
			}
		}
		check(t, preset, got, want)
	}
}

func TestAllThatFailsIsReported(t *testing.T) {
	v := evolve(t, contract.Version{}, contract.Policy{}, "a.csv: id,name").Version
	p := contract.Policy{Preset: contract.FailOnNewColumns, Kinds: map[event.Kind]string{event.ColumnMissing: "fail"}}
	_, err := evolution.Evolve(v, evidence("c.csv: id,x", "b.csv: id,name,y"), p, nil)
	check(t, "errors", err.Error(), `b.csv: column "y" is new (cloudFiles.schemaEvolutionMode: failOnNewColumns) [E0701]
c.csv: column "name" is missing (policy column_missing: fail) [E0701]
c.csv: column "x" is new (cloudFiles.schemaEvolutionMode: failOnNewColumns) [E0701]`)
}

// A column that is named like a duplicate is another than the duplicate.
func TestLiteralAgainstDuplicate(t *testing.T) {
	first := evolve(t, contract.Version{}, contract.Policy{}, "1.csv: a,a,a#2,a#2")
	second := evolve(t, first.Version, contract.Policy{}, "2.csv: A,A", "3.csv: a#2,a#2,a")
	if second.Version.Number != 1 {
		t.Fatalf("version %d: %s", second.Version.Number, columns(second.Version))
	}
	var got []string
	for _, h := range [][]string{{"a", "a", "a#2", "a#2"}, {"A", "A"}, {"a#2", "a#2", "a"}} {
		for _, f := range contract.Bind(first.Version, contract.Policy{}, h, nil).Fields {
			got = append(got, fmt.Sprint(f.Name, "=", f.Column))
		}
	}
	check(t, "binding", strings.Join(got, " "), "a=0 a#2#2=1 a#2=2 a#2#2#2=3 A=0 A#2=1 a#2=2 a#2#2=3 a=0")
	names := first.Version.Columns
	if names[1].Name == "a#2" || names[2].Name != "a#2" || names[1].Original != "a" || names[1].K != 2 {
		t.Errorf("got %+v", names)
	}
	check(t, "drift", drift(evolution.Result{Drift: second.Drift[len(second.Drift)-2:]}),
		"column_order  3.csv a, a#2, a#2#2>a#2, a#2#2, a 1 by_name evolve\ncolumn_missing a#2 3.csv > 1 null evolve")

	// A second source of the table finds each again.
	table, err := contract.TableSchema(first.Version, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "metadata", string(table.Fields[1].Metadata[schema.OriginalKey])+string(table.Fields[1].Metadata[schema.NthKey]), `"a"2`)
	other, err := evolution.Evolve(contract.Version{}, evidence("x.csv: a#2,a#2,a,a"), contract.Policy{}, &table)
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range []int{2, 3, 0, 1} {
		check(t, "adopted", other.Version.Columns[i].Name, names[at].Name)
	}
}
