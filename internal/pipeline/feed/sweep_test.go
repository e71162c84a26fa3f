package feed_test

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"landfall/internal/pipeline/feed"
	"landfall/internal/schema"
	"landfall/internal/table"
)

func clock() func() time.Time {
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	return func() time.Time { now = now.Add(time.Second); return now }
}

// build makes a table of one column.
func build(t *testing.T, tbl table.Table) (base *table.Snapshot, id string) {
	t.Helper()
	s := schema.Struct{Fields: []schema.Field{{Name: "a", Type: schema.Long, Nullable: true}}}
	base = commit(t, tbl, nil, table.Change{Attempt: "x0", TableID: "our-id", Schema: &s})
	return base, base.ID
}

func commit(t *testing.T, tbl table.Table, base *table.Snapshot, c table.Change) *table.Snapshot {
	t.Helper()
	if _, err := tbl.Commit(t.Context(), base, c); err != nil {
		t.Fatal(err)
	}
	s, err := tbl.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// model is a table whose rows are numbers.
type model struct {
	table.Table
	versions []version
	contents map[string][]int // rows of a file, deleted ones included
	vectors  map[string][]int64
	grows    []bool // whether a version took no row away
	landed   bool   // whether removes repeat all that there is to know
	mixes    bool   // whether rows of several landings moved together
}

type version struct {
	entry table.Entry
	files map[table.Key]table.File
}

func (m *model) Snapshot(ctx context.Context) (*table.Snapshot, error) {
	return m.SnapshotAt(ctx, int64(len(m.versions)-1))
}

func (m *model) SnapshotAt(_ context.Context, v int64) (*table.Snapshot, error) {
	return table.Snapshot{Version: v, ID: "m"}.With(func() map[table.Key]table.File { return m.versions[v].files }), nil
}

func (m *model) VersionAt(context.Context, time.Time) (int64, error) { return 0, table.ErrNoVersion }

func (m *model) Entries(_ context.Context, from, to int64) iter.Seq2[table.Entry, error] {
	return func(yield func(table.Entry, error) bool) {
		for v := from; v <= to && yield(m.versions[v].entry, nil); v++ {
			continue
		}
	}
}

func (m *model) Deleted(_ context.Context, f table.File) ([]int64, error) {
	return m.vectors[f.DV.ID()], nil
}

// count adds the rows of a file to others, so many times.
func (m *model) count(to map[int]int, f table.File, times int) {
	gone := m.vectors[f.DV.ID()]
	for i, row := range m.contents[f.Path] {
		if !slices.Contains(gone, int64(i)) {
			to[row] += times
		}
	}
}

// step draws a version.
func (m *model) step(r *rand.Rand) {
	n := len(m.versions)
	v := version{files: map[table.Key]table.File{}}
	v.entry.Version = int64(n)
	if n > 0 {
		maps.Copy(v.files, m.versions[n-1].files)
	}
	live := slices.SortedFunc(maps.Values(v.files), func(a, b table.File) int { return slices.Compare([]byte(a.Path), []byte(b.Path)) })
	r.Shuffle(len(live), func(i, j int) { live[i], live[j] = live[j], live[i] })
	grows := true
	some := live[:min(len(live), 1+r.IntN(3))]
	switch op := r.IntN(10); {
	case op < 3 || len(live) == 0:
		m.put(&v, "", m.fresh(r), nil, false)
	case op == 3: // compaction
		m.mixes = true
		var rows []int
		for _, f := range some {
			m.drop(&v, f, true, r)
			left := map[int]int{}
			m.count(left, f, 1)
			for row, times := range left {
				rows = append(rows, slices.Repeat([]int{row}, times)...)
			}
		}
		slices.Sort(rows)
		m.put(&v, "", rows, nil, true)
	case op == 4: // files go
		grows = false
		for _, f := range some {
			m.drop(&v, f, false, r)
		}
	case op == 5: // a file is rewritten
		grows = false
		m.drop(&v, some[0], false, r)
		m.put(&v, "", m.fresh(r), nil, false)
	case op == 6: // rows go, or some come back
		f := some[0]
		m.drop(&v, f, false, r)
		var gone []int64
		for i := range m.contents[f.Path] {
			if r.IntN(3) == 0 {
				gone = append(gone, int64(i))
			}
		}
		grows = false
		m.put(&v, f.Path, nil, gone, false)
	case op > 7: // files are written again, each by itself
		for _, f := range some {
			m.drop(&v, f, true, r)
			left := map[int]int{}
			m.count(left, f, 1)
			var rows []int
			for _, row := range slices.Sorted(maps.Keys(left)) {
				rows = append(rows, slices.Repeat([]int{row}, left[row])...)
			}
			m.put(&v, "", rows, nil, true)
			m.tag(&v, f.Tags["landfall.attempt"])
		}
	case op == 7: // a file that went comes back, maybe beside its rows in another
		m.mixes = true
		for _, path := range slices.Sorted(maps.Keys(m.contents)) {
			if !slices.ContainsFunc(live, func(f table.File) bool { return f.Path == path }) {
				m.put(&v, path, nil, nil, false)
				break
			}
		}
	}
	m.versions, m.grows = append(m.versions, v), append(m.grows, grows)
}

func (m *model) fresh(r *rand.Rand) []int {
	rows := make([]int, 1+r.IntN(5))
	for i := range rows {
		rows[i] = r.IntN(40)
	}
	return rows
}

// put adds a file: a new one, or one that was there with other rows deleted.
func (m *model) put(v *version, path string, rows []int, gone []int64, moved bool) {
	if path == "" {
		path = fmt.Sprintf("f%d", len(m.contents))
		m.contents[path] = rows
	}
	f := table.File{Path: path, Size: 1, Rows: int64(len(m.contents[path])), Partition: map[string]*string{}, Moved: moved}
	f.Tags = map[string]string{"landfall.attempt": path}
	if len(gone) > 0 {
		f.DV = &table.DeletionVector{StorageType: "u", PathOrInlineDV: fmt.Sprint("v", len(m.vectors)), Cardinality: int64(len(gone))}
		m.vectors[f.DV.ID()] = gone
	}
	v.entry.Adds = append(v.entry.Adds, f)
	f.Moved = false
	v.files[f.Key()] = f
}

// tag says of the file that was added last which landing its rows are of.
func (m *model) tag(v *version, attempt string) {
	f := v.entry.Adds[len(v.entry.Adds)-1]
	f.Tags["landfall.attempt"] = attempt
}

// drop removes a file; some logs do not repeat what there is to know of it.
func (m *model) drop(v *version, f table.File, moved bool, r *rand.Rand) {
	delete(v.files, f.Key())
	f.Moved = moved
	if f.Rows = -1; !m.landed && r.IntN(2) == 0 {
		f.Size, f.Partition = -1, nil
	}
	v.entry.Removes = append(v.entry.Removes, f)
}

// TestSweep draws tables, and holds of every range that the rows before, with those that
// came and less those that went, are the rows after.
func TestSweep(t *testing.T) {
	ranges, moving, kinds := 0, 0, map[feed.Kind]int{}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 10)) //nolint:gosec // to draw again what failed
		m := &model{contents: map[string][]int{}, vectors: map[string][]int64{}, landed: seed%2 == 0}
		for range 8 {
			m.step(r)
		}
		for from := range m.versions {
			for to := from; to < len(m.versions); to++ {
				f, err := feed.Read(t.Context(), m, feed.Range{From: int64(from), To: int64(to)})
				if err != nil {
					t.Fatalf("seed %d, %d to %d: %v", seed, from, to, err)
				}
				if said := m.wrong(f); said != "" {
					t.Fatalf("seed %d, %d to %d: %s", seed, from, to, said)
				}
				present, err := feed.Read(t.Context(), m, feed.Range{From: int64(from), To: int64(to), Present: true})
				if err != nil {
					t.Fatalf("seed %d, %d to %d: %v", seed, from, to, err)
				}
				if said := m.wrong(present); said != "" || moves(present) {
					t.Fatalf("seed %d, %d to %d, of files that are there: %s: %s", seed, from, to, said, text(present))
				}
				if moves(f) {
					moving++
				}
				if !slices.Contains(m.grows[from+1:to+1], false) && f.Kind == feed.Changed {
					t.Fatalf("seed %d, %d to %d: rows went, and none did: %s", seed, from, to, text(f))
				}
				if m.landed && !m.mixes && moves(f) {
					t.Fatalf("seed %d, %d to %d: rows of landings move, each by itself, and are not found: %s", seed, from, to, text(f))
				}
				ranges++
				kinds[f.Kind]++
			}
		}
	}
	t.Logf("%d ranges, %d of files that are not there, kinds %v", ranges, moving, kinds)
	if len(kinds) != 3 || moving == 0 {
		t.Errorf("found the kinds %v, want all three; %d ranges of files that are not there", kinds, moving)
	}
}

