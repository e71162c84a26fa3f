package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// feedSize is how many files a racing feed has, rowsEach how many rows a file.
const (
	feedSize = 12
	rowsEach = 50
)

// deliverFeed writes files whose rows are numbered through.
func deliverFeed(t *testing.T, folder string, round int) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for f := range feedSize {
		var b strings.Builder
		b.WriteString("id,text\n")
		for r := range rowsEach {
			fmt.Fprintf(&b, "%d,row %d of file %d\n", (round*feedSize+f)*rowsEach+r, r, f)
		}
		name := filepath.Join(folder, fmt.Sprintf("round%03d_%02d.csv", round, f))
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// landfall returns a command that runs this program in a process of its own.
func landfall(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// countIDs returns how often each id stands in the table.
func countIDs(t *testing.T, table string) map[int]int {
	t.Helper()
	out, err := landfall(t, "query", "--json", "--table", table, "SELECT id, count(*) AS n FROM t GROUP BY id").Output()
	if err != nil {
		t.Fatalf("query: %v", stderrOf(err))
	}
	got := map[int]int{}
	for line := range bytes.Lines(out) {
		var row struct {
			ID, N int
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		got[row.ID] = row.N
	}
	return got
}

func stderrOf(err error) string {
	if e, ok := err.(*exec.ExitError); ok { //nolint:errorlint // Output returns it bare
		return fmt.Sprintf("%v: %s", err, e.Stderr)
	}
	return err.Error()
}

// wantIDs are the ids of all rounds so far, each once.
func wantIDs(rounds int) map[int]int {
	want := map[int]int{}
	for id := range rounds * feedSize * rowsEach {
		want[id] = 1
	}
	return want
}

// Twenty processes land one source at once; every row lands once.
func TestTwentyProcesses(t *testing.T) {
	dir := t.TempDir()
	in, table := filepath.Join(dir, "in"), filepath.Join(dir, "table")
	deliverFeed(t, in, 0)
	type end struct {
		out []byte
		err error
	}
	ends := make(chan end)
	for range 20 {
		c := landfall(t, "land", in, table, "--option", "cloudFiles.maxFilesPerTrigger=3", "--json")
		go func() {
			out, err := c.CombinedOutput()
			ends <- end{out, err}
		}()
	}
	for range 20 {
		if e := <-ends; e.err != nil {
			t.Errorf("%v: %s", e.err, e.out)
		}
	}
	if got := countIDs(t, table); !maps.Equal(got, wantIDs(1)) {
		t.Errorf("found %d ids, want %d, each once: %v", len(got), feedSize*rowsEach, odd(got))
	}
}

// odd returns the ids that are not there exactly once.
func odd(got map[int]int) map[int]int {
	wrong := map[int]int{}
	for id, n := range got {
		if n != 1 {
			wrong[id] = n
		}
	}
	return wrong
}

// The process is killed at random moments, again and again, while files keep
// coming; a last run is left alone. LANDFALL_KILLS says how often.
func TestKills(t *testing.T) {
	kills := 10
	if n, err := strconv.Atoi(os.Getenv("LANDFALL_KILLS")); err == nil {
		kills = n
	}
	dir := t.TempDir()
	in, table := filepath.Join(dir, "in"), filepath.Join(dir, "table")
	random := rand.New(rand.NewPCG(1, uint64(kills)))
	rounds, killed := 0, 0
	span := 400 * time.Millisecond
	for killed < kills {
		deliverFeed(t, in, rounds)
		rounds++
		for range 3 {
			c := landfall(t, "land", in, table, "--option", "cloudFiles.maxFilesPerTrigger=5", "--json")
			var stderr bytes.Buffer
			c.Stderr = &stderr
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(time.Duration(random.Int64N(int64(span))), func() {
				c.Process.Kill() //nolint:errcheck // it may have ended by itself
			})
			err := c.Wait()
			switch {
			case timer.Stop(), c.ProcessState.Exited():
				// It was quicker than the kill: kill earlier next time.
				span = max(span*9/10, 20*time.Millisecond)
				if err != nil {
					t.Fatalf("%v: %s", err, stderr.String())
				}
			default:
				killed++
				span = min(span*21/20, 3*time.Second)
			}
		}
	}
	if out, err := landfall(t, "land", in, table, "--json").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got := countIDs(t, table)
	if want := wantIDs(rounds); !maps.Equal(got, want) {
		t.Errorf("after %d kills in %d rounds: found %d ids, want %d, each once; odd: %v", killed, rounds, len(got), len(want), odd(got))
	}
	t.Logf("%d kills in %d rounds, %d rows: none lost, none doubled", killed, rounds, len(got))
}

// Processes that land one folder under several paths and names, at once and for
// the first time: one source lands it, the others are refused.
func TestTwinsAtOnce(t *testing.T) {
	for round := range 4 {
		dir := t.TempDir()
		in, link, table := filepath.Join(dir, "in"), filepath.Join(dir, "link"), filepath.Join(dir, "table")
		deliverFeed(t, in, 0)
		if err := os.Symlink(in, link); err != nil {
			t.Fatal(err)
		}
		var started []*exec.Cmd
		for _, args := range [][]string{{in, table}, {link, table}, {in, table, "--source", "n"}, {link, table, "--source", "m"}} {
			c := landfall(t, append([]string{"land", "--json"}, args...)...)
			var out bytes.Buffer
			c.Stdout, c.Stderr = &out, &out
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			started = append(started, c)
		}
		for _, c := range started {
			if err := c.Wait(); err != nil && !bytes.Contains(c.Stderr.(*bytes.Buffer).Bytes(), []byte("E0606")) {
				t.Errorf("round %d: %v: %v: %s", round, c.Args, err, c.Stderr)
			}
		}
		if got := countIDs(t, table); !maps.Equal(got, wantIDs(1)) {
			t.Errorf("round %d: found %d ids, want %d, each once: %v", round, len(got), feedSize*rowsEach, odd(got))
		}
	}
}
