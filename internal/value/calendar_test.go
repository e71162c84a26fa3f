package value_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/value"
)

func TestDays(t *testing.T) {
	f := new(value.Forms)
	day := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	for day.Year() <= 9999 {
		text := day.Format(time.DateOnly)
		got, ok := f.Day([]byte(text))
		if want := day.Unix() / 86400; !ok || got != want {
			t.Fatalf("%s: got %d, %v, want %d", text, got, ok, want)
		}
		step := 31
		if day.Year() >= 1800 && day.Year() <= 2200 { // every kind of leap year
			step = 1
		}
		day = day.AddDate(0, 0, step)
	}
}

func TestNoDay(t *testing.T) {
	for _, text := range []string{
		"", "2026-11-3", "2026-11-300", "2026-11-31", "2026-00-10", "2026-13-10", "2026-10-00", "1900-02-29", "2026/11/30",
		"2026-1-30", "20261130", "+2026-11-30", "-001-11-30", "2026-11-3o", " 2026-11-30", "2026-11-30T00:00:00Z", "0000-12-31",
	} {
		if got, ok := new(value.Forms).Day([]byte(text)); ok {
			t.Errorf("%q: got %d, want none", text, got)
		}
	}
}

func TestInstant(t *testing.T) {
	for _, c := range []struct {
		text, want string
		zoned      bool
	}{
		{"2026-11-30T10:00:00Z", "2026-11-30T10:00:00Z", true},
		{"2026-11-30 10:00:00Z", "2026-11-30T10:00:00Z", true},
		{"2026-11-30T10:00Z", "2026-11-30T10:00:00Z", true},
		{"2026-11-30T10:00:00+02:00", "2026-11-30T08:00:00Z", true},
		{"2026-11-30T10:00:00-0530", "2026-11-30T15:30:00Z", true},
		{"2026-11-30T10:00:00+02", "2026-11-30T08:00:00Z", true},
		{"2026-11-30T10:00+18:00", "2026-11-29T16:00:00Z", true},
		{"2026-11-30T10:00:00.1", "2026-11-30T10:00:00.1Z", false},
		{"2026-11-30 10:00:00.123456+02:00", "2026-11-30T08:00:00.123456Z", true},
		{"1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z", true},
		{"0001-01-01T00:00:00", "0001-01-01T00:00:00Z", false},
		{"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z", true},
		{"2026-11-30", "2026-11-30T00:00:00Z", false},
	} {
		want, err := time.Parse(time.RFC3339Nano, c.want)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := new(value.Forms).Instant([]byte(c.text))
		if !ok || got != (value.Instant{Micros: want.UnixMicro(), Exact: true, Zoned: c.zoned}) {
			t.Errorf("%q: got %+v, %v, want %d", c.text, got, ok, want.UnixMicro())
		}
	}
	got, ok := new(value.Forms).Instant([]byte("1969-12-31T23:59:59.999999999Z"))
	if !ok || got != (value.Instant{Micros: -1, Zoned: true}) {
		t.Errorf("nanoseconds: got %+v, %v, want -1 µs, cut", got, ok)
	}
}

func TestNoInstant(t *testing.T) {
	for _, text := range []string{
		"", "2026-11-30T", "2026-11-30T10", "2026-11-30T10:0", "2026-11-30t10:00:00Z", "2026-11-30T10:00:00z", "2026-11-30T24:00:00",
		"2026-11-30T10:60:00", "2026-11-30T10:00:60", "2026-11-30T10:00:00.", "2026-11-30T10:00:00.1234567890", "2026-11-30T10:00:",
		"2026-11-30T10:00:0", "2026-11-30T10.00", "2026-11-30T10:00:00,5", "2026-11-30T10:00:00 Z", "2026-11-30T10:00:00+2",
		"2026-11-30T10:00:00+02:0", "2026-11-30T10:00:00+02000", "2026-11-30T10:00:00+02:60", "2026-11-30T10:00:00+18:01",
		"2026-11-30T10:00:00+19", "2026-11-30T10:00:00 UTC", "2026-11-31T10:00:00", "2026-11-30  10:00", "1480500000",
	} {
		if got, ok := new(value.Forms).Instant([]byte(text)); ok {
			t.Errorf("%q: got %+v, want none", text, got)
		}
	}
}

