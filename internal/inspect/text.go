package inspect

import (
	"context"
	"errors"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/inference"
	"landfall/internal/store"
)

// Opener begins to read a text file as one of a format, csv or json.
type Opener func(ctx context.Context, as, name string, r *store.Reading) (format.Reader, error)

// textFormat is the more frequent of the text formats among files that are not
// Parquet, "" if there are none; the alphabet decides a tie.
func textFormat(others []Other) string {
	count := map[string]int{}
	for _, o := range others {
		count[o.Kind]++
	}
	switch {
	case count["csv"] == 0 && count["json"] == 0:
		return ""
	case count["csv"] >= count["json"]:
		return "csv"
	}
	return "json"
}

// reader reads the values of text files.
type reader struct {
	open   Opener
	format string
	// sample is how many records of each file are read, 0 for all.
	sample int64
}

// file reads a text file and makes a schema of its values. The error is the
// store's; what the file is to blame for is in what is returned.
func (t reader) file(ctx context.Context, o store.Object) (seen, error) {
	info := o.Info()
	out := seen{file: File{Path: info.Key, Bytes: info.Size, Modified: info.ModTime, version: info.Version}}
	if info.Size == 0 {
		out.bad = &Unreadable{Path: info.Key, Code: diag.FileUnreadable, Message: "empty: 0 bytes"}
		return out, nil
	}
	r, err := t.open(ctx, t.format, info.Key, store.NewReading(o))
	if err != nil {
		return out.blame(err)
	}
	if f, ok := r.(interface{ Foreign() (string, bool) }); ok {
		if what, foreign := f.Foreign(); foreign {
			out.bad = &Unreadable{Path: info.Key, Code: diag.FileForeign, Message: "not " + t.format + ": " + what, Bytes: info.Size}
			return out, nil
		}
	}
	header := r.Header()
	width := len(header)
	if t.format == "json" {
		header, width = nil, 0
	}
	see := column.NewObserver(nil, width)
	for slab, err := range r.Slabs(ctx) {
		if err != nil {
			return out.blame(err)
		}
		see.Add(slab)
		out.file.Rows += int64(slab.Rows())
		out.file.Malformed += int64(len(slab.Bad))
		if t.sample > 0 && out.file.Rows >= t.sample {
			break
		}
	}
	out.nodes = inferred(see.Evidence(header), info.Key)
	return out, nil
}

// blame names the file for an error that is its fault.
func (s seen) blame(err error) (seen, error) {
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code == diag.NoPermission || d.Code == diag.StoreUnreachable {
		return s, err
	}
	s.bad = &Unreadable{Path: s.file.Path, Code: d.Code, Message: d.Message, Bytes: s.file.Bytes}
	return s, nil
}

// inferred makes the schema of a file of what its values look like.
func inferred(e column.Evidence, file string) *shape {
	out := &shape{}
	for i := range e.Fields {
		var s inference.Sight
		s.Add(file, &e.Fields[i].Evidence, false)
		out.nodes = append(out.nodes, parts(e.Fields[i].Name, inference.Method{}.Infer(&s, 1))...)
	}
	for i := range out.nodes {
		out.nodes[i].Nullable = true
		if t := out.nodes[i].Type; t != "struct" && t != typeArray && t != typeMap {
			out.nodes[i].Stored = "text"
		}
	}
	out.key = key(out.nodes)
	return out
}
