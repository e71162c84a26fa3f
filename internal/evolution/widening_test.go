package evolution_test

import (
	"fmt"
	"strings"
	"testing"

	"landfall/internal/column/columntest"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// lived evolves by a batch, with what the table's life was where that is asked for.
// What is not widened must be as if nothing could be.
func lived(t testing.TB, v contract.Version, ev evolution.Evidence, p contract.Policy, table *schema.Struct) evolution.Result {
	t.Helper()
	asked := ev
	asked.Lived, asked.Life = false, nil
	r, err := evolution.Evolve(v, asked, p, table)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Reshaped) > 0 {
		t.Fatalf("widened unasked: %+v", r.Reshaped)
	}
	if !r.AsksLife {
		return r
	}
	ev.Lived = true
	if r, err = evolution.Evolve(v, ev, p, table); err != nil {
		t.Fatal(err)
	}
	if r.AsksLife {
		t.Fatal("asks for the life that it has")
	}
	return r
}

// cells is a CSV file of one column v.
func cells(path, values string) contract.ObjectEvidence {
	return csv(path, append([]string{"v"}, strings.Fields(values)...)...)
}

// reshapes are what a result reshapes, as "name: from > to (part, …)".
func reshapes(r evolution.Result) string {
	var s []string
	for _, c := range r.Reshaped {
		var parts []string
		for _, p := range c.Parts {
			parts = append(parts, p.String())
		}
		if r.Version.Columns[c.Column].Name != c.Name {
			s = append(s, "misplaced")
		}
		s = append(s, fmt.Sprintf("%s: %s > %s (%s)", c.Name, c.From, c.To, strings.Join(parts, ", ")))
	}
	return strings.Join(s, "\n")
}

// The life of a column of text and a batch, and the type that comes of them.
func TestWidening(t *testing.T) {
	for _, c := range []struct{ life, batch, want string }{
		{"1 2", "2.5", "double"},
		{"1 2", "1.5E-7", "double"},
		{"1 2", "-0 NaN", "double"},
		{"1 2", "9223372036854775808", "decimal(19,0)"},
		{"1 2", "2.5 9007199254740993", "decimal(17,1)"},
		{"1 2", "2.5 N/A", "double"},
		{"1", "2.5 x", "bigint"},
		{"1 2", "2.5 02134", "bigint"},
		{"1 2", "3 N/A", "bigint"},
		{"1 2", "3.0 4", "bigint"}, // it converts
		{"9007199254740993", "2.5", "decimal(17,1)"},
		{"9007199254740993", "1.5E-7", "bigint"},
		{"9007199254740993 2.5", "12345678901234567.89", "decimal(19,2)"},
		{"12345678901234567890123456789012345678", "0.5", "decimal(38,0)"},
		{"12345678901234567.89", "1.5E-7", "decimal(19,2)"},
		{"2.5", "9007199254740993", "double"},
		{"2.5", "x", "double"},
		{"2026-11-30", "2026-11-30T10:00:00Z", "timestamp"},
		{"2026-11-30", "2026-11-30 10:00:00 x", "date"},
		{"2026-11-30T10:00:00Z", "2026-11-30", "timestamp"},
		{"true", "1", "boolean"},
		{"x", "1", "string"},
	} {
		first := land(t, contract.Version{}, contract.Policy{}, nil, cells("a", c.life))
		ev := evolution.Evidence{Objects: []contract.ObjectEvidence{cells("b", c.batch)}, Life: []contract.ObjectEvidence{cells("a", c.life)}}
		r := lived(t, first.Version, ev, contract.Policy{}, nil)
		check(t, c.life+" then "+c.batch, r.Version.Columns[0].Type, c.want)
		stood := first.Version.Columns[0].Type
		if widened := stood != c.want; widened != (len(r.Reshaped) == 1) || widened != (r.Version.Number == 2) {
			t.Errorf("%s then %s: version %d, reshaped %s", c.life, c.batch, r.Version.Number, reshapes(r))
		}
		ev.Life = append(ev.Life, ev.Objects...)
		if again := lived(t, r.Version, ev, contract.Policy{}, nil); again.Version.Number != r.Version.Number {
			t.Errorf("%s then %s twice: %s", c.life, c.batch, again.Version.Columns[0].Type)
		}
	}
}

