//go:build interop

package interop

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"landfall/internal/schema"
	"landfall/internal/value"
)

// TestDatasets reads tables whose columns have no bounds in some files as datasets
// of pyarrow, which deltalake gives one condition for each file: all of its bounds
// and counts of nulls. They have every row, and find each by any column. (Other
// floats than the -1 that is beside a NaN are not asked for: there pyarrow goes by the
// bounds in the Parquet file, which leave NaN out.)
func TestDatasets(t *testing.T) {
	dir := newTable(t)
	a := newAuthor(t, dir)
	for _, c := range datasetColumns() {
		a.grow(c.name, c.t)
	}
	id := int64(0)
	for _, rows := range datasetRows() {
		for _, row := range rows {
			id++
			row["id"] = id
		}
		a.append(rows...)
	}
	var conditions []any
	for _, c := range datasetColumns() {
		conditions = append(conditions, []any{c.name, "null", nil}, []any{c.name, "valid", nil})
		for _, operator := range []string{"=", "!=", "<", ">="} {
			for _, v := range c.asked {
				conditions = append(conditions, []any{c.name, operator, v})
			}
		}
	}
	var found struct {
		Dataset, Table rows
		Found          [][2][]int64
	}
	lake(t).do(t, "dataset", args{"path": dir, "conditions": conditions}, &found)
	same(t, "pyarrow table", found.Table, a.wanted())
	same(t, "pyarrow dataset", found.Dataset, a.wanted())
	chosen := 0
	for i, ids := range found.Found {
		if !reflect.DeepEqual(ids[0], ids[1]) {
			t.Errorf("%v: the dataset finds %v, the rows are %v", conditions[i], ids[0], ids[1])
		}
		chosen += len(ids[1])
	}
	if len(found.Found) != len(conditions) || chosen < 2*len(conditions) {
		t.Errorf("%d answers of %d conditions, %d rows", len(found.Found), len(conditions), chosen)
	}
}

// asked is a column and the values that conditions compare it with.
type asked struct {
	name  string
	t     schema.Type
	asked []string
}

func datasetColumns() []asked {
	return []asked{
		{"id", schema.Long, []string{"1", "4"}},
		{"x", schema.Double, []string{"0", "1.5", "-2", "inf", "-inf"}},
		{"f", schema.Float, []string{"0.25"}},
		{"dec", schema.Decimal{Precision: 38, Scale: 4}, []string{"0.0000", "-1844674407370955.1616", "12345678901234567890123456789012.3456"}},
		{"low", schema.Decimal{Precision: 10, Scale: 2}, []string{"-5.55", "1.00"}},
		{"u", schema.Decimal{Precision: 20}, []string{"18446744073709551615", "7"}},
		{"none", schema.Double, []string{"1"}},
		{"s", schema.String, []string{"", "b", strings.Repeat("a", 40)}},
		{"at", schema.Timestamp, []string{"2026-11-30 10:00:00.000001+00:00", "1970-01-01 00:00:00+00:00"}},
		{"day", schema.Date, nil},
		{"ok", schema.Boolean, []string{"true", "false"}},
		{"raw", schema.Binary, nil},
		{"l", listOf(schema.Double), nil},
		{"o", structOf("x", schema.Double, "s", schema.String), nil},
	}
}

// datasetRows are those of each file.
func datasetRows() [][]map[string]any {
	wide, most := value.Int128{High: -1}, value.Int128{High: 6692605942, Low: 14083847773837265618}
	const now = 1796032800000001 // 2026-11-30T10:00:00.000001Z
	plain := map[string]any{
		"x": 1.5, "f": 0.25, "dec": value.Int128{}, "low": int64(100), "u": value.Int128{Low: 7}, "s": "b",
		"at": int64(now), "day": int64(1), "ok": true, "raw": "\xff", "l": list{1.0}, "o": object{math.NaN(), "x"},
	}
	with := func(changed ...any) map[string]any {
		row := map[string]any{}
		for k, v := range plain {
			row[k] = v
		}
		for i := 0; i < len(changed); i += 2 {
			row[fmt.Sprint(changed[i])] = changed[i+1]
		}
		return row
	}
	return [][]map[string]any{
		{with(), with("x", -2.0, "low", int64(-555), "ok", false)},
		{with("x", math.NaN()), with("x", 3.0)},
		{with("x", math.NaN()), with("x", nil)},
		{with("x", math.Inf(1), "f", math.NaN()), with("x", math.Inf(-1), "f", -1.0)},
		{with("x", math.Copysign(0, -1)), with("x", 0.0)},
		{with("dec", wide, "u", value.Int128{Low: math.MaxUint64}), with("dec", most)},
		{{}, {}},
		{with("s", ""), with("s", strings.Repeat("a", 40)), with("s", strings.Repeat("é", 2000))},
		{with("s", strings.Repeat("\U0010FFFF", 70)), with()},
		{with("at", int64(now*100)), with("at", int64(0), "day", int64(3_000_000))},
	}
}
