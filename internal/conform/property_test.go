package conform_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// A small alphabet, so that names meet in all ways: casings, duplicates,
// look-alikes of generated names, names of ours, blanks.
var names = []string{
	"a", "A", "b", " b", "a#2", "a b", "a_b", "", "_c0", "_c3", "_why", "_field:_why", "_source_file", "_rescued_data",
	"dt", "DT", "ünï", "\xff", `"`,
}

func values(t *rapid.T) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{null, null, "", "1", "x", "\xff\xfe", `"\`, "\x00\u2028", `{"$base64":"eA=="}`}),
		rapid.String(),
	).Draw(t, "value")
}

// Every cell of the input is found in exactly one place.
func TestEveryCellIsInOnePlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := contract.Policy{Preset: rapid.SampledFrom([]string{"", "rescue", "none"}).Draw(t, "preset")}
		if rapid.Bool().Draw(t, "ignore") {
			p.Kinds = map[event.Kind]string{event.ColumnAdded: "ignore"}
		}
		header := rapid.SliceOfN(rapid.SampledFrom(names), 1, 8)
		path := rapid.SampledFrom([]string{
			"f.csv", "dt=1/f.csv", "DT=x/b=/f.csv", "dt=1/DT=2/f.csv", "dt=1/dt=1/a=3/dt=2/f.csv",
			"_source_file=1/dt=2/f.csv", "dt=2/dt=__HIVE_DEFAULT_PARTITION__/f.csv",
		})

		var v contract.Version
		var o conform.Object
		for range rapid.IntRange(1, 3).Draw(t, "files") {
			o = object(path.Draw(t, "path"), header.Draw(t, "header")...)
			keys, _ := contract.Folders(o.Path)
			ev := contract.Evidence{Objects: []contract.ObjectEvidence{{Path: o.Path, Header: o.Header, Partitions: keys}}}
			r, err := contract.Evolve(v, ev, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			v = r.Version
		}
		table, err := contract.TableSchema(v, p)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "altered") && len(v.Columns) > 0 {
			table.Fields[0].Type = schema.Long
		}
		records := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(values), 0, 10), 0, 5).Draw(t, "records")
		f, err := conform.New(v, p, table, o)
		if err != nil {
			t.Fatal(err)
		}
		batch, counts, err := f.Fit(slab(len(o.Header), records...))
		if err != nil {
			t.Fatal(err)
		}
		account(t, v, p, table, o, records, batch, counts)
	})
}

// account finds each cell, by an own reading of the rules.
func account(t *rapid.T, v contract.Version, p contract.Policy, table schema.Struct, o conform.Object,
	records [][]string, batch column.Batch, counts conform.Counts,
) {
	want := conform.Counts{Rows: int64(len(records))}
	keys, _ := contract.Folders(o.Path)
	bound := contract.Bind(v, p, o.Header, keys).Fields
	for row, record := range records {
		kept := rescued(t, p, table, batch, row)
		names := accountFolders(t, v, p, table, o, batch, row, kept, &want)
		for i := range max(len(record), len(o.Header)) {
			want.Cells++
			if i >= len(record) || record[i] == null {
				want.Null++
				continue
			}
			name := free(fmt.Sprintf("_c%d", i), names)
			if i < len(bound) {
				name = bound[i].Name
				if c := bound[i].Column; c >= 0 {
					stored := table.Lookup(v.Columns[c].Name)
					if cell(batch.Columns[stored], row) == record[i] && table.Fields[stored].Type == schema.String {
						want.Typed++
						continue
					}
				}
			}
			take(t, kept, name, record[i], &want)
		}
		if len(kept) > 0 {
			t.Fatalf("rescued, but not in the input: %q", kept)
		}
	}
	ignores := p.RescueColumn() == "" || p.Kinds[event.ColumnAdded] == "ignore"
	if want.Ignored > 0 && !ignores {
		t.Fatalf("%d values are nowhere", want.Ignored)
	}
	want.RaggedShort, want.RaggedLong = counts.RaggedShort, counts.RaggedLong
	if counts != want || counts.Cells != counts.Typed+counts.Null+counts.Rescued+counts.Ignored {
		t.Fatalf("got %+v, want %+v", counts, want)
	}
}

// accountFolders finds the value of each folder, and returns all names that the
// header and the folders take.
func accountFolders(t *rapid.T, v contract.Version, p contract.Policy, table schema.Struct, o conform.Object,
	batch column.Batch, row int, kept map[string]string, want *conform.Counts,
) []string {
	var names []string
	for _, f := range contract.Bind(v, p, o.Header, nil).Fields {
		names = append(names, f.Name)
	}
	for i, f := range o.Partitions {
		same := func(g contract.Folder) bool { return strings.EqualFold(g.Key, f.Key) }
		last := o.Partitions[i]
		for _, g := range o.Partitions[i+1:] {
			if same(g) {
				last = g
			}
		}
		if f.Value == contract.NullFolder || f.Value == last.Value && stands(v, table, f, batch, row) {
			continue
		}
		want.Cells++
		name := free(f.Key, names)
		names = append(names, name)
		take(t, kept, name, f.Value, want)
	}
	return names
}

// stands tells whether a column holds the value of a folder.
func stands(v contract.Version, table schema.Struct, f contract.Folder, batch column.Batch, row int) bool {
	return slices.ContainsFunc(v.Columns, func(c contract.Column) bool {
		at := table.Lookup(c.Name)
		return c.K == 0 && strings.EqualFold(c.Original, f.Key) && table.Fields[at].Type == schema.String &&
			cell(batch.Columns[at], row) == f.Value
	})
}

// take takes a value from those that were rescued; if it is none, it must be
// one that is ignored.
func take(t *rapid.T, kept map[string]string, name, value string, want *conform.Counts) {
	k := strings.ToValidUTF8(name, "\uFFFD")
	if strings.HasPrefix(k, "_field:") || slices.Contains([]string{"_why", "_source_file", "_rescued_data"}, k) {
		k = "_field:" + k
	}
	got, ok := kept[k]
	if !ok {
		want.Ignored++
		return
	}
	if got != value {
		t.Fatalf("%q holds %q, want %q", k, got, value)
	}
	delete(kept, k)
	want.Rescued++
}

// free names what is no field of the header, unless the name is one.
func free(name string, names []string) string {
	try := name
	for k := 2; slices.Contains(names, try); k++ {
		try = fmt.Sprintf("%s#%d", name, k)
	}
	return try
}

// rescued reads the rescue JSON of a row back, reasons checked and removed.
func rescued(t *rapid.T, p contract.Policy, table schema.Struct, batch column.Batch, row int) map[string]string {
	i := table.Lookup(p.RescueColumn())
	if i < 0 || cell(batch.Columns[i], row) == null {
		return nil
	}
	text := cell(batch.Columns[i], row)
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	why, ok := all["_why"].(map[string]any)
	if all["_record"] != float64(row+1) || !ok {
		t.Fatalf("no record or reasons: %s", text)
	}
	delete(all, "_why")
	delete(all, "_record")
	delete(all, "_file_path")
	if !slices.Equal(slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(why))) {
		t.Fatalf("fields and reasons differ: %s", text)
	}
	kept := make(map[string]string, len(all))
	for k, value := range all {
		if m, ok := value.(map[string]any); ok {
			raw, err := base64.StdEncoding.DecodeString(m["$base64"].(string))
			if err != nil {
				t.Fatal(err)
			}
			kept[k] = string(raw)
			continue
		}
		kept[k] = value.(string)
	}
	return kept
}
