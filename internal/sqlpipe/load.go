package sqlpipe

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"sort"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/sparksql"
)

// Text is a file of a pipeline.
type Text struct{ Name, Text string }

// Options are what the outside knows of a pipeline.
type Options struct {
	// Params are the values of ${key} and :key.
	Params map[string]string
	// Outside tells whether there is a table of a name beside the pipeline's own.
	Outside func(name []string) bool
	// Names are the names of tables outside, for suggestions.
	Names []string
}

// Parse reads the files of a pipeline, and puts its datasets in order. The error is a
// diag.List or *diag.Diagnostic with all that is wrong in all files.
func Parse(files []Text, o Options) (*Pipeline, error) {
	l := &loader{options: o, pipeline: &Pipeline{}, broken: map[string]bool{}, fed: map[string]bool{}, lives: map[*sparksql.File]bool{}}
	for _, f := range files {
		switch {
		case strings.HasSuffix(f.Name, ".py"):
			l.problems.Add(pythonFile(f))
			l.unread = true
		case strings.HasSuffix(f.Name, ".ipynb"):
			l.problems.Add(diag.New(diag.SQLRefused, "found a notebook as JSON, want SQL").In(diag.Place{File: f.Name, Line: 1, Column: 1}).
				Hinted("export the notebook as a source file, with cells between -- COMMAND ----------"))
			l.unread = true
		default:
			l.file(f)
		}
	}
	l.attach()
	if len(l.problems) == 0 && len(l.pipeline.Datasets) == 0 {
		name := ""
		if len(files) > 0 {
			name = files[0].Name
		}
		l.problems.Add(diag.New(diag.PipelineGraph, "found no dataset, want at least one").In(diag.Place{File: name}).
			Hinted("begin with CREATE OR REFRESH STREAMING TABLE silver AS SELECT * FROM STREAM(bronze)"))
	}
	l.order()
	l.sortNotes(files)
	return l.pipeline, l.problems.Err()
}

// unknownValue stands in the place of a parameter that nobody gave, so that the rest of the
// statement can be read.
const unknownValue = "unknown_parameter"

type loader struct {
	options  Options
	pipeline *Pipeline
	problems diag.List
	// flows are those of CREATE FLOW, which name their table.
	flows []namedFlow
	// broken are names of datasets whose statements cannot be read, fed those of tables
	// whose flow is refused: nobody is told of what follows from that alone.
	broken, fed map[string]bool
	// unread tells that a file, or a part of one, says nothing because it cannot be read.
	unread bool
	// lives are the files in which LIVE was noted.
	lives map[*sparksql.File]bool
}

// namedFlow is a flow that was written apart from its table.
type namedFlow struct {
	Flow
	table []sparksql.Ident
}

var (
	cellMark = regexp.MustCompile(`(?m)^[ \t]*--[ \t]*COMMAND[ \t]+-+[ \t\r]*$`)
	marker   = regexp.MustCompile(`\$\{([A-Za-z0-9_.-]+)\}`)
	template = regexp.MustCompile(`\{\{.*?\}\}|\{%.*?%\}`)
	// magicPython is a table that a cell of a SQL notebook makes in Python.
	magicPython = regexp.MustCompile(`(?m)^[ \t]*-- MAGIC +@(?:dlt|dp)\.`)
)

// file reads the statements of one file. Those of a notebook end with their cell.
func (l *loader) file(t Text) {
	plain := sparksql.NewFile(t.Name, t.Text)
	tokens, _ := sparksql.Lex(plain) // what is wrong is told of the edited text
	code := codeOf(tokens)
	var edits []sparksql.Edit
	for _, m := range cellMark.FindAllStringIndex(t.Text, -1) {
		if !code(m[0]) {
			edits = append(edits, sparksql.Edit{Range: at(m[0], m[1]), Text: ";"})
		}
	}
	for _, m := range template.FindAllStringIndex(t.Text, -1) {
		if code(m[0]) {
			l.problems.Add(plain.Problem(diag.SQLRefused, sparksql.Pos(m[0]), "found the template %s, want SQL", diag.Quote(t.Text[m[0]:m[1]])).
				Hinted("let the tool of the template write the file first, or use a parameter: ${name}"))
			l.unread = true
			return
		}
	}
	for _, m := range marker.FindAllStringSubmatchIndex(t.Text, -1) {
		key := t.Text[m[2]:m[3]]
		v, ok := l.options.Params[key]
		switch {
		case !code(m[0]):
			continue
		case !ok:
			l.problems.Add(unknownParam(plain, sparksql.Pos(m[0]), key))
			v = unknownValue
		}
		edits = append(edits, sparksql.Edit{Range: at(m[0], m[1]), Text: v})
	}
	for _, m := range magicPython.FindAllStringIndex(t.Text, -1) {
		l.note(plain, sparksql.Pos(m[0]), "Python in a cell is passed over: write its table as SQL")
	}
	slices.SortFunc(edits, func(a, b sparksql.Edit) int { return int(a.At - b.At) })
	l.statements(sparksql.NewFile(t.Name, t.Text, edits...))
}

