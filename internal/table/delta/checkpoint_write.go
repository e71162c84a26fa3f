package delta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"landfall/internal/store"
	"landfall/internal/table/delta/action"
	"landfall/internal/table/delta/checkpoint"
)

// defaultCheckpointEvery is the number of versions between checkpoints of a small
// table.
const defaultCheckpointEvery = 10

// errStatsAsStruct: the table wants statistics as columns of its checkpoints.
var errStatsAsStruct = errors.New("the table sets delta.checkpoint.writeStatsAsStruct, which this program cannot do; no checkpoint is written")

// checkpointIfDue writes a checkpoint if the version is one of those that get
// one. The log is complete without it.
func (t *Table) checkpointIfDue(ctx context.Context, st *state) error {
	if st.version <= 0 || st.version%t.interval(st) != 0 {
		return nil
	}
	return t.writeCheckpoint(ctx, st)
}

// commitsPerFile is the part of a table's files that a reader of it may have to read
// as commits after a checkpoint: about what makes both cost the same.
const commitsPerFile = 32

// interval is the number of versions from one checkpoint to the next. Where the table
// does not say, it grows with the number of files: a checkpoint holds all of them, so
// that those of a table that grows file by file would cost its square.
func (t *Table) interval(st *state) int64 {
	if n, err := strconv.ParseInt(st.meta.Configuration["delta.checkpointInterval"], 10, 64); err == nil && n > 0 {
		return n
	}
	if t.o.CheckpointEvery > 0 {
		return t.o.CheckpointEvery
	}
	n := int64(defaultCheckpointEvery)
	for 2*n <= int64(st.files.size)/commitsPerFile {
		n *= 2
	}
	return n
}

// writeCheckpoint writes the state as a classic checkpoint and then the hint
// that leads to it. A checkpoint that is there already says the same.
func (t *Table) writeCheckpoint(ctx context.Context, st *state) error {
	if isTrue(st.meta.Configuration["delta.checkpoint.writeStatsAsStruct"]) {
		return errStatsAsStruct
	}
	acts := st.checkpointActions(t.o.Now())
	u, err := t.s.Upload(ctx, checkpointKey(st.version))
	if err != nil {
		return fmt.Errorf("begin the file: %w", err)
	}
	file, err := checkpoint.Write(u, acts)
	if err != nil {
		return errors.Join(err, u.Abort(ctx))
	}
	if _, err := u.Commit(ctx); errors.Is(err, store.ErrExist) {
		return nil
	} else if err != nil {
		return errors.Join(fmt.Errorf("end the file: %w", err), u.Abort(ctx))
	}
	return t.writeHint(ctx, st, int64(len(acts)), file.Size)
}

// writeHint points _last_checkpoint at a checkpoint, unless it points at a
// newer one.
func (t *Table) writeHint(ctx context.Context, st *state, size, bytes int64) error {
	if v, err := readHint(ctx, t.s); err != nil || v >= st.version {
		return err
	}
	files := int64(st.files.size)
	data, err := json.Marshal(hint{Version: st.version, Size: size, SizeInBytes: &bytes, NumOfAddFiles: &files})
	if err != nil {
		return fmt.Errorf("encode %s: %w", lastCheckpoint, err)
	}
	if err := t.s.Replace(ctx, lastCheckpoint, data); err != nil {
		return fmt.Errorf("write %s: %w", lastCheckpoint, err)
	}
	return nil
}

// checkpointActions lists what a checkpoint must hold, in an order that depends
// on the state alone. Tombstones that are older than the table keeps deleted
// files are left out.
func (st *state) checkpointActions(now time.Time) []*action.Action {
	acts := []*action.Action{{Protocol: st.protocol}, {MetaData: st.meta}}
	for _, id := range slices.Sorted(maps.Keys(st.txns)) {
		acts = append(acts, &action.Action{Txn: st.txns[id]})
	}
	for _, id := range slices.Sorted(maps.Keys(st.domains)) {
		acts = append(acts, &action.Action{DomainMetadata: st.domains[id]})
	}
	adds := slices.SortedFunc(st.files.values(), func(a, b *action.Add) int { return strings.Compare(a.Path, b.Path) })
	noStats := strings.EqualFold(st.meta.Configuration["delta.checkpoint.writeStatsAsJson"], "false")
	for _, a := range adds {
		if noStats {
			bare := *a
			bare.Stats = ""
			a = &bare
		}
		acts = append(acts, &action.Action{Add: a})
	}
	keep, ever := retention(st.meta.Configuration["delta.deletedFileRetentionDuration"])
	oldest := millis(now.Add(-keep))
	removes := slices.SortedFunc(st.tombstones.values(), func(a, b *action.Remove) int {
		return strings.Compare(a.Path+"\x00"+a.DeletionVector.ID(), b.Path+"\x00"+b.DeletionVector.ID())
	})
	for _, r := range removes {
		if ever || r.DeletionTimestamp != nil && *r.DeletionTimestamp > oldest {
			acts = append(acts, &action.Action{Remove: r})
		}
	}
	return acts
}

// week is how long deleted files are kept by default.
const week = 7 * 24 * time.Hour

// retention reads an interval such as "interval 1 week 12 hours". Of one that
// we do not understand, tombstones are kept for ever, which loses nothing.
func retention(text string) (keep time.Duration, ever bool) {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return week, false
	}
	if words[0] == "interval" {
		words = words[1:]
	}
	if len(words) == 0 || len(words)%2 != 0 {
		return 0, true
	}
	for i := 0; i < len(words); i += 2 {
		n, err := strconv.ParseInt(words[i], 10, 32)
		unit := intervalUnit(strings.TrimSuffix(words[i+1], "s"))
		if err != nil || n < 0 || unit == 0 {
			return 0, true
		}
		keep += time.Duration(n) * unit
	}
	return keep, false
}

// intervalUnit returns the length of a unit; 0 for those that have none, such
// as months.
func intervalUnit(name string) time.Duration {
	switch name {
	case "week":
		return week
	case "day":
		return 24 * time.Hour
	case "hour":
		return time.Hour
	case "minute":
		return time.Minute
	case "second":
		return time.Second
	case "millisecond":
		return time.Millisecond
	case "microsecond":
		return time.Microsecond
	}
	return 0
}
