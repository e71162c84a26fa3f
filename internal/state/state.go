// Package state is the memory of one source.
//
// It keeps, in a folder beside the table, who the source is, which objects each
// batch intends to land, what each attempt at a batch did, and which attempt the
// table holds. Every file begins with a format version, is created once and is
// never changed, so two runs may race on all of it: whoever creates a record
// first has decided, the other reads it. What no mark reaches is garbage.
//
//	identities/00000001.json       who the source is; the newest counts
//	batches/00000007.json          intent
//	attempts/00000007-<id>/…       attempt.json, evidence.ndjson, quarantine-1.ndjson
//	marks/00000007.json            the table holds batch 7, by this attempt
//	known/00000064.ledger          what marks 1 to 64 say of each path
package state

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"landfall/internal/diag"
	"landfall/internal/store"
)

// Format is the format version that this program writes in front of every
// record. Records of a newer one are refused.
const Format = 1

// State is the memory of one source in a store that holds nothing else.
type State struct {
	s store.Store
	// damaged is set when a compaction turned out to be broken, so that the next one
	// is due.
	damaged atomic.Bool
}

// New returns the state kept in s, which may be empty.
func New(s store.Store) *State { return &State{s: s} }

// URL is the place of the state, for messages and for the table's properties.
func (st *State) URL() string { return st.s.URL("") }

// Store is the folder of the state itself, for what sweeps it.
func (st *State) Store() store.Store { return st.s }

// Clock returns the time by the store's own clock, which is what the ages of
// its files are measured by.
func (st *State) Clock(ctx context.Context) (time.Time, error) {
	const beat = "beats/clock"
	if err := st.s.Replace(ctx, beat, []byte("{}\n")); err != nil {
		return time.Time{}, st.fault("write", beat, err)
	}
	info, err := st.s.Stat(ctx, beat)
	if err != nil {
		return time.Time{}, st.fault("read", beat, err)
	}
	return info.ModTime, nil
}

// numbered is the key of a record: its kind by folder, then its number.
func numbered(folder string, n int64, suffix string) string {
	return fmt.Sprintf("%s/%08d%s", folder, n, suffix)
}

// number reads the number at the start of a key's last element; ok is false
// for names of another form.
func number(key string) (int64, bool) {
	name := path.Base(key)
	digits, _, _ := strings.Cut(name, ".")
	if len(digits) < 8 {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil && n > 0
}

// newest returns the highest number in a folder at or above from, 0 if none.
func (st *State) newest(ctx context.Context, folder, suffix string, from int64) (int64, error) {
	var last int64
	after := ""
	if from > 1 {
		after = numbered(folder, from-1, suffix)
	}
	for info, err := range st.s.List(ctx, folder+"/", after) {
		if err != nil {
			return 0, st.fault("list", folder, err)
		}
		if n, ok := number(info.Key); ok && strings.HasSuffix(info.Key, suffix) {
			last = max(last, n)
		}
	}
	return last, nil
}

// newestBatch returns the highest number of a folder that has one for each batch.
// What is compacted has marks and intents: only those after it are looked at.
func (st *State) newestBatch(ctx context.Context, folder string) (int64, error) {
	bound := int64(0)
	for _, suffix := range []string{ledgerSuffix, linesSuffix} {
		n, err := st.newest(ctx, "known", suffix, 0)
		if err != nil {
			return 0, err
		}
		bound = max(bound, n)
	}
	last, err := st.newest(ctx, folder, ".json", bound)
	if err != nil || last > 0 || bound == 0 {
		return last, err
	}
	return st.newest(ctx, folder, ".json", 0)
}

// read decodes a record; ok is false if it is absent.
func (st *State) read(ctx context.Context, key string, into any) (bool, error) {
	data, err := store.Read(ctx, st.s, key)
	if errors.Is(err, store.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, st.fault("read", key, err)
	}
	// Records are written with their format first, which then is all to look for.
	if !bytes.HasPrefix(data, []byte(`{"format":1,`)) {
		var head struct {
			Format int `json:"format"`
		}
		if err := json.Unmarshal(data, &head); err != nil {
			return false, st.broken(key, err)
		}
		if head.Format < 1 || head.Format > Format {
			return false, st.broken(key, fmt.Errorf("found format %d, want at most %d", head.Format, Format))
		}
	}
	if err := json.Unmarshal(data, into); err != nil {
		return false, st.broken(key, err)
	}
	return true, nil
}

// broken says that a record cannot be understood, unless err is the store's.
func (st *State) broken(key string, err error) error {
	for _, not := range []error{store.ErrTransient, store.ErrPermission, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, not) {
			return st.fault("read", key, err)
		}
	}
	return diag.New(diag.StateBroken, "state record cannot be read: %v", err).
		In(diag.Place{File: st.s.URL(key)}).
		Hinted("restore this file from a backup; or remove the folder %s, then choose with landfall reset: --keep or --reprocess", st.URL()).Because(err)
}

// IsBroken tells whether a record of the state is not what was written.
func IsBroken(err error) bool { return errors.Is(err, &diag.Diagnostic{Code: diag.StateBroken}) }

// fault says what was being done to which record when err came; nil stays nil.
// What a person can mend is a diagnostic.
func (st *State) fault(doing, key string, err error) error {
	var d *diag.Diagnostic
	switch {
	case err == nil || errors.As(err, &d):
		return err
	case errors.Is(err, store.ErrFull):
		d = diag.New(diag.StoreFull, "no space left to %s a record of the source", doing).
			Hinted("make room and run again; the run goes on where it stopped")
	case errors.Is(err, store.ErrPermission):
		d = diag.New(diag.NoPermission, "may not %s a record of the source", doing).
			Hinted("give this user the right to read and write there and run again")
	case errors.Is(err, store.ErrTransient):
		d = diag.New(diag.StoreUnreachable, "the store did not answer the call to %s a record of the source", doing).
			Hinted("nothing was lost; run again")
	default:
		return fmt.Errorf("%s %s: %w", doing, st.s.URL(key), err)
	}
	return d.In(diag.Place{File: st.s.URL(key)}).Because(err)
}

// create writes a record if it is absent; made is false if it was there.
func (st *State) create(ctx context.Context, key string, record any) (made bool, err error) {
	data, err := json.Marshal(record)
	if err != nil {
		return false, fmt.Errorf("encode %s: %w", key, err)
	}
	err = st.s.Create(ctx, key, append(data, '\n'))
	if errors.Is(err, store.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, st.fault("create", key, err)
	}
	return true, nil
}
