package deliver

import (
	"path"
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
	"landfall/internal/schema"
)

// numbered is the name of a file of a pattern: out[n].parquet.
func numbered(pattern string, n int) string {
	return strings.ReplaceAll(pattern, "[n]", strconv.Itoa(n))
}

// byColumn is the column whose values name files or folders; "" for none.
func byColumn(n dataset.Naming) string {
	if n.FileColumn != "" {
		return n.FileColumn
	}
	return n.FolderColumn
}

// refuse tells what of a sink cannot be written.
func refuse(s dataset.Sink) error {
	var problems diag.List
	add := func(hint, format string, args ...any) {
		problems.Add(diag.New(diag.FlowRefused, "sink "+s.Name+": "+format, args...).In(s.At).Hinted("%s", hint))
	}
	if byColumn(s.Naming) != "" && s.Partition.Kind == dataset.ByKey {
		add("leave one of them out", "found folders of partitionBy('key') and names by column %s", diag.Quote(byColumn(s.Naming)))
	}
	if _, ok := codec(s); !ok {
		add("write with snappy (Parquet), gzip, zstd or none", "found compression %s, which is not written here", diag.Quote(s.Compression))
	}
	if e := strings.ToUpper(s.Text.Encoding); e != "" && e != "UTF-8" && e != "UTF8" && e != "US-ASCII" {
		add("leave encoding out: text is written as UTF-8", "found encoding %s, which is not written here", diag.Quote(s.Text.Encoding))
	}
	if s.Format != dataset.Delimited {
		return problems.Err()
	}
	if d := s.Text.RowDelimiter; d != "" && d != "\n" {
		add("leave rowDelimiter out: rows end with a line feed", "found rowDelimiter %s, which is not written here", diag.Quote(d))
	}
	if s.Text.Delimiter == "" {
		add("name one: columnDelimiter: ','", "found no columnDelimiter, want one between the columns")
	}
	return problems.Err()
}

// codec is the engine's name of a compression; false says that it writes none of the kind.
func codec(s dataset.Sink) (string, bool) {
	switch c := s.Compression; {
	case c == "gzip", c == "zstd", c == "":
		return c, true
	case c == "none" && s.Format == dataset.Parquet, c == "uncompressed" && s.Format == dataset.Parquet:
		return "uncompressed", true
	case c == "none":
		return "", true
	case s.Format == dataset.Parquet && (c == "snappy" || c == "brotli" || c == "lz4_raw"):
		return c, true
	}
	return "", false
}

// column finds the one that names files or folders.
func (d *Delivery) column() (string, error) {
	name := byColumn(d.sink.Naming)
	at := schema.Struct{Fields: d.columns}.Lookup(name)
	if at < 0 {
		return "", diag.New(diag.FlowColumn, "sink %s: found no column %s, want the one that names its files", d.sink.Name, diag.Quote(name)).In(d.sink.At).
			Hinted("add it in a derive before the sink")
	}
	if c := d.columns[at]; c.Type != schema.String {
		return "", diag.New(diag.FlowType, "sink %s: found %s in column %s, want string: it names files", d.sink.Name, c.Type, diag.Quote(c.Name)).In(d.sink.At).
			Hinted("cast it in a derive before the sink: toString(%s)", c.Name)
	}
	return d.columns[at].Name, nil
}

// named is the path in the output of a file whose rows have a value in the column that
// names it. Values are paths below the container, and lead into the folder of the sink.
func (d *Delivery) named(value *string, usual string) (string, error) {
	file := d.sink.Naming.FileColumn != ""
	if value == nil {
		return "", d.strange("found rows without a value, want the path of their file below the container", "fill it in a derive before the sink: iifNull(…)")
	}
	if why := unsafe(*value); why != "" {
		return "", d.strange("found "+diag.Quote(*value)+", "+why, "make it a path below the container, such as "+diag.Quote(path.Join(d.sink.Folder, "day", "a.csv")))
	}
	inside := *value
	if d.sink.Folder != "" {
		var ok bool
		if inside, ok = strings.CutPrefix(*value+"/", d.sink.Folder+"/"); !ok {
			return "", d.strange("found "+diag.Quote(*value)+", which is not in the folder of the sink, "+diag.Quote(d.sink.Folder), "let values begin with the folder, or clear the folder of the sink")
		}
		inside = strings.TrimSuffix(inside, "/")
	}
	switch {
	case !file:
		return path.Join(inside, usual), nil
	case inside == "":
		return "", d.strange("found "+diag.Quote(*value)+", which is the folder of the sink, want a file in it", "add the name of a file")
	}
	return inside, nil
}

func (d *Delivery) strange(what, hint string) error {
	return diag.New(diag.FlowInput, "sink %s: column %s: %s", d.sink.Name, diag.Quote(byColumn(d.sink.Naming)), what).In(d.sink.At).Hinted("%s", hint)
}

// unsafe tells why a path may not name a file, "" if it may.
func unsafe(name string) string {
	if strings.ContainsAny(name, "\\\x00") {
		return "which has a backslash or NUL"
	}
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "":
			return "which begins or ends with a slash, or has two in a row"
		case part == "." || part == "..":
			return "which leads out of its folder"
		case part == recordFolder || strings.HasPrefix(part, stagePrefix) || part == "_delta_log":
			return "which is a name of ours or of a table's log"
		}
	}
	return ""
}

// apart refuses a name that is a file and a folder.
func (d *Delivery) apart(names []string) error {
	files := map[string]bool{}
	for _, name := range names {
		files[name] = true
	}
	for _, name := range names {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if files[dir] {
				return d.strange("found "+diag.Quote(dir)+" and "+diag.Quote(name)+", of which one is a file in the other", "give files names that no folder has")
			}
		}
	}
	return nil
}
