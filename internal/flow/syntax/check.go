package syntax

import (
	"slices"
	"strings"

	"landfall/internal/diag"
)

// checker tells what is wrong with a script that can be read: names that do not exist,
// streams that lead nowhere.
type checker struct {
	file     *File
	words    vocabulary
	problems *diag.List
	// defined are the streams and their statements.
	defined map[string]*Statement
	// unread are streams of a text that could not be read whole, nil if it could.
	// Then only names are checked: of numbers and forms nothing is known.
	unread map[string]bool
}

func check(f *File, s *Script, words vocabulary, unread map[string]bool, problems *diag.List) {
	c := &checker{file: f, words: words, problems: problems, defined: map[string]*Statement{}, unread: unread}
	c.parameters(s)
	for _, st := range s.Statements {
		c.statement(st)
	}
	for _, st := range s.Statements {
		c.inputs(st)
	}
	c.cycles(s)
}

func (c *checker) add(code diag.Code, at Pos, format string, args ...any) problem {
	d := c.file.Problem(code, at, format, args...)
	c.problems.Add(d)
	return problem{d}
}

// parameters tells of two of one name.
func (c *checker) parameters(s *Script) {
	if s.Parameters == nil {
		return
	}
	seen := map[string]Pos{}
	for _, p := range s.Parameters.List {
		if at, twice := seen[p.Name.Text]; twice {
			d := c.add(diag.FlowGraph, p.At, "parameters: found %s a second time, want each name once", diag.Quote(p.Name.Text)).hint("rename one of them")
			d.told.Rule = c.file.Place(at)
			continue
		}
		seen[p.Name.Text] = p.At
	}
}

// statement checks the words of one transformation.
func (c *checker) statement(s *Statement) {
	c.define(s)
	v, known := c.words.verbs[s.Verb.Text]
	if !known {
		d := c.add(diag.FlowName, s.Verb.At, "found %s, want a transformation", diag.Quote(s.Verb.Text)).hint("transformations are %s", list(Verbs()))
		if near := diag.Nearest(s.Verb.Text, Verbs()); near != "" {
			d.hint("did you mean %s?", near)
		}
		return
	}
	if c.unread == nil {
		c.count(s, v)
		c.branches(s)
	}
	for _, a := range s.Args.List {
		c.arg(s, v, a)
	}
}

// define remembers the stream of a transformation.
func (c *checker) define(s *Statement) {
	if s.Output.Text == "" {
		return
	}
	if first := c.defined[s.Output.Text]; first != nil {
		d := c.add(diag.FlowGraph, s.Output.At, "%s: found stream %s a second time, want each name once", s.Verb.Text, diag.Quote(s.Output.Text)).hint("give one of the two streams another name")
		d.told.Rule = c.file.Place(first.Output.At)
		return
	}
	c.defined[s.Output.Text] = s
}

// count checks the number of streams that go in.
func (c *checker) count(s *Statement, v verb) {
	n := len(s.Inputs)
	want := ""
	switch {
	case n < v.least && v.most < 0:
		want = sprint("%d or more", v.least)
	case n < v.least || v.most >= 0 && n > v.most:
		want = sprint("%d", v.least)
	default:
		return
	}
	c.add(diag.FlowGraph, s.At, "%s %s: found %d inputs, want %s", s.Verb.Text, s.Output.Text, n, want).
		hint("name the streams before %s, separated with commas", s.Verb.Text)
}

// arg checks that an argument is one that the transformation has.
func (c *checker) arg(s *Statement, v verb, a Arg) {
	where := s.Verb.Text + " " + s.Output.Text
	switch n := a.Node.(type) {
	case *Option:
		c.option(where, v, n)
	case *Schema:
		if !slices.Contains(v.clauses, n.Name.Text) {
			c.unknown(where, n.Name, v.clauses, "a group of settings")
		}
	case *Clause:
		if !slices.Contains(v.clauses, n.Name.Text) {
			c.unknown(where, n.Name, v.clauses, "a group of settings")
		}
	case *Assign:
		if v.takes&takesAssigns == 0 {
			c.unfit(where, a, `"="`, v)
		}
	case *Each:
		if v.takes&takesPatterns == 0 {
			c.unfit(where, a, "a pattern", v)
		}
	case *Value:
		if v.takes&takesValues == 0 {
			c.value(where, a, n, v)
		}
	}
}

