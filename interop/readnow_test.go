//go:build interop

package interop

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// program returns what --read-now prints.
func program(t *testing.T, folder, reader string, more ...string) string {
	t.Helper()
	c := exec.Command(must(t, shared.binary), append([]string{"inspect", folder, "--read-now", reader}, more...)...)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, said.String())
	}
	return string(out)
}

// groupsOf returns the groups of a folder, and the first file of each.
func groupsOf(t *testing.T, folder string) (ids []int, examples map[int]string) {
	t.Helper()
	out, err := exec.Command(must(t, shared.binary), "inspect", folder, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Groups []struct {
			ID      int
			Example string
		}
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	examples = map[int]string{}
	for _, g := range r.Groups {
		ids = append(ids, g.ID)
		examples[g.ID] = g.Example
	}
	return ids, examples
}

// runAll runs the programs for a folder in all readers, and holds what they read
// against what each file says by itself.
func runAll(t *testing.T, peers []*peer, folder string, files []string, more ...string) {
	t.Helper()
	var want rows
	peers[2].do(t, "plain", args{"folder": folder, "files": files}, &want)
	runs := []struct {
		peer   *peer
		reader string
	}{{peers[0], "spark"}, {peers[1], "spark"}, {peers[2], "pyarrow"}, {peers[2], "duckdb"}, {peers[2], "polars"}}
	var wait sync.WaitGroup
	for _, r := range runs {
		text := program(t, folder, r.reader, more...)
		wait.Go(func() {
			var got rows
			if err := r.peer.try("run", args{"reader": r.reader, "program": text}, &got); err != nil {
				t.Errorf("%s %s: %v\n%s", r.peer.name, r.reader, err, text)
				return
			}
			same(t, r.peer.name+" "+r.reader, got.level(), want.level())
		})
	}
	wait.Wait()
}

// level takes out what readers may say in different ways: the zone of instants, of
// which an INT96 says nothing, and maps, which Polars has as lists of key and value.
func (r rows) level() rows {
	out := rows{Columns: r.Columns}
	zone := regexp.MustCompile(`(T\d\d:\d\d:\d\d\.\d{6})Z"`)
	entry := regexp.MustCompile(`\{"map": ?\[\[("[^"]*"), ?("[^"]*")\]\]\}`)
	for _, row := range r.Rows {
		line := make([]json.RawMessage, len(row))
		for i, cell := range row {
			line[i] = entry.ReplaceAll(zone.ReplaceAll(cell, []byte(`$1"`)), []byte(`[{"struct":[["key",$1],["value",$2]]}]`))
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// TestReadNow runs the programs for each group of the folder in which everything goes
// wrong.
func TestReadNow(t *testing.T) {
	peers := folders(t)
	folder, _ := seed()[0].lay(t, pool(t, peers[0]))
	ids, examples := groupsOf(t, folder)
	if len(ids) != 5 {
		t.Fatalf("found groups %v, wanted 5", ids)
	}
	for _, id := range ids {
		runAll(t, peers, folder, []string{examples[id]}, "--group", fmt.Sprint(id))
	}
}

// TestReadNowOddNames reads files, folders and columns whose names mean something in
// the languages of the programs.
func TestReadNowOddNames(t *testing.T) {
	peers := folders(t)
	folder := filepath.Join(t.TempDir(), "it's a=1 [x] {é} \"q\"")
	names := []string{"a b.parquet", "it's [x]*?.parquet", "{a,b}#%41.parquet", "é\"q\".parquet"}
	var files []string
	for i, name := range names {
		path := fmt.Sprintf("p=%d/%s", i%2, name)
		files = append(files, path)
		writeFile(t, filepath.Join(folder, path), fmt.Sprintf("select %d::int \"k\", 'x' \"it's \"\"q\"\"\", 1 \"a`b\", 2 \"c.d\\e\", {'f g': 3} \"#s\"", i))
	}
	writeFile(t, filepath.Join(folder, "p=1/other\nline.parquet"), "select 1 k")
	slices.Sort(files)
	runAll(t, peers, folder, files)
}

// TestReadNowTypes reads a column of each type that all the readers know, in files of
// which some have their columns in another order.
func TestReadNowTypes(t *testing.T) {
	peers := folders(t)
	folder := filepath.Join(t.TempDir(), "types")
	columns := []string{
		"true b", "1::tinyint i8", "2::smallint i16", "3::int i32", "4::bigint i64", "5::utinyint u8", "6::usmallint u16", "7::uinteger u32",
		"18446744073709551615::ubigint u64", "1.5::float f", "0.1::double d", "1.25::decimal(9,2) d9", "1.25::decimal(18,4) d18",
		"1.25::decimal(38,10) d38", "'x' s", "'\\xAA'::blob bin", "date '2026-11-01' dy", "timestamp '2026-11-01 06:00:00.123456' ntz",
		"timestamptz '2026-11-01 06:00:00.123456+00' tz", "[1, null]::int[] l", "map {'a': 1} m", "{'a': 1, 'b': ['x']} st", "[{'a': {'b': 1}}] deep",
	}
	var files []string
	for i := range 2 {
		files = append(files, fmt.Sprintf("%d.parquet", i))
		writeFile(t, filepath.Join(folder, files[i]), fmt.Sprintf("select %d k, %s", i, strings.Join(columns, ", ")))
		slices.Reverse(columns)
	}
	runAll(t, peers, folder, files)
}

// TestReadNowLong reads more files than a program names, and leaves a column that the
// files have beside the folders of its name to the files.
func TestReadNowLong(t *testing.T) {
	peers := folders(t)
	folder := t.TempDir()
	var files []string
	one := filepath.Join(t.TempDir(), "one.parquet")
	writeFile(t, one, "select 1 k, '1' dt")
	data, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 201 {
		files = append(files, fmt.Sprintf("dt=1/it's [%03d].parquet", i))
		if err := os.MkdirAll(filepath.Join(folder, "dt=1"), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, files[i]), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(folder, "dt=1", "other.parquet"), "select 1 k")
	if out, err := exec.Command(must(t, shared.binary), "inspect", folder, "--read-now", "polars").CombinedOutput(); err == nil || !strings.Contains(string(out), "--files") {
		t.Errorf("found %v %s, wanted a hint to --files", err, out)
	}
	runAll(t, peers, folder, files, "--files", filepath.Join(t.TempDir(), "it's a list.json"))
}

// writeFile writes what a statement of DuckDB gives with Arrow.
func writeFile(t *testing.T, path, sql string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	lake(t).do(t, "parquet", args{"path": path, "sql": sql, "compression": "snappy"}, nil)
}
