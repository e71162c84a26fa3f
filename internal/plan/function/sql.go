package function

import (
	"fmt"
	"strconv"
	"strings"

	"landfall/internal/plan/function/kernel"
	"landfall/internal/schema"
)

// Engine names the language that a template is written in.
type Engine = string

// The engines.
const (
	DuckDB = "duckdb"
	Spark  = "spark"
)

// Name is the function's, as scripts write it.
func (c Call) Name() string { return c.Function.Name }

// SQL writes the call for an engine; args are the texts of the arguments, each
// of which stands on its own. The error is a *Fault.
func (c Call) SQL(engine Engine, args []string) (string, error) {
	if c.Function.Kind == Window {
		return "", &Fault{Function: c.Function.Name, Reason: NoWindow, Found: "no window", Want: "a window transformation"}
	}
	return c.write(engine, args, "")
}

// Over writes the call of an aggregate or window function over a window: its
// text is what stands behind OVER, with the parentheses.
func (c Call) Over(engine Engine, args []string, window string) (string, error) {
	if c.Function.Kind != Window && c.Function.Kind != Aggregate {
		return "", &Fault{Function: c.Function.Name, Reason: NoWindow, Found: "a function of single rows", Want: "an aggregate or window function"}
	}
	return c.write(engine, args, " OVER "+window)
}

func (c Call) write(engine Engine, args []string, over string) (string, error) {
	template := c.form.sql[engine]
	if template == "" || len(args) != len(c.Args) {
		return "", &Fault{
			Function: c.Function.Name, Reason: NoTemplate, Found: counted(len(args)),
			Want: fmt.Sprintf("%d and a template for %s", len(c.Args), engine),
		}
	}
	w := writer{call: c, engine: engine, over: over, args: make([]string, len(args))}
	for i, text := range args {
		w.args[i] = text
		if !same(c.Args[i], c.given[i].Type) {
			w.args[i] = fmt.Sprintf("CAST(%s AS %s)", text, TypeSQL(engine, c.Args[i]))
		}
	}
	return w.expand(template)
}

// writer fills a template.
type writer struct {
	call   Call
	engine Engine
	over   string
	args   []string
}

// expand replaces what stands in braces.
func (w *writer) expand(template string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(template, "{")
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		hole, after, _ := strings.Cut(rest, "}")
		text, err := w.fill(hole)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
		template = after
	}
}

// fill writes one hole of a template: {2} an argument, {2*} all from the
// second, {*||} all with || between, {type2} the type of an argument, {element2} of its elements, {result}
// the call's,
// {over} the window, {when} the branches of a case, {#item} a variable.
func (w *writer) fill(hole string) (string, error) {
	if local, ok := strings.CutPrefix(hole, "#"); ok {
		return declared(local, w.call.Nest), nil
	}
	name := strings.TrimRight(hole, "0123456789")
	n, _ := strconv.Atoi(hole[len(name):]) // no digits is 0
	if first, between, ok := strings.Cut(hole, "*"); ok {
		from, _ := strconv.Atoi(first) // no digits is all
		if between == "" {
			between = ", "
		}
		return strings.Join(w.args[max(from-1, 0):], between), nil
	}
	switch name {
	case "":
		return w.args[n-1], nil
	case "type":
		return TypeSQL(w.engine, w.call.Args[n-1]), nil
	case "result":
		return TypeSQL(w.engine, w.call.Result), nil
	case "element":
		return TypeSQL(w.engine, element(w.call.Args[n-1])), nil
	case "over":
		return w.over, nil
	case "when":
		return w.branches(), nil
	case "odd", "even":
		return w.everyOther(name == "even"), nil
	}
	return w.special(name, n)
}

// special fills the holes that look at what an argument is.
func (w *writer) special(name string, n int) (string, error) {
	switch name {
	case "regex":
		return w.constant(n, "adf_regex", kernel.Regex)
	case "replacement":
		return w.constant(n, "adf_replacement", kernel.Replacement)
	case "shown":
		return w.shown(n)
	case "read":
		return w.read(n)
	case "bytes":
		return w.bytes(n)
	case "group":
		return w.group(n)
	case "scale":
		d, _ := w.call.Result.(schema.Decimal) // only templates of decimals write it
		return strconv.Itoa(d.Scale), nil
	case "try":
		if d, _ := w.call.Result.(schema.Decimal); d.Precision < maxDigits {
			return "", nil // the result is wide enough for all that comes out
		}
		return "TRY", nil
	}
	return "", fmt.Errorf("function table: %s: found the hole {%s}", w.call.Function.Name, name)
}

// group is the number of a group of a regular expression, which has nine.
func (w *writer) group(n int) (string, error) {
	const most = 9
	number, _ := w.call.given[n-1].Literal.(int64) // the form takes constants alone
	if number < 0 || number > most {
		return "", &Fault{
			Function: w.call.Function.Name, Reason: BadPattern, Argument: n,
			Found: fmt.Sprintf("group %d", number), Want: fmt.Sprintf("one from 0 to %d", most),
		}
	}
	return strconv.FormatInt(number, 10), nil
}

// constant translates an argument, at once if it is a constant, else in the
// engine by a kernel.
func (w *writer) constant(n int, name string, translate func(string) (string, error)) (string, error) {
	text, ok := w.call.given[n-1].Literal.(string)
	if !ok {
		return name + "(" + w.args[n-1] + ")", nil
	}
	out, err := translate(text)
	if err != nil {
		return "", &Fault{Function: w.call.Function.Name, Reason: BadPattern, Argument: n, Found: err.Error(), Want: "one that can be read"}
	}
	return Quote(w.engine, out), nil
}

