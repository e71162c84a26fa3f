package function

import (
	"fmt"
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
)

// entriesType is the type of a map's entries.
func entriesType(t schema.Type, place bool) schema.Type {
	m, ok := t.(schema.Map)
	if !ok {
		m = typed.MapOf(typed.Void, typed.Void)
	}
	fields := []schema.Field{typed.Field("key", m.Key), typed.Field("value", m.Value)}
	if place {
		fields = append([]schema.Field{typed.Field("pos", schema.Integer)}, fields...)
	}
	return typed.ArrayOf(typed.StructOf(fields...))
}

// columnType is the type of rows with an element of an array each.
func columnType(t schema.Type, place bool) schema.Type {
	a, ok := t.(schema.Array)
	if !ok {
		a = typed.ArrayOf(typed.Void)
	}
	if place {
		return typed.ArrayOf(typed.StructOf(typed.Field("pos", schema.Integer), typed.Field("col", a.Element)))
	}
	return typed.ArrayOf(typed.StructOf(typed.Field("col", a.Element)))
}

// mapOfEntries is the map of an array of structs with two fields.
func mapOfEntries(types []schema.Type) schema.Type {
	if a, ok := types[0].(schema.Array); ok {
		if s, ok := a.Element.(schema.Struct); ok && len(s.Fields) == 2 {
			return typed.MapOf(s.Fields[0].Type, s.Fields[1].Type)
		}
	}
	return typed.MapOf(typed.Void, typed.Void)
}

// aggregate reduces an array. DuckDB wants a first value of the type of the
// elements; where it has another, both go in structs.
func (w *writing) aggregate() (string, error) {
	was := w.typ
	state := w.types[1]
	list, _ := w.types[0].(schema.Array)
	merged, err := typed.Cast(typed.Argument{SQL: w.args[2], Type: w.types[2]}, state, false)
	if err != nil || !typed.Assignable(w.types[2], state) {
		return "", &typed.Misuse{Function: w.name, Argument: 2, Found: w.types[2].String(), Want: state.String(), Hint: "cast the first value, or what the lambda makes"}
	}
	params := w.call.Args[2].Params
	var out string
	if typed.Same(list.Element, state) {
		out = fmt.Sprintf("list_reduce(%s, lambda %s, %s: %s, %s)", w.args[0], params[0], params[1], merged, w.args[1])
	} else {
		out = fmt.Sprintf("struct_extract(list_reduce(list_transform(%s, lambda _e: {'e': _e, 's': %s}), lambda _s, _t: {'e': %s, 's': list_transform([_s.s], lambda %s: list_transform([_t.e], lambda %s: %s)[1])[1]}, {'e': %s, 's': %s}), 's')",
			w.args[0], typed.CastTo("NULL", state), typed.CastTo("NULL", list.Element), params[0], params[1], merged, typed.CastTo("NULL", list.Element), w.args[1])
	}
	if len(w.args) < 4 {
		w.typ = state
		return out, nil
	}
	w.typ = was
	return "list_transform([" + out + "], lambda " + w.call.Args[3].Params[0] + ": " + w.args[3] + ")[1]", nil
}

func (w *writing) mapFromEntries() (string, error) {
	m, _ := w.typ.(schema.Map)
	if m.Key == typed.Void {
		return "", &typed.Misuse{Function: w.name, Argument: 0, Found: w.types[0].String(), Want: "an array of structs with two fields"}
	}
	return "map_from_entries(" + w.args[0] + ")", nil
}

// mapOf is a map of arguments that are keys and values in turn.
func (w *writing) mapOf() (string, error) {
	args := w.call.Args
	if len(args)%2 != 0 {
		return "", &typed.Misuse{Function: w.name, Argument: -1, Found: fmt.Sprintf("%d arguments", len(args)), Want: "a value for each key"}
	}
	types := []schema.Type{typed.Void, typed.Void}
	for i, a := range args {
		t, ok := typed.Common(types[i%2], a.Type)
		if !ok {
			return "", &typed.Misuse{Function: w.name, Argument: i, Found: a.Type.String(), Want: types[i%2].String(), Hint: "cast it"}
		}
		types[i%2] = t
	}
	var texts [2][]string
	for i, a := range args {
		text, err := typed.Cast(a, types[i%2], false)
		if err != nil {
			return "", err
		}
		texts[i%2] = append(texts[i%2], text)
	}
	w.typ = typed.MapOf(types[0], types[1])
	lists := make([]string, 2)
	for i, t := range types {
		lists[i] = typed.CastTo("["+strings.Join(texts[i], ", ")+"]", typed.ArrayOf(t))
	}
	return "map(" + lists[0] + ", " + lists[1] + ")", nil
}

func (w *writing) mapConcat() (string, error) {
	if len(w.args) == 0 {
		return typed.CastTo("map([], [])", w.typ), nil
	}
	parts := make([]string, len(w.args))
	var known []string
	for i, a := range w.args {
		parts[i] = "map_entries(" + a + ")"
		known = append(known, a+" IS NOT NULL")
	}
	return "CASE WHEN " + strings.Join(known, " AND ") + " THEN map_from_entries(flatten([" + strings.Join(parts, ", ") + "])) END", nil
}

// namedStruct is a struct of arguments that are names and values in turn.
func (w *writing) namedStruct() (string, error) {
	if len(w.args)%2 != 0 || len(w.args) == 0 {
		return "", &typed.Misuse{Function: w.name, Argument: -1, Found: fmt.Sprintf("%d arguments", len(w.args)), Want: "a value for each name"}
	}
	var names []string
	for i := 0; i < len(w.args); i += 2 {
		n, err := w.literal(i, "the name of a field")
		if err != nil {
			return "", err
		}
		names = append(names, n)
	}
	return w.packed(names, func(i int) int { return 2*i + 1 })
}

// structOf is a struct of arguments, which have the names of columns or their
// places for names.
func (w *writing) structOf() (string, error) {
	names := make([]string, len(w.args))
	for i, a := range w.call.Args {
		if names[i] = a.Name; a.Name == "" {
			names[i] = fmt.Sprintf("col%d", i+1)
		}
	}
	return w.packed(names, func(i int) int { return i })
}

func (w *writing) packed(names []string, at func(i int) int) (string, error) {
	if len(names) == 0 {
		return "", &typed.Misuse{Function: w.name, Argument: -1, Found: "no fields", Want: "one or more"}
	}
	fields := make([]schema.Field, len(names))
	texts := make([]string, len(names))
	taken := map[string]bool{}
	for i, n := range names {
		if taken[schema.Fold(n)] {
			return "", &typed.Misuse{Function: w.name, Argument: at(i), Found: "a second field " + n, Want: "fields with names of their own"}
		}
		taken[schema.Fold(n)] = true
		fields[i] = typed.Field(n, w.types[at(i)])
		texts[i] = typed.Quote(n) + ": " + w.args[at(i)]
	}
	w.typ = typed.StructOf(fields...)
	return "{" + strings.Join(texts, ", ") + "}", nil
}
