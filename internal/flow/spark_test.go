//go:build interop

package flow_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSparkFlows draws flows, each as a script and, step by step, as SQL that a person
// would write for Spark, and holds what the script comes to here against what the SQL
// comes to there. Four seeds are fixed; LANDFALL_SEED is one more.
func TestSparkFlows(t *testing.T) {
	seeds := []uint64{1, 2, 3, 20788}
	if s := os.Getenv("LANDFALL_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, n)
	}
	var drafts []*draft
	for _, seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 8)) //nolint:gosec // to draw again what failed
		for range 45 {
			drafts = append(drafts, drawFlow(r))
		}
	}
	questions := make([]string, len(drafts))
	for i, d := range drafts {
		questions[i] = d.question()
	}
	for i, theirs := range askSpark(t, questions) {
		d := drafts[i]
		ours := d.run(t)
		want, ok := theirs.(string)
		if !ok {
			t.Errorf("Spark says %v of\n%s", theirs, questions[i])
			continue
		}
		if diff := d.compare(ours, want); diff != "" {
			t.Errorf("%s\n%s\n%s", diff, d.script(), questions[i])
		}
	}
}

// field is a column of a drawn flow: int, long, string, double, decimal, date or boolean.
type field struct{ name, kind string }

// draft is a flow on its way: the same steps as a script and as SQL.
type draft struct {
	r          *rand.Rand
	statements []string
	tables     []string // name AS (SELECT …)
	fields     []field
	now        string
	steps      int
	unique     bool // id tells rows apart
	joined     bool
	rows       map[string][]string // lines of the sources' files
}

// sourceFields are the columns of the two sources.
func sourceFields() map[string][]field {
	return map[string][]field{
		"S": {{"id", "int"}, {"a", "int"}, {"b", "int"}, {"s", "string"}, {"d", "double"}, {"m", "decimal"}, {"dt", "date"}},
		"T": {{"k", "int"}, {"v", "string"}},
	}
}

// typeNames are the types of kinds in a script, and in SQL.
func typeNames(kind string) (script, sql string) {
	switch kind {
	case "int":
		return "integer", "INT"
	case "double":
		return "double", "DOUBLE"
	case "decimal":
		return "decimal(10,2)", "DECIMAL(10,2)"
	case "date":
		return "date", "DATE"
	}
	return "string", "STRING"
}

// drawFlow draws a flow of some steps.
func drawFlow(r *rand.Rand) *draft {
	d := &draft{r: r, rows: map[string][]string{}, now: "S", fields: slices.Clone(sourceFields()["S"]), unique: true}
	for _, name := range []string{"S", "T"} {
		d.source(name, sourceFields()[name])
	}
	for range 1 + r.IntN(5) {
		d.step()
	}
	if r.IntN(3) == 0 {
		d.rename(true)
	}
	return d
}

// source draws the rows of a source.
func (d *draft) source(name string, fields []field) {
	var columns, names, values []string
	for _, f := range fields {
		script, _ := typeNames(f.kind)
		columns, names = append(columns, f.name+" as "+script), append(names, f.name)
	}
	for i := range 4 + d.r.IntN(8) {
		var cells []string
		doc := map[string]any{}
		for _, f := range fields {
			v, sql := d.value(f, i)
			_, typ := typeNames(f.kind)
			doc[f.name] = v
			cells = append(cells, "CAST("+sql+" AS "+typ+")")
		}
		line, err := json.Marshal(doc)
		if err != nil {
			panic(err)
		}
		d.rows[name] = append(d.rows[name], string(line))
		values = append(values, "("+strings.Join(cells, ", ")+")")
	}
	d.statements = append(d.statements, fmt.Sprintf("source(output(%s), allowSchemaDrift: false, validateSchema: false) ~> %s", strings.Join(columns, ", "), name))
	d.tables = append(d.tables, fmt.Sprintf("%s AS (SELECT * FROM VALUES %s AS t(%s))", name, strings.Join(values, ", "), strings.Join(names, ", ")))
}

