package dataset

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

// option is a setting of the script, or of the dataset; nil for none.
func (r *reader) option(name string) syntax.Expr {
	for _, a := range r.st.Args.List {
		if o, ok := a.Node.(*syntax.Option); ok && o.Name.Text == name {
			return o.Value
		}
	}
	return r.set.options[name]
}

// at is where a setting stands.
func (r *reader) at(name string) syntax.Pos {
	for _, a := range r.st.Args.List {
		if o, ok := a.Node.(*syntax.Option); ok && o.Name.Text == name {
			return o.Value.Pos()
		}
	}
	return r.st.At
}

func (r *reader) problem(code diag.Code, at syntax.Pos, hint, format string, args ...any) *diag.Diagnostic {
	d := r.flow.File.Problem(code, at, r.where+": "+format, args...)
	d.Hint = hint
	return d
}

func (r *reader) add(code diag.Code, at syntax.Pos, hint, format string, args ...any) {
	r.problems.Add(r.problem(code, at, hint, format, args...))
}

// refuse refuses a setting that is true.
func (r *reader) refuse(name, hint string) {
	if r.truth(name) {
		r.add(diag.FlowRefused, r.at(name), hint, "found %s: true, which does not run here", name)
	}
}

// get is the value of a setting; nil where it is not there, and after a problem was told.
func (r *reader) get(name string) any {
	x := r.option(name)
	if x == nil {
		return nil
	}
	return r.of(x)
}

// of is the value of an expression.
func (r *reader) of(x syntax.Expr) any {
	if v, ok := literal(x); ok {
		return v
	}
	if list, ok := x.(*syntax.Array); ok {
		out := []any{}
		for _, item := range list.Items {
			v := r.of(item)
			if all, ok := v.([]any); ok { // [($names)] is the list itself
				out = append(out, all...)
				continue
			}
			out = append(out, v)
		}
		return out
	}
	v, err := r.value(x)
	if err != nil {
		r.problems.Merge(err)
		return nil
	}
	return v
}

// literal is the value of an expression that is one.
func literal(x syntax.Expr) (any, bool) {
	switch x := x.(type) {
	case *syntax.Text:
		return x.Value(), true
	case *syntax.Number:
		n, err := strconv.ParseInt(strings.TrimRight(x.Text, "lL"), 10, 64)
		return n, err == nil
	case *syntax.Column:
		if len(x.Streams) == 0 && !x.Name.Braced && (x.Name.Text == "true" || x.Name.Text == "false") {
			return x.Name.Text == "true", true
		}
	case *syntax.Unary:
		if v, ok := literal(x.X); ok && x.Op == "-" {
			if n, ok := v.(int64); ok {
				return -n, true
			}
		}
	}
	return nil, false
}

// odd tells that a setting is of another kind.
func (r *reader) odd(name, want, example string) {
	r.add(diag.FlowType, r.at(name), "as in "+name+": "+example, "%s: found %s, want %s", name, diag.Quote(syntax.FormatExpr(r.option(name))), want)
}

func (r *reader) text(name string) string {
	switch v := r.get(name).(type) {
	case nil:
		return ""
	case string:
		return v
	}
	r.odd(name, "a text", "'text'")
	return ""
}

func (r *reader) truth(name string) bool {
	switch v := r.get(name).(type) {
	case nil:
		return false
	case bool:
		return v
	}
	r.odd(name, "true or false", "true")
	return false
}

func (r *reader) number(name string) int64 {
	switch v := r.get(name).(type) {
	case nil:
		return 0
	case int64:
		if v >= 0 {
			return v
		}
	}
	r.odd(name, "a whole number, 0 or more", "1")
	return 0
}

// texts is a list of texts; one text is a list of one.
func (r *reader) texts(name string) []string {
	switch v := r.get(name).(type) {
	case nil:
		return nil
	case string:
		return []string{v}
	case []any:
		out := []string{}
		for _, item := range v {
			text, ok := item.(string)
			if !ok {
				r.odd(name, "a list of texts", "['a', 'b']")
				return nil
			}
			out = append(out, text)
		}
		return out
	}
	r.odd(name, "a list of texts", "['a', 'b']")
	return nil
}

// instant is a point in time, in UTC.
func (r *reader) instant(name string) time.Time {
	switch v := r.get(name).(type) {
	case nil:
		return time.Time{}
	case time.Time:
		return v
	case string:
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05.999999", time.DateOnly} {
			if t, err := time.Parse(layout, v); err == nil {
				return t
			}
		}
	}
	r.odd(name, "a point in time", "(toTimestamp('2026-10-01 00:00:00'))")
	return time.Time{}
}

// kind is a type of numbers by its word; nil for none.
func (r *reader) kind(name string) schema.Type {
	words := map[string]schema.Type{
		"short": schema.Short, "integer": schema.Integer, "long": schema.Long, "float": schema.Float,
		"double": schema.Double, "decimal": schema.Decimal{Precision: 38, Scale: 18},
	}
	word := r.text(name)
	if word == "" {
		return nil
	}
	t, ok := words[word]
	if !ok {
		r.odd(name, "a type of numbers", "'long'")
	}
	return t
}

// below cleans a path that has to stay below its container.
func (r *reader) below(name, path string) string {
	clean, err := inside(path)
	if err != nil {
		r.add(diag.FlowInput, r.at(name), "name a path below the container", "%s: found %s, which leaves its container", name, diag.Quote(path))
	}
	return clean
}

// inside is a path without slashes at its ends, and without empty or "." parts.
func inside(path string) (string, error) {
	var parts []string
	for _, part := range strings.Split(path, "/") {
		switch part {
		case "", ".":
		case "..":
			return "", errors.New("a path leads out with two dots")
		default:
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/"), nil
}
