package program

import (
	"slices"
	"strings"

	"landfall/internal/plan"
)

// Shared lists the steps, in order, whose rows are to be kept, because several
// statements read them: those that write the outputs, those that keep rows, and those
// that count the rows of the steps in counted.
//
// A step is kept if it could give other rows a second time, as one that calls uuid()
// or numbers rows, and if it is dear and several outputs are made of it. What filters
// or derives is done again for each output: DuckDB reads less of a file if it knows
// what is wanted of it, and rows that are kept have to go somewhere.
func Shared(p *plan.Plan, outputs, counted []string) []string {
	readers := map[string]map[string]bool{}
	add := func(step, reader string) {
		if readers[step] == nil {
			readers[step] = map[string]bool{}
		}
		readers[step][reader] = true
	}
	for _, name := range outputs {
		add(name, name)
	}
	for _, name := range counted {
		add(name, counting+name)
	}
	var kept []string
	for i := len(p.Steps) - 1; i >= 0; i-- {
		step := &p.Steps[i]
		mine := readers[step.Name]
		written := 0
		for name := range mine {
			if !strings.HasPrefix(name, counting) {
				written++
			}
		}
		if len(mine) > 1 && fickle(step) || written > 1 && dear(step.Op) {
			kept = append(kept, step.Name)
			mine = map[string]bool{step.Name: true}
		}
		for _, name := range readBy(step) {
			for reader := range mine {
				add(name, reader)
			}
		}
	}
	slices.Reverse(kept)
	return kept
}

// counting begins the name of a statement that counts the rows of a step.
const counting = "\x00"

// dear reports whether it takes long to make the rows of a step a second time.
func dear(op plan.Op) bool {
	switch op.(type) {
	case plan.Source, plan.Sink, plan.Select, plan.Derive, plan.Filter, plan.Union, plan.Split, plan.Output,
		plan.Alias, plan.Assert, plan.Cast, plan.Flatten, plan.Unpivot:
		return false
	}
	return true
}

// fickle reports whether a step may give other rows a second time: because of what it
// calls, or because it goes by the order in which rows come, which several threads
// change.
func fickle(step *plan.Step) bool {
	for _, e := range plan.Exprs(step.Op) {
		found := false
		plan.Walk(e, func(e plan.Expr) bool {
			switch e := e.(type) {
			case plan.Call:
				found = found || e.Fn.Name() == "uuid" || e.Fn.Name() == "random"
			case plan.Cached:
				found = true
			}
			return true
		})
		if found {
			return true
		}
	}
	switch op := step.Op.(type) {
	case plan.Source:
		return op.Limit > 0
	case plan.Aggregate, plan.Window, plan.Rank, plan.Key, plan.Pivot:
		return true
	case plan.Lookup:
		return op.Pick != plan.PickAll
	}
	return false
}
