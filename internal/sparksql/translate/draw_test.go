//go:build interop

package translate_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// drawing draws queries over the tables of the tests. None of what it draws fails for
// some rows alone, as engines are free to see rows that others pass over.
type drawing struct{ *rapid.T }

// drawQueries draws queries: the same ones for a seed.
func drawQueries(seed, n int) []string {
	g := rapid.Custom(func(t *rapid.T) string { return drawing{t}.query(true) })
	out := make([]string, n)
	for i := range out {
		out[i] = g.Example(seed + i)
	}
	return out
}

func (d drawing) one(of ...string) string { return rapid.SampledFrom(of).Draw(d.T, "one") }

func (d drawing) chance(percent int) bool {
	return rapid.IntRange(1, 100).Draw(d.T, "chance") <= percent
}

func (d drawing) upTo(n int) int { return rapid.IntRange(1, n).Draw(d.T, "count") }

// columns are what a place of a query may name, by kind.
type columns struct{ number, text, day, truth []string }

func (c columns) with(o columns) columns {
	return columns{append(c.number, o.number...), append(c.text, o.text...), append(c.day, o.day...), append(c.truth, o.truth...)}
}

func tripsAs(n string) columns {
	return columns{
		number: []string{n + ".id", n + ".fare", n + ".dist", n + ".pay.amount", "size(" + n + ".tags)", n + ".extra['k']"},
		text:   []string{n + ".vendor", n + ".pay.kind", n + ".note", "get_json_object(" + n + ".note, '$.a.b')"},
		day:    []string{n + ".day", n + ".at"},
		truth:  []string{n + ".fare > 0", "array_contains(" + n + ".tags, 'x')"},
	}
}

func vendorsAs(n string) columns {
	return columns{number: []string{n + ".since"}, text: []string{n + ".vendor", n + ".name"}, truth: []string{n + ".since > 2001"}}
}

// from draws FROM, and what it has.
func (d drawing) from() (string, columns) {
	a, b := tripsAs("t"), vendorsAs("v")
	switch d.one("one", "join", "join", "self", "sub", "view", "semi") {
	case "join":
		on := d.one("t.vendor = v.vendor", "t.vendor <=> v.vendor", "t.id + 2000 = v.since", "t.vendor = v.vendor and t.fare > 0", "t.vendor < v.vendor or v.since is null")
		return "trips t " + d.one("join", "left join", "right join", "full join", "inner join") + " vendors v on " + on, a.with(b)
	case "self":
		return "trips t, trips u", a.with(tripsAs("u"))
	case "sub":
		return "(select * from trips where " + d.truth(tripsAs("trips"), 1) + ") t cross join vendors v", a.with(b)
	case "view":
		a.text = append(a.text, "tag")
		return "trips t lateral view " + d.one("", "outer ") + "explode(t.tags) x as tag", a
	case "semi":
		return "trips t left " + d.one("semi", "anti") + " join vendors v on t.vendor = v.vendor", a
	}
	return "trips t", a
}

func (d drawing) number(c columns, depth int) string {
	if depth <= 0 || d.chance(30) {
		return d.one(append([]string{"1", "2.5", "0.5D", "-3", "10L"}, c.number...)...)
	}
	x := func() string { return d.number(c, depth-1) }
	switch d.one("+", "-", "*", "/", "abs", "coalesce", "case", "cast", "length", "greatest", "neg", "year", "round", "if") {
	case "+":
		return "(" + x() + " + " + x() + ")"
	case "-":
		return "(" + x() + " - " + x() + ")"
	case "*":
		return "(" + x() + " * " + d.one("2", "1.5", "id_") + ")"
	case "/":
		return "(" + x() + " / " + d.one("2", "4", "2.5", "0.5D") + ")"
	case "abs":
		return "abs(" + x() + ")"
	case "coalesce":
		return "coalesce(" + x() + ", " + x() + ")"
	case "case":
		return "case when " + d.truth(c, depth-1) + " then " + x() + d.one("", " else "+x()) + " end"
	case "cast":
		return "cast(" + x() + " as " + d.one("bigint", "double", "decimal(20,4)", "int") + ")"
	case "length":
		return "length(" + d.text(c, depth-1) + ")"
	case "greatest":
		return d.one("greatest", "least") + "(" + x() + ", " + x() + ")"
	case "year":
		if len(c.day) > 0 {
			return d.one("year", "month", "day", "dayofweek", "weekofyear") + "(" + d.one(c.day...) + ")"
		}
	case "round":
		return d.one("round", "floor", "ceil") + "(" + x() + ")"
	case "if":
		return "if(" + d.truth(c, depth-1) + ", " + x() + ", " + x() + ")"
	}
	return "-(" + x() + ")"
}

