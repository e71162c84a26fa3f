package laws_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// kinds are values by kind, as CSV and JSON write them. Columns are mostly of one.
func kinds() []struct {
	name   string
	values []string
} {
	return []struct {
		name   string
		values []string
	}{
		{"integer", []string{"0", "1", "-7", "42", "300", "9007199254740993", "9223372036854775807", "-9223372036854775808"}},
		{"big", []string{"9223372036854775808", "92233720368547758070", "1", "123456789012345678901234567890123456789"}},
		{"decimal", []string{"0.5", "2.50", "-1.25", "1.0", "12345678901234567.89", "0.1", "-0.0", "3.4028234663852886"}},
		{"float", []string{"1.5E-7", "2e+10", "-0", "1.0e5", "1.5E-400", "4.9e-324", "1.7976931348623157e+308", "2.5"}},
		{"special", []string{"NaN", "Inf", "-Infinity", "1.5"}},
		{"boolean", []string{"true", "false", "TRUE", "False"}},
		{"date", []string{"2026-01-31", "2024-02-29", "0001-01-01", "9999-12-31"}},
		{"other date", []string{"31/01/2026", "29/02/2024", "01.02.2026 10:30"}},
		{"clock", []string{"2026-01-31 10:00:00", "2026-01-31T10:00:00.123456", "2026-03-08 02:30:00", "2026-11-01 01:30:00", "2026-01-31T10:00"}},
		{"instant", []string{"2026-01-31T10:00:00Z", "2026-01-31 10:00:00+02:00", "2026-01-31T10:00:00.5-0330", "1969-12-31T23:59:59.999999Z"}},
		{"code", []string{"007", "+5", "1e5", "00", "-007", "39e1804", "01"}},
		{"text", []string{"x", "y", "long text", "é", " 5", "5 ", "1/2", "0x10", "1_000", "१२", "2026-02-30", "tRuE", "1,5", `a\b`}},
		{"quoting", []string{"two\nlines", `a "quote"`, "a,b", "\r", "\x00\u2028", `{"a":1}`, "\\"}},
		{"nothing", []string{"N/A", "-", "null", "NA", `\N`, ""}},
		{"nanos", []string{"2026-01-31T10:00:00.123456789Z", "2026-01-31T10:00:00.1234560Z"}},
	}
}

// draw draws one value, mostly of a kind; name tells of which it is.
func draw(t *rapid.T, kind int) (v, name string) {
	all := kinds()
	if rarely(t, 8, "stray") {
		kind = rapid.IntRange(0, len(all)-1).Draw(t, "kind")
	}
	return rapid.SampledFrom(all[kind].values).Draw(t, all[kind].name), all[kind].name
}

// drawKind draws what a column is of.
func drawKind(t *rapid.T) int { return rapid.IntRange(0, len(kinds())-1).Draw(t, "kind of column") }

func drawTable(t *rapid.T) file {
	var f file
	if rarely(t, 25, "no text") {
		f.text = rapid.SampledFrom([]string{"", "\n", "\xef\xbb\xbf"}).Draw(t, "text")
		return f
	}
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "b", "c", "c", "more", "x y", " b", "k", "B", "_why", "_source_file"}), 0, 5).Draw(t, "header")
	if len(names) == 0 || !rarely(t, 6, "no id") {
		names = slices.Insert(names, rapid.IntRange(0, len(names)).Draw(t, "at"), "id")
	}
	types := make([]int, len(names))
	for i := range types {
		types[i] = drawKind(t)
	}
	f.header = strings.Join(names, ",")
	for range rapid.IntRange(0, 5).Draw(t, "records") {
		f.records = append(f.records, drawRow(t, types))
	}
	f.style = rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "line end")
	f.text = f.header
	for _, r := range f.records {
		f.text += f.style + r.text
	}
	f.end(t)
	return f
}

// end draws what stands around the records.
func (f *file) end(t *rapid.T) {
	if !rarely(t, 4, "not ended") {
		f.text += "\n"
	}
	if rarely(t, 8, "mark") {
		f.text = "\xef\xbb\xbf" + f.text
	}
}

func drawRow(t *rapid.T, types []int) record {
	if rarely(t, 15, "bad") {
		bad := []string{`"bad"x,1`, "\"q\"\"\"y", "\xff"}
		return record{rapid.SampledFrom(bad).Draw(t, "record"), true}
	}
	width := len(types)
	if rarely(t, 8, "ragged") {
		width = rapid.IntRange(1, len(types)+2).Draw(t, "width")
	}
	fields := make([]string, width)
	for i := range fields {
		kind := 0
		if i < len(types) {
			kind = types[i]
		}
		v, _ := draw(t, kind)
		switch rapid.IntRange(0, 9).Draw(t, "how") {
		case 0:
			v = ""
		case 1:
			v = quoted(v)
		default:
			if strings.ContainsAny(v, "\",\n\r") || v == "" {
				v = quoted(v)
			}
		}
		fields[i] = v
	}
	return record{text: strings.Join(fields, ",")}
}

