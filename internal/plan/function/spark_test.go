//go:build interop

package function_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/plan/function"
	"landfall/internal/schema"
	"landfall/internal/sparktest"
)

// question is an expression for both engines.
type question struct {
	text         string
	typ          schema.Type
	duck, spark  string
	name, forced string // forced is what Spark must say, where the table says it
}

// TestSpark holds random calls of functions that have a text for Spark against
// Spark itself. Two seeds are fixed; LANDFALL_SEED is one more.
func TestSpark(t *testing.T) {
	table := load(t)
	conn := session(t)
	seeds := []uint64{20261201, 266}
	if s := os.Getenv("LANDFALL_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, n)
	}
	var questions []question
	asked := map[string]int{}
	for _, seed := range seeds {
		questions = append(questions, drawAll(t, table, seed, asked)...)
	}
	questions = append(questions, differences(t, table)...)
	t.Logf("%d calls of %d functions", len(questions), len(asked))
	for i, theirs := range askSpark(t, questions) {
		compareSpark(t, conn, questions[i], theirs)
	}
}

// drawAll makes some calls of each function that runs, and counts them.
func drawAll(t *testing.T, table *function.Table, seed uint64, asked map[string]int) []question {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 8)) //nolint:gosec // to draw again what failed
	var out []question
	for _, name := range table.Names() {
		if !table.Lookup(name).Runs() || strings.Contains(table.Lookup(name).Name, "=") || name == "uuid" {
			continue
		}
		found := 0
		for tries := 0; tries < 1500 && found < 6; tries++ {
			if q, ok := draw(t, r, table, name); ok {
				out = append(out, q)
				found++
			}
		}
		asked[name] += found
	}
	return out
}

// huge is a number of which Spark takes the last 32 bits where it wants an integer.
const huge = "9223372036854775807l"

// listed are the arguments for which the table lists what Spark makes of them.
var listed = map[string][]string{
	"split": {", '')"}, "left": {huge}, "right": {huge}, "dropLeft": {huge, "2147483647"}, "dropRight": {huge}, "lpad": {huge}, "rpad": {huge},
	"substring": {huge}, "factorial": {huge}, "at": {huge},
}

// draw makes a call at random; false if no form fits it.
func draw(t *testing.T, r *rand.Rand, table *function.Table, name string) (question, bool) {
	t.Helper()
	text, aggregate := drawn(r, table, name, slices.Concat(operands, wild))
	for _, part := range listed[name] {
		if strings.Contains(text, part) {
			return question{}, false
		}
	}
	return ask(t, table, name, text, aggregate)
}

func ask(t *testing.T, table *function.Table, name, text string, aggregate bool) (question, bool) {
	t.Helper()
	duck, err := bind(t, table, function.DuckDB, text, columns)
	if err != nil || duck.sql == "" {
		return question{}, false
	}
	spark, err := bind(t, table, function.Spark, text, columns)
	if err != nil || duck.typ == schema.Unknown || !comparable(duck.typ) {
		return question{}, false
	}
	q := question{name: name, text: text, typ: duck.typ, duck: shown(function.DuckDB, duck), spark: shown(function.Spark, spark)}
	if aggregate {
		q.duck, q.spark = "(SELECT "+q.duck+columnRows, "(SELECT "+q.spark+columnRows
	}
	return q, true
}

// comparable reports whether both engines write a type the same as JSON: of the
// keys and values of maps that holds for whole numbers and texts alone.
func comparable(typ schema.Type) bool {
	m, ok := typ.(schema.Map)
	if !ok {
		return true
	}
	for _, part := range []schema.Type{m.Key, m.Value} {
		if part != schema.String && part != schema.Integer && part != schema.Long {
			return false
		}
	}
	return true
}

// shown is an expression as text.
func shown(engine function.Engine, b bound) string {
	switch b.typ.(type) {
	case schema.Array, schema.Map, schema.Struct:
		return "CAST(to_json(" + b.sql + ") AS " + function.TypeSQL(engine, schema.String) + ")"
	}
	if b.typ == schema.Binary {
		return "hex(" + b.sql + ")"
	}
	return "CAST(" + b.sql + " AS " + function.TypeSQL(engine, schema.String) + ")"
}

