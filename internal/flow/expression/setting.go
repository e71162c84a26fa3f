package expression

import (
	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
)

// Outside is a scope that sees no columns.
func (sc *Scope) Outside() *Scope { return &Scope{Script: sc.Script, Where: sc.Where} }

// Truth is an expression that says yes or no before the run.
func (sc *Scope) Truth(x syntax.Expr, what string) bool {
	e, ok := sc.Outside().Expr(x)
	if !ok {
		return false
	}
	v, known := constant.Of(e)
	yes, isBool := v.(bool)
	if !known || !isBool {
		sc.Script.Add(diag.FlowType, x.Pos(), "write true or false", "%s: %s: found %s, want true or false", sc.Where, what, diag.Quote(syntax.FormatExpr(x)))
	}
	return yes
}

// Odd tells of an argument of a kind that its group does not take.
func (sc *Scope) Odd(a syntax.Arg) {
	sc.Script.Add(diag.FlowSyntax, a.At, "take it away, or look at how the service exports the group", "%s: found an argument of a kind that does not belong here", sc.Where)
}
