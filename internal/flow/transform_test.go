package flow_test

import (
	"testing"

	"landfall/internal/diag"
	"landfall/internal/plan"
)

// people are the rows of the tests of transformations.
func people() file {
	return file{"people.json", "id int, name string, tag string, n1 int, n2 int, s struct<b:string,c:int>, o struct<items:array<struct<q:int,l:array<int>>>>, d string", `{"id": 1, "name": "ann", "tag": "x", "n1": 10, "n2": 20, "s": {"b": " u ", "c": 1}, "o": {"items": [{"q": 1, "l": [1, 2]}, {"q": 2, "l": []}]}, "d": "31/12/2024"}
{"id": 2, "name": "bob", "tag": "y", "n1": null, "n2": 40, "s": {"b": "v", "c": 2}, "o": {"items": []}, "d": "2024-01-02"}
{"id": 3, "name": null, "tag": "x", "n1": 30, "n2": null, "s": null, "o": null, "d": null}
`}
}

const peopleSource = "source(output(id as integer, name as string, tag as string, n1 as integer, n2 as integer, s as (b as string, c as integer), o as (items as (q as integer, l as integer[])[]), d as string)) ~> In\n"

// Each transformation in several forms, with the rows that come of it, worked out by hand.
func TestTransformations(t *testing.T) {
	in := people()
	for name, c := range map[string]struct{ script, want string }{
		// Unpivot.
		"unpivot": {
			"In select(mapColumn(id, n1, n2)) ~> S\nS unpivot(output(k as string, v as integer), ungroupBy(id), lateral: true, ignoreNullPivots: false) ~> U\nU sort(asc(id), asc(k)) ~> Out",
			"1|n1|10\n1|n2|20\n2|n1|NULL\n2|n2|40\n3|n1|30\n3|n2|NULL",
		},
		"unpivot without nulls": {
			"In select(mapColumn(id, n1, n2)) ~> S\nS unpivot(output(k as string, v as double), ungroupBy(id), ignoreNullPivots: true) ~> U\nU sort(asc(id), asc(k)) ~> Out",
			"1|n1|10\n1|n2|20\n2|n2|40\n3|n1|30",
		},
		// Assert, and what is read of its marks, also behind a select.
		"assert": {
			"In assert(expectTrue(n1 > 15, false, 'big', null, toString(id) + ' is small'), expectUnique(tag, false, 'once'), expectTrue(!isNull(name), false, 'named', id > 2)) ~> A\n" +
				"A select(mapColumn(id)) ~> S\nS derive(e = isError(), b = hasError('big'), u = hasError('once'), n = hasError('named'), m = assertErrorMessages()['big']) ~> D\nD sort(asc(id)) ~> Out",
			"1|true|true|true|false|1 is small\n2|true|true|false|false|2 is small\n3|true|false|true|true|NULL",
		},
		"assert that passes over nulls": {
			"In assert(expectTrue(n1 > 15, true, 'big')) ~> A\nA filter(!isError()) ~> F\nF select(mapColumn(id)) ~> Out",
			"2\n3",
		},
		"assert of another stream": {
			"In filter(id < 3) ~> Known\nIn, Known assert(expectExists(In@id == Known@id, false, 'known')) ~> A\nA split(isError(), disjoint: false) ~> P@(bad, good)\nP@bad select(mapColumn(id)) ~> Out",
			"3",
		},
		// Lookups.
		"isMatch": {
			"In filter(id == 2) ~> R\nIn, R lookup(In@id == R@id, multiple: false, pickup: 'last', desc(n2, true), broadcast: 'auto') ~> L\nL derive(m = isMatch()) ~> D\nD select(mapColumn(id = In@id, m)) ~> E\nE sort(asc(id)) ~> Out",
			"1|false\n2|true\n3|false",
		},
		"lookup picks": {
			"In derive(g = 1) ~> G\nIn derive(h = 1, other = id) ~> R\nG, R lookup(g == h, multiple: false, pickup: 'last', asc(other, true)) ~> L\nL select(mapColumn(g, other)) ~> Out",
			"1|3\n1|3\n1|3",
		},
		"lookups behind each other": {
			"In filter(id == 2) ~> R\nIn select(mapColumn(k = id, other = tag)) ~> T\nT filter(k > 2) ~> Q\nIn, R lookup(In@id == R@id, multiple: false, pickup: 'any') ~> L\nL select(mapColumn(id = In@id)) ~> M\n" +
				"M, Q lookup(id == k, multiple: false, pickup: 'any') ~> N\nN derive(m = isMatch()) ~> D\nD select(mapColumn(id, m)) ~> E\nE sort(asc(id)) ~> Out",
			"1|false\n2|false\n3|true",
		},
		"no match of another stream": {
			"In filter(id == 2) ~> R\nIn, R lookup(In@id == R@id, multiple: false, pickup: 'any') ~> L\nL select(mapColumn(id = In@id)) ~> A\nIn select(mapColumn(id)) ~> B\nA, B union(byName: true) ~> U\nU filter(!isMatch()) ~> F\nF aggregate(n = count()) ~> Out",
			"5",
		},
		// Casts.
		"cast by a format": {
			"In cast(output(d as date 'dd/MM/yyyy', id as string), errors: true) ~> C\nC derive(e = isError()) ~> D\nD select(mapColumn(id, d, e)) ~> Out",
			"1|2024-12-31|false\n2|NULL|true\n3|NULL|false",
		},
		// Flatten.
		"nested arrays": {
			"In foldDown(unroll(o.items.l), mapColumn(id, q = o.items.q, l = o.items.l)) ~> Out",
			"1|1|1\n1|1|2\n1|2|NULL\n2|NULL|NULL\n3|NULL|NULL",
		},
		"a root": {
			"In foldDown(unroll(o.items.l, o.items), mapColumn(id, l = o.items.l)) ~> Out",
			"1|1\n1|2\n1|NULL",
		},
		"one level": {
			"In foldDown(unroll(o.items), mapColumn(id, q = o.items.q, l = o.items.l)) ~> Out",
			"1|1|[1,2]\n1|2|[]\n2|NULL|NULL\n3|NULL|NULL",
		},
		"several arrays": {
			"In derive(x = [1, 2], y = ['a', 'b']) ~> D\nD filter(id == 1) ~> F\nF foldDown(unrollMultiple(x, y), mapColumn(id, each(match(name == 'x' || name == 'y')))) ~> Out",
			"1|1|a\n1|1|b\n1|2|a\n1|2|b",
		},
		"unfold": {
			"In filter(id == 1) ~> F\nF derive(name = unfold(['p', 'q']), z = id) ~> D\nD select(mapColumn(id, name, z)) ~> Out",
			"1|p|1\n1|q|1",
		},
		// Cached lookups.
		"a cached row": {
			"In select(mapColumn(tag, id, key = n2)) ~> K\nK sort(asc(id)) ~> Sorted\nSorted sink(store: 'cache', format: 'inline', output: false, keys: ['tag'], saveOrder: 1) ~> cache\n" +
				"In derive(first = cache#lookup(tag).id, none = isNull(cache#lookup('z')), all = size(cache#mlookup(tag))) ~> D\nD select(mapColumn(id, first, none, all)) ~> Out",
			"1|1|true|2\n2|2|true|1\n3|1|true|2",
		},
		"cached rows": {
			"In aggregate(top = max(n2)) ~> M\nM sink(store: 'cache', allowSchemaDrift: true) ~> maxima\n" +
				"In derive(t = maxima#output().top, o = maxima#outputs()[1].top) ~> D\nD select(mapColumn(id, t, o)) ~> Out",
			"1|40|40\n2|40|40\n3|40|40",
		},
		"names of a cache": {
			"In derive(old = iif(id == 1, 'n1', 'n2'), newName = iif(id == 1, 'first', 'second')) ~> Rules\nRules filter(id < 3) ~> Two\n" +
				"Two sink(store: 'cache', keys: ['old'], allowSchemaDrift: true) ~> names\n" +
				"In select(mapColumn(id, each(match(!isNull(names#lookup(name).newName)), names#lookup($$).newName = $$))) ~> N\nN derive(columns = columnNames()) ~> Out",
			"1|10|20|[\"id\",\"first\",\"second\"]\n2|NULL|40|[\"id\",\"first\",\"second\"]\n3|30|NULL|[\"id\",\"first\",\"second\"]",
		},
		// Hierarchies.
		"a struct flattened":  {"In select(mapColumn(id, each(s, match(true())))) ~> Out", "1| u |1\n2|v|2\n3|NULL|NULL"},
		"fields of a struct":  {"In select(mapColumn(id, each(s, match(type == 'string'), $$ + '_t' = trim($$)))) ~> Out", "1|u\n2|v\n3|NULL"},
		"a struct made anew":  {"In derive(each(s, match(type == 'string'), $$ = trim($$), $$ + '_n' = length($$))) ~> D\nD select(mapColumn(s)) ~> Out", `{"b":"u","c":1,"b_n":3}` + "\n" + `{"b":"v","c":2,"b_n":1}` + "\nNULL"},
		"a path of a pattern": {"In select(mapColumn(each(s, match(name == 'c'), $0 = $$))) ~> Out", "1\n2\nNULL"},
		// Functions of columns.
		"paths":                 {"In derive(a = toInteger(byPath('o.items[1].q')), h = hasPath('s.b'), z = hasPath('s.z'), i = toString(byItem(byName('s'), 'b')), p = toInteger(byPosition(1))) ~> D\nD select(mapColumn(a, h, z, i, p)) ~> Out", "1|true|false| u |1\nNULL|true|false|v|2\nNULL|true|false|NULL|3"},
		"several":               {"In select(mapColumn(name, tag)) ~> S\nS derive(l = byNames(['name', 'tag']) ? string[], c = concatWS('-', columns()), m = byNames(['name', 'zz']) ? string[]) ~> D\nD select(mapColumn(l, c, m)) ~> Out", `["ann","x"]|ann-x|[null]` + "\n" + `["bob","y"]|bob-y|[null]` + "\n" + `[null,"x"]|x|[null]`},
		"families":              {"In select(mapColumn(each(match(typeMatch(type, 'number'))))) ~> Out", "1|10|20\n2|NULL|40\n3|30|NULL"},
		"expr":                  {"parameters{ e as string ('n1 + 1') }\nIn derive(r = expr($e)) ~> D\nD select(mapColumn(r)) ~> Out", "11\nNULL\n31"},
		"map":                   {"In derive(m = ['a' -> id, 'b' -> n1]) ~> D\nD derive(v = m['b']) ~> E\nE select(mapColumn(v)) ~> Out", "10\nNULL\n30"},
		"groups":                {"In select(mapColumn(each(patternMatch(`^n(\\d)$`), 'x' + $1 = $$))) ~> X\nX derive(c = columnNames()) ~> Out", "10|20|[\"x1\",\"x2\"]\nNULL|40|[\"x1\",\"x2\"]\n30|NULL|[\"x1\",\"x2\"]"},
		"$1":                    {"In aggregate(each(match(typeMatch(type, 'integral') && name != 'id'), concat($1, '_total') = sum($1))) ~> Out", "40|60"},
		"sides":                 {"In filter(id < 3) ~> A\nIn filter(id > 1) ~> B\nA, B join(byName('id') == byName('id'), joinType: 'inner') ~> J\nJ select(mapColumn(id = A@id)) ~> Out", "2"},
		"the nearest stream":    {"In derive(n1 = n2) ~> D\nIn, D join(In@id == D@id, joinType: 'inner') ~> J\nJ select(mapColumn(id = In@id, a = In@n1, b = D@n1)) ~> S\nS sort(asc(id)) ~> Out", "1|10|20\n2|NULL|40\n3|30|NULL"},
		"a branch":              {"In split(id < 2, disjoint: false) ~> P@(one, rest)\nP@rest select(mapColumn(i = P@rest@id, j = P@id, k = In@id), skipDuplicateMapInputs: false) ~> Out", "2|2|2\n3|3|3"},
		"names in a text":       {"In derive(h = concatWS('-', byNames(split('name,tag', ',')))) ~> D\nD select(mapColumn(h)) ~> Out", "ann-x\nbob-y\nx"},
		"an order of constants": {"In sort(desc(1, true), asc(id)) ~> S\nS select(mapColumn(id)) ~> Out", "1\n2\n3"},
		"no marks":              {"In filter(isInsert() && !isDelete()) ~> F\nF aggregate(n = count()) ~> Out", "3"},
		"documented flatten": {
			"In derive(goods = @(customers = ['m', 'n'], orders = [@(orderId = id, shipped = @(orderItems = iif(id < 3, [@(itemName = 'Laptop', itemQty = id)])))])) ~> D\n" +
				"D foldDown(unroll(goods.orders.shipped.orderItems, goods.orders), mapColumn(name, orderId = goods.orders.orderId, itemName = goods.orders.shipped.orderItems.itemName, itemQty = goods.orders.shipped.orderItems.itemQty, customers = goods.customers), skipDuplicateMapInputs: false, skipDuplicateMapOutputs: false) ~> Out",
			`ann|1|Laptop|1|["m","n"]` + "\n" + `bob|2|Laptop|2|["m","n"]` + "\n" + `NULL|3|NULL|NULL|["m","n"]`,
		},
		"an array that drifts in": {
			"In select(mapColumn(each(match(true()), 'd_' + $$ = $$))) ~> Drift\nDrift foldDown(unroll(byName('d_o').items), mapColumn(id = toInteger(byName('d_id')), q = byName('d_o').items.q, each(match(name == 'd_tag')))) ~> Out",
			"1|1|x\n1|2|x\n2|NULL|y\n3|NULL|x",
		},
		// Frames.
		"frame":          {"In window(asc(id, true), startRowOffset: -1L, endRowOffset: 0L, s = sum(id)) ~> W\nW select(mapColumn(id, s)) ~> Out", "1|1\n2|3\n3|5"},
		"half a frame":   {"In window(asc(id, true), startRowOffset: 0L, s = sum(id)) ~> W\nW select(mapColumn(id, s)) ~> Out", "1|6\n2|5\n3|3"},
		"whole group":    {"In window(over(tag), s = sum(id)) ~> W\nW select(mapColumn(id, s)) ~> T\nT sort(asc(id)) ~> Out", "1|4\n2|2\n3|4"},
		"by position":    {"In assert(expectTrue(id < 2, false, 'one')) ~> A\nA select(mapColumn(id, name)) ~> L\nIn select(mapColumn(id, tag)) ~> R\nL, R union(byName: false) ~> U\nU aggregate(n = count()) ~> Out", "6"},
		"name on a word": {"In derive(name = upper(name)) ~> D\nD select(mapColumn(name)) ~> Out", "ANN\nBOB\nNULL"},
	} {
		script := c.script
		if name == "expr" { // parameters stand first
			script = "parameters{ e as string ('n1 + 1') }\n" + peopleSource + script[len("parameters{ e as string ('n1 + 1') }\n"):]
		} else {
			script = peopleSource + script
		}
		p, err := answered(t, script, in)
		if err != nil {
			t.Errorf("%s\n%s\n%s", name, script, diag.Render(err, false))
			continue
		}
		if err := plan.Check(p); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := rows(t, p, "Out", "In", in); got != c.want {
			t.Errorf("%s\n%s\nfound\n%s\nwant\n%s", name, c.script, got, c.want)
		}
	}
}
