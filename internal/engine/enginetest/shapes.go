package enginetest

import (
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// carts is a table with arrays in arrays.
func carts() map[string]string {
	return map[string]string{"carts": `
		id int, items array<struct<sku:string,tags:array<string>>>
		1 | [{"sku":"p","tags":["x","y"]},{"sku":"q","tags":[]}]
		2 | []
		3 | null`}
}

// flattened unrolls the items of carts, and their tags.
func flattened(b *builder, required bool, tags bool) {
	in := b.of("carts")
	item := plan.Local{Name: "item", Of: b.typ("struct<sku:string,tags:array<string>>")}
	op := plan.Flatten{
		Unroll: []plan.Unroll{{Of: in.col("items"), Bind: "item", Required: required}},
		Take: []plan.Assignment{
			set("id", in.col("id")), set("sku", plan.Member{From: item, Name: "sku", Of: schema.String}),
		},
	}
	if tags {
		op.Unroll = append(op.Unroll, plan.Unroll{
			Of: plan.Member{From: item, Name: "tags", Of: b.typ("array<string>")}, Bind: "tag", Required: required,
		})
		op.Take = append(op.Take, set("tag", plan.Local{Name: "tag", Of: schema.String}))
	}
	b.add("flat", op, "carts")
}

// shapeExamples are of steps that make rows of parts and columns of rows.
func shapeExamples() []example {
	quarters := map[string]string{"t": `
		id int, q1 int, q2 decimal(5,2)
		1 | 10 | 1.50
		2 | null | 2.50`}
	unpivot := func(drop bool) func(b *builder) {
		return func(b *builder) {
			in := b.of("t")
			b.add("rows", plan.Unpivot{
				Keep: []plan.ID{in.id("id")}, Columns: []plan.ID{in.id("q1"), in.id("q2")},
				Key: "quarter", Value: "amount", KeyType: schema.String, ValueType: schema.Decimal{Precision: 10, Scale: 1},
				IgnoreNullValues: drop,
			}, "t")
		}
	}
	return []example{
		{name: "flatten keeps rows without items", in: carts(), plan: func(b *builder) { flattened(b, false, false) }, want: `id int, sku string
			1|p
			1|q
			2|null
			3|null`},
		{name: "flatten drops rows without items", in: carts(), plan: func(b *builder) { flattened(b, true, false) }, want: `id int, sku string
			1|p
			1|q`},
		{name: "flatten of arrays in arrays", in: carts(), plan: func(b *builder) { flattened(b, false, true) }, want: `id int, sku string, tag string
			1|p|x
			1|p|y
			1|q|null
			2|null|null
			3|null|null`},
		{name: "flatten of arrays in arrays that must be there", in: carts(), plan: func(b *builder) { flattened(b, true, true) }, want: `id int, sku string, tag string
			1|p|x
			1|p|y`},
		{
			name: "a field of each struct of an array", in: carts(),
			plan: func(b *builder) {
				items := b.of("carts").col("items")
				b.add("out", plan.Select{Take: []plan.Assignment{
					set("skus", plan.Member{From: items, Name: "sku", Of: b.typ("array<string>")}),
					set("tags", plan.Member{From: items, Name: "tags", Of: b.typ("array<array<string>>")}),
				}}, "carts")
			},
			want: `skus array<string>, tags array<array<string>>
				["p","q"]|[["x","y"],[]]
				[]|[]
				null|null`,
		},
		{name: "unpivot", in: quarters, plan: unpivot(false), want: `id int, quarter string, amount decimal(10,1)
			1|q1|10.0
			1|q2|1.5
			2|q1|null
			2|q2|2.5`},
		{name: "unpivot without nulls", in: quarters, plan: unpivot(true), want: `id int, quarter string, amount decimal(10,1)
			1|q1|10.0
			1|q2|1.5
			2|q2|2.5`},
		{
			name: "unpivot with keys of its own", in: quarters,
			plan: func(b *builder) {
				in := b.of("t")
				b.add("rows", plan.Unpivot{
					Columns: []plan.ID{in.id("q1")}, Names: []plan.Literal{whole(7)},
					Key: "k", Value: "v", KeyType: schema.Integer, ValueType: schema.String,
				}, "t")
			},
			want: `k int, v string
				7|10
				7|null`,
		},
		{
			name: "cast gives columns other types",
			in: map[string]string{"t": `a string, b string, c int
				1 | 2026-01-02 | 3
				x | null | null`},
			plan: func(b *builder) {
				in := b.of("t")
				b.add("out", plan.Cast{Columns: []plan.Conversion{
					{Column: in.id("a"), To: schema.Integer}, {Column: in.id("b"), To: schema.Date},
				}}, "t")
			},
			want: `a int, b date, c int
				1|2026-01-02|3
				null|null|null`,
		},
		{
			name: "cast marks what it cannot convert",
			in: map[string]string{"t": `a string
				1
				x
				null`},
			plan: func(b *builder) {
				in := b.of("t")
				b.add("cast", plan.Cast{Columns: []plan.Conversion{{Column: in.id("a"), To: schema.Integer}}, Errors: "errors"}, "t")
				failed(b, "cast", "a")
			},
			want: `a int, failed array<string>
				1|[]
				null|["a"]
				null|[]`,
		},
	}
}

// failed takes a column and the ids of the rules that its row fails.
func failed(b *builder, step, column string) {
	var errors plan.Expr
	for _, c := range b.Plan().Step(step).Columns {
		if c.Hidden {
			errors = plan.Ref{ID: c.ID, Of: c.Type}
		}
	}
	ids := plan.Call{Fn: function{"keys", "map_keys(%s)"}, Args: []plan.Expr{errors}, Of: schema.Array{Element: schema.String}}
	b.add("out", plan.Select{Take: []plan.Assignment{set(column, b.of(step).col(column)), set("failed", ids)}}, step)
}