func TestWideningIsTold(t *testing.T) {
	life := csv("a.csv", "id,x y,a", "1,1,1")
	first := land(t, contract.Version{}, contract.Policy{}, nil, life)
	table, err := contract.TableSchema(first.Version, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	b, c := csv("b.csv", "id,x y,a,b", "2,2,2,x", "3,0.5,3,y"), csv("c.csv", "id,x y,a", "4,1.5,1")
	r := lived(t, first.Version, evolution.Evidence{Objects: []contract.ObjectEvidence{b, c}, Life: []contract.ObjectEvidence{life}}, contract.Policy{}, &table)
	check(t, "columns", columns(r.Version), "id:bigint x_y=x y:double a:bigint b")
	check(t, "reshaped", reshapes(r), "x_y: bigint > double (`x y`)")
	check(t, "drift", brief(r, event.TypeWider), "type_wider x y bigint>double widen")
	for _, d := range r.Version.Cause {
		if d.Kind == event.TypeWider && (d.File != "b.csv" || d.Record != 2 || d.Count != 2 || d.Policy != contract.Evolves) {
			t.Errorf("got %+v", d)
		}
	}
	if len(r.Version.Cause) != 2 {
		t.Errorf("caused by %+v", r.Version.Cause)
	}
	check(t, "diff", fmt.Sprint(contract.Diff(first.Version, r.Version)), "[{retyped `x y` bigint double} {added b  string}]")
	grown, changed, err := contract.Extend(table, r.Version, contract.Policy{})
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	check(t, "table", grown.String(), "struct<id:bigint,x_y:double,a:bigint,b:string,_rescued_data:string,_source_file:string,_ingested_at:timestamp>")
	original, _ := schema.Original(grown.Fields[1])
	check(t, "original", original, "x y")
	if _, changed, err := contract.Extend(grown, r.Version, contract.Policy{}); changed || err != nil {
		t.Errorf("again: %v, %v", changed, err)
	}
	if !evolution.Stale(first.Version, r.Version, b, contract.Policy{}) || evolution.Stale(r.Version, r.Version, b, contract.Policy{}) {
		t.Error("what was fitted to the narrower type is stale")
	}
}

func TestWideningOfParts(t *testing.T) {
	p := contract.Policy{Hints: hints(t, "m.key string")}
	life := ndjson(t, "a", `{"o":{"x y":1,"s":{"n":1}},"l":[{"k":1}],"ll":[[1]],"m":{"a":1,"b":{}}}`)
	first := land(t, contract.Version{}, p, nil, life)
	check(t, "first", columns(first.Version), "o:struct<x_y:bigint,s:struct<n:bigint>> l:array<struct<k:bigint>> ll:array<array<bigint>> m:map<string,bigint>")
	batch := ndjson(t, "b", `{"o":{"x y":1,"s":{"n":"2.5"}},"l":[{"k":1},{"k":2.5}],"ll":[[1]],"m":{"a":2}}`,
		`{"o":{"x y":2.5,"new":2.5},"l":[],"ll":[[],[1.5]],"m":{"c":0.5}}`)
	r := lived(t, first.Version, evolution.Evidence{Objects: []contract.ObjectEvidence{batch}, Life: []contract.ObjectEvidence{life}}, p, nil)
	check(t, "second", columns(r.Version), "o:struct<x_y:double,s:struct<n:bigint>,new:double> l:array<struct<k:double>> ll:array<array<double>> m:map<string,double>")
	check(t, "reshaped", reshapes(r), "o: struct<x_y:bigint,s:struct<n:bigint>> > struct<x_y:double,s:struct<n:bigint>,new:double> (o.`x y`)\n"+
		"l: array<struct<k:bigint>> > array<struct<k:double>> (l.element.k)\n"+
		"ll: array<array<bigint>> > array<array<double>> (ll.element.element)\n"+
		"m: map<string,bigint> > map<string,double> (m.value)")
	check(t, "original", r.Version.Columns[0].Nested["x_y"], "x y")
	if d := r.Drift[0]; d.Column != "o.`x y`" || d.Record != 2 || d.Decision != "widen" {
		t.Errorf("got %+v", d)
	}
	table, err := contract.TableSchema(first.Version, p)
	if err != nil {
		t.Fatal(err)
	}
	grown, _, err := contract.Extend(table, r.Version, p)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "table", grown.String(), "struct<o:struct<x_y:double,s:struct<n:bigint>,new:double>,l:array<struct<k:double>>,ll:array<array<double>>,m:map<string,double>,_rescued_data:string,_source_file:string,_ingested_at:timestamp>")
}

