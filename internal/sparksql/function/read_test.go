package function_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function"
)

// reader makes text of DuckDB of an expression of Spark: of as much of the
// language as the examples of the table need.
type reader struct {
	tokens []string
	at     int
	// names are the columns, and in a lambda its parameters.
	names map[string]function.Argument
	// rows says that the expression makes rows.
	rows bool
}

var word = regexp.MustCompile(`^(?i)(?:[rx]?'(?:[^'\\]|\\.|'')*'|[0-9]+(?:\.[0-9]*)?(?:e[+-]?[0-9]+)?(?:l|d|bd|f)?|\.[0-9]+|[a-z_][a-z0-9_]*|` + "`[^`]+`" + `|<=>|->|::|<=|>=|<>|!=|\|\||==|[-+*/%()\[\],.:<>=&|^~])`)

func tokens(text string) ([]string, error) {
	var out []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		t := word.FindString(text)
		if t == "" {
			return nil, fmt.Errorf("cannot read %q", text)
		}
		out, text = append(out, t), text[len(t):]
	}
	return out, nil
}

// read is an expression over columns.
func read(text string, names map[string]function.Argument) (a function.Argument, rows bool, err error) {
	list, err := tokens(text)
	if err != nil {
		return a, false, err
	}
	r := &reader{tokens: list, names: names}
	defer func() {
		if p := recover(); p != nil {
			e, ok := p.(error)
			if !ok {
				panic(p)
			}
			err = e
		}
	}()
	a = r.expression(0)
	if r.at < len(r.tokens) {
		return a, false, fmt.Errorf("%s: found %q", text, r.tokens[r.at:])
	}
	return a, r.rows, nil
}

func (r *reader) fail(err error) {
	if err != nil {
		panic(err)
	}
}

func (r *reader) peek() string {
	if r.at < len(r.tokens) {
		return r.tokens[r.at]
	}
	return ""
}

func (r *reader) next() string {
	t := r.peek()
	r.at++
	return t
}

// is takes words if they come next.
func (r *reader) is(words ...string) bool {
	for i, w := range words {
		if r.at+i >= len(r.tokens) || !strings.EqualFold(r.tokens[r.at+i], w) {
			return false
		}
	}
	r.at += len(words)
	return true
}

func (r *reader) want(words ...string) {
	if !r.is(words...) {
		panic(fmt.Errorf("found %q, want %q", r.tokens[min(r.at, len(r.tokens)):], words))
	}
}

// levels are the operators by how tightly they bind.
var levels = [][]string{{"or"}, {"and"}, {"=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>", "like", "ilike", "rlike"}, {"|"}, {"^"}, {"&"}, {"+", "-", "||"}, {"*", "/", "%", "div"}}

func (r *reader) expression(level int) function.Argument {
	if level == len(levels) {
		return r.unary()
	}
	if level == 2 && r.is("not") {
		return r.result(function.Operator("not", r.expression(level), function.Argument{}))
	}
	a := r.expression(level + 1)
	for {
		op := strings.ToLower(r.peek())
		switch {
		case level == 2 && r.is("is", "null"):
			a = r.call("isnull", function.Call{Args: []function.Argument{a}})
		case level == 2 && r.is("is", "not", "null"):
			a = r.call("isnotnull", function.Call{Args: []function.Argument{a}})
		case slices.Contains(levels[level], op):
			r.at++
			b := r.expression(level + 1)
			op = strings.NewReplacer("==", "=", "!=", "<>").Replace(op)
			a = r.result(function.Operator(op, a, b))
		default:
			return a
		}
	}
}

func (r *reader) result(res function.Result, err error) function.Argument {
	r.fail(err)
	return function.Argument{SQL: res.SQL, Type: res.Type}
}

func (r *reader) unary() function.Argument {
	switch {
	case r.is("-"):
		if r.peek() != "" && r.peek()[0] >= '0' && r.peek()[0] <= '9' {
			return r.number("-" + r.next())
		}
		return r.result(function.Operator("neg", r.unary(), function.Argument{}))
	case r.is("~"):
		return r.result(function.Operator("bitnot", r.unary(), function.Argument{}))
	}
	a := r.primary()
	for {
		switch {
		case r.is("["):
			i := r.expression(0)
			r.want("]")
			a = r.result(function.Operator("[]", a, i))
		case r.is("."):
			name := strings.Trim(r.next(), "`")
			s, ok := a.Type.(schema.Struct)
			if !ok || s.Lookup(name) < 0 {
				panic(fmt.Errorf("no field %s in %s", name, a.Type))
			}
			f := s.Fields[s.Lookup(name)]
			a = function.Argument{SQL: "struct_extract(" + a.SQL + ", '" + f.Name + "')", Type: f.Type}
		case r.is("::"):
			a = r.cast(a, r.typ(), false)
		default:
			return a
		}
	}
}

