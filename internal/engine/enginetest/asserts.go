package enginetest

import (
	"landfall/internal/diag"
	"landfall/internal/plan"
)

// positive demands that total is above a bound.
func positive(b *builder, in in, bound int64) plan.Rule {
	return plan.Rule{
		ID: "positive", On: b.op(plan.Greater, in.col("total"), whole(bound)),
		Message: b.op(plan.Concat, text("order "), plan.Convert{From: in.col("id"), To: b.typ("string")}),
	}
}

// assertExamples are of rules that rows may break.
func assertExamples() []example {
	return []example{
		{
			name: "rows that break a rule are marked", in: orders(),
			plan: func(b *builder) {
				b.add("checked", plan.Assert{Rules: []plan.Rule{positive(b, b.of("orders"), 6)}, Errors: "errors"}, "orders")
				failed(b, "checked", "id")
			},
			want: `id int, failed array<string>
				1|[]
				2|[]
				3|["positive"]
				4|["positive"]`,
		},
		{
			name: "nulls may pass, and a filter picks rows", in: orders(),
			plan: func(b *builder) {
				in := b.of("orders")
				rule := positive(b, in, 15)
				rule.IgnoreNulls, rule.Filter = true, b.op(plan.NotEqual, in.col("id"), whole(1))
				b.add("checked", plan.Assert{Rules: []plan.Rule{rule}, Errors: "errors"}, "orders")
				failed(b, "checked", "id")
			},
			want: `id int, failed array<string>
				1|[]
				2|[]
				3|["positive"]
				4|[]`,
		},
		{
			name: "values that are not unique are marked", in: orders(),
			plan: func(b *builder) {
				rule := plan.Rule{ID: "u", Kind: plan.ExpectUnique, On: b.of("orders").col("country")}
				b.add("checked", plan.Assert{Rules: []plan.Rule{rule}, Errors: "errors"}, "orders")
				failed(b, "checked", "id")
			},
			want: `id int, failed array<string>
				1|["u"]
				2|[]
				3|[]
				4|["u"]`,
		},
		{
			name: "rows without a match are marked", in: map[string]string{"orders": orders()["orders"], "codes": `code string
				NO`},
			plan: func(b *builder) {
				in := b.of("orders", "codes")
				rule := plan.Rule{ID: "e", Kind: plan.ExpectExists, On: b.op(plan.Equal, in.col("country"), in.right("code"))}
				b.add("checked", plan.Assert{Rules: []plan.Rule{rule}, Errors: "errors"}, "orders", "codes")
				failed(b, "checked", "id")
			},
			want: `id int, failed array<string>
				1|[]
				2|["e"]
				3|["e"]
				4|[]`,
		},
		{
			name: "a second assert adds to the first", in: orders(),
			plan: func(b *builder) {
				b.add("one", plan.Assert{Rules: []plan.Rule{positive(b, b.of("orders"), 15)}, Errors: "errors"}, "orders")
				rule := plan.Rule{ID: "known", On: b.op(plan.Not, b.op(plan.IsNull, b.of("one").col("country")))}
				b.add("two", plan.Assert{Rules: []plan.Rule{rule}, Errors: "errors"}, "one")
				failed(b, "two", "id")
			},
			want: `id int, failed array<string>
				1|["positive"]
				2|[]
				3|["positive","known"]
				4|["positive"]`,
		},
		{
			name: "a rule that holds does not stop the run", in: orders(),
			plan: func(b *builder) {
				rule := positive(b, b.of("orders"), 0)
				rule.IgnoreNulls = true
				b.add("checked", plan.Assert{Rules: []plan.Rule{rule}, Abort: true}, "orders")
			},
			want: `id int, country string, total decimal(10,2)
				1|NO|10.00
				2|SE|20.50
				3|null|5.25
				4|NO|null`,
		},
		{
			name: "a rule that is broken stops the run", in: orders(), fails: diag.AssertFailed,
			plan: func(b *builder) {
				b.add("checked", plan.Assert{Rules: []plan.Rule{positive(b, b.of("orders"), 6)}, Abort: true}, "orders")
			},
		},
		{
			name: "a rule that looks at other rows stops the run", in: orders(), fails: diag.AssertFailed,
			plan: func(b *builder) {
				rule := plan.Rule{ID: "u", Kind: plan.ExpectUnique, On: b.of("orders").col("country")}
				b.add("checked", plan.Assert{Rules: []plan.Rule{rule}, Abort: true}, "orders")
			},
		},
	}
}
