package delta_test

import (
	"fmt"
	"testing"
	"time"

	"landfall/internal/schema"
	"landfall/internal/store/local"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// BenchmarkCommit appends a file a commit to a table on disk that has so many
// already, and looks at the table after each.
func BenchmarkCommit(b *testing.B) {
	for _, files := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			s, err := local.Open(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			tbl := delta.Open(s, delta.Options{Now: time.Now})
			fields := schema.Struct{Fields: []schema.Field{{Name: "id", Type: schema.Long, Nullable: true}}}
			c := table.Change{App: "landfall/a", Schema: &fields, TableID: "t", Attempt: "a0"}
			for i := range files {
				c.Adds = append(c.Adds, file(i))
			}
			var snap *table.Snapshot
			commit := func() {
				c.Batch++
				c.Attempt = fmt.Sprint("a", c.Batch)
				if _, err := tbl.Commit(b.Context(), snap, c); err != nil {
					b.Fatal(err)
				}
				if snap, err = tbl.Snapshot(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			commit()
			b.ReportAllocs()
			for b.Loop() {
				c.Schema, c.Adds = nil, []table.File{file(files)}
				files++
				commit()
			}
		})
	}
}

func file(i int) table.File {
	return table.File{
		Path: fmt.Sprintf("part-%08d.parquet", i), Size: 100, Rows: 10, ModTime: time.Unix(int64(i), 0),
		Stats: `{"numRecords":10,"minValues":{"id":1},"maxValues":{"id":9},"nullCount":{"id":0}}`,
	}
}
