//go:build interop

package flow_test

import (
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/flow"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
	"landfall/internal/sparktest"
	"landfall/internal/store/local"
)

// step draws a transformation.
func (d *draft) step() {
	kinds := []func(){d.derive, d.derive, d.filter, d.aggregate, d.exists, d.union, d.split, d.rank, func() { d.rename(false) }}
	if !d.joined {
		kinds = append(kinds, d.join, d.join)
	}
	if d.unique {
		kinds = append(kinds, d.window, d.window)
	}
	if _, ok := d.of("int"); ok {
		kinds = append(kinds, d.pivot, d.unpivot)
	}
	pick(d.r, kinds...)()
}

func (d *draft) derive() {
	kind := pick(d.r, "int", "string", "double", "decimal", "date", "boolean")
	a, x := d.expr(kind, 3)
	name := "x" + strconv.Itoa(d.steps)
	d.add(fmt.Sprintf("%s derive(%s = %s)", d.now, name, a), fmt.Sprintf("SELECT *, %s AS %s FROM %s", x, name, d.now))
	d.fields = append(d.fields, field{name, kind})
}

func (d *draft) filter() {
	a, x := d.condition(2)
	d.add(d.now+" filter("+a+")", "SELECT * FROM "+d.now+" WHERE "+x)
}

func (d *draft) aggregate() {
	group := pick(d.r, d.fields...)
	fields := []field{group}
	scripts, sqls := []string{}, []string{group.name}
	give := func(name, kind, script, sql string) {
		name += strconv.Itoa(d.steps)
		fields = append(fields, field{name, kind})
		scripts, sqls = append(scripts, name+" = "+script), append(sqls, sql+" AS "+name)
	}
	give("n", "long", "count(1)", "count(1)")
	if name, ok := d.of("int"); ok {
		give("sum", "long", "sum("+name+")", "sum("+name+")")
		give("avg", "double", "avg("+name+")", "avg("+name+")")
		give("dist", "long", "countDistinct("+name+")", "count(DISTINCT "+name+")")
	}
	if name, ok := d.of("decimal"); ok {
		give("most", "decimal", "max("+name+")", "max("+name+")")
	}
	if name, ok := d.of("string"); ok {
		give("least", "string", "min("+name+")", "min("+name+")")
	}
	d.add(fmt.Sprintf("%s aggregate(groupBy(%s), %s)", d.now, group.name, strings.Join(scripts, ", ")),
		fmt.Sprintf("SELECT %s FROM %s GROUP BY %s", strings.Join(sqls, ", "), d.now, group.name))
	d.fields, d.unique = fields, false
}

func (d *draft) join() {
	name, ok := d.of("int")
	if !ok {
		return
	}
	d.joined, d.unique = true, false
	kinds := map[string]string{"inner": "INNER", "left": "LEFT", "right": "RIGHT", "outer": "FULL"}
	kind := pick(d.r, "inner", "left", "right", "outer", "lookup")
	op, sqlOp := "==", "="
	if d.r.IntN(3) == 0 {
		op, sqlOp = "===", "<=>"
	}
	if kind == "lookup" {
		d.add(fmt.Sprintf("%s, T lookup(%s %s k, multiple: true, broadcast: 'auto')", d.now, name, op),
			fmt.Sprintf("SELECT * FROM %s LEFT JOIN T ON %s %s k", d.now, name, sqlOp))
	} else {
		d.add(fmt.Sprintf("%s, T join(%s %s k, joinType: '%s', broadcast: 'auto')", d.now, name, op, kind),
			fmt.Sprintf("SELECT * FROM %s %s JOIN T ON %s %s k", d.now, kinds[kind], name, sqlOp))
	}
	d.fields = append(d.fields, field{"k", "int"}, field{"v", "string"})
}

func (d *draft) exists() {
	name, ok := d.of("int")
	if !ok {
		return
	}
	if d.joined {
		return // k would be there twice
	}
	negate, not := false, ""
	if d.r.IntN(2) == 0 {
		negate, not = true, "NOT "
	}
	d.add(fmt.Sprintf("%s, T exists(%s == k, negate: %t, broadcast: 'auto')", d.now, name, negate),
		fmt.Sprintf("SELECT * FROM %s WHERE %sEXISTS (SELECT 1 FROM T WHERE %s = k)", d.now, not, name))
}

func (d *draft) union() {
	before := d.now
	a, x := d.condition(1)
	d.add(before+" filter("+a+")", "SELECT * FROM "+before+" WHERE "+x)
	d.add(fmt.Sprintf("%s, %s union(byName: true)", before, d.now), fmt.Sprintf("SELECT %s FROM %s UNION ALL SELECT %s FROM %s", d.names(""), before, d.names(""), d.now))
	d.unique = false
}

