package enginetest

import (
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// sides are two tables with keys that are missing, null or there twice.
func sides() map[string]string {
	return map[string]string{
		"left": `
			k int, a string
			1 | x
			2 | y
			2 | z
			null | n`,
		"right": `
			k int, b string
			2 | p
			2 | q
			3 | r
			null | s`,
	}
}

// joined adds a join of the sides on equal keys.
func joined(kind plan.JoinKind) func(b *builder) {
	return func(b *builder) {
		in := b.of("left", "right")
		b.add("joined", plan.Join{Kind: kind, On: b.op(plan.Equal, in.col("k"), in.right("k"))}, "left", "right")
	}
}

// looked adds a lookup of the right side, and whether it matched.
func looked(pick plan.Pick, on func(b *builder, in in) plan.Expr, order ...func(in in) plan.Order) func(b *builder) {
	return func(b *builder) {
		in := b.of("left", "right")
		op := plan.Lookup{Pick: pick, On: on(b, in), Matched: "found"}
		for _, o := range order {
			op.Order = append(op.Order, o(in))
		}
		b.add("looked", op, "left", "right")
		after := b.of("looked")
		var found plan.Expr
		for _, c := range b.Plan().Step("looked").Columns {
			if c.Hidden {
				found = plan.Ref{ID: c.ID, Of: c.Type}
			}
		}
		b.add("out", plan.Select{Take: []plan.Assignment{
			set("a", after.col("a")), set("b", after.col("b")), set("found", found),
		}}, "looked")
	}
}

func onKey(b *builder, in in) plan.Expr { return b.op(plan.Equal, in.col("k"), in.right("k")) }

// onLess is a condition that no hash can find matches for.
func onLess(b *builder, in in) plan.Expr { return b.op(plan.Less, in.col("k"), in.right("k")) }

func byB(in in) plan.Order { return asc(in.right("b")) }

// matchExamples are of steps with several inputs.
func matchExamples() []example {
	return append(append(joinExamples(), lookupExamples()...), unionExamples()...)
}

func joinExamples() []example {
	return []example{
		{name: "inner join", in: sides(), plan: joined(plan.Inner), want: `k int, a string, k int, b string
			2|y|2|p
			2|y|2|q
			2|z|2|p
			2|z|2|q`},
		{name: "left join", in: sides(), plan: joined(plan.LeftOuter), want: `k int, a string, k int, b string
			1|x|null|null
			2|y|2|p
			2|y|2|q
			2|z|2|p
			2|z|2|q
			null|n|null|null`},
		{name: "right join", in: sides(), plan: joined(plan.RightOuter), want: `k int, a string, k int, b string
			2|y|2|p
			2|y|2|q
			2|z|2|p
			2|z|2|q
			null|null|3|r
			null|null|null|s`},
		{name: "full join", in: sides(), plan: joined(plan.FullOuter), want: `k int, a string, k int, b string
			1|x|null|null
			2|y|2|p
			2|y|2|q
			2|z|2|p
			2|z|2|q
			null|n|null|null
			null|null|3|r
			null|null|null|s`},
		{
			name: "join on null keys", in: sides(),
			plan: func(b *builder) {
				in := b.of("left", "right")
				b.add("joined", plan.Join{On: b.op(plan.SameAs, in.col("k"), in.right("k"))}, "left", "right")
				after := b.of("joined")
				b.add("out", plan.Select{Take: []plan.Assignment{set("a", after.col("a")), set("b", after.col("b"))}}, "joined")
			},
			want: `a string, b string
				y|p
				y|q
				z|p
				z|q
				n|s`,
		},
		{
			name: "cross join", in: sides(),
			plan: func(b *builder) {
				b.add("crossed", plan.Join{Kind: plan.Cross}, "left", "right")
				b.add("n", plan.Aggregate{Values: []plan.Assignment{set("n", b.fold(plan.Count, nil))}}, "crossed")
			},
			want: `n bigint
				16`,
		},
		{
			name: "cross join with a condition", in: sides(),
			plan: func(b *builder) {
				in := b.of("left", "right")
				b.add("crossed", plan.Join{Kind: plan.Cross, On: onLess(b, in)}, "left", "right")
				after := b.of("crossed")
				b.add("out", plan.Select{Take: []plan.Assignment{set("a", after.col("a")), set("b", after.col("b"))}}, "crossed")
			},
			want: `a string, b string
				x|p
				x|q
				x|r
				y|r
				z|r`,
		},
		{
			name: "join of a stream with itself", in: sides(),
			plan: func(b *builder) {
				in := b.of("left", "left")
				b.add("joined", plan.Join{On: b.op(plan.Equal, in.col("k"), in.right("k"))}, "left", "left")
				after := b.of("joined")
				b.add("out", plan.Select{Take: []plan.Assignment{
					set("one", after.ref(0, "a", 0)), set("other", after.ref(0, "a", 1)),
				}}, "joined")
			},
			want: `one string, other string
				x|x
				y|y
				y|z
				z|y
				z|z`,
		},
		{
			name: "join of ints and text by converted keys",
			in: map[string]string{"left": `k int
				1
				2`, "right": `k string
				2
				02
				x`},
			plan: func(b *builder) {
				in := b.of("left", "right")
				on := b.op(plan.Equal, in.col("k"), plan.Convert{From: in.right("k"), To: schema.Integer})
				b.add("joined", plan.Join{On: on}, "left", "right")
			},
			want: `k int, k string
				2|2
				2|02`,
		},
		{
			name: "exists keeps rows once", in: sides(),
			plan: func(b *builder) {
				b.add("kept", plan.Exists{On: onKey(b, b.of("left", "right"))}, "left", "right")
			},
			want: `k int, a string
				2|y
				2|z`,
		},
		{
			name: "exists not keeps null keys", in: sides(),
			plan: func(b *builder) {
				b.add("kept", plan.Exists{On: onKey(b, b.of("left", "right")), Negate: true}, "left", "right")
			},
			want: `k int, a string
				1|x
				null|n`,
		},
		{
			name: "exists by any condition", in: sides(),
			plan: func(b *builder) {
				b.add("kept", plan.Exists{On: onLess(b, b.of("left", "right"))}, "left", "right")
			},
			want: `k int, a string
				1|x
				2|y
				2|z`,
		},
	}
}

func lookupExamples() []example {
	return []example{
		{name: "lookup of all matches", in: sides(), plan: looked(plan.PickAll, onKey), want: `a string, b string, found boolean
			x|null|false
			y|p|true
			y|q|true
			z|p|true
			z|q|true
			n|null|false`},
		{name: "lookup of any match takes one", in: sides(), plan: looked(plan.PickAny, onKey), want: `a string, b string, found boolean
			x|null|false
			y|p|true
			z|p|true
			n|null|false`},
		{name: "lookup of the first match", in: sides(), plan: looked(plan.PickFirst, onKey, byB), want: `a string, b string, found boolean
			x|null|false
			y|p|true
			z|p|true
			n|null|false`},
		{name: "lookup of the last match", in: sides(), plan: looked(plan.PickLast, onKey, byB), want: `a string, b string, found boolean
			x|null|false
			y|q|true
			z|q|true
			n|null|false`},
		{name: "lookup of the last match by any condition", in: sides(), plan: looked(plan.PickLast, onLess, byB), want: `a string, b string, found boolean
			x|r|true
			y|r|true
			z|r|true
			n|null|false`},
		{name: "lookup of the first match by any condition", in: sides(), plan: looked(plan.PickFirst, onLess, byB), want: `a string, b string, found boolean
			x|p|true
			y|r|true
			z|r|true
			n|null|false`},
	}
}

func unionExamples() []example {
	tables := map[string]string{
		"one": `a int, b decimal(5,2)
			1 | 1.50`,
		"two": `B decimal(7,1), c string
			2.5 | x
			null | y`,
	}
	return []example{
		{
			name: "union by name widens and fills", in: tables,
			plan: func(b *builder) { b.add("all", plan.Union{ByName: true}, "one", "two") },
			want: `a int, b decimal(8,2), c string
				1|1.50|null
				null|2.50|x
				null|null|y`,
		},
		{
			name: "union by position has the first names",
			in: map[string]string{"one": `a int, b string
				1 | x`, "two": `b bigint, z string
				2 | y`},
			plan: func(b *builder) { b.add("all", plan.Union{}, "one", "two") },
			want: `a bigint, b string
				1|x
				2|y`,
		},
		{
			name: "union keeps columns of one name apart",
			in: map[string]string{"one": `a int
				1`, "two": `a int
				2`},
			plan: func(b *builder) {
				b.add("twice", plan.Join{Kind: plan.Cross}, "one", "two")
				b.add("all", plan.Union{ByName: true}, "twice", "two", "twice")
			},
			want: `a int, a int
				1|2
				2|null
				1|2`,
		},
		{
			name: "union of a stream with itself keeps all rows", in: tables,
			plan: func(b *builder) { b.add("all", plan.Union{ByName: true}, "one", "one", "one") },
			want: `a int, b decimal(5,2)
				1|1.50
				1|1.50
				1|1.50`,
		},
	}
}
