package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/vacuum"
)

// Sweep removes what attempts at batches of a dataset left behind that did not become part
// of its table, once it is older than keep by the store's clock: records and dropped rows of
// attempts whose batch another one landed, and data files. Records of batches that failed
// stay, for they are told; so does what a version of the table ever had. Where it cannot be
// told which attempt landed a batch, nothing is removed.
func Sweep(ctx context.Context, name string, data store.Store, t table.Table, keep time.Duration, dry bool) (vacuum.Report, error) {
	s := &sweep{Book: Book{data, t}, dry: dry, done: vacuum.Report{Source: name, Files: []string{}, DryRun: dry}}
	now, err := state.New(store.Below(data, folder+"/")).Clock(ctx)
	if err != nil {
		return s.done, err
	}
	s.before = now.Add(-keep)
	err = s.run(ctx)
	return s.done, err
}

type sweep struct {
	Book
	dry    bool
	done   vacuum.Report
	before time.Time
	// won are the ids of the attempts that landed, by the folder of their flow and batch, and
	// live those ids and the files of the table.
	won  map[string]map[int64]string
	live map[string]bool
}

func (s *sweep) run(ctx context.Context) error {
	known, err := s.winners(ctx)
	if err != nil || !known {
		return err
	}
	err = s.each(ctx, folder+"/", func(key string) bool { return s.lost(key) })
	if err != nil {
		return err
	}
	if err := s.each(ctx, "part-", s.orphan); err != nil {
		return err
	}
	if local, ok := s.Data.(store.Sweeper); ok && !s.dry {
		s.done.Temporary, err = local.SweepTemp(ctx, s.before)
	}
	return err
}

// winners finds the attempts that landed; known is false if one cannot be told.
func (s *sweep) winners(ctx context.Context) (known bool, err error) {
	s.won, s.live = map[string]map[int64]string{}, map[string]bool{}
	snap, err := s.Table.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for k := range snap.Files() {
		s.live[k.Path] = true
	}
	for _, a := range slices.Sorted(maps.Keys(snap.Txns)) {
		flow, ok := strings.CutPrefix(a, AppPrefix)
		if !ok {
			continue
		}
		won := map[int64]string{}
		for n := int64(1); n <= snap.Txns[a]; n++ {
			m, _, err := s.Winner(ctx, flow, n, snap)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrBroken) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			won[n], s.live[m.Attempt] = m.Attempt, true
		}
		s.won[KeyPart(flow)] = won
	}
	return true, nil
}

// lost reports whether a key is of an attempt that another one won, and that did not fail.
func (s *sweep) lost(key string) bool {
	parts := strings.Split(strings.TrimPrefix(key, folder+"/"), "/")
	if len(parts) != 4 || parts[1] != "attempts" || parts[3] == "failed.json" {
		return false
	}
	digits, id, _ := strings.Cut(parts[2], "-")
	batch, err := strconv.ParseInt(digits, 10, 64)
	winner, landed := s.won[parts[0]][batch]
	return err == nil && landed && winner != id
}

// DataKey is where an attempt keeps the Nth data file that it writes, from 1.
func DataKey(id string, n int) string { return fmt.Sprintf("part-%s-%d.snappy.parquet", id, n) }

// ours are such files.
var ours = regexp.MustCompile(`^part-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-[0-9]+\.snappy\.parquet$`)

// orphan reports whether a key is a data file of an attempt that did not land.
func (s *sweep) orphan(key string) bool {
	m := ours.FindStringSubmatch(key)
	return m != nil && !s.live[m[1]] && !s.live[key]
}

// each removes the old objects under a prefix that are garbage.
func (s *sweep) each(ctx context.Context, prefix string, garbage func(key string) bool) error {
	for info, err := range s.Data.List(ctx, prefix, "") {
		if err != nil {
			return err
		}
		if info.ModTime.After(s.before) || !garbage(info.Key) {
			continue
		}
		s.done.Files = append(s.done.Files, s.Data.URL(info.Key))
		s.done.Bytes += info.Size
		if s.dry {
			continue
		}
		if err := s.Data.Delete(ctx, info.Key); err != nil {
			return err
		}
	}
	return nil
}