func (d *draft) split() {
	a, x := d.condition(1)
	d.steps++
	name := "P" + strconv.Itoa(d.steps)
	d.statements = append(d.statements, fmt.Sprintf("%s split(%s, disjoint: false) ~> %s@(yes, no)", d.now, a, name))
	if d.r.IntN(2) == 0 {
		d.add(name+"@yes filter(true())", "SELECT * FROM "+d.now+" WHERE "+x)
		return
	}
	d.add(name+"@no filter(true())", "SELECT * FROM "+d.now+" WHERE NOT coalesce("+x+", false)")
}

func (d *draft) rank() {
	by, name := pick(d.r, d.fields...), "r"+strconv.Itoa(d.steps)
	dense, f := false, "rank"
	if d.r.IntN(2) == 0 {
		dense, f = true, "dense_rank"
	}
	d.add(fmt.Sprintf("%s rank(desc(%s, false), caseInsensitive: false, dense: %t, output(%s as long))", d.now, by.name, dense, name),
		fmt.Sprintf("SELECT *, CAST(%s() OVER (ORDER BY %s DESC NULLS LAST) AS BIGINT) AS %s FROM %s", f, by.name, name, d.now))
	d.fields = append(d.fields, field{name, "long"})
}

// rename renames all columns but id: one by one, or by a pattern, after which none can be
// named.
func (d *draft) rename(byRule bool) {
	var list, fixed []string
	tail := "_" + strconv.Itoa(d.steps)
	if at := slices.IndexFunc(d.fields, func(f field) bool { return f.name == "id" }); at > 0 {
		id := d.fields[at]
		d.fields = slices.Insert(slices.Delete(d.fields, at, at+1), 0, id)
	}
	for i, f := range d.fields {
		if f.name == "id" {
			list, fixed = append(list, "id"), append(fixed, "id")
			continue
		}
		list, fixed = append(list, f.name+" AS "+f.name+tail), append(fixed, f.name+tail+" = "+f.name)
		d.fields[i].name += tail
	}
	mapping := strings.Join(fixed, ", ")
	if byRule {
		mapping = "each(match(name == 'id')), each(match(name != 'id'), $$ + '" + tail + "' = $$)"
	}
	d.add(d.now+" select(mapColumn("+mapping+"))", fmt.Sprintf("SELECT %s FROM %s", strings.Join(list, ", "), d.now))
}

func (d *draft) window() {
	over := pick(d.r, d.fields...)
	names := []string{"w" + strconv.Itoa(d.steps), "y" + strconv.Itoa(d.steps), "z" + strconv.Itoa(d.steps)}
	sum, ok := d.of("int")
	if !ok {
		return
	}
	spec := fmt.Sprintf("OVER (PARTITION BY %s ORDER BY id", over.name)
	d.add(fmt.Sprintf("%s window(over(%s), asc(id, true), %s = rowNumber(), %s = sum(%s), %s = lag(%s, 1))", d.now, over.name, names[0], names[1], sum, names[2], sum),
		fmt.Sprintf("SELECT *, CAST(row_number() %s) AS BIGINT) AS %s, sum(%s) %s ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS %s, lag(%s, 1) %s) AS %s FROM %s",
			spec, names[0], sum, spec, names[1], sum, spec, names[2], d.now))
	d.fields = append(d.fields, field{names[0], "long"}, field{names[1], "long"}, field{names[2], "int"})
}

func (d *draft) pivot() {
	name, _ := d.of("int")
	group := pick(d.r, d.fields...)
	if group.name == name {
		return
	}
	tail := strconv.Itoa(d.steps)
	d.add(fmt.Sprintf("%s pivot(groupBy(%s), pivotBy(%s, [1, 2]), n%s = count(1), columnNaming: '$N_$V', lateral: true)", d.now, group.name, name, tail),
		fmt.Sprintf("SELECT %s, nullif(sum(CASE WHEN %s = 1 THEN 1 ELSE 0 END), 0) AS n%s_1, nullif(sum(CASE WHEN %s = 2 THEN 1 ELSE 0 END), 0) AS n%s_2 FROM %s GROUP BY %s", group.name, name, tail, name, tail, d.now, group.name))
	d.fields, d.unique = []field{group, {"n" + tail + "_1", "long"}, {"n" + tail + "_2", "long"}}, false
}