// value tells of an expression where a setting or an assignment is wanted.
func (c *checker) value(where string, a Arg, n *Value, v verb) {
	if call, ok := n.X.(*Call); ok && call.Cache.Text == "" {
		if near := diag.Nearest(call.Name.Text, v.clauses); near != "" {
			c.add(diag.FlowName, a.At, "%s: found %s, want a group of settings", where, diag.Quote(call.Name.Text)).hint("did you mean %s(…)?", near)
			return
		}
	}
	c.unfit(where, a, "an expression", v)
}

func (c *checker) unfit(where string, a Arg, found string, v verb) {
	if c.unread != nil {
		return
	}
	want := "a setting"
	hint := "its settings are " + list(append(slices.Clone(v.options), v.clauses...))
	switch {
	case v.takes&takesAssigns != 0:
		want, hint = "name = value", "name the column that takes the value, as in: total = price * 2"
	case v.takes&takesValues != 0:
		want, hint = "a condition", "write the condition alone; equality is =="
	case slices.Contains(v.clauses, "mapColumn"):
		hint = "put columns in mapColumn(…)"
	case v.connector:
		hint = "a setting is written name: value"
	}
	c.add(diag.FlowSyntax, a.At, "%s: found %s, want %s", where, found, want).hint("%s", hint)
}

// option tells of a setting that there is not. Stores and formats have more than any
// list, so there only one that is nearly a known one is wrong.
func (c *checker) option(where string, v verb, o *Option) {
	if slices.Contains(v.options, o.Name.Text) {
		return
	}
	if v.connector && !slices.ContainsFunc(v.options, func(known string) bool { return slip(o.Name.Text, known) }) {
		return
	}
	c.unknown(where, o.Name, append(slices.Clone(v.options), v.clauses...), "a setting")
}

// slip tells whether a word is another in a wrong casing, with one letter more, less
// or wrong, or with two that changed places.
func slip(got, want string) bool {
	if strings.EqualFold(got, want) {
		return true
	}
	head := 0
	for head < len(got) && head < len(want) && got[head] == want[head] {
		head++
	}
	tail := 0
	for tail < len(got)-head && tail < len(want)-head && got[len(got)-1-tail] == want[len(want)-1-tail] {
		tail++
	}
	g, w := got[head:len(got)-tail], want[head:len(want)-tail]
	return len(g) <= 1 && len(w) <= 1 || len(g) == 2 && len(w) == 2 && g[0] == w[1] && g[1] == w[0]
}

func (c *checker) unknown(where string, name Name, known []string, want string) {
	d := c.add(diag.FlowName, name.At, "%s: found %s, want %s", where, diag.Quote(name.Text), want).hint("known are %s", list(known))
	if near := diag.Nearest(name.Text, known); near != "" {
		d.hint("did you mean %s?", near)
	}
}

// branches checks the outputs of a split.
func (c *checker) branches(s *Statement) {
	split := s.Verb.Text == "split"
	if split == (len(s.Branches) > 0) {
		c.counted(s, split)
		return
	}
	if split {
		c.add(diag.FlowGraph, s.Output.At, "split %s: found no branches, want one for each condition", s.Output.Text).hint("name them as in: ~> %s@(first, rest)", s.Output.Text)
		return
	}
	c.add(diag.FlowGraph, s.Branches[0].At, "%s %s: found branches, which only a split has", s.Verb.Text, s.Output.Text).hint("take @(…) away")
}

// counted compares the branches of a split with its conditions.
func (c *checker) counted(s *Statement, split bool) {
	if !split {
		return
	}
	conditions := 0
	for _, a := range s.Args.List {
		if _, ok := a.Node.(*Value); ok {
			conditions++
		}
	}
	if n := len(s.Branches); n != conditions && n != conditions+1 {
		c.add(diag.FlowGraph, s.Output.At, "split %s: found %d branches for %d conditions, want %d, or one more for the rest", s.Output.Text, n, conditions, conditions).
			hint("name a branch for each condition, and the last for the rest")
	}
	seen := map[string]bool{}
	for _, b := range s.Branches {
		if seen[b.Text] {
			c.add(diag.FlowGraph, b.At, "split %s: found branch %s a second time, want each name once", s.Output.Text, diag.Quote(b.Text)).hint("give it another name")
		}
		seen[b.Text] = true
	}
}