// Under Auto Loader's mode the type before and the new one are a pair that it
// documents.
func TestWideningMode(t *testing.T) {
	for _, c := range []struct{ table, batch, want string }{
		{"tinyint", "2.5", "double"},
		{"int", "3000000000", "bigint"},
		{"int", "2.5", "double"},
		{"int", "9007199254740993.5", "decimal(17,1)"},
		{"bigint", "2.5", "decimal(21,1)"},
		{"bigint", "1.5E-7", "bigint"},
		{"decimal(5,2)", "1234", "decimal(6,2)"},
		{"decimal(5,2)", "1.234", "decimal(6,3)"},
		{"double", "9007199254740993", "double"},
		{"date", "2026-11-30T10:00:00Z", "date"},
	} {
		v := contract.Version{Number: 1, Columns: []contract.Column{{Name: "v", Original: "v", Type: c.table}}}
		ev := evolution.Evidence{Objects: []contract.ObjectEvidence{cells("b", c.batch)}}
		r := lived(t, v, ev, contract.Policy{Preset: contract.TypeWidening}, nil)
		check(t, c.table+" meets "+c.batch, r.Version.Columns[0].Type, c.want)
		for _, preset := range []string{contract.AddNewColumns, contract.RescueMode, contract.FailOnNewColumns, contract.NoEvolution} {
			if r, err := evolution.Evolve(v, ev, contract.Policy{Preset: preset}, nil); err != nil || r.AsksLife || r.Version.Number != 1 {
				t.Errorf("%s: %s meets %s: version %d, asks %v, %v", preset, c.table, c.batch, r.Version.Number, r.AsksLife, err)
			}
		}
	}
}

func TestWideningPolicies(t *testing.T) {
	life := csv("a.csv", "a,b", "1,1")
	ev := evolution.Evidence{Objects: []contract.ObjectEvidence{csv("b.csv", "a,b", "1.5,2.5")}, Life: []contract.ObjectEvidence{life}}
	first := land(t, contract.Version{}, contract.Policy{}, nil, life)
	wider := func(column, action string) map[string]map[event.Kind]string {
		return map[string]map[event.Kind]string{column: {event.TypeWider: action}}
	}
	for want, p := range map[string]contract.Policy{
		"a:double b:double": {},
		"a:bigint b:double": {Columns: wider("A", "rescue")},
		"a:double b:bigint": {Preset: contract.AddNewColumns, Columns: wider("a", "widen")},
		"a:bigint b:bigint": {Kinds: map[event.Kind]string{event.TypeWider: "fail"}},
	} {
		check(t, "columns", columns(lived(t, first.Version, ev, p, nil).Version), want)
	}
	for _, at := range []string{"", "b"} {
		ev.Held = map[string]string{at: "the table only grows"}
		r := lived(t, first.Version, ev, contract.Policy{Columns: wider("a", "rescue")}, nil)
		check(t, "held", columns(r.Version), "a:bigint b:bigint")
		check(t, "held", brief(r, event.TypeWider), "type_wider b bigint>double hold")
		if d := r.Drift[0]; d.Hint != "the table only grows" || d.File != "b.csv" || len(r.Reshaped) > 0 {
			t.Errorf("got %+v", r)
		}
	}
}