// differences are the calls of which the table says what Spark makes of them.
func differences(t *testing.T, table *function.Table) []question {
	t.Helper()
	var out []question
	for _, name := range table.Names() {
		for _, d := range table.Lookup(name).Differs {
			q, ok := ask(t, table, name, d.Expr, false)
			want, err := bind(t, table, function.Spark, d.Spark, nil)
			if !ok || err != nil {
				t.Errorf("%s: cannot be asked (%v)", d.Expr, err)
				continue
			}
			q.forced = shown(function.Spark, want)
			out = append(out, q)
		}
	}
	return out
}

// askSpark returns what Spark says to each question: a text, nil or an error.
func askSpark(t *testing.T, questions []question) []any {
	t.Helper()
	texts := make([]string, 0, len(questions))
	for _, q := range questions {
		text := q.spark
		if q.forced != "" {
			text = "CASE WHEN " + text + " <=> " + q.forced + " THEN 'as the table says' ELSE concat('Spark says ', " + text + ") END"
		}
		texts = append(texts, text)
	}
	var answers []any
	sparktest.Ask(t, filepath.Join("testdata", "spark.py"), texts, &answers)
	if len(answers) != len(questions) {
		t.Fatalf("Spark answered %d of %d questions", len(answers), len(questions))
	}
	return answers
}

func compareSpark(t *testing.T, conn *sql.Conn, q question, theirs any) {
	t.Helper()
	if q.forced != "" {
		if theirs != "as the table says" {
			t.Errorf("%s: %v", q.text, theirs)
		}
		return
	}
	var ours sql.NullString
	err := conn.QueryRowContext(t.Context(), "SELECT "+q.duck).Scan(&ours)
	fault, failed := theirs.(map[string]any)
	reason := fmt.Sprint(fault["error"])
	switch {
	case err != nil && failed:
	case err != nil && tooFar.MatchString(err.Error()):
		// Numbers and days that their type does not hold end a run, and do not become others.
	case strings.Contains(reason, "REGEX_GROUP_INDEX") && ours.String == "":
		// A group that there is not has no text, as the service says.
	case strings.Contains(reason, "MALFORMED_CHARACTER_CODING") && (!ours.Valid || strings.Contains(ours.String, "\ufffd")):
		// Conversions never fail.
	case err != nil || failed:
		t.Errorf("%s: found %v (%v), Spark says %v\n%s\n%s", q.text, ours, err, theirs, q.duck, q.spark)
	case !agree(q.typ, ours, theirs):
		t.Errorf("%s: found %+v, Spark says %v\n%s\n%s", q.text, ours, theirs, q.duck, q.spark)
	}
}

// agree compares two values as texts; doubles may differ in their last digits,
// for the engines add and compute in other orders.
func agree(typ schema.Type, ours sql.NullString, theirs any) bool {
	text, ok := theirs.(string)
	if !ok || !ours.Valid {
		return !ok && !ours.Valid
	}
	switch _, decimal := typ.(schema.Decimal); {
	case decimal:
		a, okA := new(big.Rat).SetString(ours.String)
		b, okB := new(big.Rat).SetString(text)
		return okA && okB && a.Cmp(b) == 0
	case typ == schema.Float:
		return near(ours.String, text, 1e-6)
	case typ == schema.Double:
		return near(ours.String, text, 1e-12)
	case typ == schema.Date || typ == schema.Timestamp:
		return ours.String == strings.TrimPrefix(text, "+")
	case strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{"):
		var a, b any
		if json.Unmarshal([]byte(notNumbers.ReplaceAllString(ours.String, `"$0"`)), &a) == nil && json.Unmarshal([]byte(text), &b) == nil {
			return reflect.DeepEqual(a, b)
		}
	}
	return marks.ReplaceAllString(ours.String, "\ufffd") == marks.ReplaceAllString(text, "\ufffd")
}

// tooFar are the errors of numbers and days out of range.
var tooFar = regexp.MustCompile("Overflow in|Date out of range|not in timestamp range|can't be cast because the value is out of range")

// marks stand for bytes that are no letters, one for each or one for some.
var marks = regexp.MustCompile("\ufffd+")

// notNumbers are the doubles that JSON has no numbers for: Spark puts quotes around them.
var notNumbers = regexp.MustCompile(`\bNaN\b|-?\bInfinity\b`)

func near(ours, theirs string, apart float64) bool {
	a, err := strconv.ParseFloat(strings.TrimPrefix(ours, "-"), 64)
	if strings.HasPrefix(ours, "-") {
		a = -a
	}
	b, failed := strconv.ParseFloat(theirs, 64)
	if err != nil || failed != nil {
		return ours == theirs
	}
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= apart*max(math.Abs(a), math.Abs(b))
}
