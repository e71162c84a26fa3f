package cutover

import (
	"fmt"
	"slices"
)

// athenaAnew makes the table again under its name: Athena renames no tables on
// Hive's model, changes no types of their columns, and gives partitions that are
// registered no new ones.
func (w writer) athenaAnew() Script {
	table := w.name(w.d.quote, "")
	drop := Step{"its files stay: the table is external", "DROP TABLE " + table}
	create := w.create(table)
	if w.t.Format == Delta {
		create = fmt.Sprintf("CREATE EXTERNAL TABLE %s\nLOCATION %s\nTBLPROPERTIES ('table_type' = 'DELTA')", table, w.d.literal(w.place(w.t.New)))
	}
	s := Script{Notes: []string{
		"Athena renames no such table and changes no type of a column, so the table is dropped and made again. Between the two there is no table of this name: a reader that comes then fails and finds it when it tries again.",
		"Run one statement after the other. Properties of the old table, such as partition projection, are not those of the new one: take them from the answer of SHOW CREATE TABLE.",
	}}
	s.Before = w.look()
	s.Move = slices.Concat([]Step{drop, {"the same name over the copy", create}}, w.partitions(table))
	s.Check = w.check()
	if w.t.Defined == nil {
		s.Notes = append(s.Notes, "The way back needs what SHOW CREATE TABLE answered, since it was not said how the catalog defines the table.")
		s.Undo = []Step{{"then run what SHOW CREATE TABLE answered before", drop.Text}}
	} else {
		was := w
		was.t.New, was.t.By, was.t.Columns, was.t.Format = w.t.Old, w.t.WasBy, w.t.Defined, Parquet
		s.Undo = []Step{drop, {"the same name over the old folder", was.create(table)}}
	}
	s.Undo = append(s.Undo, w.add(table, w.old(), w.t.Was, "its partitions")...)
	return s
}
