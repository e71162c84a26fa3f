package engine_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"landfall/internal/engine"
)

// result is a result of one column "v" with one value a row.
func result(values ...engine.Value) engine.Result {
	return engine.Result{
		Columns: []engine.Column{{Name: "v"}},
		Rows: func(yield func([]engine.Value, error) bool) {
			for _, v := range values {
				if !yield([]engine.Value{v}, nil) {
					return
				}
			}
		},
	}
}

func TestTextAndJSON(t *testing.T) {
	at := time.Date(2026, 10, 2, 10, 0, 0, 250_000_000, time.FixedZone("", 7200))
	for _, c := range []struct {
		value      engine.Value
		text, json string
	}{
		{nil, "NULL", `null`},
		{true, "true", `true`},
		{int64(math.MinInt64), "-9223372036854775808", `-9223372036854775808`},
		{float32(0.1), "0.1", `0.1`},
		{1e21, "1e+21", `1e+21`},
		{123456789.5, "123456789.5", `123456789.5`},
		{math.NaN(), "NaN", `"NaN"`},
		{math.Inf(-1), "-Infinity", `"-Infinity"`},
		{engine.Number("-12.50"), "-12.50", `-12.50`},
		{`say "<hi>"` + "\n\x01ü", `say "<hi>"` + "\n\x01ü", `"say \"<hi>\"\n\u0001ü"`},
		{`"quoted"`, `"quoted"`, `"\"quoted\""`},
		{[]byte{0, 255}, "00ff", `"AP8="`},
		{engine.Date(at), "2026-10-02", `"2026-10-02"`},
		{engine.Instant(at), "2026-10-02T08:00:00.25Z", `"2026-10-02T08:00:00.25Z"`},
		{engine.WallClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), "2026-01-02T03:04:05", `"2026-01-02T03:04:05"`},
		{engine.List{nil, "a"}, `[null,"a"]`, `[null,"a"]`},
		{engine.Struct{{"z", int64(1)}, {"a", engine.List{}}}, `{"z":1,"a":[]}`, `{"z":1,"a":[]}`},
		{engine.Map{{int64(2), "b"}, {int64(1), nil}}, `{"2":"b","1":null}`, `{"2":"b","1":null}`},
	} {
		var out strings.Builder
		if _, err := engine.WriteNDJSON(&out, result(c.value)); err != nil {
			t.Fatal(err)
		}
		if got, want := out.String(), `{"v":`+c.json+"}\n"; got != want {
			t.Errorf("JSON of %v: got %s, want %s", c.value, got, want)
		}
		if got := engine.Text(c.value); got != c.text {
			t.Errorf("text of %v: got %s, want %s", c.value, got, c.text)
		}
	}
}

func TestRowsBeforeAnErrorAreWritten(t *testing.T) {
	broken := errors.New("broken")
	r := result()
	r.Rows = func(yield func([]engine.Value, error) bool) {
		_ = yield([]engine.Value{int64(1)}, nil) && yield(nil, broken)
	}
	var out strings.Builder
	n, err := engine.WriteNDJSON(&out, r)
	if n != 1 || !errors.Is(err, broken) || out.String() != "{\"v\":1}\n" {
		t.Errorf("got %d, %v, %q", n, err, out.String())
	}
}

func TestMentions(t *testing.T) {
	for _, c := range []struct {
		sql, name string
		want      bool
	}{
		{"SELECT * FROM Orders", "bronze.orders", true},
		{"SELECT 1", "orders", false},
		{`FROM "we""ird"`, `we"ird`, true},
		{"SHOW TABLES", "orders", true},
		{"select * from information_schema.tables", "orders", true},
		{"FROM events()", "events", true},
	} {
		if got := engine.Mentions(c.sql, c.name); got != c.want {
			t.Errorf("Mentions(%q, %q) = %t", c.sql, c.name, got)
		}
	}
}
