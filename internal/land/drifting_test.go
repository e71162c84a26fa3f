package land_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/event"
)

// form is what a column, or a part of one, is of in a file.
type form struct {
	name string
	// shape is "" for a scalar, else struct, list or map.
	shape string
	// kind is that of scalars, typ what Parquet keeps it as.
	kind string
	typ  arrow.DataType
	// parts are the fields of a struct, or the one element of lists and maps.
	parts []form
}

// kind is a sort of scalar: how text writes it, as which types Parquet keeps it,
// and whether JSON quotes it.
type kind struct {
	values []string
	types  []arrow.DataType
	quoted bool
}

func kinds() map[string]kind {
	t := arrow.PrimitiveTypes
	text := []arrow.DataType{arrow.BinaryTypes.String}
	return map[string]kind{
		"tiny":    {[]string{"0", "1", "-7", "100"}, []arrow.DataType{t.Int8, t.Int16, t.Int32}, false},
		"int":     {[]string{"0", "1", "-7", "300", "2147483647"}, []arrow.DataType{t.Int32, t.Int64}, false},
		"long":    {[]string{"5", "9007199254740992", "9007199254740993", "9223372036854775807"}, []arrow.DataType{t.Int64, t.Uint64}, false},
		"cents":   {[]string{"2.50", "-1.25", "0.10", "99.9"}, []arrow.DataType{&arrow.Decimal128Type{Precision: 6, Scale: 2}, &arrow.Decimal128Type{Precision: 12, Scale: 2}}, false},
		"money":   {[]string{"1.2345", "123456789012345.6789", "7"}, []arrow.DataType{&arrow.Decimal128Type{Precision: 20, Scale: 4}}, false},
		"half":    {[]string{"0.5", "-2.25", "16777216"}, []arrow.DataType{t.Float32, t.Float64}, false},
		"double":  {[]string{"0.1", "2.5E+10", "1.5E-7", "3"}, []arrow.DataType{t.Float64}, false},
		"boolean": {[]string{"true", "false"}, []arrow.DataType{arrow.FixedWidthTypes.Boolean}, false},
		"date":    {[]string{"2026-01-31", "2024-02-29", "1969-12-31"}, []arrow.DataType{arrow.FixedWidthTypes.Date32}, true},
		"instant": {[]string{"2026-01-31T10:00:00Z", "2026-01-31T00:00:00Z", "1969-12-31T23:59:59.5Z"}, []arrow.DataType{arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Timestamp_ms}, true},
		"digits":  {[]string{"12", "7", "-3"}, text, true},
		"code":    {[]string{"007", "+5", "00"}, text, true},
		"text":    {[]string{"x", "é", "two words", "a,b", `"q"`}, text, true},
		"nothing": {[]string{"N/A", "-"}, text, true},
		"void":    {nil, []arrow.DataType{arrow.Null}, false},
	}
}

// tracks are what columns become as time goes.
func tracks() [][]string {
	return [][]string{
		{"tiny", "int", "long"},
		{"int", "cents"},
		{"int", "half", "double"},
		{"cents", "money"},
		{"cents", "double"},
		{"half", "int"},
		{"double", "long"},
		{"date", "instant"},
		{"int", "text"},
		{"digits", "int"},
		{"code", "int"},
		{"void", "int"},
		{"void", "text"},
		{"boolean", "text"},
		{"text"},
		{"date"},
		{"int"},
		{"money", "text"},
		{"nothing", "int"},
		{"boolean", "int"},
	}
}

// drifting is a feed whose columns come, go and become others. Files come on
// their days, whatever their times.
type drifting struct {
	scene
	// as is the format: csv, lines, list or parquet.
	as     string
	specs  []spec
	files  []delivery
	limits []int
}

// spec is what a column is over the life of a feed.
type spec struct {
	names []string
	shape string
	track []string
	parts []spec
}

// delivery is a file that comes on a day.
type delivery struct {
	name      string
	day, time int
	rows      []string // as JSON objects, in the form of the file's columns
	text      string
}

func rarely(rt *rapid.T, n int, what string) bool { return rapid.IntRange(0, n).Draw(rt, what) == n }