// wrong says what of a feed does not add up.
func (m *model) wrong(f *feed.Feed) string {
	sum := map[int]int{}
	for _, file := range m.versions[f.From].files {
		m.count(sum, file, 1)
	}
	for _, file := range m.versions[f.To].files {
		m.count(sum, file, -1)
	}
	for _, file := range f.Added {
		m.count(sum, file, 1)
		if _, live := m.versions[f.To].files[file.Key()]; live == file.Moved {
			return file.Path + " is live and moved, or neither"
		}
	}
	for _, file := range f.Removed {
		m.count(sum, file, -1)
		if file.Size != 1 || file.Partition == nil {
			return file.Path + " is not known whole"
		}
		if _, live := m.versions[f.From].files[file.Key()]; live == file.Moved {
			return file.Path + " was live and moved, or neither"
		}
	}
	for _, p := range f.Partly {
		for _, i := range p.Removed {
			sum[m.contents[p.File.Path][i]]--
		}
		for _, i := range p.Added {
			sum[m.contents[p.File.Path][i]]++
		}
	}
	for _, move := range f.Moves {
		for _, file := range move.Before {
			m.count(sum, file, 1)
		}
		for _, file := range move.After {
			m.count(sum, file, -1)
		}
	}
	for row, n := range sum {
		if n != 0 {
			return fmt.Sprintf("row %d is there %d times more than told: %s", row, -n, text(f))
		}
	}
	return ""
}

func moves(f *feed.Feed) bool {
	return slices.ContainsFunc(slices.Concat(f.Added, f.Removed), func(f table.File) bool { return f.Moved }) ||
		slices.ContainsFunc(f.Partly, func(p feed.Part) bool { return p.File.Moved })
}
