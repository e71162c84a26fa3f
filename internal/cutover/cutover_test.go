package cutover_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/cutover"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

var update = flag.Bool("update", false, "write the golden files again")

// tester is what a test and a property have in common.
type tester interface {
	Helper()
	Fatal(arguments ...any)
}

func columns(t tester, ddl string) []schema.Field {
	t.Helper()
	declared, err := schema.ParseColumns(ddl)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]schema.Field, len(declared))
	for i, d := range declared {
		out[i] = schema.Field{Name: d.Path[0], Type: d.Type, Nullable: true}
	}
	return out
}

func values(texts ...string) []cutover.Value {
	out := make([]cutover.Value, len(texts))
	for i, text := range texts {
		out[i] = cutover.Value{Text: text, Null: text == ""}
	}
	return out
}

// orders is a table partitioned by a day and a region: one partition is in both
// folders, one in the copy alone and one in the old folder alone.
func orders(t tester) cutover.Table {
	return cutover.Table{
		Name:    []string{"lake", "sales", "orders"},
		Old:     "s3://landing/sales/orders",
		New:     "s3://curated/sales/orders v2",
		Format:  cutover.Parquet,
		Columns: columns(t, "order_id bigint, amount decimal(18,2), at timestamp, lines array<struct<sku:string,n:int>>, tags map<string,double>, raw binary"),
		Defined: columns(t, "order_id bigint, amount decimal(18,2), at timestamp, lines array<struct<sku:string,n:int>>, tags map<string,double>"),
		WasBy:   columns(t, "dt date, region string"),
		By:      columns(t, "dt date, region string"),
		Was: []cutover.Partition{
			{Values: values("2026-11-01", "north")},
			{Values: values("2026-11-03", "")},
		},
		Copy: []cutover.Partition{
			{Values: values("2026-11-01", "north"), Rows: 12},
			{Values: values("2026-11-02", "a/b: 50%"), Rows: 3},
		},
		Rows:         15,
		DeltaCatalog: "delta",
	}
}

func TestGolden(t *testing.T) {
	for name, change := range map[string]func(*cutover.Table){
		"added":   func(*cutover.Table) {},
		"typed":   func(o *cutover.Table) { o.Defined[1].Type = schema.Double },
		"unknown": func(o *cutover.Table) { o.Defined = nil },
		"same":    func(o *cutover.Table) { o.Defined = o.Columns },
		"plain":   func(o *cutover.Table) { o.WasBy, o.By, o.Was, o.Copy = nil, nil, nil, nil },
		"parted":  func(o *cutover.Table) { o.WasBy, o.Was = nil, nil },
		"delta":   func(o *cutover.Table) { o.Format = cutover.Delta },
	} {
		for _, e := range cutover.Engines() {
			t.Run(string(e)+"-"+name, func(t *testing.T) {
				o := orders(t)
				change(&o)
				fit(e, &o)
				s, err := cutover.Write(e, o)
				text := s.String() + "\n" + s.Back()
				if err != nil {
					text = diag.Render(err, false)
				}
				golden(t, filepath.Join("testdata", string(e)+"-"+name+".txt"), text)
			})
		}
	}
}

// fit gives a table a name as an engine takes it.
func fit(e cutover.Engine, o *cutover.Table) {
	if e == cutover.Hive || e == cutover.Athena || e == cutover.Glue {
		o.Name = o.Name[1:]
	}
}

func golden(t *testing.T, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == text {
		return
	}
	found, wanted := strings.Split(text, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(found), len(wanted)) {
		if found[i] != wanted[i] {
			t.Fatalf("%s:%d: found %s, wanted %s", file, i+1, found[i], wanted[i])
		}
	}
	t.Errorf("%s: found %d lines, wanted %d", file, len(found), len(wanted))
}

// TestComments holds that no comment has a character that means something to a
// shell which reads statements: some look for quotes and semicolons in comments.
func TestComments(t *testing.T) {
	for _, e := range cutover.Engines() {
		o := orders(t)
		fit(e, &o)
		s, err := cutover.Write(e, o)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(s.String() + s.Back()) {
			if strings.HasPrefix(line, "--") && strings.ContainsAny(line, "'\"`;$\\") {
				t.Errorf("%s: %s", e, line)
			}
		}
	}
}

