package land_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/land"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/vacuum"
)

// crashes runs a process that dies with the first call that matches.
func (l *landed) crashes(match func(fault.Call) bool) {
	l.t.Helper()
	p := l.next()
	p.data = fault.New(l.data, fault.Plan{Kind: fault.Crash, Match: match})
	if _, err := p.land(l.t.Context()); !errors.Is(err, fault.ErrCrashed) {
		l.t.Fatal(err)
	}
}

func creating(part string) func(fault.Call) bool {
	return func(c fault.Call) bool { return c.Op == fault.Create && strings.Contains(c.Key, part) }
}

// dataFiles are the data files that lie in the table's folder.
func (l *landed) dataFiles() []string {
	return slices.DeleteFunc(l.data.Keys(), func(key string) bool { return !strings.HasPrefix(key, "part-") })
}

// garbage is what a vacuum looks at.
func (p process) garbage() vacuum.Source {
	s := p.source()
	return vacuum.Source{Name: s.Name, Data: s.Data, Table: s.Table, State: s.State}
}

// vacuums removes all that is garbage, however young.
func (l *landed) vacuums() vacuum.Report {
	l.t.Helper()
	v, err := vacuum.Run(l.t.Context(), l.next().garbage(), -time.Hour, false)
	ok(l.t, err)
	ok(l.t, l.check(l.t.Context()))
	return v
}

// What dead attempts left goes, once their batch has a mark and they are old
// enough; a dry run removes nothing.
func TestVacuum(t *testing.T) {
	l := afterDays(t, 1, scene{})
	l.day(1)
	before := len(l.dataFiles())
	l.crashes(creating("attempt.json"))
	garbage := len(l.dataFiles()) - before
	src := l.next().garbage()
	open, err := vacuum.Run(t.Context(), src, -time.Hour, false)
	ok(t, err)
	if len(open.Files) != 0 {
		t.Errorf("removed %v of a batch that has no mark", open.Files)
	}
	l.lands()
	young, err := vacuum.Run(t.Context(), src, vacuum.Keep, false)
	ok(t, err)
	dry, err := vacuum.Run(t.Context(), src, -time.Hour, true)
	ok(t, err)
	if len(young.Files) != 0 || len(dry.Files) != garbage+2 || !dry.DryRun {
		t.Errorf("found %v and %v, want nothing that is young, and %d data files and two records in a dry run", young.Files, dry.Files, garbage)
	}
	left := len(l.dataFiles()) - garbage
	v := l.vacuums()
	if !slices.Equal(v.Files, dry.Files) || v.Bytes != dry.Bytes || len(l.dataFiles()) != left {
		t.Errorf("removed %v, said before that it would be %v; %v are left", v.Files, dry.Files, l.dataFiles())
	}
	l.day(2)
	l.lands()
}

// A reset gave up a batch that nobody could read the record of, but the table
// holds it: its files are the table's.
func TestVacuumSparesTheTable(t *testing.T) {
	l := afterDays(t, 1, scene{})
	l.day(1)
	l.crashes(func(c fault.Call) bool { return c.Op == fault.Create && strings.Contains(c.Key, "_delta_log/") })
	l.drop(func(key string) bool { return strings.Contains(key, "attempts/00000002") })
	l.refused(l.next(), diag.StateBroken, "attempts/00000002")
	l.resets(land.ResetKeep)
	l.vacuums()
	l.put("c.csv", "id\nc7\n", ids("id\nc1\nc2\n"))
	l.lands() // whose old rows nobody accounts for
}

// A reset gave up a batch that never landed: what it left goes.
func TestVacuumAfterReset(t *testing.T) {
	l := afterDays(t, 1, scene{})
	before := len(l.dataFiles())
	l.day(1)
	l.crashes(creating("attempt.json"))
	l.want["c.csv"] = nil
	l.resets(land.ResetKeep)
	l.vacuums()
	if n := len(l.dataFiles()); n != before {
		t.Errorf("found %v, want what is live alone", l.dataFiles())
	}
}

// A table that cannot be read tells nothing of its files: none is removed.
func TestVacuumNeedsTheTable(t *testing.T) {
	l := afterDays(t, 1, scene{})
	l.day(1)
	l.crashes(creating("attempt.json"))
	l.lands()
	left := l.dataFiles()
	p := l.next()
	p.data = fault.New(l.data, fault.Plan{Kind: fault.Fail, Err: store.ErrPermission, Times: fault.Forever, Match: func(c fault.Call) bool { return strings.HasPrefix(c.Key, "_delta_log") }})
	if _, err := vacuum.Run(t.Context(), p.garbage(), -time.Hour, false); diag.CodeOf(err) != diag.NoPermission {
		t.Errorf("found %v, want %s", err, diag.NoPermission)
	}
	if !slices.Equal(l.dataFiles(), left) {
		t.Errorf("found %v, want %v", l.dataFiles(), left)
	}
}
