package sqlpipe

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

// statement reads one statement of a file.
func (p *parser) statement() {
	switch t := p.Peek(); {
	case p.Take("CREATE"):
		p.create(t)
	case p.Take("APPLY", "CHANGES"), p.Take("AUTO", "CDC"):
		p.changes(t, "")
	case p.Take("SET"):
		p.note(p.file, t.At, "SET has no effect here: set options under pipelines: in landfall.yaml")
	case p.Take("USE"):
		p.note(p.file, t.At, "USE has no effect here: tables of the pipeline are in its target folder")
	default:
		p.fail("CREATE", foreign(t))
	}
}

// foreign is what to write instead of a statement that a pipeline has no place for.
func foreign(t sparksql.Token) string {
	switch {
	case t.Is("INSERT"):
		return "a table is fed by CREATE FLOW name AS INSERT INTO table BY NAME SELECT …"
	case t.Is("SELECT", "WITH", "FROM", "VALUES", "TABLE"):
		return "a query has a name in a pipeline: CREATE TEMPORARY VIEW name AS SELECT …"
	case t.Is("MERGE", "UPDATE", "DELETE", "TRUNCATE"):
		return "rows of a pipeline's tables change by their queries alone: write a MATERIALIZED VIEW with the rows that shall be there"
	case t.Is("import", "def", "@"):
		return "this is Python: a file of its own, named .py, is answered with its tables as SQL"
	case t.Is("DROP", "ALTER"):
		return "take the statement of the dataset out of the file, or edit it"
	}
	return "a pipeline file holds CREATE … TABLE, VIEW and FLOW statements"
}

// create reads what follows CREATE: first the words that say what it makes.
func (p *parser) create(begun sparksql.Token) {
	d := &Dataset{File: p.file, Properties: map[string]string{}}
	if !p.Take("OR", "REFRESH") {
		p.Take("OR", "REPLACE")
	}
	d.Private = p.Take("PRIVATE")
	temporary := p.Take("TEMPORARY") || p.Take("TEMP")
	switch {
	case p.Take("FLOW"):
		p.createFlow()
		return
	case p.Take("STREAMING", "LIVE", "TABLE"), p.Take("INCREMENTAL", "LIVE", "TABLE"):
		p.note(p.file, begun.At, "STREAMING LIVE TABLE is spelt STREAMING TABLE today")
	case p.Take("STREAMING", "TABLE"):
	case p.Take("LIVE", "TABLE"):
		d.Kind = MaterializedView
		p.note(p.file, begun.At, "LIVE TABLE is spelt MATERIALIZED VIEW today")
	case p.Take("MATERIALIZED", "VIEW"):
		d.Kind = MaterializedView
	case p.view(begun):
		d.Kind = View
	case p.Is("TABLE"):
		p.breaks(1)
		p.problem(diag.SQLSyntax, p.Peek(), "say which: STREAMING TABLE to append new rows, MATERIALIZED VIEW to hold what the query gives now", "found TABLE, want STREAMING TABLE or MATERIALIZED VIEW")
		return
	default:
		hint := ""
		switch {
		case p.Is("FUNCTION"):
			hint = "write what the function computes in the queries"
		case p.Is("SCHEMA"), p.Is("DATABASE"), p.Is("CATALOG"), p.Is("VOLUME"):
			hint = "take it out: tables lie in the target folder of the pipeline"
		}
		p.fail("STREAMING TABLE, MATERIALIZED VIEW, VIEW or FLOW", hint)
		return
	}
	if temporary && d.Kind != View {
		d.Private = true
		p.note(p.file, begun.At, "TEMPORARY of a table is spelt PRIVATE today")
	}
	p.dataset(d)
}

// view passes over the words of a view.
func (p *parser) view(begun sparksql.Token) bool {
	for _, words := range [][]string{{"VIEW"}, {"LIVE", "VIEW"}, {"STREAMING", "LIVE", "VIEW"}, {"INCREMENTAL", "LIVE", "VIEW"}, {"STREAMING", "VIEW"}, {"INCREMENTAL", "VIEW"}} {
		if p.Take(words...) {
			if len(words) > 1 {
				p.note(p.file, begun.At, strings.Join(words, " ")+" is spelt TEMPORARY VIEW today")
			}
			return true
		}
	}
	return false
}

// dataset reads the name and all that follows.
func (p *parser) dataset(d *Dataset) {
	p.Take("IF", "NOT", "EXISTS")
	name := p.name("the name of the " + d.Kind.String())
	last := name[len(name)-1]
	d.path = identNames(name)
	d.Name, d.At = last.Name, sparksql.Range{At: name[0].At, End: last.End}
	if p.failed || !p.nameable(d) {
		return
	}
	defer func() {
		if p.failed {
			p.broken[schema.Fold(d.Name)] = true
		}
	}()
	if p.Is("(") {
		p.columns(d)
	}
	p.clauses(d)
	switch {
	case p.failed:
	case p.Take("AS"):
		begun := p.Peek()
		if q := p.query(); q != nil {
			d.Flows = append(d.Flows, Flow{Name: d.Name, Query: q, File: p.file, At: begun.Range})
		}
	case p.Take("FLOW"):
		p.inlineFlow(d)
	case p.At < len(p.Tokens):
		p.fail("AS and a query", map[bool]string{true: "write AS before the query"}[p.Is("SELECT") || p.Is("WITH") || p.Is("(")])
	}
	if !p.failed {
		p.pipeline.Datasets = append(p.pipeline.Datasets, d)
	}
}

