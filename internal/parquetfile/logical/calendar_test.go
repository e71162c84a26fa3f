package logical

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// julianNumber is the day since 1970-01-01 of a date of the Julian calendar, by
// counting from 1 January of the year 1, which is day -719164.
func julianNumber(y, m, d int64) int64 {
	days := (y-1)*365 + (y-1)/4
	lengths := [...]int64{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	if y%4 == 0 {
		lengths[1] = 29
	}
	for _, n := range lengths[:m-1] {
		days += n
	}
	return -719164 + days + d - 1
}

// TestRebaseDay compares dates of both calendars, counted in other ways.
func TestRebaseDay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y := rapid.Int64Range(1, 1581).Draw(t, "y")
		m := rapid.Int64Range(1, 12).Draw(t, "m")
		d := rapid.Int64Range(1, 28).Draw(t, "d")
		want := time.Date(int(y), time.Month(m), int(d), 0, 0, 0, 0, time.UTC).Unix() / 86400
		if got := rebaseDay(julianNumber(y, m, d)); got != want {
			t.Fatalf("%d-%d-%d is day %d, want %d", y, m, d, got, want)
		}
	})
	for _, c := range [][2]int64{
		{firstSwitch, firstSwitch},                                                   // 1582-10-15
		{firstSwitch - 1, firstSwitch - 11},                                          // 1582-10-04
		{julianNumber(1000, 2, 29), gregorianDay(1000, 3, 1)},                        // which the Gregorian calendar lacks
		{julianNumber(1, 1, 1) - 1, gregorianDay(0, 12, 31)}, {0, 0}, {-1000, -1000}, // before the year 1
	} {
		if got := rebaseDay(c[0]); got != c[1] {
			t.Errorf("day %d becomes %d, want %d", c[0], got, c[1])
		}
	}
}

func TestRebaseMicros(t *testing.T) {
	const day = microsPerDay
	zone := time.FixedZone("east", 3600)
	for _, c := range []struct {
		zone     *time.Location
		in, want int64
	}{
		{nil, firstSwitch * day, firstSwitch * day},
		{nil, firstSwitch*day - 1, (firstSwitch-10)*day - 1},
		{zone, firstSwitch*day - 1, firstSwitch*day - 1},                        // already the 15th there
		{zone, firstSwitch*day - 3600e6 - 1, (firstSwitch-10)*day - 3600e6 - 1}, // the last of the 4th
		{nil, -62135769600000000, -62135596800000000},
		{nil, minInt64, minInt64 + (rebaseDay(-106751992)+106751992)*day},
	} {
		if got := (Calendar{Zone: c.zone}).rebaseMicros(c.in); got != c.want {
			t.Errorf("%d in %v becomes %d, want %d", c.in, c.zone, got, c.want)
		}
	}
}

func TestCalendarOf(t *testing.T) {
	for _, c := range []struct {
		keys  []string
		dates bool
		int96 bool
		zone  string
	}{
		{nil, false, false, ""},
		{[]string{versionKey, "3.1.0", zoneKey, "Europe/Vienna"}, false, false, "Europe/Vienna"},
		{[]string{versionKey, "3.0.9", zoneKey, "Nowhere/At all"}, false, true, ""},
		{[]string{versionKey, "2.4"}, true, true, ""},
		{[]string{versionKey, "new"}, false, false, ""},
		{[]string{versionKey, "4.0.0", datesKey, ""}, true, false, ""},
		{[]string{rowKey, "{}"}, true, true, ""},
	} {
		got := CalendarOf(func(key string) (string, bool) {
			for i := 0; i < len(c.keys); i += 2 {
				if c.keys[i] == key {
					return c.keys[i+1], true
				}
			}
			return "", false
		}, Calendar{})
		zone := ""
		if got.Zone != nil {
			zone = got.Zone.String()
		}
		if got.JulianDates != c.dates || got.JulianInt96 != c.int96 || zone != c.zone {
			t.Errorf("%v: found %+v in %q", c.keys, got, zone)
		}
	}
}

// The calendar that is told for other files is that of files without Spark's keys.
func TestCalendarOfOthers(t *testing.T) {
	vienna, err := time.LoadLocation("Europe/Vienna")
	if err != nil {
		t.Fatal(err)
	}
	legacy := Calendar{JulianDates: true, JulianInt96: true, Zone: vienna}
	for _, c := range []struct {
		keys map[string]string
		want Calendar
	}{
		{nil, legacy},
		{map[string]string{"pandas": "{}"}, legacy},
		{map[string]string{versionKey: "3.1.0"}, Calendar{Zone: vienna}},
		{map[string]string{versionKey: "3.0.0", zoneKey: "UTC"}, Calendar{JulianInt96: true, Zone: time.UTC}},
	} {
		got := CalendarOf(func(key string) (string, bool) {
			v, ok := c.keys[key]
			return v, ok
		}, legacy)
		if got != c.want {
			t.Errorf("%v: found %+v, want %+v", c.keys, got, c.want)
		}
	}
}
