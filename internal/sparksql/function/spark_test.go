//go:build interop

package function_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/sparksql/function"
	"landfall/internal/sparktest"
)

// TestSpark holds the table against Spark: the examples of all functions, casts
// and operators, and calls drawn at random. One seed is fixed; LANDFALL_SEED
// is one more.
func TestSpark(t *testing.T) {
	conn, plain := session(t), session(t)
	// What is known before a row is seen is computed in another way.
	if _, err := plain.ExecContext(t.Context(), "PRAGMA disable_optimizer"); err != nil {
		t.Fatal(err)
	}
	examples := casts()
	var drawn []function.Example
	seeds := []uint64{20261201}
	if s := os.Getenv("LANDFALL_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, n)
	}
	seen := map[string]bool{}
	for _, name := range function.Names() {
		f, _ := function.Lookup(name)
		if f.Refused() != "" || seen[f.Name()] {
			continue
		}
		seen[f.Name()] = true
		examples = append(examples, f.Examples()...)
		for _, seed := range seeds {
			drawn = append(drawn, draw(t, f, seed)...)
		}
	}
	for _, seed := range seeds {
		drawn = append(drawn, drawOperators(seed)...)
	}
	questions := slices.Concat(examples, drawn)
	answers := askSpark(t, questions)
	for i, e := range questions {
		ours, theirs := ask(t, conn, e), answers[i]
		if again := ask(t, plain, e); again.value != ours.value || (again.err == "") != (ours.err == "") {
			t.Errorf("%s: found %s, and row by row %s %s", e.Expr, ours.value, again.value, again.err)
		}
		known := i < len(examples)
		switch {
		case known && (e.Value == "error") != (theirs.err != ""), known && theirs.err == "" && !agree(e.Value, theirs.value, theirs.typ):
			t.Errorf("%s: the table says %s, Spark says %s %s", e.Expr, e.Value, theirs.value, theirs.err)
		case strings.Contains(ours.err, "Binder Error"), strings.Contains(ours.err, "Parser Error"):
			t.Errorf("%s: %s", e.Expr, ours.err)
		case !known && (before.MatchString(theirs.err) || strings.Contains(ours.err, "interval")):
			// What Spark refuses before it runs may have a value here. Intervals have no texts here.
		case strings.Contains(ours.value, "(BC)"):
			// Years before the first are written otherwise.
		case ours.err != "" && theirs.err != "":
		case !known && refused.MatchString(ours.err):
			// What must stand as a literal in a query may be anything in Spark.
		case ours.err != "" || theirs.err != "":
			t.Errorf("%s: found %s %s, Spark says %s %s", e.Expr, ours.value, ours.err, theirs.value, theirs.err)
		case !agree(ours.value, theirs.value, ours.typ) || ours.typ != theirs.typ:
			t.Errorf("%s: found %s (%s), Spark says %s (%s)", e.Expr, ours.value, ours.typ, theirs.value, theirs.typ)
		}
	}
	t.Logf("%d functions, %d examples, %d calls drawn", len(seen), len(examples), len(drawn))
}

// before are the errors that Spark has before a query runs.
var before = regexp.MustCompile("DATATYPE_MISMATCH|INVALID_WINDOW_SPEC|INVALID_EXTRACT_FIELD")

// refused is what is said of arguments that must be literals.
var refused = regexp.MustCompile("found an expression, want|want a literal|found DISTINCT, want none")

// draw makes calls of a function. Window functions and generators have their
// examples alone.
func draw(t *testing.T, f *function.Function, seed uint64) []function.Example {
	t.Helper()
	if f.Random() || f.Kind() == function.Generator {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, 9)) //nolint:gosec // to draw again what failed
	if f.Kind() != function.Scalar {
		return drawRows(r, f)
	}
	var out []function.Example
	for _, text := range function.Draw(r, f, 8) {
		if text == "unix_timestamp()" {
			continue
		}
		out = append(out, function.Example{Expr: text})
	}
	return out
}

// drawRows makes calls of an aggregate or a window function, but of those whose
// values depend on the order in which an engine sees rows, and on columns that
// are grouped by.
func drawRows(r *rand.Rand, f *function.Function) []function.Example {
	var out []function.Example
	switch f.Name() {
	case "collect_set", "mode", "percentile_cont", "percentile_disc", "grouping", "grouping_id", "first", "last":
		return nil
	}
	for _, text := range function.DrawRows(r, f, 4) {
		if strings.Contains(text, "(DISTINCT") && (f.Name() == "collect_list" || f.Name() == "string_agg") {
			continue
		}
		out = append(out, function.Example{Expr: text, Rows: function.Rows})
	}
	return out
}

// drawOperators makes operators and casts of all types.
func drawOperators(seed uint64) []function.Example {
	r := rand.New(rand.NewPCG(seed, 10)) //nolint:gosec // to draw again what failed
	var out []function.Example
	for _, text := range function.DrawOperators(r, 400) {
		out = append(out, function.Example{Expr: text})
	}
	return out
}

// askSpark returns what Spark says to each question.
func askSpark(t *testing.T, questions []function.Example) []answer {
	t.Helper()
	var list [][3]any
	for _, q := range questions {
		rows := q.Rows
		if name, _, _ := strings.Cut(q.Expr, "("); rows == "" {
			if f, ok := function.Lookup(name); ok && f.Kind() == function.Generator {
				rows = "rows"
			}
		}
		list = append(list, [3]any{q.Expr, rows, q.Value == "error"})
	}
	var answers []struct{ Value, Type, Error string }
	sparktest.Ask(t, filepath.Join("testdata", "spark.py"), list, &answers)
	if len(answers) != len(questions) {
		t.Fatalf("Spark answered %d of %d questions", len(answers), len(questions))
	}
	texts := make([]answer, len(answers))
	for i, a := range answers {
		texts[i] = answer{value: a.Value, typ: a.Type, err: a.Error}
	}
	return texts
}