func TestWall(t *testing.T) {
	f := &value.Forms{Zone: zone(t, "Europe/Berlin")}
	for text, want := range map[string]int64{
		"1970-01-02T00:00:01": 86_401_000_000,
		"1970-01-02":          86_400_000_000,
		"2026-03-29T02:30":    1_774_751_400_000_000, // no clock in Berlin showed it
	} {
		if got, ok := f.Wall([]byte(text)); !ok || got.Micros != want || !got.Exact || got.Zoned {
			t.Errorf("%q: got %+v, %v, want %d", text, got, ok, want)
		}
	}
	p, err := value.CompilePattern("dd.MM.yyyy HH:mm")
	if err != nil {
		t.Fatal(err)
	}
	f.TimestampNTZ = p
	if got, ok := f.Wall([]byte("02.01.1970 00:00")); !ok || got.Micros != 86_400_000_000 {
		t.Errorf("a form of its own: got %+v, %v", got, ok)
	}
	for _, text := range []string{"1970-01-02T00:00:01Z", "1970-01-02T00:00:01"} {
		if got, ok := f.Wall([]byte(text)); ok {
			t.Errorf("%q: got %+v, want none", text, got)
		}
	}
}

// TestWallClocks compares with the clocks of zones that change by an hour, half
// an hour, a whole day, at midnight, and not at all.
func TestWallClocks(t *testing.T) {
	for _, c := range []struct{ zone, around string }{
		{"Europe/Berlin", "2026-03-29"},
		{"Europe/Berlin", "2026-10-25"},
		{"America/New_York", "2026-11-01"},
		{"Australia/Lord_Howe", "2026-04-05"},
		{"Australia/Lord_Howe", "2026-10-04"},
		{"Pacific/Apia", "2011-12-30"},
		{"America/Sao_Paulo", "2018-11-04"},
		{"America/Sao_Paulo", "2018-02-18"},
		{"Asia/Kolkata", "2026-06-01"},
		{"America/Juneau", "1867-10-18"},
		{"Asia/Manila", "1844-12-31"},
	} {
		z := zone(t, c.zone)
		day, err := time.Parse(time.DateOnly, c.around)
		if err != nil {
			t.Fatal(err)
		}
		first := map[string]int64{} // when clocks showed it first
		begin := map[string]int64{} // when the day began
		for s := day.Unix() - 4*86400; s < day.Unix()+4*86400; s += 60 {
			local := time.Unix(s, 0).In(z)
			if _, offset := local.Zone(); offset%60 != 0 {
				local = time.Unix(s-int64(offset%60), 0).In(z)
			}
			text := local.Format("2006-01-02T15:04:05")
			if _, ok := first[text]; !ok {
				first[text] = local.Unix()
			}
			if _, ok := begin[text[:10]]; !ok {
				begin[text[:10]] = local.Unix()
			}
		}
		f := &value.Forms{Zone: z}
		for m := -2 * 24 * 60; m < 3*24*60; m++ {
			text := day.Add(time.Duration(m) * time.Minute).Format("2006-01-02T15:04:05")
			got, ok := f.Instant([]byte(text))
			want, exists := first[text]
			if ok != exists || ok && got.Micros != want*1_000_000 {
				t.Fatalf("%s in %s: got %d, %v, want %d, %v", text, c.zone, got.Micros/1_000_000, ok, want, exists)
			}
		}
		for d := -2; d < 3; d++ {
			text := day.AddDate(0, 0, d).Format(time.DateOnly)
			got, ok := f.Instant([]byte(text))
			want, exists := begin[text]
			if ok != exists || ok && got.Micros != want*1_000_000 {
				t.Errorf("%s in %s: got %d, %v, want %d, %v", text, c.zone, got.Micros/1_000_000, ok, want, exists)
			}
		}
	}
}

// TestInstantProperty writes instants in every form and reads them back.
func TestInstantProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-62135510400, 253402214400).Draw(t, "seconds"), rapid.Int64Range(0, 999_999).Draw(t, "µs")*1000)
		minutes := rapid.IntRange(-18*60, 18*60).Draw(t, "offset")
		form := rapid.SampledFrom([]string{
			"2006-01-02T15:04:05.000000Z07:00", "2006-01-02 15:04:05.000000-0700", "2006-01-02T15:04:05.000000000-07:00",
		}).Draw(t, "form")
		text := at.In(time.FixedZone("", minutes*60)).Format(form)
		got, ok := new(value.Forms).Instant([]byte(text))
		if !ok || got != (value.Instant{Micros: at.UnixMicro(), Exact: true, Zoned: true}) {
			t.Fatalf("%s: got %+v, %v, want %d", text, got, ok, at.UnixMicro())
		}
		if strings.HasSuffix(form, "-0700") {
			return
		}
		again, err := time.Parse(time.RFC3339Nano, text)
		if err != nil || again.UnixMicro() != got.Micros {
			t.Fatalf("%s: the standard library has %v, %v", text, again, err)
		}
	})
}
