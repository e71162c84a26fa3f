package supply

import (
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/intake"
	"landfall/internal/parquetfile/footer"
	"landfall/internal/project"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// footers reads the columns of Parquet files. Files of equal columns are a group. Where
// one has what engines do not agree about, all are decoded here.
func (s *Supply) footers(ctx context.Context, o Options) error {
	decode, err := o.Decode(project.Options{}, "parquet")
	if err != nil {
		return err
	}
	g, inner := errgroup.WithContext(ctx)
	for w := range max(o.Workers, 2) {
		g.Go(func() error {
			var scanner footer.Scanner
			for i := w; i < len(s.Files); i += max(o.Workers, 2) {
				if err := s.Files[i].look(inner, s.store, decode, &scanner); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if err := s.partitions(); err != nil {
		return err
	}
	s.unite()
	s.tellInt96()
	if slices.ContainsFunc(s.Files, func(f File) bool { return f.odd }) {
		return s.stage(ctx, o)
	}
	s.group(engine.Parquet)
	return nil
}

// tellInt96 notes the first file with timestamps that the service does not read.
func (s *Supply) tellInt96() {
	for _, f := range s.Files {
		if len(f.int96) == 0 {
			continue
		}
		s.Notes = append(s.Notes, *diag.New(diag.FlowService, "source %s: found INT96 timestamps in %s, and the service reads none (DF-Executor-DriverError)", s.source.Name, strings.Join(f.int96, ", ")).
			In(diag.Place{File: f.Path}).Hinted("where Spark writes the files: spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS"))
		return
	}
}

// typed is a reader of files that say which types their columns have.
type typed interface{ Types() []schema.Type }

// look reads the footer of a Parquet file.
func (f *File) look(ctx context.Context, st store.Store, decode intake.Decoder, scanner *footer.Scanner) error {
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
		t := types[i]
		if t == schema.Type(schema.Unknown) {
			t = schema.String // of nulls alone
		}
		f.Columns = append(f.Columns, schema.Field{Name: name, Type: t, Nullable: true})
	}
	summary, err := scanner.Scan(o, o.Info().Size)
	if err != nil {
		return err
	}
	f.Rows = summary.Rows
	f.odd, f.int96 = odd(summary.Schema.Elements, summary.Mentions)
	return nil
}

// group puts files that follow each other and have equal columns together, so that rows
// come in the order of the paths.
func (s *Supply) group(format engine.Format) {
	for _, f := range s.Files {
		columns := f.Columns[:len(f.Columns)-len(f.partition)]
		last := len(s.Input.Groups) - 1
		if last < 0 || !same(s.Input.Groups[last].Columns, columns) {
			s.Input.Groups = append(s.Input.Groups, engine.Group{Format: format, Columns: columns})
			last++
		}
		g := &s.Input.Groups[last]
		g.Files = append(g.Files, engine.InputFile{Key: f.Path, Shown: f.Path, Partition: f.partition})
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
