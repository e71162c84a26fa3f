package duckdb

import (
	"fmt"
	"slices"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/schema"
)

// misfit says that a file's column cannot be read as the table's type without
// the risk of another value.
type misfit struct {
	path        string
	found, want string
}

func (m *misfit) Error() string {
	return fmt.Sprintf("%s: found %s, want %s", m.path, m.found, m.want)
}

// fitter writes expressions that read what a file holds as what a table says.
type fitter struct {
	// names maps the field ids of the files to names; nil to go by name.
	names map[int64]string
	// plain writes the expression that reads ref, at a path, as a plain type, "" for none.
	plain func(ref string, found duck.TypeInfo, want schema.Type, path string) string
	// strict says that nothing of what is held is left out, and that there is no null
	// where the type has none.
	strict bool
	depth  int
}

// member is a named, typed value that a file holds.
type member struct {
	name string
	info duck.TypeInfo
	// ref is the expression that holds it, "" if it goes by its name.
	ref string
}

// find returns the member that holds a field, nil when the file lacks it.
func (f *fitter) find(field schema.Field, among []member) *member {
	want := schema.PhysicalName(field)
	if f.names != nil {
		name, ok := f.names[fieldID(field)]
		if !ok {
			return nil
		}
		want = name
	}
	i := slices.IndexFunc(among, func(m member) bool { return m.name == want })
	if i < 0 {
		i = slices.IndexFunc(among, func(m member) bool { return strings.EqualFold(m.name, want) })
	}
	if i < 0 {
		return nil
	}
	return &among[i]
}

// column returns the expression for a column of the table; ref prefixes names.
func (f *fitter) column(field schema.Field, among []member, ref string) (string, error) {
	typ, err := typeSQL(field.Type)
	if err != nil {
		return "", err
	}
	m := f.find(field, among)
	if m == nil {
		return "CAST(NULL AS " + typ + ")", nil
	}
	held := m.ref
	if held == "" {
		held = ref + dialect.Name(m.name)
	}
	expr, err := f.value(held, m.info, field.Type, field.Name)
	if err != nil {
		return "", err
	}
	if expr != held {
		expr = "CAST(" + expr + " AS " + typ + ")"
	}
	return expr, nil
}

// value returns the expression that reads ref, of type found, as want.
func (f *fitter) value(ref string, found duck.TypeInfo, want schema.Type, path string) (string, error) {
	typ, err := typeSQL(want)
	if err != nil {
		return "", err
	}
	asHeld := f.names == nil && unmapped(want) && (!f.strict || !refusesNull(want))
	if infoSQL(found) == typ && (isPlain(want) || asHeld) {
		return ref, nil
	}
	if found.InternalType() == duck.TYPE_SQLNULL {
		return "CAST(NULL AS " + typ + ")", nil
	}
	switch want := want.(type) {
	case schema.Struct:
		if d, ok := found.Details().(*duck.StructDetails); ok {
			return f.structure(ref, d, want, path)
		}
	case schema.Array:
		if d, ok := found.Details().(*duck.ListDetails); ok {
			return f.elements(ref, d.Child, want.Element, want.ContainsNull, path+".element")
		}
	case schema.Map:
		if d, ok := found.Details().(*duck.MapDetails); ok {
			return f.entries(ref, d, want, path)
		}
	default:
		if expr := f.plain(ref, found, want, path); expr != "" {
			return expr, nil
		}
	}
	return "", &misfit{path, infoSQL(found), want.String()}
}

func (f *fitter) structure(ref string, found *duck.StructDetails, want schema.Struct, path string) (string, error) {
	members := make([]member, len(found.Entries))
	for i, e := range found.Entries {
		members[i] = member{name: e.Name(), info: e.Info()}
	}
	if f.strict && len(members) != len(want.Fields) {
		return "", &misfit{path, fmt.Sprintf("a struct of %d fields", len(members)), fmt.Sprintf("one of %d", len(want.Fields))}
	}
	fields := make([]string, len(want.Fields))
	for i, field := range want.Fields {
		expr := "NULL"
		m := f.find(field, members)
		if m == nil && f.strict {
			return "", &misfit{path, "no field " + field.Name, "one"}
		}
		if m != nil {
			var err error
			child := "struct_extract(" + ref + ", " + dialect.Quote(m.name) + ")"
			if expr, err = f.value(child, m.info, field.Type, path+"."+field.Name); err != nil {
				return "", err
			}
		}
		typ, err := typeSQL(field.Type)
		if err != nil {
			return "", err
		}
		expr = "CAST(" + expr + " AS " + typ + ")"
		if !field.Nullable {
			expr = f.present(expr, path+"."+field.Name)
		}
		fields[i] = dialect.Name(field.Name) + " := " + expr
	}
	return "CASE WHEN " + ref + " IS NULL THEN NULL ELSE struct_pack(" + strings.Join(fields, ", ") + ") END", nil
}

