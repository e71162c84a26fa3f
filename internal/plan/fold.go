package plan

import (
	"fmt"

	"landfall/internal/schema"
)

// FoldOf makes an aggregate of an expression, nil for Count of rows, and works
// out its type, which is Spark's.
func FoldOf(kind FoldKind, arg Expr) (Fold, error) {
	var of schema.Type
	if arg != nil {
		of = arg.Type()
	}
	t, err := foldType(kind, of)
	return Fold{Kind: kind, Arg: arg, Of: t}, err
}

func foldType(kind FoldKind, of schema.Type) (schema.Type, error) {
	// front is how many digits a sum may have more than its parts, fraction how
	// many digits an average has behind them.
	const front, fraction = 10, 4
	decimal, isDecimal := of.(schema.Decimal)
	switch {
	case kind == Count:
		return schema.Long, nil
	case of == nil:
		return nil, fmt.Errorf("%s: found no argument, want one", kind)
	case kind == First || kind == Last:
		return of, nil
	case kind == Collect:
		return schema.Array{Element: of}, nil
	case kind == Min || kind == Max:
		if !comparable(of) {
			return nil, fmt.Errorf("%s: found %s, want a type that has an order", kind, of)
		}
		return of, nil
	case !Numeric(of):
		return nil, fmt.Errorf("%s: found %s, want a number", kind, of)
	case kind == Sum && isDecimal:
		return Bounded(decimal.Precision+front, decimal.Scale), nil
	case isDecimal:
		return Bounded(decimal.Precision+fraction, decimal.Scale+fraction), nil
	case kind == Sum && Integral(of):
		return schema.Long, nil
	}
	return schema.Double, nil
}

func checkFold(e Fold) error {
	var of schema.Type
	if e.Arg != nil {
		of = e.Arg.Type()
	}
	t, err := foldType(e.Kind, of)
	if err != nil {
		return err
	}
	if !Same(t, e.Of) {
		return fmt.Errorf("%s: found a result of %s, want %s", e.Kind, e.Of, t)
	}
	if e.If != nil && e.If.Type() != schema.Boolean {
		return fmt.Errorf("%s: found a condition of %s, want boolean", e.Kind, e.If.Type())
	}
	return nil
}
