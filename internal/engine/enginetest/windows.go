package enginetest

import (
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// readings is a table that the examples of windows read.
func readings() map[string]string {
	return map[string]string{"t": `
		d string, n int, v int
		a | 1 | 10
		a | 2 | null
		a | 3 | 30
		b | 1 | 5
		a | 4 | 40`}
}

// windowed adds a window over d in the order of n, with one new column w.
func windowed(frame *plan.Frame, value func(b *builder, in in) plan.Expr) func(b *builder) {
	return func(b *builder) {
		in := b.of("t")
		b.add("out", plan.Window{
			Over: []plan.Expr{in.col("d")}, Order: []plan.Order{asc(in.col("n"))}, Frame: frame,
			Set: []plan.Assignment{set("w", value(b, in))},
		}, "t")
	}
}

func foldV(kind plan.FoldKind) func(b *builder, in in) plan.Expr {
	return func(b *builder, in in) plan.Expr { return b.fold(kind, in.col("v")) }
}

// windowExamples are of windows and ranks.
func windowExamples() []example {
	return append(rankExamples(), []example{
		{name: "window sums up to the row", in: readings(), plan: windowed(nil, foldV(plan.Sum)), want: `d string, n int, v int, w bigint
			a|1|10|10
			a|2|null|10
			a|3|30|40
			a|4|40|80
			b|1|5|5`},
		{name: "last of a window is the row itself", in: readings(), plan: windowed(nil, foldV(plan.Last)), want: `d string, n int, v int, w int
			a|1|10|10
			a|2|null|null
			a|3|30|30
			a|4|40|40
			b|1|5|5`},
		{
			name: "last of a window passes over nulls", in: readings(),
			plan: windowed(nil, func(b *builder, in in) plan.Expr {
				last := b.fold(plan.Last, in.col("v"))
				last.IgnoreNulls = true
				return last
			}),
			want: `d string, n int, v int, w int
				a|1|10|10
				a|2|null|10
				a|3|30|30
				a|4|40|40
				b|1|5|5`,
		},
		{
			name: "window of rows before and behind", in: readings(),
			plan: windowed(&plan.Frame{Start: plan.Bound{Rows: -1}, End: plan.Bound{Rows: 1}}, foldV(plan.Sum)),
			want: `d string, n int, v int, w bigint
				a|1|10|10
				a|2|null|40
				a|3|30|70
				a|4|40|70
				b|1|5|5`,
		},
		{
			name: "window from the row to the end", in: readings(),
			plan: windowed(&plan.Frame{End: plan.Bound{Unbounded: true}}, foldV(plan.Count)),
			want: `d string, n int, v int, w bigint
				a|1|10|3
				a|2|null|2
				a|3|30|2
				a|4|40|1
				b|1|5|1`,
		},
		{
			name: "window collects", in: readings(), plan: windowed(nil, foldV(plan.Collect)),
			want: `d string, n int, v int, w array<int>
				a|1|10|[10]
				a|2|null|[10]
				a|3|30|[10,30]
				a|4|40|[10,30,40]
				b|1|5|[5]`,
		},
		{
			name: "window without order sees the group", in: readings(),
			plan: func(b *builder) {
				in := b.of("t")
				b.add("out", plan.Window{
					Over: []plan.Expr{in.col("d")}, Set: []plan.Assignment{set("w", b.fold(plan.Max, in.col("v")))},
				}, "t")
			},
			want: `d string, n int, v int, w int
				a|1|10|40
				a|2|null|40
				a|3|30|40
				a|4|40|40
				b|1|5|5`,
		},
		{
			name: "window without group sees all rows", in: readings(),
			plan: func(b *builder) {
				in := b.of("t")
				share := b.op(plan.Divide, in.col("v"), b.fold(plan.Sum, in.col("v")))
				b.add("out", plan.Window{Set: []plan.Assignment{set("v", share)}}, "t")
			},
			want: `d string, n int, v double
				a|1|0.11764705882352941
				a|2|null
				a|3|0.35294117647058826
				b|1|0.058823529411764705
				a|4|0.47058823529411764`,
		},
		{
			name: "values of windows and columns together", in: readings(),
			plan: func(b *builder) {
				in := b.of("t")
				b.add("out", plan.Window{Over: []plan.Expr{in.col("d")}, Order: []plan.Order{asc(in.col("n"))}, Set: []plan.Assignment{
					set("n", b.op(plan.Multiply, in.col("n"), b.fold(plan.Max, in.col("n")))),
					set("first", b.fold(plan.First, in.col("v"))),
				}}, "t")
			},
			want: `d string, n int, v int, first int
				a|1|10|10
				a|4|null|10
				a|9|30|10
				a|16|40|10
				b|1|5|5`,
		},
		{
			name: "equal rows share a running sum",
			in: map[string]string{"t": `d string, n int, v int
				a | 1 | 1
				a | 1 | 2
				a | 2 | 4`},
			plan: windowed(nil, foldV(plan.Sum)),
			want: `d string, n int, v int, w bigint
				a|1|1|3
				a|1|2|3
				a|2|4|7`,
		},
		{
			name: "a function that numbers rows", in: readings(),
			plan: windowed(nil, func(*builder, in) plan.Expr {
				return plan.Call{Fn: function{"rowNumber", "row_number()"}, Kind: plan.Windowing, Of: schema.Long}
			}),
			want: `d string, n int, v int, w bigint
				a|1|10|1
				a|2|null|2
				a|3|30|3
				a|4|40|4
				b|1|5|1`,
		},
		{
			name: "a function that looks back", in: readings(),
			plan: windowed(nil, func(_ *builder, in in) plan.Expr {
				return plan.Call{Fn: function{"lag", "lag(%s, 1)"}, Kind: plan.Windowing, Args: []plan.Expr{in.col("v")}, Of: schema.Integer}
			}),
			want: `d string, n int, v int, w int
				a|1|10|null
				a|2|null|10
				a|3|30|null
				a|4|40|30
				b|1|5|null`,
		},
		{
			name: "average of decimals over a window",
			in: map[string]string{"t": `d string, n int, v decimal(5,2)
				a | 1 | 1.00
				a | 2 | 1.01
				a | 3 | 1.01`},
			plan: windowed(nil, foldV(plan.Average)),
			want: `d string, n int, v decimal(5,2), w decimal(9,6)
				a|1|1.00|1.000000
				a|2|1.01|1.005000
				a|3|1.01|1.006667`,
		},
		{
			name: "newest row of a key", in: readings(),
			plan: func(b *builder) {
				in := b.of("t")
				number := plan.Call{Fn: function{"rowNumber", "row_number()"}, Kind: plan.Windowing, Of: schema.Integer}
				b.add("numbered", plan.Window{
					Over: []plan.Expr{in.col("d")}, Order: []plan.Order{desc(in.col("n"))}, Set: []plan.Assignment{set("r", number)},
				}, "t")
				after := b.of("numbered")
				b.add("newest", plan.Filter{Keep: b.op(plan.Equal, after.col("r"), whole(1))}, "numbered")
				last := b.of("newest")
				b.add("out", plan.Select{Take: []plan.Assignment{set("d", last.col("d")), set("v", last.col("v"))}}, "newest")
			},
			want: `d string, v int
				a|40
				b|5`,
		},
	}...)
}

func rankExamples() []example {
	ranked := func(dense bool) func(b *builder) {
		return func(b *builder) {
			in := b.of("t")
			b.add("out", plan.Rank{Order: []plan.Order{desc(in.col("d")), asc(in.col("v"))}, Name: "r", Dense: dense}, "t")
		}
	}
	table := map[string]string{"t": `d string, v int
		a | 1
		a | 1
		a | null
		b | 7
		a | 2`}
	return []example{
		{name: "rank leaves gaps", in: table, plan: ranked(false), want: `d string, v int, r bigint
			b|7|1
			a|null|2
			a|1|3
			a|1|3
			a|2|5`},
		{name: "dense rank leaves none", in: table, plan: ranked(true), want: `d string, v int, r bigint
			b|7|1
			a|null|2
			a|1|3
			a|1|3
			a|2|4`},
	}
}
