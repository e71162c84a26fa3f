package sqlpipe

import (
	"fmt"
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

// changes is what AUTO CDC says, as it is written.
type changes struct {
	target, source   string
	keys             []string
	sequence         string
	deletes, without string
	filter           string
	history          bool
	// other is a clause that a query cannot say in one place.
	other string
}

// changes reads AUTO CDC and APPLY CHANGES, which are not understood, so far that the
// message can show the query that says the same. into is the table of an inline flow.
func (p *parser) changes(begun sparksql.Token, into string) {
	c := &changes{target: into}
	p.Take("ONCE")
	if into == "" {
		p.want("INTO")
		name := p.name("the name of a streaming table")
		c.target = name[len(name)-1].Name
	}
	p.fed[schema.Fold(c.target)] = true
	p.want("FROM")
	c.source = p.until("KEYS")
	if !p.failed && c.source == "" {
		p.fail("a source", "as in FROM STREAM(orders_changes)")
	}
	p.want("KEYS")
	for _, k := range p.idents("the name of a column") {
		c.keys = append(c.keys, quoted(k.Name))
	}
	for !p.failed && p.At < len(p.Tokens) {
		p.changeClause(c)
	}
	if !p.failed && c.sequence == "" {
		p.fail("SEQUENCE BY", "say which column tells the newer of two rows of a key: SEQUENCE BY updated_at")
	}
	if !p.failed {
		p.refuse(begun, strings.ToUpper(begun.Text)+map[bool]string{true: " CHANGES", false: " CDC"}[begun.Is("APPLY")], c.hint())
	}
}

// changeClause reads one of the clauses, which come in any order.
func (p *parser) changeClause(c *changes) {
	switch {
	case p.Take("IGNORE", "NULL", "UPDATES"):
		c.other = "IGNORE NULL UPDATES"
	case p.Take("APPLY", "AS", "DELETE", "WHEN"):
		c.deletes = p.changeExpr()
	case p.Take("APPLY", "AS", "TRUNCATE", "WHEN"):
		p.changeExpr()
		c.other = "APPLY AS TRUNCATE"
	case p.Take("WHERE"):
		c.filter = p.changeExpr()
	case p.Take("SEQUENCE", "BY"):
		c.sequence = p.changeExpr()
	case p.Take("SYSTEM", "SEQUENCE", "BY"):
		p.changeExpr()
		c.other = "SYSTEM SEQUENCE BY"
	case p.Take("COLUMNS"):
		c.without = p.columnsOf()
	case p.Take("TRACK", "HISTORY", "ON"):
		p.columnsOf()
		c.other = "TRACK HISTORY ON"
	case p.Take("STORED", "AS"):
		switch {
		case p.Take("SCD", "TYPE", "1"):
		case p.Take("SCD", "TYPE", "2"):
			c.history = true
		case p.Take("BITEMPORAL"):
			c.other = "BITEMPORAL"
		default:
			// A number is no mark: the words are read by hand.
			p.storedAs(c)
		}
	default:
		p.fail("SEQUENCE BY, APPLY AS DELETE WHEN, COLUMNS, STORED AS or another clause of AUTO CDC", "")
	}
}

func (p *parser) storedAs(c *changes) {
	p.want("SCD")
	p.want("TYPE")
	switch t := p.Peek(); t.Text {
	case "1", "2":
		c.history = t.Text == "2"
		p.At++
	default:
		p.fail("1 or 2", "as in STORED AS SCD TYPE 1")
	}
}

// columnsOf reads (a, b), a, b, * or * EXCEPT (a, b), and is what a star says of it.
func (p *parser) columnsOf() string {
	switch {
	case p.Take("*"):
		if !p.Take("EXCEPT") {
			return ""
		}
		return "* EXCEPT (" + strings.Join(identNames(p.idents("the name of a column")), ", ") + ")"
	case p.Is("("):
		return strings.Join(identNames(p.idents("the name of a column")), ", ")
	}
	names := []string{p.ident("a column, or *").Name}
	for p.Take(",") {
		names = append(names, p.ident("a column").Name)
	}
	return strings.Join(names, ", ")
}

// until passes over tokens up to a word, and is their text.
func (p *parser) until(words ...string) string {
	begun, depth := p.At, 0
	for ; p.At < len(p.Tokens); p.At++ {
		switch t := p.Peek(); {
		case t.Is("(", "["):
			depth++
		case t.Is(")", "]"):
			depth--
		case depth == 0 && t.Is(words...):
			return p.slice(begun)
		}
	}
	return p.slice(begun)
}

func (p *parser) slice(begun int) string {
	if p.failed || p.At <= begun {
		return ""
	}
	return p.file.Slice(sparksql.Range{At: p.Tokens[begun].At, End: p.Tokens[p.At-1].End})
}

// changeExpr reads an expression, which ends where a clause begins.
func (p *parser) changeExpr() string {
	begun := p.At
	text := p.until("APPLY", "SEQUENCE", "SYSTEM", "COLUMNS", "STORED", "TRACK", "IGNORE", "WHERE")
	if text == "" {
		p.fail("an expression", "")
		return ""
	}
	p.expr(p.Tokens[begun:p.At:p.At])
	return text
}

// hint is the materialized view that holds what the clause would.
func (c *changes) hint() string {
	var b strings.Builder
	if late(c.sequence) {
		fmt.Fprintf(&b, "order by a time of the source: %s is when a row was read, and says nothing of rows that come late.\n", c.sequence)
	}
	if c.other != "" {
		fmt.Fprintf(&b, "%s needs a query of its own; without it: ", c.other)
	}
	b.WriteString("write what the table shall hold as a materialized view:\n")
	star := "*"
	if c.without != "" {
		star = c.without
	}
	key := strings.Join(c.keys, ", ")
	source := plainSource(c.source)
	where := ""
	if c.filter != "" {
		where = "\n  WHERE " + c.filter
	}
	fmt.Fprintf(&b, "CREATE OR REFRESH MATERIALIZED VIEW %s AS\n", quoted(c.target))
	outer := ""
	if c.deletes != "" {
		outer = "\nWHERE NOT coalesce(" + c.deletes + ", false)"
	}
	if c.history {
		if !strings.HasPrefix(star, "*") {
			star += ", __START_AT, __END_AT"
		}
		fmt.Fprintf(&b, "SELECT %s FROM (\n  SELECT *, %s AS __START_AT,\n    lead(%s) OVER (PARTITION BY %s ORDER BY %s) AS __END_AT\n  FROM %s%s\n)%s;",
			star, c.sequence, c.sequence, key, c.sequence, source, where, outer)
		return b.String()
	}
	fmt.Fprintf(&b, "SELECT %s FROM (\n  SELECT * FROM %s%s\n  QUALIFY row_number() OVER (PARTITION BY %s ORDER BY %s DESC) = 1\n)%s;",
		star, source, where, key, c.sequence, outer)
	return b.String()
}

// plainSource is a source without STREAM and LIVE.
func plainSource(source string) string {
	words := strings.Fields(source)
	if len(words) == 2 && strings.EqualFold(words[0], "STREAM") {
		source = words[1]
	}
	if len(source) > 8 && strings.EqualFold(source[:7], "STREAM(") && strings.HasSuffix(source, ")") {
		source = strings.TrimSpace(source[7 : len(source)-1])
	}
	if len(source) > 5 && strings.EqualFold(source[:5], "live.") {
		source = source[5:]
	}
	return source
}

// quoted is a name as it is written in SQL.
func quoted(name string) string {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return "`" + strings.ReplaceAll(name, "`", "``") + "`"
		}
	}
	return name
}
