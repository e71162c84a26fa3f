package repair

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"landfall/internal/discovery"
	"landfall/internal/event"
	"landfall/internal/format"
	"landfall/internal/land"
	"landfall/internal/lineage"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
)

// stateFolder holds the memory of the landing that a copy is.
const stateFolder = "_landfall/source/"

// rounds is how often the source may change while it is copied.
const rounds = 5

// takes tells whether a file is one to be copied.
func takes(name string) (ok bool, reason string) {
	switch found := format.ByName(name); found {
	case "parquet":
		return true, ""
	case "":
		return false, format.Unnamed(name)
	default:
		return false, "it is " + found + ", and Parquet files are copied"
	}
}

// land lands what is in the source now in the stage, and lists what came of it.
func (j *Job) land(ctx context.Context, p *plan) (*manifest, error) {
	stage := j.landed(p)
	src := land.Source{
		Name: "repair", Args: j.Args, Files: j.Files, Data: stage, Table: j.Table(stage),
		State: state.New(store.Below(stage, strings.TrimSuffix(stateFolder, "/"))), StateKey: stateFolder,
		Format: "parquet", Typed: true, Decode: j.Decode, Policy: j.Want.policy(p.Folders),
		Select: discovery.Selection{Takes: takes}, PartitionBy: p.kept(),
		// At once, so that types are those of all files, whichever come first.
		Limits: land.Limits{Files: math.MaxInt, Rewrite: math.MaxInt64},
		Digest: "repair " + p.id,
	}
	env := land.Env{Now: j.Now, NewID: j.NewID, Workers: j.Workers, Progress: j.Progress}
	for range rounds {
		if err := j.fresh(ctx, src); err != nil {
			return nil, err
		}
		r, err := land.Run(ctx, src, env)
		if changed, cerr := j.stale(ctx, src); cerr != nil || changed {
			if cerr != nil {
				return nil, cerr
			}
			continue
		}
		if err != nil {
			return nil, j.fault(err)
		}
		if len(r.Batches) == 0 && len(r.Deferred) == 0 {
			return j.list(ctx, p, src, r)
		}
	}
	return nil, j.busy(p)
}

// fresh begins anew if files that landed are gone, or are others now: a copy is of the
// source at one moment.
func (j *Job) fresh(ctx context.Context, src land.Source) error {
	stale, err := j.stale(ctx, src)
	if err != nil || !stale {
		return err
	}
	return j.fault(removeAll(ctx, src.Data))
}

