package cutover

import (
	"fmt"
	"strings"

	"landfall/internal/schema"
)

// maxCounts is how many partitions a query compares. Engines refuse longer text.
const maxCounts = 1000

// check is the query that finds what is not as it was proven.
func (w writer) check() []Step {
	table := w.name(w.d.ask, "")
	stray := fmt.Sprintf("SELECT count(*) AS rows_from_elsewhere FROM %s WHERE NOT (%s)", table, w.from(w.t.New))
	out := []Step{{"must be 0: rows of files that are not in the copy", stray}}
	if len(w.t.By) == 0 || len(w.t.Copy) > maxCounts {
		return append(out, Step{fmt.Sprintf("must be %d: the rows that were proven", w.t.Rows), "SELECT count(*) AS n FROM " + table})
	}
	if w.d.engine == Hive {
		out = append(out, Step{"or Hive answers from statistics of the old files", "SET hive.compute.query.using.stats = false"})
	}
	return append(out, Step{"must answer nothing: partitions with other counts than were proven", w.compare(table)})
}

// from is the condition that a row comes from a file below a location: that the
// location stands in the file's path, behind a scheme.
func (w writer) from(location string) string {
	path, first := below(location, w.d.escaped)
	find := "instr"
	if w.d.engine == Trino || w.d.engine == Athena {
		find = "strpos"
	}
	where := "> 0"
	if first {
		where = fmt.Sprintf("BETWEEN 2 AND %d", len("longest:///")+1)
	}
	return fmt.Sprintf("%s(%s, %s) %s", find, w.d.file, w.d.literal(path), where)
}

// compare lists the partitions of which the counts are not those that were proven.
func (w writer) compare(table string) string {
	columns := list(quoted(w.d.ask, w.t.By))
	return fmt.Sprintf("SELECT %s, sum(found) AS found, sum(proven) AS proven FROM (\n  SELECT %s, 1 AS found, 0 AS proven FROM %s\n  UNION ALL\n  %s\n) counted GROUP BY %s HAVING sum(found) <> sum(proven)",
		columns, columns, table, w.proven(), columns)
}

// proven is a query for what was proven: the partition columns, 0 found, and how
// many rows.
func (w writer) proven() string {
	rows := make([]string, len(w.t.Copy))
	for i, p := range w.t.Copy {
		cells := make([]string, len(p.Values))
		for k, v := range p.Values {
			cells[k] = w.typed(v, w.t.By[k].Type)
		}
		rows[i] = fmt.Sprintf("%s, 0, CAST(%d AS bigint)", list(cells), p.Rows)
	}
	if w.d.engine != Hive {
		return "SELECT * FROM (VALUES\n    (" + strings.Join(rows, "),\n    (") + ")\n  ) AS proven"
	}
	// Hive has no VALUES in a query, and wants equal names on both sides.
	ask := make([]string, len(w.t.By))
	named := make([]string, len(w.t.By))
	for i, f := range w.t.By {
		named[i] = fmt.Sprintf("c%d", i)
		ask[i] = named[i] + " AS " + w.d.ask(f.Name)
	}
	return fmt.Sprintf("SELECT %s, none AS found, many AS proven FROM (SELECT inline(array(\n    struct(%s)\n  )) AS (%s, none, many)) proven",
		list(ask), strings.Join(rows, "),\n    struct("), list(named))
}

// typed is a partition's value in a query.
func (w writer) typed(v Value, t schema.Type) string {
	literal := "NULL"
	if !v.Null && v.Text != "" {
		literal = w.d.literal(v.Text)
	}
	return fmt.Sprintf("CAST(%s AS %s)", literal, w.d.cast(t))
}
