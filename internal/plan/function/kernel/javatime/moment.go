// Package javatime is dates and times by the fields that letters of Java's patterns name.
//
// The languages of patterns that there are differ in which letters they know and how many
// digits they take; what a field means is the same in all of them.
package javatime

import (
	"fmt"
	"strings"
	"time"
)

// Moment is a date and time as it is read, field by field.
type Moment struct {
	Year, Month, Day, YearDay, Hour, Minute, Second, Nanos int
	// PM counts where HalfDay says that the hour is one of twelve.
	PM, HalfDay bool
	// Offset is in seconds east of UTC.
	Offset int
}

// Epoch is the first day of 1970, at midnight in UTC: what a pattern does not name.
func Epoch() Moment { return Moment{Year: 1970, Month: 1, Day: 1} }

// SetHour sets the hour by one of the letters H, k, K and h; false if it has none such.
func (m *Moment) SetHour(letter byte, value int) bool {
	switch letter {
	case 'H':
		m.Hour = value
		return value < 24
	case 'k':
		m.Hour = value % 24
		return value >= 1 && value <= 24
	}
	m.HalfDay = true
	m.Hour = value % 12
	if letter == 'h' {
		return value >= 1 && value <= 12
	}
	return value < 12
}

// Micros is the time in microseconds since 1970 in UTC; nil for a day that does not exist.
func (m *Moment) Micros() any {
	hour := m.Hour
	if m.PM && m.HalfDay {
		hour += 12
	}
	month, day := time.Month(m.Month), m.Day
	if m.YearDay > 0 {
		month, day = time.January, m.YearDay
	}
	t := time.Date(m.Year, month, day, hour, m.Minute, m.Second, m.Nanos, time.UTC)
	if m.YearDay == 0 && (t.Day() != m.Day || int(t.Month()) != m.Month) || t.Year() != m.Year {
		return nil
	}
	return t.UnixMicro() - int64(m.Offset)*int64(time.Second/time.Microsecond)
}

// Number is the value of a field of digits, but those of the year, the month and the parts
// of a second.
func Number(letter byte, t time.Time) int {
	switch letter {
	case 'd':
		return t.Day()
	case 'D':
		return t.YearDay()
	case 'H':
		return t.Hour()
	case 'h':
		return (t.Hour()+11)%12 + 1
	case 'k':
		return (t.Hour()+23)%24 + 1
	case 'K':
		return t.Hour() % 12
	case 'm':
		return t.Minute()
	}
	return t.Second()
}

// Padded is a number with zeros before it, up to a width.
func Padded(n, width int) string { return fmt.Sprintf("%0*d", width, n) }

// TwoDigits reads a number of two digits from the beginning of a text.
func TwoDigits(text string) (n int, rest string, ok bool) {
	if len(text) < 2 || text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9' {
		return 0, text, false
	}
	return int(text[0]-'0')*10 + int(text[1]-'0'), text[2:], true
}

// CutName reads the English name of a day or a month in any casing: its first three letters
// for up to three letters of a pattern, else the whole.
func CutName(text, name string, count int) (rest string, ok bool) {
	if count <= 3 {
		name = name[:3]
	}
	if len(text) < len(name) || !strings.EqualFold(text[:len(name)], name) {
		return text, false
	}
	return text[len(name):], true
}