// nameable tells of a name that no folder can have; a table lies in the one of its name.
func (p *parser) nameable(d *Dataset) bool {
	if !strings.ContainsAny(d.Name, "/\\:*?\"<>|\x00\n") && d.Name != "" && d.Name[0] != '.' && d.Name[0] != '_' {
		return true
	}
	p.broken[schema.Fold(d.Name)] = true
	p.problem(diag.SQLName, sparksql.Token{Range: d.At}, "take letters, digits and _, a letter first", "found the name %s, want one that a folder can have", diag.Quote(d.Name))
	return false
}

// breaks remembers that a dataset's statement cannot be read, so that those who read it
// are not told that it is missing.
func (p *parser) breaks(ahead int) {
	t := p.PeekAt(ahead)
	for p.PeekAt(ahead + 1).Is(".") {
		ahead += 2
		t = p.PeekAt(ahead)
	}
	p.broken[schema.Fold(t.Text)] = true
}

// inlineFlow reads FLOW INSERT BY NAME query.
func (p *parser) inlineFlow(d *Dataset) {
	t := p.Peek()
	if p.Take("AUTO", "CDC") {
		p.changes(t, d.Name)
		return
	}
	if !p.Take("INSERT") {
		p.refuse(t, "FLOW "+strings.ToUpper(t.Text), "write FLOW INSERT BY NAME SELECT …, or AS SELECT …")
		return
	}
	f := Flow{Name: d.Name, File: p.file, At: t.Range, Once: p.Take("ONCE")}
	p.Take("BY", "NAME")
	if f.Query = p.query(); f.Query != nil {
		d.Flows = append(d.Flows, f)
	}
}

// createFlow reads CREATE FLOW f AS INSERT INTO t BY NAME query.
func (p *parser) createFlow() {
	id := p.ident("the name of the flow")
	if p.Is(".") {
		p.fail("a name of one part", "flows belong to their pipeline and have plain names")
		return
	}
	if p.Take("COMMENT") {
		p.text("a comment")
	}
	p.want("AS")
	if begun := p.Peek(); p.Take("AUTO", "CDC") {
		p.changes(begun, "")
		return
	}
	p.want("INSERT")
	once := p.Take("ONCE")
	p.want("INTO")
	once = p.Take("ONCE") || once
	f := namedFlow{Flow: Flow{Name: id.Name, File: p.file, At: id.Range, Once: once}}
	f.table = p.name("the name of a streaming table")
	p.Take("BY", "NAME")
	if f.Query = p.query(); f.Query != nil {
		p.flows = append(p.flows, f)
	}
}

// clauses reads what may stand between the columns and the query.
func (p *parser) clauses(d *Dataset) {
	seen := map[string]bool{}
	for !p.failed {
		t := p.Peek()
		if word := strings.ToUpper(t.Text); t.Is("COMMENT", "PARTITIONED", "TBLPROPERTIES", "USING", "CLUSTER") {
			if seen[word] {
				p.problem(diag.SQLSyntax, t, "take one of them out", "%s stands twice", word)
				return
			}
			seen[word] = true
		}
		switch {
		case p.Take("COMMENT"):
			d.Comment = p.text("a comment")
		case p.Take("PARTITIONED", "BY"):
			d.Partitions = p.idents("the name of a column")
		case p.Take("TBLPROPERTIES"):
			p.properties(d)
		case p.Take("USING"):
			if f := p.ident("a format"); !strings.EqualFold(f.Name, "delta") {
				p.refuse(t, "USING "+f.Name, "tables are Delta tables: leave USING out")
			}
		case p.Take("CLUSTER", "BY"):
			p.note(p.file, t.At, "CLUSTER BY has no effect here: rows lie as they come")
			if !p.Take("AUTO") && !p.Take("NONE") {
				p.group()
			}
		case p.Is("SCHEDULE"), p.Is("TRIGGER", "ON"), p.Is("REFRESH", "POLICY"):
			p.schedule(t)
		case t.Is("LOCATION", "DEFAULT", "WITH"):
			p.refuse(t, strings.ToUpper(t.Text)+" of a dataset", "leave it out: a table lies in the pipeline's target folder, under its name")
		default:
			return
		}
	}
}

// schedule passes over when it is refreshed, which whoever runs the program decides.
func (p *parser) schedule(t sparksql.Token) {
	p.note(p.file, t.At, strings.ToUpper(t.Text)+" has no effect here: run landfall run from your scheduler")
	for p.At < len(p.Tokens) && !p.Peek().Is("AS", "COMMENT", "TBLPROPERTIES", "PARTITIONED", "CLUSTER", "FLOW") {
		p.At++
	}
}

// properties reads ('key' = 'value', a.b = c).
func (p *parser) properties(d *Dataset) {
	p.list("a property", func(in *parser) {
		var key strings.Builder
		for in.At < len(in.Tokens) && !in.Is("=") && (key.Len() == 0 || in.Is(".") || strings.HasSuffix(key.String(), ".")) {
			key.WriteString(in.Next().Text)
		}
		in.Take("=")
		sign := ""
		if in.Take("-") {
			sign = "-"
		}
		if t := in.Peek(); t.Kind == sparksql.End || t.Kind == sparksql.Symbol {
			in.fail("a value", "as in ('quality' = 'silver')")
			return
		}
		if _, twice := d.Properties[key.String()]; twice {
			p.problem(diag.SQLSyntax, in.Tokens[0], "take one of them out", "property %s stands twice", key.String())
			return
		}
		d.Properties[key.String()] = sign + in.Next().Text
		in.end()
	})
}
