package state

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"landfall/internal/store"
)

// lined is a compaction in the form that was written before ledgers: NDJSON with a
// head, the entries by path, and a tail that tells a whole file from a part of one.
type lined struct {
	st    *State
	key   string
	o     store.Object
	dec   *json.Decoder
	count int64
	line  knownLine
	text  []byte
}

type (
	knownHead struct {
		Format int   `json:"format"`
		Bound  int64 `json:"bound"`
	}
	knownLine struct {
		*Entry
		// End is set on the last line: the number of entries before it.
		End *int64 `json:"end,omitempty"`
	}
)

func openLines(st *State, c compacted, o store.Object) (compaction, error) {
	l := &lined{st: st, key: c.key, o: o}
	l.dec = json.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(o, 0, o.Info().Size), 1<<18))
	var head knownHead
	if err := l.dec.Decode(&head); err != nil || head.Format != Format {
		l.close()
		return nil, st.broken(c.key, errors.Join(err, fmt.Errorf("found format %d, want %d", head.Format, Format)))
	}
	return l, nil
}

func (l *lined) next() (bool, error) {
	l.line = knownLine{Entry: &Entry{}}
	if err := l.dec.Decode(&l.line); err != nil {
		return false, l.st.broken(l.key, err)
	}
	if l.line.End == nil {
		l.count++
		l.text = append(append(l.text[:0], l.line.Path...), l.line.Version...)
		return true, nil
	}
	if *l.line.End != l.count {
		return false, l.st.broken(l.key, fmt.Errorf("found %d entries, want %d", l.count, *l.line.End))
	}
	return false, nil
}

func (l *lined) path() []byte          { return l.text[:len(l.line.Path)] }
func (l *lined) version() []byte       { return l.text[len(l.line.Path):] }
func (l *lined) short() bool           { return l.line.Short() }
func (l *lined) entry() (Entry, error) { return *l.line.Entry, nil }
func (l *lined) close()                { _ = l.o.Close() } // nothing was written
