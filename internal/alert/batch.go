package alert

import (
	"strconv"
	"strings"
	"time"

	"landfall/internal/event"
)

// Batch is what a landed batch met.
type Batch struct {
	Source, Table string
	Number        int64
	Time          time.Time
	// First says that the batch brought the first contract: its columns are no drift.
	First bool
	Drift []event.Drift
	// Aside are the first records and files that were kept out.
	Aside []event.Quarantined
	// Version tells two contents of a file apart, "" if it is not known.
	Version func(file string) string
	// Decidable tells kinds of drift that people decide about column by column.
	Decidable func(event.Kind) bool
}

// Messages derives what there is to tell of a batch: one message for each kind of
// drift and column that was rescued, kept out or replaced, with the place where it
// was met first. Of the same batch they are always the same.
func (b Batch) Messages() []Message {
	g := grouping{batch: b, at: map[cause]int{}, files: map[cause]map[string]bool{}, kinds: map[Kind]int{}}
	covered := map[string]bool{}
	for _, d := range b.Drift {
		kind := b.kindOf(d)
		if kind == "" {
			continue
		}
		if kind == Quarantined {
			covered[d.File] = true
		}
		g.add(cause{kind, string(d.Kind), d.Column}, b.drifted(kind, d))
	}
	for _, q := range b.Aside {
		if !covered[q.Path] {
			g.add(cause{Quarantined, q.Code, ""}, b.aside(q))
		}
	}
	return g.all
}

// kindOf says what drift is to a person, "" for nothing to tell.
func (b Batch) kindOf(d event.Drift) Kind {
	switch {
	case d.Kind == event.FileRewritten && (d.Decision == "replace" || d.Decision == "skip" || d.Decision == "append"):
		return Rewritten
	case d.Decision == "rescue" || d.Kind == event.PartitionClash && d.Decision == "path":
		return Rescued
	case strings.Contains(d.Decision, "quarantine"):
		return Quarantined
	case d.Kind == event.ColumnAdded && !b.First && (d.Decision == "add" || d.Decision == "adopt"):
		return ColumnAdded
	}
	return ""
}

// drifted is the message of one event.
func (b Batch) drifted(kind Kind, d event.Drift) Message {
	m := Message{
		Kind: kind, Source: b.Source, Table: b.Table, What: string(d.Kind), Column: d.Column,
		File: d.File, Record: d.Record, Line: d.Line, Count: d.Count, Sample: cut(d.Sample, longest),
		Decision: d.Decision, Command: b.command(kind, d), Time: b.Time,
	}
	switch {
	case kind == ColumnAdded, d.Kind == event.TypeConflict, d.Kind == event.TypeWider, d.Kind == event.ValueMisfit:
		m.Wanted = d.To
	default:
		m.Reason = cut(d.To, longest)
	}
	if kind == Quarantined {
		b.first(&m)
	}
	return m
}

// first adds the record that was kept out first, if it is among those at hand.
func (b Batch) first(m *Message) {
	for _, q := range b.Aside {
		if q.Path != m.File || q.Record != m.Record {
			continue
		}
		if m.Line = q.Line; m.Sample == "" {
			m.Sample = cut(strings.TrimRight(string(q.Bytes), "\r\n"), longest)
		}
		m.Reason = cut(q.Reason, longest)
		return
	}
}

// aside is the message of a record that no drift tells of.
func (b Batch) aside(q event.Quarantined) Message {
	return Message{
		Kind: Quarantined, Source: b.Source, Table: b.Table, What: q.Code, File: q.Path, Record: q.Record, Line: q.Line,
		Count: 1, Sample: cut(strings.TrimRight(string(q.Bytes), "\r\n"), longest), Reason: cut(q.Reason, longest),
		Decision: "quarantine", Command: "landfall files " + b.Source + " --quarantined", Time: b.Time,
	}
}

// command is what leads on.
func (b Batch) command(kind Kind, d event.Drift) string {
	source := b.Source
	switch {
	case kind == Rewritten:
		return "set policy file_rewritten of " + source + " (replace, skip, append, fail), then landfall land " + source
	case kind == Quarantined:
		return "landfall files " + source + " --quarantined"
	case d.Column != "" && b.Decidable != nil && b.Decidable(d.Kind):
		return "landfall drift show " + source + " " + shellWord(d.Column)
	}
	return "landfall events " + source
}

// shellWord writes an argument such that a shell takes it for one.
func shellWord(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.:/", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(line(arg), "'", `'\''`) + "'"
}

// cause is what makes several events one message.
type cause struct {
	kind         Kind
	what, column string
}

// most is how many messages of a kind a batch has: a file of a thousand columns is
// no reason for a thousand.
const most = 50

// others stands for the drift of the columns beyond that.
const others = "other columns"

// grouping makes one message of the events of a cause.
type grouping struct {
	batch Batch
	all   []Message
	at    map[cause]int
	files map[cause]map[string]bool
	kinds map[Kind]int
}

// add adds what an event says. The first decides who the message is.
func (g *grouping) add(c cause, m Message) {
	i, known := g.at[c]
	if !known && g.kinds[c.kind] >= most {
		c = cause{c.kind, others, ""}
		m.What, m.Column, m.Wanted, m.Reason, m.Command = others, "", "", "", "landfall events "+m.Source
		i, known = g.at[c]
	}
	if !known {
		g.kinds[c.kind]++
		version := ""
		if m.File != "" && g.batch.Version != nil {
			version = g.batch.Version(m.File)
		}
		if m.File == "" && m.Kind != ColumnAdded {
			version = strconv.FormatInt(g.batch.Number, 10)
		}
		m.ID = ID(m.Kind, m.Source, c.what, m.Column, m.File, version)
		g.at[c], g.files[c] = len(g.all), map[string]bool{m.File: true}
		g.all = append(g.all, m)
		return
	}
	g.all[i].Count += m.Count
	if m.File != "" && !g.files[c][m.File] {
		g.files[c][m.File] = true
		g.all[i].MoreFiles++
	}
}
