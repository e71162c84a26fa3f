package function_test

import (
	"testing"

	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// TestCallsStandInPlans holds that an expression of a plan can hold a call, and
// that an engine gets its texts from there.
func TestCallsStandInPlans(t *testing.T) {
	call, err := load(t).Resolve("sum", args(schema.Integer))
	if err != nil {
		t.Fatal(err)
	}
	var fn plan.Windowed = call
	text, err := fn.Over(function.DuckDB, []string{"x"}, "(ORDER BY x)")
	if want := "CAST(sum(x) OVER (ORDER BY x) AS BIGINT)"; fn.Name() != "sum" || text != want || err != nil {
		t.Errorf("%s: found %q (%v), want %q", fn.Name(), text, err, want)
	}
	if text, err = fn.SQL("oracle", []string{"x"}); err == nil {
		t.Errorf("found %q for an engine without templates", text)
	}
}
