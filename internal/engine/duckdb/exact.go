package duckdb

import (
	"fmt"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/engine/duckdb/dialect"
)

// exact returns the expression that hands ref over so that the driver loses
// nothing: JSON as text (not as floats), maps as lists of their entries (the
// driver refuses some keys and is slow with many), and as text what has no Go
// value here. Maps among very many lists are text too: JSON. A nil info is a type that the driver does not know.
func exact(ref string, info duck.TypeInfo, depth int) string {
	if info == nil || !hasMap(info) {
		return "CAST(" + ref + " AS " + exactSQL(info) + ")"
	}
	if depth == 0 && listDepth(info) > deepLambdas {
		return "CAST(to_json(" + ref + ") AS VARCHAR)"
	}
	item := fmt.Sprintf("item%d", depth)
	switch d := info.Details().(type) {
	case *duck.ListDetails:
		return fmt.Sprintf("list_transform(%s, lambda %s: %s)", ref, item, exact(item, d.Child, depth+1))
	case *duck.ArrayDetails:
		return fmt.Sprintf("list_transform(%s::%s[], lambda %s: %s)", ref, infoSQL(d.Child), item, exact(item, d.Child, depth+1))
	case *duck.MapDetails:
		return fmt.Sprintf("list_transform(map_entries(%s), lambda %s: struct_pack(key := %s, value := %s))", ref, item,
			exact(item+".key", d.Key, depth+1), exact(item+".value", d.Value, depth+1))
	case *duck.StructDetails:
		fields := make([]string, len(d.Entries))
		for i, e := range d.Entries {
			fields[i] = dialect.Name(e.Name()) + " := " + exact("struct_extract("+ref+", "+dialect.Quote(e.Name())+")", e.Info(), depth)
		}
		return "CASE WHEN " + ref + " IS NULL THEN NULL ELSE struct_pack(" + strings.Join(fields, ", ") + ") END"
	}
	return ref
}

func hasMap(info duck.TypeInfo) bool {
	switch d := info.Details().(type) {
	case *duck.MapDetails:
		return true
	case *duck.ListDetails:
		return hasMap(d.Child)
	case *duck.ArrayDetails:
		return hasMap(d.Child)
	case *duck.StructDetails:
		for _, e := range d.Entries {
			if hasMap(e.Info()) {
				return true
			}
		}
	}
	return false
}

// exactSQL is the type to cast to, for types without maps.
func exactSQL(info duck.TypeInfo) string {
	if info == nil {
		return "VARCHAR"
	}
	switch d := info.Details().(type) {
	case *duck.ListDetails:
		return exactSQL(d.Child) + "[]"
	case *duck.ArrayDetails:
		return fmt.Sprintf("%s[%d]", exactSQL(d.Child), d.Size)
	case *duck.StructDetails:
		fields := make([]string, len(d.Entries))
		for i, e := range d.Entries {
			fields[i] = dialect.Name(e.Name()) + " " + exactSQL(e.Info())
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	case *duck.DecimalDetails:
		return infoSQL(info)
	}
	plain := plainSQL(info.InternalType())
	if info.Alias() != "" || plain == otherSQL(info.InternalType()) {
		return "VARCHAR"
	}
	return plain
}
