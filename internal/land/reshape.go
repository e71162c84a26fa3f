package land

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/evolution"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	"landfall/internal/table"
)

// defaultRewrite is how many bytes of data files a batch writes again, at most,
// for types that widen.
const defaultRewrite = 4 << 30

// evolved asks the contract what the batch makes of it. A type that may widen asks
// for what all standing rows were, and for leave to write them again.
func (a *attempt) evolved(ctx context.Context, from contract.Version) (evolution.Result, error) {
	ev := evidenceOf(a.seen)
	res, err := evolution.Evolve(from, ev, a.l.src.Policy, a.current())
	if !res.AsksLife {
		return res, err
	}
	ev.Lived, ev.Held = true, a.l.stuck
	if why := a.l.fixed(); why != "" {
		ev.Held = map[string]string{"": why}
	} else if ev.Life, err = a.l.src.State.Life(ctx, a.replacing()); err != nil {
		return res, err
	}
	return evolution.Evolve(from, ev, a.l.src.Policy, a.current())
}

// fixed tells why the standing rows of the table cannot be written again, "" if
// they can.
func (l *landing) fixed() string {
	if l.Snap == nil {
		return ""
	}
	if _, why, keeps := l.keepsRows(); keeps {
		return why
	}
	if mode := l.Snap.Config["delta.columnMapping.mode"]; mode != "" && mode != "none" {
		return "the table maps the names of its columns (delta.columnMapping.mode)"
	}
	var size int64
	for _, f := range l.Snap.Files {
		size += f.Size
	}
	most := cmp.Or(l.src.Limits.Rewrite, defaultRewrite)
	if size > most {
		return fmt.Sprintf("%d bytes in %d files would be written again, and at most %d are; to do it set the option maxRewriteBytes=%d", size, len(l.Snap.Files), most, size)
	}
	return ""
}

// replacing are the paths whose standing rows the batch takes out.
func (a *attempt) replacing() map[string]bool {
	paths := map[string]bool{}
	for path := range a.replaced() {
		paths[path] = true
	}
	return paths
}

// stuck sends an attempt back: standing rows cannot be written as a type, or a
// merge, wants them, since others wrote values that do not fit.
type stuck struct{ why *diag.Diagnostic }

func (s *stuck) Error() string { return s.why.Error() }

// hold remembers that a column cannot be written again; news tells that it was not
// known.
func (l *landing) hold(why *diag.Diagnostic) (news bool) {
	column := why.Path
	if p, err := schema.ParsePath(column); err == nil {
		column = p[0]
	}
	if column = schema.Fold(column); l.stuck[column] != "" {
		return false
	}
	if l.stuck == nil {
		l.stuck = map[string]string{}
	}
	l.stuck[column] = why.Error()
	return true
}

// reshape writes the standing rows that stay again, where the batch changes the
// type of a column that they have, or puts two together.
func (a *attempt) reshape(ctx context.Context) error {
	if len(a.shape.retyped) == 0 && len(a.in.Merges) == 0 {
		return nil
	}
	r := a.reshaper()
	gone := map[table.Key]bool{}
	for _, f := range a.removed {
		gone[f.Key()] = true
	}
	for i, f := range a.carried { // the rest of files that lost rows
		again, err := r.file(ctx, f)
		if err != nil {
			return err
		}
		if again != nil {
			a.carried[i] = *again
		}
	}
	for _, f := range slices.SortedFunc(maps.Values(a.l.Snap.Files), byPath) {
		if gone[f.Key()] {
			continue
		}
		again, err := r.file(ctx, f)
		if err != nil {
			return err
		}
		if again == nil {
			continue
		}
		f.Moved = true
		if again.Path != "" {
			again.Moved = true
			a.carried = append(a.carried, *again)
			a.successors[again.Path] = f.Path
		}
		a.removed = append(a.removed, f)
	}
	return nil
}

// reshaper writes data files again.
type reshaper struct {
	*attempt
	shape datafile.Shape
	// touched are the folded names of the columns that a file has if it must be
	// written again.
	touched map[string]bool
	files   int
}

func (a *attempt) reshaper() *reshaper {
	r := &reshaper{
		attempt: a, touched: maps.Clone(a.shape.retyped),
		shape: datafile.Shape{Schema: a.shape.table, Merged: map[string][]string{}},
	}
	for _, m := range a.in.Merges {
		r.shape.Merged[m.To] = append(r.shape.Merged[m.To], m.From)
		r.touched[schema.Fold(m.From)] = true
	}
	return r
}

// file writes a file again; nil if it has none of the columns, and a file without
// a path if no row of it is left.
func (r *reshaper) file(ctx context.Context, f table.File) (*table.File, error) {
	has, err := r.has(ctx, f.Path)
	if err != nil || !has {
		return nil, err
	}
	deleted, err := r.l.src.Table.Deleted(ctx, f)
	if err != nil {
		return nil, err
	}
	res, err := datafile.Reshape(ctx, r.l.src.Data, f.Path, deleted, r.shape, datafile.Options{
		Name: func() string { r.files++; return r.fileName(fmt.Sprintf("reshaped-%d", r.files)) }, NoStats: r.noStats(),
	})
	var why *diag.Diagnostic
	if errors.As(err, &why) && why.Path != "" {
		return nil, &stuck{why}
	}
	if err != nil {
		return nil, fmt.Errorf("write %s again: %w", f.Path, err)
	}
	if res.File == nil {
		return &table.File{}, nil
	}
	return &table.File{
		Path: res.File.Path, Size: res.File.Size, Rows: res.File.Rows, Stats: res.File.Stats,
		ModTime: r.l.env.Now().UTC(), Partition: f.Partition, Tags: f.Tags,
	}, nil
}

// has tells whether a file has one of the columns.
func (r *reshaper) has(ctx context.Context, path string) (bool, error) {
	obj, err := r.l.src.Data.Open(ctx, path)
	if err != nil {
		return false, fmt.Errorf("open data file %s: %w", path, err)
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	f, err := parquetfile.Open(obj, obj.Info().Size)
	if err != nil {
		return false, fmt.Errorf("data file %s: %w", path, err)
	}
	return slices.ContainsFunc(f.Fields(), func(c schema.Field) bool { return r.touched[schema.Fold(c.Name)] }), nil
}

func byPath(a, b table.File) int {
	if a.Path < b.Path {
		return -1
	}
	return 1
}
