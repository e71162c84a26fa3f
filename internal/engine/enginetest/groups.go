package enginetest

import (
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// sales is a table that the examples of groups read.
func sales() map[string]string {
	return map[string]string{"sales": `
		region string, kind string, amount decimal(10,2), n int
		north | a    | 10.00 | 1
		north | b    | 20.00 | 2
		south | a    | null  | 3
		null  | a    | 5.00  | null
		null  | b    | 1.00  | 5
		north | a    | 0.50  | 6`}
}

// groupExamples are of aggregates and pivots.
func groupExamples() []example {
	return append(pivotExamples(), []example{
		{
			name: "null is a group", in: sales(),
			plan: func(b *builder) {
				in := b.of("sales")
				b.add("sums", plan.Aggregate{
					Group:  []plan.Assignment{set("region", in.col("region"))},
					Values: []plan.Assignment{set("sum", b.fold(plan.Sum, in.col("amount"))), set("rows", b.fold(plan.Count, nil))},
				}, "sales")
			},
			want: `region string, sum decimal(20,2), rows bigint
				north|30.50|3
				south|null|1
				null|6.00|2`,
		},
		{
			name: "group by an expression", in: sales(),
			plan: func(b *builder) {
				in := b.of("sales")
				b.add("sums", plan.Aggregate{
					Group:  []plan.Assignment{set("known", b.op(plan.Not, b.op(plan.IsNull, in.col("region"))))},
					Values: []plan.Assignment{set("n", b.fold(plan.Sum, in.col("n")))},
				}, "sales")
			},
			want: `known boolean, n bigint
				true|12
				false|5`,
		},
		{
			name: "aggregates of no rows", in: map[string]string{"sales": `amount decimal(10,2)`},
			plan: func(b *builder) {
				amount := b.of("sales").col("amount")
				b.add("all", plan.Aggregate{Values: []plan.Assignment{
					set("sum", b.fold(plan.Sum, amount)), set("n", b.fold(plan.Count, amount)),
					set("least", b.fold(plan.Min, amount)), set("list", b.fold(plan.Collect, amount)),
				}}, "sales")
			},
			want: `sum decimal(20,2), n bigint, least decimal(10,2), list array<decimal(10,2)>
				null|0|null|[]`,
		},
		{
			name: "groups of no rows", in: map[string]string{"sales": `region string, n int`},
			plan: func(b *builder) {
				in := b.of("sales")
				b.add("all", plan.Aggregate{
					Group: []plan.Assignment{set("region", in.col("region"))}, Values: []plan.Assignment{set("n", b.fold(plan.Count, nil))},
				}, "sales")
			},
			want: `region string, n bigint`,
		},
		{
			name: "average of decimals is exact", in: sales(),
			plan: func(b *builder) {
				in := b.of("sales")
				b.add("all", plan.Aggregate{Values: []plan.Assignment{
					set("amount", b.fold(plan.Average, in.col("amount"))), set("n", b.fold(plan.Average, in.col("n"))),
				}}, "sales")
			},
			want: `amount decimal(14,6), n double
				7.300000|3.4`,
		},
		{
			name: "first and last go by the order of rows", in: sales(),
			plan: func(b *builder) {
				in := b.of("sales")
				first, last := b.fold(plan.First, in.col("amount")), b.fold(plan.Last, in.col("n"))
				known := b.fold(plan.First, in.col("amount"))
				known.IgnoreNulls = true
				b.add("sorted", plan.Sort{By: []plan.Order{{By: in.col("n"), Descending: true, NullsFirst: true}}}, "sales")
				in = b.of("sorted")
				first.Arg, last.Arg, known.Arg = in.col("amount"), in.col("n"), in.col("amount")
				kind := []plan.Assignment{set("kind", in.col("kind"))}
				b.add("ends", plan.Aggregate{Group: kind, Values: []plan.Assignment{
					set("first", first), set("last", last), set("known", known),
				}}, "sorted")
			},
			want: `kind string, first decimal(10,2), last int, known decimal(10,2)
				a|5.00|1|5.00
				b|1.00|2|1.00`,
		},
		{
			name: "first takes a null unless it passes over them",
			in: map[string]string{"t": `v int
				null
				2
				3
				null`},
			plan: func(b *builder) {
				v := b.of("t").col("v")
				first, last := b.fold(plan.First, v), b.fold(plan.Last, v)
				first.IgnoreNulls, last.IgnoreNulls = true, true
				b.add("ends", plan.Aggregate{Values: []plan.Assignment{
					set("a", b.fold(plan.First, v)), set("b", first), set("c", b.fold(plan.Last, v)), set("d", last),
				}}, "t")
			},
			want: `a int, b int, c int, d int
				null|2|null|3`,
		},
		{
			name: "distinct and conditional counts", in: sales(),
			plan: func(b *builder) {
				in := b.of("sales")
				kinds, large := b.fold(plan.Count, in.col("region")), b.fold(plan.Count, nil)
				kinds.Distinct = true
				large.If = b.op(plan.Greater, in.col("amount"), whole(4))
				b.add("all", plan.Aggregate{Values: []plan.Assignment{set("regions", kinds), set("large", large)}}, "sales")
			},
			want: `regions bigint, large bigint
				2|3`,
		},
		{
			name: "collect leaves nulls out", in: sales(),
			plan: func(b *builder) {
				in := b.of("sales")
				b.add("all", plan.Aggregate{
					Group:  []plan.Assignment{set("kind", in.col("kind"))},
					Values: []plan.Assignment{set("ns", b.fold(plan.Collect, in.col("n")))},
				}, "sales")
			},
			want: `kind string, ns array<int>
				a|[1,3,6]
				b|[2,5]`,
		},
		{
			name: "min and max of text and doubles",
			in: map[string]string{"t": `s string, d double
				b | 1
				A | NaN
				a | null`},
			plan: func(b *builder) {
				in := b.of("t")
				b.add("all", plan.Aggregate{Values: []plan.Assignment{
					set("s", b.fold(plan.Min, in.col("s"))), set("d", b.fold(plan.Max, in.col("d"))), set("e", b.fold(plan.Min, in.col("d"))),
				}}, "t")
			},
			want: `s string, d double, e double
				A|NaN|1`,
		},
		{
			name: "a value worked out of aggregates", in: sales(),
			plan: func(b *builder) {
				in := b.of("sales")
				spread := b.op(plan.Subtract, b.fold(plan.Max, in.col("n")), b.fold(plan.Min, in.col("n")))
				b.add("all", plan.Aggregate{Values: []plan.Assignment{set("spread", spread)}}, "sales")
			},
			want: `spread int
				5`,
		},
		{
			name: "values of aggregates, keys and functions together", in: sales(),
			plan: func(b *builder) {
				in := b.of("sales")
				upper := plan.Call{Fn: function{"upper", "upper(%s)"}, Args: []plan.Expr{b.fold(plan.Max, in.col("region"))}, Of: schema.String}
				b.add("all", plan.Aggregate{
					Group: []plan.Assignment{set("kind", in.col("kind"))},
					Values: []plan.Assignment{
						set("n", b.fold(plan.Count, nil)),
						set("label", b.op(plan.Concat, in.col("kind"), text(":"), upper)),
						set("twice", b.op(plan.Multiply, b.fold(plan.Sum, in.col("n")), b.fold(plan.Count, nil))),
						set("kind", b.fold(plan.Count, in.col("region"))),
					},
				}, "sales")
			},
			want: `kind string, n bigint, label string, twice bigint, kind bigint
				a|4|a:SOUTH|40|3
				b|2|b:NORTH|14|1`,
		},
		{
			name: "an aggregate of the table of functions", in: sales(),
			plan: func(b *builder) {
				call := plan.Call{Fn: function{"countDistinct", "count(DISTINCT %s)"}, Kind: plan.Aggregating, Args: []plan.Expr{b.of("sales").col("kind")}, Of: schema.Long}
				b.add("all", plan.Aggregate{Values: []plan.Assignment{set("kinds", call)}}, "sales")
			},
			want: `kinds bigint
				2`,
		},
		{
			name: "minus zero and NaN are grouped by value",
			in: map[string]string{"t": `d double
				0.0
				-0.0
				NaN
				NaN`},
			plan: func(b *builder) {
				in := b.of("t")
				b.add("counts", plan.Aggregate{
					Group:  []plan.Assignment{set("zero", b.op(plan.Equal, in.col("d"), plan.Literal{Value: 0.0, Of: schema.Double})), set("d", in.col("d"))},
					Values: []plan.Assignment{set("n", b.fold(plan.Count, nil))},
				}, "t")
				b.add("out", plan.Select{Take: []plan.Assignment{set("zero", b.of("counts").col("zero")), set("n", b.of("counts").col("n"))}}, "counts")
			},
			want: `zero boolean, n bigint
				true|2
				false|2`,
		},
	}...)
}

// pivot adds a pivot of sales by kind, of sums and counts.
func pivot(b *builder, lateral bool, group bool, values ...plan.PivotValue) {
	in := b.of("sales")
	op := plan.Pivot{
		Key: in.col("kind"), Values: values, Lateral: lateral,
		Aggregates: []plan.Expr{b.fold(plan.Sum, in.col("amount")), b.fold(plan.Count, nil)},
	}
	if group {
		op.Group = []plan.Assignment{set("region", in.col("region"))}
	}
	b.add("pivoted", op, "sales")
}

func pivotExamples() []example {
	a := plan.PivotValue{Value: text("a"), Columns: []string{"a_sum", "a_n"}}
	second := plan.PivotValue{Value: text("b"), Columns: []string{"b_sum", "b_n"}}
	none := plan.PivotValue{Value: plan.Literal{Of: schema.String}, Columns: []string{"none_sum", "none_n"}}
	return []example{
		{
			name: "pivot with the columns of an aggregate together", in: sales(),
			plan: func(b *builder) { pivot(b, false, true, a, second) },
			want: `region string, a_sum decimal(20,2), b_sum decimal(20,2), a_n bigint, b_n bigint
				north|10.50|20.00|2|1
				south|null|null|1|null
				null|5.00|1.00|1|1`,
		},
		{
			name: "pivot with the columns of a value together", in: sales(),
			plan: func(b *builder) { pivot(b, true, true, second, a) },
			want: `region string, b_sum decimal(20,2), b_n bigint, a_sum decimal(20,2), a_n bigint
				north|20.00|1|10.50|2
				south|null|null|null|1
				null|1.00|1|5.00|1`,
		},
		{
			name: "pivot of a value worked out of aggregates", in: sales(),
			plan: func(b *builder) {
				in := b.of("sales")
				b.add("pivoted", plan.Pivot{
					Key: in.col("kind"), Values: []plan.PivotValue{{Value: text("a"), Columns: []string{"a"}}, {Value: text("b"), Columns: []string{"b"}}},
					Aggregates: []plan.Expr{b.op(plan.Subtract, b.fold(plan.Max, in.col("n")), b.fold(plan.Min, in.col("n")))},
				}, "sales")
			},
			want: `a int, b int
				5|3`,
		},
		{
			name: "pivot without groups", in: sales(),
			plan: func(b *builder) { pivot(b, true, false, a) },
			want: `a_sum decimal(20,2), a_n bigint
				15.50|4`,
		},
		{
			name: "pivot of a value that no row has", in: sales(),
			plan: func(b *builder) {
				pivot(b, true, true, plan.PivotValue{Value: text("z"), Columns: []string{"z_sum", "z_n"}})
			},
			want: `region string, z_sum decimal(20,2), z_n bigint
				north|null|null
				south|null|null
				null|null|null`,
		},
		{
			name: "pivot of null",
			in: map[string]string{"sales": `region string, kind string, amount decimal(10,2)
				north | null | 1.50
				north | a    | 2.00
				south | null | 3.00`},
			plan: func(b *builder) { pivot(b, true, true, none) },
			want: `region string, none_sum decimal(20,2), none_n bigint
				north|1.50|1
				south|3.00|1`,
		},
	}
}
