package sparksql

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// mostDepth bounds how deep queries and expressions may be nested.
const mostDepth = 200

// parser reads tokens. After the first problem it stands at the end.
type parser struct {
	file    *File
	tokens  []Token
	at      int
	depth   int
	problem *diag.Diagnostic
}

// ParseQuery reads one query of all tokens given; a token End may close them. The error
// is a *diag.Diagnostic.
func ParseQuery(f *File, tokens []Token) (*Query, error) {
	p := &parser{file: f, tokens: tokens}
	q := p.query()
	return q, p.finish()
}

// ParseExpression reads one expression of all tokens given, as ParseQuery a query.
func ParseExpression(f *File, tokens []Token) (Expr, error) {
	p := &parser{file: f, tokens: tokens}
	x := p.expression()
	return x, p.finish()
}

// ParseType reads the type that tokens begin with, and tells how many it takes.
func ParseType(f *File, tokens []Token) (t schema.Type, taken int, err error) {
	p := &parser{file: f, tokens: tokens}
	t = p.dataType()
	if p.problem != nil {
		return nil, 0, p.problem
	}
	return t, p.at, nil
}

func (p *parser) finish() error {
	if p.problem == nil && p.peek().Kind != End {
		p.fail(p.peek(), "the end of the statement")
	}
	if p.problem != nil {
		return p.problem
	}
	return nil
}

// fail tells what was found and wanted. Only the first problem is told.
func (p *parser) fail(t Token, want string) { p.failHinted(t, want, "") }

// failHinted is fail with a hint.
func (p *parser) failHinted(t Token, want, hint string) {
	if p.problem == nil {
		p.problem = p.file.Problem(diag.SQLSyntax, t.At, "found %s, want %s", t.Describe(), want)
		p.problem.Hint = hint
		p.at = len(p.tokens)
	}
}

// refuse tells of something that is Spark's and not ours.
func (p *parser) refuse(t Token, what, hint string) {
	if p.problem == nil {
		p.problem = p.file.Problem(diag.SQLRefused, t.At, "%s is not understood", what).Hinted("%s", hint)
		p.at = len(p.tokens)
	}
}

func (p *parser) peekAt(n int) Token {
	if p.at+n < len(p.tokens) {
		return p.tokens[p.at+n]
	}
	if len(p.tokens) == 0 {
		return Token{Kind: End}
	}
	last := p.tokens[len(p.tokens)-1]
	return Token{Range: Range{last.End, last.End}, Kind: End}
}

func (p *parser) peek() Token { return p.peekAt(0) }

func (p *parser) next() Token {
	t := p.peek()
	if p.at < len(p.tokens) {
		p.at++
	}
	return t
}

// is reports whether the next tokens are keywords or marks in a row.
func (p *parser) is(words ...string) bool {
	for i, w := range words {
		if !p.peekAt(i).Is(w) {
			return false
		}
	}
	return true
}

// take passes over keywords or marks in a row, if they are there.
func (p *parser) take(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.at += len(words)
	return true
}

// want passes over a keyword or mark that must be there.
func (p *parser) want(word string) Token {
	t := p.peek()
	if !t.Is(word) {
		p.fail(t, word)
		return t
	}
	return p.next()
}

// since is the range from a token's place to behind the last one that was read.
func (p *parser) since(at Pos) Range {
	if p.at == 0 || p.at > len(p.tokens) {
		return Range{at, at}
	}
	return Range{at, max(at, p.tokens[p.at-1].End)}
}

func (p *parser) ident(what string) Ident {
	t := p.peek()
	if t.Kind != Word && t.Kind != Quoted {
		p.fail(t, what)
		return Ident{Range: t.Range}
	}
	p.at++
	return Ident{Range: t.Range, Name: t.Text}
}

// names reads names between dots.
func (p *parser) names(what string) []Ident {
	out := []Ident{p.ident(what)}
	for p.is(".") && !p.peekAt(1).Is("*") {
		p.at++
		out = append(out, p.part())
	}
	return out
}

// part is a name behind a dot, where keywords are plain names.
func (p *parser) part() Ident { return p.ident("a name") }

// idents reads names between commas and parentheses.
func (p *parser) idents(what string) []Ident {
	p.want("(")
	var out []Ident
	for p.problem == nil {
		out = append(out, p.ident(what))
		if !p.take(",") {
			break
		}
	}
	p.want(")")
	return out
}

// deeper guards against texts that nest too deep.
func (p *parser) deeper() bool {
	p.depth++
	if p.depth > mostDepth {
		p.fail(p.peek(), "fewer than 200 levels")
		return false
	}
	return true
}

// scalarType is the spelling of DDL for a word of Spark's; other words stay as they are.
func scalarType(word string) string {
	switch word {
	case "byte":
		return "tinyint"
	case "short":
		return "smallint"
	case "integer":
		return "int"
	case "long":
		return "bigint"
	case "real":
		return "float"
	case "dec", "numeric":
		return "decimal"
	case "timestamp_ltz":
		return "timestamp"
	case "character", "char", "varchar":
		return "string"
	case "bool":
		return "boolean"
	}
	return word
}

// dataType reads a type: a word, with lengths in parentheses or parts between < and >.
func (p *parser) dataType() schema.Type {
	begun := p.peek()
	if begun.Kind != Word {
		p.fail(begun, "a type")
		return nil
	}
	var text strings.Builder
	p.typeText(&text)
	if p.problem != nil {
		return nil
	}
	t, err := schema.ParseDDL(text.String())
	if err != nil {
		p.failHinted(begun, "a type of Spark", "types are written as in BIGINT, DECIMAL(18,2), ARRAY<STRING>, STRUCT<a: INT>")
		return nil
	}
	return t
}

func (p *parser) typeText(out *strings.Builder) {
	word := p.next()
	written := strings.ToLower(word.Text)
	name := scalarType(written)
	out.WriteString(name)
	switch {
	case p.is("(") && name == "string" && written != name:
		p.group(nil)
	case p.is("("):
		p.group(out)
	case p.is("<"):
		p.typeParts(out, name == "struct")
	case p.is("<>"):
		p.at++
		out.WriteString("<>")
	}
}

// group copies what stands in parentheses.
func (p *parser) group(out *strings.Builder) {
	for p.problem == nil {
		t := p.next()
		if out != nil {
			out.WriteString(t.Text)
		}
		if t.Is(")") {
			return
		}
		if t.Kind == End {
			p.fail(t, ")")
		}
	}
}

func (p *parser) typeParts(out *strings.Builder, fields bool) {
	p.want("<")
	out.WriteByte('<')
	for i := 0; p.problem == nil; i++ {
		if i > 0 {
			out.WriteByte(',')
		}
		if fields {
			name := p.ident("the name of a field")
			out.WriteString("`" + strings.ReplaceAll(name.Name, "`", "``") + "`:")
			p.take(":")
		}
		p.typeText(out)
		for p.take("NOT", "NULL") {
			out.WriteString(" not null")
		}
		if p.take("COMMENT") {
			p.next()
		}
		if !p.take(",") {
			break
		}
	}
	p.want(">")
	out.WriteByte('>')
}
