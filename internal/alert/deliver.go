package alert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"landfall/internal/store"
)

// Delivery is what became of the messages for one target.
type Delivery struct {
	Target string
	// Sent and Waiting count messages; those of a digest whose time has not come wait.
	Sent, Waiting int
	// Delay is how late the oldest of them came, 0 if none was late, and Late how many
	// came so.
	Delay time.Duration
	Late  int
	// First is the id of the oldest that was late.
	First string
	// Err is why some wait, nil if none does but for its digest. It holds no secret.
	Err error
}

// late is from when on a message counts as delayed.
const late = time.Minute

// Deliver sends what waits for the targets of the rules, until a target fails: what it
// has not taken waits for the next call, as does a message that it refuses alone.
// Targets do not wait for each other.
func (o *Outbox) Deliver(ctx context.Context, rules []Rule, now time.Time) []Delivery {
	type post struct {
		rule   Rule
		target Target
	}
	var posts []post
	for _, r := range rules {
		for _, t := range r.Targets {
			posts = append(posts, post{r, t})
		}
	}
	out := make([]Delivery, len(posts))
	var wg sync.WaitGroup
	for i, p := range posts {
		wg.Go(func() { out[i] = o.deliver(ctx, p.rule, p.target, now) })
	}
	wg.Wait()
	return out
}

// deliver sends what waits for one target.
func (o *Outbox) deliver(ctx context.Context, r Rule, t Target, now time.Time) Delivery {
	patience := o.Patience
	if patience == 0 {
		patience = 10 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d := Delivery{Target: t.Name}
	if d.Err = o.settle(ctx, t.Name); d.Err != nil {
		return d
	}
	waiting, err := o.waiting(ctx, t.Name, now)
	if d.Err = err; err != nil {
		return d
	}
	d.Waiting = len(waiting)
	for _, l := range letters(r, t.Name, waiting, now) {
		if err := t.Sender.Send(ctx, l); err != nil {
			d.Err = cmp.Or(d.Err, err)
			if errors.As(err, new(refusal)) {
				continue // it may take the next
			}
			return d
		}
		if err := o.remember(ctx, t.Name, l); err != nil {
			d.Err = cmp.Or(d.Err, err)
			return d
		}
		if l.Delay > 0 {
			d.Late++
		}
		if l.Delay > d.Delay {
			d.Delay, d.First = l.Delay, l.ID
		}
		d.Sent += len(l.Messages)
		d.Waiting -= len(l.Messages)
	}
	return d
}

// letters are what is due for a target: one for each message, or one for each time
// of a digest. Of the same messages they are the same.
func letters(r Rule, target string, waiting []queued, now time.Time) []Letter {
	var all []Letter
	var dues []time.Time
	for _, q := range waiting {
		due := r.due(q.Queued)
		if due.After(now) {
			continue
		}
		var delay time.Duration
		if d := now.Sub(due); d >= late {
			delay = d
		}
		if r.Digest != nil {
			delay = 0 // nothing runs at that very time
			if i := slices.IndexFunc(dues, due.Equal); i >= 0 {
				all[i].Messages = append(all[i].Messages, q.Message)
				continue
			}
		}
		dues = append(dues, due)
		all = append(all, Letter{ID: q.Message.ID, Messages: []Message{q.Message}, Digest: r.Digest != nil, Delay: delay, Now: now.UTC()})
	}
	for i := range all {
		if all[i].Digest {
			slices.SortStableFunc(all[i].Messages, func(a, b Message) int { return a.rank() - b.rank() })
			all[i].ID = digestID(target, dues[i], all[i].Messages)
		}
	}
	return all
}

// digestID is the id of a digest: that of the same messages, sent again, is the same.
func digestID(target string, due time.Time, messages []Message) string {
	parts := []string{due.UTC().Format(time.RFC3339)}
	for _, m := range messages {
		parts = append(parts, m.ID)
	}
	slices.Sort(parts[1:])
	return ID("digest", target, parts...)
}

// remember records that a target has a letter, although the time for it may be over or
// the run be interrupted by now.
func (o *Outbox) remember(ctx context.Context, target string, l Letter) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return o.record(ctx, target, l)
}

// taken is the record that a target has a digest: all its messages at once. It is
// there until each of them has a record of its own.
type taken struct {
	Format   int       `json:"format"`
	Sent     time.Time `json:"sent"`
	Messages []string  `json:"messages"`
}

// record remembers that a target has the messages of a letter.
func (o *Outbox) record(ctx context.Context, target string, l Letter) error {
	if !l.Digest {
		return o.told(ctx, target, l.ID, sent{Format: Format, Sent: l.Now, Delay: int64(l.Delay / time.Second)})
	}
	t := taken{Format: Format, Sent: l.Now}
	for _, m := range l.Messages {
		t.Messages = append(t.Messages, m.ID)
	}
	if err := o.create(ctx, key("digests", target, l.ID), t); err != nil && !errors.Is(err, store.ErrExist) {
		return fmt.Errorf("record that alerts were sent: %w", err)
	}
	return o.spread(ctx, target, l.ID, t)
}

// spread gives each message of a digest that was sent its record.
func (o *Outbox) spread(ctx context.Context, target, id string, t taken) error {
	for _, m := range t.Messages {
		if err := o.told(ctx, target, m, sent{Format: Format, Sent: t.Sent, Digest: id}); err != nil {
			return err
		}
	}
	return o.s.Delete(ctx, key("digests", target, id))
}

func (o *Outbox) told(ctx context.Context, target, id string, s sent) error {
	if err := o.create(ctx, key("sent", target, id), s); err != nil && !errors.Is(err, store.ErrExist) {
		return fmt.Errorf("record that an alert was sent: %w", err)
	}
	return nil
}

// settle completes the records of digests that a target has.
func (o *Outbox) settle(ctx context.Context, target string) error {
	ids, err := o.ids(ctx, "digests", target)
	if err != nil {
		return err
	}
	for _, id := range ids {
		t, err := read[taken](ctx, o, key("digests", target, id))
		if err != nil {
			return err
		}
		if err := o.spread(ctx, target, id, t); err != nil {
			return err
		}
	}
	return nil
}

// Delays are the messages that tell other targets of those that were late.
func Delays(all []Delivery, now time.Time) []Message {
	var out []Message
	for _, d := range all {
		if d.Late == 0 {
			continue
		}
		out = append(out, Message{
			ID: ID(Delayed, d.Target, d.First), Kind: Delayed, Source: d.Target, Count: int64(d.Late), Time: now.UTC(),
			Reason:  fmt.Sprintf("%s delivered after %s", plural(int64(d.Late), "message"), Span(d.Delay)),
			Command: "landfall alert list",
		})
	}
	return out
}
