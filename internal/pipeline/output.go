package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/event"
	"landfall/internal/pipeline/record"
	"landfall/internal/schema"
	"landfall/internal/sqlpipe"
)

// output is rows of one partition.
type output struct {
	partition map[string]*string
	files     []engine.Written
	parts     []record.Part
}

// rows writes the rows that stay, by partition, and those that do not.
func (w *writing) rows(ctx context.Context) error {
	as := schema.Struct{Fields: fields(w.query.columns)}
	partitions, err := w.partitions(ctx)
	if err != nil {
		return err
	}
	for i, p := range partitions {
		o := output{partition: p.values}
		where := "NOT " + droppedColumn + p.where
		if o.files, err = w.copy(ctx, fmt.Sprintf("out-%d", i), w.kept(where), as); err != nil {
			return err
		}
		if o.parts, err = w.parts(ctx, where); err != nil {
			return err
		}
		for _, k := range p.empty {
			for _, f := range o.files {
				w.lose(k, max(f.Rows, 0))
			}
		}
		w.outputs = append(w.outputs, o)
	}
	if w.attempt.Event.RowsDropped == 0 {
		return nil
	}
	w.dropped, err = w.copy(ctx, "dropped", w.droppedSQL(), w.droppedSchema())
	return err
}

// lose counts values of a partition column that become null.
func (w *writing) lose(column string, rows int64) {
	const as = "partition value of an empty text"
	e := &w.attempt.Event
	for i, c := range e.Casts {
		if c.Column == column && c.To == as {
			e.Casts[i].Count += rows
			return
		}
	}
	e.Casts = append(e.Casts, event.Cast{Column: column, To: as, Count: rows})
}

// copy writes rows to a folder of the stage.
func (w *writing) copy(ctx context.Context, name, sql string, as schema.Struct) ([]engine.Written, error) {
	to := filepath.Join(w.stage, name)
	if err := os.Mkdir(to, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for rows on their way: %w", err)
	}
	files, err := w.session.Write(ctx, sql, as, engine.Target{Folder: to, Compression: "snappy"})
	for i := range files {
		files[i].Path = name + "/" + files[i].Path
	}
	return files, err
}

func (w *writing) kept(where string) string {
	texts := make([]string, len(w.query.columns))
	for i, c := range w.query.columns {
		texts[i] = quote(c.name)
	}
	sql := "SELECT " + strings.Join(texts, ", ") + " FROM " + quote(rowsName) + " WHERE " + where
	if w.query.rowwise() {
		sql += " ORDER BY " + sourceColumn + ", " + engine.FileNumber
	}
	return sql
}

// droppedSchema is that of the rows that are dropped: the columns of the dataset, the names
// of the rules that a row breaks, and its source file.
func (w *writing) droppedSchema() schema.Struct {
	return schema.Struct{Fields: append(fields(w.query.columns),
		schema.Field{Name: brokenColumn, Type: schema.Array{Element: schema.String}, Nullable: true},
		schema.Field{Name: originColumn, Type: schema.String, Nullable: true},
	)}
}

func (w *writing) droppedSQL() string {
	var texts, broken []string
	for _, c := range w.query.columns {
		texts = append(texts, quote(c.name))
	}
	for i, r := range w.query.rules {
		if r.Action == sqlpipe.Drop {
			broken = append(broken, "CASE WHEN "+ruleName(i)+" IS NOT TRUE THEN ["+literal(r.Name)+"] ELSE CAST([] AS VARCHAR[]) END")
		}
	}
	texts = append(texts, strings.Join(broken, " || ")+" AS "+brokenColumn, w.origin()+" AS "+originColumn)
	return "SELECT " + strings.Join(texts, ", ") + " FROM " + quote(rowsName) + " WHERE " + droppedColumn + w.order()
}

// origin is the source file of a row, as far as it is known.
func (w *writing) origin() string {
	if w.hidden(originColumn) {
		return originColumn
	}
	if i := indexOf(w.query.columns, "_source_file"); i >= 0 && w.query.columns[i].typ == schema.String {
		return quote(w.query.columns[i].name)
	}
	return "CAST(NULL AS VARCHAR)"
}

// order is that of the rows in what they come from, where that is known.
func (w *writing) order() string {
	if !w.query.rowwise() {
		return ""
	}
	return " ORDER BY " + sourceColumn + ", " + engine.FileNumber + ", " + engine.RowNumber
}

// part of the rows by the values of the partition columns.
type partition struct {
	values map[string]*string
	where  string
	// empty are columns whose text is empty in these rows, and becomes null.
	empty []string
}

// mostPartitions is how many partitions one batch may write to.
const mostPartitions = 1000

// partitions are those that the rows fall into; one without values if there are none.
func (w *writing) partitions(ctx context.Context) ([]partition, error) {
	keys, err := w.partitionKeys()
	if err != nil || len(keys) == 0 {
		return []partition{{}}, err
	}
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = "CAST(" + quote(k) + " AS VARCHAR)"
	}
	var out []partition
	sql := "SELECT DISTINCT " + strings.Join(texts, ", ") + " FROM " + quote(rowsName) + " WHERE NOT " + droppedColumn + " ORDER BY ALL"
	err = w.each(ctx, sql, func(row []engine.Value) error {
		p := partition{values: map[string]*string{}}
		for i, k := range keys {
			if row[i] == nil {
				p.values[k] = nil
				p.where += " AND " + quote(k) + " IS NULL"
				continue
			}
			v := engine.Text(row[i])
			if v == "" { // a table has no partition of an empty text
				p.values[k] = nil
				p.where += " AND " + texts[i] + " = ''"
				p.empty = append(p.empty, k)
				continue
			}
			p.values[k] = &v
			p.where += " AND " + texts[i] + " = " + literal(v)
		}
		if out = append(out, p); len(out) > mostPartitions {
			return w.problem(diag.SQLRefused, "%s: the batch falls into more than %d partitions", w.dataset.Name, mostPartitions).Hinted("partition by a column with fewer values")
		}
		return nil
	})
	return out, err
}

// partitionKeys are the partition columns as the dataset names its columns.
func (w *writing) partitionKeys() ([]string, error) {
	var out []string
	for _, p := range w.dataset.Partitions {
		i := indexOf(w.query.columns, p.Name)
		if i < 0 {
			return nil, w.dataset.File.Problem(diag.SQLName, p.At, "column %s: there is none of that name to partition by", p.Name).Hinted("name a column of the dataset")
		}
		switch t := w.query.columns[i].typ; t {
		case schema.String, schema.Date, schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long:
		default:
			return nil, w.dataset.File.Problem(diag.SQLType, p.At, "column %s: found the type %s, want text, a whole number, a date or a boolean to partition by", p.Name, t).Hinted("partition by date(%s), or by text", p.Name)
		}
		out = append(out, w.query.columns[i].name)
	}
	return out, nil
}

// parts are the runs of rows by the data file that they come from, in the order in which
// they were written.
func (w *writing) parts(ctx context.Context, where string) ([]record.Part, error) {
	if !w.query.rowwise() {
		return nil, nil
	}
	var out []record.Part
	sql := "SELECT " + sourceColumn + ", " + engine.FileNumber + ", count(*) FROM " + quote(rowsName) + " WHERE " + where + " GROUP BY ALL ORDER BY 1, 2"
	err := w.each(ctx, sql, func(row []engine.Value) error {
		i := w.in.list[whole(row[0])]
		out = append(out, record.Part{Table: i.name, File: i.files[whole(row[1])].Path, Rows: whole(row[2])})
		return nil
	})
	return out, err
}
