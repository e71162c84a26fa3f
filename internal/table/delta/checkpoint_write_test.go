package delta

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"landfall/internal/store"
	"landfall/internal/store/memory"
	"landfall/internal/table"
	"landfall/internal/table/delta/action"
	"landfall/internal/table/delta/checkpoint"
)

// TestCheckpointKeepsEverything writes a state in which every field of every
// action is set, or none, and reads the same state back.
func TestCheckpointKeepsEverything(t *testing.T) {
	lines := []string{
		`{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors","domainMetadata"]}}`,
		`{"metaData":{"id":"m","name":"n","description":"d","format":{"provider":"parquet","options":{"o":"1"}},"schemaString":"` + schemaString +
			`","partitionColumns":["a"],"configuration":{"k":"v","empty":""},"createdTime":7}}`,
		`{"txn":{"appId":"landfall/s","version":7,"lastUpdated":8}}`,
		`{"txn":{"appId":"other","version":1}}`,
		`{"domainMetadata":{"domain":"d","configuration":"{}","removed":false}}`,
		`{"add":{"path":"a=1/x%20y","partitionValues":{"a":"1"},"size":1,"modificationTime":2,"dataChange":false,"stats":"{\"numRecords\":1}",` +
			`"tags":{"t":"u","n":null},"deletionVector":{"storageType":"u","pathOrInlineDv":"p","offset":4,"sizeInBytes":5,"cardinality":6},` +
			`"baseRowId":9,"defaultRowCommitVersion":10,"clusteringProvider":"c"}}`,
		`{"add":{"path":"bare","partitionValues":{"a":null},"size":0,"modificationTime":0,"dataChange":false}}`,
		`{"add":{"path":"bare-vector","partitionValues":{"a":""},"size":0,"modificationTime":0,"dataChange":false,` +
			`"deletionVector":{"storageType":"i","pathOrInlineDv":"q","sizeInBytes":5,"cardinality":6}}}`,
		`{"remove":{"path":"gone","deletionTimestamp":1767323045000,"dataChange":false,"extendedFileMetadata":true,"partitionValues":{"a":"1"},"size":3,` +
			`"deletionVector":{"storageType":"p","pathOrInlineDv":"/dv","offset":0,"sizeInBytes":5,"cardinality":6},"baseRowId":1,"defaultRowCommitVersion":2}}`,
		`{"remove":{"path":"gone too","deletionTimestamp":1767323045000,"dataChange":false}}`,
	}
	want := newState()
	for _, line := range lines {
		a, err := action.Decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		want.apply(a)
	}
	want.version = 4
	disk := memory.New(nil)
	tbl := Open(disk, testOptions())
	if err := tbl.writeCheckpoint(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	got, err := tbl.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if g, w := linesOf(got.checkpointActions(testOptions().Now())), linesOf(want.checkpointActions(testOptions().Now())); g != w {
		t.Errorf("read back\n%s\nwant\n%s", g, w)
	}
	var h hint
	data, err := store.Read(t.Context(), disk, lastCheckpoint)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &h); err != nil {
		t.Fatal(err)
	}
	info, err := disk.Stat(t.Context(), checkpointKey(4))
	if err != nil {
		t.Fatal(err)
	}
	if h.Version != 4 || h.Size != int64(len(lines)) || *h.NumOfAddFiles != 3 || *h.SizeInBytes != info.Size {
		t.Errorf("found hint %s for %d bytes", data, info.Size)
	}
}

func TestCheckpointIsTheSameBytes(t *testing.T) {
	_, tbl, _ := tableOf(t, first(txnLine("a", 1), txnLine("b", 1), txnLine("c", 1)))
	var files [2]bytes.Buffer
	for i := range files {
		st, err := tbl.load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := checkpoint.Write(&files[i], st.checkpointActions(testOptions().Now())); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("two checkpoints of one state differ")
	}
}

