package feed_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/pipeline/feed"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// Lines of a log.
const (
	protocol = `{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}`
	fields   = `{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}%s]}`
)

func meta(id, more string) string {
	return fmt.Sprintf(`{"metaData":{"id":%q,"format":{"provider":"parquet","options":{}},"schemaString":"%s","partitionColumns":[],"configuration":{}}}`, id, fmt.Sprintf(fields, more))
}

func add(path string, change bool) string {
	return fmt.Sprintf(`{"add":{"path":%q,"partitionValues":{},"size":1,"modificationTime":1000,"dataChange":%t}}`, path, change)
}

func remove(path string, change bool) string {
	return fmt.Sprintf(`{"remove":{"path":%q,"deletionTimestamp":1000,"dataChange":%t}}`, path, change)
}

func operation(name string) string {
	return fmt.Sprintf(`{"commitInfo":{"timestamp":1000,"operation":%q}}`, name)
}

// logged is a table with a log of so many versions.
func logged(t *testing.T, versions ...[]string) (store.Store, table.Table) {
	t.Helper()
	s := memory.New(nil)
	for v, lines := range versions {
		put(t, s, v, lines)
	}
	return s, delta.Open(s, delta.Options{})
}

func put(t *testing.T, s store.Store, v int, lines []string) {
	t.Helper()
	if err := s.Create(t.Context(), key(v), []byte(strings.Join(lines, "\n")+"\n")); err != nil {
		t.Fatal(err)
	}
}

func key(v int) string { return fmt.Sprintf("_delta_log/%020d.json", v) }

// text tells a feed: + and - before paths, * behind those that moved.
func text(f *feed.Feed) string {
	var out []string
	name := func(file table.File) string {
		if file.Moved {
			return file.Path + "*"
		}
		return file.Path
	}
	for _, file := range f.Added {
		out = append(out, "+"+name(file))
	}
	for _, file := range f.Removed {
		out = append(out, "-"+name(file))
	}
	for _, p := range f.Partly {
		out = append(out, fmt.Sprintf("%s-%v+%v", name(p.File), p.Removed, p.Added))
	}
	return fmt.Sprint(f.To, " ", f.Kind, " ", strings.Join(out, " "))
}

func reads(t *testing.T, tbl table.Table, from, to int64, want string) {
	t.Helper()
	f, err := feed.Read(t.Context(), tbl, feed.Range{From: from, To: to})
	if err != nil {
		t.Errorf("%d to %d: %v", from, to, err)
		return
	}
	if got := text(f); got != want {
		t.Errorf("%d to %d: found %s, want %s", from, to, got, want)
	}
}

func TestRead(t *testing.T) {
	_, tbl := logged(t,
		[]string{protocol, meta("m", ""), add("a", true)},
		[]string{add("b%20c", true), add("d", true)},
		[]string{remove("d", true)},
		[]string{remove("a", false), remove("b%20c", false), add("ab", false), operation("OPTIMIZE")},
		[]string{meta("m", `,{\"name\":\"b\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}`)},
		[]string{remove("ab", true), add("e", true), operation("DELETE")},
		[]string{operation("VACUUM START")},
	)
	reads(t, tbl, -1, -1, "6 1 +e")
	reads(t, tbl, -1, 1, "1 1 +a +b c +d")
	reads(t, tbl, 0, 1, "1 1 +b c +d")
	reads(t, tbl, 0, 2, "2 1 +b c")
	reads(t, tbl, 0, 4, "4 1 +b c*")
	reads(t, tbl, 1, 2, "2 2 -d")
	reads(t, tbl, 2, 4, "4 0 ")
	reads(t, tbl, 2, -1, "6 2 +e -a -b c")
	reads(t, tbl, 4, -1, "6 2 +e -ab")
	reads(t, tbl, 0, -1, "6 2 +e -a")
	reads(t, tbl, 3, -1, "6 2 +e -ab")
	reads(t, tbl, 5, -1, "6 0 ")
	reads(t, tbl, 6, -1, "6 0 ")
	f, err := feed.Read(t.Context(), tbl, feed.Range{ID: "m", From: 3, To: -1})
	if err != nil || len(f.Snapshot.Schema.Fields) != 2 || f.From != 3 || f.Snapshot.ID != "m" {
		t.Errorf("found %+v, %v", f, err)
	}
	if _, err := feed.Read(t.Context(), tbl, feed.Range{From: 3, To: 9}); !errors.Is(err, table.ErrNoVersion) {
		t.Errorf("a version of tomorrow: found %v", err)
	}
	_, none := logged(t)
	if _, err := feed.Read(t.Context(), none, feed.Range{From: -1, To: -1}); !errors.Is(err, table.ErrNoTable) {
		t.Errorf("no table: found %v", err)
	}
}

// A deletion vector in the place of another is what one deletes and the other does not.
func TestDeletedRows(t *testing.T) {
	vector := func(action, rows string) string {
		vectors := map[string]string{"": "", "3 4 7 11 18 29": `"deletionVector":{"storageType":"i","pathOrInlineDv":"^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L","sizeInBytes":44,"cardinality":6},`}
		return strings.Replace(action, `"dataChange"`, vectors[rows]+`"dataChange"`, 1)
	}
	const six = "3 4 7 11 18 29"
	_, tbl := logged(t,
		[]string{protocol, meta("m", ""), add("a", true)},
		[]string{remove("a", true), vector(add("a", true), six), operation("DELETE")},
		[]string{vector(remove("a", false), six), add("b", false), operation("OPTIMIZE")},
		[]string{remove("b", true), vector(add("b", true), six)},
		[]string{vector(remove("b", true), six), add("b", true)},
		[]string{add("c", true)},
		[]string{remove("c", true), vector(add("c", true), six)},
	)
	reads(t, tbl, 0, 1, "1 2 a-[3 4 7 11 18 29]+[]")
	reads(t, tbl, 0, 2, "2 2 +b -a")
	reads(t, tbl, 2, 3, "3 2 b-[3 4 7 11 18 29]+[]")
	reads(t, tbl, 3, 4, "4 1 b-[]+[3 4 7 11 18 29]")
	reads(t, tbl, 2, 4, "4 0 ")
	f, err := feed.Read(t.Context(), tbl, feed.Range{From: 4, To: -1})
	if err != nil || text(f) != "6 1 +c" || f.Added[0].DV == nil {
		t.Errorf("found %s, %v, want c with its vector", text(f), err)
	}
}

