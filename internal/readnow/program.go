package readnow

import (
	"fmt"
	"slices"
	"strings"

	"landfall/internal/inspect"
	"landfall/internal/report"
)

// writer writes one program.
type writer struct {
	r *inspect.Report
	o Options
	choice
	root    root
	columns []column
	// keys are the partition columns that the paths of all files give.
	keys []string
}

func (w writer) program(paths []string) string {
	mark := "# "
	if w.o.Reader == "duckdb" {
		mark = "-- "
	}
	var b strings.Builder
	for _, line := range w.said() {
		b.WriteString(strings.TrimRight(mark+report.Clean(line), " ") + "\n")
	}
	switch w.o.Reader {
	case "spark":
		w.spark(&b, paths)
	case "pyarrow":
		w.pyarrow(&b, paths)
	case "polars":
		w.polars(&b, paths)
	default:
		w.duckdb(&b, paths)
	}
	return b.String()
}

// mostLeft bounds how many files of one kind the comments name.
const mostLeft = 20

// said is what the comments say: what is read, why, and what is left out.
func (w writer) said() []string {
	all := w.r.Files + len(w.r.Unreadable) + len(w.r.Changed)
	out := []string{
		"Reads what can be read safely of " + w.root.of() + ":",
		fmt.Sprintf("%s of %d, %s of %s.", report.Plural(int64(len(w.files)), "file"), all, report.Plural(w.rows, "row"), report.Count(w.r.Rows)),
	}
	out = append(out, w.why())
	if len(w.alike) > 1 {
		out = append(out, "They differ in the order of their columns or in what may be null, which no reader minds.")
	}
	out = append(out, "The schema is that of the files, and nothing is cast.")
	if why := w.unpartitioned(); why != "" {
		out = append(out, why)
	}
	for _, c := range w.columns {
		note := rawNote(c)
		switch {
		case w.o.Reader == "spark" && note != "":
			out = append(out, fmt.Sprintf("Spark has no type for %s: it gets %s.", c.name, note))
		case w.o.Reader == "polars" && c.has("map"):
			out = append(out, fmt.Sprintf("Polars has no maps: in %s it gets lists of key and value.", c.name))
		}
	}
	if w.o.Reader != "spark" && slices.ContainsFunc(w.files, func(f inspect.File) bool { return f.Legacy }) {
		out = append(out, "Some files may have days before 1582-10-15 in the old calendar, from which Spark alone converts.")
	}
	left := w.left()
	if len(left) == 0 {
		return append(out, "Nothing is left out.")
	}
	return append(append(out, "Left out:"), left...)
}

// why says which groups are read.
func (w writer) why() string {
	ids := make([]string, len(w.alike))
	for i, id := range w.alike {
		ids[i] = fmt.Sprint(id)
	}
	what := "Read is group " + ids[0]
	if n := len(ids) - 1; n > 0 {
		what = "Read are groups " + strings.Join(ids[:n], ", ") + " and " + ids[n]
	}
	switch {
	case w.asked:
		return what + ", as was asked."
	case len(w.alike) == len(w.r.Groups):
		return what + ": there are no others."
	}
	return what + ", with most rows; --group takes another."
}

// left says what is not read, and why.
func (w writer) left() []string {
	var out []string
	for _, g := range w.r.Groups {
		if !slices.Contains(w.alike, g.ID) {
			out = append(out, fmt.Sprintf("  group %d, %s, %s, such as %s: %s", g.ID,
				report.Plural(int64(g.Files), "file"), report.Plural(g.Rows, "row"), g.Example, differ(g.Schema, w.group.Schema)))
		}
	}
	var bad []string
	for _, u := range w.r.Unreadable {
		bad = append(bad, "  "+u.Path+": "+u.Message)
	}
	for _, path := range w.r.Changed {
		bad = append(bad, "  "+path+": it changed while the folder was inspected")
	}
	if more := len(bad) - mostLeft; more > 0 {
		bad = append(bad[:mostLeft], fmt.Sprintf("  … and %d more that cannot be read", more))
	}
	out = append(out, bad...)
	var others []string
	for _, o := range w.r.Others {
		if o.Kind != "hidden" && o.Kind != "marker" {
			others = append(others, "  "+o.Path+": "+o.Kind)
		}
	}
	if more := len(others) - mostLeft; more > 0 {
		others = append(others[:mostLeft], fmt.Sprintf("  … and %d more files that are not named as Parquet", more))
	}
	return append(out, others...)
}

// mostDiffering bounds how many columns of a group are said to differ.
const mostDiffering = 5

