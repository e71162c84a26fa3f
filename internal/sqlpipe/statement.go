package sqlpipe

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

// statement reads one statement of a file.
func (p *parser) statement() {
	switch t := p.peek(); {
	case p.take("CREATE"):
		p.create(t)
	case p.take("APPLY", "CHANGES"), p.take("AUTO", "CDC"):
		p.changes(t, "")
	case p.take("SET"):
		p.note(p.file, t.At, "SET has no effect here: set options under pipelines: in landfall.yaml")
	case p.take("USE"):
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
	if !p.take("OR", "REFRESH") {
		p.take("OR", "REPLACE")
	}
	d.Private = p.take("PRIVATE")
	temporary := p.take("TEMPORARY") || p.take("TEMP")
	switch {
	case p.take("FLOW"):
		p.createFlow()
		return
	case p.take("STREAMING", "LIVE", "TABLE"), p.take("INCREMENTAL", "LIVE", "TABLE"):
		p.note(p.file, begun.At, "STREAMING LIVE TABLE is spelt STREAMING TABLE today")
	case p.take("STREAMING", "TABLE"):
	case p.take("LIVE", "TABLE"):
		d.Kind = MaterializedView
		p.note(p.file, begun.At, "LIVE TABLE is spelt MATERIALIZED VIEW today")
	case p.take("MATERIALIZED", "VIEW"):
		d.Kind = MaterializedView
	case p.view(begun):
		d.Kind = View
	case p.is("TABLE"):
		p.breaks(1)
		p.problem(diag.SQLSyntax, p.peek(), "say which: STREAMING TABLE to append new rows, MATERIALIZED VIEW to hold what the query gives now", "found TABLE, want STREAMING TABLE or MATERIALIZED VIEW")
		return
	default:
		hint := ""
		switch {
		case p.is("FUNCTION"):
			hint = "write what the function computes in the queries"
		case p.is("SCHEMA"), p.is("DATABASE"), p.is("CATALOG"), p.is("VOLUME"):
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
		if p.take(words...) {
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
	p.take("IF", "NOT", "EXISTS")
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
	if p.is("(") {
		p.columns(d)
	}
	p.clauses(d)
	switch {
	case p.failed:
	case p.take("AS"):
		begun := p.peek()
		if q := p.query(); q != nil {
			d.Flows = append(d.Flows, Flow{Name: d.Name, Query: q, File: p.file, At: begun.Range})
		}
	case p.take("FLOW"):
		p.inlineFlow(d)
	case p.at < len(p.tokens):
		p.fail("AS and a query", map[bool]string{true: "write AS before the query"}[p.is("SELECT") || p.is("WITH") || p.is("(")])
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
	t := p.peekAt(ahead)
	for p.peekAt(ahead + 1).Is(".") {
		ahead += 2
		t = p.peekAt(ahead)
	}
	p.broken[schema.Fold(t.Text)] = true
}

// inlineFlow reads FLOW INSERT BY NAME query.
func (p *parser) inlineFlow(d *Dataset) {
	t := p.peek()
	if p.take("AUTO", "CDC") {
		p.changes(t, d.Name)
		return
	}
	if !p.take("INSERT") {
		p.refuse(t, "FLOW "+strings.ToUpper(t.Text), "write FLOW INSERT BY NAME SELECT …, or AS SELECT …")
		return
	}
	f := Flow{Name: d.Name, File: p.file, At: t.Range, Once: p.take("ONCE")}
	p.take("BY", "NAME")
	if f.Query = p.query(); f.Query != nil {
		d.Flows = append(d.Flows, f)
	}
}

// createFlow reads CREATE FLOW f AS INSERT INTO t BY NAME query.
func (p *parser) createFlow() {
	id := p.ident("the name of the flow")
	if p.is(".") {
		p.fail("a name of one part", "flows belong to their pipeline and have plain names")
		return
	}
	if p.take("COMMENT") {
		p.text("a comment")
	}
	p.want("AS")
	if begun := p.peek(); p.take("AUTO", "CDC") {
		p.changes(begun, "")
		return
	}
	p.want("INSERT")
	once := p.take("ONCE")
	p.want("INTO")
	once = p.take("ONCE") || once
	f := namedFlow{Flow: Flow{Name: id.Name, File: p.file, At: id.Range, Once: once}}
	f.table = p.name("the name of a streaming table")
	p.take("BY", "NAME")
	if f.Query = p.query(); f.Query != nil {
		p.flows = append(p.flows, f)
	}
}

// clauses reads what may stand between the columns and the query.
func (p *parser) clauses(d *Dataset) {
	seen := map[string]bool{}
	for !p.failed {
		t := p.peek()
		if word := strings.ToUpper(t.Text); t.Is("COMMENT", "PARTITIONED", "TBLPROPERTIES", "USING", "CLUSTER") {
			if seen[word] {
				p.problem(diag.SQLSyntax, t, "take one of them out", "%s stands twice", word)
				return
			}
			seen[word] = true
		}
		switch {
		case p.take("COMMENT"):
			d.Comment = p.text("a comment")
		case p.take("PARTITIONED", "BY"):
			d.Partitions = p.idents("the name of a column")
		case p.take("TBLPROPERTIES"):
			p.properties(d)
		case p.take("USING"):
			if f := p.ident("a format"); !strings.EqualFold(f.Name, "delta") {
				p.refuse(t, "USING "+f.Name, "tables are Delta tables: leave USING out")
			}
		case p.take("CLUSTER", "BY"):
			p.note(p.file, t.At, "CLUSTER BY has no effect here: rows lie as they come")
			if !p.take("AUTO") && !p.take("NONE") {
				p.group()
			}
		case p.is("SCHEDULE"), p.is("TRIGGER", "ON"), p.is("REFRESH", "POLICY"):
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
	for p.at < len(p.tokens) && !p.peek().Is("AS", "COMMENT", "TBLPROPERTIES", "PARTITIONED", "CLUSTER", "FLOW") {
		p.at++
	}
}

// properties reads ('key' = 'value', a.b = c).
func (p *parser) properties(d *Dataset) {
	p.list("a property", func(in *parser) {
		var key strings.Builder
		for in.at < len(in.tokens) && !in.is("=") && (key.Len() == 0 || in.is(".") || strings.HasSuffix(key.String(), ".")) {
			key.WriteString(in.next().Text)
		}
		in.take("=")
		sign := ""
		if in.take("-") {
			sign = "-"
		}
		if t := in.peek(); t.Kind == sparksql.End || t.Kind == sparksql.Symbol {
			in.fail("a value", "as in ('quality' = 'silver')")
			return
		}
		if _, twice := d.Properties[key.String()]; twice {
			p.problem(diag.SQLSyntax, in.tokens[0], "take one of them out", "property %s stands twice", key.String())
			return
		}
		d.Properties[key.String()] = sign + in.next().Text
		in.end()
	})
}
