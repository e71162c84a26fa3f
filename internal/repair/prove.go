package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"landfall/internal/contract"
	"landfall/internal/discovery"
	"landfall/internal/reconcile"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// Report is what a copy came to. Its JSON keys are an interface (docs/json.md).
type Report struct {
	Format int       `json:"format_version"`
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
	// Source and Out are the URLs of both folders as the copy was made.
	Source      string   `json:"source"`
	Out         string   `json:"out"`
	Form        Form     `json:"form"`
	Schema      string   `json:"schema"`
	PartitionBy []string `json:"partition_by"`
	// DataFiles is the number of files of the copy, Bytes their sizes.
	DataFiles int   `json:"data_files"`
	Bytes     Bytes `json:"bytes"`
	// Types are the columns of the copy.
	Types []Column `json:"schema_after"`
	// Told is what else became of columns.
	Told []Told `json:"told"`
	// LeftOut are files of the source that nobody can read.
	LeftOut []LeftOut `json:"left_out"`
	reconcile.Report
	// Since are files that came to the source after the copy was made, Strange those
	// in the copy that are none of its own.
	Since   []string `json:"since"`
	Strange []string `json:"strange"`
	// Again says that the copy was there already.
	Again bool `json:"-"`
}

// Bytes are the sizes of the files before and after.
type Bytes struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// Sound tells whether the copy holds all that can be read of the source as it is now,
// and nothing else.
func (r *Report) Sound() bool { return r.Reconciled && len(r.Since)+len(r.Strange) == 0 }

// Lost are the files that are left out and are not empty: something of theirs may be
// in no copy.
func (r *Report) Lost() []LeftOut {
	return slices.DeleteFunc(slices.Clone(r.LeftOut), func(l LeftOut) bool { return l.Bytes == 0 && l.Code != "" })
}

// prove holds the copy in a store against its source in another.
func (m *manifest) prove(ctx context.Context, source, copied store.Store, workers int, told func(files, done int)) (*Report, error) {
	p, err := m.proof()
	if err != nil {
		return nil, err
	}
	p.Source, p.Copy, p.Workers = source, copied, workers
	if told != nil {
		p.Progress = func(done, of int) { told(of, done) }
	}
	found, err := p.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("prove the copy: %w", err)
	}
	r := m.report()
	r.Report = found
	return r, nil
}

// report is what the manifest says by itself.
func (m *manifest) report() *Report {
	r := &Report{
		Format: recordsFormat, ID: m.ID, At: m.At, Source: m.Source, Out: m.Out, Form: m.Form, Schema: m.Schema,
		PartitionBy: m.PartitionBy, DataFiles: len(m.Files), Types: m.Columns, LeftOut: m.LeftOut, Told: m.Told,
		Since: []string{}, Strange: []string{},
	}
	for _, o := range m.Objects {
		r.Bytes.Before += o.Size
	}
	for _, f := range m.Files {
		r.Bytes.After += f.Size
	}
	return r
}

// proof is what has to hold of the copy.
func (m *manifest) proof() (*reconcile.Proof, error) {
	p := &reconcile.Proof{Rescue: m.Rescue}
	for _, o := range m.Objects {
		one := reconcile.Object{Path: o.Path, Version: o.Version, Folders: foldersOf(o.Path)}
		if o.Breaks {
			one.Breaks = o.Rows
		}
		p.Objects = append(p.Objects, one)
	}
	for _, f := range m.Files {
		d := reconcile.DataFile{Path: f.Path, Partition: f.Partition}
		for _, r := range f.Runs {
			d.Runs = append(d.Runs, reconcile.Run{Object: r.Object, First: r.First, Rows: r.Rows})
		}
		p.Files = append(p.Files, d)
	}
	for _, c := range m.Columns {
		t, err := c.schemaType()
		if err != nil {
			return nil, err
		}
		p.Columns = append(p.Columns, reconcile.Column{Name: c.Name, Original: c.Original, Nth: c.K, Type: t})
	}
	return p, nil
}

// schemaType is the type of the column, whose fields know their original names.
func (c Column) schemaType() (schema.Type, error) {
	return contract.Column{Name: c.Name, Type: c.Type, Nested: c.Nested}.SchemaType()
}

// foldersOf are the partition folders of a path.
func foldersOf(path string) (out []reconcile.Folder) {
	_, folders := contract.Folders(path)
	for _, f := range folders {
		one := reconcile.Folder{Name: f.Key}
		if !f.Null() {
			one.Value = &f.Value
		}
		out = append(out, one)
	}
	return out
}

// since are the files of the source, as it is now, that the copy has nothing of or was
// not made of in this version.
func (m *manifest) since(ctx context.Context, source store.Store) ([]string, error) {
	known := map[string]string{}
	for _, o := range m.Objects {
		known[o.Path] = o.Version
	}
	for _, l := range m.LeftOut {
		if l.From == 0 {
			known[l.Path] = l.Version
		}
	}
	out := []string{}
	for info, err := range source.List(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		if ok, _ := takes(info.Key); !ok || discovery.Hidden(info.Key) {
			continue
		}
		if version, ok := known[info.Key]; !ok || version != "" && version != info.Version {
			out = append(out, info.Key)
		}
	}
	return out, nil
}

// others are the files in the folder of the copy that are none of its own.
func (m *manifest) others(ctx context.Context, home store.Store) ([]string, error) {
	own := map[string]bool{}
	for _, f := range m.Files {
		own[f.Path] = true
	}
	out := []string{}
	for info, err := range home.List(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		if !discovery.Hidden(info.Key) && !own[info.Key] {
			out = append(out, info.Key)
		}
	}
	return out, nil
}

// ddl are the columns of the copy, as a table definition has them.
func ddl(columns []Column) string {
	out := make([]string, 0, len(columns))
	for _, c := range columns {
		out = append(out, schema.Path{c.Name}.String()+" "+c.Type)
	}
	return strings.Join(out, ", ")
}
