package dataset

import (
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
)

// sink reads a sink. One of a form that is refused is left at that.
func (r *reader) sink() Sink {
	s := Sink{Name: r.st.Output.Text, At: r.flow.File.Place(r.st.At)}
	if s.Cache = r.text("store") == "cache"; s.Cache {
		r.option("format")
		r.option("keys") // who binds the script reads them
		s.Notes = r.rest("a cache")
		return s
	}
	delete(r.read, "store") // any other has no effect
	if !r.describe() {
		return s
	}
	var known bool
	if s.Format, known = r.format(); !known {
		return s
	}
	s.Location = r.location(s.Format)
	s.Partition = r.partition()
	switch s.Format {
	case Delta:
		r.table(&s)
	case Delimited:
		r.written(&s)
		r.layout(&s)
	case JSON:
		r.written(&s)
		s.Documents = r.documents()
		s.Text.Encoding = r.text("encoding")
	case Parquet:
		r.written(&s)
	}
	r.rowActions()
	r.refused(false)
	s.Notes = r.rest(s.Format.String())
	return s
}

// written reads what files of a sink are called, and how they are compressed.
func (r *reader) written(s *Sink) {
	s.Truncate = r.truth("truncate")
	s.Naming = r.naming(s.Partition)
	s.Compression = r.compression()
}

// layout reads how text of a sink is put together.
func (r *reader) layout(s *Sink) {
	s.Text = r.dialect()
	s.QuoteAll = r.truth("quoteAll")
	s.HeaderLines = r.texts("header")
	const most = 10_000 // more would be no header
	if s.EmptyLines = r.number("emptyLinesAsHeader"); s.EmptyLines > most {
		r.tell(diag.FlowType, "emptyLinesAsHeader", "write fewer", "found %d empty lines, want at most %d", s.EmptyLines, most)
	}
	if s.Text.Delimiter == "" {
		r.tell(diag.FlowInput, "columnDelimiter", "as in columnDelimiter: ','", "found no columnDelimiter, and a sink has to have one (DF-Delimited-ColumnDelimiterMissed)")
	}
	if s.Text.Quote == "" && s.Text.Escape == "" {
		r.tell(diag.FlowInput, "quoteChar", `as in quoteChar: '"'`, "found neither quoteChar nor escapeChar, want one: values may hold the delimiter (DF-CSVWriter-InvalidQuoteSetting)")
	}
}

// table reads what a Delta sink does to its table.
func (r *reader) table(s *Sink) {
	s.MergeSchema = r.truth("mergeSchema")
	over, cut := r.truth("overwrite"), r.truth("deltaTruncate")
	switch {
	case over && cut:
		r.tell(diag.FlowInput, "deltaTruncate", "keep one of them", "found overwrite and deltaTruncate, want one (DF-DELTA-InvalidTableOperationSettings)")
	case over:
		s.Change = Overwrite
	case cut:
		s.Change = Truncate
	}
}

// rowActions refuses all but inserting.
func (r *reader) rowActions() {
	keys := r.texts("keys")
	for _, name := range []string{"updateable", "upsertable", "deletable"} {
		if !r.truth(name) {
			continue
		}
		if r.option("keys") == nil || keys != nil && len(keys) == 0 {
			r.tell(diag.FlowInput, name, "say which columns tell rows apart: keys: ['id']", "found %s: true without keys (DF-DELTA-KeyColumnMissed)", name)
			continue
		}
		r.tell(diag.FlowRefused, name, "insert rows alone: insertable: true, and the others false", "found %s: true, and rows are only inserted here", name)
	}
	if r.option("insertable") != nil && !r.truth("insertable") {
		r.tell(diag.FlowRefused, "insertable", "let rows be inserted: insertable: true", "found insertable: false, and rows are only inserted here")
	}
}

// namings are the settings that name files; a sink has one of them.
func namings() []string {
	return []string{"filePattern", "partitionFileNames", "rowUrlColumn", "rowFolderUrlColumn"}
}

