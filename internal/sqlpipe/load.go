package sqlpipe

import (
	"regexp"
	"slices"
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
	l := &loader{options: o, pipeline: &Pipeline{}}
	for _, f := range files {
		if strings.HasSuffix(f.Name, ".py") {
			l.problems.Add(pythonFile(f))
			continue
		}
		l.file(f)
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
	return l.pipeline, l.problems.Err()
}

type loader struct {
	options  Options
	pipeline *Pipeline
	problems diag.List
	// flows are those of CREATE FLOW, which name their table.
	flows []namedFlow
}

// namedFlow is a flow that was written apart from its table.
type namedFlow struct {
	Flow
	table []sparksql.Ident
}

var (
	cellMark = regexp.MustCompile(`(?m)^[ \t]*-- COMMAND -+[ \t]*$`)
	marker   = regexp.MustCompile(`\$\{([A-Za-z0-9_.-]+)\}`)
	template = regexp.MustCompile(`\{\{.*?\}\}`)
)

// file reads the statements of one file. Those of a notebook end with their cell.
func (l *loader) file(t Text) {
	var edits []sparksql.Edit
	plain := sparksql.NewFile(t.Name, t.Text)
	for _, m := range cellMark.FindAllStringIndex(t.Text, -1) {
		edits = append(edits, sparksql.Edit{Range: at(m[0], m[1]), Text: ";"})
	}
	if m := template.FindStringIndex(t.Text); m != nil {
		l.problems.Add(plain.Problem(diag.SQLRefused, sparksql.Pos(m[0]), "found the template %s, want SQL", diag.Quote(t.Text[m[0]:m[1]])).
			Hinted("let the tool of the template write the file first, or use a parameter: ${name}"))
		return
	}
	for _, m := range marker.FindAllStringSubmatchIndex(t.Text, -1) {
		key := t.Text[m[2]:m[3]]
		v, ok := l.options.Params[key]
		if !ok {
			l.problems.Add(plain.Problem(diag.SQLName, sparksql.Pos(m[0]), "parameter %s: there is none of that name", key).
				Hinted("give it under parameters: of the pipeline, or by --param %s=…", key))
		}
		edits = append(edits, sparksql.Edit{Range: at(m[0], m[1]), Text: v})
	}
	slices.SortFunc(edits, func(a, b sparksql.Edit) int { return int(a.At - b.At) })
	f := sparksql.NewFile(t.Name, t.Text, edits...)
	tokens, err := sparksql.Lex(f)
	if err != nil {
		l.problems.Merge(err)
		return
	}
	for _, s := range statements(tokens) {
		p := &parser{loader: l, file: f, tokens: s}
		p.statement()
	}
}

func at(from, to int) sparksql.Range {
	return sparksql.Range{At: sparksql.Pos(from), End: sparksql.Pos(to)}
}

// statements cuts tokens at semicolons; empty ones are left out.
func statements(tokens []sparksql.Token) [][]sparksql.Token {
	var out [][]sparksql.Token
	begun := 0
	for i, t := range tokens {
		if t.Kind != sparksql.End && !t.Is(";") {
			continue
		}
		if i > begun {
			out = append(out, tokens[begun:i:i])
		}
		begun = i + 1
	}
	return out
}

// note tells a person something.
func (l *loader) note(f *sparksql.File, at sparksql.Pos, text string) {
	l.pipeline.Notes = append(l.pipeline.Notes, Note{At: f.Place(at), Text: text})
}