// TestSeven holds that a table with a partition which no statement finds is made
// anew: to add 7 beside 07 would show its rows twice.
func TestSeven(t *testing.T) {
	o := orders(t)
	o.WasBy, o.By = columns(t, "dt date, hh int"), columns(t, "dt date, hh int")
	o.Was = []cutover.Partition{{Values: values("2026-11-01", "07")}}
	o.Copy = []cutover.Partition{{Values: values("2026-11-01", "07"), Rows: 15}}
	s, err := cutover.Write(cutover.Spark, o)
	if err != nil {
		t.Fatal(err)
	}
	if text := s.String() + s.Back(); !strings.Contains(text, "RENAME TO") || strings.Contains(text, "SET LOCATION") {
		t.Errorf("found\n%s\nwanted a table that is made anew", text)
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		engine cutover.Engine
		change func(*cutover.Table)
		code   diag.Code
	}{
		"no catalog":        {cutover.Databricks, func(o *cutover.Table) { o.Name = o.Name[1:] }, diag.BadOption},
		"no database":       {cutover.Athena, func(o *cutover.Table) { o.Name = o.Name[2:] }, diag.BadOption},
		"a catalog in Hive": {cutover.Hive, func(*cutover.Table) {}, diag.BadOption},
		"not on S3":         {cutover.Glue, func(o *cutover.Table) { o.Name, o.New = o.Name[1:], "file:///tmp/x" }, diag.BadOption},
		"no scheme":         {cutover.Spark, func(o *cutover.Table) { o.New = "/tmp/x" }, diag.BadOption},
		"delta for hive":    {cutover.Hive, func(o *cutover.Table) { o.Name, o.Format = o.Name[1:], cutover.Delta }, diag.OptionRefused},
		"no delta catalog":  {cutover.Trino, func(o *cutover.Table) { o.Format, o.DeltaCatalog = cutover.Delta, "" }, diag.OptionRefused},
		"strange table":     {cutover.Hive, func(o *cutover.Table) { o.Name = []string{"sales", "orders-v1"} }, diag.OptionRefused},
		"strange field":     {cutover.Glue, func(o *cutover.Table) { o.Name, o.Columns = o.Name[1:], columns(t, "s struct<`a b`:int>") }, diag.OptionRefused},
		"a quote in Athena": {cutover.Athena, func(o *cutover.Table) { o.Name, o.Copy[1].Values = o.Name[1:], values("2026-11-02", "it's") }, diag.OptionRefused},
		"a variable":        {cutover.Spark, func(o *cutover.Table) { o.Columns[0].Name = "${env:HOME}" }, diag.OptionRefused},
		"two casings":       {cutover.Spark, func(o *cutover.Table) { o.Columns = columns(t, "a int, A int") }, diag.OptionRefused},
		"not UTF-8":         {cutover.Spark, func(o *cutover.Table) { o.New += "\xff" }, diag.OptionRefused},
	} {
		t.Run(name, func(t *testing.T) {
			o := orders(t)
			c.change(&o)
			if s, err := cutover.Write(c.engine, o); !errors.Is(err, &diag.Diagnostic{Code: c.code}) {
				t.Errorf("found %v and\n%s\nwanted %s", err, s, c.code)
			}
		})
	}
}

func TestParseName(t *testing.T) {
	for text, want := range map[string]string{
		"orders":          "orders",
		"sales.orders":    "sales|orders",
		"c.sales.orders":  "c|sales|orders",
		"`a.b`.`c``d`":    "a.b|c`d",
		`"a.b"."c""d".e`:  `a.b|c"d|e`,
		" sales . orders": "sales|orders",
		"sales.":          "",
		"":                "",
		"`sales":          "",
		"a.b.c.d":         "",
		"`a`b":            "",
	} {
		parts, err := cutover.ParseName(text)
		if found := strings.Join(parts, "|"); found != want || (err == nil) != (want != "") {
			t.Errorf("%s: found %q, %v, wanted %q", text, found, err, want)
		}
	}
}

func TestParseEngine(t *testing.T) {
	for _, e := range cutover.Engines() {
		if found, err := cutover.ParseEngine(string(e)); found != e || err != nil {
			t.Errorf("%s: found %q, %v", e, found, err)
		}
	}
	if _, err := cutover.ParseEngine("sparc"); !errors.Is(err, &diag.Diagnostic{Code: diag.BadOption}) || !strings.Contains(diag.Render(err, false), "spark") {
		t.Errorf("found %v, wanted a hint at spark", err)
	}
}

func TestAddress(t *testing.T) {
	for url, want := range map[string]string{
		"file:///tmp/a%20b/dt=1%253A":                      "file:///tmp/a b/dt=1%3A",
		"abfss://curated@acct.dfs.core.windows.net/o%20v2": "abfss://curated@acct.dfs.core.windows.net/o v2",
		"s3://bucket/a": "s3://bucket/a",
		"/tmp/100%":     "/tmp/100%",
	} {
		if found := cutover.Address(url); found != want {
			t.Errorf("%s: found %s, wanted %s", url, found, want)
		}
	}
}
