package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/store/fault"
)

// decidable makes a project with a column that came and one that went, and returns
// its file.
func decidable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "landfall.yaml")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(file, "version: 1\nsources:\n  orders: {path: in, table: lake}\n")
	for i, text := range []string{"id,order_total\n1,11.5\n", "id,total_amount\n2,12.5\n"} {
		write(filepath.Join(dir, "in", string(rune('a'+i))+".csv"), text)
		if code := run([]string{"land", "--project", file}, new(bytes.Buffer), os.Stderr); code != 0 {
			t.Fatalf("land: status %d", code)
		}
	}
	return file
}

// inForce tells whether the project's file has the decision, and whether the
// contract has.
func inForce(t *testing.T, file string) (written, holds bool) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "decisions.yaml"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run([]string{"schema", "diff", "orders", "2", "--project", file}, &out, os.Stderr); code != 0 {
		t.Fatalf("schema diff: status %d", code)
	}
	return strings.Contains(string(text), "to: total_amount"), strings.Contains(out.String(), "mapped")
}

// A decision whose command ends anywhere, be it by a kill, is in the project's file
// before it is in force, and in force with the next run if it is in the file.
func TestDecisionEndsAnywhere(t *testing.T) {
	d := contract.Decision{Column: "order_total", Action: contract.Map, To: "total_amount", Why: "renamed", Who: "ann"}
	for _, kind := range []fault.Kind{fault.Crash, fault.Fail, fault.Ambiguous} {
		for at, struck := 0, true; struck; at += 3 {
			file := decidable(t)
			var stores []*fault.Store
			a := &app{stdout: new(bytes.Buffer), stderr: new(bytes.Buffer), now: time.Now, newID: newID, project: file}
			a.wrap = func(s store.Store) (store.Store, error) {
				f := fault.New(s, fault.Plan{Kind: kind, At: at, Times: fault.Forever})
				stores = append(stores, f)
				return f, nil
			}
			err := a.decide(context.Background(), decideFlags{}, []string{"orders"}, d)
			struck = false
			for _, s := range stores {
				struck = struck || s.Struck()
			}
			written, holds := inForce(t, file)
			if err == nil && (!written || !holds) || holds && !written {
				t.Errorf("fault %d at call %d: in the file: %v, in force: %v after %v", kind, at, written, holds, err)
			}
			var out bytes.Buffer
			if code := run([]string{"land", "--project", file}, &out, os.Stderr); code != 0 {
				t.Fatalf("fault %d at call %d: the next run ends with %d", kind, at, code)
			}
			if after, holds := inForce(t, file); after != written || holds != written {
				t.Errorf("fault %d at call %d: after the next run in the file: %v, in force: %v, want both %v", kind, at, after, holds, written)
			}
		}
	}
}

// A decision that the standing rows refuse stops no later run, wherever its command
// ends, and leaves no file of the table behind.
func TestRefusedDecisionEndsAnywhere(t *testing.T) {
	d := contract.Decision{Column: "order_total", Action: contract.Map, To: "id", Why: "one", Who: "ann"}
	for at, struck := 0, true; struck; at += 2 {
		file := decidable(t)
		var stores []*fault.Store
		a := &app{stdout: new(bytes.Buffer), stderr: new(bytes.Buffer), now: time.Now, newID: newID, project: file}
		a.wrap = func(s store.Store) (store.Store, error) {
			f := fault.New(s, fault.Plan{Kind: fault.Crash, At: at, Times: fault.Forever})
			stores = append(stores, f)
			return f, nil
		}
		err := a.decide(t.Context(), decideFlags{}, []string{"orders"}, d)
		struck = false
		for _, s := range stores {
			struck = struck || s.Struck()
		}
		if !struck && diag.CodeOf(err) != diag.BadDecision {
			t.Errorf("found %v", err)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), "decisions.yaml")); !os.IsNotExist(err) {
			t.Errorf("call %d: the decision is written down: %v", at, err)
		}
		if files, err := filepath.Glob(filepath.Join(filepath.Dir(file), "lake", "*.parquet")); err != nil || !struck && len(files) != 2 {
			t.Errorf("found files %v, %v, want two", files, err)
		}
		if code := run([]string{"land", "--project", file}, new(bytes.Buffer), os.Stderr); code != 0 {
			t.Errorf("call %d: the next run ends with %d", at, code)
		}
	}
}

