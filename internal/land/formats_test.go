package land_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/format/csv"
	"landfall/internal/hint"
)

// hinted is a column with a hint.
type hinted struct {
	name, hint string
	typ        arrow.DataType
	// draw draws a value as JSON writes it, CSV the same without quotes.
	draw func(rt *rapid.T) string
	// nested says that CSV has no such values.
	nested bool
}

// The formats law: the same rows as CSV, as lines, a list and Parquet give the same
// table under hints for all columns.
func TestFormatsLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		nested := rapid.Bool().Draw(rt, "nested")
		formats := []string{"lines", "list", "parquet"}
		if !nested {
			formats = append(formats, "csv")
		}
		columns := drawHinted(rt, nested)
		var files [][]string // rows of each
		for n := range rapid.IntRange(1, 2).Draw(rt, "files") {
			files = append(files, hintedRows(rt, columns, n))
		}
		first := ""
		for _, as := range formats {
			found := landAs(t, rt, as, columns, files)
			if first == "" {
				first = found
			}
			if strings.Contains(found, contract.RescuedData+"=") {
				rt.Fatalf("%s: values were rescued:\n%s", as, found)
			}
			if found != first {
				rt.Fatalf("%s, then %s:\n%s\n%s", formats[0], as, differing(first, found), strings.Join(files[0], "\n"))
			}
		}
	})
}

// landAs is the table that files in a format make.
func landAs(t *testing.T, rt *rapid.T, as string, columns []hinted, files [][]string) string {
	f := drifting{as: as}
	f.tree, f.parquet = as == "lines" || as == "list", as == "parquet"
	f.moving = f.parquet && rapid.Bool().Draw(rt, "moving")
	f.options = csv.Options{Delimiter: ",", Quote: '"', NoEscape: true, Encoding: "UTF-8"}
	all, hints := make([]form, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		all[i] = form{name: c.name, typ: c.typ}
		hints[i] = "`" + c.name + "` " + c.hint
	}
	set, err := hint.Parse(strings.Join(hints, ", "))
	ok(t, err)
	f.policy.Hints = set
	for n, rows := range files {
		d := delivery{name: fmt.Sprint("f", n), rows: rows}
		f.write(rt, &d, all)
		f.files = append(f.files, d)
	}
	l := f.atOnce(t, rt)
	return l.snapshot().Schema.String() + "\n" + sorted(l.rows())
}

func hintedRows(rt *rapid.T, columns []hinted, n int) []string {
	var rows []string
	for row := range rapid.IntRange(1, 5).Draw(rt, "rows") {
		members := make([]string, len(columns))
		for i, c := range columns {
			v := "null"
			if c.name == "id" {
				v = fmt.Sprintf(`"%d-%d"`, n, row)
			} else if !rarely(rt, 5, "null") {
				v = c.draw(rt)
			}
			members[i] = quoted(c.name) + ":" + v
		}
		rows = append(rows, "{"+strings.Join(members, ",")+"}")
	}
	return rows
}

// drawHinted draws columns; those of Parquet are of the hint's type, or text.
func drawHinted(rt *rapid.T, nested bool) []hinted {
	columns := []hinted{{name: "id", hint: "STRING", typ: arrow.BinaryTypes.String}}
	for _, c := range hints() {
		if c.nested && !nested || rapid.Bool().Draw(rt, "left out") {
			continue
		}
		columns = append(columns, c)
	}
	return rapid.Permutation(columns).Draw(rt, "order")
}

