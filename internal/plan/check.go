package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Check says all that is wrong with a plan: names that occur twice, inputs that
// are missing or lead back to their step, columns that do not come in, types
// that do not agree. The error is a diag.List.
func Check(p *Plan) error {
	var problems diag.List
	done := Plan{}
	for i := range p.Steps {
		step := &p.Steps[i]
		if chain := cycle(p, step.Name); chain != "" {
			problems.Add(fault(step, "found a cycle, %s", chain).
				Hinted("let one of these steps take its rows from elsewhere"))
			continue
		}
		problems.Merge(checkStep(&done, step))
		done.Steps = append(done.Steps, *step)
	}
	return problems.Err()
}

// cycle returns the way from a step through its inputs back to it, "" for none.
func cycle(p *Plan, name string) string {
	var walk func(at string, seen []string) string
	walk = func(at string, seen []string) string {
		step := p.Step(at)
		if step == nil || len(seen) > len(p.Steps) {
			return ""
		}
		for _, in := range step.Inputs {
			if in == name {
				return strings.Join(append(append([]string{}, seen...), at, name), " from ")
			}
		}
		for _, in := range step.Inputs {
			found := ""
			if !slices.Contains(seen, in) {
				found = walk(in, append(seen, at))
			}
			if found != "" {
				return found
			}
		}
		return ""
	}
	return walk(name, nil)
}

func fault(step *Step, format string, args ...any) *diag.Diagnostic {
	return diag.New(diag.PlanInvalid, "%s: %s", step.Name, fmt.Sprintf(format, args...)).In(step.At)
}

// checker gathers what is wrong with one step.
type checker struct {
	step     *Step
	in       []*Step
	problems diag.List
}

// checkStep checks a step whose inputs are among those that were checked.
func checkStep(before *Plan, step *Step) error {
	c := &checker{step: step}
	if step.Name == "" || before.Step(step.Name) != nil {
		c.add("found a second stream of this name, want one")
	}
	for _, name := range step.Inputs {
		in := before.Step(name)
		if in == nil {
			var names []string
			for _, s := range before.Steps {
				names = append(names, s.Name)
			}
			d := fault(step, "found input %s, want a stream that comes before", diag.Quote(name))
			if near := diag.Nearest(name, names); near != "" {
				d.Hint = "did you mean " + near + "?"
			}
			c.problems.Add(d)
			continue
		}
		c.in = append(c.in, in)
	}
	if len(c.problems) > 0 {
		return c.problems.Err()
	}
	c.inputs()
	if len(c.problems) == 0 {
		c.op()
	}
	return c.problems.Err()
}

func (c *checker) add(format string, args ...any) {
	c.problems.Add(fault(c.step, format, args...))
}

// inputs checks how many there are.
func (c *checker) inputs() {
	least, most := 1, 1
	switch op := c.step.Op.(type) {
	case nil:
		c.add("found no operation, want one")
		return
	case Source:
		least, most = 0, 0
	case Join, Lookup, Exists:
		least, most = 2, 2
	case Union:
		least, most = 1, 1<<20
	case Assert:
		for _, r := range op.Rules {
			if r.Kind == ExpectExists {
				least = 2
			}
		}
		most = 2
	}
	if n := len(c.in); n < least || n > most {
		c.add("%s: found %d inputs, want %s", c.step.Op.verb(), n, span{least, most})
	}
}

// expr checks an expression; want nil takes any type.
func (c *checker) expr(e Expr, want schema.Type, what string) {
	if e == nil {
		c.add("found no %s, want one", what)
		return
	}
	c.refs(e, what, nil)
	if t := e.Type(); want != nil && t != nil && !Same(t, want) {
		c.add("%s: found %s, want %s", what, t, want)
	}
}

// refs checks that what an expression refers to comes in.
func (c *checker) refs(e Expr, what string, locals []string) {
	switch e := e.(type) {
	case nil:
		c.add("%s: found an operand that is missing", what)
		return
	case Ref:
		c.ref(e, what)
	case Local:
		if !slices.Contains(locals, e.Name) {
			c.add("%s: found %s, want a parameter of the function around it", what, diag.Quote(e.Name))
		}
	case Lambda:
		locals = append(append([]string{}, locals...), e.Params...)
	default:
		if err := checkNode(e); err != nil {
			c.add("%s: %s", what, err)
		}
	}
	for _, part := range Parts(e) {
		c.refs(part, what, locals)
	}
}

func (c *checker) ref(e Ref, what string) {
	if e.Input < 0 || e.Input >= len(c.in) {
		c.add("%s: found a column of input %d, want one of the %d inputs", what, e.Input, len(c.in))
		return
	}
	column := c.in[e.Input].Column(e.ID)
	if column == nil {
		c.add("%s: found column #%d, want one that leaves %s", what, e.ID, c.in[e.Input].Name)
		return
	}
	if !Same(column.Type, e.Of) {
		c.add("%s: found %s as %s, want %s", what, column.Name, e.Of, column.Type)
	}
}

// checkNode checks an expression without its parts.
func checkNode(e Expr) error {
	switch e := e.(type) {
	case Operation:
		made, err := Operate(e.Op, e.Args...)
		if err != nil {
			return err
		}
		if !Same(made.Of, e.Of) {
			return fmt.Errorf("%s: found a result of %s, want %s", e.Op, e.Of, made.Of)
		}
	case Fold:
		return checkFold(e)
	case Case:
		return checkCase(e)
	case Call:
		if e.Fn == nil || e.Of == nil {
			return errors.New("found a call without function or type")
		}
	case Object:
		if len(e.Names) != len(e.Values) {
			return fmt.Errorf("struct: found %d names for %d values", len(e.Names), len(e.Values))
		}
	case Literal:
		return checkLiteral(e)
	}
	return nil
}

func checkCase(e Case) error {
	for _, w := range e.Whens {
		if w.If == nil || w.Then == nil || w.If.Type() != schema.Boolean {
			return errors.New("case: found a branch without boolean condition or value")
		}
		if !Same(w.Then.Type(), e.Of) {
			return fmt.Errorf("case: found %s, want %s as of the other branches", w.Then.Type(), e.Of)
		}
	}
	if e.Else != nil && !Same(e.Else.Type(), e.Of) {
		return fmt.Errorf("case: found %s, want %s as of the other branches", e.Else.Type(), e.Of)
	}
	return nil
}
