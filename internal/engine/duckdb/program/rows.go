package program

import (
	"slices"

	"landfall/internal/plan"
)

// Rows are the numbers of rows of steps, by step.
type Rows map[string]int64

// Follow adds the numbers that follow from those that are known: of steps that neither
// add rows nor leave any out, of unions, and of the outputs of a split that make up all
// of it. A step that is not among steps is left alone.
func (r Rows) Follow(steps []*plan.Step) {
	for known := -1; known < len(r); {
		known = len(r)
		for _, step := range steps {
			r.forward(step)
			r.back(step)
		}
		r.split(steps)
	}
}

// forward counts the rows of a step by those of its inputs.
func (r Rows) forward(step *plan.Step) {
	if _, ok := r[step.Name]; ok {
		return
	}
	total := int64(0)
	for _, name := range step.Inputs {
		n, ok := r[name]
		if !ok {
			return
		}
		total += n
	}
	switch op := step.Op.(type) {
	case plan.Union:
		r[step.Name] = total
	case plan.Aggregate:
		if len(op.Group) == 0 {
			r[step.Name] = 1
		}
	case plan.Unpivot:
		if !op.IgnoreNullValues {
			r[step.Name] = total * int64(len(op.Columns))
		}
	default:
		if even(op) {
			r[step.Name] = r[step.Inputs[0]]
		}
	}
}

// back counts the rows of an input by those of a step.
func (r Rows) back(step *plan.Step) {
	n, ok := r[step.Name]
	if ok && even(step.Op) {
		r[step.Inputs[0]] = n
	}
}

// split counts the rows of splits by those of their outputs, and of an output by those
// of the others.
func (r Rows) split(steps []*plan.Step) {
	for _, step := range steps {
		op, isSplit := step.Op.(plan.Split)
		if !isSplit || op.All {
			continue
		}
		var missing []string
		total, outputs := int64(0), 0
		for _, s := range steps {
			if _, isOutput := s.Op.(plan.Output); !isOutput || !slices.Contains(s.Inputs, step.Name) {
				continue
			}
			outputs++
			if n, ok := r[s.Name]; ok {
				total += n
			} else {
				missing = append(missing, s.Name)
			}
		}
		all, ok := r[step.Name]
		switch {
		case outputs <= len(op.Conditions): // rows of an output that nobody reads are nowhere else
		case !ok && len(missing) == 0:
			r[step.Name] = total
		case ok && len(missing) == 1:
			r[missing[0]] = all - total
		}
	}
}

// even reports whether a step hands on exactly as many rows as come from its first
// input.
func even(op plan.Op) bool {
	switch op := op.(type) {
	case plan.Sink, plan.Select, plan.Derive, plan.Window, plan.Rank, plan.Key, plan.Sort, plan.Assert, plan.Cast,
		plan.Split, plan.Alias:
		return true
	case plan.Lookup:
		return op.Pick != plan.PickAll
	}
	return false
}

// Uncounted lists the steps, in order, whose numbers have to be counted if only those in
// known are known.
func Uncounted(steps []*plan.Step, known []string) []string {
	r := Rows{}
	for _, name := range known {
		r[name] = 0
	}
	var out []string
	r.Follow(steps)
	for _, step := range steps {
		if _, ok := r[step.Name]; !ok {
			r[step.Name] = 0
			out = append(out, step.Name)
			r.Follow(steps)
		}
	}
	return out
}

// Needed lists the steps, in order, that outputs are made of, themselves among them.
func Needed(p *plan.Plan, outputs []string) []*plan.Step {
	need := map[string]bool{}
	for _, name := range outputs {
		for _, step := range needed(p, name, nil) {
			need[step.Name] = true
		}
	}
	var steps []*plan.Step
	for i := range p.Steps {
		if need[p.Steps[i].Name] {
			steps = append(steps, &p.Steps[i])
		}
	}
	return steps
}