func drawDrifting(rt *rapid.T, as string, p contract.Policy) drifting {
	f := drifting{as: as}
	f.policy = p
	rewrites, _ := p.Action(event.FileRewritten)
	f.tree, f.parquet = as == "lines" || as == "list", as == "parquet"
	f.moving = f.parquet && rapid.Bool().Draw(rt, "moving")
	f.unit = rapid.SampledFrom([]int64{0, 1, 200}).Draw(rt, "unit")
	f.target = rapid.SampledFrom([]int64{0, 0, 1}).Draw(rt, "target")
	for _, names := range [][]string{{"a", "A"}, {"b", "B"}, {"c"}, {"x y", "X y"}}[:rapid.IntRange(1, 4).Draw(rt, "columns")] {
		f.specs = append(f.specs, f.spec(rt, names, 0))
	}
	days := rapid.IntRange(1, 4).Draw(rt, "days")
	for day := range days {
		f.limits = append(f.limits, rapid.IntRange(1, 3).Draw(rt, "files of a batch"))
		for n := range rapid.IntRange(1, 3).Draw(rt, "files") {
			d := delivery{name: fmt.Sprintf("f%d-%d.%s", day, n, as), day: day, time: rapid.IntRange(0, 9).Draw(rt, "time")}
			if day > 0 && rewrites == "replace" && rarely(rt, 6, "rewritten") {
				d.name = f.files[0].name
				if slices.ContainsFunc(f.files, func(o delivery) bool { return o.name == d.name && o.day == day }) {
					continue
				}
				d.time = 10 + day
			}
			f.fill(rt, &d, len(f.files), float64(day)/float64(days))
			f.files = append(f.files, d)
		}
	}
	return f
}

func (f drifting) spec(rt *rapid.T, names []string, depth int) spec {
	s := spec{names: names, track: rapid.SampledFrom(tracks()).Draw(rt, "track")}
	if f.as == "csv" || depth > 1 {
		return s
	}
	s.shape = rapid.SampledFrom([]string{"", "", "", "struct", "list", "map"}).Draw(rt, "shape")
	if s.shape == "map" && !f.parquet {
		s.shape = ""
	}
	switch s.shape {
	case "struct":
		s.parts = []spec{f.spec(rt, []string{"p", "P"}, depth+1), f.spec(rt, []string{"q"}, depth+1)}
	case "list", "map":
		s.parts = []spec{f.spec(rt, []string{"element"}, depth+1)}
	}
	return s
}

// form is what a column is in a file of a time between 0 and 1.
func (s spec) form(rt *rapid.T, time float64) form {
	f := form{name: s.names[0], shape: s.shape}
	if len(s.names) > 1 && rarely(rt, 4, "casing") {
		f.name = s.names[1]
	}
	if s.shape != "" && rarely(rt, 14, "other shape") {
		f.shape = ""
	}
	if f.shape == "" {
		at := int(time*float64(len(s.track))) + rapid.IntRange(-1, 1).Draw(rt, "ahead")
		f.kind = s.track[min(max(at, 0), len(s.track)-1)]
		if rarely(rt, 24, "stray column") {
			f.kind = rapid.SampledFrom([]string{"int", "long", "cents", "double", "boolean", "date", "instant", "text"}).Draw(rt, "kind")
		}
		f.typ = rapid.SampledFrom(kinds()[f.kind].types).Draw(rt, "type")
		return f
	}
	for _, p := range s.parts {
		if f.shape != "struct" || len(f.parts) == 0 || !rarely(rt, 3, "no field") {
			f.parts = append(f.parts, p.form(rt, time))
		}
	}
	return f
}

// fill draws the columns and rows of a file.
func (f drifting) fill(rt *rapid.T, d *delivery, n int, time float64) {
	all := []form{{name: "id", kind: "text", typ: arrow.BinaryTypes.String}}
	for _, s := range f.specs {
		if !rarely(rt, 4, "column missing") {
			all = append(all, s.form(rt, time))
		}
	}
	all = rapid.Permutation(all).Draw(rt, "order")
	least := 0
	if d.time >= 10 {
		least = 1 // an empty file does not take the place of rows
	}
	for row := range rapid.IntRange(least, 4).Draw(rt, "rows") {
		members := make([]string, len(all))
		for i, c := range all {
			v := f.value(rt, c)
			if c.name == "id" {
				v = fmt.Sprintf(`"f%d-%d"`, n, row)
			}
			members[i] = fmt.Sprintf("%q:%s", c.name, v)
		}
		d.rows = append(d.rows, "{"+strings.Join(members, ",")+"}")
	}
	f.write(rt, d, all)
	if (f.as == "csv" || f.as == "lines") && rarely(rt, 8, "damaged") {
		d.text += map[string]string{"csv": `"bad"x` + strings.Repeat(",1", len(all)-1) + "\n", "lines": `{"a":1,` + "\n"}[f.as]
	}
}

