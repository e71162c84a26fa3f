package inspect

import (
	"fmt"
	"slices"
	"strings"

	"landfall/internal/definition"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

// typeVoid is the type of a column of nulls alone: it agrees with every type.
const typeVoid = "void"

// wanted are the nodes of a definition, by folded path.
func wanted(lists ...[]schema.Declared) map[string]Node {
	out := map[string]Node{}
	for _, list := range lists {
		for _, c := range list {
			for _, n := range parts(strings.Join(c.Path, "."), c.Type) {
				out[schema.Fold(n.Path)] = n
			}
		}
	}
	return out
}

// against lists the columns of each group that have no place in a definition, and
// those whose values may not be exactly of the wanted type.
func (r *Report) against(want definition.Table) []Offence {
	var out []Offence
	nodes := wanted(want.Columns, want.Partitions)
	for _, g := range r.Groups {
		var files []string
		add := func(column, found, want, message string) {
			if files == nil {
				files = r.filesOf(g.ID)
			}
			out = append(out, Offence{
				Files: files, Code: diag.GateClosed, Column: column, Found: found, Want: want,
				Message: fmt.Sprintf("%s, in %d of %d files", message, g.Files, r.Files),
				hint:    "let the sender write the type of the definition, put the files aside (--quarantine), or change the definition",
			})
		}
		misfits(g.Schema, nodes, add)
		for _, c := range want.Columns {
			lacks := func(n Node) bool { return schema.Fold(n.Path) == schema.Fold(strings.Join(c.Path, ".")) }
			if c.NotNull && !slices.ContainsFunc(g.Schema, lacks) {
				add(strings.Join(c.Path, "."), absent, c.Type.String()+" not null", "found no such column, want "+c.Type.String()+" not null")
			}
		}
	}
	for _, d := range r.folders(want) {
		out = append(out, Offence{
			Files: []string{d.Path}, Code: diag.GateClosed, Column: d.Column, Found: d.Found, Want: d.Want,
			Message: fmt.Sprintf("found %s, want %s", d.Found, d.Want), hint: "move the file to a folder of the definition's form",
		})
	}
	return out
}

// misfits tells the nodes of a schema that do not agree with those of a definition;
// of one that does not, its parts are not told.
func misfits(have []Node, want map[string]Node, tell func(column, found, want, message string)) {
	settled := "" // a path and a dot: what is below needs no look
	for _, n := range have {
		if settled != "" && strings.HasPrefix(n.Path, settled) {
			continue
		}
		settled = ""
		w, ok := want[schema.Fold(n.Path)]
		switch {
		case !ok:
			tell(n.Path, n.Type, absent, "found a new column of type "+n.Type+", want none")
		case w.Type == typeVoid || n.Type == typeVoid:
		case composite(w.Type) && w.Type == n.Type:
			continue
		case composite(w.Type) || !exact(n, w.Type):
			found := n.Type
			if n.Type == w.Type {
				found += " in " + n.Stored[strings.LastIndexByte(n.Stored, ' ')+1:]
			}
			tell(n.Path, found, w.Type, "found "+found+", want "+w.Type)
		}
		settled = n.Path + "."
	}
}

func composite(typ string) bool { return typ == "struct" || typ == typeArray || typ == typeMap }

// exact tells whether every value of a leaf of a file is exactly one of a type.
func exact(n Node, want string) bool {
	if strings.HasSuffix(n.Stored, "nanos") && strings.HasPrefix(want, typeTimestamp) {
		return false
	}
	if n.Type == want || n.Stored == "text" && want == typeString {
		return true
	}
	to, err := schema.ParseDDL(want)
	if err != nil {
		return false
	}
	from, err := schema.ParseDDL(landed(n.Type))
	return err == nil && schema.Widens(from, to)
}

// landed is the type that values of a type of Parquet alone have when they land.
func landed(typ string) string {
	switch typ {
	case "uint8":
		return "smallint"
	case "uint16":
		return "int"
	case "uint32":
		return "bigint"
	case "uint64":
		return "decimal(20,0)"
	case "float16":
		return "float"
	case "uuid", "time":
		return typeString
	}
	return typ
}
