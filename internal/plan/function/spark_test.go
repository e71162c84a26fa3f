//go:build interop

package function_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// question is an expression for both engines.
type question struct {
	text         string
	typ          schema.Type
	duck, spark  string
	name, forced string // forced is what Spark must say, where the table says it
}

// TestSpark holds random calls of functions that have a text for Spark against
// Spark itself.
func TestSpark(t *testing.T) {
	table := load(t)
	conn := session(t)
	seed := uint64(20261201)
	if s := os.Getenv("LANDFALL_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 8))
	var questions []question
	asked := map[string]int{}
	for _, name := range table.Names() {
		if !table.Lookup(name).Runs() || strings.Contains(table.Lookup(name).Name, "=") || name == "uuid" {
			continue
		}
		for tries := 0; tries < 1500 && asked[name] < 6; tries++ {
			if q, ok := draw(t, r, table, name); ok {
				questions = append(questions, q)
				asked[name]++
			}
		}
	}
	questions = append(questions, differences(t, table)...)
	t.Logf("%d calls of %d functions", len(questions), len(asked))
	for i, theirs := range askSpark(t, questions) {
		compareSpark(t, conn, questions[i], theirs)
	}
}

// draw makes a call at random; false if no form fits it.
func draw(t *testing.T, r *rand.Rand, table *function.Table, name string) (question, bool) {
	t.Helper()
	text, aggregate := drawn(r, table, name)
	if name == "split" && strings.HasSuffix(text, ", '')") {
		return question{}, false // the table lists the difference
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
	data, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	in, out := filepath.Join(folder, "in.json"), filepath.Join(folder, "out.json")
	if err := os.WriteFile(in, data, 0o600); err != nil {
		t.Fatal(err)
	}
	cache := os.Getenv("LANDFALL_CACHE")
	if cache == "" {
		cache = filepath.Join("..", "..", "..", ".cache")
	}
	c := exec.CommandContext(t.Context(), filepath.Join(cache, "spark41", "bin", "python"), "-B", filepath.Join("testdata", "spark.py"), in, out)
	c.Env = append(os.Environ(), "TZ=UTC")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("ask Spark: %v\n%s", err, text)
	}
	if data, err = os.ReadFile(out); err != nil {
		t.Fatal(err)
	}
	var answers []any
	if err := json.Unmarshal(data, &answers); err != nil {
		t.Fatal(err)
	}
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
	switch {
	case typ == schema.Double || typ == schema.Float:
		return near(ours.String, text)
	case strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{"):
		var a, b any
		if json.Unmarshal([]byte(ours.String), &a) == nil && json.Unmarshal([]byte(text), &b) == nil {
			return reflect.DeepEqual(a, b)
		}
	}
	return ours.String == text
}

func near(ours, theirs string) bool {
	a, err := strconv.ParseFloat(strings.TrimPrefix(ours, "-"), 64)
	if strings.HasPrefix(ours, "-") {
		a = -a
	}
	b, failed := strconv.ParseFloat(theirs, 64)
	if err != nil || failed != nil {
		return ours == theirs
	}
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b))
}
