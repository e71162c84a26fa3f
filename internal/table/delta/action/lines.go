package action

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/store"
)

// Lines yields the actions of a file of JSON lines, however long they are.
// It ends after the first error: store.ErrNotExist of a file that is absent,
// diag.LogBroken of a line that is no action.
func Lines(ctx context.Context, s store.Store, key string) iter.Seq2[*Action, error] {
	return func(yield func(*Action, error) bool) {
		o, err := s.Open(ctx, key)
		if err != nil {
			yield(nil, fmt.Errorf("open %s: %w", key, err))
			return
		}
		defer o.Close() //nolint:errcheck // nothing was written
		r := bufio.NewReaderSize(io.NewSectionReader(o, 0, o.Info().Size), 1<<16)
		for n := int64(1); ; n++ {
			line, err := r.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				yield(nil, fmt.Errorf("read %s: %w", key, err))
				return
			}
			end := err != nil
			if len(strings.TrimSpace(string(line))) > 0 {
				a, err := Decode(line)
				if err != nil {
					err = diag.New(diag.LogBroken, "%s: found %s, want an action of the Delta log", key, diag.Quote(string(line))).
						In(diag.Place{File: s.URL(key), Line: n}).
						Hinted("restore the file from a backup or a copy of the table").Because(err)
				}
				if !yield(a, err) || err != nil {
					return
				}
			}
			if end {
				return
			}
		}
	}
}