// shown writes the time in the first argument by the pattern in the n-th.
func (w *writer) shown(n int) (string, error) {
	call := fmt.Sprintf("adf_format_time(epoch_us(CAST(%s AS TIMESTAMP)), %s, 'en')", w.args[0], w.args[n-1])
	fields, literal, err := w.pattern(n)
	if err != nil || !literal {
		return call, err
	}
	format, ok := fields.Strftime()
	if !ok {
		return call, nil
	}
	return fmt.Sprintf("strftime(%s, %s)", w.args[0], Quote(DuckDB, format)), nil
}

// read reads the text in the first argument by the pattern in the n-th: in SQL
// if the pattern is a constant that DuckDB can be told.
func (w *writer) read(n int) (string, error) {
	fields, literal, err := w.pattern(n)
	if err != nil {
		return "", err
	}
	if shape, format, ok := fields.Strptime(); literal && ok {
		return fmt.Sprintf("CASE WHEN regexp_full_match(%s, %s) THEN try_strptime(%s, %s) END",
			w.args[0], Quote(DuckDB, shape), w.args[0], Quote(DuckDB, format)), nil
	}
	return fmt.Sprintf("adf_read_time(%s, %s)", w.args[0], w.args[n-1]), nil
}

// pattern reads the pattern for times in an argument, if it is a constant.
func (w *writer) pattern(n int) (fields kernel.TimePattern, literal bool, err error) {
	text, ok := w.call.given[n-1].Literal.(string)
	if !ok {
		return nil, false, nil
	}
	if fields, err = kernel.ParseTimePattern(text); err != nil {
		return nil, false, &Fault{Function: w.call.Function.Name, Reason: BadPattern, Argument: n, Found: err.Error(), Want: "one that can be read"}
	}
	return fields, true, nil
}

// bytes joins the bytes of the arguments from the n-th on, as the service's
// hashes see them. A null has none.
func (w *writer) bytes(n int) (string, error) {
	var parts []string
	for i := n - 1; i < len(w.args); i++ {
		text := byteSQL(w.call.Args[i], w.args[i])
		if text == "" {
			return "", &Fault{
				Function: w.call.Function.Name, Reason: WrongType, Argument: i + 1, Found: spell(w.call.Args[i]),
				Want: "a value that is no array, map or struct",
			}
		}
		parts = append(parts, "coalesce("+text+", ''::BLOB)")
	}
	return strings.Join(parts, " || "), nil
}

// byteSQL is the bytes of a value of a type, "" if they are not known.
func byteSQL(t schema.Type, text string) string {
	whole := func(text string, size int) string {
		return fmt.Sprintf("adf_little(CAST(%s AS BIGINT), CAST(%d AS BIGINT))", text, size)
	}
	switch t {
	case schema.String:
		return "encode(" + text + ")"
	case schema.Binary:
		return text
	case schema.Boolean:
		return "CASE " + text + " WHEN true THEN '\\x01'::BLOB WHEN false THEN '\\x00'::BLOB END"
	case schema.Byte:
		return whole(text, 1)
	case schema.Short:
		return whole(text, 2)
	case schema.Integer:
		return whole(text, 4)
	case schema.Long:
		return whole(text, 8)
	case schema.Float:
		return "adf_float_bytes(CAST(" + text + " AS DOUBLE))"
	case schema.Double:
		return "adf_double_bytes(" + text + ")"
	case schema.Date:
		return whole("("+text+" - DATE '1970-01-01')", 4)
	case schema.Timestamp:
		return whole("epoch_us("+text+")", 8)
	case schema.Unknown:
		return "CAST(NULL AS BLOB)"
	}
	if _, ok := t.(schema.Decimal); ok {
		return "encode(CAST(" + text + " AS VARCHAR))"
	}
	return ""
}

func element(t schema.Type) schema.Type {
	if a, ok := t.(schema.Array); ok {
		return a.Element
	}
	return t
}

// branches writes conditions and values in turn as those of a CASE.
func (w *writer) branches() string {
	var out strings.Builder
	args := w.args
	for ; len(args) > 1; args = args[2:] {
		out.WriteString(" WHEN " + args[0] + " THEN " + args[1])
	}
	if len(args) == 1 {
		out.WriteString(" ELSE " + args[0])
	}
	return out.String()
}

// everyOther lists the first, third, … argument, or the second, fourth, ….
func (w *writer) everyOther(even bool) string {
	var out []string
	for i, text := range w.args {
		if (i%2 == 1) == even {
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// TypeSQL spells a type for an engine.
func TypeSQL(engine Engine, t schema.Type) string {
	if engine == Spark {
		if t == schema.Unknown {
			return "STRING"
		}
		return t.String()
	}
	switch t := t.(type) {
	case schema.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case schema.Array:
		return TypeSQL(engine, t.Element) + "[]"
	case schema.Map:
		return "MAP(" + TypeSQL(engine, t.Key) + ", " + TypeSQL(engine, t.Value) + ")"
	case schema.Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = `"` + strings.ReplaceAll(f.Name, `"`, `""`) + `" ` + TypeSQL(engine, f.Type)
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	case schema.Primitive:
		if t == schema.Timestamp { // times of flows have no zone
			t = schema.TimestampNTZ
		}
		return schema.DuckDB(t)
	}
	return "VARCHAR"
}

// Quote writes a text as a literal.
func Quote(engine Engine, text string) string {
	if engine == Spark {
		text = strings.ReplaceAll(text, `\`, `\\`)
		return "'" + strings.ReplaceAll(text, "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
