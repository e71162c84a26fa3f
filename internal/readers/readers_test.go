package readers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"landfall/internal/readers"
	"landfall/internal/schema"
)

// table is one with a column of a type, as our tables are by default.
func table(t schema.Type) readers.Table {
	return readers.Table{MinReader: 1, Schema: schema.Struct{Fields: []schema.Field{{Name: "c", Type: t, Nullable: true}}}}
}

// nested is a type within arrays, or what a function puts around it.
func nested(levels int, around func(schema.Type) schema.Type) schema.Type {
	t := schema.Type(schema.Long)
	for range levels {
		t = around(t)
	}
	return t
}

func inArray(t schema.Type) schema.Type { return schema.Array{Element: t, ContainsNull: true} }
func inMap(t schema.Type) schema.Type   { return schema.Map{Key: schema.String, Value: t} }
func inStruct(t schema.Type) schema.Type {
	return schema.Struct{Fields: []schema.Field{{Name: "f", Type: t, Nullable: true}}}
}

// refusing spells who cannot read a table.
func refusing(t readers.Table) string {
	var out []string
	for _, v := range readers.Judge(t) {
		if !v.Reads {
			out = append(out, fmt.Sprintf("%s (%s)", v.Name, v.Why))
		}
		if v.Reads != (v.Why == "") || v.Version == "" {
			out = append(out, fmt.Sprintf("%+v", v))
		}
	}
	return strings.Join(out, "\n")
}

// What tables of ours are by default, everybody reads.
func TestJudgeDefault(t *testing.T) {
	for _, c := range []schema.Type{
		schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double,
		schema.Decimal{Precision: 38, Scale: 38},
		schema.String, schema.Binary, schema.Date, schema.Timestamp,
		nested(24, inArray), nested(24, inMap), nested(schema.MaxNesting, inStruct),
		nested(24, func(t schema.Type) schema.Type { return inStruct(inArray(t)) }),
	} {
		if got := refusing(table(c)); got != "" {
			t.Errorf("%s: found\n%s\nwant everybody to read it", c, got)
		}
	}
}

func TestJudge(t *testing.T) {
	with := func(features ...string) readers.Table {
		found := table(schema.Long)
		found.MinReader, found.Features = 3, features
		return found
	}
	mapped := table(schema.Long)
	mapped.Mapping = "id"
	old := table(schema.Long)
	old.MinReader = 2
	unmapped := table(schema.Long)
	unmapped.Mapping = "none"
	unused := with()
	unused.MinReader, unused.Features = 1, []string{"typeWidening"} // version 1 has no features
	for _, c := range []struct {
		name string
		of   readers.Table
		want []string
	}{
		{"mapping mode", mapped, []string{"to_pyarrow_table", "Polars"}},
		{"mapping of version 2", old, []string{"to_pyarrow_table", "Polars"}},
		{"no mapping", unmapped, nil},
		{"features of version 1", unused, nil},
		{"deletion vectors", with("deletionVectors"), []string{"to_pyarrow_table"}},
		{"timestampNtz", with("timestampNtz"), nil},
		{"a field of timestamp_ntz", table(inMap(inArray(inStruct(schema.TimestampNTZ)))), nil},
		{"typeWidening", with("typeWidening"), []string{"Spark 3.5", "queries", "to_pyarrow_table", "Polars"}},
		{"v2Checkpoint", with("v2Checkpoint"), []string{"to_pyarrow_table", "Polars"}},
		{"vacuumProtocolCheck", with("vacuumProtocolCheck"), []string{"queries", "to_pyarrow_table", "Polars", "Databricks"}},
		{"void", table(schema.Unknown), []string{"DuckDB", "Databricks"}},
		{"25 arrays", table(nested(25, inArray)), []string{"DuckDB", "Databricks"}},
		{"25 keys", table(schema.Map{Key: nested(24, inArray), Value: schema.Long}), []string{"DuckDB", "Databricks"}},
		{"two features", with("v2Checkpoint", "deletionVectors"), []string{"deletionVectors; it refuses tables with the feature v2Checkpoint", "Polars"}},
		{"a feature of tomorrow", with("x"), []string{"Spark 3.5", "Spark 4.1", "queries", "to_pyarrow_table", "Polars", "DuckDB", "Databricks"}},
	} {
		got := refusing(c.of)
		lines := strings.Split(got, "\n")
		if got == "" {
			lines = nil
		}
		if !slices.EqualFunc(lines, c.want, strings.Contains) {
			t.Errorf("%s: found\n%s\nwant %q", c.name, got, c.want)
		}
	}
}

// Who could not read a table before is not shut out by a change.
func TestShutOut(t *testing.T) {
	names := func(rs []readers.Reader) string {
		var out []string
		for _, r := range rs {
			out = append(out, r.Name)
		}
		return strings.Join(out, ", ")
	}
	plain, mapped, both := table(schema.Long), table(schema.Long), table(schema.Unknown)
	mapped.Mapping, both.Mapping = "name", "name"
	const two = "deltalake, to_pyarrow_table and to_pandas, Polars"
	for _, c := range []struct {
		before *readers.Table
		after  readers.Table
		want   string
	}{
		{nil, plain, ""},
		{nil, mapped, two},
		{&plain, mapped, two},
		{&mapped, mapped, ""},
		{&mapped, plain, ""},
		{&mapped, both, "DuckDB delta_scan, Databricks"},
	} {
		if got := names(readers.ShutOut(c.before, c.after)); got != c.want {
			t.Errorf("found %q shut out, want %q", got, c.want)
		}
	}
}