// present refuses nulls, if nulls are refused.
func (f *fitter) present(expr, path string) string {
	if !f.strict {
		return expr
	}
	return "coalesce(" + expr + ", error(" + dialect.Text(path+": found null, want a value") + "))"
}

func (f *fitter) elements(ref string, found duck.TypeInfo, want schema.Type, nulls bool, path string) (string, error) {
	if f.castsWhole(found, want) && (nulls && !refusesNull(want) || !f.strict) {
		typ, err := typeSQL(want)
		return "CAST(" + ref + " AS " + typ + "[])", err
	}
	if f.depth == deepLambdas {
		return "", diag.New(diag.UnknownFeature, "%s: queries cannot convert what is inside more than %d lists", path, deepLambdas)
	}
	f.depth++
	defer func() { f.depth-- }()
	item := fmt.Sprintf("item%d", f.depth)
	expr, err := f.value(item, found, want, path)
	if err != nil {
		return "", err
	}
	typ, err := typeSQL(want)
	if err != nil {
		return "", err
	}
	expr = "CAST(" + expr + " AS " + typ + ")"
	if !nulls {
		expr = f.present(expr, path)
	}
	return fmt.Sprintf("list_transform(%s, lambda %s: %s)", ref, item, expr), nil
}

// castsWhole tells of the elements of a list whether one cast of the list reads
// them: lists of plain values, which need no expression for each level.
func (f *fitter) castsWhole(found duck.TypeInfo, want schema.Type) bool {
	for {
		array, isArray := want.(schema.Array)
		list, isList := found.Details().(*duck.ListDetails)
		if !isArray || !isList {
			break
		}
		found, want = list.Child, array.Element
	}
	return isPlain(want) && strings.HasPrefix(f.plain("v", found, want, ""), "CAST(v ")
}

func (f *fitter) entries(ref string, found *duck.MapDetails, want schema.Map, path string) (string, error) {
	keys, err := f.elements("map_keys("+ref+")", found.Key, want.Key, true, path+".key")
	if err != nil {
		return "", err
	}
	values, err := f.elements("map_values("+ref+")", found.Value, want.Value, want.ValueContainsNull, path+".value")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("CASE WHEN %s IS NULL THEN NULL ELSE map(%s, %s) END", ref, keys, values), nil
}

// scalar returns the expression that reads ref as a plain type, "" if some
// value would change on the way. A cast that it allows keeps the value or fails.
func scalar(ref string, found duck.TypeInfo, want schema.Type, _ string) string {
	from := found.InternalType()
	cast := func(ok bool) string {
		typ, err := typeSQL(want)
		if !ok || err != nil {
			return ""
		}
		return "CAST(" + ref + " AS " + typ + ")"
	}
	switch want {
	case schema.Byte, schema.Short, schema.Integer, schema.Long:
		return cast(isInteger(from))
	case schema.Float:
		return cast(from == duck.TYPE_TINYINT || from == duck.TYPE_SMALLINT ||
			from == duck.TYPE_UTINYINT || from == duck.TYPE_USMALLINT)
	case schema.Double:
		return cast(from == duck.TYPE_FLOAT || isInteger(from) && from != duck.TYPE_BIGINT && from != duck.TYPE_UBIGINT)
	case schema.String:
		if from == duck.TYPE_BLOB {
			return "decode(" + ref + ")" // a cast would write \x escapes
		}
		return cast(from == duck.TYPE_VARCHAR || from == duck.TYPE_ENUM || from == duck.TYPE_UUID)
	case schema.Binary:
		if from == duck.TYPE_VARCHAR {
			return "encode(" + ref + ")" // a cast would read \x escapes
		}
	case schema.Timestamp:
		return cast(isTimestamp(from))
	case schema.TimestampNTZ:
		return cast(isTimestamp(from) || from == duck.TYPE_DATE)
	}
	if dec, ok := want.(schema.Decimal); ok {
		held, isDecimal := found.Details().(*duck.DecimalDetails)
		return cast(isInteger(from) || isDecimal && int(held.Scale) <= dec.Scale)
	}
	return ""
}

func isPlain(t schema.Type) bool {
	switch t.(type) {
	case schema.Array, schema.Map, schema.Struct:
		return false
	}
	return true
}

func isInteger(t duck.Type) bool {
	switch t {
	case duck.TYPE_TINYINT, duck.TYPE_SMALLINT, duck.TYPE_INTEGER, duck.TYPE_BIGINT,
		duck.TYPE_UTINYINT, duck.TYPE_USMALLINT, duck.TYPE_UINTEGER, duck.TYPE_UBIGINT:
		return true
	}
	return false
}

func isTimestamp(t duck.Type) bool {
	switch t {
	case duck.TYPE_TIMESTAMP, duck.TYPE_TIMESTAMP_S, duck.TYPE_TIMESTAMP_MS, duck.TYPE_TIMESTAMP_NS, duck.TYPE_TIMESTAMP_TZ:
		return true
	}
	return false
}