// Evidence leaves hinted types alone; hints that change may widen them.
func TestWideningByHints(t *testing.T) {
	life := ndjson(t, "a", `{"n":1,"d":"2026-11-30","o":{"h":1,"e":1}}`)
	first := land(t, contract.Version{}, contract.Policy{Hints: hints(t, "n int, d date, o.h int")}, nil, life)
	check(t, "first", columns(first.Version), "n:int d:date o:struct<h:int,e:bigint>")
	ev := evolution.Evidence{
		Objects: []contract.ObjectEvidence{ndjson(t, "b", `{"n":2.5,"d":"2026-11-30T10:00:00Z","o":{"h":2.5,"e":2.5}}`)},
		Life:    []contract.ObjectEvidence{life},
	}
	for _, c := range []struct{ hints, want, held string }{
		{"n int, d date, o.h int", "n:int d:date o:struct<h:int,e:double>", ""},
		{"", "n:int d:date o:struct<h:int,e:bigint>", ""},
		{"n bigint, d timestamp, o.h double", "n:bigint d:timestamp o:struct<h:double,e:double>", ""},
		{"n decimal(4,2)", "n:decimal(4,2) d:date o:struct<h:int,e:bigint>", ""},
		{"n string, d timestamp, o.e decimal(1,1), o.h int", "n:int d:timestamp o:struct<h:int,e:bigint>", "hint_held n int>string hold\nhint_held o.e bigint>decimal(1,1) hold"},
		{"n tinyint", "n:int d:date o:struct<h:int,e:bigint>", "hint_held n int>tinyint hold"},
	} {
		r := lived(t, first.Version, ev, contract.Policy{Hints: hints(t, c.hints)}, nil)
		check(t, c.hints, columns(r.Version), c.want)
		check(t, c.hints, brief(r, event.HintHeld), c.held)
	}
	stays := contract.Policy{Preset: contract.AddNewColumns, Hints: hints(t, "n bigint")}
	check(t, "under rescue", brief(lived(t, first.Version, ev, stays, nil), event.HintHeld), "hint_held n int>bigint hold")
	ev.Held = map[string]string{"": "the table only grows"}
	r := lived(t, first.Version, ev, contract.Policy{Hints: hints(t, "n bigint")}, nil)
	check(t, "held", brief(r, event.HintHeld, event.TypeWider), "hint_held n int>bigint hold")
}

// A hint on another name of a column, as decided, widens it as one on its own does.
func TestWideningByHintOnOtherName(t *testing.T) {
	life := csv("a", "id,new", "1,1")
	v := decide(t, land(t, contract.Version{}, contract.Policy{}, nil, life).Version, "old is new")
	ev := evolution.Evidence{Objects: []contract.ObjectEvidence{csv("b", "id,old", "2,2")}, Life: []contract.ObjectEvidence{life}}
	r := lived(t, v, ev, contract.Policy{Hints: hints(t, "old decimal(21,2)")}, nil)
	check(t, "columns", columns(r.Version), "id:bigint new:decimal(21,2)")
	check(t, "held", brief(r, event.HintHeld), "")
}

// Where text of earlier days keeps a column from widening, the event says so, and what
// leads on.
func TestWideningStoppedByText(t *testing.T) {
	life := []contract.ObjectEvidence{cells("a", "1 2"), cells("b", "x 4")}
	first := land(t, contract.Version{}, contract.Policy{}, nil, life[0])
	r := lived(t, first.Version, evolution.Evidence{Objects: []contract.ObjectEvidence{cells("c", "5 2.5")}, Life: life}, contract.Policy{}, nil)
	check(t, "columns", columns(r.Version), "v:bigint")
	check(t, "drift", brief(r, event.TypeWider), "type_wider v bigint>string hold")
	d := r.Drift[0]
	if d.File != "c" || d.Record != 2 || !strings.Contains(d.Hint, evolution.ReplayAll+" makes it string") {
		t.Errorf("found %+v", d)
	}
	// It does: landing all of it at once gives that type.
	anew := land(t, contract.Version{}, contract.Policy{}, nil, life[0], life[1], cells("c", "5 2.5"))
	check(t, "anew", columns(anew.Version), "v")
	// Where the text is rare enough, the column widens.
	life[0] = cells("a", strings.Repeat("1 ", 200))
	r = lived(t, first.Version, evolution.Evidence{Objects: []contract.ObjectEvidence{cells("c", "5 2.5")}, Life: life}, contract.Policy{}, nil)
	check(t, "rare", columns(r.Version)+" "+brief(r, event.TypeWider), "v:double type_wider v bigint>double widen")
}

