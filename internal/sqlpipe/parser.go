package sqlpipe

import (
	"landfall/internal/diag"
	"landfall/internal/sparksql"
)

// parser reads one statement. After a problem it stands at the end.
type parser struct {
	*loader
	sparksql.Cursor
	file   *sparksql.File
	failed bool
}

// problem tells what is wrong, and ends the statement.
func (p *parser) problem(code diag.Code, t sparksql.Token, hint, format string, args ...any) {
	if p.failed {
		return
	}
	d := p.file.Problem(code, t.At, format, args...)
	d.Hint = hint
	p.problems.Add(d)
	p.failed, p.At = true, len(p.Tokens)
}

func (p *parser) fail(want, hint string) {
	t := p.Peek()
	p.problem(diag.SQLSyntax, t, hint, "found %s, want %s", t.Describe(), want)
}

func (p *parser) refuse(t sparksql.Token, what, hint string) {
	p.problem(diag.SQLRefused, t, hint, "%s is not understood", what)
}

func (p *parser) want(word string) {
	if !p.Take(word) {
		p.fail(word, "")
	}
}

func (p *parser) ident(what string) sparksql.Ident {
	t := p.Peek()
	if t.Kind != sparksql.Word && t.Kind != sparksql.Quoted {
		hint := ""
		if t.Kind == sparksql.String {
			hint = "what stands in quotes is a text; a name stands in backticks: `" + t.Text + "`"
		}
		p.fail(what, hint)
		return sparksql.Ident{Range: t.Range}
	}
	p.At++
	return sparksql.Ident{Range: t.Range, Name: t.Text}
}

// name reads names between dots, or IDENTIFIER(…) that says them.
func (p *parser) name(what string) []sparksql.Ident {
	if p.Is("IDENTIFIER", "(") {
		begun := p.Next()
		x := p.expr(p.group())
		if p.failed {
			return []sparksql.Ident{{Range: begun.Range}}
		}
		names, problem := p.identifier(p.file, x, begun.Range)
		if problem != nil {
			p.told(problem)
			return []sparksql.Ident{{Range: begun.Range}}
		}
		return names
	}
	out := []sparksql.Ident{p.ident(what)}
	for p.Take(".") {
		out = append(out, p.ident(what))
	}
	return out
}

func (p *parser) text(what string) string {
	t := p.Peek()
	if t.Kind != sparksql.String {
		p.fail(what+" in quotes", "")
		return ""
	}
	p.At++
	return t.Text
}

// group passes over ( … ) and returns what stands inside.
func (p *parser) group() []sparksql.Token {
	if !p.Is("(") {
		p.fail("(", "")
		return nil
	}
	open := p.Peek()
	depth, begun := 0, p.At+1
	for p.At < len(p.Tokens) {
		switch t := p.Next(); {
		case t.Is("(", "["):
			depth++
		case t.Is(")", "]"):
			if depth--; depth == 0 {
				return p.Tokens[begun : p.At-1 : p.At-1]
			}
		}
	}
	p.problem(diag.SQLSyntax, open, "write ) where what stands in it ends", "found ( that nothing closes")
	return nil
}

// cuts are the places of commas outside of parentheses and of the < > of types, and the end.
func cuts(tokens []sparksql.Token) []int {
	var out []int
	depth, angles := 0, 0
	for i, t := range tokens {
		switch {
		case t.Is("(", "["):
			depth++
		case t.Is(")", "]"):
			depth--
		case t.Is("<") && i > 0 && tokens[i-1].Is("ARRAY", "MAP", "STRUCT"):
			angles++
		case t.Is(">") && angles > 0:
			angles--
		case t.Is(",") && depth <= 0 && angles == 0:
			out = append(out, i)
		}
	}
	return append(out, len(tokens))
}

// list reads ( … , … ): each part by itself, so that a problem of one leaves the others.
func (p *parser) list(what string, each func(in *parser)) {
	tokens := p.group()
	if p.failed {
		return
	}
	closing, begun := p.Tokens[p.At-1], 0
	for _, cut := range cuts(tokens) {
		next := closing
		if cut < len(tokens) {
			next = tokens[cut]
		}
		if cut == begun {
			hint := ""
			if len(tokens) > 0 {
				hint = "take out the comma that has nothing on one side"
			}
			p.inside([]sparksql.Token{next}).fail(what, hint)
		} else {
			each(p.inside(tokens[begun:cut:cut]))
		}
		begun = cut + 1
	}
}

// inside is a parser of a part of the statement.
func (p *parser) inside(tokens []sparksql.Token) *parser {
	return &parser{loader: p.loader, file: p.file, Cursor: sparksql.Cursor{Tokens: tokens}}
}

// idents are names between commas and parentheses.
func (p *parser) idents(what string) []sparksql.Ident {
	var out []sparksql.Ident
	p.list(what, func(in *parser) {
		out = append(out, in.ident(what))
		in.end()
	})
	return out
}

// end tells of what follows a part of a list that is read.
func (p *parser) end() {
	if !p.failed && p.At < len(p.Tokens) {
		p.fail("a comma or the end of the list", "")
	}
}

// told adds a problem of the reader of queries and expressions.
func (p *parser) told(err error) {
	if p.failed || err == nil {
		return
	}
	p.merged(err)
	p.failed, p.At = true, len(p.Tokens)
}

// query reads the rest as a query.
func (p *parser) query() *sparksql.Query {
	if p.failed || p.At >= len(p.Tokens) {
		p.fail("a query", "as in AS SELECT * FROM STREAM(bronze)")
		return nil
	}
	q, err := sparksql.ParseQuery(p.file, p.Tokens[p.At:])
	p.told(err)
	p.At = len(p.Tokens)
	if err != nil {
		return nil
	}
	p.bind(p.file, q)
	return q
}
