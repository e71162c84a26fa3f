package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"landfall/internal/definition"
	"landfall/internal/schema"
)

// Disagreement is a file whose column is not as a table definition has it.
type Disagreement struct {
	Path   string `json:"path"`
	Column string `json:"column"`
	Want   string `json:"want"`
	// Found is the type in the file, or what the file's folder says; "absent" for
	// none.
	Found string `json:"found"`
	Group int    `json:"group"`
}

// expect names every file that disagrees with a definition. A column that a file
// lacks agrees, as readers fill it with nulls, and so does one that the definition
// lacks. Columns of partitions are those of folders.
func (r *Report) expect(want definition.Table) {
	r.Expected = []Disagreement{}
	perGroup := make([][]Disagreement, len(r.Groups))
	for i, g := range r.Groups {
		have := map[string]Node{}
		for _, n := range g.Schema {
			have[schema.Fold(n.Path)] = n
		}
		for _, c := range want.Columns {
			for _, w := range parts(strings.Join(c.Path, "."), c.Type) {
				n, ok := have[schema.Fold(w.Path)]
				if ok && n.Type != w.Type && w.Type != typeVoid {
					perGroup[i] = append(perGroup[i], Disagreement{"", n.Path, w.Type, n.Type, g.ID})
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
	r.Expected = append(r.Expected, r.folders(want)...)
	slices.SortStableFunc(r.Expected, func(a, b Disagreement) int { return cmp.Compare(a.Path, b.Path) })
}

// folders names the files whose folders disagree with a definition: a value that is
// none of the column's type, or no folder for a column of partitions.
func (r *Report) folders(want definition.Table) []Disagreement {
	types := map[string]string{}
	for _, c := range slices.Concat(want.Columns, want.Partitions) {
		if len(c.Path) == 1 {
			types[schema.Fold(c.Path[0])] = c.Type.String()
		}
	}
	var out []Disagreement
	for _, f := range r.Read {
		pairs, _ := partition(f.Path)
		for _, p := range pairs {
			if typ, ok := types[schema.Fold(p.name)]; ok && !fits(p.value, typ) {
				out = append(out, Disagreement{f.Path, p.name, typ, fmt.Sprintf("the folder's value %q", p.value), f.Group})
			}
		}
		for _, c := range want.Partitions {
			if !slices.ContainsFunc(pairs, func(p pair) bool { return schema.Fold(p.name) == schema.Fold(c.Path[0]) }) {
				out = append(out, Disagreement{f.Path, c.Path[0], c.Type.String(), absent, f.Group})
			}
		}
	}
	return out
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
