package enginetest

import (
	"landfall/internal/diag"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// orders is a table that many examples read.
func orders() map[string]string {
	return map[string]string{"orders": `
		id int, country string, total decimal(10,2)
		1 | NO   | 10.00
		2 | SE   | 20.50
		3 | null | 5.25
		4 | NO   | null`}
}

// rowExamples are of steps that take rows one by one.
func rowExamples() []example {
	return append(columnExamples(), []example{
		{
			name: "filter drops false and null", in: orders(),
			plan: func(b *builder) {
				b.add("kept", plan.Filter{Keep: b.op(plan.Equal, b.of("orders").col("country"), text("NO"))}, "orders")
			},
			want: `id int, country string, total decimal(10,2)
				1|NO|10.00
				4|NO|null`,
		},
		{
			name: "filter of not keeps no nulls", in: orders(),
			plan: func(b *builder) {
				equal := b.op(plan.Equal, b.of("orders").col("country"), text("NO"))
				b.add("kept", plan.Filter{Keep: b.op(plan.Not, equal)}, "orders")
			},
			want: `id int, country string, total decimal(10,2)
				2|SE|20.50`,
		},
		{
			name: "split sends a row to the first", in: orders(), plan: func(b *builder) { split(b, false, 1) },
			want: `id int, country string, total decimal(10,2)
				3|null|5.25`,
		},
		{
			name: "split sends a row to all", in: orders(), plan: func(b *builder) { split(b, true, 1) },
			want: `id int, country string, total decimal(10,2)
				1|NO|10.00
				3|null|5.25`,
		},
		{
			name: "split has a default", in: orders(), plan: func(b *builder) { split(b, false, 2) },
			want: `id int, country string, total decimal(10,2)
				2|SE|20.50
				4|NO|null`,
		},
		{
			name: "two branches of a stream", in: orders(),
			plan: func(b *builder) {
				in := b.of("orders")
				b.add("small", plan.Filter{Keep: b.op(plan.Less, in.col("id"), whole(3))}, "orders")
				b.add("large", plan.Filter{Keep: b.op(plan.GreaterEqual, in.col("id"), whole(3))}, "orders")
				b.add("all", plan.Union{ByName: true}, "large", "small")
				b.add("ids", plan.Select{Take: []plan.Assignment{set("id", b.of("all").col("id"))}}, "all")
			},
			want: `id int
				1
				2
				3
				4`,
		},
		{
			name: "key counts rows in their order", in: orders(), ordered: true,
			plan: func(b *builder) {
				b.add("sorted", plan.Sort{By: []plan.Order{desc(b.of("orders").col("id"))}}, "orders")
				b.add("keyed", plan.Key{Name: "k", Start: 100, Step: 10}, "sorted")
				in := b.of("keyed")
				b.add("out", plan.Select{Take: []plan.Assignment{set("k", in.col("k")), set("id", in.col("id"))}}, "keyed")
			},
			want: `k bigint, id int
				100|4
				110|3
				120|2
				130|1`,
		},
		{
			name: "source without files",
			in:   map[string]string{"orders": `id int, note string`},
			plan: func(b *builder) { b.add("all", plan.Alias{}, "orders") },
			want: `id int, note string`,
		},
	}...)
}

// split takes an output of a split of orders: less than 2, odd, other.
func split(b *builder, all bool, number int) {
	in := b.of("orders")
	odd := b.op(plan.Equal, b.op(plan.Modulo, in.col("id"), whole(2)), whole(1))
	b.add("split", plan.Split{
		Conditions: []plan.Expr{b.op(plan.Less, in.col("id"), whole(2)), odd},
		Outputs:    []string{"low", "odd", "other"}, All: all,
	}, "orders")
	b.add("split@out", plan.Output{Number: number}, "split")
}

// columnExamples are of steps that change columns alone.
func columnExamples() []example {
	return []example{
		{
			name: "select renames and drops", in: orders(),
			plan: func(b *builder) {
				in := b.of("orders")
				b.add("taken", plan.Select{Take: []plan.Assignment{set("Total €", in.col("total")), set("id", in.col("id"))}}, "orders")
			},
			want: `Total € decimal(10,2), id int
				10.00|1
				20.50|2
				5.25|3
				null|4`,
		},
		{
			name: "select takes a column twice", in: orders(),
			plan: func(b *builder) {
				id := b.of("orders").col("id")
				b.add("taken", plan.Select{Take: []plan.Assignment{set("id", id), set("ID", id)}}, "orders")
				in := b.of("taken")
				b.add("sum", plan.Derive{Set: []plan.Assignment{set("n", b.op(plan.Add, in.col("id"), in.col("ID")))}}, "taken")
			},
			want: `id int, ID int, n int
				1|1|2
				2|2|4
				3|3|6
				4|4|8`,
		},
		{
			name: "select takes fields of a struct",
			in: map[string]string{"t": `id int, s struct<b:int,c:string>
				1 | {"b":1,"c":"x"}
				2 | null`},
			plan: func(b *builder) {
				s := b.of("t").col("s")
				b.add("taken", plan.Select{Take: []plan.Assignment{
					set("b", plan.Member{From: s, Name: "b", Of: schema.Integer}),
					set("c", plan.Member{From: s, Name: "c", Of: schema.String}),
				}}, "t")
			},
			want: `b int, c string
				1|x
				null|null`,
		},
		{
			name: "derive changes in place and adds behind", in: orders(),
			plan: func(b *builder) {
				in := b.of("orders")
				b.add("derived", plan.Derive{Set: []plan.Assignment{
					set("next", b.op(plan.Add, in.col("id"), whole(1))),
					set("country", b.op(plan.Coalesce, in.col("country"), text("?"))),
				}}, "orders")
			},
			want: `id int, country string, total decimal(10,2), next int
				1|NO|10.00|2
				2|SE|20.50|3
				3|?|5.25|4
				4|NO|null|5`,
		},
		{
			name: "values of a derive do not see each other",
			in: map[string]string{"t": `a int, b int
				1 | 2`},
			plan: func(b *builder) {
				in := b.of("t")
				b.add("swapped", plan.Derive{Set: []plan.Assignment{set("a", in.col("b")), set("b", in.col("a"))}}, "t")
			},
			want: `a int, b int
				2|1`,
		},
		{
			name: "derive finds a column in another casing", in: orders(),
			plan: func(b *builder) {
				b.add("derived", plan.Derive{Set: []plan.Assignment{set("ID", whole(7))}}, "orders")
			},
			want: `ID int, country string, total decimal(10,2)
				7|NO|10.00
				7|SE|20.50
				7|null|5.25
				7|NO|null`,
		},
		{
			name: "derive calls a function", in: orders(),
			plan: func(b *builder) {
				call := plan.Call{Fn: function{"length", "length(%s)"}, Args: []plan.Expr{b.of("orders").col("country")}, Of: schema.Integer}
				b.add("derived", plan.Derive{Set: []plan.Assignment{set("n", call)}}, "orders")
				b.add("out", plan.Select{Take: []plan.Assignment{set("n", b.of("derived").col("n"))}}, "derived")
			},
			want: `n int
				2
				2
				null
				2`,
		},
		{
			name: "case takes the first that is true", in: orders(),
			plan: func(b *builder) {
				in := b.of("orders")
				b.add("out", plan.Select{Take: []plan.Assignment{set("size", plan.Case{
					Whens: []plan.When{
						{If: b.op(plan.Greater, in.col("total"), whole(15)), Then: text("large")},
						{If: b.op(plan.Greater, in.col("total"), whole(7)), Then: text("medium")},
					},
					Else: text("small"), Of: schema.String,
				})}}, "orders")
			},
			want: `size string
				medium
				large
				small
				small`,
		},
		{
			name: "struct and array are made",
			in: map[string]string{"t": `a int
				1
				null`},
			plan: func(b *builder) {
				a := b.of("t").col("a")
				b.add("out", plan.Select{Take: []plan.Assignment{
					set("s", plan.Object{Names: []string{"x", "y z"}, Values: []plan.Expr{a, text("k")}}),
					set("l", plan.Items{Values: []plan.Expr{a, whole(5)}, Of: schema.Array{Element: schema.Integer}}),
				}}, "t")
			},
			want: "s struct<x:int,`y z`:string>, l array<int>" + `
				{"x":1,"y z":"k"}|[1,5]
				{"x":null,"y z":"k"}|[null,5]`,
		},
		{
			name: "lambda sees the columns around it",
			in: map[string]string{"t": `l array<int>, n int
				[1,2] | 10
				null  | 1
				[]    | 1`},
			plan: func(b *builder) {
				in := b.of("t")
				item := plan.Local{Name: "item", Of: schema.Integer}
				body := plan.Lambda{Params: []string{"item"}, Body: b.op(plan.Multiply, item, in.col("n"))}
				call := plan.Call{Fn: function{"map", "list_transform(%s, %s)"}, Args: []plan.Expr{in.col("l"), body}, Of: b.typ("array<int>")}
				b.add("out", plan.Select{Take: []plan.Assignment{set("m", call)}}, "t")
			},
			want: `m array<int>
				[10,20]
				null
				[]`,
		},
		{
			name: "cached lookup finds a row",
			in: map[string]string{"orders": orders()["orders"], "names": `code string, name string
				NO | Norway
				NO | Norge
				SE | Sweden`},
			plan: func(b *builder) {
				b.add("cache", plan.Sink{Cache: true}, "names")
				cache := b.of("cache")
				row := plan.Cached{
					Step: "cache", On: []plan.ID{cache.id("code")}, Keys: []plan.Expr{b.of("orders").col("country")},
					Of: b.typ("struct<code:string,name:string>"),
				}
				all := row
				all.All, all.Of = true, schema.Array{Element: row.Of}
				b.add("out", plan.Select{Take: []plan.Assignment{
					set("id", b.of("orders").col("id")),
					set("name", plan.Member{From: row, Name: "name", Of: schema.String}),
					set("names", plan.Member{From: all, Name: "name", Of: b.typ("array<string>")}),
				}}, "orders")
			},
			want: `id int, name string, names array<string>
				1|Norway|["Norway","Norge"]
				2|Sweden|["Sweden"]
				3|null|[]
				4|Norway|["Norway","Norge"]`,
		},
		{
			name: "cached lookup within an operation",
			in: map[string]string{"orders": orders()["orders"], "best": `n int
				2`},
			plan: func(b *builder) {
				b.add("cache", plan.Sink{Cache: true}, "best")
				row := plan.Cached{Step: "cache", Of: b.typ("struct<n:int>")}
				n := plan.Member{From: row, Name: "n", Of: schema.Integer}
				in := b.of("orders")
				b.add("kept", plan.Filter{Keep: b.op(plan.Greater, b.op(plan.Add, in.col("id"), n), whole(4))}, "orders")
				b.add("out", plan.Derive{Set: []plan.Assignment{set("id", b.op(plan.Multiply, b.of("kept").col("id"), n))}}, "kept")
			},
			want: `id int, country string, total decimal(10,2)
				6|null|5.25
				8|NO|null`,
		},
		{
			name: "sort puts nulls first and NaN last", ordered: true,
			in: map[string]string{"t": `v double
				2.5
				NaN
				null
				-Infinity
				Infinity`},
			plan: func(b *builder) { b.add("sorted", plan.Sort{By: []plan.Order{asc(b.of("t").col("v"))}}, "t") },
			want: `v double
				null
				-Infinity
				2.5
				Infinity
				NaN`,
		},
		{
			name: "sort downwards puts NaN first and nulls last", ordered: true,
			in: map[string]string{"t": `v double
				2.5
				null
				NaN
				3`},
			plan: func(b *builder) { b.add("sorted", plan.Sort{By: []plan.Order{desc(b.of("t").col("v"))}}, "t") },
			want: `v double
				NaN
				3
				2.5
				null`,
		},
		{
			name: "sort compares the bytes of text", ordered: true,
			in: map[string]string{"t": `v string
				b
				ä
				A
				a
				B`},
			plan: func(b *builder) { b.add("sorted", plan.Sort{By: []plan.Order{asc(b.of("t").col("v"))}}, "t") },
			want: `v string
				A
				B
				a
				b
				ä`,
		},
		{
			name: "sort by two keys, ignoring case", ordered: true,
			in: map[string]string{"t": `v string, n int
				b | 1
				A | 1
				B | 3
				a | 2`},
			plan: func(b *builder) {
				in := b.of("t")
				first := asc(in.col("v"))
				first.IgnoreCase = true
				b.add("sorted", plan.Sort{By: []plan.Order{first, desc(in.col("n"))}}, "t")
			},
			want: `v string, n int
				a|2
				A|1
				B|3
				b|1`,
		},
		{
			name: "sink leaves out hidden columns", in: orders(),
			plan: func(b *builder) {
				rule := plan.Rule{ID: "r", On: yes()}
				b.add("checked", plan.Assert{Rules: []plan.Rule{rule}, Errors: "errors"}, "orders")
				b.add("sink", plan.Sink{}, "checked")
			},
			want: `id int, country string, total decimal(10,2)
				1|NO|10.00
				2|SE|20.50
				3|null|5.25
				4|NO|null`,
		},
		{
			name: "a plan that is wrong is refused", in: orders(), fails: diag.PlanInvalid,
			plan: func(b *builder) {
				b.Plan().Steps = append(b.Plan().Steps, plan.Step{Name: "out", Inputs: []string{"nowhere"}, Op: plan.Alias{}})
			},
		},
	}
}
