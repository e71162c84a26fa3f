package syntax

import (
	"landfall/internal/diag"
)

// Parse reads a script. What it returns is never nil: of a text that is no script it is
// what could be read, and the error holds all problems, in the order of the text, each
// a *diag.Diagnostic with its place, its line and what to do.
func Parse(f *File) (*Script, error) {
	var problems diag.List
	if len(f.Text) > mostText {
		problems.Add(f.Problem(diag.FlowSyntax, 0, "found a script of %d bytes, want at most %d", len(f.Text), mostText).Hinted("name a data flow"))
		return &Script{}, problems.Err()
	}
	p := &parser{file: f, problems: &problems, words: newVocabulary()}
	p.tokens = scan(f, &problems)
	script := p.script()
	check(f, script, p.words, p.unread(), &problems)
	return script, problems.Err()
}

// unread are the names of all streams of a text that could not be read whole, nil if it
// could: what is missing in the tree may be there in the text.
func (p *parser) unread() map[string]bool {
	if len(*p.problems) == 0 {
		return nil
	}
	names := map[string]bool{}
	for i, t := range p.tokens[:len(p.tokens)-1] {
		if next := p.tokens[i+1]; (t.kind == arrow || t.is(")")) && next.isName() {
			names[next.text] = true
		}
	}
	return names
}

// mostText bounds the bytes of a script: the largest that people publish have a hundredth.
const mostText = 16 << 20

// ParseExpr reads a single expression, such as a parameter's value.
func ParseExpr(f *File) (Expr, error) {
	var problems diag.List
	p := &parser{file: f, problems: &problems, words: newVocabulary()}
	p.tokens = scan(f, &problems)
	x := p.expr()
	if t := p.peek(); t.kind != endOfText && len(problems) == 0 {
		p.problem(t, "want an operator or the end").hint("join the parts with an operator")
	}
	return x, problems.Err()
}

// parser makes a tree of tokens. A rule that meets what it does not want tells of it,
// and returns what it has; the rule around it goes on at a place that it knows.
type parser struct {
	file     *File
	problems *diag.List
	words    vocabulary
	tokens   []token
	at       int
	// pending are comments whose token has no place for them; the next node has.
	pending []Comment
	depth   int
	// told is the token of the last problem: one token has one.
	told int
	// where is the transformation that is being read.
	where string
}

func (p *parser) peek() token { return p.tokens[p.at] }

