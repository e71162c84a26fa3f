package land_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/format/csv"
	"landfall/internal/state"
	"landfall/internal/store"
)

// Files that vendors really send. Each lands beside good neighbours, or is
// quarantined with a reason; when it comes again as it should be, it lands.
func TestInputs(t *testing.T) {
	const good = "id,name\ng1,Gil\n"
	wide := "id," + strings.Repeat("c,", 99_999) + "z\n1" + strings.Repeat(",", 100_000) + "\n"
	cases := map[string]struct {
		text        string
		fate        state.Fate
		code        diag.Code
		rows        int
		quarantined diag.Code // of a record, while the file lands
		rescued     int64
		drift       event.Kind
	}{
		"empty":               {"", state.Quarantined, diag.FileUnreadable, 0, "", 0, event.FileEmpty},
		"header only":         {"id,name\n", state.Landed, "", 0, "", 0, ""},
		"BOM":                 {"\ufeffid,name\na1,Ann\n", state.Landed, "", 1, "", 0, ""},
		"UTF-16":              {"\xff\xfei\x00d\x00\n\x00a\x001\x00\n\x00", state.Landed, "", 1, "", 0, ""},
		"HTML":                {"<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>\n", state.Quarantined, diag.FileForeign, 0, "", 0, event.FileForeign},
		"conflict":            {"id,name\n<<<<<<< HEAD\na1,Ann\n=======\na1,Anna\n>>>>>>> b\n", state.Quarantined, diag.FileForeign, 0, "", 0, event.FileForeign},
		"another feed":        {"price,volume\n1,2\n", state.Quarantined, diag.FileForeign, 0, "", 0, event.FileForeign},
		"100,000 columns":     {wide, state.Quarantined, diag.TooManyColumns, 0, "", 0, event.FileUnreadable},
		"a long record":       {"id,name\na1,Ann\na2," + strings.Repeat("x", 400_000) + "\na3,Cy\n", state.Landed, "", 2, diag.RecordTooLong, 0, event.RecordMalformed},
		"a bad quote":         {"id,name\na1,Ann\na2,\"B\"o\na3,Cy\n", state.Landed, "", 2, diag.RecordMalformed, 0, event.RecordMalformed},
		"cut in a quote":      {"id,name\na1,Ann\na2,\"Bo\n", state.Landed, "", 1, diag.RecordMalformed, 0, event.RecordMalformed},
		"gzip":                {packed("id,name\na1,Ann\n"), state.Landed, "", 1, "", 0, ""},
		"gzip cut short":      {packed("id,name\na1,Ann\n")[:20], state.Quarantined, diag.FileUnreadable, 0, "", 0, event.FileUnreadable},
		"ragged":              {"id,name\na1\na2,Bo,more,,still\n", state.Landed, "", 2, "", 2, event.RecordRagged},
		"names that collide":  {"id,a b,a_b,\"a;b\"\na1,x,y,z\n", state.Landed, "", 1, "", 0, event.NameCleaned},
		"names twice":         {"id,name,name,NAME\na1,x,y,z\n", state.Landed, "", 1, "", 1, event.NameDuplicate},
		"names of ours":       {"id,_rescued_data,_source_file\na1,x,y\n", state.Landed, "", 1, "", 2, event.ColumnAdded},
		"blank lines":         {"\n\nid,name\n\na1,Ann\n\n\n", state.Landed, "", 1, "", 0, ""},
		"line ends of old":    {"id,name\ra1,Ann\ra2,Bo\r", state.Landed, "", 2, "", 0, ""},
		"no line end at last": {"id,name\na1,Ann", state.Landed, "", 1, "", 0, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := afterDays(t, 0, scene{options: csv.Options{MaxRecordBytes: 300_000}})
			l.put("good.csv", good)
			l.lands()
			l.put("in.csv", c.text, nil)
			l.put("more.csv", "id,name\nm1,May\n")
			r, err := l.next().land(t.Context())
			ok(t, err)
			l.settled("in.csv", c.fate, c.code)
			if got := l.entry("in.csv").Rows; got != int64(c.rows) {
				t.Errorf("found %d rows landed, want %d", got, c.rows)
			}
			if l.entry("more.csv").Fate != state.Landed {
				t.Error("a neighbour did not land")
			}
			l.quarantineHolds(c.text, c.quarantined)
			if got := r.Batches[0].ValuesRescued; got != c.rescued {
				t.Errorf("found %d values rescued, want %d", got, c.rescued)
			}
			if c.drift != "" && !slices.ContainsFunc(r.Drift, func(d event.Drift) bool { return d.Kind == c.drift }) {
				t.Errorf("found drift %v, want %s", r.Drift, c.drift)
			}
			l.put("in.csv", "id,name\nn1,Ned\n")
			l.lands()
			l.settled("in.csv", state.Landed, "")
			for q, err := range l.process("").state().Held(t.Context()) {
				ok(t, err)
				t.Errorf("found %v in quarantine, want nothing once the file came as it should be", q)
			}
		})
	}
}

