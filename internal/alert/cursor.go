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
	// Failures counts the times that the source began to fail, Failing tells that it
	// did so at last: while it goes on failing alike there is one message.
	Failures int64 `json:"failures"`
	Failing  bool  `json:"failing"`
}

func cursorKey(source string) string { return "cursors/" + url.PathEscape(source) + ".json" }

// Cursor returns the cursor of a source; ok is false if there is none yet.
func (o *Outbox) Cursor(ctx context.Context, source string) (c Cursor, ok bool, err error) {
	c, err = read[Cursor](ctx, o, cursorKey(source))
	if errors.Is(err, store.ErrNotExist) {
		return Cursor{}, false, nil
	}
	return c, err == nil, err
}

// SetCursor moves the cursor of a source.
func (o *Outbox) SetCursor(ctx context.Context, source string, c Cursor) error {
	c.Format = Format
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := o.s.Replace(ctx, cursorKey(source), append(data, '\n')); err != nil {
		return fmt.Errorf("remember up to which batch alerts are queued: %w", err)
	}
	return nil
}
