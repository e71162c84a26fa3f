package supply

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"landfall/internal/engine"
	"landfall/internal/intake"
	"landfall/internal/project"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// footers reads the columns of Parquet files. Files of equal columns are a group.
func (s *Supply) footers(ctx context.Context, o Options) error {
	decode, err := o.Decode(project.Options{}, "parquet")
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(o.Workers, 2))
	for i := range s.Files {
		g.Go(func() error { return footer(ctx, s.store, decode, &s.Files[i]) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	s.group(engine.Parquet)
	return nil
}

// typed is a reader of files that say which types their columns have.
type typed interface{ Types() []schema.Type }

// footer reads the columns of a Parquet file.
func footer(ctx context.Context, st store.Store, decode intake.Decoder, f *File) error {
	o, err := st.Open(ctx, f.Path)
	if err != nil {
		return err
	}
	defer o.Close() //nolint:errcheck // it is only read
	r, err := decode(ctx, f.Path, store.NewReading(o))
	if err != nil {
		return err
	}
	columns, ok := r.(typed)
	if !ok {
		return errors.New("a reader of Parquet without types")
	}
	types := columns.Types()
	for i, name := range r.Header() {
		f.Columns = append(f.Columns, schema.Field{Name: name, Type: types[i], Nullable: true})
	}
	return nil
}

// group puts files that follow each other and have equal columns together, so that rows
// come in the order of the paths.
func (s *Supply) group(format engine.Format) {
	for _, f := range s.Files {
		last := len(s.Input.Groups) - 1
		if last < 0 || !same(s.Input.Groups[last].Columns, f.Columns) {
			s.Input.Groups = append(s.Input.Groups, engine.Group{Format: format, Columns: f.Columns})
			last++
		}
		g := &s.Input.Groups[last]
		g.Files = append(g.Files, engine.InputFile{Key: f.Path, Shown: f.Path})
	}
}

// same tells whether columns are the same, in the same order.
func same(a, b []schema.Field) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name || a[i].Type.String() != b[i].Type.String() {
			return false
		}
	}
	return true
}
