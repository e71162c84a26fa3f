package land_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/local"
)

// heldAt tells a copy of the test program to land as a process of its own, in
// which folder, and before which call to hold.
const heldAt = "LANDFALL_HELD_AT"

func TestMain(m *testing.M) {
	if at := os.Getenv(heldAt); at != "" {
		if err := hold(context.Background(), at); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if err := seeded(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	debug.SetGCPercent(400) // sweeps make much that is forgotten at once
	os.Exit(m.Run())
}

// seeded makes random cases the same each time, unless a seed is given, so that a
// change is to blame for what fails, and few under the race detector; make fuzz looks
// for new ones.
func seeded() error {
	flag.Parse()
	defaults := map[string]string{"rapid.seed": "2", "rapid.checks": checks}
	flag.Visit(func(f *flag.Flag) { delete(defaults, f.Name) })
	for name, value := range defaults {
		if value == "" {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// hold lands, and stands still before one call until a byte comes in: it says
// "held" when it does, and nothing if there is no such call.
func hold(ctx context.Context, at string) error {
	call, dir, _ := strings.Cut(at, ":")
	i, err := strconv.Atoi(call)
	if err != nil {
		return err
	}
	p, err := localProcess("first-", dir)
	if err != nil {
		return err
	}
	p.data = fault.New(p.data, fault.Plan{At: i, Before: func() {
		fmt.Println("held")
		_, _ = os.Stdin.Read(make([]byte, 1)) // an end of the pipe is a release, too
	}})
	_, err = p.land(ctx)
	return err
}

// localProcess is a process over folders below dir.
func localProcess(name, dir string) (process, error) {
	p := process{scene: scenes()["single files"], name: name}
	var err error
	if p.files, err = open(dir + "/in"); err == nil {
		p.data, err = open(dir + "/table")
	}
	return p, err
}

func open(dir string) (store.Store, error) { return local.Open(dir) }

// Two processes: one is held before each of its calls while another lands to
// the end; then it is released, or killed, and a third lands after it.
func TestSweepProcesses(t *testing.T) {
	for _, kill := range []bool{false, true} {
		t.Run(fmt.Sprintf("kill %v", kill), func(t *testing.T) {
			t.Parallel()
			sweepLocal(t, min(stride, 3), func(dir string, i int) (bool, error) {
				return holdAnd(t, dir, i, kill, func() error {
					p, err := localProcess("second-", dir)
					if err == nil {
						_, err = p.land(t.Context())
					}
					return err
				})
			})
		})
	}
}

// Single faults over folders of the file system.
func TestSweepLocal(t *testing.T) {
	for name, plans := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sweepLocal(t, 2*stride, func(dir string, i int) (bool, error) {
				p, err := localProcess("first-", dir)
				if err != nil {
					return false, err
				}
				data := fault.New(p.data, plans(i)...)
				p.data = data
				if _, err := p.land(t.Context()); err != nil && !expected(err) {
					return true, err
				}
				return data.Struck(), nil
			})
		})
	}
}

// sweepLocal plays the feed in folders of their own. On the third day a process
// meets trouble at call 0, step, 2·step …, until there is none; then another
// lands.
func sweepLocal(t *testing.T, step int, meet func(dir string, i int) (struck bool, err error)) {
	t.Helper()
	for i := 0; ; i += step {
		struck, err := playLocal(t, i, meet)
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		if !struck {
			return
		}
	}
}

func playLocal(t *testing.T, i int, meet func(dir string, i int) (bool, error)) (struck bool, err error) {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	p, err := localProcess("", dir)
	if err != nil {
		return false, err
	}
	want := map[string]map[string]int{}
	for n, d := range feed() {
		for name, text := range d.files {
			if err := p.files.Replace(ctx, name, []byte(text)); err != nil {
				return struck, err
			}
			want[name] = ids(text)
		}
		if n == 2 {
			if struck, err = meet(dir, i); err != nil {
				return struck, err
			}
		}
		p.name = fmt.Sprintf("day%d-", n)
		if _, err := p.land(ctx); err != nil {
			return struck, fmt.Errorf("day %d: %w", n+1, err)
		}
		got, err := rows(ctx, p.files, p.data)
		if err != nil {
			return struck, err
		}
		for name := range want {
			if !maps.Equal(got[name], want[name]) {
				return struck, fmt.Errorf("day %d: %s: found %v, want %v", n+1, name, got[name], want[name])
			}
		}
	}
	return struck, nil
}

// holdAnd starts the other process, does something while it is held, and waits
// for its end.
func holdAnd(t *testing.T, dir string, i int, kill bool, do func() error) (held bool, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%d:%s", heldAt, i, dir))
	var complaint strings.Builder
	c.Stderr = &complaint
	out, err := c.StdoutPipe()
	if err != nil {
		return false, err
	}
	in, err := c.StdinPipe()
	if err != nil {
		return false, err
	}
	if err := c.Start(); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if held = line == "held\n"; held {
		if err := do(); err != nil {
			return held, fmt.Errorf("while the other is held: %w", err)
		}
	}
	if held && kill {
		err = c.Process.Kill()
	} else {
		err = in.Close()
	}
	if err != nil {
		return held, err
	}
	if err := c.Wait(); err != nil && (!held || !kill) {
		return held, fmt.Errorf("%w: %s", err, complaint.String())
	}
	return held, nil
}