// Text is told of only where the other values would have made the column wider.
func TestWideningNotStoppedByText(t *testing.T) {
	const told = "type_wider v %s>string hold"
	for _, c := range []struct{ typ, life, batch, want string }{
		{"bigint", "1 2", "x", ""},
		{"bigint", "1 x", "2", ""},
		{"bigint", "1 2", "x 02134 N/A", ""},
		{"bigint", "1 x", "3.0", ""}, // it converts
		{"bigint", "1 2", "2.5 x", told},
		{"bigint", "1 02134", "2.5", told},
		{"bigint", "1 x", "9223372036854775808", told},
		{"int", "1 x", "3", ""},
		{"int", "1 x", "3000000000", told},
		{"int", "1 x", "2.5", told},
		{"date", "2026-11-30 x", "2026-11-30", ""},
		{"date", "2026-11-30 x", "2026-11-30T10:00:00Z", told},
		// Nothing holds these, with text or without.
		{"bigint", "9007199254740993", "1.5E-7", ""},
		{"bigint", "9007199254740993 x", "1.5E-7", ""},
		{"decimal(38,0)", "12345678901234567890123456789012345678 x", "0.5", ""},
		{"double", "2.5 x", "9007199254740993", ""},
	} {
		v := contract.Version{Number: 1, Columns: []contract.Column{{Name: "v", Original: "v", Type: c.typ}}}
		ev := evolution.Evidence{Objects: []contract.ObjectEvidence{cells("b", c.batch)}, Life: []contract.ObjectEvidence{cells("a", c.life)}}
		r := lived(t, v, ev, contract.Policy{}, nil)
		want := c.want
		if want != "" {
			want = fmt.Sprintf(want, c.typ)
		}
		check(t, c.typ+" of "+c.life+" meets "+c.batch, columns(r.Version)+" "+brief(r, event.TypeWider), "v:"+c.typ+" "+want)
	}
}

// It is the same of files that declare text beside types.
func TestWideningStoppedByDeclaredText(t *testing.T) {
	const told = "type_wider v %s>string hold"
	for _, c := range []struct{ typ, life, declares, batch, want string }{
		{"bigint", "1", "string", `"x"`, ""},
		{"bigint", "9007199254740993", "double", "2.5", ""},
		{"decimal(8,5)", "1.25", "decimal(38,0)", "12345678901234567890123456789012345678", ""},
		{"bigint", "1 x", "double", "2", ""}, // whole doubles are bigints
		{"bigint", "1 x", "double", "2.5", told},
		{"int", "1 x", "bigint", "3000000000", told},
		{"int", "1 x", "string", `"7"`, ""},
	} {
		life := cells("a", c.life)
		v := contract.Version{Number: 1, Columns: []contract.Column{{Name: "v", Original: "v", Type: c.typ}}}
		batch := contract.ObjectEvidence{Path: "b", Tree: true, Header: []string{"v"}, Evidence: columntest.Typed(t, "v: "+c.declares, `{"v":`+c.batch+`}`)}
		r := lived(t, v, evolution.Evidence{Objects: []contract.ObjectEvidence{batch}, Life: []contract.ObjectEvidence{life}}, contract.Policy{}, nil)
		want := c.want
		if want != "" {
			want = fmt.Sprintf(want, c.typ)
		}
		check(t, c.typ+" of "+c.life+" meets "+c.declares+" "+c.batch, columns(r.Version)+" "+brief(r, event.TypeWider), "v:"+c.typ+" "+want)
	}
}

