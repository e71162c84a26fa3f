package forecast

import "strings"

// Pair says what a mode does with one column of two files, the first of which stands
// first in the folder; mild if all values are small. Measured is false for what rules
// say. The last result is false for modes of which nothing is known.
func (m *Matrix) Pair(mode Mode, first, second Type, mild bool) (r Result, byTable, known bool) {
	if first.Physical == Group && second.Physical == Group && first.Kind == second.Kind {
		return m.groups(mode, first, second, mild)
	}
	a, exactA := first.plain()
	b, exactB := second.plain()
	group := first.Physical == Group || second.Physical == Group
	if exactA && exactB || group {
		if r, ok := m.looked(mode, a, b, mild); ok {
			return r, !group, true
		}
	}
	r, _, known = m.ruled(mode, first, second, mild)
	return r, exactA && exactB && mode.Reader == "Spark", known
}

// looked looks a pair of names up.
func (m *Matrix) looked(mode Mode, a, b string, mild bool) (Result, bool) {
	if mode.Reader == "DuckDB" && mode.Options == deepGlob {
		mode.Options = "*.parquet" // partitions change nothing about types
	}
	cells := m.pairs[mode]
	if mild {
		cells = m.mild[mode]
	}
	n, ok := cells[[2]string{a, b}]
	if !ok {
		return Result{}, false
	}
	return m.results[n], true
}

// ruled answers by rules alone.
func (m *Matrix) ruled(mode Mode, first, second Type, mild bool) (r Result, byTable, known bool) {
	switch {
	case mode.Reader == "Spark" && mode.Options == "":
		return milder(sparkAt(mode.Version).pair(first, second), mild), false, true
	case mode.Reader == "Spark" && mode.Options == "mergeSchema=true":
		return milder(sparkAt(mode.Version).merge(first, second), mild), false, true
	}
	a, b := alike(first, second)
	r, known = m.looked(mode, a, b, mild)
	r.Message = anyDecimal(r.Message, r.Outcome)
	return r, false, known
}

// milder is a result of Spark if all values are small: they do not wrap, and have
// nothing below a microsecond that could be cut.
func milder(r Result, mild bool) Result {
	if mild && (r.How == "wrapped" || r.How == "truncated") {
		return Result{}
	}
	return r
}

// alike names a pair of measured types that fares as first and second do. Decimals
// stand for others in the same relation: what holds the digits of what.
func alike(first, second Type) (a, b string) {
	a, _ = first.plain()
	b, _ = second.plain()
	if first.Kind != Decimal || second.Kind != Decimal {
		return a, b
	}
	whole1, whole2 := first.Precision-first.Scale, second.Precision-second.Scale
	switch {
	case whole1 == whole2 && first.Scale == second.Scale:
		return "dec18_2", "dec18_2"
	case whole1 >= whole2 && first.Scale >= second.Scale:
		return "dec38_10", "dec9_2"
	case whole1 >= whole2:
		return "dec18_2", "dec18_4"
	case first.Scale >= second.Scale:
		return "dec18_4", "dec18_2"
	}
	return "dec9_2", "dec38_10"
}

// anyDecimal takes the precisions of other decimals out of a message.
func anyDecimal(message string, o Outcome) string {
	if o != Fails {
		return ""
	}
	for _, p := range []string{`9, 2`, `18, 2`, `18, 4`, `38, 10`, `9,2`, `18,2`, `18,4`, `38,10`} {
		message = strings.ReplaceAll(message, p, `\d+, ?\d+`)
	}
	return message
}

// groups compares lists, maps and structs field by field.
func (m *Matrix) groups(mode Mode, first, second Type, mild bool) (out Result, byTable, known bool) {
	known = true
	for i, want := range first.Fields {
		got, ok := field(second.Fields, want.Name)
		if first.Kind == List || first.Kind == Map {
			ok = i < len(second.Fields)
			if ok {
				got = second.Fields[i]
			}
		}
		if !ok {
			out = worse(out, m.absent(mode, "nested_missing_field_in_second"))
			continue
		}
		r, _, k := m.Pair(mode, want.Type, got.Type, mild)
		r.Message = inside(r.Message, r.Outcome)
		out, known = worse(out, r), known && k
	}
	if first.Kind != List && first.Kind != Map {
		for _, got := range second.Fields {
			if _, ok := field(first.Fields, got.Name); !ok {
				out = worse(out, m.absent(mode, "nested_extra_field_in_second"))
			}
		}
	}
	return out, false, known
}

// absent is what comes of a field that one of two structs lacks.
func (m *Matrix) absent(mode Mode, name string) Result {
	r, _ := m.Case(mode, name)
	if at := strings.Index(r.Message, "struct field: "); at >= 0 {
		r.Message = r.Message[:at] + "struct field: .+"
	}
	return r
}

// inside is an error about a part of a column as readers word it: they speak of the
// types of the whole column, or of none.
func inside(message string, o Outcome) string {
	if o != Fails {
		return message
	}
	message = strings.NewReplacer(`types "`, `types ".*`, `" and "`, `" and ".*`).Replace(message)
	if rest, ok := strings.CutPrefix(message, `failed to cast column ".+" from type `); ok {
		_, message, _ = strings.Cut(rest, ": : ")
	}
	return message
}

func field(fields []Column, name string) (Column, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f, true
		}
	}
	return Column{}, false
}

// Cast says what Spark makes of a column of a file where a schema fixes its type, by
// the name of the type in DDL.
func (m *Matrix) Cast(mode Mode, t Type, ddl string) (r Result, byTable, known bool) {
	name, exact := t.plain()
	if n, ok := m.casts[mode][[2]string{name, ddl}]; ok && (exact || t.Physical == Group) {
		return m.results[n], true, true
	}
	if mode.Reader != "Spark" || mode.Options != "explicit schema" {
		return Result{}, false, false
	}
	if ddl == "time(6)" {
		return sparkAt(mode.Version).noTime(), exact, true
	}
	return sparkAt(mode.Version).read(t, ddl), exact, true
}