// codeOf tells whether a byte of a text is a part of a token, and not of a comment.
func codeOf(tokens []sparksql.Token) func(at int) bool {
	return func(at int) bool {
		i := sort.Search(len(tokens), func(i int) bool { return int(tokens[i].End) > at })
		return i < len(tokens) && int(tokens[i].At) <= at
	}
}

// statements reads the statements of a text. Where characters cannot be read, those that
// end before them are read all the same.
func (l *loader) statements(f *sparksql.File) {
	tokens, err := sparksql.Lex(f)
	readable := func(sparksql.Pos) bool { return true }
	if err != nil {
		first := firstPlace(err)
		readable = func(end sparksql.Pos) bool { return before(f.Place(end), first) }
		l.merged(err)
		l.unread = true
	}
	for _, s := range l.cut(f, tokens) {
		if readable(s[len(s)-1].End) {
			p := &parser{loader: l, file: f, Cursor: sparksql.Cursor{Tokens: s}}
			p.statement()
		}
	}
}

// firstPlace is where the first of some problems is.
func firstPlace(err error) diag.Place {
	var list diag.List
	var d *diag.Diagnostic
	switch {
	case errors.As(err, &list):
		first := list[0].At
		for _, d := range list[1:] {
			if before(d.At, first) {
				first = d.At
			}
		}
		return first
	case errors.As(err, &d):
		return d.At
	}
	return diag.Place{}
}

func before(a, b diag.Place) bool { return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column }

func at(from, to int) sparksql.Range {
	return sparksql.Range{At: sparksql.Pos(from), End: sparksql.Pos(to)}
}

// cut cuts tokens at semicolons; empty statements are left out. Where one begins behind
// another without a semicolon, both are read.
func (l *loader) cut(f *sparksql.File, tokens []sparksql.Token) [][]sparksql.Token {
	var out [][]sparksql.Token
	begun, depth := 0, 0
	for i, t := range tokens {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case i > begun && depth == 0 && begins(tokens[i:]):
			l.problems.Add(f.Problem(diag.SQLSyntax, t.At, "found %s, want ; before it", t.Describe()).Hinted("end the statement before it with ;"))
			out = append(out, tokens[begun:i:i])
			begun = i
		case t.Kind == sparksql.End || t.Is(";"):
			if i > begun {
				out = append(out, tokens[begun:i:i])
			}
			begun, depth = i+1, 0
		}
	}
	return out
}

// begins tells the first words of a statement, which stand in no query.
func begins(tokens []sparksql.Token) bool {
	return len(tokens) > 1 && tokens[0].Is("CREATE") && tokens[1].Is("OR", "STREAMING", "MATERIALIZED", "LIVE", "INCREMENTAL", "PRIVATE", "TEMPORARY", "VIEW", "FLOW")
}

// sortNotes puts notes in the order of their places.
func (l *loader) sortNotes(files []Text) {
	rank := map[string]int{}
	for i, f := range files {
		rank[f.Name] = i
	}
	slices.SortStableFunc(l.pipeline.Notes, func(a, b Note) int {
		return cmp.Or(rank[a.At.File]-rank[b.At.File], cmp.Compare(a.At.Line, b.At.Line), a.At.Column-b.At.Column)
	})
}

// note tells a person something.
func (l *loader) note(f *sparksql.File, at sparksql.Pos, text string) {
	l.pipeline.Notes = append(l.pipeline.Notes, Note{At: f.Place(at), Text: text})
}
