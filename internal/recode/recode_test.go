package recode

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// flat spells all that a column holds; nil and empty, and levels that go without
// saying, are the same.
func flat(c column.Column, nullable bool) string {
	out := c.Type.String()
	for i, info := range column.Leaves(c.Type, nullable) {
		l := c.Leaves[i]
		var texts []string
		if l.Text != nil {
			for n := range l.Text.Spans {
				texts = append(texts, string(l.Text.Value(n)))
			}
		}
		defs := l.Defs
		if defs == nil {
			n := len(texts) + lengthOf(&l)
			for range n {
				defs = append(defs, info.MaxDef)
			}
		}
		floats := make([]uint64, len(l.Floats))
		for n, v := range l.Floats {
			floats[n] = math.Float64bits(v)
		}
		out += fmt.Sprintf("\n%q %d %d %x %v defs %d reps %d", texts, l.Ints, l.Wide, floats, l.Bools, defs, l.Reps)
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func pathsOf(misfits []Misfit, row int) (out []string) {
	for _, m := range misfits {
		if m.Row == row {
			out = append(out, fmt.Sprint(m.Path))
		}
	}
	return out
}

// TestAgainstModel converts any column into any type, and compares values, levels
// and misfits with the rules as they are said for single values.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := drawType(t, 3)
		to := alter(t, from)
		var rows, want []any
		var misfits [][]schema.Path
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			v := drawValue(t, from, true)
			w, paths := convert(from, to, v, nil)
			rows, want, misfits = append(rows, v), append(want, w), append(misfits, paths)
		}
		in := parquetfiletest.Column(from, true, rows)
		before := flat(in, true)
		r, err := New(from, to, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, missed := r.Recode(in, len(rows))
		if got, want := flat(got, true), flat(parquetfiletest.Column(to, true, want), true); got != want {
			t.Fatalf("%v of %v\nfound %s\nwant  %s", from, rows, got, want)
		}
		for row, paths := range misfits {
			var want []string
			for _, p := range paths {
				want = append(want, fmt.Sprint(p))
			}
			if got := pathsOf(missed, row); !reflect.DeepEqual(got, want) {
				t.Fatalf("%v to %v, %v: misfits %v, want %v", from, to, rows[row], got, want)
			}
		}
		if after := flat(in, true); after != before {
			t.Fatalf("the source changed: %s, was %s", after, before)
		}
	})
}

// TestWidensNeverMisfits: whatever widens comes out without a misfit, and goes
// back as what it was.
func TestWidensNeverMisfits(t *testing.T) {
	widened := 0
	rapid.Check(t, func(t *rapid.T) {
		from := drawType(t, 2)
		to := alter(t, from)
		if !schema.Widens(from, to) {
			to, _ = schema.Join(from, to)
		}
		if !schema.Widens(from, to) {
			return
		}
		widened++
		rows := make([]any, 4)
		for i := range rows {
			rows[i] = drawValue(t, from, true)
		}
		in := parquetfiletest.Column(from, true, rows)
		r, err := New(from, to, Options{})
		if err != nil {
			t.Fatal(err)
		}
		out, misfits := r.Recode(in, len(rows))
		if len(misfits) > 0 || len(r.Unmatched()) > 0 {
			t.Fatalf("%v to %v: misfits %v, unmatched %v", from, to, misfits, r.Unmatched())
		}
		back, err := New(to, from, Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, misfits := back.Recode(out, len(rows))
		if len(misfits) > 0 {
			t.Fatalf("%v to %v and back: misfits %v of %v", from, to, misfits, rows)
		}
		if got, want := flat(again, true), flat(in, true); got != want {
			t.Fatalf("by way of %v\nfound %s\nwant  %s", to, got, want)
		}
	})
	if widened == 0 {
		t.Error("no type was widened")
	}
}

// TestTextReadsBack: what becomes text is the same value when it is read.
func TestTextReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := drawScalar(t)
		rows := []any{drawValue(t, typ, true), drawValue(t, typ, true)}
		in := parquetfiletest.Column(typ, true, rows)
		there, err := New(typ, schema.String, Options{})
		if err != nil {
			t.Fatal(err)
		}
		text, misfits := there.Recode(in, 2)
		if len(misfits) > 0 {
			return // a time without a text, or no text at all
		}
		back, err := New(schema.String, typ, Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, misfits := back.Recode(text, 2)
		if got, want := flat(again, true), flat(in, true); got != want || len(misfits) > 0 {
			t.Fatalf("text %q, misfits %v\nfound %s\nwant  %s", text.Leaves[0].Text.Data, misfits, got, want)
		}
	})
}

func TestAppendText(t *testing.T) {
	negative := value.Int128{High: -1, Low: math.MaxUint64 - 4} // −5
	for _, c := range []struct {
		t    schema.Type
		v    any
		want string
	}{
		{schema.Double, 2.0, "2.0"},
		{schema.Double, 1e7, "1.0E7"},
		{schema.Double, 9999999.5, "9999999.5"},
		{schema.Double, 1.5e-5, "1.5E-5"},
		{schema.Double, 0.001, "0.001"},
		{schema.Double, math.Copysign(0, -1), "-0.0"},
		{schema.Double, 1e100, "1.0E100"},
		{schema.Double, math.Inf(-1), "-Infinity"},
		{schema.Float, float64(float32(0.1)), "0.1"},
		{schema.Decimal{Precision: 4, Scale: 2}, int64(-5), "-0.05"},
		{schema.Decimal{Precision: 4, Scale: 2}, int64(9990), "99.90"},
		{schema.Decimal{Precision: 38, Scale: 38}, negative, "-0.00000000000000000000000000000000000005"},
		{schema.Decimal{Precision: 38}, value.Int128{High: 1}, "18446744073709551616"},
		{schema.Decimal{Precision: 38, Scale: 20}, value.Int128{High: 1}, "0.18446744073709551616"},
		{schema.Date, int64(firstDay), "0001-01-01"},
		{schema.Date, int64(lastDay + 1), noText},
		{schema.Timestamp, int64(-1), "1969-12-31T23:59:59.999999Z"},
		{schema.Timestamp, int64(1_500_000), "1970-01-01T00:00:01.5Z"},
		{schema.TimestampNTZ, int64(0), "1970-01-01T00:00:00"},
		{schema.Timestamp, int64(firstDay*microsPerDay - 1), noText},
		{schema.Binary, "\xff", noText},
	} {
		in := parquetfiletest.Column(c.t, true, []any{c.v})
		got, ok := AppendText([]byte("…"), c.t, &in.Leaves[0], 0)
		if string(got) != "…"+c.want && ok || ok != (c.want != noText) {
			t.Errorf("%v %v: %q %v, want %q", c.t, c.v, got, ok, c.want)
		}
	}
}
