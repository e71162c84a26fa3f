package program_test

import (
	"flag"
	"os"
	"testing"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/program"
	"landfall/internal/flow"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// A program can be read: a part for each stream, under its name, and no more casts than
// say something.
func TestSeedProgram(t *testing.T) {
	const golden = "testdata/seed.sql"
	raw, err := os.ReadFile("../../../flow/syntax/testdata/seed.dfs")
	must(t, err)
	file := syntax.NewFile("seed.dfs", string(raw))
	script, err := syntax.Parse(file)
	must(t, err)
	functions, err := function.Load()
	must(t, err)
	one := fields(t, "order_id int, order_total int, currency string")
	two := fields(t, "order_id int, order_total decimal(18,2), currency string, discount_code string, `ship region` string, at timestamp")
	all := append(one[:1:1], two[1:]...)
	p, err := flow.Bind(file, script, flow.Options{Inputs: map[string][]schema.Field{"RawOrders": all}, Functions: functions})
	must(t, err)
	groups := []engine.Group{
		{Columns: one, Files: []engine.InputFile{{Key: "orders/day1.parquet", Shown: "/orders/day1.parquet"}}},
		{Columns: two, Files: []engine.InputFile{{Key: "orders/day2.parquet", Shown: "/orders/day2.parquet"}, {Key: "orders/day3.parquet", Shown: "/orders/day3.parquet"}}},
	}
	at := program.Places{Files: map[string]map[string]string{"RawOrders": {}}}
	for _, g := range groups {
		for _, f := range g.Files {
			at.Files["RawOrders"][f.Key] = f.Key
		}
	}
	job := engine.Job{Plan: p, Step: "CuratedOrders", Inputs: []engine.Input{{Source: "RawOrders", Groups: groups}}}
	got, err := program.Lower(job, at)
	must(t, err)
	if *update {
		must(t, os.WriteFile(golden, []byte(got+"\n"), 0o600))
	}
	want, err := os.ReadFile(golden)
	must(t, err)
	if got+"\n" != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func fields(t *testing.T, ddl string) []schema.Field {
	t.Helper()
	list, err := schema.ParseColumns(ddl)
	must(t, err)
	out := make([]schema.Field, len(list))
	for i, d := range list {
		out[i] = schema.Field{Name: d.Path[0], Type: d.Type, Nullable: true}
	}
	return out
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
