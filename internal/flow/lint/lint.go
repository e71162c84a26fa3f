package lint

import (
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/resource"
	"landfall/internal/flow/syntax"
)

// Effect is what comes of a finding when files change.
type Effect string

// Effects, the worst first.
const (
	Fails Effect = "fails" // the run ends with an error
	Loses Effect = "loses" // columns or types are lost without a word
	Note  Effect = "note"  // something to know
)

// Finding is one place of a script.
type Finding struct {
	// Name is the rule's; Rules has all.
	Name   string `json:"name"`
	Effect Effect `json:"effect"`
	// Stream is the transformation, Column a column where one is meant.
	Stream  string     `json:"stream"`
	Column  string     `json:"column,omitempty"`
	At      diag.Place `json:"at"`
	Message string     `json:"message"`
	// Fix says what to change.
	Fix string `json:"fix"`
	// Excerpt is the line that At points into.
	Excerpt string `json:"-"`
}

// Rule is a kind of finding.
type Rule struct {
	Name   string
	Effect Effect
	// Title says it in a line.
	Title string
}

// Rules are all kinds of findings.
func Rules() []Rule {
	return []Rule{
		{"column-reference", Fails, "an expression names a column that no projection has"},
		{"validate-schema", Fails, "a source or sink fails when its columns are not those of its schema"},
		{"bare-byname", Fails, "byName stands without a conversion, which the service refuses"},
		{"parquet-name", Fails, "a column name with white space or a mark may reach a Parquet sink"},
		{"source-drift", Loses, "a source reads only the columns of its projection"},
		{"projected-schema", Loses, "a source does not look at the columns of its files"},
		{"select-rule", Loses, "a select or flatten drops columns that no rule matches"},
		{"sink-mapping", Loses, "a sink writes fixed columns alone"},
		{"sink-drift", Loses, "a sink does not allow drift"},
		{"string-drift", Loses, "drifted columns arrive as text"},
		{"int96", Note, "a Parquet source may hold timestamps that the service does not read"},
	}
}

// Run looks at one flow. The findings are in the order of the script.
func Run(f *resource.Flow, s *syntax.Script) []Finding {
	l := &linter{flow: f, script: s, streams: map[string]*syntax.Statement{}, known: map[string]columns{}, busy: map[string]bool{}, effects: map[string]Effect{}}
	for _, r := range Rules() {
		l.effects[r.Name] = r.Effect
	}
	for _, st := range s.Statements {
		l.streams[st.Output.Text] = st
	}
	for _, st := range s.Statements {
		l.statement(st)
	}
	slices.SortStableFunc(l.found, func(a, b Finding) int {
		if a.At.Line != b.At.Line {
			return int(a.At.Line - b.At.Line)
		}
		return a.At.Column - b.At.Column
	})
	return l.found
}

type linter struct {
	flow    *resource.Flow
	script  *syntax.Script
	streams map[string]*syntax.Statement
	effects map[string]Effect
	// known are the columns of streams that were worked out; busy are those in the making.
	known map[string]columns
	busy  map[string]bool
	found []Finding
}

func (l *linter) add(name string, st *syntax.Statement, at syntax.Pos, column, message, fix string) {
	l.found = append(l.found, Finding{
		Name: name, Effect: l.effects[name], Stream: st.Output.Text, Column: column, At: l.flow.File.Place(at), Message: message, Fix: fix, Excerpt: l.flow.File.Excerpt(at),
	})
}

// statement looks at one transformation.
func (l *linter) statement(st *syntax.Statement) {
	switch st.Verb.Text {
	case "source":
		l.source(st)
	case "sink":
		l.sink(st)
	case "select", "foldDown":
		l.selection(st)
	}
	l.references(st)
	l.conversions(st)
}

// option is a setting of a transformation that is true or false; at is where it stands.
func option(st *syntax.Statement, name string) (value syntax.Expr, at syntax.Pos) {
	for _, a := range st.Args.List {
		if o, ok := a.Node.(*syntax.Option); ok && o.Name.Text == name {
			return o.Value, o.Name.At
		}
	}
	return nil, st.Output.At
}

// isTrue tells whether an expression is the constant true.
func isTrue(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.Column:
		return len(x.Streams) == 0 && !x.Name.Braced && x.Name.Text == "true"
	case *syntax.Call:
		return x.Cache.Text == "" && x.Name.Text == "true" && len(x.Args) == 0
	case *syntax.Paren:
		return isTrue(x.X)
	case *syntax.Noted:
		return isTrue(x.X)
	}
	return false
}

func on(st *syntax.Statement, name string) bool {
	x, _ := option(st, name)
	return isTrue(x)
}

// clause is a group of settings, nil without one.
func clause(st *syntax.Statement, name string) *syntax.Clause {
	for _, a := range st.Args.List {
		if c, ok := a.Node.(*syntax.Clause); ok && c.Name.Text == name {
			return c
		}
	}
	return nil
}

// projection are the columns of a source or of a declared output; ok is false without any.
func projection(st *syntax.Statement) (fields []syntax.Field, ok bool) {
	for _, a := range st.Args.List {
		if s, is := a.Node.(*syntax.Schema); is {
			return s.Columns, true
		}
	}
	return nil, false
}

