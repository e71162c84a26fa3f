package dataset

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
)

// format is the form of the files of a stream.
func (r *reader) format() Format {
	word := r.text("format")
	formats := []Format{Parquet, Delimited, JSON, Delta}
	var words []string
	for _, f := range formats {
		if f.String() == word {
			return f
		}
		words = append(words, f.String())
	}
	want := strings.Join(words, ", ")
	switch word {
	case "":
		r.add(diag.FlowPlace, r.st.Output.At, "write it into the script: format: 'parquet'; or run the resource, beside whose folder its datasets are", "found no format, want one of %s", want)
	case "avro", "orc", "xml", "excel", "cdm", "table", "query", "document", "inline", "rest":
		r.add(diag.FlowRefused, r.at("format"), "copy what it reads to Parquet, JSON or delimited text before", "found format %s, which does not run here; those that do are %s", diag.Quote(word), want)
	default:
		hint := "write one of " + want
		if near := diag.Nearest(word, words); near != "" {
			hint = "did you mean " + near + "?"
		}
		r.add(diag.FlowName, r.at("format"), hint, "found format %s, want one of %s", diag.Quote(word), want)
	}
	return Parquet
}

// location is the place of a stream.
func (r *reader) location() Location {
	l := Location{Service: r.set.service, Container: r.text("fileSystem")}
	if c := r.text("container"); c != "" {
		l.Container = c
	}
	l.Folder, l.File = r.below("folderPath", r.text("folderPath")), r.below("fileName", r.text("fileName"))
	return l
}

// dialect is how text is cut, with what the service takes where nothing is said.
func (r *reader) dialect() Text {
	t := Text{Delimiter: ",", Quote: `"`, Escape: `\`, RowDelimiter: r.text("rowDelimiter"), Null: r.text("nullValue"), Encoding: r.text("encoding")}
	if r.option("columnDelimiter") != nil {
		t.Delimiter = r.text("columnDelimiter")
	}
	if r.option("quoteChar") != nil {
		t.Quote = r.text("quoteChar")
	}
	if r.option("escapeChar") != nil {
		t.Escape = r.text("escapeChar")
	}
	t.Header, t.MultiLine = r.truth("columnNamesAsHeader"), r.truth("multiLineRow")
	t.MaxColumns = int(r.number("maxColumns"))
	return t
}

// documents is how JSON holds rows.
func (r *reader) documents() Documents {
	words := map[string]Documents{"documentPerLine": Lines, "arrayOfDocuments": Array, "singleDocument": Single}
	word := r.text("documentForm")
	if word == "" {
		if r.truth("singleDocument") {
			return Single
		}
		return Lines
	}
	d, ok := words[word]
	if !ok {
		hint := "write documentPerLine, arrayOfDocuments or singleDocument"
		if near := diag.Nearest(word, []string{"documentPerLine", "arrayOfDocuments", "singleDocument"}); near != "" {
			hint = "did you mean " + near + "?"
		}
		r.add(diag.FlowName, r.at("documentForm"), hint, "found documentForm %s, want a form of documents", diag.Quote(word))
	}
	return d
}

// compression is a codec in lower case; "" for the usual one of a format.
func (r *reader) compression() string {
	name := "compressionType"
	if r.option(name) == nil {
		name = "compressionCodec"
	}
	return strings.ToLower(r.text(name))
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
		r.add(diag.FlowRefused, values[0].Pos(), "kinds are hash, roundRobin, key", "found partitionBy %s, which does not run here", diag.Quote(kind))
		return Partition{}
	}
	n, isNumber := r.of(values[1]).(int64)
	if !isNumber || n < 0 || n > 10_000 {
		r.add(diag.FlowType, values[1].Pos(), "as in partitionBy('hash', 1)", "found %s partitions, want a number up to 10000", diag.Quote(syntax.FormatExpr(values[1])))
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
