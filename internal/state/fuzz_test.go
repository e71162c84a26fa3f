package state_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/zeebo/xxh3"

	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/memory"
)

// FuzzLedger: whatever bytes stand in a block of a ledger, with the right hash, what
// is read of it comes in the order of paths, and can be compacted again.
func FuzzLedger(f *testing.F) {
	const head = "{\"format\":1,\"bound\":1}\n"
	s := memory.New(nil)
	st := state.New(s)
	m := state.Mark{Format: state.Format, Batch: 1, Kind: state.KindLand, Options: "o", Objects: []state.Outcome{
		{Object: state.Object{Path: "a.csv", Version: "1"}, Fate: state.Landed, Bytes: fmt.Sprintf("%032x", 7), Rows: 3},
		{Object: state.Object{Path: "ab.csv", Version: "2"}, Fate: state.Quarantined, Code: "E0402", Reason: "cut"},
	}}
	if err := errors.Join(st.SetMark(f.Context(), m), st.Compact(f.Context(), 1)); err != nil {
		f.Fatal(err)
	}
	whole, err := store.Read(f.Context(), s, "known/00000001.ledger")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole[len(head)+12 : len(whole)-12])
	f.Add([]byte("\x00\x00\x01a\x01v\x00\x00"))
	f.Fuzz(func(t *testing.T, payload []byte) {
		s := memory.New(nil)
		data := binary.LittleEndian.AppendUint32([]byte(head), uint32(len(payload)))
		data = append(binary.LittleEndian.AppendUint64(data, xxh3.Hash(payload)), payload...)
		if err := s.Create(t.Context(), "known/00000001.ledger", data); err != nil {
			t.Fatal(err)
		}
		st := state.New(s)
		if err := st.SetMark(t.Context(), state.Mark{Format: state.Format, Batch: 1, Kind: state.KindLand}); err != nil {
			t.Fatal(err)
		}
		last := ""
		for e, err := range st.Known(t.Context()) {
			if err != nil && !state.IsBroken(err) {
				t.Fatal(err)
			}
			if last != "" && e.Path <= last && err == nil {
				t.Fatalf("%q after %q", e.Path, last)
			}
			last = e.Path
		}
	})
}