// ahead is the token n behind the next one.
func (p *parser) ahead(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

// take goes past a token. Its comments wait for the next node.
func (p *parser) take() token {
	t := p.tokens[p.at]
	if t.kind != endOfText {
		p.at++
	}
	p.pending = append(p.pending, t.comments...)
	return t
}

// comments are those that a node which begins here has before it.
func (p *parser) comments() []Comment {
	t := &p.tokens[p.at]
	all := append(p.pending, t.comments...)
	p.pending, t.comments, t.same = nil, nil, 0
	return all
}

// trailing are the comments behind what was read, on its line.
func (p *parser) trailing() []Comment {
	t := &p.tokens[p.at]
	all := append(p.pending, t.comments[:t.same]...)
	p.pending, t.comments, t.same = nil, t.comments[t.same:], 0
	return all
}

// trail adds comments behind what was read to those that it has. One that ends its line
// is the last; others behind it belong to what follows.
func (p *parser) trail(have []Comment) []Comment {
	if n := len(have); n > 0 && have[n-1].Line() {
		return have
	}
	all := append(have, p.trailing()...)
	for i, c := range all[:max(len(all)-1, 0)] {
		if c.Line() {
			p.pending = all[i+1:]
			return all[: i+1 : i+1]
		}
	}
	return all
}

func (t token) is(text string) bool { return t.kind == symbol && t.text == text }

func (t token) isName() bool { return t.kind == word || t.kind == braced }

// accept goes past a symbol if it is next.
func (p *parser) accept(text string) bool {
	if p.peek().is(text) {
		p.take()
		return true
	}
	return false
}

// found says what a token is, as a message begins.
func (t token) found() string {
	switch t.kind {
	case endOfText:
		if t.text == "}" { // that of an expression within a text
			return diag.Quote(t.text)
		}
		return "the end of the script"
	case braced:
		return diag.Quote("{" + t.text + "}")
	case quoted, template:
		return "a text"
	case param, matched:
		return diag.Quote("$" + t.text)
	case variable:
		return diag.Quote("#" + t.text)
	case arrow:
		return `"~>"`
	}
	return diag.Quote(t.text)
}

// problem tells of a token that a rule does not want; a second time it is silent.
func (p *parser) problem(t token, want string) problem {
	format := "found %s, " + want
	if p.where != "" {
		format = p.where + ": " + format
	}
	d := syntaxProblem(p.file, t.at, "%s", "")
	d.Message = sprint(format, t.found())
	if p.told != int(t.at)+1 {
		p.problems.Add(d)
	}
	p.told = int(t.at) + 1
	return problem{d}
}

// want goes past a symbol, or tells that it is missing.
func (p *parser) want(text, hint string) bool {
	if p.accept(text) {
		return true
	}
	p.problem(p.peek(), `want "`+text+`"`).hint("%s", hint)
	return false
}

// script = [ parameters ] { statement }.
func (p *parser) script() *Script {
	s := &Script{}
	if p.peek().kind == word && p.peek().text == "parameters" && p.ahead(1).is("{") {
		s.Parameters = p.parameters()
	}
	for p.peek().kind != endOfText {
		before := p.at
		if st := p.statement(); st != nil {
			s.Statements = append(s.Statements, st)
		}
		if p.at == before {
			p.take()
		}
	}
	s.End = p.comments()
	return s
}

// parameters = "parameters" "{" [ param { "," param } ] "}".
func (p *parser) parameters() *Parameters {
	p.where = "parameters"
	block := &Parameters{Lead: p.comments()}
	p.take()
	p.take()
	for !p.accept("}") {
		t := p.peek()
		if t.kind == endOfText || t.kind == arrow {
			p.problem(t, `want "}"`).hint("close the block of parameters with }")
			return block
		}
		block.List = append(block.List, p.parameter())
		if p.peek().is("}") {
			last := &block.List[len(block.List)-1]
			last.Trail = p.trail(last.Trail)
			block.End = p.comments()
			continue
		}
		if !p.want(",", "separate parameters with a comma") {
			p.skip(",", "}")
			p.accept(",")
		}
		last := &block.List[len(block.List)-1]
		last.Trail = p.trail(last.Trail)
	}
	return block
}

// skip goes to one of some symbols, or to the end of the statement.
func (p *parser) skip(to ...string) {
	for depth := 0; ; p.take() {
		t := p.peek()
		if t.kind == endOfText || t.kind == arrow {
			return
		}
		if depth == 0 {
			for _, s := range to {
				if t.is(s) {
					return
				}
			}
		}
		switch {
		case t.is("("), t.is("["):
			depth++
		case t.is(")"), t.is("]"):
			depth = max(depth-1, 0)
		}
	}
}

// param = name "as" type [ "(" expr ")" ].
func (p *parser) parameter() Parameter {
	out := Parameter{At: p.peek().at, Lead: p.comments()}
	if !p.peek().isName() {
		p.problem(p.peek(), "want the name of a parameter").hint("declare it as in: name as string ('default')")
		return out
	}
	out.Name = p.name()
	if !p.as("declare it as in: " + out.Name.Text + " as string") {
		return out
	}
	out.Type = p.typed()
	if p.accept("(") {
		out.Default = p.expr()
		p.want(")", "close the default value with )")
	}
	return out
}

func (p *parser) as(hint string) bool {
	if t := p.peek(); t.kind == word && t.text == "as" {
		p.take()
		return true
	}
	p.problem(p.peek(), `want "as" and a type`).hint("%s", hint)
	return false
}

func (p *parser) name() Name {
	t := p.take()
	return Name{At: t.at, Text: t.text, Braced: t.kind == braced}
}

// statement = [ inputs ] verb "(" [ args ] ")" "~>" stream [ "@" "(" names ")" ].
func (p *parser) statement() *Statement {
	p.where = ""
	s := &Statement{At: p.peek().at, Lead: p.comments()}
	if !p.head(s) {
		p.recover()
		return nil
	}
	p.where = s.Verb.Text
	if !p.accept("(") {
		p.problem(p.peek(), `want "("`).hint("put the settings of a transformation in parentheses")
		p.recover()
		return nil
	}
	s.Args = p.args()
	p.tail(s)
	s.Trail = p.trail(nil)
	return s
}

// head reads inputs and verb: names up to the one before the parenthesis.
func (p *parser) head(s *Statement) bool {
	for {
		t := p.peek()
		if !t.isName() {
			p.problem(t, "want a transformation").hint("a transformation is written: input verb(settings) ~> name")
			return false
		}
		name := p.name()
		if p.peek().is("(") && t.kind == word {
			s.Verb = name
			return true
		}
		in := Stream{Name: name}
		if p.accept("@") {
			if !p.peek().isName() {
				p.problem(p.peek(), "want the name of a branch").hint("name the branch of the split as in: Split@branch")
				return false
			}
			in.Branch = p.name()
		}
		s.Inputs = append(s.Inputs, in)
		if p.peek().kind == arrow {
			p.problem(p.peek(), `want a transformation with "("`).hint("a transformation is written: input verb(settings) ~> name")
			return false
		}
		p.accept(",")
	}
}

// tail reads what follows the closing parenthesis.
func (p *parser) tail(s *Statement) {
	if t := p.peek(); t.kind != arrow {
		p.problem(t, `want "~>" and the name of the stream`).hint("end the transformation with ) ~> name")
		// A name that another follows can only be the stream's.
		if next := p.ahead(1); !t.isName() || !next.isName() && next.kind != endOfText {
			if !t.isName() {
				p.recover()
			}
			return
		}
	} else {
		p.take()
	}
	if t := p.peek(); !t.isName() {
		p.problem(t, "want the name of the stream").hint("end the transformation with ) ~> name")
		return
	}
	s.Output = p.name()
	if p.peek().is("@") {
		p.take()
		p.branches(s)
	}
}

// branches = "(" name { "," name } ")".
func (p *parser) branches(s *Statement) {
	if !p.want("(", "name the branches as in: ~> Split@(first, second)") {
		return
	}
	for {
		if t := p.peek(); !t.isName() {
			p.problem(t, "want the name of a branch").hint("name the branches as in: ~> Split@(first, second)")
			return
		}
		s.Branches = append(s.Branches, p.name())
		if p.accept(")") {
			return
		}
		if !p.want(",", "separate branches with a comma") {
			return
		}
	}
}

// recover goes behind the end of a statement.
func (p *parser) recover() {
	for p.peek().kind != endOfText && p.peek().kind != arrow {
		p.take()
	}
	p.pending = nil
	if p.peek().kind == endOfText {
		return
	}
	p.take()
	if p.peek().isName() {
		p.take()
	}
	if p.peek().is("@") && p.ahead(1).is("(") {
		p.skip(")")
		p.accept(")")
	}
}
