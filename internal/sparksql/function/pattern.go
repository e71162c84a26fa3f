package function

import (
	"fmt"
	"slices"
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
)

// pattern is what a parameter takes: the name of a type, a class of types or a
// variable for one, or an array, a map or a lambda of patterns. The parts of a
// lambda are its parameters and its result.
type pattern struct {
	name  string
	class string
	parts []pattern
	// rest says that there may be more such arguments, or none.
	rest bool
}

// params reads the parameters of a form: "array<T>, (T, int) -> U, N:number,
// string...".
func params(text string) []pattern {
	r := patternReader{text: text}
	var out []pattern
	classes := map[string]string{}
	for r.space(); r.at < len(r.text); r.space() {
		p := r.one()
		if p.variable() && p.class == "" {
			p.class = classes[p.name]
		}
		classes[p.name] = p.class
		if p.rest = strings.HasPrefix(r.text[r.at:], "..."); p.rest {
			r.at += 3
		}
		out = append(out, p)
		r.space()
		r.take(',')
	}
	return out
}

// patternReader reads what stands in the table.
type patternReader struct {
	text string
	at   int
}

func (r *patternReader) space() {
	for r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
	}
}

func (r *patternReader) take(c byte) bool {
	r.space()
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

func (r *patternReader) word() string {
	r.space()
	from := r.at
	for r.at < len(r.text) && !strings.ContainsRune(" ,<>():.-", rune(r.text[r.at])) {
		r.at++
	}
	return r.text[from:r.at]
}

func (r *patternReader) one() pattern {
	if r.take('(') {
		p := pattern{name: "lambda", parts: r.list(')')}
		r.space()
		r.at += len("->")
		p.parts = append(p.parts, r.one())
		return p
	}
	p := pattern{name: r.word()}
	if r.take(':') {
		p.class = r.word()
	}
	if r.take('<') {
		p.parts = r.list('>')
	}
	return p
}

func (r *patternReader) list(end byte) []pattern {
	var out []pattern
	for !r.take(end) {
		out = append(out, r.one())
		r.take(',')
	}
	return out
}

// String writes a pattern as the manual does.
func (p pattern) String() string {
	parts := make([]string, len(p.parts))
	for i, q := range p.parts {
		parts[i] = q.String()
	}
	text := p.name
	switch {
	case p.name == "lambda":
		last := len(parts) - 1
		text = "(" + strings.Join(parts[:last], ", ") + ") -> " + parts[last]
	case p.class != "":
		text = p.class
	case len(parts) > 0:
		text += "<" + strings.Join(parts, ", ") + ">"
	}
	if p.rest {
		text += "…"
	}
	return text
}

// variable reports whether a pattern stands for a type that a call decides.
func (p pattern) variable() bool {
	return len(p.name) == 1 && p.name[0] >= 'A' && p.name[0] <= 'Z'
}

// fixed is the type of that name, nil if the name is that of a class.
func fixed(name string) schema.Type {
	switch name {
	case "regex", "char", "unit", "part", "pattern", "jsonpath", "form":
		return schema.String
	case "months":
		return typed.Interval{Months: true}
	case "span":
		return typed.Interval{}
	}
	if t, err := schema.ParseDDL(name); err == nil {
		return t
	}
	return nil
}

// class is the type that an argument of a type is brought to for a class of
// types; false if there is none. A text is a double where a number is wanted.
func class(name string, t schema.Type) (schema.Type, bool) {
	switch name {
	case "any":
		return t, true
	case "number":
		if t == schema.String || t == typed.Void {
			return schema.Double, true
		}
		return t, typed.Numeric(t)
	case "integral":
		if t == typed.Void {
			return schema.Integer, true
		}
		return t, typed.Integral(t)
	case "decimals":
		return t, typed.IsDecimal(t)
	case "fraction":
		if t == schema.Float {
			return t, true
		}
		return schema.Double, typed.Numeric(t) && !typed.IsDecimal(t) || t == schema.String || t == typed.Void
	case "moment":
		if t == schema.String || t == typed.Void {
			return schema.Timestamp, true
		}
		return t, typed.IsMoment(t)
	case "time":
		if typed.IsTime(t) {
			return t, true
		}
		return schema.Timestamp, t == schema.String || t == typed.Void || t == schema.Date
	case "interval":
		return t, typed.IsInterval(t)
	case "struct":
		_, ok := t.(schema.Struct)
		return t, ok
	case "orderable":
		return t, orderable(t)
	case "text":
		if t == schema.Binary {
			return t, true
		}
		return schema.String, typed.Atomic(t) || t == typed.Void
	}
	return nil, false
}

// binding is what the variables of a form stand for in a call.
type binding map[string]schema.Type

// collect learns from the type of an argument. Without coercion types must be
// equal.
func (b binding) collect(p pattern, t schema.Type, coerce bool) bool {
	switch {
	case p.variable():
		return b.learn(p, t, coerce)
	case p.name == "array":
		if a, ok := t.(schema.Array); ok {
			return b.collect(p.parts[0], a.Element, coerce)
		}
		return t == typed.Void
	case p.name == "map":
		if m, ok := t.(schema.Map); ok {
			return b.collect(p.parts[0], m.Key, coerce) && b.collect(p.parts[1], m.Value, coerce)
		}
		return t == typed.Void
	}
	if want := fixed(p.name); want != nil {
		return typed.Same(want, t) || t == typed.Void || coerce && typed.Assignable(t, want)
	}
	got, ok := class(p.name, t)
	return ok && (coerce || typed.Same(got, t) || t == typed.Void)
}

func (b binding) learn(p pattern, t schema.Type, coerce bool) bool {
	if p.class != "" && t != typed.Void {
		got, ok := class(p.class, t)
		if !ok || !coerce && !typed.Same(got, t) {
			return false
		}
		t = got
	}
	was, known := b[p.name]
	switch {
	case !known || was == typed.Void:
		b[p.name] = t
		return true
	case t == typed.Void:
		return true
	case !coerce:
		return typed.Same(was, t)
	}
	common, ok := typed.Common(was, t)
	b[p.name] = common
	return ok
}

// typeOf is the type that a pattern stands for, given the type of an argument;
// nil of a class without one.
func (b binding) typeOf(p pattern, t schema.Type) schema.Type {
	switch {
	case p.variable():
		known, ok := b[p.name]
		if !ok || known == typed.Void && p.class != "" {
			if got, ok := class(p.class, typed.Void); ok {
				return got
			}
			return typed.Void
		}
		return known
	case p.name == "array":
		return typed.ArrayOf(b.typeOf(p.parts[0], nil))
	case p.name == "map":
		return typed.MapOf(b.typeOf(p.parts[0], nil), b.typeOf(p.parts[1], nil))
	}
	if want := fixed(p.name); want != nil {
		return want
	}
	got, _ := class(p.name, t)
	return got
}

// spread repeats the last of the parameters for the arguments there are; false
// if there are too many or too few.
func spread(ps []pattern, n int) ([]pattern, bool) {
	if len(ps) > 0 && ps[len(ps)-1].rest {
		last := len(ps) - 1
		if n < last {
			return nil, false
		}
		return append(slices.Clone(ps[:last]), slices.Repeat(ps[last:], n-last)...), true
	}
	return ps, n == len(ps)
}

// counts says how many arguments forms take.
func counts(forms []form) string {
	var out []string
	for _, f := range forms {
		ps := params(f.takes)
		text := fmt.Sprint(len(ps))
		if len(ps) > 0 && ps[len(ps)-1].rest {
			text = fmt.Sprintf("%d or more", len(ps)-1)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if len(out) == 1 && out[0] == "1" {
		return "1 argument"
	}
	return strings.Join(out, " or ") + " arguments"
}
