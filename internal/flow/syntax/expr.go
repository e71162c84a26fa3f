package syntax

import (
	"fmt"
	"strconv"
	"strings"

	"landfall/internal/diag"
)

func sprint(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// The binding of operators, from loose to tight. The service's pages do not say it;
// this is that of the languages around it, and every documented example agrees.
const (
	bindPair = iota + 1
	bindCast
	bindOr
	bindAnd
	bindBitOr
	bindXor
	bindBitAnd
	bindEqual
	bindCompare
	bindAdd
	bindMultiply
	bindUnary
	bindPostfix
)

// binding is how tight an operator between two expressions binds, 0 for what is none.
func binding(op string) int {
	switch op {
	case "->":
		return bindPair
	case "?":
		return bindCast
	case "||":
		return bindOr
	case "&&":
		return bindAnd
	case "|":
		return bindBitOr
	case "^":
		return bindXor
	case "&":
		return bindBitAnd
	case "==", "!=", "===", "<=>":
		return bindEqual
	case "<", "<=", ">", ">=":
		return bindCompare
	case "+", "-":
		return bindAdd
	case "*", "/", "%":
		return bindMultiply
	}
	return 0
}

// mostOperators bounds how many operators follow each other without parentheses.
const mostOperators = 10_000

// missing is what stands for an expression that is not there. It is only in trees of
// texts that are no scripts.
func missing(at Pos) Expr { return &Column{Name: Name{At: at, Text: "missing", Braced: true}} }

// expr reads an expression.
func (p *parser) expr() Expr {
	if !p.enter() {
		return missing(p.peek().at)
	}
	defer p.leave()
	return p.operators(bindPair)
}

// operators reads operators that bind at least so tight, and what is between them.
func (p *parser) operators(least int) Expr {
	x := p.unary()
	for n := 0; ; n++ {
		t := p.peek()
		b := 0
		if t.kind == symbol {
			b = binding(t.text)
		}
		if b < least || b == 0 {
			return x
		}
		if n == mostOperators {
			p.problem(t, sprint("want at most %d operators in a row", mostOperators)).hint("build the value in steps")
			p.skip()
			return x
		}
		p.take()
		if b == bindCast {
			x = &Cast{X: x, Type: p.typed()}
			continue
		}
		x = &Binary{Op: t.text, X: x, Y: p.operators(b + 1)}
	}
}

// unary = { "!" | "-" } postfix.
func (p *parser) unary() Expr {
	t := p.peek()
	if !t.is("!") && !t.is("-") {
		return p.postfix()
	}
	if !p.enter() {
		return missing(t.at)
	}
	defer p.leave()
	notes := p.comments()
	p.take()
	return noted(notes, &Unary{At: t.at, Op: t.text, X: p.unary()})
}

func noted(notes []Comment, x Expr) Expr {
	if len(notes) == 0 {
		return x
	}
	return &Noted{Comments: notes, X: x}
}

// postfix = primary { "." name | "[" expr "]" }.
func (p *parser) postfix() Expr {
	notes := p.comments()
	x := p.primary()
	for n := 0; n < mostOperators; n++ {
		switch t := p.peek(); {
		case t.is("."):
			p.take()
			if !p.peek().isName() {
				p.problem(p.peek(), "want the name of a field").hint("name the field as in: address.city")
				return noted(notes, x)
			}
			x = &Member{X: x, Name: p.name()}
		case t.is("["):
			p.take()
			x = &Index{X: x, I: p.expr()}
			p.want("]", "close the index with ]")
		default:
			return noted(notes, x)
		}
	}
	return noted(notes, x)
}

// primary reads an operand.
func (p *parser) primary() Expr {
	t := p.peek()
	switch t.kind {
	case word, braced:
		return p.named()
	case number:
		p.take()
		return &Number{At: t.at, Text: t.text}
	case quoted:
		p.take()
		return &Text{At: t.at, Quote: t.quote, Raw: t.text}
	case template:
		p.take()
		return p.interpolated(t)
	case param:
		p.take()
		return &Param{At: t.at, Name: t.text}
	case matched:
		p.take()
		group := -1
		if t.text != "$" {
			group, _ = strconv.Atoi(t.text) // the scanner lets three digits through
		}
		return &Matched{At: t.at, Group: group}
	case variable:
		p.take()
		return &Variable{At: t.at, Name: t.text}
	}
	return p.bracketed(t)
}

// bracketed reads an operand that begins with a mark.
func (p *parser) bracketed(t token) Expr {
	switch {
	case t.is("("):
		p.take()
		x := p.expr()
		p.want(")", "close the parenthesis with )")
		return &Paren{At: t.at, X: x}
	case t.is("["):
		p.take()
		return &Array{At: t.at, Items: p.list("]")}
	case t.is("@") && p.ahead(1).is("("):
		p.take()
		p.take()
		return &Struct{At: t.at, Args: p.args()}
	case t.is(":") && p.ahead(1).kind == word:
		p.take()
		return &Local{At: t.at, Name: p.take().text}
	}
	d := p.problem(t, "want an expression").hint("write a column, a value or a function")
	if t.is("=") {
		d.hint("equality is written ==")
	}
	return missing(t.at)
}

// named reads what begins with a name: a column, a function, a cached lookup.
func (p *parser) named() Expr {
	t := p.peek()
	name := p.name()
	switch next := p.peek(); {
	case next.is("(") && t.kind == word:
		p.take()
		return &Call{Name: name, Args: p.list(")")}
	case next.kind == variable && p.ahead(1).is("("):
		p.take()
		p.take()
		return &Call{Cache: name, Name: Name{At: next.at + 1, Text: next.text}, Args: p.list(")")}
	}
	out := &Column{Name: name}
	for p.peek().is("@") {
		p.take()
		if !p.peek().isName() {
			p.problem(p.peek(), "want the name of a column").hint("name the column of a stream as in: Orders@id")
			return out
		}
		out.Streams = append(out.Streams, out.Name)
		out.Name = p.name()
	}
	return out
}

// list reads expressions up to a closing mark, and the mark.
func (p *parser) list(end string) []Expr {
	var out []Expr
	if p.accept(end) {
		return out
	}
	for {
		out = append(out, p.expr())
		if p.accept(end) {
			return out
		}
		if p.accept(",") {
			continue
		}
		t := p.peek()
		d := p.problem(t, `want "," or "`+end+`"`).hint("close with %s, or separate the values with a comma", end)
		if t.is("=") {
			d.hint("equality is written ==")
		}
		if t.is(")") || t.kind == arrow || t.kind == endOfText {
			return out
		}
		p.skip(",", end, ")")
		if p.accept(end) || !p.accept(",") {
			return out
		}
	}
}

// interpolated makes expressions of the tokens within a text.
func (p *parser) interpolated(t token) Expr {
	out := &Interpolated{At: t.at}
	for _, part := range t.parts {
		if part.tokens == nil {
			out.Parts = append(out.Parts, Part{Raw: part.raw})
			continue
		}
		inner := &parser{file: p.file, problems: p.problems, words: p.words, tokens: part.tokens, depth: p.depth, where: p.where, told: p.told}
		x := inner.expr()
		if end := inner.peek(); end.kind != endOfText {
			inner.problem(end, `want "}"`).hint(`close the expression with }, or write \{ for a brace that belongs to the text`)
		}
		p.pending = append(p.pending, inner.pending...)
		p.pending = append(p.pending, inner.peek().comments...)
		p.told = inner.told
		out.Parts = append(out.Parts, Part{X: x})
	}
	return out
}

// Value is the text that is meant: escapes are resolved, but in backticks.
func (e *Text) Value() string {
	if e.Quote == '`' {
		return e.Raw
	}
	return Unescape(e.Raw)
}

// Unescape resolves the escapes of a text between quotes. One that is not known stands
// for the character behind the backslash.
func Unescape(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			b.WriteByte(raw[i])
			continue
		}
		i++
		switch raw[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		default:
			b.WriteByte(raw[i])
		}
	}
	return b.String()
}

// known tells of a type that there is not.
func (p *parser) known(t token) {
	for _, base := range baseTypes() {
		if base == t.text {
			return
		}
	}
	d := p.problem(t, "want a type")
	d.told.Code = diag.FlowName
	d.hint("types are %s, T[], (a as T) and [K,V]", list(baseTypes()))
	if near := diag.Nearest(t.text, baseTypes()); near != "" {
		d.hint("did you mean %s?", near)
	}
}