func (d *draft) unpivot() {
	var ints, others []string
	for _, f := range d.fields {
		if f.kind == "int" && f.name != "id" {
			ints = append(ints, f.name)
		} else {
			others = append(others, f.name)
		}
	}
	if len(ints) == 0 || len(others) == 0 {
		return
	}
	tail := strconv.Itoa(d.steps)
	var parts []string
	for _, name := range ints {
		parts = append(parts, fmt.Sprintf("SELECT %s, '%s' AS key%s, %s AS val%s FROM %s WHERE %s IS NOT NULL", strings.Join(others, ", "), name, tail, name, tail, d.now, name))
	}
	d.add(fmt.Sprintf("%s unpivot(output(key%s as string, val%s as integer), ungroupBy(%s), lateral: true, ignoreNullPivots: true)", d.now, tail, tail, strings.Join(others, ", ")), strings.Join(parts, " UNION ALL "))
	d.fields = slices.DeleteFunc(d.fields, func(f field) bool { return slices.Contains(ints, f.name) })
	d.fields = append(d.fields, field{"key" + tail, "string"}, field{"val" + tail, "int"})
	d.unique, d.joined = false, true
}

func (d *draft) script() string {
	return strings.Join(d.statements, "\n") + "\n" + d.now + " sink(allowSchemaDrift: true, validateSchema: false) ~> Out\n"
}

// separator stands between the cells of a row.
const separator = "\x1f"

// question is the SQL that Spark is asked: all rows as one text, sorted.
func (d *draft) question() string {
	var cells []string
	for _, f := range d.fields {
		cells = append(cells, "coalesce(CAST("+f.name+" AS STRING), 'NULL')")
	}
	return fmt.Sprintf("(WITH %s SELECT concat_ws('\x1e', collect_list(concat_ws('%s', %s))) FROM %s)", strings.Join(d.tables, ", "), separator, strings.Join(cells, ", "), d.now)
}

// run runs the script over the rows.
func (d *draft) run(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	f := syntax.NewFile("flow.dfs", d.script())
	s, err := syntax.Parse(f)
	if err != nil {
		t.Fatalf("%s\n%s", diag.Render(err, false), d.script())
	}
	o := flow.Options{Inputs: map[string][]schema.Field{}, Functions: table(t)}
	st, err := local.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []engine.Input
	for name, fields := range sourceFields() {
		var ddl []string
		for _, c := range fields {
			_, typ := typeNames(c.kind)
			ddl = append(ddl, c.name+" "+typ)
		}
		o.Inputs[name] = columns(t, strings.Join(ddl, ", "))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(d.rows[name], "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, engine.Input{Source: name, Store: st, Groups: []engine.Group{{Format: engine.JSON, Columns: o.Inputs[name], Files: []engine.InputFile{{Key: name, Shown: name}}}}})
	}
	p, err := flow.Bind(f, s, o)
	if err != nil {
		t.Fatalf("%s\n%s", diag.Render(err, false), d.script())
	}
	e, err := duckdb.Open(t.Context(), duckdb.Options{Threads: 1, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	err = e.Run(t.Context(), engine.Job{Plan: p, Step: "Out", Inputs: inputs, Now: time.Unix(0, 0)}, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			cells := make([]string, len(row))
			for i, v := range row {
				cells[i] = engine.Text(v)
			}
			rows = append(rows, strings.Join(cells, separator))
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s\n%s", diag.Render(err, false), d.script())
	}
	return rows
}

// compare returns how rows differ, in any order; "" if they do not.
func (d *draft) compare(ours []string, theirs string) string {
	var want []string
	if theirs != "" {
		want = strings.Split(theirs, "\x1e")
	}
	found := make([]string, len(ours))
	for i, row := range ours {
		found[i] = d.canonical(row)
	}
	for i, row := range want {
		want[i] = d.canonical(row)
	}
	slices.Sort(found)
	slices.Sort(want)
	if slices.Equal(found, want) {
		return ""
	}
	return "found\n" + strings.Join(found, "\n") + "\nSpark says\n" + strings.Join(want, "\n")
}

// canonical writes numbers of a row in one way; doubles to twelve digits, for engines add in
// other orders.
func (d *draft) canonical(row string) string {
	cells := strings.Split(row, separator)
	for i, c := range cells {
		if i >= len(d.fields) {
			break
		}
		switch d.fields[i].kind {
		case "double":
			if f, err := strconv.ParseFloat(c, 64); err == nil && !math.IsNaN(f) {
				cells[i] = strconv.FormatFloat(f, 'g', 12, 64)
			}
		case "decimal":
			if r, ok := new(big.Rat).SetString(c); ok {
				cells[i] = r.RatString()
			}
		}
	}
	return strings.Join(cells, " | ")
}

// askSpark returns what Spark says to each question: a text, nil or an error.
func askSpark(t *testing.T, questions []string) []any {
	t.Helper()
	var answers []any
	sparktest.Ask(t, filepath.Join("..", "plan", "function", "testdata", "spark.py"), questions, &answers)
	if len(answers) != len(questions) {
		t.Fatalf("Spark answered %d of %d questions", len(answers), len(questions))
	}
	return answers
}
