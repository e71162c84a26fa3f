package state

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"landfall/internal/store"
)

// lines writes an NDJSON file of the state, whose first line tells its format.
// Nothing is written when no line is put.
type lines struct {
	st     *State
	key    string
	upload store.Upload
	buf    *bufio.Writer
	enc    *json.Encoder
}

func (l *lines) put(ctx context.Context, line any) error {
	if l.upload == nil {
		u, err := l.st.s.Upload(ctx, l.key)
		if err != nil {
			return l.st.fault("create", l.key, err)
		}
		l.upload, l.buf = u, bufio.NewWriterSize(u, 1<<16)
		l.enc = json.NewEncoder(l.buf)
		if err := l.enc.Encode(map[string]int{"format": Format}); err != nil {
			return l.st.fault("write", l.key, err)
		}
	}
	if err := l.enc.Encode(line); err != nil {
		return l.st.fault("write", l.key, err)
	}
	return nil
}

// close makes what was put durable.
func (l *lines) close(ctx context.Context) error {
	if l.upload == nil {
		return nil
	}
	if err := l.buf.Flush(); err != nil {
		return l.st.fault("write", l.key, err)
	}
	_, err := l.upload.Commit(ctx)
	return l.st.fault("create", l.key, err)
}

// abort drops what was put and not closed.
func (l *lines) abort(ctx context.Context) error {
	if l.upload == nil {
		return nil
	}
	return l.upload.Abort(ctx)
}

// readLines yields the lines of such a file behind the first; none if there is
// no file.
func readLines[T any](ctx context.Context, st *State, key string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		o, err := st.s.Open(ctx, key)
		if errors.Is(err, store.ErrNotExist) {
			return
		}
		if err != nil {
			yield(none, st.fault("open", key, err))
			return
		}
		defer o.Close() //nolint:errcheck // nothing was written
		dec := json.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(o, 0, o.Info().Size), 1<<16))
		var head struct {
			Format int `json:"format"`
		}
		if err := dec.Decode(&head); err != nil || head.Format != Format {
			yield(none, st.broken(key, errors.Join(err, fmt.Errorf("found format %d, want %d", head.Format, Format))))
			return
		}
		for {
			var line T
			err := dec.Decode(&line)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(line, st.broken(key, err))
				return
			}
			if !yield(line, nil) {
				return
			}
		}
	}
}
