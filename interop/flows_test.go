//go:build interop

package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// typedFlow gives columns of text the types that a table can have.
const typedFlow = `source(allowSchemaDrift: true,
     validateSchema: false,
     format: 'delimited',
     columnNamesAsHeader: true,
     wildcardPaths:['*.csv']) ~> In
In select(mapColumn(
          each(match(true()), replace($$, ' ', '_') = $$)
     )) ~> Clean
Clean derive(id = toLong(byName('id')),
     small = toInteger(byName('small')),
     amount = toDecimal(byName('amount'), 18, 2),
     ratio = toDouble(byName('ratio')),
     day = toDate(byName('day')),
     ts = toTimestamp(byName('ts')),
     k = toInteger(byName('k')),
     ok = toBoolean(byName('ok'))) ~> Typed
Typed sink(allowSchemaDrift: true,
     validateSchema: false,
     format: 'FORMAT') ~> Out
`

// flowFiles are two days of a feed; the second brings a column.
func flowFiles() map[string]string {
	return map[string]string{
		"1.csv": "id,small,amount,ratio,day,ts,ok,k\n9007199254740993,1,99.90,0.5,2026-11-01,2026-11-01 10:00:00.123,true,1\n2,,,,,,,2\n",
		"2.csv": "id,small,amount,ratio,day,ts,ok,k,ship region\n3,-5,0.01,1e300,1969-12-31,1969-12-31 23:59:59,false,3,\"Zoë, \"\n",
	}
}

// runTyped runs the flow into a folder, day by day.
func runTyped(t *testing.T, format string) (out string) {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "flow.dfs")
	text := strings.Replace(typedFlow, "FORMAT", format, 1)
	if format == "delta" {
		text = strings.Replace(text, "format: 'delta'", "format: 'delta',\n     mergeSchema: true", 1)
	}
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out = filepath.Join(dir, "out")
	for _, name := range []string{"1.csv", "2.csv"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(flowFiles()[name]), 0o600); err != nil {
			t.Fatal(err)
		}
		told, err := exec.Command(must(t, shared.binary), "flow", "run", script, "--source", "In="+path, "--sink", "Out="+out).CombinedOutput()
		if err != nil {
			t.Fatalf("flow run: %v\n%s", err, told)
		}
	}
	return out
}

// typedRows are those of the flow.
func typedRows() [][]string {
	return [][]string{
		{"9007199254740993", "1", "99.90", "0.5", "2026-11-01", "1793527200123000", "true", "1", ""},
		{"2", "", "", "", "", "", "", "2", ""},
		{"3", "-5", "0.01", "1.0000000000000001e+300", "1969-12-31", "-1000000", "false", "3", "Zoë, "},
	}
}

// TestFlowDelta: the table that a flow writes has its rows by all readers, also after its
// schema grew.
func TestFlowDelta(t *testing.T) {
	out := runTyped(t, "delta")
	names := []string{"id", "small", "amount", "ratio", "day", "ts", "ok", "k", "ship_region"}
	var found rows
	lake(t).do(t, "evaluate", args{"sql": "select * replace (day::varchar as day, epoch_us(ts) as ts) from read_parquet('" + out + "/*.parquet', union_by_name = true)"}, &found)
	same(t, "DuckDB", found, cells(names, typedRows()...))
	var wanted rows
	lake(t).do(t, "evaluate", args{"sql": "select * from read_parquet('" + out + "/*.parquet', union_by_name = true)"}, &wanted)
	everyone(t, out, wanted)
}

// TestFlowFolder: the folder that a flow writes on two days is read by each reader as it is
// told to be.
func TestFlowFolder(t *testing.T) {
	peers := folders(t)
	out := runTyped(t, "parquet")
	var files []string
	found, err := filepath.Glob(filepath.Join(out, "*.parquet"))
	if err != nil || len(found) != 2 {
		t.Fatalf("found %v, %v, want two files", found, err)
	}
	for _, path := range found {
		files = append(files, filepath.Base(path))
	}
	said := map[string]string{}
	var modes [][2]string
	for _, p := range predictions(t, out) {
		call, options, _ := strings.Cut(p.Call, " ")
		said[p.Call+" "+p.Version] = p.Outcome
		if mode := [2]string{call, options}; !slices.Contains(modes, mode) {
			modes = append(modes, mode)
		}
	}
	schema := "id bigint, small int, amount decimal(18,2), ratio double, day date, ts timestamp, ok boolean, ship_region string"
	var wait sync.WaitGroup
	results := make([][]was, len(peers))
	for i, p := range peers {
		wait.Go(func() {
			if err := p.try("judge", args{"folder": out, "files": files, "modes": modes, "schema": schema}, &results[i]); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	worked := 0
	for _, w := range slices.Concat(results...) {
		if w.Outcome == "ok" {
			worked++
		}
		call := strings.TrimSpace(w.Call + " " + w.Options)
		if said[call+" "+w.Version] == "works" && w.Outcome != "ok" {
			t.Errorf("%s %s: said to work, found %s %s", call, w.Version, w.Outcome, w.Message)
		}
	}
	if worked < 5 {
		t.Errorf("found %d ways of reading that work, want at least 5: %v", worked, results)
	}
}
