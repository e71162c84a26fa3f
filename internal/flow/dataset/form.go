package dataset

import (
	"slices"
	"strings"
	"unicode/utf8"

	"landfall/internal/diag"
)

// formats are those that run.
func formats() []Format { return []Format{Parquet, Delimited, JSON, Delta} }

// format is the form of the files of a stream; known is false where there is none that
// runs, which is told once.
func (r *reader) format() (f Format, known bool) {
	word := r.text("format")
	var words []string
	for _, f := range formats() {
		if f.String() == word {
			return f, true
		}
		words = append(words, f.String())
	}
	if r.told["format"] {
		return Parquet, false
	}
	r.told["format"] = true
	r.unformed(word, words)
	return Parquet, false
}

// unformed tells of a form that does not run, or of none.
func (r *reader) unformed(word string, words []string) {
	want := strings.Join(words, ", ")
	near := diag.Nearest(word, words)
	switch {
	case word == "" && r.set.missing != "":
		r.tell(diag.FlowPlace, "format", "export the factory whole, or write the form into the script: format: 'parquet'",
			"found dataset %s in the resource, which is not beside the flow", diag.Quote(r.set.missing))
	case word == "":
		r.tell(diag.FlowPlace, "format", "write it into the script: format: 'parquet'; or run the resource, beside whose folder its datasets are", "found no format, want one of %s", want)
	case near != "" && !slices.Contains([]string{"avro", "orc", "xml", "excel"}, word):
		r.tell(diag.FlowName, "format", "did you mean "+near+"?", "found format %s, want one of %s", diag.Quote(word), want)
	default:
		of := ""
		if store := r.text("store"); store != "" {
			of = " of store " + diag.Quote(store)
		}
		r.tell(diag.FlowRefused, "format", "copy the rows from there to Parquet, JSON or delimited text before, or from those afterwards",
			"found format %s%s, which does not run here; those that do are %s", diag.Quote(word), of, want)
	}
}

// location is the place of a stream of a format.
func (r *reader) location(f Format) Location {
	l := Location{Service: r.set.service, Container: r.text("fileSystem")}
	if c := r.text("container"); c != "" {
		l.Container = c
	}
	if strings.ContainsAny(l.Container, `/\`) || l.Container == "." || l.Container == ".." {
		name := "fileSystem"
		if r.find("container") != nil {
			name = "container"
		}
		r.tell(diag.FlowInput, name, "put the folders into folderPath", "%s: found %s, want the name of a container", name, diag.Quote(l.Container))
	}
	l.Folder, l.File = r.below("folderPath", r.text("folderPath")), r.below("fileName", r.text("fileName"))
	if f == Delta && l.File != "" {
		r.tell(diag.FlowRefused, "fileName", "name the folder of the table: folderPath", "found fileName %s, and a table is a folder", diag.Quote(l.File))
	}
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
	t.MaxColumns = r.number("maxColumns")
	for _, name := range []string{"quoteChar", "escapeChar"} {
		if utf8.RuneCountInString(r.text(name)) > 1 {
			r.tell(diag.FlowType, name, "write one character", "%s: found %s, want one character", name, r.shown(name))
		}
	}
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
		r.tell(diag.FlowName, "documentForm", hint, "found documentForm %s, want a form of documents", diag.Quote(word))
	}
	return d
}

// compressed is the setting that says how files are compressed.
func (r *reader) compressed() string {
	if r.find("compressionType") == nil {
		return "compressionCodec"
	}
	return "compressionType"
}

// compression is a codec in lower case; "" for the usual one of a format.
func (r *reader) compression() string { return strings.ToLower(r.text(r.compressed())) }