func hints() []hinted {
	t, fixed := arrow.PrimitiveTypes, arrow.FixedWidthTypes
	whole := func(bits int) func(rt *rapid.T) string {
		least, most := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
		return func(rt *rapid.T) string { return fmt.Sprint(rapid.Int64Range(least, most).Draw(rt, "integer")) }
	}
	return []hinted{
		{"n", "BIGINT", t.Int64, whole(64), false},
		{"i", "INT", t.Int32, whole(32), false},
		{"small", "SMALLINT", t.Int16, whole(16), false},
		{"tiny", "TINYINT", t.Int8, whole(8), false},
		{"dec", "DECIMAL(12,3)", &arrow.Decimal128Type{Precision: 12, Scale: 3}, drawDecimal, false},
		{"big", "DECIMAL(38,10)", &arrow.Decimal128Type{Precision: 38, Scale: 10}, drawDecimal, false},
		{"x", "DOUBLE", t.Float64, drawDouble(64), false},
		{"f", "FLOAT", t.Float32, drawDouble(32), false},
		// Doubles whose digits are those of a decimal or an integer, as in text.
		{"money", "DECIMAL(12,3)", t.Float64, drawDecimal, false},
		{"price", "DECIMAL(38,18)", t.Float32, func(rt *rapid.T) string {
			return strconv.FormatFloat(float64(rapid.IntRange(-999_999, 999_999).Draw(rt, "cents"))/100, 'f', -1, 64)
		}, false},
		{"count", "BIGINT", t.Float64, whole(53), false},
		{"few", "TINYINT", t.Float32, whole(8), false},
		{"b", "BOOLEAN", fixed.Boolean, func(rt *rapid.T) string { return fmt.Sprint(rapid.Bool().Draw(rt, "boolean")) }, false},
		{"s", "STRING", arrow.BinaryTypes.String, drawText, false},
		{"x y", "STRING", arrow.BinaryTypes.LargeString, drawText, false},
		{"day", "DATE", fixed.Date32, drawTime(time.DateOnly), false},
		{"at", "TIMESTAMP", fixed.Timestamp_us, drawTime("2006-01-02T15:04:05.999999Z07:00"), false},
		{"wall", "TIMESTAMP", &arrow.TimestampType{Unit: arrow.Microsecond}, drawTime("2006-01-02T15:04:05.999999"), false},
		{"told", "DATE", arrow.BinaryTypes.String, drawTime(time.DateOnly), false},
		{
			"o", "STRUCT<p: BIGINT, q: STRING>", arrow.StructOf(arrow.Field{Name: "p", Type: t.Int64, Nullable: true}, arrow.Field{Name: "q", Type: arrow.BinaryTypes.String, Nullable: true}),
			func(rt *rapid.T) string {
				return fmt.Sprintf(`{"p":%s,"q":%s}`, orNull(rt, whole(64)), orNull(rt, drawText))
			}, true,
		},
		{"l", "ARRAY<DOUBLE>", arrow.ListOf(t.Float64), func(rt *rapid.T) string {
			var all []string
			for range rapid.IntRange(0, 3).Draw(rt, "elements") {
				all = append(all, orNull(rt, drawDouble(64)))
			}
			return "[" + strings.Join(all, ",") + "]"
		}, true},
	}
}

func orNull(rt *rapid.T, draw func(rt *rapid.T) string) string {
	if rarely(rt, 3, "null part") {
		return "null"
	}
	return draw(rt)
}

// drawDecimal draws a decimal of up to three digits after the point.
func drawDecimal(rt *rapid.T) string {
	n := rapid.Int64Range(-999_999_999_999, 999_999_999_999).Draw(rt, "unscaled")
	text := strconv.FormatInt(n/1000, 10) + fmt.Sprintf(".%03d", max(n, -n)%1000)
	if n < 0 && n > -1000 {
		text = "-" + text
	}
	return text
}

func drawDouble(bits int) func(rt *rapid.T) string {
	return func(rt *rapid.T) string {
		if bits == 32 {
			return strconv.FormatFloat(float64(rapid.Float32().Draw(rt, "float")), 'g', -1, 32)
		}
		v := rapid.Float64().Draw(rt, "double")
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return strconv.FormatFloat(v, 'f', 1, 64)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
}

func drawText(rt *rapid.T) string {
	odd := []string{"", " ", `"`, `""`, ",", "\n", "\r\n", "\t", `\`, "é", "\u2028", "\U0001f600", "null", "N/A", "007", "1e5", "{", "a", "\ufeff", "'", "\u0000", " x "}
	return quoted(strings.Join(rapid.SliceOfN(rapid.SampledFrom(odd), 0, 3).Draw(rt, "text"), ""))
}

// drawTime draws an instant between the years 1 and 9999.
func drawTime(layout string) func(rt *rapid.T) string {
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro(), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC).UnixMicro()
	return func(rt *rapid.T) string {
		return quoted(time.UnixMicro(rapid.Int64Range(first, last).Draw(rt, "time")).UTC().Format(layout))
	}
}
