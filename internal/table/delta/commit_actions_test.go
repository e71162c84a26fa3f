package delta

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/memory"
	"landfall/internal/table"
)

// lineKinds names the actions of a version in their order.
func lineKinds(t *testing.T, tbl *Table, v int64) string {
	t.Helper()
	data, err := store.Read(t.Context(), tbl.s, versionKey(v))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for line := range strings.Lines(string(data)) {
		var a map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, slices.Collect(maps.Keys(a))...)
	}
	return strings.Join(kinds, " ")
}

func TestCreateTable(t *testing.T) {
	disk := memory.New(nil)
	tbl := Open(disk, testOptions())
	day := "2026-01-02"
	f := dataFile("day=2026-01-02/part é+%&.parquet")
	f.Partition = map[string]*string{"day": &day}
	c := table.Change{
		App: "landfall/s", Batch: 1, Attempt: "ours", Operation: "LAND", TableID: "the-id",
		Parameters: map[string]string{"source": "orders <1>"}, Metrics: map[string]string{"numOutputRows": "1"},
		Schema:     &schema.Struct{Fields: []schema.Field{text("a"), text("day")}},
		Partitions: []string{"day"}, Config: map[string]string{"landfall.source": "s"}, Adds: []table.File{f},
	}
	r, err := tbl.Commit(t.Context(), nil, c)
	if got := outcome(r, err); got != "version 0 by ours" {
		t.Fatal(got)
	}
	data, err := store.Read(t.Context(), disk, versionKey(0))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"commitInfo":{"timestamp":1767323045006,"operation":"LAND","operationParameters":{"source":"orders <1>"},"operationMetrics":{"numOutputRows":"1"},"isBlindAppend":false,"engineInfo":"landfall","landfallAttempt":"ours"}}
{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"the-id","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},{\"name\":\"day\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":["day"],"configuration":{"landfall.source":"s"},"createdTime":1767323045006}}
{"txn":{"appId":"landfall/s","version":1,"lastUpdated":1767323045006}}
{"add":{"path":"day=2026-01-02/part%20%C3%A9+%25&.parquet","partitionValues":{"day":"2026-01-02"},"size":4,"modificationTime":1700000000000,"dataChange":true,"stats":"{\"numRecords\":1,\"nullCount\":{\"a\":0}}"}}
`
	if string(data) != want {
		t.Errorf("version 0 is\n%s\nwant\n%s", data, want)
	}
	c.Attempt = "theirs"
	r, err = Open(disk, testOptions()).Commit(t.Context(), nil, c)
	if got := outcome(r, err); got != "version 0 by ours" {
		t.Errorf("the same batch by another creator: %s", got)
	}
	c.App = "landfall/other"
	r, err = Open(disk, testOptions()).Commit(t.Context(), nil, c)
	if got := outcome(r, err); got != "conflict 0 metadata" {
		t.Errorf("another batch by another creator: %s", got)
	}
}

func TestCreateTableNtz(t *testing.T) {
	tbl := Open(memory.New(nil), testOptions())
	when := schema.Struct{Fields: []schema.Field{{Name: "at", Type: schema.Array{Element: schema.TimestampNTZ, ContainsNull: true}, Nullable: true}}}
	if _, err := tbl.Commit(t.Context(), nil, table.Change{Attempt: "ours", TableID: "t", Schema: &when}); err != nil {
		t.Fatal(err)
	}
	snap, err := tbl.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := snap.Protocol
	if p.MinReader != 3 || p.MinWriter != 7 || !slices.Equal(p.ReaderFeatures, []string{"timestampNtz"}) || !slices.Equal(p.WriterFeatures, p.ReaderFeatures) {
		t.Errorf("found protocol %+v", p)
	}
}

// TestKeepsWhatOthersWrote changes a table of another writer: the spelling of
// paths and all of the metadata that is not ours must come back as they were.
func TestKeepsWhatOthersWrote(t *testing.T) {
	const spelled = "day=a%20b/é%2Bplus.parquet"
	meta := strings.Replace(metaLine, `"id":"m",`, `"id":"m","name":"orders","description":"d","createdTime":5,`, 1)
	add := strings.Replace(addLine(spelled), `"size":1,`, `"size":1,"tags":{"T":"1"},`, 1)
	_, tbl, base := tableOf(t, []string{protocolLine, meta, add})
	s := withColumn(base.Schema, "b")
	c := table.Change{Attempt: "ours", Schema: &s, Config: map[string]string{"landfall.x": "1"}}
	for _, f := range base.Files() {
		c.Removes = append(c.Removes, table.File{Path: f.Path, Moved: true})
	}
	c.Adds = []table.File{dataFile("new"), dataFile("more")}
	c.Adds[0].Moved = true
	if _, err := tbl.Commit(t.Context(), base, c); err != nil {
		t.Fatal(err)
	}
	acts, err := tbl.version(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := lineKinds(t, tbl, 1); got != "commitInfo metaData remove add add" {
		t.Fatalf("found actions %s", got)
	}
	m := acts[1].MetaData
	if m.ID != "m" || *m.Name != "orders" || *m.Description != "d" || *m.CreatedTime != 5 || m.Format.Provider != "parquet" ||
		!maps.Equal(m.Configuration, map[string]string{"k": "v", "landfall.x": "1"}) {
		t.Errorf("found metadata %+v", m)
	}
	r := acts[2].Remove
	if r.Path != spelled || *r.Size != 1 || *r.Tags["T"] != "1" || !*r.ExtendedFileMetadata || r.DataChange || *r.DeletionTimestamp != 1767323045006 {
		t.Errorf("found remove %+v", r)
	}
	if acts[3].Add.DataChange || !acts[4].Add.DataChange {
		t.Error("rows that only moved are called changed, or new ones moved")
	}
}

// TestSameSchema checks that a schema that is the table's makes no metaData
// action, which would be a conflict to every other writer.
func TestSameSchema(t *testing.T) {
	_, tbl, base := tableOf(t, first())
	c := appendChange(base)
	c.Schema, c.Config = &base.Schema, map[string]string{"k": "v"}
	if _, err := tbl.Commit(t.Context(), base, c); err != nil {
		t.Fatal(err)
	}
	if got := lineKinds(t, tbl, 1); got != "commitInfo txn add" {
		t.Errorf("found actions %s", got)
	}
}

// TestMovedRows: rows that only move are as many as before, and come from
// somewhere.
func TestMovedRows(t *testing.T) {
	counted := func(path string, rows int) string {
		return strings.Replace(addLine(path), `"size":1,`, fmt.Sprintf(`"size":1,"stats":"{\"numRecords\":%d}",`, rows), 1)
	}
	vector := &table.DeletionVector{StorageType: "u", PathOrInlineDV: "p", SizeInBytes: 1, Cardinality: 2}
	deleted := strings.Replace(counted("d", 5), `"size":1,`,
		`"size":1,"deletionVector":{"storageType":"u","pathOrInlineDv":"p","sizeInBytes":1,"cardinality":2},`, 1)
	lines := []string{protocolLine, metaLine, counted("x", 2), counted("y", 3), addLine("vague"), deleted}
	gone := func(paths ...string) (out []table.File) {
		for _, p := range paths {
			out = append(out, table.File{Path: p, Moved: true})
		}
		return out
	}
	come := func(rows int64) []table.File { return []table.File{{Path: "new", Rows: rows, Moved: true}} }
	fresh := table.File{Path: "fresh", Rows: 100}
	for name, c := range map[string]struct {
		adds, removes []table.File
		refused       bool
	}{
		"as many":              {come(5), gone("x", "y"), false},
		"beside new ones":      {append(come(5), fresh), gone("x", "y"), false},
		"beside some that go":  {come(2), append(gone("x"), table.File{Path: "y"}), false},
		"one less":             {come(4), gone("x", "y"), true},
		"one more":             {come(6), gone("x", "y"), true},
		"into nothing":         {nil, gone("x"), true},
		"from nowhere":         {come(0), nil, true},
		"nobody knows":         {come(9), gone("x", "vague"), false},
		"how many is not said": {come(-1), gone("x"), false},
		"without deleted ones": {come(3), []table.File{{Path: "d", DV: vector, Moved: true}}, false},
		"deleted ones revived": {come(5), []table.File{{Path: "d", DV: vector, Moved: true}}, true},
	} {
		_, tbl, base := tableOf(t, lines)
		_, err := tbl.Commit(t.Context(), base, table.Change{Attempt: "ours", Adds: c.adds, Removes: c.removes})
		if (err != nil) != c.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestHeldColumns: a column changes its type, or goes, with all files that hold
// it, and not before.
func TestHeldColumns(t *testing.T) {
	stats := func(path, nulls string) string {
		return strings.Replace(addLine(path), `"size":1,`, `"size":1,"stats":"{\"numRecords\":1,\"nullCount\":{`+nulls+`}}",`, 1)
	}
	lines := []string{protocolLine, metaLine, stats("x", `\"a\":0`), stats("y", `\"a\":1`), stats("z", ""), addLine("vague")}
	for name, c := range map[string]struct {
		schema  string
		removes []string
		refused string
	}{
		"widened with its files": {"struct<a:decimal(20,0)>", []string{"x", "y"}, ""},
		"dropped with its files": {"struct<b:string>", []string{"x", "y"}, ""},
		"one file stays":         {"struct<a:decimal(20,0)>", []string{"x"}, `"y"`},
		"dropped from one":       {"struct<b:string>", []string{"y"}, `"x"`},
		"another column":         {"struct<a:bigint,b:string>", nil, ""},
		"no null any more":       {"struct<a:bigint not null>", nil, ""},
	} {
		_, tbl, base := tableOf(t, lines)
		s := mustStruct(t, c.schema)
		change := table.Change{Attempt: "ours", Schema: &s}
		for i, path := range c.removes {
			change.Removes = append(change.Removes, table.File{Path: path, Moved: true})
			change.Adds = append(change.Adds, table.File{Path: fmt.Sprint("new ", i), Rows: 1, Moved: true})
		}
		_, err := tbl.Commit(t.Context(), base, change)
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
