package program

import (
	"fmt"
	"strings"

	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// operation writes an operator with Spark's result.
func (s scope) operation(e plan.Operation) (string, error) {
	args, err := s.all(e.Args)
	if err != nil {
		return "", err
	}
	switch e.Op {
	case plan.Not:
		return "(NOT " + args[0] + ")", nil
	case plan.IsNull:
		return "(" + args[0] + " IS NULL)", nil
	case plan.Coalesce:
		return "coalesce(" + strings.Join(args, ", ") + ")", nil
	case plan.And, plan.Or, plan.Concat, plan.Equal, plan.NotEqual, plan.SameAs,
		plan.Less, plan.LessEqual, plan.Greater, plan.GreaterEqual:
		return "(" + strings.Join(args, " "+sign(e.Op)+" ") + ")", nil
	case plan.Negate:
		return "TRY(-" + args[0] + ")", nil
	}
	if _, ok := e.Args[0].Type().(schema.Decimal); ok {
		return s.decimal(e, args), nil
	}
	return number(e, args), nil
}

func sign(op plan.Operator) string {
	switch op {
	case plan.And:
		return "AND"
	case plan.Or:
		return "OR"
	case plan.Concat:
		return "||"
	case plan.Equal:
		return "="
	case plan.NotEqual:
		return "<>"
	case plan.SameAs:
		return "IS NOT DISTINCT FROM"
	}
	return op.String()
}

// number computes with integers and floats.
func number(e plan.Operation, args []string) string {
	of := e.Args[0].Type()
	divisor := "nullif(" + args[1] + ", 0)"
	switch e.Op {
	case plan.Divide:
		return fmt.Sprintf("(CAST(%s AS DOUBLE) / %s)", args[0], divisor)
	case plan.IntDivide:
		if !plan.Integral(of) {
			return fmt.Sprintf("TRY_CAST(trunc(%s / %s) AS BIGINT)", args[0], divisor)
		}
		return fmt.Sprintf("TRY(CAST(%s AS BIGINT) // CAST(%s AS BIGINT))", args[0], divisor)
	case plan.Modulo:
		return fmt.Sprintf("TRY(%s %% %s)", args[0], divisor)
	}
	text := fmt.Sprintf("%s %s %s", args[0], e.Op, args[1])
	if plan.Integral(of) {
		return "TRY(" + text + ")"
	}
	return "(" + text + ")"
}

// decimal computes with decimals. DuckDB does so itself where all digits of the
// result are sure to fit; else, and to divide, a function of ours does.
func (s scope) decimal(e plan.Operation, args []string) string {
	l, _ := e.Args[0].Type().(schema.Decimal)
	r, _ := e.Args[1].Type().(schema.Decimal)
	to, _ := e.Of.(schema.Decimal)
	front, scale := max(l.Precision-l.Scale, r.Precision-r.Scale), max(l.Scale, r.Scale)
	fits := front+scale < plan.MaxDigits
	switch e.Op {
	case plan.Add, plan.Subtract:
		if fits {
			return fmt.Sprintf("CAST(%s %s %s AS %s)", args[0], e.Op, args[1], innerSQL(to))
		}
	case plan.Multiply:
		if l.Precision+r.Precision < plan.MaxDigits {
			return fmt.Sprintf("CAST(%s * %s AS %s)", args[0], args[1], innerSQL(to))
		}
	case plan.Modulo:
		if fits {
			return fmt.Sprintf("CAST(%s %% nullif(%s, 0) AS %s)", args[0], args[1], innerSQL(to))
		}
	case plan.IntDivide:
		return fmt.Sprintf("TRY_CAST(%s(%s, %s, %s, %d, 0) AS BIGINT)", exactly,
			dialect.Quote("div"), inText(args[0]), inText(args[1]), plan.MaxDigits)
	}
	return fmt.Sprintf("CAST(%s(%s, %s, %s, %d, %d) AS %s)", exactly,
		dialect.Quote(e.Op.String()), inText(args[0]), inText(args[1]), to.Precision, to.Scale, innerSQL(to))
}

// quotient divides a decimal by a count, rounded to the digits of a type.
func quotient(sum, count string, to schema.Decimal) string {
	return fmt.Sprintf("CAST(%s('/', %s, %s, %d, %d) AS %s)", exactly,
		inText(sum), inText(count), to.Precision, to.Scale, innerSQL(to))
}

func inText(text string) string { return "CAST(" + text + " AS VARCHAR)" }
