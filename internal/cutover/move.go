package cutover

import (
	"fmt"
	"slices"
	"strings"

	"landfall/internal/schema"
)

// inPlace keeps the table and moves its location and that of each partition.
func (w writer) inPlace() Script {
	table := w.name(w.d.quote, "")
	shared, came, gone := w.shared()
	s := Script{Notes: []string{
		"The table stays, with its grants, comments and properties. Its location and that of each partition are moved one by one: until the last statement has run, a reader may find old and clean partitions side by side.",
	}}
	s.Before = w.look()
	s.Move = slices.Concat(
		w.addColumns(),
		[]Step{{"new partitions will be made here. Those that are registered keep their own locations", w.location(w.t.New)}},
		w.add(table, w.fresh(), w.t.Copy, "partitions that are not registered yet"),
		w.set(table, w.fresh(), shared, "partitions that are: each by itself"),
		w.drop(table, w.t.WasBy, gone, "partitions of which the copy has no row"),
		w.refresh(table),
	)
	if len(w.t.By) > 0 {
		s.Notes = append(s.Notes, "SET LOCATION for the table leaves every registered partition where it is, and MSCK REPAIR TABLE only adds those that are missing. Both together leave readers on the old files.")
	}
	s.Notes = append(s.Notes, w.remarks()...)
	s.Check = w.check()
	s.Undo = slices.Concat(
		[]Step{{"the table is made of the old folder again", w.location(w.t.Old)}},
		w.set(table, w.old(), w.older(shared), ""),
		w.drop(table, w.t.By, came, "partitions that the old folder has not"),
		w.add(table, w.old(), gone, "partitions that the copy has not"),
		w.refresh(table),
	)
	if len(w.added()) > 0 {
		s.Notes = append(s.Notes, "Going back leaves the added columns in the table. They are null in the old files.")
	}
	return s
}

func (w writer) location(to string) string {
	return fmt.Sprintf("ALTER TABLE %s SET LOCATION %s", w.name(w.d.quote, ""), w.d.literal(w.place(to)))
}

// look shows whether the table is external. Of a table that is managed, or
// purged, the catalog removes files together with partitions.
func (w writer) look() []Step {
	created := Step{"keep the answer: it is how the table was", "SHOW CREATE TABLE " + w.name(w.d.quote, "")}
	if w.d.engine == Trino {
		created.Why += ". Stop if it shows no external_location: the files of such a table go with it"
		return []Step{created}
	}
	show := "DESCRIBE FORMATTED "
	if w.d.engine == Spark || w.d.engine == Databricks {
		show = "DESCRIBE TABLE EXTENDED "
	}
	return []Step{
		{"the type of the table must be EXTERNAL, and no property external.table.purge true. Stop otherwise: files would go with partitions", show + w.name(w.d.quote, "")},
		created,
	}
}

// addColumns adds the columns that the table lacks.
func (w writer) addColumns() []Step {
	added := w.added()
	if len(added) == 0 {
		return nil
	}
	text := fmt.Sprintf("ALTER TABLE %s ADD COLUMNS (%s)", w.name(w.d.quote, ""), strings.Join(w.columns(added), ", "))
	if w.d.engine == Hive {
		text += " CASCADE"
	}
	return []Step{{"columns that the copy has and the table has not", text}}
}

// columns writes columns as they are declared.
func (w writer) columns(fields []schema.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = w.d.quote(f.Name) + " " + w.d.spell(f.Type)
	}
	return out
}

// refresh makes engines that remember a table forget what they know.
func (w writer) refresh(table string) []Step {
	switch w.d.engine {
	case Spark, Databricks:
		return []Step{{"in every session that is running: each remembers files", "REFRESH TABLE " + table}}
	case Trino:
		parts := w.t.Name
		return []Step{{"catalogs remember tables and partitions", fmt.Sprintf("CALL %s.system.flush_metadata_cache(schema_name => %s, table_name => %s)",
			w.d.quote(parts[0]), w.d.literal(strings.ToLower(parts[1])), w.d.literal(strings.ToLower(parts[2])))}}
	}
	return nil
}

// anew makes a table over the copy beside the old one and swaps the names.
func (w writer) anew() Script {
	fresh, table := w.name(w.d.quote, clean), w.name(w.d.quote, "")
	s := Script{Notes: []string{
		"A table is made over the copy, and takes the name. Nothing is moved in the old table, so it needs no way back but its name. Grants, comments and properties of the old table are not those of the new one: give them again.",
		"Between the two renames there is no table of this name: a reader that comes then fails and finds it when it tries again.",
	}}
	if reason := w.whyAnew(); reason != "" {
		s.Notes = append([]string{reason}, s.Notes...)
	}
	s.Notes = append(s.Notes, w.remarks()...)
	s.Before = w.look()
	s.Move = slices.Concat(
		[]Step{{"a table over the copy", w.create(fresh)}},
		w.partitions(fresh),
		w.swap(clean, before),
		w.refresh(table),
	)
	s.Check = w.check()
	s.Undo = slices.Concat(w.swap(before, clean), w.refresh(table))
	return s
}