func (d drawing) text(c columns, depth int) string {
	if depth <= 0 || d.chance(40) {
		return d.one(append([]string{"'a'", "'Beta'", "''", "'x,y'"}, c.text...)...)
	}
	x := func() string { return d.text(c, depth-1) }
	switch d.one("upper", "concat", "coalesce", "substr", "cast", "nullif", "trim", "case", "replace") {
	case "upper":
		return d.one("upper", "lower", "initcap", "reverse") + "(" + x() + ")"
	case "concat":
		return d.one("concat("+x()+", '-', "+x()+")", "concat_ws('-', "+x()+", "+x()+")", "("+x()+" || "+x()+")")
	case "substr":
		return "substring(" + x() + ", " + d.one("0", "1", "2", "-2") + ", " + d.one("1", "3") + ")"
	case "cast":
		return "cast(" + d.number(c, 0) + " as string)"
	case "nullif":
		return "nullif(" + x() + ", " + x() + ")"
	case "trim":
		return "lpad(trim(" + x() + "), 5, '*')"
	case "case":
		return "case " + x() + " when 'a' then 'one' when 'b' then 'two' else " + x() + " end"
	case "replace":
		return "replace(" + x() + ", 'a', 'z')"
	}
	return "coalesce(" + x() + ", " + x() + ")"
}

func (d drawing) truth(c columns, depth int) string {
	if depth <= 0 {
		return d.one(c.truth...)
	}
	n := func() string { return d.number(c, depth-1) }
	s := func() string { return d.text(c, depth-1) }
	switch d.one("cmp", "cmp", "text", "null", "and", "or", "not", "in", "between", "like", "exists", "inq", "same") {
	case "cmp":
		return n() + d.one(" = ", " < ", " >= ", " <> ", " <=> ") + n()
	case "text":
		return s() + d.one(" = ", " < ", " >= ", " <> ", " <=> ") + s()
	case "null":
		return d.one(n(), s()) + d.one(" is null", " is not null")
	case "and":
		return "(" + d.truth(c, depth-1) + " and " + d.truth(c, depth-1) + ")"
	case "or":
		return "(" + d.truth(c, depth-1) + " or " + d.truth(c, depth-1) + ")"
	case "not":
		return "not (" + d.truth(c, depth-1) + ")"
	case "in":
		return s() + d.one(" in ", " not in ") + "('a', 'b'" + d.one("", ", null") + ")"
	case "between":
		return n() + d.one(" between ", " not between ") + n() + " and " + n()
	case "like":
		return s() + d.one(" like ", " not like ") + d.one("'a%'", "'%_'", "'%a%'")
	case "exists":
		return d.one("", "not ") + "exists (select 1 from vendors w where w.vendor = " + d.one(c.text...) + ")"
	case "inq":
		return d.one(c.text...) + d.one(" in ", " not in ") + "(select vendor from vendors" + d.one("", " where vendor is not null") + ")"
	}
	return s() + d.one(" is distinct from ", " is not distinct from ") + s()
}

// any draws a value of any kind.
func (d drawing) any(c columns, depth int) string {
	kinds := []string{"number", "number", "text", "truth"}
	if len(c.day) > 0 {
		kinds = append(kinds, "day")
	}
	switch d.one(kinds...) {
	case "number":
		return d.number(c, depth)
	case "text":
		return d.text(c, depth)
	case "truth":
		return d.truth(c, depth)
	}
	return d.one(c.day...)
}

