package notebook

import (
	"maps"
	"slices"
	"strings"
)

// deepest bounds how deep expressions are nested.
const deepest = 100

// parser evaluates the statements of a Python text, as far as texts and chains
// of calls go. Whatever else it meets it steps over.
type parser struct {
	tokens []token
	at     int
	cell   int
	depth  int
	// vars are the variables as far as they are known.
	vars map[string]value
	// seen hears of every chain.
	seen func(*chain)
	// functions are those whose body is being read, from the outermost in.
	functions []function
	// decorators stand before the next function.
	decorators []value
}

// function is a function whose body is being read.
type function struct {
	name       string
	indent     int
	decorators []value
	vars       map[string]value // those outside
}

func (p *parser) peek() token {
	if p.at < len(p.tokens) {
		return p.tokens[p.at]
	}
	return token{kind: endOfLine}
}

func (p *parser) next() token {
	t := p.peek()
	p.at++
	return t
}

// is reports whether the next token is a sign or word.
func (p *parser) is(body string) bool {
	t := p.peek()
	return (t.kind == sign || t.kind == word) && t.body == body
}

func (p *parser) take(body string) bool {
	if p.is(body) {
		p.at++
		return true
	}
	return false
}

func (p *parser) place(t token) Place { return Place{p.cell, t.line} }

// statements reads the whole text.
func (p *parser) statements() {
	for p.at < len(p.tokens) {
		p.leave(p.peek())
		p.statement()
		p.endLine()
	}
}

// endLine steps over the rest of a logical line.
func (p *parser) endLine() {
	for p.peek().kind != endOfLine {
		p.at++
	}
	p.at++
}

// leave ends the functions whose body the next line is not part of.
func (p *parser) leave(first token) {
	for n := len(p.functions); n > 0 && first.kind != endOfLine && first.indent <= p.functions[n-1].indent; n-- {
		p.vars = p.functions[n-1].vars
		p.functions = p.functions[:n-1]
	}
}

// statement reads one logical line, or as much of it as is understood.
func (p *parser) statement() {
	for p.peek().kind != endOfLine {
		start := p.at
		switch {
		case p.take("@"):
			p.decorators = append(p.decorators, p.expression())
			return
		case p.take("async"):
		case p.is("def"):
			p.function()
		case p.isWord("class", "import", "from", "global", "nonlocal", "pass"):
			return
		case p.isWord("return", "with", "if", "elif", "while", "else", "try", "for", "in", "as", "await", "yield", "assert", "raise", "del", "except", "finally"):
			p.at++
		case p.take(":") || p.take(","):
		default:
			p.assignment()
		}
		if p.at == start {
			p.at++
		}
	}
}

func (p *parser) isWord(words ...string) bool {
	t := p.peek()
	return t.kind == word && slices.Contains(words, t.body)
}

// function reads the head of a function; its parameters are not known.
func (p *parser) function() {
	def := p.next()
	f := function{name: p.peek().body, indent: p.indentOf(def), decorators: p.decorators, vars: p.vars}
	p.decorators = nil
	p.at++
	p.vars = maps.Clone(p.vars)
	if p.take("(") {
		for p.peek().kind != endOfLine && !p.take(")") {
			if t := p.next(); t.kind == word {
				p.vars[t.body] = value{name: t.body}
			}
			p.skipTo(",", ")")
			p.take(",")
		}
	}
	p.functions = append(p.functions, f)
	p.skipTo(":")
}

// indentOf is the column of the line that a token begins, where it does.
func (p *parser) indentOf(t token) int {
	for i := p.at - 2; i >= 0 && p.tokens[i].kind != endOfLine; i-- {
		t = p.tokens[i]
	}
	return t.indent
}

// assignment reads name = expression, or a plain expression.
func (p *parser) assignment() {
	var names []string
	for p.peek().kind == word && p.at+1 < len(p.tokens) {
		name, mark := p.peek(), p.at
		p.at++
		if p.take(":") {
			p.skipTo("=")
		}
		if p.take("+=") {
			p.vars[name.body] = p.variable(name.body).plus(p.expression())
			return
		}
		if !p.take("=") {
			p.at = mark
			break
		}
		names = append(names, name.body)
	}
	v := p.expression()
	for _, name := range names {
		if p.vars[name] = v; !v.isText && !v.isDict && !v.isList && v.chain == nil {
			p.vars[name] = value{name: name}
		}
	}
}

func (p *parser) variable(name string) value {
	if v, ok := p.vars[name]; ok {
		return v
	}
	return value{name: name}
}

