package value

import "encoding/binary"

// moment is a day and a wall clock, as a text gives them.
type moment struct {
	day    int64 // since 1970-01-01
	second int   // of the day
	nano   int
	timed  bool // the text has an hour
	zoned  bool // it has a zone,
	offset int  // that is so many seconds ahead of UTC
}

// seconds are those since 1970 on the wall clock.
func (m *moment) seconds() int64 { return m.day*secondsPerDay + int64(m.second) }

const (
	secondsPerDay   = 86400
	microsPerSecond = 1_000_000
	nanosPerMicro   = 1000
)

// Day returns the day since 1970-01-01 that text is: a day that exists, of the
// years 1 to 9999, in the form of dates. A form that has a time takes midnight
// alone, and none with a zone: a day has neither.
func (f *Forms) Day(text []byte) (days int64, ok bool) {
	if f.Date == nil {
		if len(text) != isoDateLength {
			return 0, false
		}
		return isoDay(text)
	}
	m, ok := f.Date.read(text)
	if !ok || m.zoned || m.second != 0 || m.nano != 0 {
		return 0, false
	}
	return m.day, true
}

// Instant returns the instant of a timestamp, or of a date: its midnight.
//
// What has no zone stands in the zone of the forms. A wall clock that clocks
// there skipped is refused; of one that they showed twice the first is taken. A
// date whose midnight was skipped begins when the clocks went on.
func (f *Forms) Instant(text []byte) (Instant, bool) {
	var m moment
	if !f.timestamp(&m, text) {
		day, ok := f.Day(text)
		if !ok {
			return Instant{}, false
		}
		m = moment{day: day}
	}
	return f.instant(&m)
}

// Wall returns the wall clock of a timestamp or date as if it stood in UTC, for
// a timestamp without a zone. A text with a zone is refused, which would be
// lost. The form is that of TimestampNTZ, else that of Timestamp.
func (f *Forms) Wall(text []byte) (Instant, bool) {
	var m moment
	var ok bool
	if f.TimestampNTZ != nil {
		m, ok = f.TimestampNTZ.read(text)
	} else {
		ok = f.timestamp(&m, text)
	}
	if !ok {
		m.day, ok = f.Day(text)
		m = moment{day: m.day}
	}
	if !ok || m.zoned {
		return Instant{}, false
	}
	return m.at(m.seconds()), true
}

// timestamp reads a timestamp in the form of the source into m, which is zero.
func (f *Forms) timestamp(m *moment, text []byte) (ok bool) {
	if f.Timestamp != nil {
		*m, ok = f.Timestamp.read(text)
		return ok
	}
	return m.isoTimestamp(text)
}

// instant finds the instant of m, in the zone of the forms if m has none.
func (f *Forms) instant(m *moment) (Instant, bool) {
	if m.zoned {
		i := m.at(m.seconds() - int64(m.offset))
		i.Zoned = true
		return i, true
	}
	var seconds int64
	var ok bool
	if m.timed {
		seconds, ok = instantOf(m.seconds(), f.Zone)
	} else {
		seconds, ok = startOfDay(m.seconds(), f.Zone)
	}
	return m.at(seconds), ok
}

// at is the instant of m, which begins at a second since 1970.
func (m *moment) at(seconds int64) Instant {
	return Instant{
		Micros: seconds*microsPerSecond + int64(m.nano/nanosPerMicro),
		Exact:  m.nano%nanosPerMicro == 0,
	}
}

const (
	isoDateLength   = len("2026-11-30")
	isoMinuteLength = len("2026-11-30T10:00")
	isoSecondLength = len("2026-11-30T10:00:00")
)

// isoDay reads the yyyy-MM-dd at the head of text, which is long enough.
func isoDay(text []byte) (int64, bool) {
	year, ok1 := twoDigits(text, 0)
	rest, ok2 := twoDigits(text, 2)
	month, ok3 := twoDigits(text, 5)
	day, ok4 := twoDigits(text, 8)
	if !ok1 || !ok2 || !ok3 || !ok4 || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	return dayOf(year*100+rest, month, day)
}

