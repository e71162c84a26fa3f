package project_test

import (
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/project"
)

const whole = `# The feed of the shop.
version: 1
sources:
  orders:
    path: landing/orders            # a folder
    table: lake/bronze/orders
    options:
      cloudFiles.format: csv
      cloudFiles.maxFilesPerTrigger: 10
      cloudFiles.schemaEvolutionMode: rescue
      header: true
      sep: "\t"
      cloudFiles.schemaHints: |
        amount DECIMAL(18,2),
        born DATE
    policy:
      column_added: fail
      file_rewritten: append
      columns:
        amount: {value_misfit: fail}
        User.born: {type_wider: fail, zone_assumed: fail}
    partitionBy: [dt, country]
    columns: {_ingested_at: current_timestamp(), _source_file: _metadata.file_path}
  "trips-2": {path: "in/*.csv", table: s3://lake/trips, partitionBy: dt, compat: AutoLoader}
`

func TestLoad(t *testing.T) {
	p, err := project.Load("landfall.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Names(), " "); got != "orders trips-2" {
		t.Errorf("names %s", got)
	}
	s, ok := p.Source("orders")
	if !ok || s.Path != "landing/orders" || s.Table != "lake/bronze/orders" || s.At.Line != 4 {
		t.Errorf("got %+v", s)
	}
	if s.Options.Format != "csv" || s.Options.MaxFiles != 10 || s.Policy.Preset != "rescue" {
		t.Errorf("options %+v", s.Options)
	}
	var decoder []string
	for _, d := range s.Options.Decoder {
		decoder = append(decoder, fmt.Sprintf("%s=%q@%s", d.Name, d.Value.Text, d.Value.At))
	}
	if got := strings.Join(decoder, " "); got != `header="true"@landfall.yaml:11:15 sep="\t"@landfall.yaml:12:12` {
		t.Errorf("decoder %s", got)
	}
	if s.Policy.Kinds[event.ColumnAdded] != "fail" || s.Policy.Kinds[event.FileRewritten] != "append" {
		t.Errorf("policy %+v", s.Policy)
	}
	if got := fmt.Sprint(s.Policy.Columns); got != "map[amount:map[value_misfit:fail] user.born:map[type_wider:fail zone_assumed:fail]]" {
		t.Errorf("columns %s", got)
	}
	if action, _ := s.Policy.ActionOf(event.TypeWider, "USER.born"); action != "fail" {
		t.Errorf("the part of a column has the action %s", action)
	}
	other, ok := p.Source("trips-2")
	if !other.Policy.Rules.Strings || other.Policy.Preset != "addNewColumns" {
		t.Errorf("got %+v; want the defaults of Auto Loader", other.Policy)
	}
	if !ok || fmt.Sprint(other.PartitionBy) != "[dt]" || other.Digest() == s.Digest() {
		t.Errorf("got %+v", other)
	}
	if _, ok := p.Source("nope"); ok {
		t.Error("a source that is not there was found")
	}
}

