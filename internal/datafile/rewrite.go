package datafile

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"

	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/store"
)

// sourceColumn names the column that says which object a row came from.
const sourceColumn = "_source_file"

// Rewritten is the outcome of Rewrite.
type Rewritten struct {
	// File is the new file, nil if no row is left. It has no Parts: the rows
	// are known by their source file only.
	File *File
	// Dropped is the number of live rows left out, Deleted that of rows which
	// the deletion vector had marked.
	Dropped, Deleted int64
	// Kept counts the rows of the new file by source file, "" for null. Nil
	// if the file has no such column.
	Kept map[string]int64
}

// Rewrite writes a data file again without the deleted rows (positions of its
// deletion vector) and without those whose source file drop matches; nil
// matches none. All columns keep their types and values, whoever wrote them.
// A file that does not say where its rows came from is refused
// (diag.ReplaceRefused), unless drop is nil.
func Rewrite(ctx context.Context, s store.Store, path string, deleted []int64, drop func(sourceFile string) bool, o Options) (Rewritten, error) {
	obj, err := s.Open(ctx, path)
	if err != nil {
		return Rewritten{}, fmt.Errorf("open data file %s: %w", path, err)
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	rows, err := survey(ctx, obj, deleted)
	if err != nil {
		return Rewritten{}, at(path, err)
	}
	if rows.sources == nil && drop != nil {
		return Rewritten{}, at(path, noSources())
	}
	out := rows.drop(drop)
	left := int64(len(rows.live)) - out.Deleted - out.Dropped
	if left == 0 {
		return out, nil
	}
	f, err := rewrite(ctx, s, obj, rows.live, o)
	if err != nil {
		return Rewritten{}, at(path, err)
	}
	if f.Rows != left {
		return Rewritten{}, fmt.Errorf("rewrite %s: wrote %d rows, want %d", path, f.Rows, left)
	}
	out.File = &f
	return out, nil
}

// CountSources counts the live rows of a data file by source file, "" for
// null. It reads that column alone.
func CountSources(ctx context.Context, s store.Store, path string, deleted []int64) (map[string]int64, error) {
	obj, err := s.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open data file %s: %w", path, err)
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	rows, err := survey(ctx, obj, deleted)
	if err != nil {
		return nil, at(path, err)
	}
	if rows.sources == nil {
		return nil, at(path, noSources())
	}
	return rows.drop(nil).Kept, nil
}

func noSources() error {
	return diag.New(diag.ReplaceRefused, "no text column %s: cannot tell which rows to replace", sourceColumn).
		Hinted("another tool wrote the file without it; land the source into a new table")
}

// at adds the file to an error.
func at(path string, err error) error {
	var d *diag.Diagnostic
	if errors.As(err, &d) && d.At.File == "" {
		d.At.File = path
		return err
	}
	return fmt.Errorf("data file %s: %w", path, err)
}

// rows is what is known about the rows of a file.
type rows struct {
	// live is false for rows that are deleted or dropped.
	live []bool
	// sources holds the distinct source files, of each row the index into it;
	// nil if the file has no such column.
	sources []string
	of      []int32
	deleted int64
}

// survey reads the source column.
func survey(ctx context.Context, obj store.Object, deleted []int64) (*rows, error) {
	size := obj.Info().Size
	sc, err := parquetfile.Schema(obj, size)
	if err != nil {
		return nil, err
	}
	r := &rows{}
	if at := sc.FieldIndices(sourceColumn); len(at) == 1 {
		r.sources = []string{}
	}
	column := sourceColumn
	if r.sources == nil {
		column = sc.Field(0).Name
	}
	index := map[string]int32{}
	for rec, err := range parquetfile.Read(ctx, obj, size, []string{column}) {
		if err != nil {
			return nil, err
		}
		texts, ok := rec.Column(0).(*array.String)
		if !ok {
			r.sources = nil
		}
		for i := range int(rec.NumRows()) {
			r.live = append(r.live, true)
			if r.sources != nil {
				r.of = append(r.of, r.index(index, texts, i))
			}
		}
	}
	return r, r.mark(deleted)
}

func (r *rows) index(known map[string]int32, texts *array.String, i int) int32 {
	source := ""
	if texts.IsValid(i) {
		source = texts.Value(i)
	}
	n, ok := known[source]
	if !ok {
		n = int32(len(r.sources))
		source = string([]byte(source)) // the record's memory goes with it
		known[source], r.sources = n, append(r.sources, source)
	}
	return n
}

func (r *rows) mark(deleted []int64) error {
	for _, row := range deleted {
		if row < 0 || row >= int64(len(r.live)) {
			return diag.New(diag.LogBroken, "deletion vector marks row %d, the file has %d", row, len(r.live))
		}
		if r.live[row] {
			r.live[row] = false
			r.deleted++
		}
	}
	return nil
}

// drop takes the matching rows out and counts.
func (r *rows) drop(match func(string) bool) Rewritten {
	out := Rewritten{Deleted: r.deleted}
	if r.sources == nil {
		return out
	}
	out.Kept = map[string]int64{}
	matched := make([]bool, len(r.sources))
	for i, s := range r.sources {
		matched[i] = match != nil && match(s)
	}
	for i, live := range r.live {
		switch n := r.of[i]; {
		case !live:
		case matched[n]:
			r.live[i] = false
			out.Dropped++
		default:
			out.Kept[r.sources[n]]++
		}
	}
	return out
}

func rewrite(ctx context.Context, s store.Store, obj store.Object, live []bool, o Options) (File, error) {
	path := o.Name()
	up, err := s.Upload(ctx, path)
	if err != nil {
		return File{}, fmt.Errorf("begin data file %s: %w", path, err)
	}
	buffer := bufio.NewWriterSize(up, bufferSize)
	footer, err := parquetfile.CopyRows(ctx, obj, obj.Info().Size, buffer, func(row int64) bool { return live[row] }, o.Options)
	if err == nil {
		err = commit(ctx, up, buffer, footer.Size)
	}
	if err != nil {
		return File{}, errors.Join(err, up.Abort(ctx))
	}
	return File{Path: path, Size: footer.Size, Rows: footer.Rows, Stats: statistics(footer, o)}, nil
}