// naming reads what files are called.
func (r *reader) naming(p Partition) Naming {
	n := Naming{FileColumn: r.text("rowUrlColumn"), FolderColumn: r.text("rowFolderUrlColumn")}
	var given []string
	for _, name := range namings() {
		if weighs(r.get(name)) {
			given = append(given, name)
		}
	}
	if len(given) > 1 {
		r.tell(diag.FlowInput, given[1], "keep one of them", "found %s, want one way to name files", strings.Join(given, " and "))
	}
	if n.Pattern = r.text("filePattern"); n.Pattern != "" && !strings.Contains(n.Pattern, "[n]") {
		r.tell(diag.FlowInput, "filePattern", "as in filePattern: 'out[n].parquet'; one file has a name by partitionFileNames: ['out.parquet']", "found filePattern %s without [n]", diag.Quote(n.Pattern))
	}
	n.Pattern = r.below("filePattern", n.Pattern)
	n.Files = r.names(p)
	return n
}

// names are those of the files of partitions.
func (r *reader) names(p Partition) []string {
	const name = "partitionFileNames"
	var out []string
	given := r.texts(name)
	for _, text := range given {
		switch clean := r.below(name, text); {
		case strings.Trim(text, "/ ") == "":
			r.tell(diag.FlowInput, name, "give each partition a name", "found an empty name in partitionFileNames (DF-Executor-InvalidPartitionFileNames)")
		case clean != "" && slices.Contains(out, clean):
			r.tell(diag.FlowInput, name, "give each partition a name of its own", "found %s a second time in partitionFileNames", diag.Quote(clean))
		default:
			out = append(out, clean)
		}
	}
	switch k := len(given); {
	case k == 0 || p.Kind == ByKey || p.Count == k:
	case k == 1 && p.Count == 0: // rows go to one file if nothing is said
	case p.Count == 0:
		r.tell(diag.FlowInput, name, "as in partitionBy('roundRobin', 2)", "found %d names in partitionFileNames and no number of partitions, want as many", k)
	default:
		r.tell(diag.FlowInput, name, "write as many names as partitionBy has partitions", "found %d names in partitionFileNames and %d partitions, want as many", k, p.Count)
	}
	return out
}

// partition reads partitionBy of a sink.
func (r *reader) partition() Partition {
	var p Partition
	for _, a := range r.st.Args.List {
		if c, ok := a.Node.(*syntax.Clause); ok && c.Name.Text == "partitionBy" {
			p = r.partitionBy(c)
		}
	}
	return p
}

func (r *reader) partitionBy(c *syntax.Clause) Partition {
	var values []syntax.Expr
	for _, a := range c.Args.List {
		if v, ok := a.Node.(*syntax.Value); ok {
			values = append(values, v.X)
		}
	}
	if len(values) < 2 {
		r.add(diag.FlowSyntax, c.Name.At, "as in partitionBy('hash', 1)", "found partitionBy with %d arguments, want a kind and a number", len(values))
		return Partition{}
	}
	kind, _ := r.of(values[0]).(string)
	kinds := map[string]PartitionKind{"hash": Hash, "roundRobin": RoundRobin, "key": ByKey, "external": Current}
	k, ok := kinds[kind]
	if !ok {
		r.add(diag.FlowRefused, values[0].Pos(), "kinds are hash, roundRobin, key", "found partitionBy %s, which does not run here", diag.Quote(syntax.FormatExpr(values[0])))
		return Partition{}
	}
	n, isNumber := r.of(values[1]).(int64)
	if !isNumber || n < 0 || n > 10_000 {
		r.add(diag.FlowType, values[1].Pos(), "as in partitionBy('hash', 1)", "found %s partitions, want a number up to 10000", diag.Quote(syntax.FormatExpr(values[1])))
		n = 0
	}
	p := Partition{Kind: k, Count: int(n)}
	for _, x := range values[2:] {
		p.Columns = append(p.Columns, r.column(x))
	}
	if k == ByKey && len(p.Columns) == 0 {
		r.add(diag.FlowSyntax, c.Name.At, "as in partitionBy('key', 0, region)", "found partitionBy('key') without columns")
	}
	return p
}

// column is the name of a column that rows are dealt by: x, or byName('x').
func (r *reader) column(x syntax.Expr) string {
	switch x := x.(type) {
	case *syntax.Column:
		return x.Name.Text
	case *syntax.Call:
		if x.Name.Text == "byName" && len(x.Args) == 1 {
			if name, ok := r.of(x.Args[0]).(string); ok {
				return name
			}
		}
	}
	r.add(diag.FlowRefused, x.Pos(), "derive a column of it before, and name that", "found %s in partitionBy, want the name of a column", diag.Quote(syntax.FormatExpr(x)))
	return ""
}
