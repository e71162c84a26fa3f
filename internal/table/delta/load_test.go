package delta

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/store/memory"
	"landfall/internal/table"
	"landfall/internal/table/delta/checkpoint/checkpointtest"
)

// paths lists the live files of a snapshot.
func paths(s *table.Snapshot) string {
	var out []string
	for k := range s.Files() {
		out = append(out, k.Path+k.DV)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// opened says in one line what a table shows.
func opened(t *testing.T, s store.Store) string {
	t.Helper()
	snap, err := Open(s, Options{}).Snapshot(t.Context())
	switch {
	case errors.Is(err, table.ErrNoTable):
		return "no table"
	case diag.CodeOf(err) != "":
		return err.Error()
	case err != nil:
		t.Fatal(err)
	}
	return fmt.Sprintf("%d: %s", snap.Version, paths(snap))
}

func TestSnapshotStarts(t *testing.T) {
	const uuid = "80a083e8-7026-4e79-81be-64bd76c43a11"
	part := func(v, part, parts int) string {
		return fmt.Sprintf("%s%020d.checkpoint.%010d.%010d.parquet", logFolder, v, part, parts)
	}
	named := func(v int, ext string) string {
		return fmt.Sprintf("%s%020d.checkpoint.%s.%s", logFolder, v, uuid, ext)
	}
	checkpoint2 := func(t *testing.T, s store.Store) {
		putBytes(t, s, checkpointKey(2), checkpointtest.File(t, protocolRow, metaRow, addRow("c")))
	}
	drop := func(t *testing.T, s store.Store, keys ...string) {
		t.Helper()
		for _, k := range keys {
			if err := s.Delete(t.Context(), k); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Every table begins with versions 0 to 3 that add the files 0 to 3; a
	// checkpoint of version 2 holds the file c instead, so that it shows which
	// start was taken.
	for name, c := range map[string]struct {
		change func(t *testing.T, s store.Store)
		want   string
	}{
		"commits alone": {func(*testing.T, store.Store) {}, "3: 0 1 2 3"},
		"checkpoint":    {checkpoint2, "3: 3 c"},
		"cleaned up": {func(t *testing.T, s store.Store) {
			checkpoint2(t, s)
			drop(t, s, versionKey(0), versionKey(1), versionKey(2))
		}, "3: 3 c"},
		"checkpoint last": {func(t *testing.T, s store.Store) { checkpoint2(t, s); drop(t, s, versionKey(2), versionKey(3)) }, "2: c"},
		"good hint": {func(t *testing.T, s store.Store) {
			checkpoint2(t, s)
			putLines(t, s, lastCheckpoint, `{"version":2,"size":3}`)
		}, "3: 3 c"},
		"hint too old": {func(t *testing.T, s store.Store) {
			checkpoint2(t, s)
			putLines(t, s, lastCheckpoint, `{"version":1,"size":3}`)
		}, "3: 3 c"},
		"hint to nothing": {func(t *testing.T, s store.Store) {
			checkpoint2(t, s)
			putLines(t, s, lastCheckpoint, `{"version":3,"size":3}`)
		}, "3: 3 c"},
		"hint beyond":  {func(t *testing.T, s store.Store) { putLines(t, s, lastCheckpoint, `{"version":9}`) }, "3: 0 1 2 3"},
		"hint torn":    {func(t *testing.T, s store.Store) { putLines(t, s, lastCheckpoint, `{"versi`) }, "3: 0 1 2 3"},
		"hint without": {func(t *testing.T, s store.Store) { putLines(t, s, lastCheckpoint, `{"size":3}`) }, "3: 0 1 2 3"},
		"all parts": {func(t *testing.T, s store.Store) {
			putBytes(t, s, part(2, 1, 2), checkpointtest.File(t, protocolRow, addRow("c")))
			putBytes(t, s, part(2, 2, 2), checkpointtest.File(t, metaRow, addRow("d")))
		}, "3: 3 c d"},
		"a part is missing": {func(t *testing.T, s store.Store) {
			putBytes(t, s, part(2, 1, 3), checkpointtest.File(t, protocolRow, metaRow))
			putBytes(t, s, part(2, 2, 2), checkpointtest.File(t, addRow("d")))
		}, "3: 0 1 2 3"},
		"v2, JSON": {func(t *testing.T, s store.Store) {
			putLines(t, s, named(2, "json"), protocolLine, metaLine, `{"checkpointMetadata":{"version":2}}`,
				`{"sidecar":{"path":"x%20y.parquet","sizeInBytes":1,"modificationTime":1}}`)
			putBytes(t, s, sidecarFolder+"x y.parquet", checkpointtest.File(t, addRow("c"), `{"remove":{"path":"z"}}`))
		}, "3: 3 c"},
		"v2, Parquet, full path": {func(t *testing.T, s store.Store) {
			putBytes(t, s, named(2, "parquet"), checkpointtest.File(t, protocolRow, metaRow, addRow("d"),
				`{"sidecar":{"path":"s3://b/t/_delta_log/_sidecars/x.parquet","sizeInBytes":1,"modificationTime":1}}`))
			putBytes(t, s, sidecarFolder+"x.parquet", checkpointtest.File(t, addRow("c")))
		}, "3: 3 c d"},
		"sidecar missing": {func(t *testing.T, s store.Store) {
			putLines(t, s, named(2, "json"), `{"sidecar":{"path":"x.parquet","sizeInBytes":1,"modificationTime":1}}`)
		}, "3: 0 1 2 3"},
		"broken checkpoint": {func(t *testing.T, s store.Store) { putBytes(t, s, checkpointKey(2), []byte("PAR1 and so on PAR1")) }, "3: 0 1 2 3"},
		"broken behind a hint": {func(t *testing.T, s store.Store) {
			putBytes(t, s, checkpointKey(2), checkpointtest.File(t, protocolRow, metaRow, addRow("c")))
			putBytes(t, s, checkpointKey(3), []byte("PAR1 and so on PAR1"))
			putLines(t, s, lastCheckpoint, `{"version":3}`)
		}, "3: 3 c"},
		"names to ignore": {func(t *testing.T, s store.Store) {
			for _, n := range []string{
				"00000000000000000000.00000000000000000009.compacted.json", "00000000000000000009.crc", ".00000000000000000009.json.crc",
				"9.json", "00000000000000000009.checkpoint.x.parquet", "99999999999999999999.json", "_staged_commits/00000000000000000009.json",
			} {
				putLines(t, s, logFolder+n, "x")
			}
		}, "3: 0 1 2 3"},
	} {
		t.Run(name, func(t *testing.T) {
			s := memory.New(nil)
			putCommits(t, s, 3)
			c.change(t, s)
			if got := opened(t, s); got != c.want {
				t.Errorf("found %s, want %s", got, c.want)
			}
		})
	}
}

func TestSnapshotRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string // by name in the log
		want  string
	}{
		"nothing":          {nil, "no table"},
		"no versions":      {map[string]string{"00000000000000000000.crc": "{}"}, "no table"},
		"hole":             {map[string]string{"0": protocolLine + "\n" + metaLine, "1": addLine("1"), "3": addLine("3")}, "version 2 is missing from the log, which goes on to version 3 [E0503]"},
		"no beginning":     {map[string]string{"2": protocolLine + "\n" + metaLine, "3": addLine("3")}, "version 0 is missing from the log, which goes on to version 3 [E0503]"},
		"torn commit":      {map[string]string{"0": protocolLine + "\n" + metaLine + "\n" + `{"add":{"path":"x`}, `00000000000000000000.json:3: _delta_log/00000000000000000000.json: found "{\"add\":{\"path\":\"x", want an action of the Delta log [E0503]`},
		"broken, cleaned":  {map[string]string{"00000000000000000005.checkpoint.parquet": "PAR1 no PAR1", "6": addLine("6")}, "checkpoint 00000000000000000005.checkpoint.parquet cannot be read [E0503]"},
		"no protocol":      {map[string]string{"0": metaLine}, "version 0 of the table has no protocol action [E0503]"},
		"no metadata":      {map[string]string{"0": protocolLine}, "version 0 of the table has no metaData action [E0503]"},
		"no schema":        {map[string]string{"0": protocolLine + "\n" + `{"metaData":{"id":"m"}}`}, "version 0 of the table has no schema [E0503]"},
		"schema broken":    {map[string]string{"0": protocolLine + "\n" + `{"metaData":{"id":"m","schemaString":"[]"}}`}, `version 0 of the table has a schema that cannot be read: "[]" [E0503]`},
		"no Parquet":       {map[string]string{"0": protocolLine + "\n" + strings.Replace(metaLine, `"parquet"`, `"orc"`, 1)}, `the table keeps its data as "orc", want parquet [E0502]`},
		"unknown features": {map[string]string{"0": `{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["zebra","columnMapping","ant"],"writerFeatures":["zebra"]}}` + "\n" + metaLine}, "the table wants readers to know the feature ant, zebra [E0502]"},
		"unknown version":  {map[string]string{"0": `{"protocol":{"minReaderVersion":4,"minWriterVersion":8}}`}, "the table wants readers of protocol version 4; found in this program: versions 1 to 3 [E0502]"},
	} {
		t.Run(name, func(t *testing.T) {
			s := memory.New(nil)
			for n, data := range c.files {
				key := logFolder + n
				if len(n) == 1 {
					key = versionKey(int64(n[0] - '0'))
				}
				putBytes(t, s, key, []byte(data))
			}
			if got := opened(t, s); !strings.HasSuffix(got, c.want) {
				t.Errorf("found %s\nwant  %s", got, c.want)
			}
		})
	}
}

// listening calls a function after each listing, when its names are out: what
// another process may do at that moment.
type listening struct {
	store.Store
	listed func()
}

func (l listening) List(ctx context.Context, prefix, after string) iter.Seq2[store.Info, error] {
	infos := slices.Collect(func(yield func(store.Info) bool) {
		for info, err := range l.Store.List(ctx, prefix, after) {
			if err != nil || !yield(info) {
				return
			}
		}
	})
	l.listed()
	return func(yield func(store.Info, error) bool) {
		for _, info := range infos {
			if !yield(info, nil) {
				return
			}
		}
	}
}

// A cleanup that runs between our listing and our reading costs another listing.
func TestSnapshotWhileCleanedUp(t *testing.T) {
	s := memory.New(nil)
	putCommits(t, s, 3)
	cleaned := false
	got := opened(t, listening{Store: s, listed: func() {
		if cleaned {
			return
		}
		cleaned = true
		putBytes(t, s, checkpointKey(3), checkpointtest.File(t, protocolRow, metaRow, addRow("c")))
		for v := range int64(4) {
			if err := s.Delete(t.Context(), versionKey(v)); err != nil {
				t.Error(err)
			}
		}
	}})
	if got != "3: c" {
		t.Errorf("found %s, want 3: c", got)
	}
}
