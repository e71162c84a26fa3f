package alert

import (
	"bytes"
	"context"
	"flag"
	"os"
	"slices"
	"testing"

	"landfall/internal/store"
	"landfall/internal/store/memory"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// kept is an outbox of format 1 as it is written: docs/format/alerts.md.
const kept = "testdata/format1.txt"

// TestFormat: records are written as ever, and those that were written are read.
func TestFormat(t *testing.T) {
	ctx := context.Background()
	s := memory.New(noon)
	in, down := &inbox{}, &inbox{down: true}
	rules := []Rule{
		{Targets: []Target{{Name: "log", Sender: in}, {Name: "down", Sender: down}}},
		{Redact: true, Digest: &Digest{Hour: 9}, Targets: []Target{{Name: "daily", Sender: in}}},
	}
	o := New(s)
	if err := o.Queue(ctx, rules, three()[:1], noon()); err != nil {
		t.Fatal(err)
	}
	o.Deliver(ctx, rules, noon())
	if err := o.create(ctx, key("digests", "daily", "0123456789abcdef"), taken{Format, noon(), []string{"00"}}); err != nil {
		t.Fatal(err)
	}
	down.down = false
	o.Deliver(ctx, rules[:1], noon().Add(late))
	if err := o.SetCursor(ctx, "orders", Cursor{Batch: 7}); err != nil {
		t.Fatal(err)
	}
	if err := o.SetStreak(ctx, "in/a", Streak{Failures: 2, Failing: true}); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer // a line with the key, then the record
	for info, err := range s.List(ctx, "", "") {
		if err != nil {
			t.Fatal(err)
		}
		data, err := store.Read(ctx, s, info.Key)
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString(info.Key + "\n" + string(data))
	}
	if *update {
		if err := os.WriteFile(kept, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("found\n%s\nwant\n%s", got.Bytes(), want)
	}
	old := memory.New(noon)
	lines := slices.Collect(bytes.Lines(want))
	for pair := range slices.Chunk(lines, 2) {
		if err := old.Create(ctx, string(bytes.TrimSpace(pair[0])), pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	checkKept(t, New(old))
}

// checkKept reads the outbox of the golden.
func checkKept(t *testing.T, o *Outbox) {
	ctx := context.Background()
	all, err := o.Entries(ctx)
	if err != nil || len(all) != 3 {
		t.Fatalf("found %v, %+v", err, all)
	}
	for _, e := range all {
		if waits := e.Target == "daily"; waits != e.Sent.IsZero() || waits != e.Message.Redacted || (e.Target == "down") != (e.Delay == 60) {
			t.Errorf("found %+v", e)
		}
	}
	c, ok, err := o.Cursor(ctx, "orders")
	s, err2 := o.Streak(ctx, "in/a")
	if !ok || err != nil || err2 != nil || c.Batch != 7 || s != (Streak{Format, 2, true}) {
		t.Errorf("found %+v, %v, %+v, %v", c, err, s, err2)
	}
}

// TestNewer: records of a newer format, and what is none, are refused.
func TestNewer(t *testing.T) {
	for _, text := range []string{`{"format":2}`, `{"format":0}`, `x`, ``} {
		s := memory.New(noon)
		if err := s.Create(context.Background(), "queued/hook/00.json", []byte(text)); err != nil {
			t.Fatal(err)
		}
		rules := []Rule{{Targets: []Target{{Name: "hook", Sender: &inbox{}}}}}
		if d := New(s).Deliver(context.Background(), rules, noon()); d[0].Err == nil {
			t.Errorf("%q: accepted", text)
		}
	}
}
