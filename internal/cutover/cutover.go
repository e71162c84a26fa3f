// Package cutover writes the statements that lead the readers of a table to a
// proven copy of its folder.
//
// Readers go through a catalog, and a catalog knows a location for the table and
// one more for each of its partitions: setting the first leaves the others where
// they are. The statements move both, for one of several engines, and come with
// a query that finds what is not as it was proven, and with the way back. The
// package is pure, and nothing here runs a statement.
package cutover

import (
	"slices"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Engine is what reads the table.
type Engine string

// The engines that statements are written for.
const (
	// Spark is Apache Spark with a Hive or other session catalog.
	Spark Engine = "spark"
	// Databricks is Spark there, with Unity Catalog or hive_metastore.
	Databricks Engine = "databricks"
	// Hive is Apache Hive.
	Hive Engine = "hive"
	// Trino is Trino with its Hive connector, and with its Delta Lake connector
	// for a copy that is a Delta table.
	Trino Engine = "trino"
	// Athena is Amazon Athena.
	Athena Engine = "athena"
	// Glue is the AWS Glue Data Catalog, by way of the aws command.
	Glue Engine = "glue"
)

// Engines lists all engines.
func Engines() []Engine { return []Engine{Spark, Databricks, Hive, Trino, Athena, Glue} }

// ParseEngine returns the engine of a name; of an unknown one a diagnostic.
func ParseEngine(name string) (Engine, error) {
	var names []string
	for _, e := range Engines() {
		if string(e) == name {
			return e, nil
		}
		names = append(names, string(e))
	}
	d := diag.New(diag.BadOption, "engine: found %s, wanted one of %s", diag.Quote(name), list(names))
	if near := diag.Nearest(name, names); near != "" {
		return "", d.Hinted("did you mean %s?", near)
	}
	return "", d.Hinted("name the engine that reads the table")
}

// Format is what the copy is.
type Format string

// The formats of a copy.
const (
	// Parquet is a folder of Parquet files, with k=v folders for partitions.
	Parquet Format = "parquet"
	// Delta is a Delta table.
	Delta Format = "delta"
)

// Table is a table in a catalog, the folder that it reads and the proven copy.
type Table struct {
	// Name is the table's name, outermost part first: catalog, schema, table, or
	// the last two, or the last alone.
	Name []string
	// Old and New are the folders as Hadoop writes them: scheme, authority and
	// path, no character of it escaped. Address makes one of a URL.
	Old, New string
	// Format is that of the copy. The old folder is one of Parquet files.
	Format Format
	// Columns are those of the copy's files, without the partition columns.
	Columns []schema.Field
	// Defined are the columns as the catalog defines them, without the partition
	// columns; nil where nobody said. They decide whether the table can be kept.
	Defined []schema.Field
	// WasBy and By are the columns that the old folder and the copy are partitioned
	// by, outermost first; none for a folder without.
	WasBy, By []schema.Field
	// Was are the partitions of the old folder, and Copy those of the copy.
	Was, Copy []Partition
	// Rows is how many rows were proven to be in the copy.
	Rows int64
	// DeltaCatalog is the name of Trino's catalog for Delta tables. It is wanted
	// for a copy that is a Delta table and for nothing else.
	DeltaCatalog string
}

// Partition is one partition of a folder.
type Partition struct {
	// Values are parallel to the columns that its folder is partitioned by.
	Values []Value
	// Folder is where it is below the table's folder, slash-separated and as it
	// is on disk; "" for the folder that Hive and Spark give it.
	Folder string
	// Rows is how many rows were proven to be in it. It is asked of a copy's.
	Rows int64
}

// Value is a partition's value in one column: its text, escapes undone, or null.
type Value struct {
	Text string
	Null bool
}

// Script is what a person runs, in its order.
type Script struct {
	Engine Engine `json:"engine"`
	// Notes say in sentences what the statements do and what they ask for.
	Notes []string `json:"notes"`
	// Before looks at the table and keeps what the way back may need.
	Before []Step `json:"before"`
	// Move leads readers to the copy. All of it is run.
	Move []Step `json:"move"`
	// Check is a query that answers no row if every row comes from the copy and
	// each partition has as many as were proven.
	Check []Step `json:"check"`
	// Undo leads readers back to the old folder.
	Undo []Step `json:"undo"`
}

// Step is one statement, or some lines of a shell, without a separator behind it.
type Step struct {
	// Why says in a line what it is for; "" where the step before said it.
	Why  string `json:"why,omitzero"`
	Text string `json:"text"`
}

// Write returns the statements for an engine. The error is a diagnostic if the
// engine cannot read such a copy, or cannot be told so safely.
func Write(e Engine, t Table) (Script, error) {
	if err := check(e, t); err != nil {
		return Script{}, err
	}
	w := writer{t: t, d: dialectOf(e)}
	var s Script
	switch {
	case e == Glue:
		s = w.glue()
	case e == Trino && t.Format == Delta:
		s = w.trinoDelta()
	case e == Athena && !w.keeps():
		s = w.athenaAnew()
	case w.keeps():
		s = w.inPlace()
	default:
		s = w.anew()
	}
	s.Engine = e
	return s, nil
}

// writer writes the statements for one table.
type writer struct {
	t Table
	d dialect
}

// keeps reports whether the table can stay the one it is. A table of which types
// are others in the copy, or unknown, is made anew: Spark and Athena change no
// type of such a column, and Hive's metastore refuses most changes.
func (w writer) keeps() bool {
	if w.t.Format == Delta || w.t.Defined == nil || !w.d.setsLocation || w.unity() || !w.alike() || !w.found() {
		return false
	}
	defined := schema.Struct{Fields: w.t.Defined}
	for _, f := range w.t.Columns {
		k := defined.Lookup(f.Name)
		switch {
		case k >= 0 && w.d.spell(f.Type) != w.d.spell(w.t.Defined[k].Type):
			return false
		case k < 0 && (!w.d.addsColumns || strangeField(f.Type) != ""): // Spark 3.5 makes such a column, and adds none
			return false
		}
	}
	return true
}

// alike reports whether both folders are partitioned by the same columns.
func (w writer) alike() bool {
	return slices.EqualFunc(w.t.WasBy, w.t.By, func(a, b schema.Field) bool {
		return schema.Fold(a.Name) == schema.Fold(b.Name) && w.d.spell(a.Type) == w.d.spell(b.Type)
	})
}

// side is one of the two folders.
type side struct {
	location string
	by       []schema.Field
}

func (w writer) old() side   { return side{w.t.Old, w.t.WasBy} }
func (w writer) fresh() side { return side{w.t.New, w.t.By} }

// added are the columns of the copy that the catalog does not define.
func (w writer) added() []schema.Field {
	defined := schema.Struct{Fields: w.t.Defined}
	var out []schema.Field
	for _, f := range w.t.Columns {
		if defined.Lookup(f.Name) < 0 {
			out = append(out, f)
		}
	}
	return out
}
