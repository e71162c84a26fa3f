package land_test

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"landfall/internal/diag"
	"landfall/internal/land"
	"landfall/internal/parquetfile"
	"landfall/internal/store"
)

// Rows of partition folders come to lie in folders of the same names, also those that
// are written again, and no file has the column that its folder says.
func TestPartitioned(t *testing.T) {
	for _, moving := range []bool{false, true} {
		l := afterDays(t, 0, scene{parquet: true, moving: moving})
		id := form{name: "id", typ: arrow.BinaryTypes.String}
		n := func(typ arrow.DataType) form { return form{name: "n", typ: typ} }
		run := func() land.Report {
			p := l.next()
			src := p.source()
			src.PartitionBy = []string{"DT"}
			r, err := land.Run(t.Context(), src, p.env())
			ok(t, err)
			ok(t, l.check(t.Context()))
			return r
		}
		l.put("x=1/dt=2026-01-01/a.parquet", parquetOf(t, []form{id, n(arrow.PrimitiveTypes.Int32)}, []string{`{"id":"a1","n":1}`}))
		l.put("dt=b-c/b.parquet", parquetOf(t, []form{id, n(arrow.PrimitiveTypes.Int32)}, []string{`{"id":"b1","n":2}`}))
		l.put("dt=__HIVE_DEFAULT_PARTITION__/c.parquet", parquetOf(t, []form{id}, []string{`{"id":"c1"}`}))
		l.put("dt=2026-01-01/d.parquet", parquetOf(t, []form{id}, []string{`{"id":"d1"}`}))
		run()
		l.partitioned(map[string]string{"dt=2026-01-01": "2026-01-01", "dt=b-c": "b-c", "dt=__HIVE_DEFAULT_PARTITION__": "null"})
		l.put("dt=new/e.parquet", parquetOf(t, []form{id, n(arrow.PrimitiveTypes.Int64)}, []string{`{"id":"e1","n":5000000000}`}))
		run()
		l.wants("struct<id:string,n:bigint,x:string,dt:string>")
		l.partitioned(map[string]string{"dt=2026-01-01": "2026-01-01", "dt=b-c": "b-c", "dt=__HIVE_DEFAULT_PARTITION__": "null", "dt=new": "new"})
		l.put("dt=new/f.parquet", parquetOf(t, []form{id}, []string{`{"id":"f1"}`}), nil)
		l.refused(l.next(), diag.UnknownFeature, "memory:///")
	}
}

// partitioned checks where data files lie, by folder, and what the log says of them.
func (l *landed) partitioned(want map[string]string) {
	l.t.Helper()
	snap := l.snapshot()
	if !slices.Equal(snap.Partitions, []string{"dt"}) {
		l.t.Errorf("found partitions %q, want dt", snap.Partitions)
	}
	found := map[string]string{}
	for _, f := range snap.Files() {
		value := "null"
		if v := f.Partition["dt"]; v != nil {
			value = *v
		}
		found[path.Dir(f.Path)] = value
		data, err := store.Read(l.t.Context(), l.data, f.Path)
		ok(l.t, err)
		file, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
		ok(l.t, err)
		for _, field := range file.Fields() {
			if field.Name == "dt" {
				l.t.Errorf("%s has the column of its folder", f.Path)
			}
		}
	}
	if !maps.Equal(found, want) {
		l.t.Errorf("found folders %v, want %v", found, want)
	}
}
