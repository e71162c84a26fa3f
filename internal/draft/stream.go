package draft

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"landfall/internal/notebook"
	"landfall/internal/project"
)

// Streams drafts a project of the Auto Loader streams of a notebook, whose
// tables are below lake.
func Streams(n notebook.Notebook, lake string) Draft {
	d := Draft{Head: `The Auto Loader streams of a notebook as sources of Landfall. With compat: autoloader
an option that is not set has Auto Loader's default; leave that line out for Landfall's
own: types are found, casings are one column, rewritten files replace their rows.
What the streams had landed is not known here: all files land, in tables of their own.
"landfall preview" shows what would land, "landfall land" lands it.`}
	d.Notes = slices.Clone(n.Notes)
	type feed struct{ path, table string }
	first := map[feed]notebook.Place{}
	for _, s := range n.Streams {
		out := d.stream(s, lake)
		f := feed{out.Path, out.Table}
		if at, twice := first[f]; twice {
			d.note(s.At, "it loads the same path into the same table as the stream of %s: one source is enough", at)
			continue
		}
		first[f] = s.At
		d.Sources = append(d.Sources, out)
	}
	d.shared(n.Streams)
	d.named()
	slices.SortStableFunc(d.Notes, func(a, b notebook.Note) int {
		if a.At.Cell != b.At.Cell {
			return a.At.Cell - b.At.Cell
		}
		return a.At.Line - b.At.Line
	})
	return d
}

func (d *Draft) note(at notebook.Place, format string, args ...any) {
	d.Notes = append(d.Notes, notebook.Note{At: at, Text: fmt.Sprintf(format, args...)})
}

// stream drafts the source of one stream.
func (d *Draft) stream(s notebook.Stream, lake string) Source {
	out := Source{Path: s.Path, AutoLoader: true, Remarks: []string{s.At.String()}}
	if s.Path == "" {
		out.Path = "${path}"
	}
	out.Name, out.Table, out.TableRemark = target(s, lake)
	if why := unreachable(s.Path); why != "" {
		out.PathRemark = why
		d.note(s.At, "%s: %s", out.Path, why)
	}
	if strings.Contains(out.Path+out.Table, "${") {
		d.note(s.At, "fill in what stands as ${…} in the path or table: the notebook gets it from elsewhere")
	}
	for _, o := range s.Options {
		out.Options = append(out.Options, d.option(s, o))
	}
	for _, o := range s.Sink {
		if sunk := d.sink(s, o); sunk.Name != "" {
			out.Options = append(out.Options, sunk)
		}
	}
	if _, set := s.Option("cloudFiles.inferColumnTypes"); s.ReadFiles && !set && !typed(format(s)) {
		out.Options = append(out.Options, Option{Name: "cloudFiles.inferColumnTypes", Value: "true", Remark: "as read_files has it"})
	}
	d.schema(s, &out)
	once(out.Options)
	d.traps(s)
	return out
}

// format is the format of a stream's files, "" if it names none.
func format(s notebook.Stream) string {
	o, _ := s.Option("cloudFiles.format")
	return strings.ToLower(o.Value)
}

// typed tells that files of a format have types of their own.
func typed(format string) bool {
	return slices.Contains([]string{"parquet", "avro", "orc"}, format)
}

// once leaves all but the last setting of an option out.
func once(options []Option) {
	for i, o := range options {
		later := slices.ContainsFunc(options[i+1:], func(p Option) bool { return p.Name == o.Name && p.Out == "" })
		if later && o.Out == "" {
			options[i].Out = "set again below"
		}
	}
}

// target is the name of a stream's source, and its table with where that was.
func target(s notebook.Stream, lake string) (name, table, remark string) {
	switch {
	case s.Table != "":
		parts := strings.Split(s.Table, ".")
		return parts[len(parts)-1], lake + "/" + strings.Join(parts, "/"), "was the table " + s.Table
	case s.Folder != "":
		name = path.Base(strings.TrimRight(s.Folder, "/"))
		return name, lake + "/" + cleanName(name), "was the folder " + s.Folder
	}
	name = path.Base(strings.TrimRight(s.Path, "/*"))
	return name, lake + "/" + cleanName(name), "the notebook names no table"
}

// unreachable says why a path cannot be read here, "" if it may be.
func unreachable(at string) string {
	scheme, rest, ok := strings.Cut(at, ":/")
	switch {
	case ok && scheme != "file" && !strings.Contains(scheme, "/"):
		return scheme + ":/" + rest[:min(len(rest)-len(strings.TrimLeft(rest, "/")), 1)] + " is not reachable yet: mount or copy the folder, and name that"
	case strings.HasPrefix(at, "/mnt/"), strings.HasPrefix(at, "/Volumes/"), strings.HasPrefix(at, "/dbfs/"):
		return "a path of the workspace: name the folder as it is seen from here"
	}
	return ""
}

// option takes an option of the reader over under its documented name.
func (d *Draft) option(s notebook.Stream, o notebook.Option) Option {
	name, known := project.Documented(o.Name)
	out := Option{Name: name, Value: o.Value}
	bare := strings.TrimPrefix(strings.ToLower(o.Name), "cloudfiles.")
	switch prefixed := len(bare) < len(o.Name); {
	case name == "cloudFiles.schemaLocation":
		out.Out = "the contract is kept beside the table"
	case strings.Contains(o.Value, "${"):
		out.Out = "its value comes from elsewhere: fill it in"
		d.note(o.At, "%s: fill in %s", name, o.Value)
	default:
		out.Out = why(format(s), name, o.Value)
		if known && prefixed && !strings.HasPrefix(strings.ToLower(name), "cloudfiles.") && bare != "rescueddatacolumn" {
			d.note(o.At, "%s has no prefix, and Auto Loader stops at it: it is %s", o.Name, name)
		}
	}
	if out.Out != "" && name != "cloudFiles.schemaLocation" && !strings.Contains(o.Value, "${") {
		d.note(o.At, "%s is left out: %s", o.Name, out.Out)
	}
	return out
}

// sink takes an option of the writer over; none for one that needs no words.
func (d *Draft) sink(s notebook.Stream, o notebook.Option) Option {
	name, _ := project.Documented(o.Name)
	switch name {
	case "checkpointLocation":
		return Option{Name: name, Value: o.Value, Out: "the state is kept beside the table, and is another than Auto Loader's"}
	case "mergeSchema":
		if strings.EqualFold(o.Value, "true") {
			return Option{}
		}
	}
	out := Option{Name: name, Value: o.Value, Out: why(format(s), name, o.Value)}
	if out.Out != "" {
		d.note(o.At, "%s is left out: %s", o.Name, out.Out)
	}
	return out
}

// schema makes hints of a schema that is given.
func (d *Draft) schema(s notebook.Stream, out *Source) {
	if !s.HasSchema {
		return
	}
	if _, set := s.Option("cloudFiles.schemaEvolutionMode"); !set {
		out.Options = append(out.Options, Option{Name: "cloudFiles.schemaEvolutionMode", Value: "none", Remark: "as of a stream with a schema"})
	}
	if reason := why(format(s), "cloudFiles.schemaHints", s.Schema); s.Schema != "" && reason == "" {
		out.Options = append(out.Options, Option{Name: "cloudFiles.schemaHints", Value: s.Schema, Remark: "the schema of the stream"})
		return
	}
	out.Remarks = append(out.Remarks, "its schema is code: write the columns and types as cloudFiles.schemaHints")
	d.note(s.At, "the stream has a schema that is code: write its columns as cloudFiles.schemaHints")
}
