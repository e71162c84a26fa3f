package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/store"
	"landfall/internal/store/fault"
)

// told is a project whose alerts go to a file.
type told struct {
	dir string
	now time.Time
	ids int
	// wrap decorates the stores of a run.
	wrap func(store.Store) (store.Store, error)
}

func newTold(t *testing.T, rule string) *told {
	p := &told{dir: t.TempDir(), now: time.Date(2026, 10, 2, 8, 0, 0, 0, time.UTC)}
	p.write(t, "landfall.yaml", "version: 1\nsources:\n  orders: {path: in, table: lake}\nalerts:\n  - "+rule+"\n")
	return p
}

func (p *told) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run executes a command in the project, and returns what it printed beside its output.
func (p *told) run(t *testing.T, args ...string) (string, error) {
	return p.with(t, "landfall.yaml", args...)
}

func (p *told) with(t *testing.T, project string, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	a := &app{stdout: &stdout, stderr: &stderr, now: func() time.Time { return p.now }, wrap: p.wrap, newID: func() string {
		p.ids++
		return fmt.Sprintf("%08d-0000-4000-8000-000000000000", p.ids)
	}}
	root := a.root()
	root.SetArgs(append(args, "--project", filepath.Join(p.dir, project)))
	err := root.ExecuteContext(t.Context())
	return stderr.String(), err
}

// letter is a line of the file of alerts.
type letter struct {
	ID, Kind, File, Text string
	Messages             []letter
}

func (p *told) letters(t *testing.T) []letter {
	data, err := os.ReadFile(filepath.Join(p.dir, "alerts.ndjson"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var all []letter
	for line := range strings.Lines(string(data)) {
		var l letter
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

// TestAlertSweep kills a run at each call to the stores of table, state and outbox,
// and runs again: what the batch met is told, at most once too often, with one id.
func TestAlertSweep(t *testing.T) {
	ends := map[string]bool{}
	for kind, step := range map[fault.Kind]int{fault.Crash: 1, fault.Fail: 5} {
		for i := 0; ; i += step {
			p := newTold(t, "{on: [rescued, quarantined], to: {file: alerts.ndjson}}")
			// What it met before it had alerts is no news.
			p.write(t, "plain.yaml", "version: 1\nsources: {orders: {path: in, table: lake}}\n")
			p.write(t, "in/a.csv", "id,n\n1,10\n")
			p.write(t, "in/a2.csv", "id,n\n1,10\n\"bad,")
			if _, err := p.with(t, "plain.yaml", "land"); err != nil {
				t.Fatal(err)
			}
			p.write(t, "in/b.csv", "id,n\n2,x\n")
			p.write(t, "in/c.csv", "id,n\n3,30\n\"bad,")
			struck := p.struck(kind, i)
			_, err := p.run(t, "land")
			p.wrap = nil
			ends[fmt.Sprint(kind, " ", err == nil)] = true
			p.now = p.now.Add(time.Hour)
			if out, err := p.run(t, "land"); err != nil {
				t.Fatalf("%v at call %d: %v: %s", kind, i, err, out)
			}
			n := map[string]int{}
			for _, l := range p.letters(t) {
				n[l.Kind+" "+l.File+" "+l.ID]++
			}
			twice := 0
			for _, times := range n {
				twice += times - 1
			}
			if len(n) != 2 || twice > 1 {
				t.Errorf("%v at call %d: found %v", kind, i, n)
			}
			if !struck() {
				break
			}
		}
	}
	if want := []string{"1 false", "1 true", "3 false", "3 true"}; !slices.Equal(slices.Sorted(maps.Keys(ends)), want) {
		t.Errorf("runs ended as %v, want some of each of %v", slices.Sorted(maps.Keys(ends)), want)
	}
}

// TestAlertDigest: a digest goes with the first run after its time, with the columns
// that were added.
func TestAlertDigest(t *testing.T) {
	p := newTold(t, "{on: rescued, digest: daily 09:00, to: {file: alerts.ndjson}}")
	land := func(name, text string) {
		t.Helper()
		p.write(t, name, text)
		if out, err := p.run(t, "land"); err != nil || out != "" {
			t.Fatalf("%v: %s", err, out)
		}
	}
	land("in/a.csv", "id,n\n1,10\n")
	land("in/b.csv", "id,n\n2,x\n")
	land("in/c.csv", "id,n,note\n3,30,new\n")
	land("in/d.csv", "id,n,note\n4,y,new\n")
	if got := p.letters(t); len(got) != 0 {
		t.Fatalf("before nine: %v", got)
	}
	p.now = p.now.Add(time.Hour)
	for range 2 {
		if out, err := p.run(t, "alert", "send"); err != nil || out != "" {
			t.Fatalf("%v: %s", err, out)
		}
	}
	got := p.letters(t)
	// Alerts come first, in the order of their files.
	if len(got) != 1 || got[0].Kind != "digest" || len(got[0].Messages) != 3 || !strings.HasPrefix(got[0].Text, "2 alerts, 1 new column\n\norders: 1 value of column n is no bigint: rescued") {
		t.Errorf("found %+v", got)
	}
}

// TestAlertLate: what comes late says so, to its target and to whom delays are told.
func TestAlertLate(t *testing.T) {
	p := newTold(t, "{on: rescued, to: {file: gone/alerts.ndjson}}\n  - {on: delayed, to: {file: alerts.ndjson}}")
	p.write(t, "in/a.csv", "id,n\n1,10\n")
	if _, err := p.run(t, "land"); err != nil {
		t.Fatal(err)
	}
	p.write(t, "in/b.csv", "id,n\n2,x\n")
	if out, err := p.run(t, "land"); err != nil || out != "alerts: 1 message waits for target file-1: the file cannot be written: no such file or directory\n" {
		t.Fatalf("%v: %s", err, out)
	}
	p.now = p.now.Add(62 * time.Minute)
	p.write(t, "gone/.keep", "")
	if out, err := p.run(t, "land"); err != nil || out != "alerts: 1 message delivered to target file-1 after 1 h 02 m\n" {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(p.dir, "gone", "alerts.ndjson"))
	if err != nil || !strings.Contains(string(data), `delivered after 1 h 02 m`) || !strings.Contains(string(data), `"delay_seconds":3720`) {
		t.Errorf("found %v, %s", err, data)
	}
	if got := p.letters(t); len(got) != 1 || got[0].Kind != "delayed" || !strings.HasPrefix(got[0].Text, "file-1: 1 message delivered after 1 h 02 m") {
		t.Errorf("found %+v", got)
	}
}

// TestAlertRace: runs at the same time tell of each batch once.
func TestAlertRace(t *testing.T) {
	p := newTold(t, "{on: rescued, to: {file: alerts.ndjson}}")
	p.write(t, "in/0.csv", "id,n\n1,10\n")
	if _, err := p.run(t, "land"); err != nil {
		t.Fatal(err)
	}
	const rounds, runs = 3, 3
	for round := range rounds {
		p.write(t, fmt.Sprintf("in/%d.csv", round+1), "id,n\n2,x\n")
		var all []*exec.Cmd
		for range runs {
			c := landfall(t, "land", "--project", filepath.Join(p.dir, "landfall.yaml"))
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		for _, c := range all {
			if err := c.Wait(); err != nil {
				t.Fatal(err)
			}
		}
	}
	n := map[string]int{}
	for _, l := range p.letters(t) {
		n[l.File]++
	}
	if want := map[string]int{"1.csv": 1, "2.csv": 1, "3.csv": 1}; !maps.Equal(n, want) {
		t.Errorf("found %v, want %v", n, want)
	}
}