// Of values that nothing is known of, only the type is: no bigint is sure to be a
// double.
func TestWideningOfTheUnknown(t *testing.T) {
	batch := []contract.ObjectEvidence{cells("b", "2.5")}
	names := ndjson(t, "a", `{"v":1,"w":1}`)
	names.Evidence.Overflow = 1
	for name, life := range map[string]contract.ObjectEvidence{"folder": csv("v=1/a.csv", "w", "1"), "names": names} {
		for typ, want := range map[string]string{"bigint": "bigint", "int": "double"} {
			v := contract.Version{Number: 1, Columns: []contract.Column{{Name: "v", Original: "v", Type: typ}}}
			r := lived(t, v, evolution.Evidence{Objects: batch, Life: []contract.ObjectEvidence{life}}, contract.Policy{}, nil)
			check(t, name+" in "+typ, r.Version.Columns[0].Type, want)
		}
	}
}

// Strings that converted are values of the column too.
func TestWideningOverStrings(t *testing.T) {
	for life, want := range map[string]string{`{"v":"7"}`: "double", `{"v":"9007199254740993"}`: "bigint"} {
		a, b := ndjson(t, "a", `{"v":1}`, `{"v":2}`, `{"v":3}`), ndjson(t, "b", life)
		first := land(t, contract.Version{}, contract.Policy{}, nil, a)
		p := contract.Policy{Rules: inference.Rules{Agreement: 0.5}}
		r := lived(t, first.Version, evolution.Evidence{Objects: []contract.ObjectEvidence{ndjson(t, "c", `{"v":2.5}`)}, Life: []contract.ObjectEvidence{a, b}}, p, nil)
		check(t, life, columns(r.Version), "v:"+want)
	}
}

// A type that the table has already is taken up, and nothing is written again.
func TestWiderTables(t *testing.T) {
	life := cells("a", "1")
	first := land(t, contract.Version{}, contract.Policy{}, nil, life)
	table := ddl(t, "struct<v:double>").(schema.Struct)
	r := lived(t, first.Version, evolution.Evidence{Objects: []contract.ObjectEvidence{cells("b", "2.5")}, Life: []contract.ObjectEvidence{life}}, contract.Policy{}, &table)
	check(t, "altered", columns(r.Version)+" "+reshapes(r), "v:double ")
	check(t, "altered", brief(r, event.TypeAltered, event.TypeWider), "type_altered v bigint>double adopt")
	// One that is narrower than what the contract says, however it came, counts too.
	narrow := ddl(t, "struct<v:int>").(schema.Struct)
	r = lived(t, first.Version, evolution.Evidence{Objects: []contract.ObjectEvidence{cells("b", "7")}}, contract.Policy{}, &narrow)
	check(t, "narrow", columns(r.Version)+" "+reshapes(r), "v:int ")
	if wide, changed, err := contract.Extend(table, first.Version, contract.Policy{NoRescue: true}); err != nil || wide.Fields[0].Type != schema.Double {
		t.Errorf("a wider table became %s: %v, %v", wide, changed, err)
	}
}

