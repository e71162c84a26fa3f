package function

import (
	"regexp"
	"strconv"
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
)

// A template is text of DuckDB with places:
//
//	$1      the first argument, brought to its parameter's type
//	$!1     the same, where a macro needs it several times
//	$*      all arguments, $2* those from the second on, with commas
//	$2a     the name of the first parameter of the lambda that is the second
//	        argument; $2 is its body
//	{T}     DuckDB's name of the type that a variable stands for, {} of the result's
//	$D      DISTINCT, of an aggregate that has it
//	$U      nothing: values that are there twice change nothing
//	$N      IGNORE NULLS
//	$S      ORDER BY of WITHIN GROUP
//	$F      FILTER and OVER, $F[c] with the condition c besides
//
// What an aggregate has besides its arguments must stand in its template.

var (
	places   = regexp.MustCompile(`\$(?:!?[0-9][a-c]?\*?|\*|[DNSU]|F(?:\[[^\]]*\])?)|\{[A-Z]?\}`)
	distinct = regexp.MustCompile(`\$[DU]|DISTINCT`)
	repeated = regexp.MustCompile(`\$(!?)([0-9])([a-c]?\*?)`)
)

// writing is a call in a form.
type writing struct {
	name   string
	kind   Kind
	form   form
	call   Call
	params []pattern
	bind   binding
	types  []schema.Type
	args   []string
	typ    schema.Type
}

func (w *writing) result() (Result, error) {
	if err := w.arguments(); err != nil {
		return Result{}, err
	}
	if w.form.typ != nil {
		w.typ = w.form.typ(w.types)
	} else if w.form.gives != "" {
		gives := params(w.form.gives)[0]
		if gives.variable() {
			gives = variableOf(w.params, gives.name)
		}
		w.typ = w.bind.typeOf(gives, nil)
	}
	sql, err := w.text()
	if err != nil {
		return Result{}, err
	}
	if w.form.cast {
		sql = typed.CastTo(sql, w.typ)
	}
	return Result{sql, w.typ}, nil
}

func (w *writing) text() (string, error) {
	if w.call.Distinct && w.form.write == nil && !distinct.MatchString(w.form.sql) {
		return "", w.notDistinct()
	}
	if w.form.write != nil {
		return w.form.write(w)
	}
	if w.kind == Aggregate || w.kind == Window {
		return w.expand(w.form.sql), nil
	}
	return w.bound(w.form.sql), nil
}

// bound expands a template for which no argument is computed twice.
func (w *writing) bound(template string) string {
	uses := map[int]int{}
	for _, m := range repeated.FindAllStringSubmatch(template, -1) {
		n, _ := strconv.Atoi(m[2]) // the expression takes digits alone
		if m[3] == "" {
			uses[n-1] += 1 + len(m[1])
		}
	}
	var at []int
	var texts []string
	for i, text := range w.args {
		if uses[i] > 1 && w.call.Args[i].Params == nil {
			at, texts = append(at, i), append(texts, text)
		}
	}
	if len(texts) == 0 {
		return "(" + w.expand(template) + ")"
	}
	// The names must be free in all that stands inside.
	return typed.OnceAmong(texts, strings.Join(w.args, " "), func(names []string) string {
		was := w.args
		w.args = append([]string(nil), was...)
		for k, i := range at {
			w.args[i] = names[k]
		}
		out := w.expand(template)
		w.args = was
		return out
	})
}

// notDistinct says that a function takes no DISTINCT.
func (w *writing) notDistinct() error {
	return &typed.Misuse{
		Function: w.name, Argument: -1, Found: "DISTINCT", Want: "none in a call of this function",
		Hint: "compute it of a query with SELECT DISTINCT",
	}
}

// arguments brings each to its type.
func (w *writing) arguments() error {
	for i, a := range w.call.Args {
		p := w.params[i]
		if p.name == "lambda" {
			p = p.parts[len(p.parts)-1]
		}
		t := w.bind.typeOf(p, a.Type)
		w.types = append(w.types, t)
		sql, err := typed.Cast(a, t, false)
		if err != nil {
			return &typed.Misuse{Function: w.name, Argument: i, Found: a.Type.String(), Want: t.String(), Hint: "cast it"}
		}
		if p.name == "regex" {
			if sql, err = regex(w.name, i, a, sql); err != nil {
				return err
			}
		}
		w.args = append(w.args, sql)
	}
	return nil
}

// expand puts everything in its place.
func (w *writing) expand(template string) string {
	return places.ReplaceAllStringFunc(template, func(place string) string {
		switch {
		case place == "{}":
			return typed.TypeSQL(w.typ)
		case place[0] == '{':
			return typed.TypeSQL(w.bind.typeOf(variableOf(w.params, place[1:2]), nil))
		case place == "$*":
			return strings.Join(w.args, ", ")
		case place == "$D" && w.call.Distinct:
			return "DISTINCT "
		case place == "$N" && w.call.IgnoreNulls:
			return " IGNORE NULLS"
		case place == "$S" && w.call.Order != "":
			return " ORDER BY " + w.call.Order
		case place == "$D", place == "$N", place == "$S", place == "$U":
			return ""
		case strings.HasPrefix(place, "$F"):
			return w.filter(strings.TrimSuffix(strings.TrimPrefix(place[2:], "["), "]"))
		}
		return w.place(strings.TrimPrefix(place[1:], "!"))
	})
}

// place is an argument, some of them, or the name of a lambda's parameter.
func (w *writing) place(place string) string {
	i := int(place[0] - '1')
	switch {
	case strings.HasSuffix(place, "*"):
		return strings.Join(w.args[min(i, len(w.args)):], ", ")
	case len(place) == 2:
		return w.call.Args[i].Params[place[1]-'a']
	}
	return w.args[i]
}

// filter is what stands behind an aggregate.
func (w *writing) filter(condition string) string {
	var conditions []string
	if condition != "" {
		conditions = append(conditions, "("+w.expand(condition)+")")
	}
	if w.call.Filter != "" {
		conditions = append(conditions, "("+w.call.Filter+")")
	}
	out := w.call.Over
	if len(conditions) > 0 {
		out = " FILTER (WHERE " + strings.Join(conditions, " AND ") + ")" + out
	}
	return out
}

// variableOf is a variable with the class that it has among parameters.
func variableOf(ps []pattern, name string) pattern {
	out := pattern{name: name}
	for _, p := range ps {
		if p.name == name && p.class != "" {
			return p
		}
		if q := variableOf(p.parts, name); q.class != "" {
			out = q
		}
	}
	return out
}
