package delta

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/table"
)

// widerTable is a table of a column that is an int and a file that holds it.
func widerTable(protocol, field string) []string {
	meta := strings.Replace(metaOf("", field), `\"long\"`, `\"integer\"`, 1)
	held := strings.Replace(addLine("x"), `"dataChange"`, `"stats":"{\"numRecords\":1,\"nullCount\":{\"a\":0}}","dataChange"`, 1)
	return []string{protocol, meta, held}
}

func widening(to schema.Type) table.Change {
	s := schema.Struct{Fields: []schema.Field{{Name: "a", Type: to, Nullable: true}}}
	return table.Change{Attempt: "ours", Schema: &s, Widening: true}
}

// TestWidensInPlace: files stay, and the table says of itself what its readers have
// to know, whatever version of the protocol it was of.
func TestWidensInPlace(t *testing.T) {
	for name, c := range map[string]struct{ protocol, field, want string }{
		"plain":      {protocolLine, "", `3/7 [typeWidening] [appendOnly invariants typeWidening]`},
		"writer 4":   {`{"protocol":{"minReaderVersion":1,"minWriterVersion":4}}`, "", `3/7 [typeWidening] [appendOnly invariants checkConstraints changeDataFeed generatedColumns typeWidening]`},
		"reader 2":   {`{"protocol":{"minReaderVersion":2,"minWriterVersion":5}}`, "", `3/7 [columnMapping typeWidening] [appendOnly invariants checkConstraints changeDataFeed generatedColumns columnMapping typeWidening]`},
		"writer 7":   {`{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["appendOnly"]}}`, "", `3/7 [typeWidening] [appendOnly typeWidening]`},
		"a feature":  {`{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}`, "", `3/7 [deletionVectors typeWidening] [deletionVectors typeWidening]`},
		"on already": {`{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["typeWidening"],"writerFeatures":["typeWidening"]}}`, `"delta.typeChanges":[{"fromType":"byte","toType":"integer"}]`, `3/7 [typeWidening] [typeWidening]`},
	} {
		_, tbl, base := tableOf(t, widerTable(c.protocol, c.field))
		change := widening(schema.Long)
		change.Schema.Fields[0].Metadata = base.Schema.Fields[0].Metadata
		if _, err := tbl.Commit(t.Context(), base, change); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		snap, err := Open(tbl.s, testOptions()).Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p := snap.Protocol
		if got := fmt.Sprintf("%d/%d %v %v", p.MinReader, p.MinWriter, p.ReaderFeatures, p.WriterFeatures); got != c.want {
			t.Errorf("%s: found %s, want %s", name, got, c.want)
		}
		changes, err := snap.Schema.Fields[0].TypeChanges()
		if err != nil || snap.Config[enableWidening] != "true" || snap.Config["k"] != "v" || len(snap.Files()) != 1 ||
			changes[len(changes)-1].To != schema.Long || len(changes) != 1+strings.Count(c.field, "fromType") {
			t.Errorf("%s: found %v, %v, %v, %v", name, changes, snap.Config, snap.Files(), err)
		}
	}
}

// TestWidensBeside: a file of the old type that another writer adds meanwhile is one
// that readers can take, and one that it writes again is no loss.
func TestWidensBeside(t *testing.T) {
	disk, tbl, base := tableOf(t, widerTable(protocolLine, ""))
	putLines(t, disk, versionKey(1), removeLine("x"), addLine("z"))
	r, err := tbl.Commit(t.Context(), base, widening(schema.Long))
	if err != nil || r.Version != 2 {
		t.Errorf("found version %d, %v", r.Version, err)
	}
}

// TestWideningRefused: what readers would not take for the new type has to be written
// again, and so has everything in a table of the preview.
func TestWideningRefused(t *testing.T) {
	preview := `{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["typeWidening-preview"],"writerFeatures":["typeWidening-preview"]}}`
	byHand := widening(schema.Long)
	byHand.Widening = false
	for name, c := range map[string]struct {
		protocol string
		change   table.Change
		want     string
	}{
		"no such pair":        {protocolLine, widening(schema.Decimal{Precision: 9}), "column \"a\" is no int any more"},
		"a narrower type":     {protocolLine, widening(schema.Short), "column \"a\" is no int any more"},
		"without the feature": {protocolLine, byHand, "column \"a\" is no int any more"},
		"the preview":         {preview, widening(schema.Long), "typeWidening-preview"},
	} {
		_, tbl, base := tableOf(t, widerTable(c.protocol, ""))
		if _, err := tbl.Commit(t.Context(), base, c.change); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v", name, err)
		}
	}
}

// TestRewrittenForgets: of a column that no file has as it was, the table says no more
// what it was.
func TestRewrittenForgets(t *testing.T) {
	_, tbl, base := tableOf(t, widerTable(protocolLine, `"c":1,"delta.typeChanges":[{"fromType":"byte","toType":"integer"}]`))
	change := widening(schema.Double)
	change.Schema.Fields[0].Metadata = base.Schema.Fields[0].Metadata
	change.Widening = false
	for _, f := range base.Files() {
		f.Moved = true
		change.Removes = append(change.Removes, f)
		now := dataFile("y")
		now.Moved = true
		change.Adds = append(change.Adds, now)
	}
	if _, err := tbl.Commit(t.Context(), base, change); err != nil {
		t.Fatal(err)
	}
	snap, err := tbl.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m := snap.Schema.Fields[0].Metadata; len(m) != 1 || string(m["c"]) != "1" {
		t.Errorf("found %s", m)
	}
	if slices.Contains(snap.Protocol.ReaderFeatures, featureTypeWidening) {
		t.Errorf("found %+v", snap.Protocol)
	}
}

// TestUnknownTypeChange: a table whose old files we would misread is refused.
func TestUnknownTypeChange(t *testing.T) {
	for field, code := range map[string]diag.Code{
		`"delta.typeChanges":[{"fromType":"long","toType":"double"}]`: diag.UnknownFeature,
		`"delta.typeChanges":[{"fromType":"text","toType":"double"}]`: diag.UnknownFeature,
		`"delta.typeChanges":7`: diag.LogBroken,
		`"delta.typeChanges":[{"fromType":"integer","toType":"integer"}]`: "",
	} {
		disk, _, _ := tableOf(t, first())
		putLines(t, disk, versionKey(1), metaOf("", field))
		_, err := Open(disk, testOptions()).Snapshot(t.Context())
		if diag.CodeOf(err) != code || code != "" && !strings.Contains(err.Error(), "a: ") {
			t.Errorf("%s: found %v", field, err)
		}
	}
}