// Files that declare types bring wider ones.
func TestWideningOfDeclaredTypes(t *testing.T) {
	typed := func(path, columns string, rows ...string) contract.ObjectEvidence {
		o := contract.ObjectEvidence{Path: path, Tree: true, Evidence: columntest.Typed(t, columns, rows...)}
		for _, f := range o.Evidence.Fields {
			o.Header = append(o.Header, f.Name)
		}
		return o
	}
	for _, c := range []struct{ life, value, batch, later, want string }{
		{"int", "1", "bigint", "2", "bigint"},
		{"int", "1", "double", "2.5", "double"},
		{"bigint", "1", "double", "2.5", "double"},
		{"bigint", "9007199254740993", "double", "2.5", "bigint"},
		{"bigint", "1", "double", "2", "bigint"}, // whole doubles are bigints
		{"float", "0.1", "double", "0.1", "double"},
		{"decimal(10,2)", "1.25", "decimal(12,4)", "1.2345", "decimal(12,4)"},
		{"decimal(18,2)", "120", "bigint", "7", "decimal(18,2)"},
		{"bigint", "120", "decimal(18,2)", "99.90", "decimal(22,2)"},
		{"double", "2.5", "bigint", "9007199254740993", "double"},
		{"date", `"2026-11-30"`, "timestamp", `"2026-11-30T10:00:00Z"`, "timestamp"},
	} {
		life := typed("a", "v: "+c.life, `{"v":`+c.value+`}`)
		first := land(t, contract.Version{}, contract.Policy{}, nil, life)
		check(t, "first", first.Version.Columns[0].Type, c.life)
		r := lived(t, first.Version, evolution.Evidence{
			Objects: []contract.ObjectEvidence{typed("b", "v: "+c.batch, `{"v":`+c.later+`}`)}, Life: []contract.ObjectEvidence{life},
		}, contract.Policy{}, nil)
		check(t, c.life+" "+c.value+" meets "+c.batch+" "+c.later, r.Version.Columns[0].Type, c.want)
	}
}

// By Delta's type widening some types widen where they stand; what its readers do not
// take, and what stands in one column with such a part, is written again.
func TestWideningByFeature(t *testing.T) {
	life := ndjson(t, "a", `{"n":1,"d":1.5,"o":{"x":1,"y":1.5},"l":[1.5],"m":7}`)
	hinted := func(text string) contract.Policy {
		return contract.Policy{Kinds: map[event.Kind]string{event.TypeWider: contract.ByFeature}, Hints: hints(t, text)}
	}
	first := land(t, contract.Version{}, hinted("n int, d decimal(2,1), o struct<x:bigint,y:decimal(2,1)>, l array<decimal(2,1)>"), nil, life)
	wide := hinted("n bigint, d decimal(4,2), o struct<x:double,y:decimal(4,2)>, l array<decimal(3,1)>")
	ev := evolution.Evidence{Objects: []contract.ObjectEvidence{ndjson(t, "b", `{"m":2.5}`)}, Life: []contract.ObjectEvidence{life}}
	inPlace := func(r evolution.Result) string {
		var s []string
		for _, c := range r.Reshaped {
			s = append(s, fmt.Sprintf("%s:%v", c.Name, c.InPlace))
		}
		return strings.Join(s, " ")
	}
	r := lived(t, first.Version, ev, wide, nil)
	check(t, "columns", columns(r.Version), "n:bigint d:decimal(4,2) o:struct<x:double,y:decimal(4,2)> l:array<decimal(3,1)> m:double")
	check(t, "in place", inPlace(r), "n:true d:true o:false l:true m:false")
	check(t, "drift", brief(r, event.TypeWider), "type_wider n int>bigint feature\ntype_wider d decimal(2,1)>decimal(4,2) feature\n"+
		"type_wider o.x bigint>double widen\ntype_wider o.y decimal(2,1)>decimal(4,2) widen\n"+
		"type_wider l.element decimal(2,1)>decimal(3,1) feature\ntype_wider m bigint>double widen")
	for column, why := range map[string]string{
		"n": "", "o.y": "another part of the column has its rows written again",
		"m": "Delta's type widening reads no bigint as double: the rows that stand are written again",
	} {
		for _, d := range r.Version.Cause {
			if d.Column == column && d.Hint != why {
				t.Errorf("%s: hint %q, want %q", column, d.Hint, why)
			}
		}
	}

	ev.Held = map[string]string{"": "the table only grows"}
	r = lived(t, first.Version, ev, wide, nil)
	check(t, "held", columns(r.Version), "n:bigint d:decimal(4,2) o:struct<x:bigint,y:decimal(4,2)> l:array<decimal(3,1)> m:bigint")
	check(t, "held in place", inPlace(r), "n:true d:true o:true l:true")

	ev.Held, ev.Written = nil, "the table is old"
	check(t, "written", inPlace(lived(t, first.Version, ev, wide, nil)), "n:false d:false o:false l:false m:false")
}