// TestCheckpointOfManyFiles crosses the bound of one record.
func TestCheckpointOfManyFiles(t *testing.T) {
	st := newState()
	for _, line := range []string{protocolLine, metaLine} {
		a, err := action.Decode([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		st.apply(a)
	}
	const many = 2*4096 + 1 // two full records of a checkpoint and one row more
	for i := range many {
		name := strings.Repeat("x", 1+i%7) + string(rune('0'+i%10)) + time.Duration(i).String()
		st.apply(&action.Action{Add: addOf(&table.File{Path: name, Tags: map[string]string{"i": name}})})
	}
	st.version = 1
	tbl := Open(memory.New(nil), testOptions())
	if err := tbl.writeCheckpoint(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	got, err := tbl.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.files.size != many || linesOf(got.checkpointActions(testOptions().Now())) != linesOf(st.checkpointActions(testOptions().Now())) {
		t.Errorf("read back %d files, want the same %d", got.files.size, many)
	}
}

func TestCheckpointsWhenDue(t *testing.T) {
	for _, c := range []struct {
		property string
		every    int64
		want     string
	}{
		{"k=v", 0, "10"},
		{"k=v", 4, "4 8 12"},
		{"delta.checkpointInterval=5", 4, "5 10"},
		{"delta.checkpointInterval=nonsense", 6, "6 12"},
		{"delta.checkpoint.writeStatsAsStruct=true", 4, ""},
	} {
		disk := memory.New(nil)
		putLines(t, disk, versionKey(0), protocolLine, metaOf(c.property, ""))
		notes := 0
		o := testOptions()
		o.CheckpointEvery, o.Note = c.every, func(error) { notes++ }
		tbl := Open(disk, o)
		for range 13 {
			base, err := tbl.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tbl.Commit(t.Context(), base, table.Change{Attempt: "a"}); err != nil {
				t.Fatal(err)
			}
		}
		var found []string
		for _, key := range disk.Keys() {
			if name, ok := strings.CutSuffix(strings.TrimPrefix(key, logFolder), ".checkpoint.parquet"); ok {
				found = append(found, strings.TrimLeft(name, "0"))
			}
		}
		if got := strings.Join(found, " "); got != c.want {
			t.Errorf("%s, option %d: found checkpoints %q, want %q", c.property, c.every, got, c.want)
		}
		if wantNotes := c.want == ""; wantNotes != (notes > 0) {
			t.Errorf("%s: %d notes", c.property, notes)
		}
	}
}

func TestCheckpointStatsAsJSONOff(t *testing.T) {
	st := newState()
	st.meta = &action.MetaData{Configuration: map[string]string{"delta.checkpoint.writeStatsAsJson": "false"}}
	f := dataFile("x")
	st.apply(&action.Action{Add: addOf(&f)})
	for _, a := range st.checkpointActions(testOptions().Now()) {
		if a.Add != nil && a.Add.Stats != "" {
			t.Errorf("found statistics %s", a.Add.Stats)
		}
	}
	if st.files.get(f.Key()).Stats == "" {
		t.Error("the state itself lost its statistics")
	}
}

func TestHintNeverGoesBack(t *testing.T) {
	disk, tbl, _ := tableOf(t, first(), []string{addLine("z")})
	if err := disk.Replace(t.Context(), lastCheckpoint, []byte(`{"version":40,"size":3}`)); err != nil {
		t.Fatal(err)
	}
	st, err := tbl.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := tbl.writeCheckpoint(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	if v, err := readHint(t.Context(), disk); v != 40 || err != nil {
		t.Errorf("found hint %d, %v", v, err)
	}
	if err := tbl.writeCheckpoint(t.Context(), st); err != nil {
		t.Errorf("a checkpoint that is there: %v", err)
	}
}

func TestRetention(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": week, "interval 1 week": week, "INTERVAL 2 days": 48 * time.Hour, "168 hours": week,
		"interval 1 day 12 hours": 36 * time.Hour, "interval 0 seconds": 0, "interval 90 minutes": 90 * time.Minute,
		"interval 1 millisecond 1 microsecond": time.Millisecond + time.Microsecond,
	} {
		if keep, ever := retention(text); keep != want || ever {
			t.Errorf("%q: found %v, %v", text, keep, ever)
		}
	}
	for _, text := range []string{"interval 1 month", "soon", "interval", "interval -1 days", "interval 1.5 days", "interval 1"} {
		if _, ever := retention(text); !ever {
			t.Errorf("%q: tombstones would be dropped", text)
		}
	}
}

func TestTombstonesExpire(t *testing.T) {
	now := testOptions().Now()
	at := func(d time.Duration) *int64 { ms := now.Add(d).UnixMilli(); return &ms }
	st := newState()
	st.meta = &action.MetaData{}
	st.apply(&action.Action{Remove: &action.Remove{Path: "fresh", DeletionTimestamp: at(-time.Hour)}})
	st.apply(&action.Action{Remove: &action.Remove{Path: "old", DeletionTimestamp: at(-week)}})
	st.apply(&action.Action{Remove: &action.Remove{Path: "undated"}})
	kept := func() (paths []string) {
		for _, a := range st.checkpointActions(now) {
			if a.Remove != nil {
				paths = append(paths, a.Remove.Path)
			}
		}
		return paths
	}
	if got, want := kept(), []string{"fresh"}; !reflect.DeepEqual(got, want) {
		t.Errorf("kept %v, want %v", got, want)
	}
	st.meta.Configuration = map[string]string{"delta.deletedFileRetentionDuration": "interval 1 month"}
	if got := kept(); len(got) != 3 {
		t.Errorf("with an interval that is not understood: kept %v", got)
	}
}