// whyAnew says why the table cannot stay.
func (w writer) whyAnew() string {
	switch {
	case w.t.Format == Delta:
		return "A table of Parquet files does not become one of Delta by a change of its location, so it is made anew. CREATE OR REPLACE would write into the log of the copy, and no statement here does."
	case w.unity():
		return "The statements that move a table in place are for hive_metastore, so in Unity Catalog the table is made anew. It looks for its partitions in the folder."
	case !w.d.setsLocation:
		return "This engine has no statement that moves a table or a partition."
	case w.t.Defined == nil:
		return "It was not said how the catalog defines the table, so the new table is defined as the copy is."
	case !w.alike():
		return "The copy is partitioned by other columns, so the table is made anew."
	case !w.found():
		return "Some partitions are registered under texts that a statement cannot name, such as 07 of an integer, so they cannot be moved."
	}
	for _, f := range w.added() {
		if strangeField(f.Type) != "" {
			return "A column that came is of a struct with names that the catalog does not take in a column that is added."
		}
	}
	return "Columns have other types in the copy, and this engine does not change the type of a column of such a table so that its partitions follow."
}

// remarks are what an engine asks for besides.
func (w writer) remarks() []string {
	switch {
	case w.d.engine == Hive:
		return []string{"Other engines on this metastore remember the table: INVALIDATE METADATA in Impala, REFRESH TABLE in Spark, CALL system.flush_metadata_cache in Trino."}
	case w.d.engine == Athena && len(w.t.By) > 0:
		return []string{projection}
	case w.d.engine != Trino:
		return nil
	}
	out := []string{"Trino renames tables where the access control of the catalog allows it (hive.allow-rename-table with the legacy one), and not with AWS Glue as its metastore: then print the statements for athena or glue."}
	for _, f := range w.t.Columns {
		if strings.Contains(trinoType(f.Type), "timestamp") {
			return append(out, "Timestamps are declared in milliseconds, which is what the connector reads unless hive.timestamp-precision says MICROSECONDS. Where it does, write timestamp(6).")
		}
	}
	return out
}

// create makes a table over the copy.
func (w writer) create(table string) string {
	if w.t.Format == Delta {
		return fmt.Sprintf("CREATE TABLE %s USING DELTA LOCATION %s", table, w.d.literal(w.t.New))
	}
	var b strings.Builder
	switch w.d.engine {
	case Spark, Databricks:
		fmt.Fprintf(&b, "CREATE TABLE %s (\n  %s\n) USING PARQUET", table, strings.Join(w.columns(slices.Concat(w.t.Columns, w.t.By)), ",\n  "))
		if len(w.t.By) > 0 {
			fmt.Fprintf(&b, "\nPARTITIONED BY (%s)", list(quoted(w.d.quote, w.t.By)))
		}
		fmt.Fprintf(&b, "\nLOCATION %s", w.d.literal(w.t.New))
		if w.unity() && len(w.t.By) > 0 {
			b.WriteString("\nTBLPROPERTIES ('partitionMetadataEnabled' = 'false')")
		}
	case Trino:
		fmt.Fprintf(&b, "CREATE TABLE %s (\n  %s\n)\nWITH (format = 'PARQUET', external_location = %s", table,
			strings.Join(w.columns(slices.Concat(w.t.Columns, w.t.By)), ",\n  "), w.d.literal(w.t.New))
		if len(w.t.By) > 0 {
			fmt.Fprintf(&b, ", partitioned_by = ARRAY[%s]", list(quoted(lower(w.d.literal), w.t.By)))
		}
		b.WriteByte(')')
	default:
		fmt.Fprintf(&b, "CREATE EXTERNAL TABLE %s (\n  %s\n)", table, strings.Join(w.columns(w.t.Columns), ",\n  "))
		if len(w.t.By) > 0 {
			fmt.Fprintf(&b, "\nPARTITIONED BY (%s)", strings.Join(w.columns(w.t.By), ", "))
		}
		fmt.Fprintf(&b, "\nSTORED AS PARQUET\nLOCATION %s", w.d.literal(w.place(w.t.New)))
	}
	return b.String()
}

func quoted(quote func(string) string, fields []schema.Field) []string {
	out := names(fields)
	for i := range out {
		out[i] = quote(out[i])
	}
	return out
}

func lower(quote func(string) string) func(string) string {
	return func(s string) string { return quote(strings.ToLower(s)) }
}

// unity reports whether the table is one of Unity Catalog, which looks for
// partitions in the folder unless a table asks it to remember them.
func (w writer) unity() bool {
	return w.d.engine == Databricks && !strings.EqualFold(w.t.Name[0], "hive_metastore")
}

// partitions registers the copy's partitions with a table that has none.
func (w writer) partitions(table string) []Step {
	switch {
	case len(w.t.By) == 0 || w.t.Format == Delta || w.unity():
		return nil
	case w.d.engine == Trino:
		return w.syncTrino()
	}
	return w.add(table, w.fresh(), w.t.Copy, "its partitions")
}

// swap gives the table's name to the one behind from, after that of the other
// was put behind to.
func (w writer) swap(from, to string) []Step {
	return []Step{
		{"the names change hands", w.rename("", to)},
		{"", w.rename(from, "")},
	}
}

func (w writer) rename(from, to string) string {
	target := w.name(w.d.quote, to)
	if w.d.engine == Spark && len(w.t.Name) == 3 {
		target = qualified(w.d.quote, w.t.Name[1:], to) // Spark takes the catalog from the table
	}
	return fmt.Sprintf("ALTER TABLE %s RENAME TO %s", w.name(w.d.quote, from), target)
}
