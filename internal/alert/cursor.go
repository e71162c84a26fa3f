package alert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"landfall/internal/store"
)

// Cursor says how far the messages of a source are queued. It is a hint: messages of
// older batches may be derived again, and are the same then.
type Cursor struct {
	Format int `json:"format"`
	// Batch is the last batch whose messages are queued.
	Batch int64 `json:"batch"`
}

// Streak says whether the runs of a name fail: while they do so alike, that is told
// once. It is a hint.
type Streak struct {
	Format int `json:"format"`
	// Failures counts how often they began to fail, Failing tells that the last did.
	Failures int64 `json:"failures"`
	Failing  bool  `json:"failing"`
}

// Cursor returns the cursor of a source; ok is false if there is none yet.
func (o *Outbox) Cursor(ctx context.Context, source string) (c Cursor, ok bool, err error) {
	return hint[Cursor](ctx, o, "cursors", source)
}

// SetCursor moves the cursor of a source.
func (o *Outbox) SetCursor(ctx context.Context, source string, c Cursor) error {
	c.Format = Format
	return o.replace(ctx, "cursors", source, c)
}

// Streak returns the streak of a name, which may be of none.
func (o *Outbox) Streak(ctx context.Context, name string) (Streak, error) {
	s, _, err := hint[Streak](ctx, o, "streaks", name)
	return s, err
}

// SetStreak replaces the streak of a name.
func (o *Outbox) SetStreak(ctx context.Context, name string, s Streak) error {
	s.Format = Format
	return o.replace(ctx, "streaks", name, s)
}

// hintKey is the key of a record by a name, which may be a long path.
func hintKey(folder, name string) string {
	const most = 100
	file := url.PathEscape(name)
	if len(file) > most {
		file = file[:most] + "-" + ID("name", name)
	}
	return folder + "/" + file + ".json"
}

func hint[T any](ctx context.Context, o *Outbox, folder, name string) (record T, ok bool, err error) {
	record, err = read[T](ctx, o, hintKey(folder, name))
	if errors.Is(err, store.ErrNotExist) {
		return record, false, nil
	}
	return record, err == nil, err
}

func (o *Outbox) replace(ctx context.Context, folder, name string, record any) error {
	data, err := json.Marshal(record)
	if err != nil {
		return err
	}
	key := hintKey(folder, name)
	if err := o.s.Replace(ctx, key, append(data, '\n')); err != nil {
		return fmt.Errorf("write %s: %w", o.s.URL(key), err)
	}
	return nil
}
