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
	Cursor
	file    *File
	depth   int
	problem *diag.Diagnostic
}

// ParseQuery reads one query of all tokens given; a token End may close them. The error
// is a *diag.Diagnostic.
func ParseQuery(f *File, tokens []Token) (*Query, error) {
	p := &parser{file: f, Cursor: Cursor{Tokens: tokens}}
	q := p.query()
	return q, p.finish()
}

// ParseExpression reads one expression of all tokens given, as ParseQuery a query.
func ParseExpression(f *File, tokens []Token) (Expr, error) {
	p := &parser{file: f, Cursor: Cursor{Tokens: tokens}}
	x := p.expression()
	return x, p.finish()
}

// ParseType reads the type that tokens begin with, and tells how many it takes.
func ParseType(f *File, tokens []Token) (t schema.Type, taken int, err error) {
	p := &parser{file: f, Cursor: Cursor{Tokens: tokens}}
	t = p.dataType()
	if p.problem != nil {
		return nil, 0, p.problem
	}
	return t, p.At, nil
}

func (p *parser) finish() error {
	if p.problem == nil && p.Peek().Kind != End {
		p.fail(p.Peek(), "the end of the statement")
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
		p.At = len(p.Tokens)
	}
}

// refuse tells of something that is Spark's and not ours.
func (p *parser) refuse(t Token, what, hint string) {
	if p.problem == nil {
		p.problem = p.file.Problem(diag.SQLRefused, t.At, "%s is not understood", what).Hinted("%s", hint)
		p.At = len(p.Tokens)
	}
}

// want passes over a keyword or mark that must be there.
func (p *parser) want(word string) Token {
	t := p.Peek()
	if !t.Is(word) {
		p.fail(t, word)
		return t
	}
	return p.Next()
}

// since is the range from a token's place to behind the last one that was read.
func (p *parser) since(at Pos) Range {
	if p.At == 0 || p.At > len(p.Tokens) {
		return Range{at, at}
	}
	return Range{at, max(at, p.Tokens[p.At-1].End)}
}

func (p *parser) ident(what string) Ident {
	t := p.Peek()
	if t.Kind != Word && t.Kind != Quoted {
		p.fail(t, what)
		return Ident{Range: t.Range}
	}
	p.At++
	return Ident{Range: t.Range, Name: t.Text}
}

// names reads names between dots.
func (p *parser) names(what string) []Ident {
	out := []Ident{p.ident(what)}
	for p.Is(".") && !p.PeekAt(1).Is("*") {
		p.At++
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
		if !p.Take(",") {
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
		p.fail(p.Peek(), "fewer than 200 levels")
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
	begun := p.Peek()
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
	word := p.Next()
	written := strings.ToLower(word.Text)
	name := scalarType(written)
	out.WriteString(name)
	switch {
	case p.Is("(") && name == "string" && written != name:
		p.group(nil)
	case p.Is("("):
		p.group(out)
	case p.Is("<"):
		p.typeParts(out, name == "struct")
	case p.Is("<>"):
		p.At++
		out.WriteString("<>")
	}
}

// group copies what stands in parentheses.
func (p *parser) group(out *strings.Builder) {
	for p.problem == nil {
		t := p.Next()
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
			p.Take(":")
		}
		p.typeText(out)
		for p.Take("NOT", "NULL") {
			out.WriteString(" not null")
		}
		if p.Take("COMMENT") {
			p.Next()
		}
		if !p.Take(",") {
			break
		}
	}
	p.want(">")
	out.WriteByte('>')
}