// write makes a file of its rows.
func (f drifting) write(t fataler, d *delivery, all []form) {
	switch f.as {
	case "parquet":
		d.text = parquetOf(t, all, d.rows)
	case "csv":
		d.text = csvOf(all, d.rows)
	case "list":
		d.text = "[" + strings.Join(d.rows, ",\n") + "]\n"
	default:
		d.text = strings.Join(append(slices.Clone(d.rows), ""), "\n")
	}
}

// value draws a value as JSON writes it.
func (f drifting) value(rt *rapid.T, c form) string {
	if rarely(rt, 5, "null") {
		return "null"
	}
	switch c.shape {
	case "struct":
		members := make([]string, len(c.parts))
		for i, p := range c.parts {
			members[i] = fmt.Sprintf("%q:%s", p.name, f.value(rt, p))
		}
		return "{" + strings.Join(members, ",") + "}"
	case "list", "map":
		var all []string
		for i := range rapid.IntRange(0, 2).Draw(rt, "elements") {
			v := f.value(rt, c.parts[0])
			if c.shape == "map" {
				v = fmt.Sprintf(`{"key":"k%d","value":%s}`, i, v)
			}
			all = append(all, v)
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	of := kinds()[c.kind]
	if !f.parquet && rarely(rt, 9, "stray") {
		of = kinds()[rapid.SampledFrom([]string{"int", "long", "cents", "double", "boolean", "date", "instant", "text", "nothing", "code"}).Draw(rt, "kind")]
	}
	if len(of.values) == 0 {
		return "null"
	}
	v := rapid.SampledFrom(of.values).Draw(rt, "value")
	_, decimal := c.typ.(*arrow.Decimal128Type)
	if of.quoted || f.parquet && decimal {
		return quoted(v)
	}
	return v
}

func quoted(v string) string {
	text, err := json.Marshal(v)
	if err != nil {
		return `""`
	}
	return string(text)
}

// csvOf is a file of CSV of rows of scalars.
func csvOf(all []form, rows []string) string {
	var b strings.Builder
	for i, c := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(c.name)
	}
	b.WriteByte('\n')
	for _, row := range rows {
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(row), &members); err != nil {
			panic(err)
		}
		for i, c := range all {
			if i > 0 {
				b.WriteByte(',')
			}
			var v any
			text := string(members[c.name])
			if err := json.Unmarshal(members[c.name], &v); err != nil {
				panic(err)
			}
			switch v := v.(type) {
			case nil:
				text = ""
			case string:
				if text = v; strings.ContainsAny(v, "\",\r\n") || strings.TrimSpace(v) != v || v == "" {
					text = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
				}
			}
			b.WriteString(text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (c form) arrow() arrow.DataType {
	switch c.shape {
	case "struct":
		return arrow.StructOf(arrowFields(c.parts)...)
	case "list":
		return arrow.ListOf(c.parts[0].arrow())
	case "map":
		return arrow.MapOf(arrow.BinaryTypes.String, c.parts[0].arrow())
	}
	return c.typ
}

func arrowFields(all []form) []arrow.Field {
	fields := make([]arrow.Field, len(all))
	for i, c := range all {
		fields[i] = arrow.Field{Name: c.name, Type: c.arrow(), Nullable: true}
	}
	return fields
}

// fataler is a test, of rapid or not.
type fataler interface{ Fatal(args ...any) }

// parquetOf is a Parquet file of rows, as another writer makes it, in row groups of
// two rows.
func parquetOf(t fataler, all []form, rows []string) string {
	s := arrow.NewSchema(arrowFields(all), nil)
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader("["+strings.Join(rows, ",")+"]"))
	if err != nil {
		t.Fatal(err, s, rows)
	}
	defer rec.Release()
	var b bytes.Buffer
	w, err := pqarrow.NewFileWriter(s, &b, parquet.NewWriterProperties(parquet.WithMaxRowGroupLength(2)), pqarrow.DefaultWriterProps())
	if err == nil {
		err = w.Write(rec)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err, s, rows)
	}
	return b.String()
}
