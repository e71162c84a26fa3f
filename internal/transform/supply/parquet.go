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
	torn := s.unite()
	s.tellInt96()
	if torn || slices.ContainsFunc(s.Files, func(f File) bool { return f.odd }) {
		return s.stage(ctx, o)
	}
	if !s.group(engine.Parquet) {
		return s.stage(ctx, o)
	}
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

// mostGroups is how many groups an engine is given: each is a reader of its own.
const mostGroups = 100

// group puts files of equal columns together: those that follow each other, so that rows
// come in the order of the paths, or all, where that makes too many groups. It fails, with
// no error, if there are too many even so.
func (s *Supply) group(format engine.Format) bool {
	s.Input.Groups = s.groups(format, func(i, last int) bool { return i == last })
	if len(s.Input.Groups) > mostGroups {
		s.Input.Groups = s.groups(format, func(int, int) bool { return true })
	}
	if len(s.Input.Groups) <= mostGroups {
		return true
	}
	s.Input.Groups = nil
	return false
}

// groups deals files to groups; open tells which of them, up to the last, still take files.
func (s *Supply) groups(format engine.Format, open func(i, last int) bool) []engine.Group {
	var out []engine.Group
	of := map[string]int{}
	for _, f := range s.Files {
		columns := f.Columns[:len(f.Columns)-len(f.partition)]
		key := (schema.Struct{Fields: columns}).String()
		i, ok := of[key]
		if !ok || !open(i, len(out)-1) {
			i = len(out)
			of[key] = i
			out = append(out, engine.Group{Format: format, Columns: columns})
		}
		out[i].Files = append(out[i].Files, engine.InputFile{Key: f.Path, Shown: f.Path, Partition: f.partition})
	}
	return out
}
