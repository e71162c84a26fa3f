package discovery_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/state"
	"landfall/internal/store/memory"
)

func ok(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func no(state.Entry) bool { return false }

// TestFindIsADifference compares the merge with what sets say: new are the files whose
// version no mark knows, and missing those known with rows that are not listed.
func TestFindIsADifference(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		now := time.Unix(1_780_000_000, 0).UTC()
		files := memory.New(func() time.Time { return now })
		var outcomes []state.Outcome
		var fresh, missing []string
		known, listed := 0, 0
		for _, path := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-c0-9]{1,3}(/[ab])?`), 0, 12, rapid.ID).Draw(rt, "paths") {
			fate := rapid.SampledFrom([]string{"new", "known", "rewritten", "gone"}).Draw(rt, "fate")
			o := state.Outcome{Object: state.Object{Path: path, Version: "v0", ModTime: now}, Fate: state.Landed, RowsIn: 1, Rows: 1}
			if fate != "gone" {
				now = now.Add(time.Duration(rapid.IntRange(0, 1).Draw(rt, "later")) * time.Second)
				ok(rt, files.Create(rt.Context(), path, []byte(path)))
				stat, err := files.Stat(rt.Context(), path)
				ok(rt, err)
				listed++
				if fate == "known" {
					o.Version = stat.Version
					known++
				} else {
					fresh = append(fresh, path)
				}
			} else {
				missing = append(missing, path)
			}
			if fate != "new" {
				outcomes = append(outcomes, o)
			}
		}
		st := state.New(memory.New(nil))
		ok(rt, st.SetMark(rt.Context(), state.NewMark(state.KindLand, state.Attempt{Batch: 1, ID: "a", Outcomes: outcomes}, 0)))
		ledger, err := st.Ledger(rt.Context())
		ok(rt, err)
		defer ledger.Close()
		found, err := discovery.Finder{Files: files, Known: ledger, Again: no, Unread: no}.Find(rt.Context())
		ok(rt, err)
		var got []string
		for _, o := range found.Objects {
			got = append(got, o.Path)
		}
		if !slices.IsSortedFunc(found.Objects, func(a, b state.Object) int {
			return slices.Compare([]string{a.ModTime.Format(time.RFC3339), a.Path}, []string{b.ModTime.Format(time.RFC3339), b.Path})
		}) {
			rt.Fatalf("not in landing order: %v", got)
		}
		slices.Sort(got)
		slices.Sort(fresh)
		slices.Sort(missing)
		first := ""
		if len(missing) > 0 {
			first = missing[0]
		}
		if !slices.Equal(got, fresh) || found.Known != known || found.Listed != listed || int(found.Missing.Files) != len(missing) || found.Missing.First != first {
			rt.Fatalf("new %v, known %d of %d, missing %+v; want %v, %d of %d, %v", got, found.Known, found.Listed, found.Missing, fresh, known, listed, missing)
		}
	})
}

func TestHidden(t *testing.T) {
	for key, want := range map[string]bool{
		"a.csv": false, "_a.csv": true, ".a": true, "x/_tmp/a": true, "_k=v/a": false, "k=_v/a": false, "x/.y/a": true, "a//b": true,
	} {
		if got := discovery.Hidden(key); got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
}

// The most frequent format is the feed's, the alphabet decides a tie, and a table is
// no feed.
func TestChooseFormat(t *testing.T) {
	for _, c := range []struct {
		want string
		code diag.Code
		keys []string
	}{
		{"csv", "", []string{"a.csv", "b.json"}},
		{"json", "", []string{"a.csv", "b.json", "c.json"}},
		{"", "", []string{"readme", "_a.csv"}},
		{"parquet", "", []string{"a.parquet"}},
		{"", diag.Usage, []string{"a.parquet", "_delta_log/00000000000000000000.json"}},
		{"", diag.Usage, []string{"a.parquet", "t/_delta_log/00000000000000000000.json"}},
		{"csv", "", []string{"a.csv", "t/_delta_log/00000000000000000000.json"}},
	} {
		files := memory.New(nil)
		for _, key := range c.keys {
			ok(t, files.Create(t.Context(), key, []byte("x")))
		}
		got, err := discovery.ChooseFormat(t.Context(), files, discovery.Selection{})
		if got != c.want || diag.CodeOf(err) != c.code {
			t.Errorf("%v: %q, %v; want %q, code %q", c.keys, got, err, c.want, c.code)
		}
	}
}