// What cannot be written down does not come into force, and what was left half
// written is in nobody's way.
func TestDecisionUnwritten(t *testing.T) {
	file := decidable(t)
	next := filepath.Join(filepath.Dir(file), "decisions.yaml.new")
	if err := os.Mkdir(next, 0o755); err != nil {
		t.Fatal(err)
	}
	decide := []string{"drift", "decide", "orders", "order_total", "--map-to", "total_amount", "--why", "renamed", "--project", file}
	if code := run(decide, new(bytes.Buffer), new(bytes.Buffer)); code != 1 {
		t.Errorf("found status %d, want 1", code)
	}
	if written, holds := inForce(t, file); written || holds {
		t.Errorf("in the file: %v, in force: %v", written, holds)
	}
	if err := os.Remove(next); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(next, []byte("version: 1\ndec"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code := run(decide, new(bytes.Buffer), os.Stderr); code != 0 {
		t.Errorf("found status %d, want 0", code)
	}
	if written, holds := inForce(t, file); !written || !holds {
		t.Errorf("in the file: %v, in force: %v", written, holds)
	}
}

// A decision that the standing rows refuse leaves the project's file as it was.
func TestDecisionTakenBack(t *testing.T) {
	file := decidable(t)
	decisions := filepath.Join(filepath.Dir(file), "decisions.yaml")
	for _, before := range []string{"", "version: 1\ndecisions: []\n"} {
		if before != "" {
			if err := os.WriteFile(decisions, []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var stderr bytes.Buffer
		decide := []string{"drift", "decide", "orders", "order_total", "--map-to", "id", "--why", "one", "--project", file}
		if code := run(decide, new(bytes.Buffer), &stderr); code == 0 || !strings.Contains(stderr.String(), "the rows that stand do not allow it") {
			t.Errorf("found status %d: %s", code, stderr.String())
		}
		text, err := os.ReadFile(decisions)
		if string(text) != before || (before == "") != os.IsNotExist(err) {
			t.Errorf("found %q, %v, want %q", text, err, before)
		}
	}
}

// Decisions that many processes take at once are all written down, and all come into
// force.
func TestDecisionsAtOnce(t *testing.T) {
	const many = 8
	file := decidable(t)
	var names []string
	for i := range many {
		names = append(names, fmt.Sprintf("c%d", i))
	}
	text := "id," + strings.Join(names, ",") + "\n3" + strings.Repeat(",1", many) + "\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "in", "many.csv"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"land", "--project", file}, new(bytes.Buffer), os.Stderr); code != 0 {
		t.Fatalf("land: status %d", code)
	}
	var g errgroup.Group
	for _, name := range names {
		g.Go(func() error {
			var stderr bytes.Buffer
			if code := run([]string{"drift", "decide", "orders", name, "--ignore", "--why", "not wanted", "--project", file}, new(bytes.Buffer), &stderr); code != 0 {
				return fmt.Errorf("%s: status %d: %s", name, code, stderr.String())
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	written, err := os.ReadFile(filepath.Join(filepath.Dir(file), "decisions.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run([]string{"schema", "diff", "orders", "3", "--project", file}, &out, os.Stderr); code != 0 {
		t.Fatalf("schema diff: status %d", code)
	}
	for _, name := range names {
		if strings.Count(string(written), "column: "+name+"\n") != 1 || !strings.Contains(out.String(), name) {
			t.Errorf("%s: found %s\nand\n%s", name, written, out.String())
		}
	}
}

// What is taken out of the file leaves what others have written since.
func TestDecisionTakenOutAlone(t *testing.T) {
	file := decidable(t)
	a := &app{stdout: new(bytes.Buffer), stderr: new(bytes.Buffer), now: time.Now, newID: newID, project: file}
	down := func(d contract.Decision) entry {
		e, err := a.writeDown(t.Context(), "orders", d)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	first := down(contract.Decision{Column: "order_total", Action: contract.Map, To: "id", Why: "a: \"b\"\n- source: c"})
	second := down(contract.Decision{Column: "total_amount", Action: contract.Carry, Why: "fine"})
	refusal := diag.New(diag.BadDecision, "the rows that stand do not allow it")
	if err := first.refused(t.Context(), refusal); err != error(refusal) { //nolint:errorlint // it is the same
		t.Errorf("found %v", err)
	}
	text, err := os.ReadFile(first.file)
	if want := "version: 1\ndecisions:\n" + string(second.item()); err != nil || string(text) != want {
		t.Errorf("found %q, %v, want %q", text, err, want)
	}
}