func breaks(t *testing.T, tbl table.Table, r feed.Range, reason feed.Reason, version int64, code diag.Code) {
	t.Helper()
	_, err := feed.Read(t.Context(), tbl, r)
	var b *feed.Break
	if !errors.As(err, &b) || b.Reason != reason || b.Version != version || diag.CodeOf(err) != code {
		t.Errorf("%+v: found %v, want %s at version %d with %s", r, err, reason, version, code)
	}
}

func TestBreaks(t *testing.T) {
	s, tbl := logged(t,
		[]string{protocol, meta("m", ""), add("a", true)},
		[]string{add("b", true)},
		[]string{remove("b", true), operation("RESTORE")},
		[]string{add("c", true)},
		[]string{meta("n", ""), remove("a", true), remove("c", true)},
		[]string{meta("n", ""), add("d", true)},
	)
	breaks(t, tbl, feed.Range{From: 1, To: -1}, feed.Restored, 2, diag.TableRestored)
	breaks(t, tbl, feed.Range{From: 2, To: -1}, feed.Recreated, 4, diag.TableRecreated)
	breaks(t, tbl, feed.Range{ID: "m", From: 4, To: -1}, feed.Recreated, 5, diag.TableRecreated)
	breaks(t, tbl, feed.Range{ID: "n", From: 2, To: 3}, feed.Recreated, 3, diag.TableRecreated)
	breaks(t, tbl, feed.Range{From: 9, To: -1}, feed.Rewound, 5, diag.TableRestored)
	reads(t, tbl, 2, 3, "3 1 +c")
	reads(t, tbl, 4, -1, "5 1 +d")
	reads(t, tbl, -1, -1, "5 1 +d")
	if err := s.Delete(t.Context(), key(0)); err != nil {
		t.Fatal(err)
	}
	old := delta.Open(s, delta.Options{})
	if _, err := feed.Read(t.Context(), old, feed.Range{From: 1, To: -1}); diag.CodeOf(err) != diag.LogBroken {
		t.Errorf("a log without its begin: found %v", err)
	}
}

// A log that was cleaned up tells what it still holds.
func TestCleaned(t *testing.T) {
	s := memory.New(nil)
	tbl := delta.Open(s, delta.Options{CheckpointEvery: 2, Now: clock()})
	base, id := build(t, tbl)
	for v := 1; v < 6; v++ {
		c := table.Change{Attempt: fmt.Sprint("x", v), Adds: []table.File{{Path: fmt.Sprint("f", v), Size: 1}}}
		if v == 4 {
			c.Removes = []table.File{{Path: "f1", Size: 1}}
		}
		base = commit(t, tbl, base, c)
	}
	for v := range 3 {
		if err := s.Delete(t.Context(), key(v)); err != nil {
			t.Fatal(err)
		}
	}
	cleaned := delta.Open(s, delta.Options{})
	breaks(t, cleaned, feed.Range{ID: id, From: 1, To: -1}, feed.Cleaned, 2, diag.ChangesGone)
	breaks(t, cleaned, feed.Range{ID: id, From: -1, To: 1}, feed.Cleaned, 1, diag.ChangesGone)
	f, err := feed.Read(t.Context(), cleaned, feed.Range{ID: id, From: 2, To: -1})
	if err != nil || text(f) != "5 2 +f3 +f4 +f5 -f1" || f.Removed[0].Size != 1 {
		t.Errorf("found %v, %v", f, err)
	}
}

// A store that fails is an error, and never a feed that lacks something.
func TestFaults(t *testing.T) {
	disk, tbl := logged(t,
		[]string{protocol, meta("m", ""), add("a", true)},
		[]string{add("b", true)},
		[]string{strings.Replace(remove("a", true), `,"deletionTimestamp":1000`, "", 1)},
		[]string{meta("m", ""), remove("b", false), add("bb", false)},
		[]string{add("c", true)},
	)
	for _, r := range []feed.Range{{From: 0, To: -1}, {From: 0, To: 3}, {From: -1, To: 2}} {
		whole, err := feed.Read(t.Context(), tbl, r)
		if err != nil {
			t.Fatal(err)
		}
		struck := 0
		for at := 0; ; at++ {
			faulty := fault.New(disk, fault.Plan{Kind: fault.Fail, At: at})
			f, err := feed.Read(t.Context(), delta.Open(faulty, delta.Options{}), r)
			if err == nil && text(f) != text(whole) {
				t.Errorf("%+v, call %d: found %s, want %s", r, at, text(f), text(whole))
			}
			var b *feed.Break
			if errors.As(err, &b) {
				t.Errorf("%+v, call %d: found %v of a store that fails", r, at, err)
			}
			if !faulty.Struck() {
				break
			}
			if err != nil {
				struck++
			}
		}
		if struck == 0 {
			t.Errorf("%+v: no call failed", r)
		}
	}
}