// inputs checks that the streams that go in are there.
func (c *checker) inputs(s *Statement) {
	for _, in := range s.Inputs {
		from := c.defined[in.Name.Text]
		switch {
		case from == nil && c.unread[in.Name.Text]:
		case from == nil:
			c.lost(s, in)
		case from.Verb.Text == "sink":
			c.add(diag.FlowGraph, in.Name.At, "%s %s: found sink %s as an input, want a stream", s.Verb.Text, s.Output.Text, diag.Quote(in.Name.Text)).hint("take the stream that goes into the sink")
		case in.Branch.Text != "" && !slices.ContainsFunc(from.Branches, func(b Name) bool { return b.Text == in.Branch.Text }):
			d := c.add(diag.FlowGraph, in.Branch.At, "%s %s: found branch %s, which %s does not have", s.Verb.Text, s.Output.Text, diag.Quote(in.Branch.Text), in.Name.Text).
				hint("its branches are %s", list(names(from.Branches)))
			d.told.Rule = c.file.Place(from.Output.At)
		case in.Branch.Text == "" && len(from.Branches) > 0:
			c.add(diag.FlowGraph, in.Name.At, "%s %s: found split %s as an input, want one of its branches", s.Verb.Text, s.Output.Text, diag.Quote(in.Name.Text)).
				hint("name one as in: %s@%s", in.Name.Text, from.Branches[0].Text)
		}
	}
}

// lost tells of a stream that no transformation makes.
func (c *checker) lost(s *Statement, in Stream) {
	d := c.add(diag.FlowGraph, in.Name.At, "%s %s: found stream %s, which no transformation makes", s.Verb.Text, s.Output.Text, diag.Quote(in.Name.Text)).
		hint("end the transformation that makes it with ~> %s", in.Name.Text)
	known := make([]string, 0, len(c.defined))
	for name := range c.defined {
		known = append(known, name)
	}
	slices.Sort(known)
	if near := diag.Nearest(in.Name.Text, known); near != "" {
		d.hint("did you mean %s?", near)
	}
}

func names(list []Name) []string {
	out := make([]string, 0, len(list))
	for _, n := range list {
		out = append(out, n.Text)
	}
	return out
}

// cycles tells of streams that go into themselves, each circle once.
func (c *checker) cycles(s *Script) {
	// A circle is what is left when all that depends on nothing left is taken away.
	left := map[*Statement]int{}
	for _, st := range s.Statements {
		if c.defined[st.Output.Text] == st {
			left[st] = 0
		}
	}
	users := map[*Statement][]*Statement{}
	for st := range left {
		for _, in := range st.Inputs {
			if from := c.defined[in.Name.Text]; from != nil {
				users[from] = append(users[from], st)
				left[st]++
			}
		}
	}
	ready := []*Statement{}
	for st, n := range left {
		if n == 0 {
			ready = append(ready, st)
		}
	}
	for len(ready) > 0 {
		st := ready[0]
		ready = ready[1:]
		delete(left, st)
		for _, u := range users[st] {
			if left[u]--; left[u] == 0 {
				ready = append(ready, u)
			}
		}
	}
	c.circles(s, left)
}

// circles names the streams of each circle among statements that wait for each other.
func (c *checker) circles(s *Script, waiting map[*Statement]int) {
	seen := map[*Statement]bool{}
	for _, st := range s.Statements {
		if _, in := waiting[st]; !in || seen[st] {
			continue
		}
		var path []*Statement
		for at := st; at != nil && !seen[at]; at = c.waitsFor(at, waiting) {
			seen[at] = true
			path = append(path, at)
		}
		next := c.waitsFor(path[len(path)-1], waiting)
		from := slices.Index(path, next)
		if from < 0 {
			continue // it leads into a circle that was told of
		}
		circle := path[from:]
		route := circle[0].Output.Text
		for _, one := range slices.Backward(circle) {
			route += " → " + one.Output.Text
		}
		first := circle[0]
		c.add(diag.FlowGraph, first.At, "%s %s: found a stream that goes into itself: %s", first.Verb.Text, first.Output.Text, route).hint("take one of these inputs away")
	}
}

// waitsFor is an input of a statement that waits too.
func (c *checker) waitsFor(s *Statement, waiting map[*Statement]int) *Statement {
	for _, in := range s.Inputs {
		from := c.defined[in.Name.Text]
		if _, ok := waiting[from]; ok && from != nil {
			return from
		}
	}
	return nil
}
