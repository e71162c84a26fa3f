package json

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// layout is a way to write records.
type layout struct {
	name                           string
	before, between, after, indent string
}

// layouts write the same records.
func layouts() []layout {
	return []layout{
		{"lines", "", "\n", "", ""},
		{"array", "[", ",", "]", ""},
		{"array, line by line", "[\n", ",\n", "\n]\n", ""},
		{"array on many lines", "[\n  ", ",\n  ", "\n]\n", "  "},
		{"documents", "", " ", "", ""},
		{"documents on many lines", "", "\n", "", " "},
	}
}

func (l layout) write(t *testing.T, records []any) string {
	t.Helper()
	var parts []string
	for _, v := range records {
		raw, err := json.Marshal(v)
		if l.indent != "" {
			prefix := ""
			if l.before != "" {
				prefix = l.indent
			}
			raw, err = json.MarshalIndent(v, prefix, l.indent)
		}
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, string(raw))
	}
	return l.before + strings.Join(parts, l.between) + l.after
}

func randomRecords(rnd *rand.Rand) []any {
	var all []any
	for i := range 2 + rnd.IntN(8) {
		r := map[string]any{"id": i, "name": fmt.Sprintf("n%d, {\"x\"}", i*i)}
		if rnd.IntN(2) == 0 {
			r["items"] = []any{map[string]any{"id": -i, "ok": true}, map[string]any{"id": -i - 1}}
		}
		if rnd.IntN(2) == 0 {
			r["z"] = map[string]any{"a": []any{1.5, nil, "]"}, "b": map[string]any{}}
		}
		all = append(all, r)
	}
	return all
}

// TestLayouts: the same records have the same values however they are written.
func TestLayouts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		records := randomRecords(rnd)
		for _, l := range layouts() {
			text := l.write(t, records)
			o := read(t, text, Options{SlabBytes: 1 + rnd.IntN(200), headBytes: 16})
			if len(o.bad) > 0 || len(o.rows) != len(records) || o.err != nil || len(o.r.Notes()) > 0 {
				t.Fatalf("%s: %q\n%s", l.name, text, o)
			}
			for i, row := range o.rows {
				want, err := json.Marshal(records[i])
				if err != nil {
					t.Fatal(err)
				}
				var got bytes.Buffer
				if err := json.Compact(&got, []byte(row[strings.Index(row, " "):])); err != nil || got.String() != string(want) {
					t.Fatalf("%s: row %d is %s, want %s, %v", l.name, i, got.String(), want, err)
				}
			}
		}
	}
}

// TestOneByteWrong: one byte too many, too few or wrong makes no row of what is
// none, and costs no record that does not share a line with it; in an array on one
// line hardly any.
func TestOneByteWrong(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	lost := map[string]int{}
	const rounds = 1500
	for range rounds {
		records := randomRecords(rnd)
		for _, l := range layouts() {
			text := l.write(t, records)
			at := rnd.IntN(len(text))
			b := "{}[],:\"\\ x0"[rnd.IntN(11)]
			if b == '{' && text[at] == ' ' {
				continue // looks like the beginning of a record
			}
			wrong := text[:at] + []string{"", string(b), string(b) + text[at:at+1]}[rnd.IntN(3)] + text[at+1:]
			o := read(t, wrong, Options{})
			found := map[string]bool{}
			for _, row := range o.rows {
				id, _, _ := strings.Cut(strings.Join(strings.Fields(row)[1:], ""), ",")
				found[strings.TrimSuffix(id, "}")] = true
				if strings.HasPrefix(id, `{"id":-`) {
					t.Errorf("%s: %q: %s is no row\n%s%q", l.name, wrong, row, o, o.why)
				}
			}
			missing := 0
			for i := range records {
				if !found[fmt.Sprintf(`{"id":%d`, i)] {
					missing++
				}
			}
			// The byte may be a line end, or begin or end the array.
			lost[l.name] += missing
			if l.name == "lines" && missing > 1 && text[at] != '\n' {
				t.Errorf("%s: %q\n%s%q", l.name, wrong, o, o.why)
			}
		}
	}
	for _, l := range layouts() {
		if n := lost[l.name]; n > rounds && l.name != "documents" {
			t.Errorf("%s: lost %d records to %d wrong bytes", l.name, n, rounds)
		}
	}
}
