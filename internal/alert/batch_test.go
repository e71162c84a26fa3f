package alert

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/event"
)

// batchOf is a batch that met some of everything.
func batchOf() Batch {
	return Batch{
		Source: "orders", Table: "lake", Number: 7, Time: noon(),
		Drift: []event.Drift{
			{Kind: event.ColumnAdded, Column: "note", File: "a.csv", To: "string", Count: 2, Decision: "add"},
			{Kind: event.ColumnMissing, Column: "n", File: "a.csv", Count: 1, Decision: "null"},
			{Kind: event.TypeConflict, Column: "unit price", File: "b.csv", Record: 4, Count: 3, Sample: "x7", To: "bigint", Decision: "rescue"},
			{Kind: event.TypeConflict, Column: "unit price", File: "c.csv", Record: 1, Count: 2, Sample: "y", To: "bigint", Decision: "rescue"},
			{Kind: event.RecordMalformed, File: "c.csv", Record: 9, Line: 10, Count: 1, To: "an open quote", Decision: "quarantine"},
			{Kind: event.FileRewritten, File: "d.csv", Count: 1, Decision: "replace"},
			{Kind: event.FileRewritten, File: "e.csv", Count: 1, Decision: "same bytes, nothing to do"},
			{Kind: event.PartitionClash, Column: "dt", File: "f.csv", Record: 1, Count: 1, Decision: "path"},
			{Kind: event.FileEmpty, File: "g.csv", Decision: "quarantine"},
		},
		Aside: []event.Quarantined{
			{Path: "c.csv", Record: 9, Line: 10, Code: "E0401", Reason: "found an open quote", Bytes: []byte("\"bad,\r\n")},
			{Path: "h.csv", Record: 2, Line: 3, Code: "E0505", Reason: "id: found no value", Bytes: []byte(",1\n")},
			{Path: "h.csv", Record: 5, Line: 6, Code: "E0505", Reason: "id: found no value", Bytes: []byte(",2\n")},
		},
		Version:   func(file string) string { return "v1 of " + file },
		Decidable: func(k event.Kind) bool { return k == event.TypeConflict || k == event.ColumnAdded },
	}
}

// TestMessages: one message for each cause, in the words of docs/alerts.md.
func TestMessages(t *testing.T) {
	want := []string{
		"orders: new column note string\nfirst in a.csv\ndecided: add\nto decide otherwise: landfall drift show orders note",
		"orders: 5 values of column unit price are no bigint: rescued (type conflict)\nfirst in b.csv record 4: \"x7\", and in 1 more file\ndecided: rescue, by policy type_conflict\nto decide otherwise: landfall drift show orders 'unit price'",
		"orders: kept out of the table: 1 record (record malformed)\nfirst in c.csv record 9 (line 10): \"\\\"bad,\"\nfound an open quote\ndecided: quarantine, by policy record_malformed\nto decide otherwise: landfall files orders --quarantined",
		"orders: 1 file rewritten after landing\nfirst in d.csv\ndecided: replace, by policy file_rewritten\nto decide otherwise: set policy file_rewritten of orders (replace, skip, append, fail), then landfall land orders",
		"orders: 1 value of column dt is rescued (partition conflict)\nfirst in f.csv record 1\ndecided: path, by policy partition_conflict\nto decide otherwise: landfall events orders",
		"orders: kept out of the table: 1 file (file empty)\nfirst in g.csv\ndecided: quarantine, by policy file_empty\nto decide otherwise: landfall files orders --quarantined",
		"orders: kept out of the table: 2 records (E0505)\nfirst in h.csv record 2 (line 3): \",1\"\nid: found no value\ndecided: quarantine\nto decide otherwise: landfall files orders --quarantined",
	}
	got := batchOf().Messages()
	if len(got) != len(want) {
		t.Errorf("found %d messages, want %d", len(got), len(want))
	}
	for i, m := range got[:min(len(got), len(want))] {
		if text := m.Told().Text; text != want[i] {
			t.Errorf("found\n%s\nwant\n%s", text, want[i])
		}
		if text := m.redacted().Told().Text; strings.ContainsAny(text, `"`) || strings.Contains(text, "found") {
			t.Errorf("values are to be left out: %s", text)
		}
	}
	first := batchOf()
	first.First = true
	if m := first.Messages()[0]; m.Kind == ColumnAdded {
		t.Errorf("the columns of the first contract are no news: %+v", m)
	}
}

// TestMany: a file of a thousand columns gives few messages, which count all.
func TestMany(t *testing.T) {
	b := Batch{Source: "orders", Time: noon()}
	for i := range 1000 {
		c := fmt.Sprintf("c%d", i)
		b.Drift = append(b.Drift, event.Drift{Kind: event.TypeConflict, Column: c, File: "a.csv", Record: 1, Count: 2, Sample: "x", To: "bigint", Decision: "rescue"},
			event.Drift{Kind: event.ColumnAdded, Column: c, File: "a.csv", Count: 1, Decision: "add"})
	}
	got := b.Messages()
	var values int64
	for _, m := range got {
		if m.Kind == Rescued {
			values += m.Count
		}
	}
	if len(got) != 2*(most+1) || values != 2000 {
		t.Errorf("found %d messages on %d values, want %d on 2000", len(got), values, 2*(most+1))
	}
	want := []string{
		"orders: 1900 values are rescued (other columns)\nfirst in a.csv record 1: \"x\"\ndecided: rescue\nto decide otherwise: landfall events orders",
		"orders: 950 more columns are new\nfirst in a.csv\ndecided: add\nto decide otherwise: landfall events orders",
	}
	for i, m := range got[len(got)-2:] {
		if text := m.Told().Text; text != want[i] {
			t.Errorf("found\n%s\nwant\n%s", text, want[i])
		}
	}
}

// TestIDs: an id is that of the cause, whichever batch, attempt or process derives it;
// other causes, and other versions of the file, have others.
func TestIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := batchOf()
		before := b.Messages()
		b.Number = rapid.Int64Range(1, 1000).Draw(t, "batch")
		b.Time = b.Time.Add(1)
		k := rapid.IntRange(0, len(b.Drift)).Draw(t, "begin")
		count := rapid.Int64Range(1, 9).Draw(t, "count")
		for i := range b.Drift {
			b.Drift[i].Count += count
		}
		same := b.Messages()
		seen := map[string]bool{}
		for i := range before {
			if same[i].ID != before[i].ID || seen[same[i].ID] {
				t.Fatalf("found %s, want %s, and each once", same[i].ID, before[i].ID)
			}
			seen[same[i].ID] = true
		}
		b.Version = func(file string) string { return "v2 of " + file }
		b.Drift = b.Drift[k:]
		for _, m := range b.Messages() {
			if seen[m.ID] {
				t.Fatalf("%+v has the id of another version", m)
			}
		}
	})
}

// TestID: parts are told apart.
func TestID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOf(rapid.String()).Draw(t, "a")
		b := rapid.SliceOf(rapid.String()).Draw(t, "b")
		if (strings.Join(a, "\x00") == strings.Join(b, "\x00") && len(a) == len(b)) != (ID(Rescued, "s", a...) == ID(Rescued, "s", b...)) {
			t.Fatalf("%q and %q", a, b)
		}
	})
}
