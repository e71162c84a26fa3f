package expression

import (
	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
)

// Script is what all expressions of a script share.
type Script struct {
	// File is where the expressions stand.
	File  *syntax.File
	Table *function.Table
	// Parameters are the values of those that are bound.
	Parameters map[string]plan.Expr
	// Builder has the steps that are bound so far.
	Builder plan.Builder
	// Problems are all that were told.
	Problems diag.List
	// Cache is the step of the cached sink that a call asks, and its keys; false after a
	// problem was told. The call stands in where, for messages.
	Cache func(where string, n *syntax.Call) (step *plan.Step, keys []plan.Column, ok bool)
}

// Add tells of a problem, once: a pattern meets the same one at every column. The hint
// names an action.
func (s *Script) Add(code diag.Code, at syntax.Pos, hint, format string, args ...any) {
	d := s.File.Problem(code, at, format, args...)
	d.Hint = hint
	for _, told := range s.Problems {
		if told.At == d.At && told.Message == d.Message {
			return
		}
	}
	s.Problems.Add(d)
}
