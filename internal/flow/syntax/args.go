package syntax

// args reads arguments behind an opening parenthesis, and the closing one.
func (p *parser) args() Args {
	var out Args
	if !p.enter() {
		return out
	}
	defer p.leave()
	if p.peek().is(")") {
		out.End = p.comments()
		p.take()
		return out
	}
	for {
		before := p.at
		out.List = append(out.List, p.arg())
		last := &out.List[len(out.List)-1]
		last.Trail = p.trail(last.Trail)
		switch t := p.peek(); {
		case t.is(")"):
			out.End = p.comments()
			p.take()
			return out
		case t.is(","):
			p.take()
			last.Trail = p.trail(last.Trail)
			if p.peek().is(")") { // a comma too many, as the service's own pages have it
				out.End = p.comments()
				p.take()
				return out
			}
		case t.kind == endOfText || t.kind == arrow:
			p.problem(t, `want "," or ")"`).hint("close the parenthesis with )")
			return out
		default:
			p.problem(t, `want "," or ")"`).hint("separate settings with a comma")
			if p.at == before || !p.begins(t) {
				p.skip(",", ")")
				p.accept(",")
			}
		}
	}
}

// begins tells whether an argument may begin with a token.
func (p *parser) begins(t token) bool { return t.isName() || t.kind == matched || t.kind == quoted }

// enter goes a level deeper, and tells when that is too deep.
func (p *parser) enter() bool {
	if p.depth++; p.depth <= mostDepth {
		return true
	}
	p.depth--
	p.problem(p.peek(), sprint("want at most %d levels of parentheses", mostDepth)).hint("build the value in steps, each in a derived column of its own")
	p.skip()
	return false
}

func (p *parser) leave() { p.depth-- }

// arg = option | clause | schema | pattern | assignment | expr.
func (p *parser) arg() Arg {
	out := Arg{At: p.peek().at, Lead: p.comments()}
	t, next := p.peek(), p.ahead(1)
	switch {
	case t.kind == word && next.is(":"):
		name := p.name()
		p.take()
		out.Node = &Option{Name: name, Value: p.expr()}
	case t.kind == word && next.is("(") && t.text == "each":
		out.Node = p.each()
	case t.kind == word && next.is("(") && (t.text == "output" || t.text == "input"):
		out.Node = p.schema()
	case t.kind == word && next.is("(") && p.words.clauses[t.text]:
		name := p.name()
		p.take()
		out.Node = &Clause{Name: name, Args: p.args()}
	default:
		out.Node = p.assignment()
	}
	return out
}

// assignment = expr [ "=" expr ].
func (p *parser) assignment() Node {
	x := p.expr()
	if !p.accept("=") {
		return &Value{x}
	}
	return &Assign{Target: x, Value: p.expr()}
}

// each = "each" "(" [ path "," ] matcher { "," name "=" expr } ")".
func (p *parser) each() Node {
	p.take()
	p.take()
	out := &Each{}
	if !p.matcher(out) {
		out.Path = p.expr()
		if p.accept(",") && !p.matcher(out) {
			p.problem(p.peek(), "want match(condition)").hint("say which columns are meant, as in: each(match(true()), $$ = trim($$))")
			p.skip(")")
		}
	}
	if t := p.peek(); t.is(",") {
		p.take()
		out.Pairs = p.args()
		return out
	}
	out.Pairs.End = p.comments()
	p.want(")", "close the pattern with )")
	return out
}

// matcher = "match" "(" expr ")" | "patternMatch" "(" text ")".
func (p *parser) matcher(e *Each) bool {
	t := p.peek()
	if t.kind != word || t.text != "match" && t.text != "patternMatch" || !p.ahead(1).is("(") {
		return false
	}
	e.Matcher = p.name().Text
	p.take()
	e.Cond = p.expr()
	p.want(")", "close the condition with )")
	return true
}

// schema = name "(" [ column { "," column } ] ")".
func (p *parser) schema() Node {
	out := &Schema{Name: p.name()}
	p.take()
	out.Columns, out.End = p.fields()
	return out
}

// fields reads columns with their types behind an opening parenthesis.
func (p *parser) fields() (list []Field, end []Comment) {
	if !p.enter() {
		return nil, nil
	}
	defer p.leave()
	for {
		t := p.peek()
		switch {
		case t.is(")"):
			end = p.comments()
			p.take()
			return list, end
		case t.kind == endOfText || t.kind == arrow:
			p.problem(t, `want ")"`).hint("close the list of columns with )")
			return list, nil
		case !t.isName():
			p.problem(t, "want the name of a column").hint("declare columns as in: order_id as integer, {ship region} as string")
			p.skip(",", ")")
			p.accept(",")
			continue
		}
		f := p.field()
		f.Trail = p.trail(nil)
		if !p.peek().is(")") && !p.want(",", "separate columns with a comma") && !p.begins(p.peek()) {
			p.skip(",", ")")
			p.accept(",")
		}
		f.Trail = p.trail(f.Trail)
		list = append(list, f)
	}
}

// field = name [ "as" type [ text ] ].
func (p *parser) field() Field {
	out := Field{At: p.peek().at, Lead: p.comments()}
	out.Name = p.name()
	if p.peek().is(",") || p.peek().is(")") {
		return out
	}
	if !p.as("declare the column as in: " + out.Name.Text + " as string") {
		return out
	}
	out.Type = p.typed()
	if t := p.peek(); t.kind == quoted || t.kind == template {
		out.Format = p.primary()
	}
	return out
}

// typed = base [ "(" number { "," number } ")" ] | "(" fields ")" | "[" type "," type "]", each with { "[" "]" }.
func (p *parser) typed() *Type {
	t := p.peek()
	out := &Type{At: t.at}
	if !p.enter() {
		return out
	}
	defer p.leave()
	switch {
	case t.is("("):
		p.take()
		out.Fields, p.pending = p.structFields()
	case t.is("["):
		p.take()
		out.Key = p.typed()
		p.want(",", "a map has the types of its keys and values: [string, integer]")
		out.Value = p.typed()
		p.want("]", "close the type of the map with ]")
	case t.kind == word:
		out.Base = p.take().text
		p.known(t)
		if t.text == "decimal" && p.peek().is("(") {
			p.take()
			out.Params = p.numbers()
		}
	default:
		p.problem(t, "want a type").hint("types are %s, T[], (a as T) and [K,V]", list(baseTypes()))
		return out
	}
	for p.peek().is("[") && p.ahead(1).is("]") {
		p.take()
		p.take()
		out.Dims++
	}
	return out
}

// structFields are the members of a struct; comments at its end wait for the next node.
func (p *parser) structFields() ([]Field, []Comment) {
	fields, end := p.fields()
	return fields, append(end, p.pending...)
}

// numbers are precision and scale.
func (p *parser) numbers() []string {
	var out []string
	for {
		t := p.peek()
		if t.kind != number {
			p.problem(t, "want a number").hint("write precision and scale as in: decimal(18,2)")
			p.skip(")")
			p.accept(")")
			return out
		}
		out = append(out, p.take().text)
		if p.accept(")") {
			return out
		}
		if !p.want(",", "write precision and scale as in: decimal(18,2)") {
			p.skip(")")
			p.accept(")")
			return out
		}
	}
}
