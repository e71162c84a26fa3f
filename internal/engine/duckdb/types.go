package duckdb

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/schema"
)

// typeSQL spells a table's type as DuckDB does.
func typeSQL(t schema.Type) (string, error) {
	switch t := t.(type) {
	case schema.Primitive:
		if s := schema.DuckDB(t); s != "" {
			return s, nil
		}
	case schema.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale), nil
	case schema.Array:
		element, err := typeSQL(t.Element)
		return element + "[]", err
	case schema.Map:
		key, err := typeSQL(t.Key)
		if err != nil {
			return "", err
		}
		value, err := typeSQL(t.Value)
		return "MAP(" + key + ", " + value + ")", err
	case schema.Struct:
		return structSQL(t)
	}
	return "", diag.New(diag.UnknownFeature, "queries cannot read the type %s", t)
}

func structSQL(t schema.Struct) (string, error) {
	if len(t.Fields) == 0 {
		return "", diag.New(diag.UnknownFeature, "queries cannot read a struct without fields")
	}
	fields := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		typ, err := typeSQL(f.Type)
		if err != nil {
			return "", err
		}
		fields[i] = dialect.Name(f.Name) + " " + typ
	}
	return "STRUCT(" + strings.Join(fields, ", ") + ")", nil
}

// infoSQL spells a type that DuckDB reported, the same way as typeSQL where
// both know it.
func infoSQL(info duck.TypeInfo) string {
	if info.Alias() != "" {
		return info.Alias()
	}
	switch d := info.Details().(type) {
	case *duck.DecimalDetails:
		return fmt.Sprintf("DECIMAL(%d,%d)", d.Width, d.Scale)
	case *duck.ListDetails:
		return infoSQL(d.Child) + "[]"
	case *duck.ArrayDetails:
		return infoSQL(d.Child) + "[" + strconv.FormatUint(d.Size, 10) + "]"
	case *duck.MapDetails:
		return "MAP(" + infoSQL(d.Key) + ", " + infoSQL(d.Value) + ")"
	case *duck.StructDetails:
		fields := make([]string, len(d.Entries))
		for i, e := range d.Entries {
			fields[i] = dialect.Name(e.Name()) + " " + infoSQL(e.Info())
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	}
	return plainSQL(info.InternalType())
}

func plainSQL(t duck.Type) string {
	switch t {
	case duck.TYPE_BOOLEAN:
		return "BOOLEAN"
	case duck.TYPE_TINYINT:
		return "TINYINT"
	case duck.TYPE_SMALLINT:
		return "SMALLINT"
	case duck.TYPE_INTEGER:
		return "INTEGER"
	case duck.TYPE_BIGINT:
		return "BIGINT"
	case duck.TYPE_UTINYINT:
		return "UTINYINT"
	case duck.TYPE_USMALLINT:
		return "USMALLINT"
	case duck.TYPE_UINTEGER:
		return "UINTEGER"
	case duck.TYPE_UBIGINT:
		return "UBIGINT"
	case duck.TYPE_HUGEINT:
		return "HUGEINT"
	case duck.TYPE_UHUGEINT:
		return "UHUGEINT"
	case duck.TYPE_FLOAT:
		return "FLOAT"
	case duck.TYPE_DOUBLE:
		return "DOUBLE"
	case duck.TYPE_VARCHAR:
		return "VARCHAR"
	case duck.TYPE_BLOB:
		return "BLOB"
	case duck.TYPE_UUID:
		return "UUID"
	case duck.TYPE_DATE:
		return "DATE"
	case duck.TYPE_TIMESTAMP:
		return "TIMESTAMP"
	case duck.TYPE_TIMESTAMP_S:
		return "TIMESTAMP_S"
	case duck.TYPE_TIMESTAMP_MS:
		return "TIMESTAMP_MS"
	case duck.TYPE_TIMESTAMP_NS:
		return "TIMESTAMP_NS"
	case duck.TYPE_TIMESTAMP_TZ:
		return "TIMESTAMP WITH TIME ZONE"
	case duck.TYPE_SQLNULL:
		return `"NULL"`
	}
	return otherSQL(t)
}

// otherSQL names the types that are shown as text only.
func otherSQL(t duck.Type) string {
	switch t {
	case duck.TYPE_ENUM:
		return "ENUM"
	case duck.TYPE_TIME:
		return "TIME"
	case duck.TYPE_TIME_TZ:
		return "TIME WITH TIME ZONE"
	case duck.TYPE_INTERVAL:
		return "INTERVAL"
	case duck.TYPE_BIT:
		return "BIT"
	case duck.TYPE_UNION:
		return "UNION"
	}
	return fmt.Sprintf("type %d", t)
}

// fieldID is the number by which a field is found in data files, 0 for none.
func fieldID(f schema.Field) int64 {
	var id int64
	if raw, ok := f.Metadata["delta.columnMapping.id"]; ok && json.Unmarshal(raw, &id) == nil {
		return id
	}
	return 0
}

// unmapped reports whether all names inside t are also those in the files.
func unmapped(t schema.Type) bool {
	switch t := t.(type) {
	case schema.Array:
		return unmapped(t.Element)
	case schema.Map:
		return unmapped(t.Key) && unmapped(t.Value)
	case schema.Struct:
		for _, f := range t.Fields {
			if schema.PhysicalName(f) != f.Name || !unmapped(f.Type) {
				return false
			}
		}
	}
	return true
}

// refusesNull reports whether some part of t is never null.
func refusesNull(t schema.Type) bool {
	switch t := t.(type) {
	case schema.Array:
		return !t.ContainsNull || refusesNull(t.Element)
	case schema.Map:
		return !t.ValueContainsNull || refusesNull(t.Key) || refusesNull(t.Value)
	case schema.Struct:
		for _, f := range t.Fields {
			if !f.Nullable || refusesNull(f.Type) {
				return true
			}
		}
	}
	return false
}
