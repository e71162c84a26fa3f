package sqlpipe

import (
	"maps"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

// Kind is what a dataset is.
type Kind int

// The kinds of datasets.
const (
	// StreamingTable reads each input row once, and appends.
	StreamingTable Kind = iota
	// MaterializedView holds what its query gives, whenever it was run last.
	MaterializedView
	// View is a query with a name, whose rows are stored nowhere.
	View
)

// String is the kind as people call it.
func (k Kind) String() string {
	return [...]string{"streaming table", "materialized view", "view"}[k]
}

// Action is what becomes of rows that break a rule.
type Action int

// The actions.
const (
	Warn Action = iota
	Drop
	Fail
)

// String is the action in a word.
func (a Action) String() string { return [...]string{"warn", "drop", "fail"}[a] }

// RuleKind is what a rule says.
type RuleKind int

// The kinds of rules.
const (
	// Condition holds for each row by itself.
	Condition RuleKind = iota
	// Unique says that no other row has the same values in some columns.
	Unique
	// References says that another table has a row with the same values.
	References
	// Fresh says that the newest row is no older than a time.
	Fresh
)

// Rule is an expectation.
type Rule struct {
	Name   string
	Kind   RuleKind
	Action Action
	// Expr is the condition, or the column whose newest value is looked at.
	Expr sparksql.Expr
	// Text is what stands in the parentheses of EXPECT.
	Text string
	// Columns are those of Unique and References, Other the columns of Table.
	Columns []sparksql.Ident
	Table   []sparksql.Ident
	Other   []sparksql.Ident
	// Within is the interval of Fresh.
	Within sparksql.Expr
	At     sparksql.Range
}

// Column is a column as the statement declares it.
type Column struct {
	Name    sparksql.Ident
	Type    schema.Type // nil if the query says it
	NotNull bool
	Comment string
}

// Flow is a query that feeds a table.
type Flow struct {
	Name string
	// Once says that it runs once, with a query that reads no stream.
	Once  bool
	Query *sparksql.Query
	File  *sparksql.File
	At    sparksql.Range
}

// Dataset is a table or a view of a pipeline.
type Dataset struct {
	Name       string
	Kind       Kind
	Private    bool
	Comment    string
	Columns    []Column
	Partitions []sparksql.Ident
	// Properties are those of TBLPROPERTIES.
	Properties map[string]string
	Rules      []Rule
	// Flows feed it; a view has one.
	Flows []Flow
	File  *sparksql.File
	At    sparksql.Range
	// path is the name as it is written, with its qualifiers.
	path []string
	// Reads are the datasets of the pipeline that it reads, in order of their first place.
	Reads []*Dataset
}

// Place is where its statement names it.
func (d *Dataset) Place() diag.Place { return d.File.Place(d.At.At) }

// Note is something that a person should know of a file, which stops nothing.
type Note struct {
	At   diag.Place
	Text string
}

// Pipeline is what files say together.
type Pipeline struct {
	// Datasets are in an order in which each comes behind those that it reads.
	Datasets []*Dataset
	Notes    []Note
}

// Find is the dataset of a name, in any casing; nil if there is none.
func (p *Pipeline) Find(name string) *Dataset {
	for _, d := range p.Datasets {
		if schema.Fold(d.Name) == schema.Fold(name) {
			return d
		}
	}
	return nil
}

// Source is a table that a query names.
type Source struct {
	// Name is without a leading LIVE.
	Name []string
	// Live tells that LIVE stands before it: it is of the pipeline.
	Live, Stream bool
	At           sparksql.Range
}

// Last is the last part of the name.
func (s Source) Last() string { return s.Name[len(s.Name)-1] }

// Sources are the tables that a query names, and whether any of what it reads is a stream.
// The names of WITH are none, where they can be seen: in the queries behind their own.
func Sources(q *sparksql.Query) (tables []Source, stream bool) {
	s := &sources{}
	s.query(q, map[string]bool{})
	return s.tables, s.stream
}

type sources struct {
	tables []Source
	stream bool
}

func (s *sources) query(q *sparksql.Query, ctes map[string]bool) {
	if len(q.With) > 0 {
		ctes = maps.Clone(ctes)
	}
	for _, c := range q.With {
		s.query(c.Query, ctes)
		ctes[schema.Fold(c.Name.Name)] = true
	}
	visit := func(node any) bool { return s.visit(node, ctes) }
	sparksql.Walk(q.Body, visit)
	for _, o := range q.Order {
		sparksql.Walk(o.Expr, visit)
	}
	for _, x := range []sparksql.Expr{q.Limit, q.Offset} {
		sparksql.Walk(x, visit)
	}
}

func (s *sources) visit(node any, ctes map[string]bool) bool {
	switch n := node.(type) {
	case *sparksql.Query:
		s.query(n, ctes)
		return false
	case *sparksql.TableCall:
		// The older cloud_files is a stream also without the word.
		s.stream = s.stream || n.Stream || strings.EqualFold(n.Name.Name, "cloud_files")
	case *sparksql.Table:
		s.stream = s.stream || n.Stream
		if n.Named != nil || len(n.Name) == 1 && ctes[schema.Fold(n.Name[0].Name)] && !n.Stream || pathTable(n.Name) {
			return true
		}
		one := Source{Stream: n.Stream, At: n.Range, Name: identNames(n.Name)}
		if len(one.Name) > 1 && strings.EqualFold(one.Name[0], "live") {
			one.Name, one.Live = one.Name[1:], true
		}
		s.tables = append(s.tables, one)
	}
	return true
}

// pathTable tells json.`/a/path` from a table of a schema.
func pathTable(name []sparksql.Ident) bool {
	if len(name) != 2 {
		return false
	}
	switch strings.ToLower(name[0].Name) {
	case "json", "csv", "parquet", "delta", "text":
		return strings.ContainsAny(name[1].Name, "/.")
	}
	return false
}
