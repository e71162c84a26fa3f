package delta

import (
	"bytes"
	"testing"

	"landfall/internal/table/delta/action"
)

// Decoding never panics, and what was understood survives being written again.
func FuzzAction(f *testing.F) {
	for _, line := range []string{
		protocolLine, metaLine, addLine("a%20b"), removeLine("x"), `{"commitInfo":{"operation":"<x>","n":1.0e3}}`,
		`{"txn":{"appId":"x","version":1,"lastUpdated":null}}`, `{"domainMetadata":{"domain":"d","configuration":"","removed":true}}`,
		`{"cdc":{"path":"p","partitionValues":{"a":null},"size":1,"dataChange":false}}`, `{"add":{"path":"x","tags":{"a":null},"deletionVector":{"storageType":"i"}}}`,
		`{"sidecar":{"path":"x"}}`, `{"checkpointMetadata":{"version":3}}`, `{"add":null}`, `{"new":{}}`, `{}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := action.Decode(line)
		if err != nil {
			return
		}
		st := newState()
		st.apply(a)
		for add := range st.files.values() {
			add.File()
		}
		once, err := action.Append(nil, a)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(once, []byte("\n")) != 1 {
			t.Fatalf("not one line: %q", once)
		}
		b, err := action.Decode(once)
		if err != nil {
			t.Fatalf("wrote %s: %v", once, err)
		}
		twice, err := action.Append(nil, b)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("wrote %s, then %s, %v", once, twice, err)
		}
	})
}

func FuzzName(f *testing.F) {
	for _, n := range []string{"00000000000000000010.json", "00000000000000000010.checkpoint.0000000001.0000000002.parquet", "x", ""} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, name string) {
		n := parseName(logFolder + name)
		if n.kind == commitFile && versionKey(n.version) != n.key {
			t.Fatalf("%q is taken for version %d", name, n.version)
		}
		if n.kind == checkpointPart && (n.part < 1 || n.part > n.parts) {
			t.Fatalf("%q is part %d of %d", name, n.part, n.parts)
		}
	})
}
