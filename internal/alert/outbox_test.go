package alert

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
)

// inbox is a target that can be down, and may die after it took a letter.
type inbox struct {
	mu      sync.Mutex
	down    bool
	letters []Letter
}

func (b *inbox) Send(_ context.Context, l Letter) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return errors.New("down")
	}
	b.letters = append(b.letters, l)
	return nil
}

// got counts how often each message came.
func (b *inbox) got() map[string]int {
	n := map[string]int{}
	for _, l := range b.letters {
		for _, m := range l.Messages {
			n[m.ID]++
		}
	}
	return n
}

func noon() time.Time { return time.Date(2026, 10, 2, 12, 0, 0, 0, time.UTC) }

func three() []Message {
	var all []Message
	for _, file := range []string{"a.csv", "b.csv", "c.csv"} {
		m := Message{Kind: Rescued, Source: "orders", What: "type_conflict", Column: "n", File: file, Record: 1, Sample: "x7", Count: 2, Decision: "rescue"}
		m.ID = ID(m.Kind, m.Source, m.File)
		all = append(all, m)
	}
	return all
}

// pass queues all messages and delivers, as each run does.
func pass(s store.Store, rules []Rule, now time.Time) error {
	o := New(s)
	if err := o.Queue(context.Background(), rules, three(), now); err != nil {
		return err
	}
	var all error
	for _, d := range o.Deliver(context.Background(), rules, now) {
		all = errors.Join(all, d.Err)
	}
	return all
}

// TestSweep fails, and kills, a run at each call to the store, and runs again: every
// message arrives, and only one that was on its way arrives twice.
func TestSweep(t *testing.T) {
	for name, digest := range map[string]*Digest{"at once": nil, "digest": {Hour: 13}} {
		for _, kind := range []fault.Kind{fault.Fail, fault.Ambiguous, fault.Crash} {
			for i := 0; ; i++ {
				base := memory.New(noon)
				s := fault.New(base, fault.Plan{Kind: kind, At: i})
				in := &inbox{}
				rules := []Rule{{Targets: []Target{{Name: "hook", Sender: in}}, Digest: digest}}
				later := noon().Add(2 * time.Hour)
				for _, now := range []time.Time{noon(), later} {
					_ = pass(s, rules, now) // may meet the fault
				}
				for day := range 2 {
					if err := pass(base, rules, later.AddDate(0, 0, day+1)); err != nil {
						t.Fatal(err)
					}
				}
				n, twice := in.got(), 0
				for _, m := range three() {
					switch n[m.ID] {
					case 1:
					case 2:
						twice++
					default:
						t.Errorf("%s, %v at call %d: message on %s arrived %d times", name, kind, i, m.File, n[m.ID])
					}
				}
				if most := map[bool]int{true: 3, false: 1}[digest != nil]; twice > most {
					t.Errorf("%s, %v at call %d: %d messages came twice", name, kind, i, twice)
				}
				if ids := idsOf(in.letters); len(ids)-len(slices.Compact(slices.Sorted(slices.Values(ids)))) != min(twice, 1) {
					t.Errorf("%s, %v at call %d: letters %v, but one at most comes twice, with its id", name, kind, i, ids)
				}
				if !s.Struck() {
					break
				}
			}
		}
	}
}

func idsOf(all []Letter) []string {
	var ids []string
	for _, l := range all {
		ids = append(ids, l.ID)
	}
	return ids
}

// TestDown: what a target does not take waits and comes late; another
// target is not concerned.
func TestDown(t *testing.T) {
	s := memory.New(noon)
	hook, file := &inbox{down: true}, &inbox{}
	rules := []Rule{{Targets: []Target{{Name: "hook", Sender: hook}, {Name: "file", Sender: file}}}}
	if err := pass(s, rules, noon()); err == nil {
		t.Fatal("the target was down")
	}
	if len(file.letters) != 3 || len(hook.letters) != 0 {
		t.Fatalf("file has %d letters, hook %d", len(file.letters), len(hook.letters))
	}
	hook.down = false
	d := New(s).Deliver(context.Background(), rules, noon().Add(62*time.Minute))
	if d[0].Sent != 3 || d[0].Waiting != 0 || d[0].Delay != 62*time.Minute || Span(d[0].Delay) != "1 h 02 m" || d[1].Sent != 0 {
		t.Errorf("found %+v", d)
	}
	if l := hook.letters[0]; l.Digest || l.Delay != 62*time.Minute {
		t.Errorf("found %+v", l)
	}
	if err := pass(s, rules, noon().Add(24*time.Hour)); err != nil || len(hook.letters) != 3 || len(file.letters) != 3 {
		t.Errorf("again: %v, %d and %d letters", err, len(hook.letters), len(file.letters))
	}
}

// TestDigestTime: the time of a digest is the next one that clocks in its zone show, or
// the hour after where they jump over it.
func TestDigestTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		d := Digest{Hour: rapid.IntRange(0, 23).Draw(t, "hour"), Minute: rapid.IntRange(0, 59).Draw(t, "minute"), Zone: zone}
		from := time.Unix(rapid.Int64Range(1.7e9, 1.9e9).Draw(t, "from"), 0)
		at := d.After(from)
		if !at.After(from) || at.Sub(from) > 26*time.Hour {
			t.Fatalf("%v after %v", at, from)
		}
		if at.Minute() != d.Minute && zone.String() != "Australia/Lord_Howe" || (at.Hour()-d.Hour+24)%24 > 1 {
			t.Fatalf("found %v, want %02d:%02d", at, d.Hour, d.Minute)
		}
		if again := d.After(at.Add(-time.Second)); !again.Equal(at) {
			t.Fatalf("a second before %v it is %v", at, again)
		}
	})
}

