package javatime_test

import (
	"testing"
	"time"

	"landfall/internal/plan/function/kernel/javatime"
)

func TestMoment(t *testing.T) {
	at := func(hour int, pm, half bool) any {
		m := javatime.Epoch()
		m.Hour, m.PM, m.HalfDay, m.Offset = hour, pm, half, 3600
		return m.Micros()
	}
	hours := func(n int64) any { return n * 3600 * 1e6 }
	if got := at(1, true, true); got != hours(12) {
		t.Errorf("1 PM at +01:00: found %v", got)
	}
	if got := at(13, true, false); got != hours(12) {
		t.Errorf("hour 13 with PM: found %v", got)
	}
	m := javatime.Epoch()
	m.Month, m.Day = 2, 30
	if got := m.Micros(); got != nil {
		t.Errorf("February 30: found %v", got)
	}
	m.YearDay = 60
	if got := m.Micros(); got != hours(24*59) {
		t.Errorf("day 60: found %v", got)
	}
}

// What an hour is written as is read as that hour.
func TestHours(t *testing.T) {
	for hour := range 24 {
		when := time.Date(1970, 1, 1, hour, 0, 0, 0, time.UTC)
		for _, letter := range []byte("HkKh") {
			m := javatime.Epoch()
			m.PM = hour >= 12
			if !m.SetHour(letter, javatime.Number(letter, when)) || m.Micros() != when.UnixMicro() {
				t.Errorf("%c of %d: found %v", letter, hour, m.Micros())
			}
		}
	}
	for letter, value := range map[byte]int{'H': 24, 'k': 0, 'K': 12, 'h': 0} {
		m := javatime.Epoch()
		if m.SetHour(letter, value) {
			t.Errorf("%c took %d", letter, value)
		}
	}
}