func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// quarantineHolds fails unless records in quarantine have the code, and the
// bytes that stand at their place in the file.
func (l *landed) quarantineHolds(content string, code diag.Code) {
	l.t.Helper()
	n := 0
	for q, err := range l.process("").state().Held(l.t.Context()) {
		ok(l.t, err)
		if q.Record == 0 {
			continue
		}
		n++
		if q.Code != string(code) || q.Reason == "" {
			l.t.Errorf("found %+v, want code %s and a reason", q, code)
		}
		if q.Bytes != nil && !strings.HasPrefix(content[q.Offset:], string(q.Bytes)) {
			l.t.Errorf("found %q in quarantine, but %q at byte %d", q.Bytes, content[q.Offset:], q.Offset)
		}
	}
	if (n > 0) != (code != "") {
		l.t.Errorf("found %d records in quarantine, want code %q", n, code)
	}
}

// Every column keeps its own values where names collide: in one file, and over
// time.
func TestNamesThatCollide(t *testing.T) {
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "id,a_b\na1,under\n")
	l.lands()
	l.put("b.csv", "a b,id,\"a;b\"\nspace,b1,semicolon\n")
	l.lands()
	l.put("c.csv", "\"a;b\",a_b,a b,id\nsemicolon,under,space,c1\n")
	l.lands()
	columns := map[string]string{}
	for _, f := range l.snapshot().Schema.Fields {
		for _, v := range l.values(t, f.Name) {
			if v == "under" || v == "space" || v == "semicolon" {
				if old := columns[f.Name]; old != "" && old != v {
					t.Errorf("column %s holds %s and %s", f.Name, old, v)
				}
				columns[f.Name] = v
			}
		}
	}
	if len(columns) != 3 || columns["a_b"] != "under" {
		t.Errorf("found %v, want three columns, and a_b under its own name", columns)
	}
}

// The outcome does not depend on the number of workers, nor does a byte of what is
// written.
func TestWorkers(t *testing.T) {
	var tables []string
	for _, workers := range []int{1, 2, 7} {
		l := afterDays(t, 0, scene{})
		for i := range 20 {
			l.put(fmt.Sprintf("f%02d.csv", i), fmt.Sprintf("id,c%d\nr%d,x\n\"r\"%d,bad\n", i%3, i, i), map[string]int{fmt.Sprintf("r%d", i): 1})
		}
		p := l.next()
		p.workers, p.unit = workers, 50
		r, err := p.land(t.Context())
		ok(t, err)
		ok(t, l.check(t.Context()))
		var files []string
		for key := range l.snapshot().Files() {
			text, err := store.Read(t.Context(), l.data, key.Path)
			ok(t, err)
			files = append(files, fmt.Sprintf("%s %x", key.Path, sha256.Sum256(text)))
		}
		slices.Sort(files)
		tables = append(tables, fmt.Sprint(l.snapshot().Schema, r.Batches, r.Drift, r.ContractVersion, files))
	}
	if tables[0] != tables[1] || tables[1] != tables[2] {
		t.Errorf("found differences:\n%s", strings.Join(tables, "\n"))
	}
}
