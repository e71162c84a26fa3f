package dataset

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

// stated is a setting of the script; nil for none.
func (r *reader) stated(name string) syntax.Expr {
	for _, a := range r.st.Args.List {
		if o, ok := a.Node.(*syntax.Option); ok && o.Name.Text == name {
			return o.Value
		}
	}
	return nil
}

// find is a setting of the script, or of the dataset; nil for none.
func (r *reader) find(name string) syntax.Expr {
	if x := r.stated(name); x != nil {
		return x
	}
	return r.set.options[name]
}

// option is a setting that somebody makes use of.
func (r *reader) option(name string) syntax.Expr {
	r.read[name] = true
	return r.find(name)
}

// shown is a setting as it is written.
func (r *reader) shown(name string) string {
	if x := r.find(name); x != nil {
		return diag.Quote(syntax.FormatExpr(x))
	}
	return "nothing"
}

// about is a problem of a setting, where it stands. One of a dataset stands there.
func (r *reader) about(code diag.Code, name, hint, format string, args ...any) *diag.Diagnostic {
	if x := r.stated(name); x != nil {
		return r.problem(code, x.Pos(), hint, format, args...)
	}
	d := r.problem(code, r.st.Output.At, hint, format, args...)
	if r.set.options[name] != nil {
		d.Rule = r.set.at
	}
	return d
}

func (r *reader) tell(code diag.Code, name, hint, format string, args ...any) {
	r.problems.Add(r.about(code, name, hint, format, args...))
}

func (r *reader) problem(code diag.Code, at syntax.Pos, hint, format string, args ...any) *diag.Diagnostic {
	d := r.flow.File.Problem(code, at, r.where+": "+format, args...)
	d.Hint = hint
	return d
}

func (r *reader) add(code diag.Code, at syntax.Pos, hint, format string, args ...any) {
	r.problems.Add(r.problem(code, at, hint, format, args...))
}

// get is the value of a setting; nil where it is not there, and after a problem was told.
func (r *reader) get(name string) any {
	x := r.option(name)
	if x == nil {
		return nil
	}
	v, known := r.values[name]
	if !known {
		v = r.of(x)
		r.values[name] = v
	}
	return v
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
			if v == nil {
				return nil
			}
			if all, ok := v.([]any); ok { // [($names)] is the list itself
				out = append(out, all...)
				continue
			}
			out = append(out, v)
		}
		return out
	}
	v, err := r.value(x)
	switch {
	case err != nil:
		r.problems.Merge(err)
	case v == nil:
		r.add(diag.FlowType, x.Pos(), "give the parameters that it is made of values", "found %s, which is null", diag.Quote(syntax.FormatExpr(x)))
	}
	return v
}

// literal is the value of an expression that is one.
func literal(x syntax.Expr) (any, bool) {
	switch x := x.(type) {
	case *syntax.Text:
		return x.Value(), true
	case *syntax.Interpolated:
		return plain(x)
	case *syntax.Number:
		return number(x.Text)
	case *syntax.Paren:
		return literal(x.X)
	case *syntax.Noted:
		return literal(x.X)
	case *syntax.Column:
		if len(x.Streams) == 0 && !x.Name.Braced && (x.Name.Text == "true" || x.Name.Text == "false") {
			return x.Name.Text == "true", true
		}
	case *syntax.Call:
		if x.Cache.Text == "" && len(x.Args) == 0 && (x.Name.Text == "true" || x.Name.Text == "false") {
			return x.Name.Text == "true", true
		}
	case *syntax.Unary:
		if x.Op == "-" {
			return negative(x.X)
		}
	}
	return nil, false
}

func negative(x syntax.Expr) (any, bool) {
	v, _ := literal(x)
	switch n := v.(type) {
	case int64:
		return -n, true
	case float64:
		return -n, true
	}
	return nil, false
}

// plain is a text between double quotes in which nothing is worked out.
func plain(x *syntax.Interpolated) (any, bool) {
	var b strings.Builder
	for _, p := range x.Parts {
		if p.X != nil {
			return nil, false
		}
		b.WriteString(syntax.Unescape(p.Raw))
	}
	return b.String(), true
}

// number is a number as scripts write it. An octal one (0022) is that of its digits:
// nothing makes use of its value.
func number(text string) (any, bool) {
	if n, err := strconv.ParseInt(strings.TrimRight(text, "lL"), 10, 64); err == nil {
		return n, true
	}
	if strings.HasPrefix(strings.ToLower(text), "0x") {
		n, err := strconv.ParseInt(strings.TrimRight(text[2:], "lL"), 16, 64)
		return n, err == nil
	}
	n, err := strconv.ParseFloat(strings.TrimRight(text, "fF"), 64)
	return n, err == nil
}

// odd tells once that a setting is of another kind.
func (r *reader) odd(name, want, example string) {
	if r.told[name] {
		return
	}
	r.told[name] = true
	r.tell(diag.FlowType, name, "as in "+name+": "+example, "%s: found %s, want %s", name, r.shown(name), want)
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

// number is a count, of what fits in memory and more.
func (r *reader) number(name string) int {
	const most = 1<<31 - 1
	switch v := r.get(name).(type) {
	case nil:
		return 0
	case int64:
		if v >= 0 && v <= most {
			return int(v)
		}
	}
	r.odd(name, "a whole number from 0 to "+strconv.Itoa(most), "1")
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
				return t.UTC()
			}
		}
	}
	r.odd(name, "a point in time", "(toTimestamp('2026-10-01 00:00:00'))")
	return time.Time{}
}

// kind is one of some types by its word; nil for none.
func (r *reader) kind(name string, words map[string]schema.Type) schema.Type {
	word := r.text(name)
	if word == "" {
		return nil
	}
	t, ok := words[word]
	if !ok {
		r.odd(name, "one of "+strings.Join(slices.Sorted(maps.Keys(words)), ", "), "'"+slices.Min(slices.Collect(maps.Keys(words)))+"'")
	}
	return t
}

// below cleans a path that has to stay below its container.
func (r *reader) below(name, path string) string {
	clean, err := inside(path)
	if err != nil && !r.told[name] {
		r.told[name] = true
		r.tell(diag.FlowInput, name, "name a path below the container, with slashes: in/orders", "%s: found %s, %v", name, diag.Quote(path), err)
	}
	return clean
}

// inside is a path without slashes at its ends, and without empty or "." parts. One that
// begins with a slash begins at the container.
func inside(path string) (string, error) {
	if strings.Contains(path, "://") {
		return "", errors.New("which is an address")
	}
	if len(path) > 1 && path[1] == ':' {
		return "", errors.New("which is a path of a machine")
	}
	if strings.ContainsFunc(path, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return "", errors.New("which has a control character")
	}
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "", ".":
			continue
		case "..":
			return "", errors.New("which leaves its container")
		}
		if slices.Contains(strings.Split(part, `\`), "..") {
			return "", errors.New("which leaves its container")
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "/"), nil
}
