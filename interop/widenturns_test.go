//go:build interop

package interop

import (
	"strings"
	"testing"
)

// TestWidenedTurns has others write between our widenings: whose rows are standing,
// and in which files, changes nothing about what everybody reads.
func TestWidenedTurns(t *testing.T) {
	w := newWorld(t)
	var standing []string
	holds := func() {
		t.Helper()
		w.holds(strings.Join(standing, " union all "))
	}
	put := func(name, sql string) {
		t.Helper()
		w.put(name, sql, nil)
		standing = append(standing, sql)
	}
	put("a.parquet", "select 1::bigint as id, 1::bigint as n, 1.25::decimal(5,2) as x union all select 2, 2, null")
	w.land()
	foreign := "select 100::bigint as id, 7::bigint as n, 9.75::decimal(5,2) as x"
	lakeDoes("insert", args{"sql": foreign})(t, w.table)
	standing = append(standing, foreign)
	put("b.parquet", "select 3::bigint as id, 2.5::double as n, 3.5::decimal(5,2) as x")
	w.land()
	holds()

	lakeDoes("optimize", nil)(t, w.table)
	put("c.parquet", "select 4::bigint as id, 0.5::double as n, 12.34567::decimal(8,5) as x")
	w.land()
	holds()

	sparkDoes("alter table %t set tblproperties ('delta.enableDeletionVectors' = 'true')",
		"delete from %t where id = 2", "insert into %t (id, n, x) values (101, -0.25, 1.5)")(t, w.table)
	standing[0] = strings.TrimSuffix(standing[0], " union all select 2, 2, null")
	standing = append(standing, "select 101, -0.25, 1.5")
	put("d.parquet", "select 5::bigint as id, 8::double as n, 123456.5::decimal(12,6) as x")
	w.land()
	holds()

	sparkDoes("optimize %t")(t, w.table)
	standing[0] = "select 1::bigint as id, 11::double as n, 1234567.5::decimal(20,8) as x"
	w.put("a.parquet", standing[0], nil)
	w.land()
	holds()
	w.run("replay", w.in, w.table, "--all")
	holds()
}