func quoted(v string) string { return `"` + strings.ReplaceAll(v, `"`, `""`) + `"` }

func drawTrees(t *rapid.T) file {
	var f file
	if rarely(t, 25, "no text") {
		f.text = rapid.SampledFrom([]string{"", "\n", "[]", "\xef\xbb\xbf"}).Draw(t, "text")
		return f
	}
	f.style = rapid.SampledFrom([]string{"lines", "lines", "lines", "list", "indented", "dense"}).Draw(t, "style")
	types := map[string]int{}
	for range rapid.IntRange(0, 5).Draw(t, "records") {
		f.records = append(f.records, drawRecord(t, f.style, types))
	}
	texts := make([]string, len(f.records))
	for i, r := range f.records {
		texts[i] = r.text
	}
	switch f.style {
	case "list":
		f.text = "[" + strings.Join(texts, ",\n") + "]"
	case "dense":
		f.text = strings.Join(texts, "")
	default:
		f.text = strings.Join(texts, rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(t, "line end"))
	}
	f.end(t)
	return f
}

func drawRecord(t *rapid.T, style string, types map[string]int) record {
	if style == "lines" && rarely(t, 15, "bad") {
		bad := []string{`{"a":1,}`, `{"a" 1}`, `{a:1}`, `{"a":01}`, `{"a":tru}`, `{"a":"x}`}
		return record{rapid.SampledFrom(bad).Draw(t, "record"), true}
	}
	if style == "list" && rarely(t, 10, "no object") {
		return record{text: rapid.SampledFrom([]string{"7", `"x"`, "null", "[]", "[1,{\"a\":2}]", "{}"}).Draw(t, "record")}
	}
	text := drawObject(t, 0, types)
	if style == "indented" {
		var b bytes.Buffer
		if err := json.Indent(&b, []byte(text), "", " "); err != nil {
			t.Fatal(err)
		}
		text = b.String()
	}
	return record{text: text}
}

func drawObject(t *rapid.T, depth int, types map[string]int) string {
	names := []string{"a", "A", "b", "c", "more", "x y", "k", " b", "_why", "a.b", "_source_file", ""}
	least := 0
	if depth > 0 {
		names, least = []string{"p", "P", "q", "p", "q q", ""}, 0
	}
	var members []string
	if depth == 0 && !rarely(t, 6, "no id") {
		members = append(members, `"id":`+drawValue(t, "id", depth, types))
	}
	for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), least, 4).Draw(t, "members") {
		text := text(name)
		if rarely(t, 12, "escaped name") {
			text = escaped(name)
		}
		members = append(members, text+":"+drawValue(t, name, depth, types))
	}
	if rarely(t, 10, "space") {
		return "{ " + strings.Join(members, " , ") + " }"
	}
	return "{" + strings.Join(members, ",") + "}"
}

// drawValue draws the value of a member. What is under one name is mostly of one
// shape and kind.
func drawValue(t *rapid.T, name string, depth int, types map[string]int) string {
	at := fmt.Sprint(depth, name)
	if _, known := types[at]; !known {
		types[at] = rapid.IntRange(0, 4).Draw(t, "shape of name")*100 + drawKind(t)
	}
	shape, kind := types[at]/100, types[at]%100
	if rarely(t, 8, "other shape") {
		shape = rapid.IntRange(0, 5).Draw(t, "shape")
	}
	switch {
	case shape == 5:
		return rapid.SampledFrom([]string{"null", "{}", "[]", "null"}).Draw(t, "empty")
	case shape == 4 && depth < 2:
		return drawObject(t, depth+1, types)
	case shape == 3 && depth < 2:
		var all []string
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			all = append(all, drawValue(t, name, depth+1, types))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	v, of := draw(t, kind)
	bare := of == "integer" || of == "big" || of == "decimal" || of == "float" || of == "boolean" || v == "null" || v == "1e5"
	if bare && json.Valid([]byte(v)) && !rarely(t, 4, "as text") {
		return v
	}
	switch {
	case rarely(t, 12, "escaped"):
		return escaped(v)
	case rarely(t, 40, "half"):
		return `"\ud800x"`
	}
	return text(v)
}

// text is a text as JSON writes it.
func text(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// escaped is the same with an escape for every character.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return `"` + b.String() + `"`
}