// TestForget: what was sent long ago is forgotten, what waits never is; and a kill in
// between sends nothing again.
func TestForget(t *testing.T) {
	for i := 0; ; i++ {
		now := noon()
		base := memory.New(func() time.Time { return now })
		hook, gone := &inbox{}, &inbox{down: true}
		rules := []Rule{{Targets: []Target{{Name: "hook", Sender: hook}, {Name: "gone", Sender: gone}}}}
		if err := pass(base, rules, now); err == nil {
			t.Fatal("a target was down")
		}
		now = now.Add(Keep + time.Hour)
		s := fault.New(base, fault.Plan{Kind: fault.Crash, At: i})
		New(s).Deliver(context.Background(), rules, now)
		New(base).Deliver(context.Background(), rules, now)
		if len(hook.letters) != 3 {
			t.Errorf("crash at call %d: %d letters, want no more than 3", i, len(hook.letters))
		}
		all, err := New(base).Entries(context.Background())
		if err != nil || len(all) != 3 || all[0].Target != "gone" || !all[0].Sent.IsZero() {
			t.Errorf("crash at call %d: found %v, %+v", i, err, all)
		}
		if !s.Struck() {
			return
		}
	}
}

// hanging is a target that never answers.
type hanging struct{}

func (hanging) Send(ctx context.Context, _ Letter) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestHanging: a target that hangs keeps a run for a bounded time, and the others not
// at all.
func TestHanging(t *testing.T) {
	in := &inbox{}
	rules := []Rule{{Targets: []Target{{Name: "stuck", Sender: hanging{}}, {Name: "hook", Sender: in}}}}
	o := New(memory.New(noon))
	o.Patience = 50 * time.Millisecond
	if err := o.Queue(context.Background(), rules, three(), noon()); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	d := o.Deliver(context.Background(), rules, noon())
	if d[0].Err == nil || d[0].Waiting != 3 || d[1].Sent != 3 || time.Since(start) > 5*time.Second {
		t.Errorf("found %+v after %v", d, time.Since(start))
	}
}

// slow is a target that takes a letter when the time is over.
type slow struct{ inbox }

func (s *slow) Send(ctx context.Context, l Letter) error {
	<-ctx.Done()
	return s.inbox.Send(ctx, l)
}

// patient is a store that heeds its context.
type patient struct{ store.Store }

func (p patient) Create(ctx context.Context, key string, data []byte) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return p.Store.Create(ctx, key, data)
}

// TestSlow: a letter that was taken at the last moment is not sent again.
func TestSlow(t *testing.T) {
	in := &slow{}
	rules := []Rule{{Targets: []Target{{Name: "hook", Sender: in}}}}
	o := New(patient{memory.New(noon)})
	o.Patience = 10 * time.Millisecond
	if err := o.Queue(context.Background(), rules, three()[:1], noon()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if d := o.Deliver(context.Background(), rules, noon()); d[0].Err != nil {
			t.Error(d[0].Err)
		}
	}
	if len(in.letters) != 1 {
		t.Errorf("%d letters came, want 1", len(in.letters))
	}
}

// TestRefusal: a message that a target refuses alone keeps none of the others.
func TestRefusal(t *testing.T) {
	in := &choosy{}
	rules := []Rule{{Targets: []Target{{Name: "hook", Sender: in}}}}
	o := New(memory.New(noon))
	if err := o.Queue(context.Background(), rules, three(), noon()); err != nil {
		t.Fatal(err)
	}
	if d := o.Deliver(context.Background(), rules, noon()); d[0].Err == nil || d[0].Sent != 2 || d[0].Waiting != 1 {
		t.Errorf("found %+v", d)
	}
}

// choosy is a target that refuses the messages on one file.
type choosy struct{}

func (*choosy) Send(_ context.Context, l Letter) error {
	if l.Messages[0].File == "b.csv" {
		return refusal("not this one")
	}
	return nil
}

// TestDigest: messages wait for the time of day, and go as one.
func TestDigest(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	s, in := memory.New(noon), &inbox{}
	rules := []Rule{{On: []Kind{RunFailed, Rescued}, Redact: true, Digest: &Digest{Hour: 9, Zone: berlin}, Targets: []Target{{Name: "hook", Sender: in}}}}
	added := Message{ID: "c0", Kind: ColumnAdded, Source: "orders", Column: "note"}
	ctx := context.Background()
	if err := New(s).Queue(ctx, rules, append(three(), added, Message{ID: "q", Kind: Quarantined}), noon()); err != nil {
		t.Fatal(err)
	}
	if d := New(s).Deliver(ctx, rules, time.Date(2026, 10, 3, 6, 59, 0, 0, time.UTC)); d[0].Sent != 0 || d[0].Waiting != 4 {
		t.Errorf("before nine in Berlin: %+v", d)
	}
	if d := New(s).Deliver(ctx, rules, time.Date(2026, 10, 3, 7, 0, 0, 0, time.UTC)); d[0].Sent != 4 || len(in.letters) != 1 {
		t.Fatalf("at nine: %+v, %d letters", d, len(in.letters))
	}
	l := in.letters[0]
	if !l.Digest || l.subject() != "3 alerts, 1 new column" {
		t.Errorf("found %q", l.subject())
	}
	for _, m := range l.Messages {
		if m.Sample != "" {
			t.Errorf("the value %q was to be taken out", m.Sample)
		}
	}
}
