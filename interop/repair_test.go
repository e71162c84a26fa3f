//go:build interop

package interop

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestRepair copies the folder in which everything goes wrong at once: of the copy each
// reader makes one table of one schema, called in each of its ways, and that table has
// the rows of all files.
func TestRepair(t *testing.T) {
	peers := folders(t)
	files := pool(t, peers[0])
	folder, _ := seed()[0].lay(t, files)
	out := filepath.Join(t.TempDir(), "orders")
	repair(t, folder, "--to", out, "--schema", explicitSchema+", k int")

	var found rows
	lake(t).do(t, "evaluate", args{"sql": "select k, dt::varchar dt, order_id, amount, epoch_us(order_ts) ts, channel, _rescued_data::json ->> 'amount' as rescued, _rescued_data::json ->> 'order_id' as id " +
		"from read_parquet('" + out + "/**/*.parquet', hive_partitioning = true)"}, &found)
	same(t, "DuckDB", found, cells([]string{"k", "dt", "order_id", "amount", "ts", "channel", "rescued", "id"}, repairedRows()...))

	told := predictions(t, out)
	var modes [][2]string
	for _, p := range told {
		if p.Outcome != "works" {
			t.Errorf("%s %s is said to be %s: %s", p.Call, p.Version, p.Outcome, p.Message)
		}
		call, options, _ := strings.Cut(p.Call, " ")
		if mode := [2]string{call, options}; !slices.Contains(modes, mode) {
			modes = append(modes, mode)
		}
	}
	copied, err := filepath.Glob(filepath.Join(out, "*", "*.parquet"))
	if err != nil || len(copied) == 0 {
		t.Fatalf("found %v, %v", copied, err)
	}
	for i, path := range copied {
		copied[i] = strings.TrimPrefix(path, out+"/")
	}
	var wait sync.WaitGroup
	results := make([][]was, len(peers))
	for i, p := range peers {
		wait.Go(func() {
			if err := p.try("judge", args{"folder": out, "files": copied, "modes": modes, "schema": explicitSchema}, &results[i]); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	held := slices.Concat(results...)
	for _, w := range held {
		// pandas has no integers with nulls beside them, whatever the file.
		if w.Outcome != "ok" && (w.Call != "pandas.read_parquet" || w.Outcome != "silent:rounded") {
			t.Errorf("%s %s %s: %s %s %s", w.Call, w.Options, w.Version, w.Outcome, w.Class, w.Message)
		}
	}
	if len(held) < 15 {
		t.Errorf("found %d ways of reading, want at least 15: %v", len(held), held)
	}
}

// TestRepairDelta: the copy as a table has the rows of that as a folder, by all readers.
func TestRepairDelta(t *testing.T) {
	files := pool(t, folders(t)[0])
	folder, _ := seed()[0].lay(t, files)
	dir := t.TempDir()
	repair(t, folder, "--to", filepath.Join(dir, "files"), "--schema", explicitSchema)
	repair(t, folder, "--to", filepath.Join(dir, "table"), "--schema", explicitSchema, "--format", "delta")
	var wanted rows
	lake(t).do(t, "evaluate", args{"sql": "select * replace (dt::varchar as dt) from read_parquet('" + dir + "/files/**/*.parquet', hive_partitioning = true)"}, &wanted)
	everyone(t, filepath.Join(dir, "table"), wanted)
}

// repair runs the program.
func repair(t *testing.T, arguments ...string) {
	t.Helper()
	out, err := exec.Command(must(t, shared.binary), append([]string{"repair"}, arguments...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("repair: %v\n%s", err, out)
	}
}

// repairedRows are those of the copy: what is no value of its column is rescued.
func repairedRows() [][]string {
	const first, second, at = "2026-11-01", "2026-11-02", "1793512800000000"
	return [][]string{
		{"3", first, "9007199254740993", "", at, "", "1e300", ""},
		{"50", first, "5", "5.00", at, "", "", ""},
		{"5", second, "4", "9999999999999999.99", at, "", "", ""},
		{"60", second, "", "6.50", at, "", "", "A-17"},
		{"6", second, "7", "7.25", at, "web", "", ""},
	}
}