// format is the format of a source or sink, in lower case: as it says, else as its
// dataset does; "" if neither.
func (l *linter) format(st *syntax.Statement) string {
	if x, _ := option(st, "format"); x != nil {
		if t, ok := x.(*syntax.Text); ok {
			return strings.ToLower(t.Value())
		}
		return ""
	}
	d, _ := l.flow.Dataset(st.Output.Text)
	return strings.ToLower(d.Type)
}

func (l *linter) source(st *syntax.Statement) {
	name := st.Output.Text
	if _, at := option(st, "validateSchema"); on(st, "validateSchema") {
		l.add("validate-schema", st, at, "", "the run fails when the files do not match the projection of "+name,
			"clear Validate schema (validateSchema: false), unless a changed shape has to stop the run")
	}
	if _, at := option(st, "useSchema"); on(st, "useSchema") {
		l.add("projected-schema", st, at, "", "new columns of later files are not found, since the stored projection is taken for them",
			"turn Use projected schema off (take useSchema away)")
	}
	if l.format(st) == "parquet" {
		_, at := option(st, "format")
		l.add("int96", st, at, "", "timestamps that are stored as INT96, which Spark writes unless told otherwise, end the service's run",
			"have the job that writes the files set spark.sql.parquet.outputTimestampType to TIMESTAMP_MICROS")
	}
	if on(st, "enableCdc") || l.elsewhere(st) {
		return
	}
	_, at := option(st, "allowSchemaDrift")
	switch {
	case !on(st, "allowSchemaDrift"):
		l.add("source-drift", st, at, "", "columns that are not in the projection of "+name+" are dropped",
			"check Allow schema drift (allowSchemaDrift: true)")
	case !on(st, "inferDriftedColumnTypes"):
		l.add("string-drift", st, at, "", "every column that is not in the projection of "+name+" arrives as text",
			"check Infer drifted column types (inferDriftedColumnTypes: true)")
	}
}

// elsewhere tells whether a source does not read files.
func (l *linter) elsewhere(st *syntax.Statement) bool {
	switch l.format(st) {
	case "table", "query", "inline", "document", "rest", "azuresqltable", "azuresqldwtable":
		return true
	}
	return false
}

func (l *linter) sink(st *syntax.Statement) {
	if len(st.Inputs) == 0 || isCache(st) {
		return
	}
	in := l.input(st, 0)
	if _, at := option(st, "validateSchema"); on(st, "validateSchema") {
		l.add("validate-schema", st, at, "", "the run fails when the columns of "+st.Inputs[0].String()+" are not those of the sink",
			"clear Validate schema (validateSchema: false), unless a changed shape has to stop the run")
	}
	mapping := clause(st, "mapColumn")
	if in.drift {
		_, at := option(st, "allowSchemaDrift")
		switch {
		case mapping != nil && !catchAll(mapping.Args):
			l.add("sink-mapping", st, mapping.Name.At, "", "drifted columns are dropped without a word, since the mapping is fixed",
				"turn Auto mapping on (take mapColumn away), or add each(match(true())) to the mapping")
		case !on(st, "allowSchemaDrift"):
			l.add("sink-drift", st, at, "", "drifted columns are not written, since "+st.Output.Text+" does not allow drift",
				"check Allow schema drift (allowSchemaDrift: true)")
		}
	}
	if l.format(st) == "parquet" {
		l.parquetNames(st, in, mapping)
	}
}

func isCache(st *syntax.Statement) bool {
	x, _ := option(st, "store")
	t, ok := x.(*syntax.Text)
	return ok && t.Value() == "cache"
}

// badMarks are what the service does not take in a column name of a Parquet file.
const badMarks = " ,;{}()\n\t="

// parquetNames tells of names that a Parquet sink does not take.
func (l *linter) parquetNames(st *syntax.Statement, in columns, mapping *syntax.Clause) {
	const fix = "add a select before the sink: select(mapColumn(each(match(true()), replace($$, ' ', '_') = $$)))"
	out := in
	at := st.Output.At
	if mapping != nil {
		out, at = in.mapped(mapping.Args), mapping.Name.At
	}
	for _, name := range out.names() {
		if strings.ContainsAny(name, badMarks) {
			l.add("parquet-name", st, at, name, "column "+diag.Quote(name)+" has a name that the service refuses in Parquet files", fix)
		}
	}
	if out.drift && out.raw {
		l.add("parquet-name", st, at, "", "a drifted column whose name has white space ends the service's run", fix)
	}
}

func (l *linter) selection(st *syntax.Statement) {
	if len(st.Inputs) == 0 || !l.input(st, 0).drift {
		return
	}
	mapping := clause(st, "mapColumn")
	if mapping == nil || catchAll(mapping.Args) {
		return
	}
	l.add("select-rule", st, mapping.Name.At, "", "columns that match no entry are dropped, and so are all drifted ones that no rule matches",
		"add a rule that matches what is left: each(match(true()))")
}

// catchAll tells whether a mapping has a rule that every column matches.
func catchAll(args syntax.Args) bool {
	for _, a := range args.List {
		if e, ok := a.Node.(*syntax.Each); ok && e.Path == nil && everyName(e) {
			return true
		}
	}
	return false
}

// everyName tells whether every name matches a rule.
func everyName(e *syntax.Each) bool {
	if e.Matcher == "patternMatch" {
		t, ok := e.Cond.(*syntax.Text)
		return ok && slices.Contains([]string{"", ".", ".*", ".+", "^.*$", "^.+$"}, t.Value())
	}
	return isTrue(e.Cond)
}
