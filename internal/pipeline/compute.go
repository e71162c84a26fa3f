package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/event"
	"landfall/internal/schema"
	"landfall/internal/sqlpipe"
)

// Names of rows that a session keeps.
const (
	rowsName      = "_landfall_rows"
	heldView      = "_landfall_held"
	tableName     = "_landfall_table"
	droppedColumn = "_landfall_dropped"
	brokenColumn  = "_landfall_broken"
)

// leastGuarded is how many rows a batch has at least before the guard against dropping
// too many looks at it: a part of few rows says nothing.
const leastGuarded = 20

// compute evaluates the query and the rules once, writes the rows that stay and those that
// are dropped, and makes data files of them.
func (b *batch) compute(ctx context.Context) (err error) {
	stage, err := os.MkdirTemp(b.Temp, "landfall-pipeline-")
	if err != nil {
		return fmt.Errorf("make a folder for rows on their way: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	gone, err := b.retract(ctx)
	if err != nil {
		return err
	}
	views, err := b.in.views(ctx)
	if err != nil {
		return err
	}
	if v, ok, err := b.held(ctx, gone); err != nil {
		return err
	} else if ok {
		views = append(views, v)
	}
	w := &writing{batch: b, stage: stage}
	err = b.Engine.Session(ctx, engine.SessionOptions{Views: views, Folders: []string{stage}}, func(s engine.Session) error {
		w.session = s
		return w.run(ctx)
	})
	if err != nil {
		return b.told(err)
	}
	return b.assemble(ctx, w, gone)
}

// told says of what the engine refused which dataset it was.
func (b *batch) told(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	var said engine.Reason
	var d *diag.Diagnostic
	if errors.As(err, &d) && d.Code == diag.QueryFailed {
		text := d.Message
		if errors.As(err, &said) {
			text = said.Text
		}
		return b.problem(diag.QueryFailed, "%s: %s", b.dataset.Name, firstLine(text)).Because(err).
			Hinted("a value does not convert as the query wants: use TRY_CAST, or filter such rows first")
	}
	return err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// held is the dataset's own table without the rows that are taken back, if a rule asks.
func (b *batch) held(ctx context.Context, gone map[string][]int64) (engine.View, bool, error) {
	asks := false
	for _, r := range b.query.rules {
		asks = asks || r.Kind == sqlpipe.Unique
	}
	if !asks || b.base == nil || b.anew {
		return engine.View{}, false, nil
	}
	v, err := viewOf(ctx, b.table, b.base, sorted(b.base))
	if err != nil {
		return v, false, err
	}
	for i, f := range v.Files {
		v.Files[i].Deleted = append(f.Deleted[:len(f.Deleted):len(f.Deleted)], gone[f.Path]...)
	}
	v.Name, v.Store = tableName, b.data
	return v, true, nil
}

// writing is what becomes of the rows of a batch.
type writing struct {
	*batch
	session engine.Session
	// stage is a folder on this machine.
	stage string
	// outputs are files of rows that stay, dropped one of those that do not.
	outputs []output
	dropped []engine.Written
}

// output is rows of one partition.
type output struct {
	partition map[string]*string
	files     []engine.Written
	parts     []Part
}

func (w *writing) run(ctx context.Context) error {
	if err := w.keepHeld(ctx); err != nil {
		return err
	}
	rows, err := w.session.Keep(ctx, rowsName, w.rowsSQL())
	if err != nil {
		return err
	}
	w.record.Event.RowsIn = rows
	if err := w.count(ctx, rows); err != nil {
		return err
	}
	if err := w.judge(); err != nil {
		return err
	}
	return w.rows(ctx)
}

// keepHeld keeps the keys that the table holds, for rules that ask.
func (w *writing) keepHeld(ctx context.Context) error {
	var names []string
	for _, r := range w.query.rules {
		if r.Kind == sqlpipe.Unique {
			names = append(names, r.names...)
		}
	}
	if len(names) == 0 {
		return nil
	}
	texts := make([]string, 0, len(names))
	seen := map[string]bool{}
	have := w.base != nil && !w.anew
	for _, n := range names {
		if seen[n] {
			continue
		}
		seen[n] = true
		have = have && w.base.Schema.Lookup(n) >= 0
		texts = append(texts, quote(n))
	}
	sql := "SELECT " + strings.Join(texts, ", ") + " FROM " + quote(tableName)
	if !have { // no row has these columns
		sql = "SELECT " + strings.Join(texts, ", ") + " FROM (" + w.baseSQL() + ") WHERE false"
	}
	_, err := w.session.Keep(ctx, heldView, sql)
	return err
}

// baseSQL is the rows of the query in the columns of the dataset, with what is hidden.
func (w *writing) baseSQL() string {
	var texts []string
	for _, c := range w.query.columns {
		texts = append(texts, c.sql+" AS "+quote(c.name))
	}
	for _, h := range w.query.Hidden {
		texts = append(texts, quote(h.Name))
	}
	return "SELECT " + strings.Join(texts, ", ") + " FROM (" + w.query.SQL + ") AS b"
}

// rowsSQL adds what each rule says of a row, and whether the row is dropped.
func (w *writing) rowsSQL() string {
	texts := []string{"q.*"}
	var drops []string
	for i, r := range w.query.rules {
		texts = append(texts, "("+r.sql+") AS "+ruleName(i))
		if r.Action == sqlpipe.Drop {
			drops = append(drops, ruleName(i)+" IS NOT TRUE")
		}
	}
	drop := "false"
	if len(drops) > 0 {
		drop = strings.Join(drops, " OR ")
	}
	return "SELECT *, (" + drop + ") AS " + droppedColumn + " FROM (SELECT " + strings.Join(texts, ", ") + " FROM (" + w.baseSQL() + ") AS q)"
}

func ruleName(i int) string { return "_landfall_rule" + itoa(i) }

// rowwise tells that every row says which row of a stream it comes from.
func (c *compiled) rowwise() bool {
	for _, h := range c.Hidden {
		if h.Name == sourceColumn {
			return true
		}
	}
	return false
}

// judge stops a batch that a rule fails, or of which too much would be dropped.
func (w *writing) judge() error {
	e := &w.record.Event
	for i, r := range w.query.rules {
		x := e.Expectations[i]
		if r.Action != sqlpipe.Fail || x.False+x.Null == 0 {
			continue
		}
		d := w.dataset.File.Problem(diag.ExpectationFailed, r.At.At, "%s: %d of %d rows break the expectation %s, which fails the update: nothing was written", w.dataset.Name, x.False+x.Null, e.RowsIn, r.Name)
		if len(x.Samples) > 0 && !w.Redact {
			d.Message += "; such as " + x.Samples[0].Text()
		}
		return d.Hinted("correct the rows where they come from and land them again, or let the rule drop them: ON VIOLATION DROP ROW")
	}
	if e.RowsIn >= leastGuarded && float64(e.RowsDropped) > w.MaxDropRate*float64(e.RowsIn) {
		return w.problem(diag.ExpectationFailed, "%s: rules drop %d of %d rows, more than %g %%: nothing was written", w.dataset.Name, e.RowsDropped, e.RowsIn, 100*w.MaxDropRate).
			Hinted("look at the rules and at the rows; if it is as it should be, set max_drop_rate: under the pipeline in landfall.yaml")
	}
	return nil
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
	if w.record.Event.RowsDropped == 0 {
		return nil
	}
	w.dropped, err = w.copy(ctx, "dropped", w.droppedSQL(), w.droppedSchema())
	return err
}

// lose counts values of a partition column that become null.
func (w *writing) lose(column string, rows int64) {
	const as = "partition value of an empty text"
	e := &w.record.Event
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
func (w *writing) parts(ctx context.Context, where string) ([]Part, error) {
	if !w.query.rowwise() {
		return nil, nil
	}
	var out []Part
	sql := "SELECT " + sourceColumn + ", " + engine.FileNumber + ", count(*) FROM " + quote(rowsName) + " WHERE " + where + " GROUP BY ALL ORDER BY 1, 2"
	err := w.each(ctx, sql, func(row []engine.Value) error {
		i := w.in.list[whole(row[0])]
		out = append(out, Part{Table: i.name, File: i.files[whole(row[1])].Path, Rows: whole(row[2])})
		return nil
	})
	return out, err
}

// each hands over the rows of a statement.
func (w *writing) each(ctx context.Context, sql string, use func([]engine.Value) error) error {
	return w.session.Query(ctx, sql, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err == nil {
				err = use(row)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// assemble makes data files of what was written, and the commit.
func (b *batch) assemble(ctx context.Context, w *writing, gone map[string][]int64) error {
	a := &assembly{batch: b, writing: w, gone: gone}
	return a.run(ctx)
}
