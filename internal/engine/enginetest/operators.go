package enginetest

import (
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// computed is an example of one column v that is worked out from columns a, b.
func computed(name, table string, value func(b *builder, x, y plan.Expr) plan.Expr, want string) example {
	return example{
		name: name, in: map[string]string{"t": table}, want: want, ordered: true,
		plan: func(b *builder) {
			in := b.of("t")
			x := in.col("a")
			y := x
			if len(b.Plan().Step("t").Columns) > 1 {
				y = in.col("b")
			}
			b.add("out", plan.Select{Take: []plan.Assignment{set("v", value(b, x, y))}}, "t")
		},
	}
}

// operated is computed by one operator on a and b.
func operated(name string, op plan.Operator, table, want string) example {
	return computed(name, table, func(b *builder, x, y plan.Expr) plan.Expr { return b.op(op, x, y) }, want)
}

// operatorExamples are of Spark's arithmetic and comparison.
func operatorExamples() []example {
	return append(decimalExamples(), []example{
		operated("add of ints past the end is null", plan.Add, `a int, b int
			2147483647 | 1
			1 | null
			1 | 2`, `v int
			null
			null
			3`),
		operated("add of int and bigint is a bigint", plan.Add, `a int, b bigint
			2147483647 | 1`, `v bigint
			2147483648`),
		operated("multiply of tinyints stays one", plan.Multiply, `a tinyint, b tinyint
			10 | 12
			100 | 2`, `v tinyint
			120
			null`),
		operated("divide of ints is a double", plan.Divide, `a int, b int
			7 | 2
			7 | 0
			-1 | 4`, `v double
			3.5
			null
			-0.25`),
		operated("divide of doubles by zero is null", plan.Divide, `a double, b double
			1.0 | 0.0
			1.0 | 4`, `v double
			null
			0.25`),
		operated("integer division cuts towards zero", plan.IntDivide, `a int, b int
			7 | 2
			-7 | 2
			7 | 0
			-2147483648 | -1`, `v bigint
			3
			-3
			null
			2147483648`),
		operated("modulo has the sign of the first", plan.Modulo, `a int, b int
			7 | 3
			-7 | 3
			7 | -3
			7 | 0`, `v int
			1
			-1
			1
			null`),
		operated("modulo of doubles", plan.Modulo, `a double, b double
			-7.5 | 2`, `v double
			-1.5`),
		computed("negate of the least int is null", `a int
			-2147483648
			5`, func(b *builder, x, _ plan.Expr) plan.Expr { return b.op(plan.Negate, x) }, `v int
			null
			-5`),
		operated("NaN equals NaN and is larger than all", plan.Equal, `a double, b double
			NaN | NaN
			NaN | Infinity
			-0.0 | 0.0`, `v boolean
			true
			false
			true`),
		operated("NaN is larger than infinity", plan.Greater, `a double, b double
			NaN | Infinity
			Infinity | NaN`, `v boolean
			true
			false`),
		operated("equal of null is null", plan.Equal, `a string, b string
			x | null
			x | x
			x | X`, `v boolean
			null
			true
			false`),
		operated("same as knows null", plan.SameAs, `a string, b string
			null | null
			x | null
			x | x`, `v boolean
			true
			false
			true`),
		operated("text is compared by its bytes", plan.Less, `a string, b string
			Z | a
			a | Z
			z | ä`, `v boolean
			true
			false
			true`),
		operated("and of null and false is false", plan.And, `a boolean, b boolean
			null | false
			null | true
			true | true`, `v boolean
			false
			null
			true`),
		operated("or of null and true is true", plan.Or, `a boolean, b boolean
			null | true
			null | false
			false | false`, `v boolean
			true
			null
			false`),
		operated("concat of null is null", plan.Concat, `a string, b string
			x | y
			x | null`, `v string
			xy
			null`),
		operated("ints are compared with decimals by value", plan.Equal, `a int, b decimal(5,2)
			2 | 2.00
			2 | 2.01`, `v boolean
			true
			false`),
		operated("dates are compared with timestamps by midnight", plan.Less, `a date, b timestamp
			2026-01-02 | 2026-01-02 00:00:00.000001
			2026-01-02 | 2026-01-02 00:00:00`, `v boolean
			true
			false`),
		computed("is null", `a int
			null
			0`, func(b *builder, x, _ plan.Expr) plan.Expr { return b.op(plan.IsNull, x) }, `v boolean
			true
			false`),
		computed("constants keep their types and digits", `a int
			1`, func(_ *builder, _, _ plan.Expr) plan.Expr {
			return plan.Object{
				Names: []string{"d", "t", "y", "f", "l", "n"},
				Values: []plan.Expr{
					plan.Literal{Value: "-12345678901234567890123456789012345.678", Of: schema.Decimal{Precision: 38, Scale: 3}},
					text("it's \x00 'so'\\"), day(2026, 2, 28),
					plan.Literal{Value: 0.1, Of: schema.Double},
					plan.Literal{Value: []plan.Literal{whole(-1), {Of: schema.Integer}}, Of: schema.Array{Element: schema.Integer}},
					plan.Literal{Value: int64(-9223372036854775808), Of: schema.Long},
				},
			}
		}, `v struct<d:decimal(38,3),t:string,y:date,f:double,l:array<int>,n:bigint>
			{"d":-12345678901234567890123456789012345.678,"t":"it's \u0000 'so'\\","y":"2026-02-28","f":0.1,"l":[-1,null],"n":-9223372036854775808}`),
	}...)
}

// decimalExamples are of decimals, whose results have Spark's types.
func decimalExamples() []example {
	return []example{
		operated("add of decimals", plan.Add, `a decimal(10,2), b decimal(5,4)
			1.25 | 2.0001
			99999999.99 | 9.9999`, `v decimal(13,4)
			3.2501
			100000009.9899`),
		operated("add of decimals that fill all digits", plan.Add, `a decimal(38,0), b decimal(38,0)
			99999999999999999999999999999999999999 | 1
			12345678901234567890123456789012345678 | 1`, `v decimal(38,0)
			null
			12345678901234567890123456789012345679`),
		operated("subtract of decimals gives up digits behind the point", plan.Subtract, `a decimal(38,10), b decimal(38,2)
			1.0000000005 | 0.50`, `v decimal(38,6)
			0.500000`),
		operated("multiply of decimals", plan.Multiply, `a decimal(10,2), b decimal(10,2)
			1.25 | -1.50`, `v decimal(21,4)
			-1.8750`),
		operated("multiply of long decimals is rounded", plan.Multiply, `a decimal(38,18), b decimal(38,18)
			1.000000500000000000 | 1.000000500000000000
			100000000000000000.0 | 1000000000000000000.0`, `v decimal(38,6)
			1.000001
			null`),
		operated("divide of decimals is exact", plan.Divide, `a decimal(10,2), b decimal(10,2)
			10.00 | 3.00
			-10.00 | 6.00
			1.00 | 0.00`, `v decimal(23,13)
			3.3333333333333
			-1.6666666666667
			null`),
		operated("divide of a decimal by an int", plan.Divide, `a decimal(10,2), b int
			1.00 | 8`, `v decimal(21,13)
			0.1250000000000`),
		operated("modulo of decimals", plan.Modulo, `a decimal(10,2), b decimal(10,3)
			-5.50 | 2.000
			5.50 | 0.000`, `v decimal(10,3)
			-1.500
			null`),
		operated("integer division of decimals", plan.IntDivide, `a decimal(10,2), b decimal(10,2)
			-7.50 | 2.00`, `v bigint
			-3`),
		operated("a double makes a decimal one", plan.Multiply, `a decimal(10,2), b double
			1.50 | 2`, `v double
			3`),
	}
}
