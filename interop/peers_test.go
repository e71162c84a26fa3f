//go:build interop

package interop

import (
	"encoding/json"
	"testing"
)

// cells are rows of strings, "" standing for null.
func cells(columns []string, values ...[]string) rows {
	r := rows{Columns: columns}
	for _, row := range values {
		line := make([]json.RawMessage, len(row))
		for i, v := range row {
			line[i] = json.RawMessage("null")
			if v != "" {
				line[i], _ = json.Marshal(v) // a string always encodes
			}
		}
		r.Rows = append(r.Rows, line)
	}
	return r
}

// TestPeersAgree proves the harness: what peers write, all of them read alike.
func TestPeersAgree(t *testing.T) {
	dir := newTable(t)
	s, l := spark(t), lake(t)
	s.sql(t, dir, "create table %t (a string, b string) using delta")
	s.sql(t, dir, "insert into %t values ('1', 'x'), ('2', null), ('3', 'z')")
	l.do(t, "append", args{"path": dir, "columns": args{"a": []any{"4", "5"}, "b": []any{"ä\"\n", nil}}}, nil)
	columns := []string{"a", "b"}
	wanted := [][]string{{"1", "x"}, {"2", ""}, {"3", "z"}, {"4", "ä\"\n"}, {"5", ""}}
	everyone(t, dir, cells(columns, wanted...))

	s.sql(t, dir, "delete from %t where a = '2'")
	s.sql(t, dir, "alter table %t add columns (c string)")
	s.sql(t, dir, "optimize %t")
	s.sql(t, dir, "vacuum %t retain 0 hours")
	var wider [][]string
	for _, row := range wanted {
		if row[0] != "2" {
			wider = append(wider, append(row, ""))
		}
	}
	everyone(t, dir, cells([]string{"a", "b", "c"}, wider...))
}

// TestSame proves that a comparison can fail.
func TestSame(t *testing.T) {
	a := cells([]string{"a", "b"}, []string{"1", "x"}, []string{"1", "x"})
	for _, other := range []rows{
		cells([]string{"a", "b"}, []string{"1", "x"}),
		cells([]string{"a", "b"}, []string{"1", "x"}, []string{"1", ""}),
		cells([]string{"a", "b"}, []string{"1", "x"}, []string{"x", "1"}),
	} {
		if len(without(a.lines(), other.lines())) == 0 {
			t.Errorf("%v and %v are taken for the same", a.lines(), other.lines())
		}
	}
	same(t, "another order", cells([]string{"b", "a"}, []string{"x", "1"}, []string{"x", "1"}), a)
}