// clock reads the HH:mm:ss at the head of text, which is long enough, in one look.
func clock(text []byte) (seconds int, ok bool) {
	const pattern, colons = 0x30303a30303a3030, 0xff0000ff0000
	// What is left of a digit is its value, of a colon nothing.
	d := binary.LittleEndian.Uint64(text) ^ pattern
	if d&(0xf0f0f0f0f0f0f0f0|colons) != 0 || (d+0x0606060606060606)&0xf0f0f0f0f0f0f0f0 != 0 {
		return 0, false
	}
	pair := func(at int) int { return int(d>>at&15)*10 + int(d>>(at+8)&15) }
	hour, minute, second := pair(0), pair(24), pair(48)
	return hour*3600 + minute*60 + second, hour <= 23 && minute <= 59 && second <= 59
}

// isoTimestamp reads yyyy-MM-dd[T| ]HH:mm[:ss[.f{1,9}]][Z|±HH:mm|±HHmm|±HH].
func (m *moment) isoTimestamp(text []byte) (ok bool) {
	if len(text) < isoMinuteLength || text[10] != 'T' && text[10] != ' ' || text[13] != ':' {
		return false
	}
	if m.day, ok = isoDay(text); !ok {
		return false
	}
	m.timed = true
	if len(text) >= isoSecondLength {
		if m.second, ok = clock(text[11:]); ok {
			return m.rest(text, isoSecondLength)
		}
	}
	hour, ok1 := twoDigits(text, 11)
	minute, ok2 := twoDigits(text, 14)
	if !ok1 || !ok2 || hour > 23 || minute > 59 {
		return false
	}
	m.second = hour*3600 + minute*60
	return m.rest(text, isoMinuteLength)
}

// rest reads what follows the minutes or seconds: .f{1,9} behind seconds, then a zone.
func (m *moment) rest(text []byte, at int) (ok bool) {
	if at == isoSecondLength && at < len(text) && text[at] == '.' {
		end := digitsEnd(text, at+1)
		if m.nano, ok = nanos(text[at+1 : end]); !ok {
			return false
		}
		at = end
	}
	if at < len(text) {
		if m.offset, ok = isoOffset(text[at:]); !ok {
			return false
		}
		m.zoned = true
	}
	return true
}

// nanos reads one to nine digits behind the point of seconds.
func nanos(digits []byte) (int, bool) {
	if len(digits) == 0 || len(digits) > 9 {
		return 0, false
	}
	v := int(appendDigits(0, digits))
	for range 9 - len(digits) {
		v *= 10
	}
	return v, true
}

// isoOffset reads Z, ±HH:mm, ±HHmm or ±HH.
func isoOffset(text []byte) (seconds int, ok bool) {
	switch len(text) {
	case len("Z"):
		return 0, text[0] == 'Z'
	case len("+HH"), len("+HHmm"), len("+HH:mm"):
		seconds, n := offset(text)
		return seconds, n == len(text)
	}
	return 0, false
}

// maxOffset is how far a zone may be from UTC, in seconds.
const maxOffset = 18 * 3600

// offset reads ±HH:mm, ±HHmm or ±HH at the head of text, and returns how long
// it is: 0 for none.
func offset(text []byte) (seconds, length int) {
	if len(text) < 3 || text[0] != '+' && text[0] != '-' {
		return 0, 0
	}
	hours, ok := twoDigits(text, 1)
	if !ok {
		return 0, 0
	}
	minutes, length := 0, 3
	at := length
	if at < len(text) && text[at] == ':' {
		at++
	}
	if len(text) >= at+2 {
		if m, ok := twoDigits(text, at); ok {
			minutes, length = m, at+2
		}
	}
	seconds = hours*3600 + minutes*60
	if minutes > 59 || seconds > maxOffset {
		return 0, 0
	}
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, length
}

// twoDigits reads the two digits at i.
func twoDigits(text []byte, i int) (int, bool) {
	a, b := text[i]-'0', text[i+1]-'0'
	return int(a)*10 + int(b), a <= 9 && b <= 9
}

// dayOf returns the days from 1970-01-01 to a day, false if there is none such.
func dayOf(year, month, day int) (int64, bool) {
	if year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	// Years that begin in March have their leap day last, so that the days
	// before each month follow from its number alone.
	if month <= 2 {
		year, month = year-1, month+12
	}
	leaps := year/4 - year/100 + year/400
	return int64(365*year + leaps + (153*(month-3)+2)/5 + day - 1 - daysToEpoch), true
}

// daysToEpoch are the days from March 1 of the year 0 to 1970-01-01.
const daysToEpoch = 719468

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}