func (r *reader) cast(a function.Argument, t schema.Type, try bool) function.Argument {
	sql, err := function.Cast(a, t, try)
	r.fail(err)
	return function.Argument{SQL: sql, Type: t}
}

// typ reads a type up to the parenthesis, comma or operator behind it.
func (r *reader) typ() schema.Type {
	var text strings.Builder
	for depth := 0; r.at < len(r.tokens); r.at++ {
		t := r.peek()
		switch {
		case t == "<" || t == "(":
			depth++
		case t == ">" || t == ")" && depth > 0:
			depth--
		case depth == 0 && !regexp.MustCompile(`^[a-zA-Z_:]+$`).MatchString(t):
			got, err := schema.ParseDDL(text.String())
			r.fail(err)
			return got
		}
		text.WriteString(t + " ")
	}
	got, err := schema.ParseDDL(text.String())
	r.fail(err)
	return got
}

func literal(sql string, t schema.Type, value string) function.Argument {
	return function.Argument{SQL: sql, Type: t, Literal: &value}
}

func (r *reader) number(text string) function.Argument {
	lower := strings.ToLower(text)
	digits := strings.TrimRight(lower, "ldbf")
	suffix := lower[len(digits):]
	switch {
	case suffix == "l":
		return literal("CAST("+digits+" AS BIGINT)", schema.Long, digits)
	case suffix == "f":
		return literal("CAST("+digits+" AS FLOAT)", schema.Float, digits)
	case suffix == "d" || suffix == "" && strings.Contains(digits, "e"):
		return literal("CAST("+digits+" AS DOUBLE)", schema.Double, digits)
	case strings.Contains(digits, ".") || suffix == "bd":
		whole, fraction, _ := strings.Cut(strings.TrimLeft(digits, "-"), ".")
		whole = strings.TrimLeft(whole, "0")
		t := schema.Decimal{Precision: max(len(whole)+len(fraction), 1), Scale: len(fraction)}
		return literal(fmt.Sprintf("CAST('%s' AS DECIMAL(%d,%d))", digits, t.Precision, t.Scale), t, digits)
	}
	if _, err := strconv.ParseInt(digits, 10, 32); err == nil {
		return literal("CAST("+digits+" AS INTEGER)", schema.Integer, digits)
	}
	if _, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return literal("CAST("+digits+" AS BIGINT)", schema.Long, digits)
	}
	t := schema.Decimal{Precision: len(strings.TrimLeft(digits, "-"))}
	return literal("CAST('"+digits+"' AS "+function.TypeSQL(t)+")", t, digits)
}

var escape = regexp.MustCompile(`(?s)\\.|''`)

