package alert

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"landfall/internal/store"
)

// Format is the format version in front of every record of an outbox. Records of a
// newer one are refused.
const Format = 1

// Outbox keeps messages until their targets have them:
//
//	queued/<target>/<id>.json   a message for a target, created before it is sent
//	sent/<target>/<id>.json     the target has it
//	digests/<target>/<id>.json  the target has a digest whose messages have no such record yet
//	cursors/<source>.json       the batch up to which messages are queued; a hint
//	streaks/<name>.json         whether the runs of a name fail; a hint
//
// Records are created once and never changed. Any number of processes may queue; one
// at a time may deliver.
type Outbox struct {
	s store.Store
	// Patience bounds the time that a target may take at one delivery; 0 means 10 s.
	Patience time.Duration
}

// New returns the outbox in a store that holds nothing else.
func New(s store.Store) *Outbox { return &Outbox{s: s} }

// queued is the record of a message for a target.
type queued struct {
	Format  int       `json:"format"`
	Queued  time.Time `json:"queued"`
	Message Message   `json:"message"`
}

// sent is the record that a target has a message.
type sent struct {
	Format int       `json:"format"`
	Sent   time.Time `json:"sent"`
	// Delay is how late it came, in seconds.
	Delay int64 `json:"delay_seconds,omitempty"`
	// Digest is the id of the digest that it came in.
	Digest string `json:"digest,omitempty"`
}

// Queue makes messages wait for the targets of the rules that take them. What waits
// there or was sent already, by this run or another, stays as it is.
func (o *Outbox) Queue(ctx context.Context, rules []Rule, messages []Message, now time.Time) error {
	for _, m := range messages {
		for _, r := range rules {
			if !r.takes(m) {
				continue
			}
			told := m
			if r.Redact {
				told = m.redacted()
			}
			for _, t := range r.Targets {
				err := o.create(ctx, key("queued", t.Name, m.ID), queued{Format, now.UTC(), told.Told()})
				if err != nil && !errors.Is(err, store.ErrExist) {
					return fmt.Errorf("queue an alert: %w", err)
				}
			}
		}
	}
	return nil
}

func (o *Outbox) create(ctx context.Context, key string, record any) error {
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return o.s.Create(ctx, key, append(data, '\n'))
}

// read decodes a record.
func read[T any](ctx context.Context, o *Outbox, key string) (record T, err error) {
	data, err := store.Read(ctx, o.s, key)
	if err != nil {
		return record, fmt.Errorf("read %s: %w", o.s.URL(key), err)
	}
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return record, fmt.Errorf("read %s: %w", o.s.URL(key), err)
	}
	if head.Format < 1 || head.Format > Format {
		return record, fmt.Errorf("read %s: found format %d, want at most %d", o.s.URL(key), head.Format, Format)
	}
	if err := json.Unmarshal(data, &record); err != nil {
		return record, fmt.Errorf("read %s: %w", o.s.URL(key), err)
	}
	return record, nil
}

func key(folder, target, id string) string { return folder + "/" + target + "/" + id + ".json" }

// ids lists the messages of a target in a folder.
func (o *Outbox) ids(ctx context.Context, folder, target string) ([]string, error) {
	all, _, err := o.list(ctx, folder, target, time.Time{})
	return all, err
}

// list does so too, and tells which of them are older than a time.
func (o *Outbox) list(ctx context.Context, folder, target string, than time.Time) (all, old []string, err error) {
	for info, err := range o.s.List(ctx, folder+"/"+target+"/", "") {
		if err != nil {
			return nil, nil, fmt.Errorf("list %s: %w", o.s.URL(folder), err)
		}
		if id, ok := strings.CutSuffix(path.Base(info.Key), ".json"); ok {
			if all = append(all, id); info.ModTime.Before(than) {
				old = append(old, id)
			}
		}
	}
	return all, old, nil
}

// Keep is how long it is remembered that a target has a message.
const Keep = 90 * 24 * time.Hour

// forget removes messages that a target has, and last that it has them: a message
// without that would be sent again.
func (o *Outbox) forget(ctx context.Context, target string, ids []string) error {
	const most = 1000
	for _, id := range ids[:min(len(ids), most)] {
		for _, folder := range []string{"queued", "sent"} {
			if err := o.s.Delete(ctx, key(folder, target, id)); err != nil {
				return fmt.Errorf("remove %s: %w", o.s.URL(key(folder, target, id)), err)
			}
		}
	}
	return nil
}

// waiting returns what a target has not got, oldest first. What it has got long ago is
// forgotten.
func (o *Outbox) waiting(ctx context.Context, target string, now time.Time) ([]queued, error) {
	all, err := o.ids(ctx, "queued", target)
	if err != nil {
		return nil, err
	}
	has, old, err := o.list(ctx, "sent", target, now.Add(-Keep))
	if err != nil {
		return nil, err
	}
	if err := o.forget(ctx, target, old); err != nil {
		return nil, err
	}
	done := make(map[string]bool, len(has))
	for _, id := range has {
		done[id] = true
	}
	var out []queued
	for _, id := range all {
		if done[id] {
			continue
		}
		q, err := read[queued](ctx, o, key("queued", target, id))
		if err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	slices.SortFunc(out, func(a, b queued) int {
		return cmp.Or(a.Queued.Compare(b.Queued), a.Message.order(b.Message))
	})
	return out, nil
}

// Entry is a message for a target, and what became of it.
type Entry struct {
	Target  string    `json:"target"`
	Queued  time.Time `json:"queued"`
	Message Message   `json:"message"`
	// Sent is when the target got it, zero while it waits.
	Sent time.Time `json:"sent,omitzero"`
	// Delay is how late it came, in seconds, and Digest the id of the digest that it
	// came in.
	Delay  int64  `json:"delay_seconds,omitempty"`
	Digest string `json:"digest,omitempty"`
}

// Entries lists what waits for targets and what they got, oldest first. Targets may
// be among them that no rule names any more.
func (o *Outbox) Entries(ctx context.Context) ([]Entry, error) {
	var all []Entry
	for info, err := range o.s.List(ctx, "queued/", "") {
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", o.s.URL("queued"), err)
		}
		target, name, ok := strings.Cut(strings.TrimPrefix(info.Key, "queued/"), "/")
		id, is := strings.CutSuffix(name, ".json")
		if !ok || !is {
			continue
		}
		q, err := read[queued](ctx, o, info.Key)
		if err != nil {
			return nil, err
		}
		e := Entry{Target: target, Queued: q.Queued, Message: q.Message}
		s, err := read[sent](ctx, o, key("sent", target, id))
		if err != nil && !errors.Is(err, store.ErrNotExist) {
			return nil, err
		}
		if e.Sent = s.Sent; err == nil {
			e.Delay, e.Digest = s.Delay, s.Digest
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b Entry) int {
		return cmp.Or(a.Queued.Compare(b.Queued), a.Message.order(b.Message))
	})
	return all, nil
}