// value draws a value, as JSON and as SQL.
func (d *draft) value(f field, i int) (v any, sql string) {
	if f.name == "id" {
		return i, strconv.Itoa(i)
	}
	if d.r.IntN(5) == 0 {
		return nil, "NULL"
	}
	switch f.kind {
	case "int":
		n := d.r.IntN(7) - 2
		return n, strconv.Itoa(n)
	case "double":
		text := pick(d.r, "0.5", "-1.25", "3", "100.75")
		return json.Number(text), text
	case "decimal":
		text := pick(d.r, "0.10", "-2.50", "99.99", "7.00")
		return json.Number(text), text
	case "date":
		text := fmt.Sprintf("2026-0%d-%02d", 1+d.r.IntN(3), 1+d.r.IntN(28))
		return text, "'" + text + "'"
	}
	text := pick(d.r, "a", "ab", " b ", "", "12", "Zoë", "x|y")
	return text, "'" + text + "'"
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// of draws a column of a kind; false if there is none.
func (d *draft) of(kind string) (string, bool) {
	var names []string
	for _, f := range d.fields {
		if f.kind == kind {
			names = append(names, f.name)
		}
	}
	if len(names) == 0 {
		return "", false
	}
	return pick(d.r, names...), true
}

// expr draws an expression of a kind, as a script has it and as SQL; depth bounds it.
func (d *draft) expr(kind string, depth int) (script, sql string) {
	if kind == "boolean" {
		return d.condition(depth)
	}
	name, ok := d.of(kind)
	if ok && (depth <= 0 || d.r.IntN(3) == 0) {
		return name, name
	}
	if depth <= 0 {
		return literalOf(kind)
	}
	depth--
	one := func(kind string) (string, string) { return d.expr(kind, depth) }
	both := func(kind, script, sql string) (string, string) {
		a, x := one(kind)
		b, y := one(kind)
		return fmt.Sprintf(script, a, b), fmt.Sprintf(sql, x, y)
	}
	if d.r.IntN(3) == 0 {
		c, z := d.condition(depth)
		a, x := one(kind)
		b, y := one(kind)
		return fmt.Sprintf("iif(%s, %s, %s)", c, a, b), fmt.Sprintf("IF(%s, %s, %s)", z, x, y)
	}
	switch kind + strconv.Itoa(d.r.IntN(3)) {
	case "int0":
		return both(kind, "(%s + %s)", "(%s + %s)")
	case "int1":
		a, x := one("string")
		return "length(" + a + ")", "length(" + x + ")"
	case "int2":
		a, x := one("date")
		return "year(" + a + ")", "year(" + x + ")"
	case "string0":
		return both(kind, "concat(%s, %s)", "concat(%s, %s)")
	case "string1":
		a, x := one(kind)
		f := pick(d.r, "upper", "lower", "trim", "reverse")
		return f + "(" + a + ")", f + "(" + x + ")"
	case "string2":
		a, x := one("int")
		return "toString(" + a + ")", "CAST(" + x + " AS STRING)"
	case "double0":
		a, x := one("int")
		return "toDouble(" + a + ")", "CAST(" + x + " AS DOUBLE)"
	case "double1", "double2":
		return both(kind, "(%s + %s)", "(%s + %s)")
	case "decimal0", "decimal1":
		a, x := one("int")
		return "toDecimal(" + a + ", 10, 2)", "CAST(" + x + " AS DECIMAL(10,2))"
	case "decimal2":
		return both(kind, "coalesce(%s, %s)", "coalesce(%s, %s)")
	case "date0":
		a, x := one(kind)
		return "addDays(" + a + ", 30)", "date_add(" + x + ", 30)"
	case "date1":
		a, x := one(kind)
		return "lastDayOfMonth(" + a + ")", "last_day(" + x + ")"
	}
	return both(kind, "coalesce(%s, %s)", "coalesce(%s, %s)")
}

func literalOf(kind string) (script, sql string) {
	switch kind {
	case "int":
		return "3", "3"
	case "double":
		return "1.5", "1.5D"
	case "decimal":
		return "toDecimal('4.20', 10, 2)", "CAST('4.20' AS DECIMAL(10,2))"
	case "date":
		return "toDate('2026-02-28')", "DATE'2026-02-28'"
	}
	return "'q'", "'q'"
}

// condition draws an expression that is true, false or null.
func (d *draft) condition(depth int) (script, sql string) {
	kind := pick(d.r, "int", "string", "double", "decimal", "date")
	a, x := d.expr(kind, depth-1)
	b, y := d.expr(kind, depth-1)
	switch d.r.IntN(6) {
	case 0:
		return "isNull(" + a + ")", "(" + x + " IS NULL)"
	case 1:
		return "(" + a + " === " + b + ")", "(" + x + " <=> " + y + ")"
	case 2:
		if depth > 0 {
			c, z := d.condition(depth - 1)
			return "(!(" + c + ") && " + a + " != " + b + ")", "(NOT (" + z + ") AND " + x + " != " + y + ")"
		}
	case 3:
		if depth > 0 {
			c, z := d.condition(depth - 1)
			return "(" + c + " || " + a + " < " + b + ")", "(" + z + " OR " + x + " < " + y + ")"
		}
	}
	op := pick(d.r, "==", ">", "<=")
	return "(" + a + " " + op + " " + b + ")", "(" + x + " " + strings.Replace(op, "==", "=", 1) + " " + y + ")"
}

// add adds a step: the text of a transformation, and the SELECT that it is.
func (d *draft) add(statement, sql string) {
	d.steps++
	name := "N" + strconv.Itoa(d.steps)
	d.statements = append(d.statements, statement+" ~> "+name)
	d.tables = append(d.tables, name+" AS ("+sql+")")
	d.now = name
}

// names are those of the columns now, with another in front of each.
func (d *draft) names(of string) string {
	var out []string
	for _, f := range d.fields {
		out = append(out, of+f.name)
	}
	return strings.Join(out, ", ")
}
