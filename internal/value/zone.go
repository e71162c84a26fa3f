package value

import (
	"math"
	"time"
)

// instantOf returns the instant at which clocks of a zone showed wall, in
// seconds since 1970: the first one, false if they never did.
func instantOf(wall int64, zone *time.Location) (int64, bool) {
	if zone == nil || zone == time.UTC {
		return wall, true
	}
	before, after := offsetsAround(wall, zone)
	if before == after {
		return wall - before, true
	}
	// Clocks that are further ahead show a wall clock earlier.
	for _, offset := range [...]int64{max(before, after), min(before, after)} {
		if offsetAt(wall-offset, zone) == offset {
			return wall - offset, true
		}
	}
	return 0, false
}

// WallInstant returns the instant, in µs since 1970, at which clocks of a zone
// showed the wall clock micros: the first one, false if they never did. A nil
// zone is UTC.
func WallInstant(micros int64, zone *time.Location) (int64, bool) {
	const perSecond = 1_000_000
	wall, fraction := micros/perSecond, micros%perSecond
	if fraction < 0 {
		wall, fraction = wall-1, fraction+perSecond
	}
	seconds, ok := instantOf(wall, zone)
	at := seconds*perSecond + fraction
	return at, ok && (at < micros) == (seconds < wall) // else no 64 bits hold it
}

// InstantWall returns the wall clock, in µs since 1970 as if it stood in UTC, that
// clocks of a zone show at an instant; false if 64 bits do not hold it. A nil zone is
// UTC.
func InstantWall(micros int64, zone *time.Location) (int64, bool) {
	if zone == nil || zone == time.UTC {
		return micros, true
	}
	const perSecond = 1_000_000
	seconds := micros / perSecond
	if micros%perSecond < 0 {
		seconds--
	}
	ahead := offsetAt(seconds, zone) * perSecond
	wall := micros + ahead
	return wall, (wall < micros) == (ahead < 0)
}

// DayInstant returns the first instant, in µs since 1970, of a day, in days since
// 1970, in a zone; false if clocks skipped the day, or if 64 bits do not hold it. A nil
// zone is UTC.
func DayInstant(day int64, zone *time.Location) (int64, bool) {
	const perDay = int64(secondsPerDay) * 1_000_000
	if day < math.MinInt64/perDay+2 || day > math.MaxInt64/perDay-2 {
		return 0, false
	}
	seconds, ok := startOfDay(day*secondsPerDay, zone)
	return seconds * 1_000_000, ok
}

// InstantDay returns the day in a zone whose first instant it is; false if it is that
// of none.
func InstantDay(micros int64, zone *time.Location) (day int64, ok bool) {
	const perSecond = 1_000_000
	if micros%perSecond != 0 {
		return 0, false
	}
	seconds := micros / perSecond
	if zone != nil && zone != time.UTC {
		seconds += offsetAt(seconds, zone)
	}
	day = seconds / secondsPerDay
	if seconds%secondsPerDay < 0 {
		day--
	}
	first, ok := DayInstant(day, zone)
	return day, ok && first == micros
}

// startOfDay returns the first instant of the day that begins at wall: when the
// clocks went on if they skipped midnight; false if they skipped the day.
func startOfDay(wall int64, zone *time.Location) (int64, bool) {
	if at, ok := instantOf(wall, zone); ok {
		return at, true
	}
	before, after := offsetsAround(wall, zone)
	// Midnight on the old clock is past the change, and on the new one not yet.
	_, end := time.Unix(wall-max(before, after), 0).In(zone).ZoneBounds()
	at := end.Unix()
	return at, at+offsetAt(at, zone) < wall+secondsPerDay
}

// offsetsAround returns how far ahead of UTC a zone is before and after wall.
// Instants at which clocks can show it are within a day of it in UTC, and no
// zone ever changed twice in two days.
func offsetsAround(wall int64, zone *time.Location) (before, after int64) {
	t := time.Unix(wall, 0).In(zone)
	start, end := t.ZoneBounds()
	_, now := t.Zone()
	before, after = int64(now), int64(now)
	if !start.IsZero() && start.Unix() > wall-secondsPerDay {
		before = offsetAt(start.Unix()-1, zone)
	}
	if !end.IsZero() && end.Unix() <= wall+secondsPerDay {
		after = offsetAt(end.Unix(), zone)
	}
	return before, after
}

func offsetAt(instant int64, zone *time.Location) int64 {
	_, offset := time.Unix(instant, 0).In(zone).Zone()
	return int64(offset)
}
