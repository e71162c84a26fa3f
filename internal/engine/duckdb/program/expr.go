package program

import (
	"fmt"
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// scope is where an expression stands: what names its columns go by, and what
// is around an aggregate. Every text that it writes stands on its own: a name,
// a call, or something in parentheses.
type scope struct {
	program *program
	// sides are put before the columns of an input: "l.".
	sides []string
	// over is the OVER clause of aggregates, "" outside windows.
	over string
	// row is the column that numbers the rows, for aggregates that go by their
	// order.
	row string
	// keys are the columns of groups, by the ids of those that they hold.
	keys map[plan.ID]string
	// apart takes aggregates and lookups out of expressions; nil leaves them in.
	apart *apart
}

// apart are values that are worked out in a SELECT of their own, below that of
// the expression that they belong to: no aggregate or subquery may stand in a
// TRY.
type apart struct{ columns []string }

// add returns the name of the column of a value.
func (a *apart) add(text string) string {
	name := fmt.Sprintf("_landfall_%d", len(a.columns)+1)
	a.columns = append(a.columns, text+" AS "+name)
	return name
}

// star is all columns but those of values.
func (a *apart) star() string {
	if len(a.columns) == 0 {
		return "*"
	}
	names := make([]string, len(a.columns))
	for i := range names {
		names[i] = fmt.Sprintf("_landfall_%d", i+1)
	}
	return "* EXCLUDE (" + strings.Join(names, ", ") + ")"
}

// below is a relation with the columns of values; tail follows its FROM.
func (a *apart) below(relation, tail string) string {
	if len(a.columns) == 0 {
		return relation
	}
	return "(\n" + indent(selection(append([]string{"*"}, a.columns...))+"\nFROM "+relation+tail) + "\n)"
}

// inner is the scope of what an aggregate or a lookup takes.
func (s scope) inner() scope {
	s.over, s.keys, s.apart = "", nil, nil
	return s
}

// value writes the value of a column; an aggregate or lookup that is all of it
// stays.
func (s scope) value(e plan.Expr) (string, error) {
	switch e := e.(type) {
	case plan.Fold, plan.Cached:
		s.apart = nil
	case plan.Call:
		if e.Kind != plan.Scalar {
			s.apart = nil
		}
	}
	return s.typed(e)
}

// taken sets a value apart, if that is done here.
func (s scope) taken(text string, err error) (string, error) {
	if err != nil || s.apart == nil {
		return text, err
	}
	return s.apart.add(text), nil
}

// scope of a step whose inputs need not be told apart, or are called l and r.
func (p *program) scope(in []*plan.Step) scope {
	if len(in) == 1 {
		return scope{program: p, sides: []string{""}}
	}
	return scope{program: p, sides: []string{"l.", "r."}}
}

// typed writes an expression, cast where DuckDB would give it another type.
func (s scope) typed(e plan.Expr) (string, error) {
	text, err := s.expr(e)
	if err != nil {
		return "", err
	}
	if c, call := e.(plan.Call); call && !certain(c, text) {
		return "CAST(" + text + " AS " + innerSQL(e.Type()) + ")", nil
	}
	return text, nil
}

// certain reports whether DuckDB gives the text of a call the type of the call.
func certain(c plan.Call, text string) bool {
	typ := innerSQL(c.Of)
	for _, cast := range []string{"CAST(", "TRY_CAST("} {
		if rest, ok := strings.CutPrefix(text, cast); ok && closes(rest, -1) == len(rest)-1 && strings.HasSuffix(rest, " AS "+typ+")") {
			return true
		}
	}
	name, rest, _ := strings.Cut(text, "(")
	if closes(rest, -1) != len(rest)-1 {
		return false
	}
	switch name {
	case "lower", "upper", "trim", "ltrim", "rtrim", "left", "right", "substring", "replace", "md5", "concat":
		return c.Of == schema.String
	case "count":
		return c.Of == schema.Long
	case "min", "max":
		return len(c.Args) == 1 && plan.Same(c.Args[0].Type(), c.Of)
	case "": // something in parentheses
		return c.Of == schema.Boolean && compares(c)
	}
	return false
}

// compares reports whether a call is written as a comparison, or as one of conditions.
func compares(c plan.Call) bool {
	switch c.Fn.Name() {
	case "and", "or", "not", "equals", "notEquals", "greater", "lesser", "greaterOrEqual", "lesserOrEqual", "isNull":
		return true
	}
	return false
}

// bare writes an expression without the parentheses around it.
func (s scope) bare(e plan.Expr) (string, error) {
	text, err := s.expr(e)
	if strings.HasPrefix(text, "(") && closes(text, 0) == len(text)-1 {
		text = text[1 : len(text)-1]
	}
	return text, err
}

// closes returns the position of the parenthesis that closes the one at a position, -1
// if none does; -1 is one before the text. Quoted text counts for nothing.
func closes(text string, open int) int {
	depth := 0
	if open < 0 {
		open, depth = 0, 1
	}
	for i := open; i < len(text); i++ {
		switch c := text[i]; c {
		case '\'', '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return -1
			}
			i += end + 1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (s scope) expr(e plan.Expr) (string, error) {
	switch e := e.(type) {
	case plan.Literal:
		return literal(e)
	case plan.Ref:
		if key, ok := s.keys[e.ID]; ok {
			return key, nil
		}
		return s.sides[e.Input] + s.program.columns[e.ID], nil
	case plan.Local:
		return dialect.Name(e.Name), nil
	case plan.Call:
		if e.Kind != plan.Scalar {
			return s.taken(s.gathering(e))
		}
		args, err := s.all(e.Args)
		if err != nil {
			return "", err
		}
		return e.Fn.SQL("duckdb", args)
	case plan.Fold:
		return s.taken(s.fold(e))
	case plan.Operation:
		return s.operation(e)
	case plan.Case:
		return s.cases(e)
	case plan.Convert:
		text, err := s.typed(e.From)
		return convertSQL(text, e.From.Type(), e.To, 0), err
	case plan.Member:
		text, err := s.expr(e.From)
		return memberSQL(text, e), err
	case plan.Object:
		return s.object(e)
	case plan.Items:
		texts, err := s.all(e.Values)
		return "CAST([" + strings.Join(texts, ", ") + "] AS " + innerSQL(e.Of) + ")", err
	case plan.Lambda:
		body, err := s.typed(e.Body)
		params := make([]string, len(e.Params))
		for i, p := range e.Params {
			params[i] = dialect.Name(p)
		}
		return "lambda " + strings.Join(params, ", ") + ": " + body, err
	case plan.Cached:
		return s.taken(s.cached(e))
	}
	return "", fmt.Errorf("lower expression: found a %T", e)
}

func (s scope) all(list []plan.Expr) ([]string, error) {
	texts := make([]string, len(list))
	for i, e := range list {
		var err error
		if texts[i], err = s.typed(e); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// gathering writes a function of several rows.
func (s scope) gathering(e plan.Call) (string, error) {
	if f, ok := ordered(e).(plan.Fold); ok && s.row != "" {
		return s.fold(f)
	}
	args, err := s.inner().all(e.Args)
	if err != nil {
		return "", err
	}
	if s.over == "" {
		return e.Fn.SQL("duckdb", args)
	}
	if w, ok := e.Fn.(plan.Windowed); ok {
		return w.Over("duckdb", args, strings.TrimPrefix(s.over, "OVER "))
	}
	text, err := e.Fn.SQL("duckdb", args)
	if err != nil {
		return "", err
	}
	// A single call, which the clause belongs behind.
	if open := strings.IndexByte(text, '('); open <= 0 || closes(text, open) != len(text)-1 || strings.HasPrefix(strings.ToUpper(text), "CAST(") {
		return "", diag.New(diag.PlanInvalid, "%s: found a function over a window, want it in an aggregate", e.Fn.Name())
	}
	return "(" + text + " " + s.over + ")", nil
}

// fold writes an aggregate that the engine knows.
func (s scope) fold(e plan.Fold) (string, error) {
	inner := s.inner()
	arg := "*"
	if e.Arg != nil {
		var err error
		if arg, err = inner.typed(e.Arg); err != nil {
			return "", err
		}
	}
	var tests []string
	if e.If != nil {
		test, err := inner.bare(e.If)
		if err != nil {
			return "", err
		}
		tests = append(tests, test)
	}
	return s.folded(e, arg, tests), nil
}

func (s scope) folded(e plan.Fold, arg string, tests []string) string {
	distinct := ""
	if e.Distinct {
		distinct = "DISTINCT "
	}
	// agg is a call with what belongs behind it.
	agg := func(call string, tests ...string) string {
		if len(tests) > 0 {
			call += " FILTER (" + strings.Join(tests, " AND ") + ")"
		}
		if s.over != "" {
			call += " " + s.over
		}
		return call
	}
	typ := innerSQL(e.Of)
	switch e.Kind {
	case plan.Count:
		return "(" + agg("count("+distinct+arg+")", tests...) + ")"
	case plan.Sum:
		return "TRY_CAST(" + agg("sum("+distinct+arg+")", tests...) + " AS " + typ + ")"
	case plan.Average:
		if d, ok := e.Of.(schema.Decimal); ok {
			return quotient(agg("sum("+distinct+arg+")", tests...), agg("count("+distinct+arg+")", tests...), d)
		}
		return "(" + agg("avg("+distinct+arg+")", tests...) + ")"
	case plan.Min, plan.Max:
		return "(" + agg(e.Kind.String()+"("+arg+")", tests...) + ")"
	case plan.Collect:
		tests = append(tests, arg+" IS NOT NULL")
		order := ""
		if s.row != "" && !e.Distinct {
			order = " ORDER BY " + s.row
		}
		return "coalesce(" + agg("list("+distinct+arg+order+")", tests...) + ", [])"
	}
	return "(" + s.ends(e, arg, tests, agg) + ")"
}

// ends is the first or last value.
func (s scope) ends(e plan.Fold, arg string, tests []string, agg func(string, ...string) string) string {
	if s.over != "" {
		name := map[plan.FoldKind]string{plan.First: "first_value", plan.Last: "last_value"}[e.Kind]
		if e.IgnoreNulls {
			arg += " IGNORE NULLS"
		}
		return agg(name+"("+arg+")", tests...)
	}
	name := map[plan.FoldKind]string{plan.First: "arg_min", plan.Last: "arg_max"}[e.Kind]
	if !e.IgnoreNulls {
		name += "_null"
	}
	return agg(name+"("+arg+", "+s.row+")", tests...)
}

func (s scope) cases(e plan.Case) (string, error) {
	var b strings.Builder
	b.WriteString("(CASE")
	for _, w := range e.Whens {
		test, err := s.bare(w.If)
		if err != nil {
			return "", err
		}
		value, err := s.typed(w.Then)
		if err != nil {
			return "", err
		}
		b.WriteString(" WHEN " + test + " THEN " + value)
	}
	if e.Else != nil {
		value, err := s.typed(e.Else)
		if err != nil {
			return "", err
		}
		b.WriteString(" ELSE " + value)
	}
	b.WriteString(" END)")
	return b.String(), nil
}

func (s scope) object(e plan.Object) (string, error) {
	texts, err := s.all(e.Values)
	for i := range texts {
		texts[i] = dialect.Quote(e.Names[i]) + ": " + texts[i]
	}
	return "{" + strings.Join(texts, ", ") + "}", err
}

// memberSQL is a field of a struct or of each struct of an array.
func memberSQL(text string, e plan.Member) string {
	if array, ok := e.From.Type().(schema.Array); ok {
		inner := plan.Member{From: plan.Local{Of: array.Element}, Name: e.Name}
		return "list_transform(" + text + ", lambda m: " + memberSQL("m", inner) + ")"
	}
	return "struct_extract(" + text + ", " + dialect.Quote(e.Name) + ")"
}

// cached looks a row up in another stream, whose columns get names of their own: those of
// the row that asks are not qualified.
func (s scope) cached(e plan.Cached) (string, error) {
	step := s.program.plan.Step(e.Step)
	fields := make([]string, 0, len(step.Columns))
	list := make([]string, 0, len(step.Columns))
	for _, c := range step.Visible() {
		list = append(list, s.program.columns[c.ID]+" AS "+cachedName(c.ID))
		fields = append(fields, dialect.Quote(c.Name)+": c."+cachedName(c.ID))
	}
	row := "{" + strings.Join(fields, ", ") + "}"
	take := "first(" + row + ")"
	if e.All {
		take = "coalesce(list(" + row + "), [])"
	}
	text := "(SELECT " + take + " FROM (" + selection(list) + " FROM " + s.program.names[e.Step] + ") AS c"
	keys, err := s.inner().all(e.Keys)
	if err != nil {
		return "", err
	}
	for i, key := range keys {
		word := " AND "
		if i == 0 {
			word = " WHERE "
		}
		text += word + "c." + cachedName(e.On[i]) + " = " + key
	}
	return text + ")", nil
}

func cachedName(id plan.ID) string { return "_landfall_cached" + strconv.Itoa(int(id)) }

// order writes the keys of an ORDER BY.
func (s scope) order(list []plan.Order, reversed bool) (string, error) {
	keys := make([]string, len(list))
	for i, o := range list {
		text, err := s.typed(o.By)
		if err != nil {
			return "", err
		}
		if _, constant := o.By.(plan.Literal); constant {
			text = "(" + text + " IS NULL)" // a bare number would be the place of a column
		}
		if o.IgnoreCase && o.By.Type() == schema.String {
			text = "lower(" + text + ")"
		}
		if o.Descending != reversed {
			text += " DESC"
		}
		if o.NullsFirst != reversed {
			text += " NULLS FIRST"
		} else {
			text += " NULLS LAST"
		}
		keys[i] = text
	}
	return strings.Join(keys, ", "), nil
}
