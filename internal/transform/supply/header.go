package supply

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/flow/dataset"
	"landfall/internal/intake"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// undone refuses text under a compression that nothing here undoes: cut as text it would
// give rows that are none.
func (s *Supply) undone() error {
	switch s.source.Format {
	case dataset.Delimited, dataset.JSON:
	case dataset.Parquet, dataset.Delta:
		return nil
	}
	refuse := func(what string, at diag.Place) error {
		return diag.New(diag.FlowRefused, "source %s: found %s, which is not undone here; gzip, bzip2, snappy and zstd are", s.source.Name, what).In(at).
			Hinted("decompress the files, or compress them with gzip")
	}
	switch s.source.Compression {
	case "", "none", "gzip", "bzip2", "snappy", "zstd":
	default:
		return refuse("compression "+diag.Quote(s.source.Compression), s.source.At)
	}
	for _, f := range s.Files {
		switch ext := strings.ToLower(path.Ext(f.Path)); ext {
		case ".deflate", ".zz", ".zlib", ".lz4", ".lzo", ".br", ".xz", ".7z", ".tar", ".tgz", ".zip":
			return refuse("a file that ends in "+ext, diag.Place{File: f.Path})
		}
	}
	return nil
}

// headed tells whether files name their columns in a first row, headerless whether they
// are text that does not.
func (s *Supply) headed() bool { return s.source.Format == dataset.Delimited && s.source.Text.Header }

func (s *Supply) headerless() bool {
	return s.source.Format == dataset.Delimited && !s.source.Text.Header
}

// headers reads the first row of each file that has one: rows may be none, and then
// nothing else tells the columns.
func (s *Supply) headers(ctx context.Context, decode intake.Decoder, workers int) error {
	if !s.headed() {
		return nil
	}
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(max(workers, 2))
	for i := range s.Files {
		if s.Files[i].Size > 0 {
			g.Go(func() error { return s.Files[i].header(inner, s.store, decode) })
		}
	}
	return g.Wait()
}

// header reads the names of a file's columns. Of those that differ in casing alone the
// first is kept.
func (f *File) header(ctx context.Context, st store.Store, decode intake.Decoder) error {
	o, err := st.Open(ctx, f.Path)
	if err != nil {
		return err
	}
	defer o.Close() //nolint:errcheck // it is only read
	r, err := decode(ctx, f.Path, store.NewReading(o))
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, name := range r.Header() {
		if strings.ContainsRune(name, 0) {
			return diag.New(diag.FileUnreadable, "the name of a column has a zero byte: it is not text, or compressed").In(diag.Place{File: f.Path, Line: 1}).
				Hinted("leave the file out of the source's wildcards, or write it as text, plain or under gzip")
		}
		if name == "" || taken[schema.Fold(name)] {
			continue
		}
		taken[schema.Fold(name)] = true
		f.Columns = append(f.Columns, schema.Field{Name: name, Type: schema.String, Nullable: true})
	}
	return nil
}

// noRows adds the columns of headers with no row below them, and puts all in the order
// in which headers have them first.
func (s *Supply) noRows(view *engine.View) {
	var first union
	for _, f := range s.Files {
		for _, c := range f.Columns {
			if !first.has(c.Name) && (schema.Struct{Fields: s.Columns}).Lookup(c.Name) < 0 {
				s.Columns = append(s.Columns, c)
			}
			first.add(c)
		}
	}
	for _, c := range s.Columns {
		if view.Schema.Lookup(c.Name) < 0 {
			view.Schema.Fields = append(view.Schema.Fields, c)
		}
	}
	slices.SortStableFunc(s.Columns, func(a, b schema.Field) int {
		return cmp.Compare(first.at(a.Name), first.at(b.Name))
	})
}

// compareHeaders tells how the header of each file differs. What type the values of a file
// have is not for its header to say.
func (s *Supply) compareHeaders() {
	all := schema.Struct{Fields: s.Columns}
	against := s.source.Projection
	if against == nil {
		i := slices.IndexFunc(s.Files, func(f File) bool { return len(f.Columns) > 0 })
		if i < 0 {
			return
		}
		against = typedAs(all, s.Files[i].Columns)
	}
	wanted := schema.Struct{Fields: against}
	for i := range s.Files {
		f := &s.Files[i]
		if f.Size == 0 {
			continue
		}
		f.Columns = typedAs(all, f.Columns)
		got := slices.Clone(f.Columns)
		for k, c := range got {
			if at := wanted.Lookup(c.Name); at >= 0 {
				got[k].Type = against[at].Type
			}
		}
		types := slices.DeleteFunc(f.Drift, func(d Drift) bool { return d.Kind != Retyped })
		f.Drift = append(drift(against, got), types...)
	}
}

// typedAs gives columns the types that the columns of all files have.
func typedAs(all schema.Struct, columns []schema.Field) []schema.Field {
	out := slices.Clone(columns)
	for i, c := range out {
		if at := all.Lookup(c.Name); at >= 0 {
			out[i].Type = all.Fields[at].Type
		}
	}
	return out
}

// numbered is what a landing calls the column at an index of text without a header, for
// the column of the projection that has an index.
func (s *Supply) numbered(projected int) string {
	name := s.source.Projection[projected].Name
	if n, ok := number(name, "_col", "_"); ok {
		return fmt.Sprintf("_c%d", n)
	}
	return fmt.Sprintf("_c%d", projected)
}

// named gives the columns of text without a header the names that a flow has for them:
// those of the projection, which go by position, else _col0_, _col1_ and so on.
func (s *Supply) named(columns []schema.Field) []schema.Field {
	if !s.headerless() {
		return columns
	}
	names := map[string]string{}
	for i, c := range s.source.Projection {
		names[s.numbered(i)] = c.Name
	}
	out := slices.Clone(columns)
	for i, c := range out {
		n, ok := number(c.Name, "_c", "")
		if !ok {
			continue
		}
		name, projected := names[c.Name]
		if !projected {
			name = fmt.Sprintf("_col%d_", n)
		}
		out[i] = schema.WithPhysicalName(c, c.Name)
		out[i].Name = name
	}
	return out
}

// number is the number between the ends of a name.
func number(name, before, after string) (int, bool) {
	rest, ok := strings.CutPrefix(name, before)
	if !ok {
		return 0, false
	}
	if rest, ok = strings.CutSuffix(rest, after); !ok {
		return 0, false
	}
	n, err := strconv.Atoi(rest)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == rest
}
