package state

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// Met is drift of one column and kind over the batches of a source. Its JSON keys
// are those of `landfall drift list`.
type Met struct {
	Source string `json:"source"`
	// ID tells it from all other drift of the source, whatever comes later.
	ID     string     `json:"id"`
	Kind   event.Kind `json:"kind"`
	Column string     `json:"column"`
	From   string     `json:"from,omitempty"`
	To     string     `json:"to,omitempty"`
	// Count is the number of values, records or files concerned, Events that of
	// the events.
	Count  int64 `json:"count"`
	Events int64 `json:"events"`
	// First and Last say where it was met.
	First Sighting `json:"first"`
	Last  Sighting `json:"last"`
	// Done is what was done at last, and Policy what decided that.
	Done   string `json:"decision"`
	Policy string `json:"policy"`
	// Status is "decided", "open", or "settled": a policy keeps all, or what was
	// outside its column has landed since.
	Status string `json:"status"`
	// Decided is the decision that answers it, nil for none.
	Decided *contract.Decision `json:"decided,omitempty"`
}

// Sighting is where drift was met.
type Sighting struct {
	File   string    `json:"file,omitempty"`
	Record int64     `json:"record,omitempty"`
	Line   int64     `json:"line,omitempty"`
	Batch  int64     `json:"batch"`
	At     time.Time `json:"at"`
}

// The statuses of drift.
const (
	Open      = "open"
	IsDecided = "decided"
	Settled   = "settled"
)

// Decisions returns the decisions that are in force, in the order in which they
// were taken. They stand in the contract: what is decided and what follows from it
// are one record.
func (st *State) Decisions(ctx context.Context) ([]contract.Decision, error) {
	m, ok, err := st.LastMark(ctx)
	if err != nil || !ok {
		return nil, err
	}
	v, err := st.Contract(ctx, m)
	return v.Decisions, err
}

// Drift lists the drift of columns that people may decide about, in the order in
// which it was met first. That the first landing brings columns is none. source is
// the source's name.
func (st *State) Drift(ctx context.Context, source string) ([]Met, error) {
	all := gathering{source: source, at: make(map[string]int)}
	var last contract.Version
	for m, err := range st.Marks(ctx) {
		if err != nil {
			return nil, err
		}
		if m.Kind == KindVoid {
			continue
		}
		a, err := st.Attempt(ctx, m.Batch, m.Attempt)
		if err != nil {
			return nil, err
		}
		for _, d := range a.Drift {
			if d.Kind != event.ColumnAdded || len(last.Columns) > 0 {
				all.add(m, d)
			}
		}
		last = a.Contract
	}
	open, err := all.outside.still(ctx, st, all.met, last)
	if err != nil {
		return nil, err
	}
	for i := range all.met {
		all.met[i].settle(last, open[i])
	}
	return all.met, nil
}

// DriftID is the id of drift. Of renamings the new name is part of it: a column
// may have been renamed more than once.
func DriftID(source string, d event.Drift) string {
	const digits = 6
	parts := []string{source, string(d.Kind), schema.Fold(d.Column)}
	if d.Kind == event.ColumnRenamed {
		parts = append(parts, schema.Fold(d.To))
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])[:digits]
}

// Decidable reports whether people may decide about drift of a kind.
func Decidable(k event.Kind) bool {
	switch k {
	case event.ColumnAdded, event.ColumnMissing, event.ColumnRenamed, event.TypeWider,
		event.TypeConflict, event.ValueMisfit, event.HintHeld:
		return true
	}
	return false
}

// gathering gathers events.
type gathering struct {
	source  string
	met     []Met
	at      map[string]int
	outside outside
}

func (g *gathering) add(m Mark, d event.Drift) {
	if !Decidable(d.Kind) || d.Column == "" {
		return
	}
	id := DriftID(g.source, d)
	here := Sighting{File: d.File, Record: d.Record, Line: d.Line, Batch: m.Batch, At: m.At}
	i, known := g.at[id]
	if !known {
		i = len(g.met)
		g.at[id] = i
		g.met = append(g.met, Met{Source: g.source, ID: id, Kind: d.Kind, Column: d.Column, First: here})
	}
	g.outside.add(i, m, d)
	x := &g.met[i]
	x.Count += max(d.Count, 1)
	x.Events++
	x.Last, x.Done, x.Policy = here, d.Decision, d.Policy
	if d.From != "" || x.From == "" { // what has no from tells the type that values did not fit
		x.From, x.To = d.From, cmp.Or(d.To, x.To)
	}
}

// settle finds out whether anybody has to decide: open tells that values are outside
// their column, v is the contract in force.
func (x *Met) settle(v contract.Version, open bool) {
	x.Status = Settled
	switch {
	case x.Kind == event.ColumnMissing: // the rows have all that the files have
	case open, x.Kind == event.ColumnRenamed, x.Done == "hold" && x.Kind != event.ColumnAdded && x.held(v):
		x.Status = Open
	}
	if i := slices.IndexFunc(v.Decisions, x.answered); i >= 0 {
		d := v.Decisions[i]
		x.Status, x.Decided = IsDecided, &d
	}
}

// answered reports whether a decision answers the drift: one on its column, or one
// that mapped a column to it.
func (x *Met) answered(d contract.Decision) bool {
	if d.Drift != "" {
		return d.Drift == x.ID
	}
	if d.Action == contract.Carry && d.At.Before(x.First.At) {
		return false // what has come since is another matter
	}
	switch {
	case schema.Fold(d.Column) == schema.Fold(x.Column):
		return true
	case d.Action != contract.Map || schema.Fold(d.To) != schema.Fold(x.Column):
		return false
	}
	return x.Kind == event.ColumnAdded || x.Kind == event.ColumnMissing ||
		x.Kind == event.ColumnRenamed && schema.Fold(x.To) == schema.Fold(d.Column)
}
