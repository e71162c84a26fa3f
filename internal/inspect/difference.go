package inspect

import (
	"slices"
	"strings"

	"landfall/internal/schema"
)

// Difference is a column in which groups differ.
type Difference struct {
	// Column is spelled as in the first group that has it; "" is said of the order
	// of all columns.
	Column string `json:"column"`
	// Kind is added (groups before have no such column), missing (groups after the
	// first lack it), recased, order, type, decimal (digits alone), unit (of instants
	// and times), storage (of equal values), nullability.
	Kind string `json:"kind"`
	// Types are what the groups have: of the kinds added, missing and type, decimal
	// the type, "absent" for none; of others spellings, orders, units.
	Types []Variant `json:"types"`
}

// Variant is what some groups have of a column.
type Variant struct {
	Type   string `json:"type"`
	Groups []int  `json:"groups"`
}

// absent stands for the type of a column that a group lacks.
const absent = "absent"

// differences compares groups column by column, columns by their names without
// regard to casing.
func differences(groups []Group) []Difference {
	out := []Difference{}
	if len(groups) < 2 {
		return out
	}
	tables := make([]map[string]Node, len(groups))
	var order []string
	known := map[string]bool{}
	for i, g := range groups {
		tables[i] = map[string]Node{}
		for _, n := range g.Schema {
			folded := schema.Fold(n.Path)
			if _, twice := tables[i][folded]; twice {
				folded = n.Path + "#2"
			}
			tables[i][folded] = n
			if !known[folded] {
				known[folded] = true
				order = append(order, folded)
			}
		}
	}
	for _, column := range order {
		out = append(out, compare(column, tables)...)
	}
	if d, ok := orders(groups); ok {
		out = append(out, d)
	}
	return out
}

// compare says in what the groups differ in one column.
func compare(column string, tables []map[string]Node) []Difference {
	var have []Node
	for _, t := range tables {
		if n, ok := t[column]; ok {
			have = append(have, n)
		}
	}
	var out []Difference
	add := func(kind string, of func(Node) string) {
		out = append(out, Difference{have[0].Path, kind, variants(column, tables, of)})
	}
	differ := func(of func(Node) string) bool {
		return slices.ContainsFunc(have, func(n Node) bool { return of(n) != of(have[0]) })
	}
	typ := func(n Node) string { return n.Type }
	if len(have) < len(tables) && !within(column, tables) {
		kind := "missing"
		if _, ok := tables[0][column]; !ok {
			kind = "added"
		}
		out = append(out, Difference{have[0].Path, kind, variants(column, tables, typ)})
	}
	if differ(func(n Node) string { return n.Path }) {
		add("recased", func(n Node) string { return n.Path })
	}
	switch stored := func(n Node) string { return n.Stored }; {
	case differ(typ):
		kind := "type"
		if !slices.ContainsFunc(have, func(n Node) bool { return !strings.HasPrefix(n.Type, "decimal(") }) {
			kind = "decimal"
		}
		add(kind, typ)
	case differ(stored):
		kind := "storage"
		if slices.ContainsFunc(have, func(n Node) bool { return n.Type == "time" || strings.HasPrefix(n.Type, typeTimestamp) }) {
			kind = "unit"
		}
		add(kind, stored)
	}
	if differ(func(n Node) string { return nullability(n) }) {
		add("nullability", nullability)
	}
	return out
}

// within tells whether a column stands in another that some group lacks too, or
// has without parts: that one is named then, and not each of its parts.
func within(column string, tables []map[string]Node) bool {
	at := strings.LastIndexByte(column, '.')
	if at < 0 {
		return false
	}
	for _, t := range tables {
		if _, ok := t[column]; ok {
			continue
		}
		if outer, ok := t[column[:at]]; ok && outer.Stored == "" {
			return false
		}
	}
	return true
}

func nullability(n Node) string {
	switch {
	case n.Nullable:
		return "nullable"
	case n.Element.Repetition == repeated:
		return "repeated"
	}
	return "not null"
}

// variants lists what the groups have, in the order of the groups.
func variants(column string, tables []map[string]Node, of func(Node) string) []Variant {
	var out []Variant
	for i, t := range tables {
		what := absent
		if n, ok := t[column]; ok {
			what = of(n)
		}
		at := slices.IndexFunc(out, func(v Variant) bool { return v.Type == what })
		if at < 0 {
			at = len(out)
			out = append(out, Variant{Type: what})
		}
		out[at].Groups = append(out[at].Groups, i+1)
	}
	return out
}

// orders compares the order of the columns that all groups have.
func orders(groups []Group) (Difference, bool) {
	count := map[string]int{}
	for _, g := range groups {
		for _, name := range topLevel(g) {
			count[name]++
		}
	}
	d := Difference{Kind: "order"}
	for _, g := range groups {
		shared := slices.DeleteFunc(topLevel(g), func(name string) bool { return count[name] < len(groups) })
		text := strings.Join(shared, ", ")
		at := slices.IndexFunc(d.Types, func(v Variant) bool { return v.Type == text })
		if at < 0 {
			at = len(d.Types)
			d.Types = append(d.Types, Variant{Type: text})
		}
		d.Types[at].Groups = append(d.Types[at].Groups, g.ID)
	}
	return d, len(d.Types) > 1
}

// topLevel lists the folded names of a group's columns.
func topLevel(g Group) []string {
	var out []string
	for _, n := range g.Schema {
		if !strings.Contains(n.Path, ".") {
			out = append(out, schema.Fold(n.Path))
		}
	}
	return out
}
