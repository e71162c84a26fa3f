package land_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/format/csv"
	"landfall/internal/parquetfile"
	"landfall/internal/table/delta"
)

// TestEveryValueIsFound lands random feeds in random cuts. Each value of the
// files as they are in the end stands once in a column, in the rescue column or
// in quarantine, and no other value does, whatever the number of workers.
func TestEveryValueIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := feedOf(rt)
		var tables []string
		for _, workers := range []int{1, 3} {
			tables = append(tables, f.land(rt, t, workers))
		}
		if tables[0] != tables[1] {
			rt.Fatalf("one worker and three land different rows:\n%s\n%s", tables[0], tables[1])
		}
	})
}

// randomFeed is what a vendor may send: files by day, and their values.
type randomFeed struct {
	days   []map[string]randomFile
	limits []int
}

type randomFile struct {
	text   string
	values []string
}

// feedOf draws a feed. Every value is another.
func feedOf(rt *rapid.T) randomFeed {
	var f randomFeed
	serial := 0
	for range rapid.IntRange(1, 3).Draw(rt, "days") {
		day := map[string]randomFile{}
		for range rapid.IntRange(1, 4).Draw(rt, "files") {
			name := fmt.Sprintf("f%d.csv", rapid.IntRange(0, 4).Draw(rt, "file"))
			day[name] = fileOf(rt, &serial)
		}
		f.days = append(f.days, day)
		f.limits = append(f.limits, rapid.IntRange(1, 4).Draw(rt, "files of a batch"))
	}
	return f
}

func fileOf(rt *rapid.T, serial *int) randomFile {
	pool := []string{"name", "Name", "NAME", "a b", "a_b", "a;b", "city", "zip", "", "_rescued_data", "π"}
	header := rapid.SliceOfN(rapid.SampledFrom(pool), 0, 5).Draw(rt, "header")
	id := rapid.SampledFrom([]string{"id", "ID"}).Draw(rt, "id")
	header = slices.Insert(header, rapid.IntRange(0, len(header)).Draw(rt, "at"), id)
	var f randomFile
	var b strings.Builder
	b.WriteString(line(rt, header))
	for range rapid.IntRange(0, 6).Draw(rt, "records") {
		width := len(header)
		switch rapid.SampledFrom([]string{"good", "good", "good", "short", "long", "bad"}).Draw(rt, "record") {
		case "short":
			width = rapid.IntRange(1, width).Draw(rt, "width")
		case "long":
			width += rapid.IntRange(1, 3).Draw(rt, "more")
		case "bad":
			f.values = append(f.values, fmt.Sprintf("v%d.", *serial), fmt.Sprintf("v%d.", *serial+1))
			fmt.Fprintf(&b, "v%d.,\"v%d.\"x\n", *serial, *serial+1)
			*serial += 2
			continue
		}
		record := make([]string, width)
		for i := range record {
			if rapid.IntRange(0, 3).Draw(rt, "null") == 0 {
				continue
			}
			*serial++
			record[i] = fmt.Sprintf("v%d.", *serial-1) + rapid.SampledFrom([]string{"", ",", "\n", "\"", " ", "ä", ";x", "{}"}).Draw(rt, "more")
			f.values = append(f.values, record[i])
		}
		b.WriteString(line(rt, record))
	}
	f.text = b.String()
	return f
}

// line writes a record, with more quotes than it needs.
func line(rt *rapid.T, fields []string) string {
	out := make([]string, len(fields))
	for i, v := range fields {
		if strings.ContainsAny(v, ",\n\"") || v != "" && rapid.Bool().Draw(rt, "quoted") {
			v = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
		}
		out[i] = v
	}
	return strings.Join(out, ",") + rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(rt, "end")
}

// land lands the feed and looks for its values. It returns the table's rows,
// sorted.
func (f randomFeed) land(rt *rapid.T, t *testing.T, workers int) string {
	l := afterDays(t, 0, scene{workers: workers, options: csv.Options{Delimiter: ",", Quote: '"'}})
	want := map[string]randomFile{}
	for n, day := range f.days {
		for _, name := range slices.Sorted(maps.Keys(day)) {
			l.put(name, day[name].text, nil)
		}
		maps.Copy(want, day)
		p := l.next()
		p.limits.Files = f.limits[n]
		r, err := p.land(t.Context())
		if err != nil {
			rt.Fatalf("day %d: %v", n+1, err)
		}
		for _, b := range r.Batches {
			if b.RowsIn != b.RowsLanded+b.RowsQuarantined+b.RowsDropped || b.Bytes.In != b.Bytes.Records+b.Bytes.Framing+b.Bytes.Bad {
				rt.Fatalf("day %d: the sums do not hold: %+v", n+1, b)
			}
		}
	}
	found, rows := l.found(rt)
	held := l.held(rt)
	for name, file := range want {
		for _, v := range file.values {
			token := v[:strings.Index(v, ".")+1]
			if n := found[v] + strings.Count(held, token); n != 1 {
				rt.Fatalf("%s: value %q was found %d times, want once; file:\n%s\ntable: %v\nquarantine: %s", name, v, n, file.text, rows, held)
			}
			delete(found, v)
		}
	}
	if len(found) > 0 {
		rt.Fatalf("found values that no file holds: %v", found)
	}
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}

// found counts the values in the columns and the rescue column, and renders the
// rows.
func (l *landed) found(rt *rapid.T) (values map[string]int, rows []string) {
	values = map[string]int{}
	snap, err := delta.Open(l.data, delta.Options{}).Snapshot(l.t.Context())
	if err != nil {
		rt.Fatal(err)
	}
	for _, f := range snap.Files() {
		o, err := l.data.Open(l.t.Context(), f.Path)
		if err != nil {
			rt.Fatal(err)
		}
		for rec, err := range parquetfile.Read(l.t.Context(), o, f.Size, nil) {
			if err != nil {
				rt.Fatal(err)
			}
			for i := range int(rec.NumRows()) {
				var row []string
				for c, field := range rec.Schema().Fields() {
					texts, ok := rec.Column(c).(*array.String)
					if !ok || texts.IsNull(i) {
						continue
					}
					v := texts.Value(i)
					row = append(row, field.Name+"="+v)
					switch field.Name {
					case contract.SourceFile:
					case contract.RescuedData:
						for _, r := range rescued(rt, v) {
							values[r]++
						}
					default:
						values[v]++
					}
				}
				slices.Sort(row)
				rows = append(rows, strings.Join(row, " "))
			}
		}
	}
	return values, rows
}

// rescued are the values in a cell of the rescue column.
func rescued(rt *rapid.T, cell string) []string {
	var fields map[string]any
	if err := json.Unmarshal([]byte(cell), &fields); err != nil {
		rt.Fatalf("rescue column: %v in %s", err, cell)
	}
	var values []string
	for name, v := range fields {
		switch v := v.(type) {
		case string:
			if name != "_file_path" {
				values = append(values, v)
			}
		case []any:
			for _, e := range v {
				if s, ok := e.(string); ok {
					values = append(values, s)
				}
			}
		}
	}
	return values
}

// held is all that is in quarantine now.
func (l *landed) held(rt *rapid.T) string {
	var b strings.Builder
	for q, err := range l.process("").state().Held(l.t.Context()) {
		if err != nil {
			rt.Fatal(err)
		}
		b.Write(q.Bytes)
		b.WriteByte('\n')
	}
	return b.String()
}
