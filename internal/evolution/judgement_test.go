package evolution_test

import (
	"strings"
	"testing"

	"landfall/internal/column/columntest"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/inference"
)

func TestJudge(t *testing.T) {
	many := func(value string, n int, others ...string) []string {
		var out []string
		for range n {
			out = append(out, value)
		}
		return append(out, others...)
	}
	for _, c := range []struct {
		typ    string
		values []string
		want   event.Kind
	}{
		{"bigint", many("1", 99, `"x"`), event.ValueMisfit},
		{"bigint", many(`"1"`, 999, `"x"`), event.ValueMisfit},
		{"bigint", []string{"1", "2.5"}, event.TypeWider}, // decimal
		{"bigint", []string{"2.5"}, event.TypeWider},
		{"bigint", []string{"9223372036854775808"}, event.TypeWider},
		{"bigint", []string{"1.5E-7"}, event.TypeConflict}, // no type holds both
		{"bigint", []string{`"x"`}, event.TypeConflict},
		{"bigint", []string{"true"}, event.TypeConflict},
		{"bigint", []string{`{"a":1}`}, event.TypeConflict},
		{"bigint", []string{`{}`, `[]`}, event.ValueMisfit}, // there is no type yet
		{"bigint", []string{`"N/A"`}, event.TypeConflict},
		{"bigint", many("1", 9, `"N/A"`), event.ValueMisfit},
		{"int", []string{"3000000000"}, event.TypeWider},
		{"double", []string{"1", "0.5"}, event.ValueMisfit},
		{"double", []string{"9007199254740993"}, event.TypeConflict},
		{"decimal(4,2)", []string{"1.234"}, event.TypeWider},
		{"date", []string{`"2026-11-30T10:00:00Z"`}, event.TypeWider},
		{"date", many(`"2026-11-30"`, 199, `"soon"`), event.ValueMisfit},
		{"timestamp", []string{`"2026-11-30"`, `"x"`}, event.TypeConflict},
		{"struct<a:bigint>", many(`{"a":1}`, 99, `"x"`), event.ValueMisfit},
		{"struct<a:bigint>", []string{`"x"`}, event.TypeConflict},
		{"struct<a:bigint>", []string{`[1]`}, event.TypeConflict},
		{"array<bigint>", []string{`[1,2.5]`}, event.TypeWider},
		{"array<bigint>", []string{`["x"]`}, event.TypeConflict},
		{"array<bigint>", []string{`1`}, event.TypeConflict},
		{"array<struct<a:bigint,b:string>>", []string{`[{"a":2.5,"b":1}]`}, event.TypeWider},
		{"array<struct<a:bigint>>", []string{`[{"A":"x"}]`}, event.TypeConflict},
		{"map<string,bigint>", []string{`{"k":1,"l":2.5}`}, event.TypeWider},
		{"map<string,bigint>", []string{`1`}, event.TypeConflict},
	} {
		rows := make([]string, len(c.values))
		for i, v := range c.values {
			rows[i] = `{"v":` + v + `}`
		}
		e := columntest.Trees(t, rows...)
		if got := evolution.Judge(ddl(t, c.typ), e.Fields[0].Evidence, contract.Policy{}); got != c.want {
			t.Errorf("%s of %s: got %s, want %s", c.typ, strings.Join(c.values[max(0, len(c.values)-3):], " "), got, c.want)
		}
	}
	code := columntest.Cells([]string{"v"}, []string{"1"}, []string{"007"}).Fields[0].Evidence
	if got := evolution.Judge(ddl(t, "bigint"), code, contract.Policy{}); got != event.TypeConflict {
		t.Errorf("a code in bigint: got %s", got)
	}
	strings := columntest.Trees(t, `{"v":"1"}`).Fields[0].Evidence
	if got := evolution.Judge(ddl(t, "bigint"), strings, contract.Policy{Preset: contract.AddNewColumns}); got != event.TypeConflict {
		t.Errorf("strings that do not convert: got %s", got)
	}
	text := contract.Policy{Rules: inference.Rules{Strings: true}}
	wide := columntest.Cells([]string{"v"}, []string{"1"}, []string{"2.5"}).Fields[0].Evidence
	if got := evolution.Judge(ddl(t, "bigint"), wide, text); got != event.TypeWider {
		t.Errorf("where all new columns are strings: got %s", got)
	}
}