func (d drawing) query(outer bool) string {
	from, c := d.from()
	where := ""
	if d.chance(50) {
		where = " where " + d.truth(c, 2)
	}
	var text string
	switch d.one("rows", "rows", "groups", "groups", "windows", "distinct", "set") {
	case "set":
		v := vendorsAs("w")
		text = "select " + d.text(c, 2) + " as c1 from " + from + where + d.one(" union ", " union all ", " intersect ", " except ") +
			"select " + d.text(v, 1) + " from vendors w where " + d.truth(v, 1)
	case "groups":
		text = d.groups(from, where, c)
	case "windows":
		text = d.windows()
	case "distinct":
		text = "select distinct " + d.list(c, d.upTo(2)) + " from " + from + where
	default:
		text = "select " + d.list(c, d.upTo(4)) + " from " + from + where
	}
	text = strings.ReplaceAll(text, "id_", "3")
	if outer && d.chance(20) {
		return "with q as (" + text + ") select count(*) as n, count(c1) as m, max(c1) as top from q"
	}
	return text
}

func (d drawing) list(c columns, n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s as c%d", d.any(c, 3), i+1)
	}
	return strings.Join(out, ", ")
}

func (d drawing) aggregate(c columns) string {
	distinct := d.one("", "", "distinct ")
	filter := ""
	if d.chance(25) {
		filter = " filter (where " + d.truth(c, 1) + ")"
	}
	switch d.one("count", "star", "sum", "avg", "max", "maxs", "if", "list") {
	case "count":
		return "count(" + distinct + d.any(c, 1) + ")" + filter
	case "star":
		return "count(*)" + filter
	case "sum":
		return "sum(" + distinct + d.number(c, 1) + ")" + filter
	case "avg":
		return "avg(" + d.number(c, 1) + ")" + filter
	case "max":
		return d.one("max", "min") + "(" + d.number(c, 2) + ")" + filter
	case "if":
		return "sum(if(" + d.truth(c, 1) + ", 1, 0))" + filter
	case "list":
		return "array_sort(collect_set(" + d.text(c, 0) + "))"
	}
	return d.one("max", "min") + "(" + d.text(c, 2) + ")" + filter
}

func (d drawing) groups(from, where string, c columns) string {
	a, b := d.one(c.text...), d.one(c.number...)
	by, items := a, a+" as c1"
	kind := d.one("one", "two", "none", "rollup", "cube", "sets", "all", "computed")
	switch kind {
	case "two", "rollup", "cube", "sets":
		by, items = a+", "+b, a+" as c1, "+b+" as g"
	case "none":
		by, items = "", "count(*) as c1"
	case "computed":
		x := d.text(columns{text: c.text}, 1)
		by, items = x, x+" as c1"
	}
	switch kind {
	case "rollup", "cube":
		by = kind + " (" + by + ")"
	case "sets":
		by = "grouping sets ((" + a + "), (" + b + "), ())"
	case "all":
		by = "all"
	}
	for i := range d.upTo(3) {
		items += fmt.Sprintf(", %s as a%d", d.aggregate(c), i)
	}
	text := "select " + items + " from " + from + where
	if by != "" {
		text += " group by " + by
	}
	if d.chance(25) {
		text += " having count(*) " + d.one("> 1", "= 1", ">= 1")
	}
	return text
}

// windows draws a window over rows in an order without ties.
func (d drawing) windows() string {
	c, where := tripsAs("t"), ""
	if d.chance(30) {
		where = " where " + d.truth(c, 1)
	}
	partition := d.one("", "partition by t.vendor ", "partition by t.id % 2 ")
	order := "order by " + d.one("t.fare", "t.fare desc", "t.day desc nulls first", "t.dist nulls last", "t.vendor") + ", t.id" + d.one("", " desc")
	frame := d.one("", " rows between 1 preceding and 1 following", " rows between unbounded preceding and current row", " rows 1 preceding", " rows between current row and unbounded following", " rows between 1 following and 2 following")
	n, s := d.number(c, 1), d.text(c, 1)
	f := d.one("row_number()", "rank()", "dense_rank()", "ntile(2)", "lag("+n+")", "lead("+s+", 1)", "percent_rank()", "cume_dist()")
	g := d.one("sum("+n+")", "count("+s+")", "max("+s+")", "avg("+n+")", "first_value("+s+")", "last_value("+n+")", "min("+n+")")
	return "select t.id as c1, " + f + " over (" + partition + order + ") as w, " + g + " over (" + partition + order + frame + ") as x from trips t" + where
}