// skipTo steps to one of the signs at this depth, or to the end.
func (p *parser) skipTo(signs ...string) {
	depth := 0
	for p.peek().kind != endOfLine {
		t := p.peek()
		if t.kind == sign {
			if depth == 0 && slices.Contains(signs, t.body) {
				return
			}
			switch t.body {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				if depth == 0 {
					return
				}
				depth--
			}
		}
		p.at++
	}
}

// expression reads an expression.
func (p *parser) expression() value {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > deepest {
		p.skipTo(",")
		return value{}
	}
	for p.isWord("not", "await") || p.peek().kind == sign && strings.Contains(" - + ~ * ** ", " "+p.peek().body+" ") {
		p.at++ // none of them matters here
	}
	if p.take("lambda") {
		p.skipTo(",")
		return value{name: "lambda"}
	}
	v := p.postfix()
	for {
		switch {
		case p.take("+"):
			v = v.plus(p.postfix())
		case p.take("|"):
			v = v.plus(p.postfix())
		case p.take("%"):
			v = v.modulo(p.postfix())
		case p.take("/"):
			v = known(strings.TrimSuffix(v.put(), "/") + "/" + p.postfix().put())
		case p.isWord("if", "or", "and", "in", "is", "not") || p.operator():
			p.at++
			p.take("not")
			p.postfix()
			v = value{name: v.called()}
			if p.take("else") {
				p.expression()
			}
		default:
			return v
		}
	}
}

// operator reports whether the next sign joins two expressions.
func (p *parser) operator() bool {
	t := p.peek()
	return t.kind == sign && strings.Contains(" - * ** // == != < > <= >= << >> & ^ := ", " "+t.body+" ")
}

// postfix reads an atom with what follows it: attributes, calls, indexes.
func (p *parser) postfix() value {
	v := p.atom()
	for {
		t := p.peek()
		switch {
		case p.take("."):
			v = v.attribute(p.next().body, p.place(t))
		case p.take("("):
			v = v.call(p.items(")"), p.place(t))
		case p.take("["):
			var key value
			if items := p.items("]"); len(items) == 1 {
				key = items[0].value
			}
			v = v.index(key)
		default:
			if v.chain != nil {
				p.seen(v.chain)
			}
			return v
		}
	}
}

// atom reads a name, a literal, or what stands in brackets.
func (p *parser) atom() value {
	switch t := p.peek(); {
	case t.kind == text:
		return p.texts()
	case t.kind == number:
		p.at++
		return known(t.body)
	case t.kind == word:
		p.at++
		if t.body == "True" || t.body == "False" {
			return known(strings.ToLower(t.body))
		}
		return p.variable(t.body)
	case p.take("("):
		items := p.items(")")
		if len(items) == 1 && p.tokens[p.at-1].body == ")" && !p.commaBefore() {
			return items[0].value
		}
		return value{isList: true, items: items}
	case p.take("["):
		return value{isList: true, items: p.items("]")}
	case p.take("{"):
		return value{isDict: true, items: p.items("}")}
	case t.kind == endOfLine || t.body == ")" || t.body == "]" || t.body == "}" || t.body == "," || t.body == ":":
		return value{}
	}
	p.at++
	return value{}
}

// commaBefore reports whether a comma stands before the bracket just read.
func (p *parser) commaBefore() bool { return p.at >= 2 && p.tokens[p.at-2].body == "," }

// texts reads strings that stand side by side.
func (p *parser) texts() value {
	var b strings.Builder
	for p.peek().kind == text {
		b.WriteString(p.literal(p.next()))
	}
	return known(b.String())
}

// items reads arguments or elements up to a closing bracket.
func (p *parser) items(closing string) []item {
	var items []item
	for p.peek().kind != endOfLine && !p.take(closing) {
		start := p.at
		first := p.peek()
		it := item{at: p.place(first), spread: first.body == "**" && first.kind == sign}
		named := first.kind == word && p.at+1 < len(p.tokens) && p.tokens[p.at+1].body == "=" && p.tokens[p.at+1].kind == sign
		if named {
			it.key = first.body
			p.at += 2
		}
		it.value = p.expression()
		if p.take(":") { // of a mapping; a slice has no key that matters
			it.key = it.value.put()
			it.value = p.expression()
		}
		items = append(items, it)
		p.skipTo(",", closing) // the rest of a comprehension
		p.take(",")
		if p.at == start {
			p.at++
		}
	}
	return items
}