// Every error names its place; all are reported at once.
func TestErrors(t *testing.T) {
	const head = "version: 1\nsources:\n  a:\n    path: p\n    table: t\n"
	for name, c := range map[string]struct{ file, want string }{
		"misspelt": {"version: 1\nsourcs:\n  orders: {}\n", `landfall.yaml:1:1: key "sources" is missing [E0202]
    1 │ version: 1
      │ ^^^^^^^
    hint: name a source: sources: {orders: {path: landing/orders, table: lake/orders}}
landfall.yaml:2:1: unknown key "sourcs" [E0202]
    2 │ sourcs:
      │ ^^^^^^
    hint: did you mean sources?
`},
		"the prefix": {head + "    options:\n      cloudFiles.pathGlobFilter: \"*.csv\"\n", `landfall.yaml:7:7: unknown option "cloudFiles.pathGlobFilter" [E0203]
    7 │       cloudFiles.pathGlobFilter: "*.csv"
      │       ^^^^^^^^^^^^^^^^^^^^^^^^^
    hint: it has no prefix: write pathGlobFilter
`},
		"misplaced": {head + "    header: true\n    column_added: fail\n    tabel: x\n", `landfall.yaml:6:5: misplaced key "header" [E0202]
    6 │     header: true
      │     ^^^^^^
    hint: it is an option: write it under options:
landfall.yaml:7:5: misplaced key "column_added" [E0202]
    7 │     column_added: fail
      │     ^^^^^^^^^^^^
    hint: it is a kind of drift: write it under policy:
landfall.yaml:8:5: unknown key "tabel" [E0202]
    8 │     tabel: x
      │     ^^^^^
    hint: did you mean table?
`},
		"values": {head + "    policy: {column_aded: x, column_added: maybe, type_wider: wider}\n    partitionBy: [dt, DT]\n", `landfall.yaml:6:14: unknown kind of drift "column_aded" [E0202]
    6 │     policy: {column_aded: x, column_added: maybe, type_wider: wider}
      │              ^^^^^^^^^^^
    hint: did you mean column_added?
landfall.yaml:6:44: column_added: found "maybe", want add, rescue, ignore, fail [E0204]
    6 │     policy: {column_aded: x, column_added: maybe, type_wider: wider}
      │                                            ^^^^^
landfall.yaml:6:63: type_wider: found "wider", want widen, feature, rescue, fail [E0204]
    6 │     policy: {column_aded: x, column_added: maybe, type_wider: wider}
      │                                                               ^^^^^
landfall.yaml:7:23: partitionBy: "DT" stands twice [E0202]
    7 │     partitionBy: [dt, DT]
      │                       ^^
`},
		"placeholder": {"version: 1\nsources:\n  orders:\n    path: \"${p}/in\"\n    table: lake\n", `landfall.yaml:4:11: path: found the placeholder in "${p}/in", want a path [E0202]
    4 │     path: "${p}/in"
      │           ^^^^^^^^^
    hint: write what it stands for; ${…} is not resolved here
`},
		"policies of columns": {head + "    policy:\n      hint_held: fail\n      columns:\n        a..b: {value_misfit: fail}\n        A: {column_added: fail, value_misfit: keep}\n        a: {type_wide: fail}\n", `landfall.yaml:7:7: policy on hint_held comes with a later release [E0206]
    7 │       hint_held: fail
      │       ^^^^^^^^^
    hint: leave it out for now
landfall.yaml:9:9: column "a..b": character 3: found ".", want a name [E0202]
    9 │         a..b: {value_misfit: fail}
      │         ^^^^
    hint: write a column's name, or the path of a part of it: user.born; a name with a dot stands in backticks
landfall.yaml:10:13: policy column_added is none of a single column [E0202]
   10 │         A: {column_added: fail, value_misfit: keep}
      │             ^^^^^^^^^^^^
    hint: columns may have type_wider, type_conflict, value_misfit, value_truncated, zone_assumed, calendar_rebased; write it under policy: for all of them
landfall.yaml:10:47: value_misfit: found "keep", want rescue, null, quarantine, fail [E0204]
   10 │         A: {column_added: fail, value_misfit: keep}
      │                                               ^^^^
landfall.yaml:11:9: column "a" stands twice [E0202]
   11 │         a: {type_wide: fail}
      │         ^
landfall.yaml:11:13: unknown kind of drift "type_wide" [E0202]
   11 │         a: {type_wide: fail}
      │             ^^^^^^^^^
    hint: did you mean type_wider?
`},
		"defaults of others": {head + "    compat: spark\n", `landfall.yaml:6:13: compat: found "spark", want autoloader [E0204]
    6 │     compat: spark
      │             ^^^^^
    hint: leave it out for the defaults of landfall
`},
		"an option of the other format": {head + "    options: {cloudFiles.format: json, sep: \";\"}\n", `landfall.yaml:6:40: sep is an option of csv, and the files are json [E0206]
    6 │     options: {cloudFiles.format: json, sep: ";"}
      │                                        ^^^
    hint: leave it out; or say which format the files have: cloudFiles.format
`},
		"within hints": {head + "    options:\n      cloudFiles.schemaHints: \"a INT, b DECIML(10,2)\"\n      dateFormat: dd.QQ\n", `landfall.yaml:7:41: cloudFiles.schemaHints: found "DECIML", want a type; did you mean decimal? [E0204]
    7 │       cloudFiles.schemaHints: "a INT, b DECIML(10,2)"
      │                                         ^^^^^^^^^
    hint: write hints as "name TYPE, struct.field TYPE, array.element TYPE, map.value TYPE"
landfall.yaml:8:22: dateFormat: unknown letter "Q", want one of y M d H h a m s S X x Z z VV, or quotes around text [E0204]
    8 │       dateFormat: dd.QQ
      │                      ^^
    hint: want a pattern of Spark, such as dd/MM/yyyy HH:mm:ss
`},
		"hints that do not agree": {head + "    options: {schemaHints: 'a INT, b.c DATE, A LONG, b DATE'}\n", `landfall.yaml:6:46: cloudFiles.schemaHints: found "A bigint", want what agrees with "a int" at character 1 [E0204]
    6 │     options: {schemaHints: 'a INT, b.c DATE, A LONG, b DATE'}
      │                                              ^
    hint: keep one of them
landfall.yaml:6:54: cloudFiles.schemaHints: found "b date", want what agrees with "b.c date" at character 8 [E0204]
    6 │     options: {schemaHints: 'a INT, b.c DATE, A LONG, b DATE'}
      │                                                      ^
    hint: keep one of them
`},
		"within hints over lines": {head + "    options:\n      cloudFiles.schemaHints: |\n        a INT,\n\n          b DECIML(10,2)\n", `landfall.yaml:10:13: cloudFiles.schemaHints: found "DECIML", want a type; did you mean decimal? [E0204]
   10 │           b DECIML(10,2)
      │             ^^^^^^^^^
    hint: write hints as "name TYPE, struct.field TYPE, array.element TYPE, map.value TYPE"
`},
		"what is missing": {"version: 2\nsources:\n  .a:\n    path:\n  b: 1\npipelines: []\n", `landfall.yaml:1:10: version: found "2", want 1 [E0202]
    1 │ version: 2
      │          ^
    hint: a newer version needs a newer release of landfall
landfall.yaml:3:3: source ".a" has no table [E0202]
    3 │   .a:
      │   ^^
    hint: add table: under it
landfall.yaml:3:3: source ".a": want a name of at most 100 letters (a-z), digits, -, _ and single dots, a letter or digit first [E0202]
    3 │   .a:
      │   ^^
landfall.yaml:4:5: path: found nothing, want a folder, a pattern or a URL [E0202]
    4 │     path:
      │     ^^^^
landfall.yaml:5:6: b: found "1", want a mapping with path: and table: [E0202]
    5 │   b: 1
      │      ^
landfall.yaml:6:12: pipelines: found a list, want a mapping of names to pipelines [E0202]
    6 │ pipelines: []
      │            ^
`},
		"bytes, not characters": {"version: 1\nsources: {\"é\": {path: p, table: t, é: x}}\n", `landfall.yaml:2:11: source "é": want a name of at most 100 letters (a-z), digits, -, _ and single dots, a letter or digit first [E0202]
    2 │ sources: {"é": {path: p, table: t, é: x}}
      │           ^^^
landfall.yaml:2:37: unknown key "é" [E0202]
    2 │ sources: {"é": {path: p, table: t, é: x}}
      │                                    ^
    hint: keys here are path, table, compat, options, policy, partitionBy, columns
`},
		"casings of a name": {"version: 1\nsources:\n  Orders: {path: p, table: t}\n  orders: {path: p, table: t}\n", `landfall.yaml:4:3: source "orders" differs from "Orders" (line 3) only in casing [E0202]
    4 │   orders: {path: p, table: t}
      │   ^^^^^^
    hint: give one of them another name: queries do not tell casings apart
`},
		"an option of several": {head + "    options: {sep: [a], quote: {}}\n", `landfall.yaml:6:20: sep: found a list, want one value [E0204]
    6 │     options: {sep: [a], quote: {}}
      │                    ^
landfall.yaml:6:32: quote: found a mapping, want one value [E0204]
    6 │     options: {sep: [a], quote: {}}
      │                                ^
`},
		"columns": {head + "    columns: {_ingested_at: now(), k: v}\n", `landfall.yaml:6:29: column _ingested_at: found "now()", want current_timestamp() [E0206]
    6 │     columns: {_ingested_at: now(), k: v}
      │                             ^^^^^
    hint: leave it out: it is there by itself
landfall.yaml:6:36: column "k": columns of your own come with a later release [E0206]
    6 │     columns: {_ingested_at: now(), k: v}
      │                                    ^
    hint: leave it out for now
`},
		"nothing": {"# empty\n", "landfall.yaml:1:1: found nothing, want version: and sources: [E0201]\n    hint: begin with version: 1\n"},
		"a list":  {"- a\n", "landfall.yaml:1:1: found a list, want version: and sources: [E0201]\n    1 │ - a\n      │ ^\n    hint: begin with version: 1\n"},
	} {
		_, err := project.Load("landfall.yaml", []byte(c.file))
		if got := diag.Render(err, false); got != c.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"orders": true, "2024-orders_x": true, "eu.orders": true, strings.Repeat("n", 100): true,
		strings.Repeat("n", 101): false, "_x": false, "-x": false, ".x": false, "x.": false, "a..b": false, "ä": false, "a b": false, "a/b": false,
	} {
		_, err := project.Load("landfall.yaml", fmt.Appendf(nil, "version: 1\nsources: {%q: {path: p, table: t}}\n", name))
		if (err == nil) != want {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Editors of Windows begin a file with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	p, err := project.Load("landfall.yaml", []byte("\ufeff"+whole))
	if err != nil || len(p.Sources) != 2 {
		t.Errorf("got %v, %v", p, err)
	}
}

// What YAML can say beyond plain values is refused, with its place.
func TestSyntax(t *testing.T) {
	for file, want := range map[string]string{
		"version: [1\n":                 "landfall.yaml:1:",
		"version: 1\nversion: 1\n":      "landfall.yaml:2:1: ",
		"a: &x 1\nb: *x\n":              "landfall.yaml:1:4: found anchor, want a plain value",
		"version: 1\n---\nversion: 1\n": "landfall.yaml:3:",
		"a: !!str 1\n":                  "want a plain value",
		"? [a]\n: b\n":                  "landfall.yaml:2:1: found an invalid key",
		"\ta: 1\n":                      "landfall.yaml:1:",
		strings.Repeat("[", 30) + strings.Repeat("]", 30): "nested too deep",
	} {
		_, err := project.Load("landfall.yaml", []byte(file))
		if diag.CodeOf(err) != diag.ProjectSyntax || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", file, err, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("version: 1\nsources: {a: {path: |\n  x\n, options: {header: ~}}}"))
	f.Add([]byte("? a\n: &b *b\n<<: {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := project.Load("landfall.yaml", data)
		if (p == nil) == (err == nil) {
			t.Fatalf("got %v and %v", p, err)
		}
		diag.Render(err, true)
		if err != nil && diag.CodeOf(err) == "" {
			t.Errorf("not a diagnostic: %v", err)
		}
	})
}