// differ says in which columns a schema differs from the one that is read.
func differ(other, read []inspect.Node) string {
	in := func(nodes []inspect.Node) map[string]inspect.Node {
		out := map[string]inspect.Node{}
		for _, n := range nodes {
			out[n.Path] = n
		}
		return out
	}
	had, have := in(other), in(read)
	var out []string
	for _, n := range other {
		is, ok := have[n.Path]
		switch {
		case !ok:
			out = append(out, "has "+n.Path)
		case is.Type != n.Type:
			out = append(out, fmt.Sprintf("%s is %s, read is %s", n.Path, n.Type, is.Type))
		case is.Stored != n.Stored:
			out = append(out, fmt.Sprintf("%s is stored as %s, read is %s", n.Path, n.Stored, is.Stored))
		}
	}
	for _, n := range read {
		if _, ok := had[n.Path]; !ok {
			out = append(out, "lacks "+n.Path)
		}
	}
	if more := len(out) - mostDiffering; more > 0 {
		out = append(out[:mostDiffering], fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, "; ")
}

// list writes the paths as a list in the program, or where it comes from.
func (w writer) list(b *strings.Builder, paths []string) {
	if w.o.List != "" {
		fmt.Fprintf(b, "with open(%s, encoding=\"utf-8\") as listed:\n    paths = json.load(listed)\n", quoted(w.o.List))
		return
	}
	b.WriteString("paths = [\n")
	for _, p := range paths {
		fmt.Fprintf(b, "    %s,\n", quoted(p))
	}
	b.WriteString("]\n")
}

// imports begins a program of Python.
func (w writer) imports(b *strings.Builder, lines ...string) {
	if w.o.List != "" {
		b.WriteString("import json\n\n")
	}
	b.WriteString(strings.Join(lines, "\n") + "\n\n")
}

// fields are the columns with their types, and the partition columns as text.
func (w writer) fields(s speller, textType string) (names, types []string) {
	for _, c := range w.columns {
		names, types = append(names, c.name), append(types, s.of(c))
	}
	for _, k := range w.partitions() {
		names, types = append(names, k), append(types, textType)
	}
	return names, types
}

// partitions are the partition columns, none if the files themselves have a column of
// the name of one: readers disagree on which of the two counts.
func (w writer) partitions() []string {
	for _, k := range w.keys {
		if slices.ContainsFunc(w.columns, func(c column) bool { return strings.EqualFold(c.name, k) }) {
			return nil
		}
	}
	return w.keys
}

// unpartitioned says why partition columns are not read, "" if they are, or are none.
func (w writer) unpartitioned() string {
	switch {
	case len(w.keys) > 0 && len(w.partitions()) == 0:
		return "No column is made of the folders " + strings.Join(w.keys, ", ") + ": the files have one of that name."
	case len(w.keys) == 0 && slices.ContainsFunc(w.files, func(f inspect.File) bool { return len(keysOf([]inspect.File{f})) > 0 }):
		return "No column is made of folders such as name=value: the files do not all lie in the same."
	}
	return ""
}

// block writes names and types a line each.
func block(b *strings.Builder, names, types []string, one func(name, typ string) string) {
	for i := range names {
		b.WriteString("    " + one(names[i], types[i]) + "\n")
	}
}

func (w writer) spark(b *strings.Builder, paths []string) {
	w.imports(b, "from pyspark.sql import SparkSession")
	at := w.root.url
	if w.root.path != "" {
		at = "file://" + w.root.path // Spark takes URLs as they are, and does not unescape them
	}
	names, types := w.fields(sparkTypes(), "string")
	fmt.Fprintf(b, "spark = SparkSession.builder.getOrCreate()\nroot = %s\nschema = \", \".join([\n", quoted(at))
	block(b, names, types, func(n, t string) string { return quoted(backticks(n)+" "+t) + "," })
	b.WriteString("])\n")
	w.list(b, paths)
	b.WriteString("\n\ndef literal(path):\n    \"\"\"A path in which nothing stands for other names.\"\"\"\n" +
		"    return \"\".join(\"\\\\\" + c if c in \"{}[]*?\\\\\" else c for c in path)\n\n\n")
	base := "" // without it the folders of the files give no columns
	if len(w.partitions()) > 0 {
		base = `.option("basePath", root)`
	}
	fmt.Fprintf(b, "df = spark.read.schema(schema)%s.parquet(*[literal(f\"{root}/{p}\") for p in paths])\ndf.show()\n", base)
}

func (w writer) pyarrow(b *strings.Builder, paths []string) {
	w.imports(b, "import pyarrow as pa", "import pyarrow.dataset as ds", "import pyarrow.fs as pafs")
	if w.root.path != "" {
		fmt.Fprintf(b, "filesystem, root = pafs.LocalFileSystem(), %s\n", quoted(w.root.path))
	} else {
		fmt.Fprintf(b, "filesystem, root = pafs.FileSystem.from_uri(%s)\n", quoted(w.root.url))
	}
	names, types := w.fields(arrowTypes(), "pa.string()")
	b.WriteString("schema = pa.schema([\n")
	block(b, names, types, func(n, t string) string { return "(" + quoted(n) + ", " + t + ")," })
	b.WriteString("])\n")
	w.list(b, paths)
	b.WriteString("dataset = ds.dataset(\n    [f\"{root}/{p}\" for p in paths],\n    schema=schema,\n    format=\"parquet\",\n    filesystem=filesystem,\n")
	if keys := w.partitions(); len(keys) > 0 {
		var fields []string
		for _, k := range keys {
			fields = append(fields, "("+quoted(k)+", pa.string())")
		}
		fmt.Fprintf(b, "    partitioning=ds.partitioning(pa.schema([%s]), flavor=\"hive\"),\n    partition_base_dir=root,\n", strings.Join(fields, ", "))
	}
	b.WriteString(")\ntable = dataset.to_table()  # for pandas: table.to_pandas()\nprint(table)\n")
}

func (w writer) polars(b *strings.Builder, paths []string) {
	w.imports(b, "import polars as pl")
	fmt.Fprintf(b, "root = %s\nschema = {\n", quoted(w.root.of()))
	names, types := w.fields(polarsTypes(), "pl.String")
	n := len(w.columns) // partition columns are no part of what files have
	block(b, names[:n], types[:n], func(n, t string) string { return quoted(n) + ": " + t + "," })
	b.WriteString("}\n")
	w.list(b, paths)
	b.WriteString("df = pl.scan_parquet(\n    [f\"{root}/{p}\" for p in paths],\n    schema=schema,\n    glob=False,\n")
	keys := w.partitions()
	above := w.root.keys()
	if len(keys) > 0 {
		all := slices.Concat(above, keys)
		fmt.Fprintf(b, "    hive_partitioning=True,\n    hive_schema={%s},\n",
			joined(all, all, func(n, _ string) string { return quoted(n) + ": pl.String" }))
	} else {
		b.WriteString("    hive_partitioning=False,\n")
	}
	b.WriteString("    # Writers of Arrow keep dictionaries and zones: the same text, the same instants.\n" +
		"    cast_options=pl.ScanCastOptions(categorical_to_string=\"allow\", datetime_cast=\"convert-timezone\"),\n)")
	if len(keys) > 0 && len(above) > 0 { // Polars makes columns of the folders above, too
		fmt.Fprintf(b, ".select(*schema, %s)", joined(keys, keys, func(n, _ string) string { return quoted(n) }))
	}
	b.WriteString(".collect()\nprint(df)\n")
}

func (w writer) duckdb(b *strings.Builder, paths []string) {
	switch scheme, _, _ := strings.Cut(w.root.url, "://"); scheme {
	case "":
	case "abfss", "az":
		b.WriteString("install azure;\nload azure;\n")
	default:
		b.WriteString("install httpfs;\nload httpfs;\n")
	}
	var names []string
	for _, c := range w.columns {
		names = append(names, identifier(c.name))
	}
	options := "hive_partitioning = false"
	if keys := w.partitions(); len(keys) > 0 {
		options = "hive_partitioning = true, hive_types = {" + joined(keys, keys, func(n, _ string) string { return text(n) + ": varchar" }) + "}"
		for _, k := range keys {
			names = append(names, identifier(k))
		}
	}
	from := "getvariable('paths')"
	if w.o.List != "" {
		fmt.Fprintf(b, "set variable paths = (\n    select list(%s || '/' || replace(replace(replace(path, '[', '[[]'), '*', '[*]'), '?', '[?]'))\n    from (select unnest(json::varchar[]) path from read_json_objects(%s, format = 'unstructured'))\n);\n",
			text(literal(w.root.of())), text(literal(w.o.List)))
	} else {
		b.WriteString("set variable paths = [\n")
		for i, p := range paths {
			comma := map[bool]string{true: ",", false: ""}[i < len(paths)-1]
			fmt.Fprintf(b, "    %s%s\n", text(literal(w.root.of()+"/"+p)), comma)
		}
		b.WriteString("];\n")
	}
	fmt.Fprintf(b, "select %s\nfrom read_parquet(%s, %s);\n", strings.Join(names, ", "), from, options)
}

// literal is a path for DuckDB in which nothing stands for other names.
func literal(path string) string {
	return strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]").Replace(path)
}
