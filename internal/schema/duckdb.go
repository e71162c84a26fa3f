package schema

// DuckDB spells a scalar type for DuckDB, "" for one that is none of its. A timestamp is an
// instant there, a timestamp_ntz a wall clock; nulls alone are a text.
func DuckDB(t Primitive) string {
	switch t {
	case Boolean:
		return "BOOLEAN"
	case Byte:
		return "TINYINT"
	case Short:
		return "SMALLINT"
	case Integer:
		return "INTEGER"
	case Long:
		return "BIGINT"
	case Float:
		return "FLOAT"
	case Double:
		return "DOUBLE"
	case String, Unknown:
		return "VARCHAR"
	case Binary:
		return "BLOB"
	case Date:
		return "DATE"
	case Timestamp:
		return "TIMESTAMP WITH TIME ZONE"
	case TimestampNTZ:
		return "TIMESTAMP"
	}
	return ""
}