// text is the value of a literal.
func text(token string) string {
	if token[0] == 'r' || token[0] == 'R' {
		return token[2 : len(token)-1]
	}
	return escape.ReplaceAllStringFunc(token[1:len(token)-1], func(e string) string {
		switch e[1] {
		case 'n':
			return "\n"
		case 't':
			return "\t"
		case 'r':
			return "\r"
		case '%', '_':
			return e
		}
		return e[1:]
	})
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func (r *reader) primary() function.Argument {
	t := r.next()
	lower := strings.ToLower(t)
	switch {
	case t == "":
		panic(fmt.Errorf("found the end"))
	case t == "(":
		if params, ok := r.lambdaParams(); ok {
			return r.lambda(params, nil)
		}
		a := r.expression(0)
		r.want(")")
		return a
	case strings.HasPrefix(t, "'") || strings.HasPrefix(lower, "r'"):
		s := text(t)
		return literal(quoted(s), schema.String, s)
	case strings.HasPrefix(lower, "x'"):
		return function.Argument{SQL: "from_hex(" + t[1:] + ")", Type: schema.Binary}
	case t[0] >= '0' && t[0] <= '9' || t[0] == '.':
		return r.number(t)
	case lower == "null":
		return function.Argument{SQL: "NULL", Type: schema.Unknown}
	case lower == "true" || lower == "false":
		return function.Argument{SQL: lower, Type: schema.Boolean}
	case strings.HasPrefix(r.peek(), "'") && slices.Contains([]string{"date", "timestamp", "timestamp_ntz"}, lower):
		s := text(r.next())
		return r.cast(literal(quoted(s), schema.String, s), schema.Primitive(lower), false)
	case lower == "interval":
		return r.interval()
	case lower == "case":
		return r.choice()
	}
	name := strings.Trim(t, "`")
	if r.is("(") {
		return r.apply(lower)
	}
	a, ok := r.names[name]
	if !ok && name == strings.ToUpper(name) {
		return literal(quoted(name), schema.String, name) // a unit of time
	}
	if !ok {
		panic(fmt.Errorf("no column %s", name))
	}
	return a
}

// choice is CASE WHEN … THEN … ELSE … END.
func (r *reader) choice() function.Argument {
	var conditions, values []function.Argument
	for r.is("when") {
		conditions = append(conditions, r.expression(0))
		r.want("then")
		values = append(values, r.expression(0))
	}
	last := function.Argument{SQL: "NULL", Type: schema.Unknown}
	if r.is("else") {
		last = r.expression(0)
	}
	r.want("end")
	for i, c := range slices.Backward(conditions) {
		last = r.call("if", function.Call{Args: []function.Argument{c, values[i], last}})
	}
	return last
}

func (r *reader) interval() function.Argument {
	n := strings.Trim(r.next(), "'")
	if n == "-" {
		n += r.next()
	}
	unit := strings.TrimSuffix(strings.ToLower(r.next()), "s")
	t := function.Interval{Months: unit == "month" || unit == "year", Days: unit == "day"}
	return function.Argument{SQL: fmt.Sprintf("INTERVAL '%s %s'", n, unit), Type: t}
}

// lambdaParams are names in parentheses with an arrow behind.
func (r *reader) lambdaParams() ([]string, bool) {
	from := r.at
	var out []string
	for {
		out = append(out, r.next())
		if r.is(")", "->") {
			return out, true
		}
		if !r.is(",") {
			r.at = from
			return nil, false
		}
	}
}

// lambda is read twice: first its place, later with the types it gets.
func (r *reader) lambda(params []string, types []schema.Type) function.Argument {
	was := r.names
	r.names = map[string]function.Argument{}
	for k, v := range was {
		r.names[k] = v
	}
	var quotedParams []string
	for i, p := range params {
		t := schema.Type(schema.Unknown)
		if i < len(types) {
			t = types[i]
		}
		r.names[p] = function.Argument{SQL: `"` + p + `"`, Type: t}
		quotedParams = append(quotedParams, `"`+p+`"`)
	}
	a := r.expression(0)
	r.names = was
	return function.Argument{SQL: a.SQL, Type: a.Type, Params: quotedParams}
}

// apply reads a call behind its parenthesis.
func (r *reader) apply(name string) function.Argument {
	if name == "cast" || name == "try_cast" {
		a := r.expression(0)
		r.want("as")
		t := r.typ()
		r.want(")")
		return r.cast(a, t, name == "try_cast")
	}
	f, ok := function.Lookup(name)
	if !ok {
		panic(fmt.Errorf("no function %s", name))
	}
	c := function.Call{Now: "TIMESTAMPTZ '2026-11-30 12:34:56.789012+00'"}
	c.Distinct = r.is("distinct")
	if r.is("*") {
		c.Star = true
		r.want(")")
	} else {
		c.Args = r.arguments(f)
	}
	if c.IgnoreNulls = r.is("ignore", "nulls"); !c.IgnoreNulls {
		r.is("respect", "nulls")
	}
	if r.is("within", "group", "(", "order", "by") {
		c.Order = r.order()
		r.want(")")
	}
	if r.is("filter", "(", "where") {
		c.Filter = r.expression(0).SQL
		r.want(")")
	}
	if r.is("over", "(") {
		c.Over = r.over()
	}
	return r.call(name, c)
}

func (r *reader) call(name string, c function.Call) function.Argument {
	f, ok := function.Lookup(name)
	if !ok {
		panic(fmt.Errorf("no function %s", name))
	}
	r.rows = r.rows || f.Kind() == function.Generator
	return r.result(f.Write(c))
}

// arguments come twice: the bodies of lambdas need the types of the others.
func (r *reader) arguments(f *function.Function) []function.Argument {
	var out []function.Argument
	if r.is(")") {
		return nil
	}
	type place struct {
		params []string
		at, i  int
	}
	var lambdas []place
	var before []schema.Type
	for {
		if params, ok := r.arrow(); ok {
			lambdas = append(lambdas, place{params, r.at, len(out)})
			r.skip()
			out = append(out, function.Argument{})
		} else {
			out = append(out, r.expression(0))
			before = append(before, out[len(out)-1].Type)
		}
		if r.is(")") {
			break
		}
		r.want(",")
	}
	end := r.at
	for _, l := range lambdas {
		types, ok := f.Lambda(l.i, before)
		if !ok {
			panic(fmt.Errorf("%s has no lambda in place %d", f.Name(), l.i))
		}
		r.at = l.at
		out[l.i] = r.lambda(l.params, types)
	}
	r.at = end
	return out
}

// arrow is the head of a lambda, if one comes next.
func (r *reader) arrow() ([]string, bool) {
	from := r.at
	if p := r.next(); r.is("->") {
		return []string{p}, true
	}
	r.at = from
	if r.is("(") {
		if params, ok := r.lambdaParams(); ok {
			return params, true
		}
	}
	r.at = from
	return nil, false
}

// skip goes over an argument.
func (r *reader) skip() {
	for depth := 0; r.at < len(r.tokens); r.at++ {
		switch r.peek() {
		case "(", "[":
			depth++
		case ")", "]":
			if depth == 0 {
				return
			}
			depth--
		case ",":
			if depth == 0 {
				return
			}
		}
	}
}

func (r *reader) order() string {
	var out []string
	for {
		text := r.expression(0).SQL
		nulls := " ASC NULLS FIRST"
		if r.is("desc") {
			nulls = " DESC NULLS LAST"
		} else {
			r.is("asc")
		}
		out = append(out, text+nulls)
		if !r.is(",") {
			return strings.Join(out, ", ")
		}
	}
}

// over reads a window behind its parenthesis.
func (r *reader) over() string {
	var out []string
	if r.is("partition", "by") {
		out = append(out, "PARTITION BY "+r.expression(0).SQL)
	}
	if r.is("order", "by") {
		out = append(out, "ORDER BY "+r.order())
	}
	for !r.is(")") {
		out = append(out, r.next())
	}
	return " OVER (" + strings.Join(out, " ") + ")"
}

// relation is Spark's VALUES … AS t(…) as DuckDB reads it, with its columns.
func relation(t *testing.T, text string) (string, map[string]function.Argument) {
	t.Helper()
	if text == "" {
		return "", nil
	}
	head, names, ok := strings.Cut(strings.TrimPrefix(text, "VALUES "), " AS t(")
	names, tail, _ := strings.Cut(names, ")")
	if !ok {
		t.Fatalf("cannot read the rows %s", text)
	}
	list, err := tokens(head)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{tokens: list}
	var rows [][]function.Argument
	for r.is("(") {
		var row []function.Argument
		for {
			row = append(row, r.expression(0))
			if r.is(")") {
				break
			}
			r.want(",")
		}
		rows = append(rows, row)
		r.is(",")
	}
	columns := map[string]function.Argument{}
	var heads []string
	types := make([]schema.Type, len(rows[0]))
	for i, name := range strings.Split(names, ", ") {
		types[i] = schema.Unknown
		for _, row := range rows {
			types[i], _ = function.Common(types[i], row[i].Type)
		}
		columns[name] = function.Argument{SQL: `t."` + name + `"`, Type: types[i]}
		heads = append(heads, `"`+name+`"`)
	}
	var out []string
	for _, row := range rows {
		var cells []string
		for i, a := range row {
			cells = append(cells, r.cast(a, types[i], false).SQL)
		}
		out = append(out, "("+strings.Join(cells, ", ")+")")
	}
	return "(VALUES " + strings.Join(out, ", ") + ") AS t(" + strings.Join(heads, ", ") + ")" + tail, columns
}
