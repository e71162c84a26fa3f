package flow_test

import (
	"testing"

	"landfall/internal/diag"
	"landfall/internal/plan"
)

// The cases that the documentation of the service decides, by their numbers in our digest
// of it, with columns and rows. Number 20, alterRow, does not run.
func TestDocumented(t *testing.T) {
	dayA := file{"a.json", dayOne, `{"order_id": 1, "order_total": 120, "currency": "GBP"}
{"order_id": 2, "order_total": 75, "currency": "GBP"}
{"order_id": 3, "order_total": 310, "currency": "EUR"}
`}
	dayB := file{"b.json", dayTwo, `{"order_id": 4, "order_total": 99.90, "currency": "GBP", "discount_code": "AUTUMN10", "ship region": "UK-South"}
{"order_id": 5, "order_total": 15.25, "currency": "USD", "discount_code": null, "ship region": "EU-West"}
`}
	one := func(ddl, lines string) file { return file{"in.json", ddl, lines} }
	orders := "In derive(order_total = toDecimal(byName('order_total'), 18, 2), discount_code = toString(byName('discount_code'))) ~> D\n" +
		"D select(mapColumn(each(match(true()), replace($$, ' ', '_') = $$))) ~> S\n"
	const auto = "S sink(allowSchemaDrift: true) ~> Out"
	abc := one("a int, b int, c int", `{"a": 1, "b": 2, "c": 3}`)
	years := one("year int", `{"year": 1950}
{"year": 1970}
{"year": 1990}`)
	lists := one("i int, a struct<items:array<int>>", `{"i": 1, "a": {"items": [7, 8]}}
{"i": 2, "a": {"items": []}}
{"i": 3, "a": {"items": null}}`)
	const listed = "source(output(i as integer, a as (items as integer[]))) ~> In\n"
	for _, c := range []struct {
		number        int
		script        string
		files         []file
		columns, rows string
	}{
		{1, drifts + orders + auto, []file{dayA}, "order_id int~, order_total decimal(18,2), currency string~, discount_code string", "1|120.00|GBP|NULL\n2|75.00|GBP|NULL\n3|310.00|EUR|NULL"},
		{2, drifts + orders + auto, []file{dayB}, "order_id int~, order_total decimal(18,2), currency string~, discount_code string, ship_region string~", "4|99.90|GBP|AUTUMN10|UK-South\n5|15.25|USD|NULL|EU-West"},
		{3, drifts + orders + auto, []file{dayB, dayA}, "order_id int~, order_total decimal(18,2), currency string~, discount_code string, ship_region string~", "4|99.90|GBP|AUTUMN10|UK-South\n5|15.25|USD|NULL|EU-West\n1|120.00|GBP|NULL|NULL\n2|75.00|GBP|NULL|NULL\n3|310.00|EUR|NULL|NULL"},
		{4, "source(allowSchemaDrift: true) ~> In\n" + orders + auto, []file{dayA}, "order_id string~, order_total decimal(18,2), currency string~, discount_code string", "1|120.00|GBP|NULL\n2|75.00|GBP|NULL\n3|310.00|EUR|NULL"},
		{5, "source(output(order_id as integer), allowSchemaDrift: true, inferDriftedColumnTypes: true) ~> In\n" + orders + "S sink(allowSchemaDrift: true, mapColumn(order_id)) ~> Out", []file{dayB}, "order_id int", "4\n5"},
		{6, drifts + "In select(mapColumn(each(match(name=='a')))) ~> Out", []file{abc}, "a int~", "1"},
		{7, "source(output(a as integer)) ~> In\nIn select(mapColumn(x = a, y = a), skipDuplicateMapInputs: false) ~> Out", []file{abc}, "x int, y int", "1|1"},
		{8, "source(output(a as integer, b as integer)) ~> In\nIn select(mapColumn(a, each(match(true()), 'a' = $$)), skipDuplicateMapOutputs: true) ~> Out", []file{abc}, "a int", "1"},
		{9, "source(output(s as (b as integer, c as string))) ~> In\nIn select(mapColumn(each(s, match(true())))) ~> Out", []file{one("s struct<b:int,c:string>", `{"s": {"b": 1, "c": "x"}}`)}, "b int, c string", "1|x"},
		{10, "source(output(p as string, q as integer)) ~> In\nIn derive(each(match(type=='string'), $$+'_t' = trim($$))) ~> Out", []file{one("p string, q int", `{"p": " x ", "q": 1}`)}, "p string, q int, p_t string~", " x |1|x"},
		{11, "source(output(g as string, u as integer, v as string)) ~> In\nIn aggregate(groupBy(g), each(match(name!='g'), $$ = first($$))) ~> A\nA sort(asc(g)) ~> Out", []file{one("g string, u int, v string", `{"g": "x", "u": 1, "v": "p"}
{"g": "y", "u": 2, "v": "q"}
{"g": "x", "u": 3, "v": "r"}`)}, "g string, u int, v string", "x|1|p\ny|2|q"},
		{12, "source(output(k as integer, ind as string, n as long)) ~> In\nIn pivot(groupBy(k), pivotBy(ind, ['cases','deaths']), count = sum(n), columnNaming: '$V_$N') ~> P\nP sort(asc(k)) ~> Out", []file{one("k int, ind string, n bigint", `{"k": 1, "ind": "cases", "n": 5}
{"k": 1, "ind": "cases", "n": 6}
{"k": 1, "ind": "deaths", "n": 1}
{"k": 2, "ind": "other", "n": 9}`)}, "k int, cases_count bigint, deaths_count bigint", "1|11|1\n2|NULL|NULL"},
		{13, "source(output(year as integer)) ~> In\nIn split(year < 1960, year > 1980, disjoint: false) ~> P@(early, late, rest)\nP@rest select() ~> Out", []file{years}, "year int", "1970"},
		{13, "source(output(year as integer)) ~> In\nIn split(year < 1960, year > 1980, disjoint: false) ~> P@(early, late, rest)\nP@early select() ~> Out", []file{years}, "year int", "1950"},
		{14, listed + "In foldDown(unroll(a.items), mapColumn(i, x = a.items)) ~> Out", []file{lists}, "i int, x int", "1|7\n1|8\n2|NULL\n3|NULL"},
		{15, listed + "In foldDown(unroll(a.items, a.items), mapColumn(i, x = a.items)) ~> Out", []file{lists}, "i int, x int", "1|7\n1|8"},
		{16, "source(output(a as integer, b as integer, c as integer)) ~> In\nIn select(mapColumn(a, b)) ~> L\nIn select(mapColumn(b, c)) ~> R\nL, R union(byName: true) ~> Out", []file{abc}, "a int, b int, c int", "1|2|NULL\nNULL|2|3"},
		{17, "source(output(k as integer)) ~> In\nIn filter(k == 1) ~> R\nIn, R exists(In@k == R@k, negate: true) ~> Out", []file{one("k int", `{"k": 1}
{"k": null}`)}, "k int", "NULL"},
		{18, "source(output(d as string, k as integer, v as string)) ~> In\nIn window(over(d), asc(k, true), r = last(v)) ~> W\nW sort(asc(d), asc(k)) ~> Out", []file{one("d string, k int, v string", `{"d": "x", "k": 2, "v": "b"}
{"d": "x", "k": 1, "v": "a"}
{"d": "y", "k": 1, "v": "c"}`)}, "d string, k int, v string, r string", "x|1|a|a\nx|2|b|b\ny|1|c|c"},
		{19, "source(output(k as integer)) ~> In\nIn derive(o = k) ~> R\nIn, R join(In@k === o, joinType: 'inner') ~> J\nJ select(mapColumn(o)) ~> S\nS sort(asc(o, true)) ~> Out", []file{one("k int", `{"k": 1}
{"k": null}`)}, "o int", "NULL\n1"},
	} {
		p, err := bind(t, c.script, c.files[0].ddl, nil)
		if err != nil {
			t.Errorf("%d: %s\n%s", c.number, c.script, diag.Render(err, false))
			continue
		}
		if got := leaves(p, "Out"); got != c.columns {
			t.Errorf("%d: found columns %s, want %s", c.number, got, c.columns)
		}
		if err := plan.Check(p); err != nil {
			t.Errorf("%d: %v", c.number, err)
		}
		if got := rows(t, p, "Out", "In", c.files...); got != c.rows {
			t.Errorf("%d: found\n%s\nwant\n%s", c.number, got, c.rows)
		}
	}
}
