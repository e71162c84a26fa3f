package conform_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/schema"
)

// headerNames meet in all ways: casings, duplicates, look-alikes of generated
// names, names of ours, blanks.
var headerNames = []string{
	"a", "A", "b", " b", "a#2", "a b", "a_b", "", "_c0", "_c3", "_why", "_field:_why", "_source_file", "_rescued_data",
	"dt", "DT", "ünï", "\xff", `"`,
}

func fieldValue(t *rapid.T) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			null, null, "", "1", "x", "-2.50", "007", "1e5", "true", "2026-11-30", "2026-11-30T10:00:00", "300", "\xff\xfe", `"\`, "\x00\u2028", `{"$base64":"eA=="}`,
		}),
		rapid.String(),
	).Draw(t, "value")
}

// Every cell of flat input is in one place, and can be found there again.
func TestEveryFieldIsInOnePlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policyOf(t)
		if action := rapid.SampledFrom([]string{"", "quarantine"}).Draw(t, "ragged"); action != "" {
			p.Kinds[event.RecordRagged] = action
		}
		header := rapid.SliceOfN(rapid.SampledFrom(headerNames), 1, 8)
		path := rapid.SampledFrom([]string{
			"f.csv", "dt=1/f.csv", "DT=x/b=/f.csv", "dt=1/DT=2/f.csv", "dt=1/dt=1/a=3/dt=2/f.csv",
			"_source_file=1/dt=2/f.csv", "dt=2/dt=__HIVE_DEFAULT_PARTITION__/f.csv", "b=2026-11-30/f.csv",
		})
		var v contract.Version
		var o conform.Object
		for range rapid.IntRange(1, 3).Draw(t, "files") {
			o = object(path.Draw(t, "path"), header.Draw(t, "header")...)
			keys, _ := contract.Folders(o.Path)
			ev := evolution.Evidence{Objects: []contract.ObjectEvidence{{Path: o.Path, Header: o.Header, Partitions: keys, Evidence: texts(o.Header)}}}
			r, err := evolution.Evolve(v, ev, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			v = r.Version
		}
		for i := range v.Columns {
			v.Columns[i].Type = rapid.SampledFrom(append(scalarTypes(), schema.String, schema.String, schema.Unknown)).Draw(t, "type").String()
		}
		table, err := contract.TableSchema(v, p)
		if err != nil {
			t.Fatal(err)
		}
		records := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(fieldValue), 0, 10), 0, 5).Draw(t, "records")
		f := fitter(t, v, p, table, o)
		whole := fit(t, f, table, slab(len(o.Header), records...))
		accountFields(t, v, p, table, o, records, whole)
		chosen(t, p, f)
		inPieces(t, whole, f, table, fitter(t, v, p, table, o), func(i int) *column.Slab {
			if i == len(records) {
				return nil
			}
			s := slab(len(o.Header), records[i])
			s.Records[0] = int64(i + 1)
			return s
		})
	})
}

// accountFields finds each cell, by an own reading of the rules.
func accountFields(t *rapid.T, v contract.Version, p contract.Policy, table schema.Struct, o conform.Object, records [][]string, r result) {
	var want conform.Counts
	keys, _ := contract.Folders(o.Path)
	bound := contract.Bind(v, p, o.Header, keys).Fields
	row := 0
	for i, record := range records {
		if slices.ContainsFunc(r.out, func(b column.Bad) bool { return b.Record == int64(i+1) }) {
			continue
		}
		s := &search{T: t, policy: p, record: strings.Join(record, ",")}
		cells := r.cells[row]
		row++
		rescued, _ := s.open(table, cells, i+1)
		kept := map[string]string{}
		for _, m := range rescued {
			kept[m.name] = plain(t, m.value)
		}
		names := s.flatFolders(v, table, o, cells, kept)
		for k := range max(len(record), len(o.Header)) {
			if k >= len(record) || record[k] == null {
				s.counts.Null++
				continue
			}
			name := free(fmt.Sprintf("_c%d", k), names)
			if k < len(bound) {
				name = bound[k].Name
				if c := bound[k].Column; c >= 0 {
					_, isKept := kept[reserved(name)]
					if at := table.Lookup(v.Columns[c].Name); at >= 0 && sameAs(cells[at], record[k]) && !isKept {
						s.counts.Typed++
						continue
					}
				}
			}
			s.take(kept, name, record[k])
		}
		if len(kept) > 0 {
			s.failf("rescued, but not in the input: %q", kept)
		}
		s.counts.Rows = 1
		want.Add(s.counts)
	}
	want.Cells = want.Typed + want.Null + want.Rescued + want.Ignored
	want.RaggedShort, want.RaggedLong = r.counts.RaggedShort, r.counts.RaggedLong
	if r.counts != want || row != len(r.cells) {
		t.Fatalf("got %+v, want %+v", r.counts, want)
	}
}

// plain is the text of a rescued field.
func plain(t *rapid.T, v any) string {
	o, ok := v.(jsonObject)
	if !ok {
		return v.(string)
	}
	raw, err := base64.StdEncoding.DecodeString(o[0].value.(string))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// flatFolders finds the value of each folder, and returns all names that the
// header and the folders take.
func (s *search) flatFolders(v contract.Version, table schema.Struct, o conform.Object, cells []any, kept map[string]string) []string {
	var names []string
	for _, f := range contract.Bind(v, s.policy, o.Header, nil).Fields {
		names = append(names, f.Name)
	}
	for i, f := range o.Partitions {
		last := o.Partitions[i]
		for _, g := range o.Partitions[i+1:] {
			if strings.EqualFold(g.Key, f.Key) {
				last = g
			}
		}
		stands := slices.ContainsFunc(v.Columns, func(c contract.Column) bool {
			at := table.Lookup(c.Name)
			return at >= 0 && c.K == 0 && strings.EqualFold(c.Original, f.Key) && sameAs(cells[at], f.Value)
		})
		if f.Null() || f.Value == last.Value && stands {
			continue
		}
		name := free(f.Key, names)
		names = append(names, name)
		s.take(kept, name, f.Value)
	}
	return names
}

// take takes a value from those that were rescued; if it is none, it must be
// one that is ignored.
func (s *search) take(kept map[string]string, name, value string) {
	k := reserved(name)
	got, ok := kept[k]
	if !ok {
		s.ignore(1, name)
		return
	}
	if got != value {
		s.failf("%q holds %q, want %q", k, got, value)
	}
	delete(kept, k)
	s.counts.Rescued++
}

// reserved is a name as the rescue JSON has it.
func reserved(name string) string {
	k := strings.ToValidUTF8(name, "\uFFFD")
	if strings.HasPrefix(k, "_field:") || slices.Contains([]string{"_why", "_source_file", "_rescued_data"}, k) {
		return "_field:" + k
	}
	return k
}

// free names what is no field of the header, unless the name is one.
func free(name string, names []string) string {
	try := name
	for k := 2; slices.Contains(names, try); k++ {
		try = fmt.Sprintf("%s#%d", name, k)
	}
	return try
}