// removeAll deletes all that is in a store.
func removeAll(ctx context.Context, s store.Store) error {
	var keys []string
	for info, err := range s.List(ctx, "", "") {
		if err != nil {
			return err
		}
		keys = append(keys, info.Key)
	}
	for _, key := range keys {
		if err := s.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// stale tells whether files that landed are gone, or are others now.
func (j *Job) stale(ctx context.Context, src land.Source) (bool, error) {
	versions := map[string]string{}
	for e, err := range src.State.Known(ctx) {
		if err != nil {
			return false, err
		}
		if e.Landed > 0 {
			versions[e.Path] = e.Version
		}
	}
	for info, err := range src.Files.List(ctx, "", "") {
		if err != nil {
			return false, err
		}
		if version, ok := versions[info.Key]; ok && version != info.Version {
			return true, nil
		}
		delete(versions, info.Key)
	}
	return len(versions) > 0, nil
}

// kept are the folders of the source that the copy keeps.
func (p *plan) kept() []string {
	if p.Divided {
		return nil
	}
	return p.PartitionBy
}

// list is what is in the stage.
func (j *Job) list(ctx context.Context, p *plan, src land.Source, r land.Report) (*manifest, error) {
	m := &manifest{
		Format: recordsFormat, ID: j.NewID(), Plan: p.id, Source: p.Source, Out: p.Out, Form: p.Form, At: j.Now().UTC(),
		Schema: p.Schema, PartitionBy: p.PartitionBy, Folders: p.Folders, Rescue: src.Policy.RescueColumn(),
		Objects: []object{}, Files: []dataFile{}, LeftOut: []LeftOut{}, Told: []Told{}, Columns: []Column{},
	}
	at := map[string]int{}
	for e, err := range src.State.Known(ctx) {
		if err != nil {
			return nil, err
		}
		m.known(e, at)
	}
	for _, s := range r.Skipped {
		m.LeftOut = append(m.LeftOut, LeftOut{Path: s.Path, Reason: s.Reason})
	}
	if err := m.tell(ctx, src.State); err != nil {
		return nil, err
	}
	if r.Contract != nil {
		for _, c := range r.Contract.Columns {
			if c.Type == "void" {
				m.Told = append(m.Told, Told{Kind: "column_empty", Column: c.Original})
			}
			if !c.Retired && c.Type != "void" {
				m.Columns = append(m.Columns, Column{Name: c.Name, Original: c.Original, K: c.K, Type: c.Type, Nested: c.Nested})
			}
		}
	}
	snap, err := src.Table.Snapshot(ctx)
	if err != nil {
		return nil, j.fault(err)
	}
	return m, m.lead(ctx, src.State, snap, at)
}

// tell takes what the landing told of columns that is no difference of types.
func (m *manifest) tell(ctx context.Context, st *state.State) error {
	at := map[Told]int{}
	for mark, err := range st.Marks(ctx) {
		if err != nil {
			return err
		}
		a, err := st.Attempt(ctx, mark.Batch, mark.Attempt)
		if err != nil {
			return err
		}
		for _, d := range a.Drift {
			key := Told{Kind: string(d.Kind), Column: d.Column}
			switch d.Kind {
			case event.NameCleaned:
				key.To = d.To
			case event.ZoneAssumed, event.ValueTruncated, event.CalendarRebased:
			default:
				continue
			}
			i, met := at[key]
			if !met {
				i, at[key] = len(m.Told), len(m.Told)
				m.Told = append(m.Told, key)
			}
			m.Told[i].Count += d.Count
		}
	}
	return nil
}

// known takes what became of a file of the source.
func (m *manifest) known(e state.Entry, at map[string]int) {
	switch {
	case e.Landed > 0 && e.Fate == state.Landed:
		at[e.Path] = len(m.Objects)
		m.Objects = append(m.Objects, object{Path: e.Path, Version: e.Version, Size: e.Size, Hash: e.Hash, Rows: e.Rows, Breaks: e.Held > 0})
		if e.Held > 0 {
			m.LeftOut = append(m.LeftOut, LeftOut{Path: e.Path, Code: e.Code, Reason: e.Reason, Bytes: e.Size, From: e.Rows + 1})
		}
	case e.Fate == state.Superseded:
	default:
		m.LeftOut = append(m.LeftOut, LeftOut{Path: e.Path, Code: e.Code, Reason: e.Reason, Bytes: e.Size, Version: e.Version})
	}
}

// lead leads the rows of the copy's files to those of the source.
func (m *manifest) lead(ctx context.Context, st *state.State, snap *table.Snapshot, at map[string]int) error {
	files := slices.SortedFunc(maps.Values(snap.Files()), func(a, b table.File) int { return strings.Compare(a.Path, b.Path) })
	paths := make([]string, 0, len(files))
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	lines, err := lineage.Find(ctx, st, paths)
	if err != nil {
		return err
	}
	for _, f := range files {
		line, ok := lines[f.Path]
		if !ok || f.DV != nil {
			return fmt.Errorf("data file %s is not on record", f.Path)
		}
		d := dataFile{Path: f.Path, Size: f.Size, Rows: f.Rows, Partition: f.Partition}
		for _, r := range line.Runs {
			o := line.Attempt.Outcomes[r.Object].Path
			i, ok := at[o]
			if !ok {
				return fmt.Errorf("data file %s has rows of %s, which is not on record", f.Path, o)
			}
			d.Runs = append(d.Runs, run{i, r.First, r.Rows})
		}
		m.Files = append(m.Files, d)
	}
	return nil
}

// fault names the faults of the place that a person can mend; nil stays nil.
func (j *Job) fault(err error) error { return table.Fault(j.Place.Records().URL(""), err) }
