//go:build interop

package interop

import (
	"fmt"
	"testing"
)

// TestDecided makes one column of two, and gives one another name: rows that stand
// in the table are everybody's under the new names, and so are those that come.
func TestDecided(t *testing.T) {
	w := newWorld(t)
	w.put("a.parquet", "select 1::bigint as id, 120::decimal(18,2) as order_total, 'x' as note, {'q': 1::int} as s "+
		"union all select 2, null, null, null", nil)
	w.land()
	w.put("b.parquet", "select 3::bigint as id, 99.90::decimal(5,2) as total_amount, 'y' as note, {'q': 2::int} as s "+
		"union all select 4, null, 'z', null", nil)
	w.land()
	at := w.version()
	w.run("drift", "decide", "--table", w.table, "order_total", "--map-to", "total_amount", "--why", "renamed by the shop")
	rest := "(select 1::bigint as id, 120::decimal(18,2) as total_amount, 'x' as %s, {'q': 1::int} as s " +
		"union all select 2, null, null, null union all select 3, 99.90, 'y', {'q': 2::int} union all select 4, null, 'z', null)"
	types := w.holds("select * from " + fmt.Sprintf(rest, "note"))
	if _, ok := types["order_total"]; ok || types["total_amount"] != "decimal(18,2)" {
		t.Errorf("found %v, want total_amount alone", types)
	}
	var old rows
	spark(t).do(t, "read", args{"path": w.table, "version": at}, &old)
	same(t, "spark, the version before", old.only([]string{"id", "order_total"}),
		evaluate(t, "select 1::bigint as id, 120::decimal(18,2) as order_total union all select id, null from (values (2), (3), (4)) v(id)"))

	lakeDoes("optimize", nil)(t, w.table)
	w.run("drift", "decide", "--table", w.table, "note", "--map-to", "remark", "--why", "a better name")
	w.holds("select * from " + fmt.Sprintf(rest, "remark"))
	w.put("c.parquet", "select 5::bigint as id, 7.5::decimal(5,2) as order_total, 'old' as note", nil)
	w.put("d.parquet", "select 6::bigint as id, 8.25::decimal(5,2) as total_amount, 'new' as remark", nil)
	w.land()
	w.holds("select * from " + fmt.Sprintf(rest, "remark") +
		" union all select 5, 7.5, 'old', null union all select 6, 8.25, 'new', null")
}

// TestReplayed lands files again: what was rescued is typed where the contract has a
// place for it by then, and after all of them the table is what landing them at once
// gives.
func TestReplayed(t *testing.T) {
	w := newWorld(t)
	rescue := []string{"--option", "cloudFiles.schemaEvolutionMode=rescue"}
	w.put("a.parquet", "select 1::bigint as id, 1::int as n union all select 2, null", nil)
	w.run(append([]string{"land", w.in, w.table}, rescue...)...)
	w.put("b.parquet", "select 3::bigint as id, 3000000000::bigint as n, {'city': 'Oslo', 'zip': ['0150']} as place", nil)
	w.run(append([]string{"land", w.in, w.table}, rescue...)...)
	w.holds("select 1::bigint as id, 1::int as n union all select 2, null union all select 3, null")
	w.put("c.parquet", "select 4::bigint as id, 4::int as n, {'city': 'Rome', 'zip': ['1', null]} as place", nil)
	w.run("schema", "approve", w.in, w.table)
	w.run("replay", w.in, w.table)
	w.land()
	w.holds("select 1::bigint as id, 1::int as n, null as place union all select 2, null, null " +
		"union all select 3, null, {'city': 'Oslo', 'zip': ['0150']} union all select 4, 4, {'city': 'Rome', 'zip': ['1', null]}")

	sparkDoes("optimize %t")(t, w.table)
	w.put("d.parquet", "select 5::bigint as id, 2.5::double as n, {'city': 'Bern', 'zip': null, 'at': date '2026-01-02'} as place", nil)
	w.run("land", w.in, w.table, "--policy", "type_wider=rescue", "--policy", "column_added=rescue")
	w.run("replay", w.in, w.table, "--all")
	types := w.holds("select 1::bigint as id, 1::double as n, null as place union all select 2, null, null " +
		"union all select 3, 3000000000, {'city': 'Oslo', 'zip': ['0150'], 'at': null::date} " +
		"union all select 4, 4, {'city': 'Rome', 'zip': ['1', null], 'at': null} " +
		"union all select 5, 2.5, {'city': 'Bern', 'zip': null, 'at': date '2026-01-02'}")
	if types["n"] != "double" || types["place"] != "struct<city:string,zip:array<string>,at:date>" {
		t.Errorf("found %v, want the types of all files", types)
	}
}
