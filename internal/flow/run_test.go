package flow_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/flow"
	"landfall/internal/plan"
	"landfall/internal/store/local"
)

// file is an input: documents a line, with the columns that it has.
type file struct{ name, ddl, lines string }

// rows runs a plan up to a step over files for the source In or RawOrders; a row a line.
func rows(t *testing.T, p *plan.Plan, step, source string, files ...file) string {
	t.Helper()
	return strings.Join(run(t, p, step, source, files...), "\n")
}

// answered binds a script over one file, and runs what the binder asks of the data.
func answered(t *testing.T, script string, in file) (*plan.Plan, error) {
	t.Helper()
	values := map[string][]string{}
	for range 5 {
		p, err := bindWith(t, script, in.ddl, func(o *flow.Options) { o.Values = values })
		var needs *flow.NeedsValues
		if !errors.As(err, &needs) {
			return p, err
		}
		if _, twice := values[needs.Key]; twice {
			t.Fatalf("%s\nfound %s asked twice", script, needs.Key)
		}
		values[needs.Key] = run(t, needs.Plan, needs.Step, "In", in)
	}
	t.Fatalf("%s\nfound no end of questions", script)
	return nil, nil
}

func run(t *testing.T, p *plan.Plan, step, source string, files ...file) []string {
	t.Helper()
	dir := t.TempDir()
	in := engine.Input{Source: source}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		in.Groups = append(in.Groups, engine.Group{Format: engine.JSON, Columns: columns(t, f.ddl), Files: []engine.InputFile{{Key: f.name, Shown: f.name}}})
	}
	st, err := local.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	in.Store = st
	e, err := duckdb.Open(t.Context(), duckdb.Options{Threads: 2, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	err = e.Run(t.Context(), engine.Job{Plan: p, Step: step, Inputs: []engine.Input{in}, Now: time.Unix(0, 0)}, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			var cells []string
			for _, v := range row {
				cells = append(cells, engine.Text(v))
			}
			out = append(out, strings.Join(cells, "|"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	return out
}

// The seed's script over the rows of its two files: five rows, none lost, none changed.
func TestSeedRuns(t *testing.T) {
	script, err := os.ReadFile("syntax/testdata/seed.dfs")
	if err != nil {
		t.Fatal(err)
	}
	p, err := bind(t, string(script), dayTwo, nil)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	one := file{"one.json", dayOne, `{"order_id": 1001, "order_total": 120, "currency": "GBP"}
{"order_id": 1002, "order_total": 75, "currency": "GBP"}
{"order_id": 1003, "order_total": 310, "currency": "EUR"}
`}
	two := file{"two.json", dayTwo, `{"order_id": 1004, "order_total": 99.90, "currency": "GBP", "discount_code": "AUTUMN10", "ship region": "UK-South"}
{"order_id": 1005, "order_total": 15.25, "currency": "USD", "discount_code": null, "ship region": "EU-West"}
`}
	want := `1001|120.00|GBP|NULL|NULL|one.json
1002|75.00|GBP|NULL|NULL|one.json
1003|310.00|EUR|NULL|NULL|one.json
1004|99.90|GBP|AUTUMN10|UK-South|two.json
1005|15.25|USD|NULL|EU-West|two.json`
	if got := rows(t, p, "CuratedOrders", "RawOrders", one, two); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
}

// Scripts with the rows that come of them, worked out by hand.
func TestRuns(t *testing.T) {
	in := file{"in.json", "k string, n int, l array<int>", `{"k": "a", "n": 1, "l": [1, 2]}
{"k": "b", "n": null, "l": []}
{"k": "a", "n": 3, "l": [5]}
`}
	const source = "source(output(k as string, n as integer, l as integer[])) ~> In\n"
	for script, want := range map[string]string{
		"In filter(n > 1 || isNull(n)) ~> F\nF select(mapColumn(k, n)) ~> Out":                                                                     "b|NULL\na|3",
		"In derive(t = \"{k}-{n}\", s = iif(n > 1, 'big', 'small')) ~> D\nD select(mapColumn(t, s)) ~> Out":                                        "a-1|small\nNULL|small\na-3|big",
		"In derive(m = map(l, #item * 2 + #index)) ~> D\nD select(mapColumn(m)) ~> Out":                                                            "[3,6]\n[]\n[11]",
		"In derive(m = reduce(l, 0, #acc + #item, #result)) ~> D\nD select(mapColumn(m)) ~> Out":                                                   "3\n0\n5",
		"In derive(each(match(type == 'integer'), $$ + '_x' = coalesce($$, 0))) ~> D\nD select(mapColumn(k, each(match(name == 'n_x')))) ~> Out":   "a|1\nb|0\na|3",
		"In aggregate(groupBy(k), c = count(), s = sum(n)) ~> A\nA sort(asc(k, true)) ~> Out":                                                      "a|2|4\nb|1|NULL",
		"In window(over(k), asc(n, true), r = rowNumber(), v = last(n)) ~> W\nW select(mapColumn(k, n, r, v)) ~> S\nS sort(asc(k), asc(n)) ~> Out": "a|1|1|1\na|3|2|3\nb|NULL|1|NULL",
		"In split(n < 2, n > 2, disjoint: false) ~> S@(low, high, rest)\nS@rest select(mapColumn(k)) ~> Out":                                       "b",
		"In foldDown(unroll(l), mapColumn(k, item = l)) ~> Out":                                                                                    "a|1\na|2\nb|NULL\na|5",
		"In foldDown(unroll(l, l), mapColumn(k, item = l)) ~> Out":                                                                                 "a|1\na|2\na|5",
		"In pivot(pivotBy(k, ['a', 'b', 'c']), s = sum(n), c = count(), columnNaming: '$V_$N', lateral: true) ~> Out":                              "4|2|NULL|1|NULL|NULL",
		"In pivot(pivotBy(k), s = sum(n)) ~> Out":                                                                                                  "4|NULL",
		"In pivot(groupBy(k), pivotBy(n), c = count(), columnNaming: 'n$V') ~> P\nP sort(asc(k)) ~> Out":                                           "a|1|1\nb|NULL|NULL",
		"In derive(x = l[1], y = l[9]) ~> D\nD select(mapColumn(x, y)) ~> Out":                                                                     "1|NULL\nNULL|NULL\n5|NULL",
		"In derive(a = k <=> 'A', b = n === null, c = n == null) ~> D\nD select(mapColumn(a, b, c)) ~> Out":                                        "true|false|NULL\nfalse|true|NULL\ntrue|false|NULL",
	} {
		p, err := answered(t, source+script, in)
		if err != nil {
			t.Errorf("%s\n%s", script, diag.Render(err, false))
			continue
		}
		if got := rows(t, p, "Out", "In", in); got != want {
			t.Errorf("%s\nfound\n%s\nwant\n%s", script, got, want)
		}
	}
}

// A projection may say how text is read.
func TestFormats(t *testing.T) {
	in := file{"in.json", "d string, n string, k int", `{"d": "31/12/2024", "n": "1,234.5", "k": 1}
{"d": "2024-12-31", "n": "x", "k": 2}
`}
	p, err := bind(t, "source(output(d as date 'dd/MM/yyyy', n as double '#,###.##', k as integer '##')) ~> Out", in.ddl, nil)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	if got, want := rows(t, p, "Out", "Out", in), "2024-12-31|1234.5|1\nNULL|NULL|2"; got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	if text := p.String(); !strings.Contains(text, "d by toDate(#d, 'dd/MM/yyyy')") || strings.Contains(text, "k by") {
		t.Errorf("found %s", text)
	}
}
