package sqlpipe

import (
	"landfall/internal/diag"
	"landfall/internal/sparksql"
)

// parser reads one statement. After a problem it stands at the end.
type parser struct {
	*loader
	file   *sparksql.File
	tokens []sparksql.Token
	at     int
	failed bool
}

func (p *parser) peekAt(n int) sparksql.Token {
	if p.at+n < len(p.tokens) {
		return p.tokens[p.at+n]
	}
	last := p.tokens[len(p.tokens)-1]
	return sparksql.Token{Range: sparksql.Range{At: last.End, End: last.End}, Kind: sparksql.End}
}

func (p *parser) peek() sparksql.Token { return p.peekAt(0) }

func (p *parser) next() sparksql.Token {
	t := p.peek()
	if p.at < len(p.tokens) {
		p.at++
	}
	return t
}

func (p *parser) is(words ...string) bool {
	for i, w := range words {
		if !p.peekAt(i).Is(w) {
			return false
		}
	}
	return true
}

func (p *parser) take(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.at += len(words)
	return true
}

// problem tells what is wrong, and ends the statement.
func (p *parser) problem(code diag.Code, t sparksql.Token, hint, format string, args ...any) {
	if p.failed {
		return
	}
	d := p.file.Problem(code, t.At, format, args...)
	d.Hint = hint
	p.problems.Add(d)
	p.failed, p.at = true, len(p.tokens)
}

func (p *parser) fail(want, hint string) {
	t := p.peek()
	p.problem(diag.SQLSyntax, t, hint, "found %s, want %s", t.Describe(), want)
}

func (p *parser) refuse(t sparksql.Token, what, hint string) {
	p.problem(diag.SQLRefused, t, hint, "%s is not understood", what)
}

func (p *parser) want(word string) {
	if !p.take(word) {
		p.fail(word, "")
	}
}

func (p *parser) ident(what string) sparksql.Ident {
	t := p.peek()
	if t.Kind != sparksql.Word && t.Kind != sparksql.Quoted {
		hint := ""
		if t.Kind == sparksql.String {
			hint = "what stands in quotes is a text; a name stands in backticks: `" + t.Text + "`"
		}
		p.fail(what, hint)
		return sparksql.Ident{Range: t.Range}
	}
	p.at++
	return sparksql.Ident{Range: t.Range, Name: t.Text}
}

// name reads names between dots, or IDENTIFIER(…) that says them.
func (p *parser) name(what string) []sparksql.Ident {
	if p.is("IDENTIFIER", "(") {
		begun := p.next()
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
	for p.take(".") {
		out = append(out, p.ident(what))
	}
	return out
}

func (p *parser) text(what string) string {
	t := p.peek()
	if t.Kind != sparksql.String {
		p.fail(what+" in quotes", "")
		return ""
	}
	p.at++
	return t.Text
}

// group passes over ( … ) and returns what stands inside.
func (p *parser) group() []sparksql.Token {
	if !p.is("(") {
		p.fail("(", "")
		return nil
	}
	open := p.peek()
	depth, begun := 0, p.at+1
	for p.at < len(p.tokens) {
		switch t := p.next(); {
		case t.Is("(", "["):
			depth++
		case t.Is(")", "]"):
			if depth--; depth == 0 {
				return p.tokens[begun : p.at-1 : p.at-1]
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
	closing, begun := p.tokens[p.at-1], 0
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
	return &parser{loader: p.loader, file: p.file, tokens: tokens}
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
	if !p.failed && p.at < len(p.tokens) {
		p.fail("a comma or the end of the list", "")
	}
}

// told adds a problem of the reader of queries and expressions.
func (p *parser) told(err error) {
	if p.failed || err == nil {
		return
	}
	p.merged(err)
	p.failed, p.at = true, len(p.tokens)
}

// query reads the rest as a query.
func (p *parser) query() *sparksql.Query {
	if p.failed || p.at >= len(p.tokens) {
		p.fail("a query", "as in AS SELECT * FROM STREAM(bronze)")
		return nil
	}
	q, err := sparksql.ParseQuery(p.file, p.tokens[p.at:])
	p.told(err)
	p.at = len(p.tokens)
	if err != nil {
		return nil
	}
	p.bind(p.file, q)
	return q
}
