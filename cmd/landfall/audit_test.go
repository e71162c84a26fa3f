package main

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2" // writes what other tools would
	"github.com/rogpeppe/go-internal/testscript"

	"landfall/internal/audit"
	"landfall/internal/diag"
	"landfall/internal/provenance"
	"landfall/internal/store/local"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// copyTo writes the rows of a query as a Parquet file in the table's folder. In it,
// %s stands for the file's old rows.
func (c *caseFeed) copyTo(name, query string) int64 {
	c.t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it is in memory
	path := filepath.Join(c.table, name)
	fresh := filepath.Join(c.t.TempDir(), "fresh.parquet")
	if _, err := db.ExecContext(c.t.Context(), fmt.Sprintf("SET TimeZone = 'UTC'; COPY (%s) TO '%s' (FORMAT parquet)", query, fresh)); err != nil {
		c.t.Fatal(err)
	}
	data, err := os.ReadFile(fresh)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		c.t.Fatal(err)
	}
	return int64(len(data))
}

// live returns the table, and its data files by path.
func (c *caseFeed) live() (*delta.Table, *table.Snapshot, []table.File) {
	c.t.Helper()
	s, err := local.Open(c.table)
	if err != nil {
		c.t.Fatal(err)
	}
	t := delta.Open(s, delta.Options{Now: time.Now, Engine: "another"})
	snap, err := t.Snapshot(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return t, snap, slices.SortedFunc(maps.Values(snap.Files()), func(a, b table.File) int { return strings.Compare(a.Path, b.Path) })
}

// corrupt changes the rows of the only data file behind the table's back.
func (c *caseFeed) corrupt(query string) {
	c.t.Helper()
	_, _, files := c.live()
	if len(files) != 1 {
		c.t.Fatalf("%d data files, want one", len(files))
	}
	path := filepath.Join(c.table, files[0].Path)
	c.copyTo(files[0].Path, "WITH t AS (FROM read_parquet('"+path+"', hive_partitioning = false)) "+query)
}

// other replaces all data files by one with the rows of a query over them, as another
// tool does.
func (c *caseFeed) other(operation, query string) {
	c.t.Helper()
	t, snap, files := c.live()
	var paths []string
	for _, f := range files {
		paths = append(paths, "'"+filepath.Join(c.table, f.Path)+"'")
	}
	name := fmt.Sprintf("other-%d.parquet", snap.Version)
	size := c.copyTo(name, fmt.Sprintf("WITH t AS (FROM read_parquet([%s], union_by_name = true, hive_partitioning = false)) %s", strings.Join(paths, ", "), query))
	change := table.Change{Attempt: "another's", Operation: operation, Removes: files, Adds: []table.File{{Path: name, Size: size, Rows: -1, ModTime: time.Now()}}}
	if _, err := t.Commit(c.t.Context(), snap, change); err != nil {
		c.t.Fatal(err)
	}
}

// audit audits the table, and compares the status with the one wanted.
func (c *caseFeed) audit(status int, flags ...string) audit.Report {
	c.t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(append([]string{"audit", "--table", c.table, "--json"}, flags...), &stdout, &stderr); code != status {
		c.t.Fatalf("audit: status %d, want %d\n%s%s", code, status, stdout.String(), stderr.String())
	}
	if status != 0 && !strings.Contains(stderr.String(), string(diag.AuditFailed)) {
		c.t.Errorf("found %s", stderr.String())
	}
	var r audit.Report
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil {
		c.t.Fatalf("%v: %s", err, stdout.String())
	}
	return r
}

// objectsAre compares the numbers of objects.
func objectsAre(t *testing.T, r audit.Report, proven, unprovable, differing int64) {
	t.Helper()
	want := audit.Counts{Landed: proven + unprovable + differing, Proven: proven, Unprovable: unprovable, Differing: differing}
	if r.Objects != want {
		t.Errorf("found %+v, want %+v\n%+v\n%+v", r.Objects, want, r.Unprovable, r.Differences)
	}
}

// only returns the one difference of a report that is about an object.
func only(t *testing.T, r audit.Report) audit.Difference {
	t.Helper()
	of := slices.DeleteFunc(r.Differences, func(d audit.Difference) bool { return d.Kind == audit.StatisticsDiffer })
	if len(of) != 1 || r.Total != r.Statistics+1 {
		t.Fatalf("found %d differences, want one and %d of statistics: %+v", r.Total, r.Statistics, of)
	}
	return of[0]
}

const orders = "id,amount,city\n1,2.5,Oslo\n2,N/A,Rome\n3,7,\n3,7,\n"

func newOrders(t *testing.T) *caseFeed {
	c := newCase(t)
	c.file("a.csv", orders)
	c.land()
	return c
}

// A cell that changed in a data file is found, with its place on both sides.
func TestAuditFindsCell(t *testing.T) {
	c := newOrders(t)
	objectsAre(t, c.audit(0), 1, 0, 0)
	c.corrupt("SELECT * REPLACE (CASE WHEN id = 1 THEN 2.25 ELSE amount END AS amount) FROM t")
	r := c.audit(3)
	objectsAre(t, r, 0, 0, 1)
	d := only(t, r)
	if d.Path != "a.csv" || d.Kind != audit.CellDiffers || d.Column != "amount" || d.Record != 1 || *d.Row != 0 || d.Found != "2.25" || d.Want != "2.5" {
		t.Errorf("found %+v", d)
	}
}

// Where the table's log says other of a data file than its values are, readers miss rows.
func TestAuditFindsStatistics(t *testing.T) {
	c := newOrders(t)
	c.file("b.csv", "id,amount,city\n9,1.5,Ævar\n")
	c.land()
	if r := c.audit(0); r.Statistics != 0 {
		t.Fatalf("found %+v", r.Differences)
	}
	logs := filepath.Join(c.table, "_delta_log", "00000000000000000000.json")
	text, err := os.ReadFile(logs)
	if err != nil {
		t.Fatal(err)
	}
	for _, swap := range []struct{ old, new, found string }{
		{`\"maxValues\":{\"id\":3,`, `\"maxValues\":{\"id\":2,`, "id maxValues 2 at least 3"},
		{`\"minValues\":{\"id\":1,`, `\"minValues\":{\"id\":2,`, "id minValues 2 at most 1"},
		{`\"numRecords\":4,`, `\"numRecords\":5,`, " numRecords 5 4"},
		{`\"city\":2,`, `\"city\":0,`, "city nullCount 0 2"},
	} {
		other := strings.Replace(string(text), swap.old, swap.new, 1)
		if other == string(text) {
			t.Fatalf("found no %s in %s", swap.old, text)
		}
		if err := os.WriteFile(logs, []byte(other), 0o644); err != nil {
			t.Fatal(err)
		}
		r := c.audit(3)
		objectsAre(t, r, 2, 0, 0)
		if r.Total != 1 || r.Statistics != 1 {
			t.Fatalf("found %d differences, %d of statistics, want one: %+v", r.Total, r.Statistics, r.Differences)
		}
		if d := r.Differences[0]; d.Kind != audit.StatisticsDiffer || d.Column+" "+d.Found+" "+d.Want != swap.found {
			t.Errorf("found %+v, want %s", d, swap.found)
		}
	}
}

// A batch whose run ended before its mark is none that the state does not know.
func TestAuditBeforeMark(t *testing.T) {
	c := newOrders(t)
	c.file("b.csv", "id,amount,city\n9,1.5,Bern\n")
	c.land()
	marks, err := filepath.Glob(filepath.Join(c.table, "_landfall", "*", "marks", "00000002*"))
	if err != nil || len(marks) != 1 {
		t.Fatalf("found marks %v, %v", marks, err)
	}
	if err := os.Remove(marks[0]); err != nil {
		t.Fatal(err)
	}
	r := c.audit(0)
	objectsAre(t, r, 1, 0, 0)
	if want := "[batch 2 is in the table and has no mark yet: the next run writes it]"; fmt.Sprint(r.Notes) != want || r.Unknown != 0 {
		t.Errorf("found %d, %v, want %s", r.Unknown, r.Notes, want)
	}
}

// What was rescued counts as much as what has a column.
func TestAuditFindsRescuedCell(t *testing.T) {
	c := newOrders(t)
	c.corrupt(`SELECT * REPLACE (replace(_rescued_data, 'N/A', 'n/a') AS _rescued_data) FROM t`)
	if d := only(t, c.audit(3)); d.Column != "_rescued_data" || d.Record != 2 {
		t.Errorf("found %+v", d)
	}
}

// A row that is gone, one that is there twice, and one for another.
func TestAuditFindsRows(t *testing.T) {
	c := newOrders(t)
	c.corrupt("SELECT * FROM t WHERE id <> 1")
	if d := only(t, c.audit(3)); d.Kind != audit.RowMissing || d.Record != 1 {
		t.Errorf("found %+v", d)
	}
	c = newOrders(t)
	c.corrupt("SELECT * FROM t UNION ALL SELECT * FROM t WHERE id = 1")
	if d := only(t, c.audit(3)); d.Kind != audit.RowExtra {
		t.Errorf("found %+v", d)
	}
	c = newOrders(t) // as many rows, each of which is in the file
	c.corrupt("SELECT * FROM t WHERE id < 3 UNION ALL SELECT * FROM t WHERE id < 3")
	if r := c.audit(3); r.Total == 0 {
		t.Errorf("found %+v", r)
	}
}

// A byte that changed in the file of a source: with its time it is another file, and
// without it nobody would read it again.
func TestAuditFindsBytes(t *testing.T) {
	c := newOrders(t)
	path := filepath.Join(c.in, "a.csv")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(orders, "Oslo", "Oslu", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	r := c.audit(0)
	objectsAre(t, r, 0, 1, 0)
	if r.Unprovable[0].Reason != "the file changed since it landed" {
		t.Errorf("found %+v", r.Unprovable)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if d := only(t, c.audit(3)); d.Kind != audit.BytesDiffer {
		t.Errorf("found %+v", d)
	}
}

// Files that cannot be read: that of a source is gone, that of the table is no file.
func TestAuditOfMissingFiles(t *testing.T) {
	c := newOrders(t)
	_, _, files := c.live()
	c.file("b.csv", "id,amount,city\n7,1,Bern\n")
	c.land()
	if err := os.WriteFile(filepath.Join(c.table, files[0].Path), []byte("nothing"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := c.audit(3)
	objectsAre(t, r, 1, 0, 1)
	if d := only(t, r); d.Kind != audit.FileBroken || d.DataFile != files[0].Path {
		t.Errorf("found %+v", d)
	}
	if err := os.Remove(filepath.Join(c.in, "a.csv")); err != nil {
		t.Fatal(err)
	}
	objectsAre(t, c.audit(0), 1, 1, 0)
}

// Other tools may move rows; what they change is named, and is no failure. The rows
// that nobody touched are proven all the same.
func TestAuditOfOthers(t *testing.T) {
	c := newOrders(t)
	c.file("b.csv", "id,amount,city\n7,1,Bern\n")
	c.land()
	c.other("OPTIMIZE", "FROM t ORDER BY id DESC")
	objectsAre(t, c.audit(0), 2, 0, 0)
	c.other("DELETE", "FROM t WHERE id <> 2")
	r := c.audit(0)
	objectsAre(t, r, 1, 1, 0)
	u := r.Unprovable[0]
	if u.Path != "a.csv" || len(u.Changes) != 1 || u.Changes[0].Operation != "DELETE" || u.Changes[0].Version != 3 || !strings.Contains(u.Reason, "row_missing of record 2") {
		t.Errorf("found %+v", u)
	}
}

// So is an update, and rows that others add are not the source's.
func TestAuditOfUpdate(t *testing.T) {
	c := newOrders(t)
	c.other("UPDATE", "SELECT * REPLACE (CASE WHEN id = 1 THEN 'Bari' ELSE city END AS city) FROM t")
	r := c.audit(0)
	objectsAre(t, r, 0, 1, 0)
	if u := r.Unprovable[0]; u.Changes[0].Operation != "UPDATE" || !strings.Contains(u.Reason, `cell of record 1, column city: found "Bari"`) {
		t.Errorf("found %+v", u)
	}
	c = newOrders(t)
	c.other("MERGE", "FROM t UNION ALL SELECT * REPLACE ('file:///elsewhere' AS _source_file) FROM t WHERE id = 1")
	r = c.audit(0)
	objectsAre(t, r, 1, 0, 0)
	if r.Elsewhere != 1 {
		t.Errorf("found %d rows elsewhere", r.Elsewhere)
	}
	c.other("WRITE", "FROM t UNION ALL FROM t WHERE id = 1 AND _source_file LIKE '%a.csv'")
	r = c.audit(0)
	objectsAre(t, r, 0, 1, 0)
	if u := r.Unprovable[0]; u.Reason != "all its rows are there, and 1 more that another tool wrote" {
		t.Errorf("found %+v", u)
	}
}

// A compaction that loses a value is no deletion.
func TestAuditOfBadOptimize(t *testing.T) {
	c := newOrders(t)
	c.other("OPTIMIZE", "FROM t WHERE id <> 2")
	if d := only(t, c.audit(3)); d.Kind != audit.RowMissing || d.Record != 2 {
		t.Errorf("found %+v", d)
	}
}

// Rows that other tools moved are led back by their values; of equal ones it is said
// that any of some records may be it.
func TestWhyByValues(t *testing.T) {
	c := newOrders(t)
	c.other("OPTIMIZE", "FROM t ORDER BY id DESC")
	why := func(where string) []provenance.Row {
		var rows []provenance.Row
		for dec := json.NewDecoder(strings.NewReader(c.run("why", "--table", c.table, "--json", "--where", where))); dec.More(); {
			var r provenance.Row
			if err := dec.Decode(&r); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, r)
		}
		return rows
	}
	one := why("id = 1")[0].Record
	if one.Number != 1 || one.FoundBy != provenance.ByValues || one.Text != "1,2.5,Oslo" {
		t.Errorf("found %+v", one)
	}
	if two := why("id = 2")[0].Record; two.Number != 2 || two.FoundBy != provenance.ByRescue {
		t.Errorf("found %+v", two)
	}
	for _, r := range why("id = 3") {
		if r.Record.Number != 0 || !slices.Equal(r.Record.Alike, []int64{3, 4}) {
			t.Errorf("found %+v", r.Record)
		}
	}
}

// Widening, a decided renaming and a replay write rows again, and all of them can be
// proven.
func TestAuditOfHistory(t *testing.T) {
	c := newCase(t)
	c.file("a.csv", "id,total,city\n1,2,Oslo\n2,N/A,Rome\n")
	c.land()
	c.file("b.csv", "id,amount,city\n3,2.5,Bern\n4,7,\"x\"y\n")
	c.land()
	c.run("drift", "decide", c.in, c.table, "total", "--map-to", "amount", "--why", "one name")
	c.file("c.json.csv", "id,Total,new col\n5,8,x\n6,,\n")
	c.land()
	c.file("d.csv", "id,amount\n7,lots\n8,9\n")
	c.land()
	r := c.audit(0)
	objectsAre(t, r, 4, 0, 0)
	if r.Rows != (audit.Rows{In: 8, Landed: 7, Quarantined: 1}) {
		t.Errorf("found %+v", r.Rows)
	}
	c.run("replay", c.in, c.table)
	objectsAre(t, c.audit(0), 4, 0, 0)
	c.run("replay", c.in, c.table, "--all")
	objectsAre(t, c.audit(0), 4, 0, 0)
}

// Values that were rescued when they landed, and that have a column by now, are kept:
// no difference, though the file reads otherwise under the contract of that day.
func TestAuditOfReclaimed(t *testing.T) {
	c := newCase(t)
	mode := []string{"--option", "cloudFiles.schemaEvolutionMode=rescue"}
	c.file("a.csv", "id\n1\n")
	c.land(mode...)
	c.file("b.csv", "id,city\n2,Oslo\n3,Rome\n")
	c.land(mode...)
	c.file("c.csv", "id,city\n4,Bern\n")
	c.run("schema", "approve", c.in, c.table)
	path := filepath.Join(c.in, "b.csv")
	aside := filepath.Join(t.TempDir(), "b.csv")
	if err := os.Rename(path, aside); err != nil {
		t.Fatal(err)
	}
	c.run("replay", c.in, c.table)
	c.rows("SELECT id, city, _rescued_data AS r FROM t ORDER BY id", `{"id":1,"city":null,"r":null}`, `{"id":2,"city":"Oslo","r":null}`, `{"id":3,"city":"Rome","r":null}`)
	if err := os.Rename(aside, path); err != nil {
		t.Fatal(err)
	}
	objectsAre(t, c.audit(0), 2, 0, 0)
}

// quarantine returns the file of the first batch that keeps records.
func (c *caseFeed) quarantine() string {
	c.t.Helper()
	paths, err := filepath.Glob(filepath.Join(c.table, "_landfall", "*", "attempts", "00000001-*", "quarantine-1.ndjson"))
	if err != nil || len(paths) != 1 {
		c.t.Fatalf("found %v, want one file in quarantine: %v", paths, err)
	}
	return paths[0]
}

// emptyScript takes all lines but the first out of the files of a pattern.
func emptyScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: empty pattern")
	}
	paths, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(paths) == 0 {
		ts.Fatalf("found no %s", args[0])
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		ts.Check(err)
		head, _, _ := bytes.Cut(data, []byte("\n"))
		ts.Check(os.WriteFile(path, append(head, '\n'), 0o644))
	}
}

// What is kept in quarantine is what the files hold back: records that are gone, were
// edited or put there are found, and without the file at least their number.
func TestAuditFindsQuarantine(t *testing.T) {
	// Lines are the head, record 2, and record 4.
	edits := []struct {
		name   string
		edit   func(lines []string) []string
		record int64 // of the first difference
		total  int64
		// counted tells that the number of records shows it.
		counted bool
	}{
		{"emptied", func(l []string) []string { return l[:1] }, 2, 2, true},
		{"without a head", func([]string) []string { return nil }, 2, 2, true},
		{"deleted", nil, 2, 2, true},
		{"one gone", func(l []string) []string { return slices.Delete(l, 2, 3) }, 4, 1, true},
		{"one more", func(l []string) []string { return append(l, strings.Replace(l[2], `"record":4`, `"record":5`, 1)) }, 5, 1, true},
		{"twice", func(l []string) []string { return append(l, l[2]) }, 4, 1, true},
		{"cut off", func(l []string) []string { return append(l[:2], l[2][:10]) }, 4, 1, true},
		{"a byte", func(l []string) []string {
			l[1] = strings.Replace(l[1], `"bytes":"M`, `"bytes":"N`, 1)
			return l
		}, 2, 1, false},
		{"a number", func(l []string) []string {
			l[2] = strings.Replace(l[2], `"record":4`, `"record":3`, 1)
			return l
		}, 3, 2, false},
	}
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			c := newCase(t)
			c.file("a.csv", "id,city\n1,Oslo\n2,\"x\"y\n3,Rome\n4,\"y\"z\n5,Bern\n")
			c.land()
			objectsAre(t, c.audit(0), 1, 0, 0)
			path := c.quarantine()
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if e.edit == nil {
				err = os.Remove(path)
			} else {
				lines := strings.SplitAfter(string(data), "\n")
				edited := strings.Join(e.edit(lines[:len(lines)-1]), "")
				if edited == string(data) {
					t.Fatalf("nothing is edited: %s", data)
				}
				err = os.WriteFile(path, []byte(edited), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			r := c.audit(3)
			objectsAre(t, r, 0, 0, 1)
			d := r.Differences[0]
			if r.Total != e.total || d.Path != "a.csv" || d.Kind != audit.KeptDiffers || d.Record != e.record {
				t.Errorf("found %d differences: %+v", r.Total, r.Differences)
			}
			if err := os.Remove(filepath.Join(c.in, "a.csv")); err != nil {
				t.Fatal(err)
			}
			if !e.counted {
				objectsAre(t, c.audit(0), 0, 1, 0)
				return
			}
			r = c.audit(3)
			objectsAre(t, r, 0, 0, 1)
			if d := only(t, r); d.Path != "a.csv" || d.Kind != audit.KeptDiffers || d.Want != "2" {
				t.Errorf("found %+v", d)
			}
		})
	}
}

// The rest of a file that breaks off is in quarantine too, and proven.
func TestAuditOfRest(t *testing.T) {
	c := newCase(t)
	c.file("a.json", "[{\"id\":1},{\"id\":2},{\"id\":")
	c.land()
	objectsAre(t, c.audit(0), 1, 0, 0)
	var whole bytes.Buffer
	z := gzip.NewWriter(&whole)
	for i := range 20000 {
		if _, err := fmt.Fprintf(z, "%d,%x\n", i, i*i*7919); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	d := newCase(t)
	d.file("a.csv.gz", whole.String()[:whole.Len()/2])
	d.land()
	objectsAre(t, d.audit(0), 1, 0, 0)
	if err := os.Remove(d.quarantine()); err != nil {
		t.Fatal(err)
	}
	// The record that is cut short is one of them.
	r := d.audit(3)
	objectsAre(t, r, 0, 0, 1)
	if o := r.Differences[0]; r.Total != 2 || o.Kind != audit.KeptDiffers || o.Want != "where the file breaks off" {
		t.Errorf("found %+v", r.Differences)
	}
}

// A value that a decision ignores is told as that, of all columns and of one.
func TestWhyIgnored(t *testing.T) {
	for _, files := range [][2]string{
		{"id,note\n1,a\n", "id,note\n2,b\n3,\n"},
		{`{"id":1,"note":"a"}`, `{"id":2,"note":"b"}{"id":3,"note":null}{"id":4}`},
	} {
		c := newCase(t)
		ext := map[bool]string{true: ".json", false: ".csv"}[files[0][0] == '{']
		c.file("a"+ext, files[0])
		c.land()
		c.run("drift", "decide", c.in, c.table, "note", "--ignore", "--why", "nobody reads it")
		c.file("b"+ext, files[1])
		c.land()
		want := map[int]string{1: provenance.Typed, 2: provenance.Ignored, 3: provenance.Null}
		if ext == ".json" {
			want[4] = provenance.Missing
		}
		for id, state := range want {
			for _, flags := range [][]string{nil, {"--column", "note"}} {
				args := append([]string{"why", "--table", c.table, "--json", "--where", fmt.Sprintf("id = %d", id)}, flags...)
				var r provenance.Row
				if err := json.Unmarshal([]byte(c.run(args...)), &r); err != nil {
					t.Fatal(err)
				}
				at := slices.IndexFunc(r.Columns, func(c provenance.Cell) bool { return c.Column == "note" })
				if at < 0 || r.Columns[at].State != state || state == provenance.Ignored && r.Columns[at].Policy != "decision" {
					t.Errorf("%s, id %d, %v: found %+v, want %s", ext, id, flags, r.Columns, state)
				}
				if told := len(r.Ignored) == 1; told != (state == provenance.Ignored && flags == nil) {
					t.Errorf("%s, id %d, %v: ignored %+v", ext, id, flags, r.Ignored)
				}
			}
		}
	}
}
