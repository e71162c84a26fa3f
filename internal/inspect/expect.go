package inspect

import (
	"cmp"
	"slices"

	"landfall/internal/schema"
)

// Disagreement is a file whose column is not as a table definition has it.
type Disagreement struct {
	Path   string `json:"path"`
	Column string `json:"column"`
	Want   string `json:"want"`
	// Found is the type in the file, "absent" for none.
	Found string `json:"found"`
	Group int    `json:"group"`
}

// expect names every file that disagrees with a definition. A column that a file
// lacks agrees, as readers fill it with nulls.
func (r *Report) expect(want []schema.Declared) {
	r.Expected = []Disagreement{}
	perGroup := make([][]Disagreement, len(r.Groups))
	for i, g := range r.Groups {
		have := map[string]Node{}
		for _, n := range g.Schema {
			have[schema.Fold(n.Path)] = n
		}
		for _, w := range want {
			for _, part := range parts(w.Path.String(), w.Type) {
				n, ok := have[schema.Fold(part.Path)]
				if ok && n.Type != part.Type {
					perGroup[i] = append(perGroup[i], Disagreement{"", n.Path, part.Type, n.Type, g.ID})
				}
			}
		}
	}
	for _, f := range r.Read {
		for _, d := range perGroup[f.Group-1] {
			d.Path = f.Path
			r.Expected = append(r.Expected, d)
		}
	}
	slices.SortStableFunc(r.Expected, func(a, b Disagreement) int { return cmp.Compare(a.Path, b.Path) })
}

// parts flattens a type as nodesOf does.
func parts(path string, t schema.Type) []Node {
	switch t := t.(type) {
	case schema.Struct:
		out := []Node{{Path: path, Type: "struct"}}
		for _, f := range t.Fields {
			out = append(out, parts(path+"."+f.Name, f.Type)...)
		}
		return out
	case schema.Array:
		return append([]Node{{Path: path, Type: typeArray}}, parts(path+".element", t.Element)...)
	case schema.Map:
		out := append([]Node{{Path: path, Type: typeMap}}, parts(path+".key", t.Key)...)
		return append(out, parts(path+".value", t.Value)...)
	}
	return []Node{{Path: path, Type: t.String()}}
}
