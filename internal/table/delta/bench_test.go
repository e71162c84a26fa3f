package delta

import (
	"fmt"
	"testing"
	"time"

	"landfall/internal/store/memory"
	"landfall/internal/table/delta/action"
)

// BenchmarkSnapshot opens a table of a checkpoint and commits after it: the
// files of the one come as columns, those of the others as lines.
func BenchmarkSnapshot(b *testing.B) {
	const files, commits = 50_000, 9
	s := memory.New(nil)
	tbl := Open(s, Options{Now: func() time.Time { return time.Unix(1, 0) }})
	st := newState()
	for _, line := range []string{protocolLine, metaLine} {
		a, err := action.Decode([]byte(line))
		if err != nil {
			b.Fatal(err)
		}
		st.apply(a)
	}
	for i := range int64(files) {
		day := "2024-01-01"
		st.apply(&action.Action{Add: &action.Add{
			Path: fmt.Sprintf("dt=%s/part-%d.parquet", day, i), PartitionValues: map[string]*string{"dt": &day}, Size: i,
			Stats: `{"numRecords":10,"minValues":{"a":1,"b":"some text"},"maxValues":{"a":9,"b":"some text"},"nullCount":{"a":0}}`,
		}})
	}
	st.version = 10
	if err := tbl.writeCheckpoint(b.Context(), st); err != nil {
		b.Fatal(err)
	}
	for v := range int64(commits) {
		putLines(b, s, versionKey(11+v), addLine(fmt.Sprintf("new-%d", v)))
	}
	b.ReportAllocs()
	for b.Loop() {
		snap, err := tbl.Snapshot(b.Context())
		if err != nil || len(snap.Files()) != files+commits {
			b.Fatalf("found %d files, %v", len(snap.Files()), err)
		}
	}
	b.ReportMetric(files*float64(b.N)/b.Elapsed().Seconds(), "files/s")
}
