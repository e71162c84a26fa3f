package logical

import (
	"strconv"
	"strings"
	"time"
)

// Calendar says in which calendar the writer of a file counted days. Old Spark
// and Hive counted those before 1582-10-15 by the Julian calendar; tables count
// all by the Gregorian one.
type Calendar struct {
	// JulianDates is for dates and timestamps, JulianInt96 for INT96.
	JulianDates, JulianInt96 bool
	// Zone is where the writer's days began; nil is UTC.
	Zone *time.Location
	// Clocks is where wall clocks hang; nil is UTC.
	Clocks *time.Location
}

// The keys by which Spark marks its files.
const (
	versionKey  = "org.apache.spark.version"
	rowKey      = "org.apache.spark.sql.parquet.row.metadata"
	zoneKey     = "org.apache.spark.timeZone"
	datesKey    = "org.apache.spark.legacyDateTime"
	int96Key    = "org.apache.spark.legacyINT96"
	firstSwitch = -141427 // 1582-10-15, the first day that needs no rebase
)

// CalendarOf reads the calendar from the key-value metadata of a file, which
// lookup finds. Files of Spark without its version are of 2.4 or before. other is
// the calendar of files that no Spark has marked.
func CalendarOf(lookup func(key string) (string, bool), other Calendar) Calendar {
	version, hasVersion := lookup(versionKey)
	_, spark := lookup(rowKey)
	_, dates := lookup(datesKey)
	_, int96 := lookup(int96Key)
	old := spark && !hasVersion
	c := other
	if spark || hasVersion || dates || int96 {
		c.JulianDates = dates || old || hasVersion && before(version, 3, 0)
		c.JulianInt96 = int96 || old || hasVersion && before(version, 3, 1)
	}
	if zone, ok := lookup(zoneKey); ok {
		if l, err := time.LoadLocation(zone); err == nil && zone != "Local" {
			c.Zone = l
		}
	}
	return c
}

// before tells whether a version such as 2.4.8 comes before major.minor.
func before(version string, major, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	a, errA := strconv.Atoi(parts[0])
	b, errB := strconv.Atoi(parts[1])
	return errA == nil && errB == nil && (a < major || a == major && b < minor)
}

const microsPerDay = 24 * 60 * 60 * 1e6

// rebaseDay returns the day that has in the Gregorian calendar the date which
// days since 1970 have in the Julian one, if they are before the switch.
func rebaseDay(days int64) int64 {
	if days >= firstSwitch {
		return days
	}
	y, m, d := julian(days)
	return gregorianDay(y, m, 1) + d - 1 // a 29 February that the Gregorian lacks is 1 March
}

// rebaseMicros does it for an instant, whose day is that in the zone.
func (c Calendar) rebaseMicros(micros int64) int64 {
	const firstMicros = firstSwitch * microsPerDay
	// Zones are at most a day off, so what is two days later needs no look.
	if micros >= firstMicros+2*microsPerDay {
		return micros
	}
	var offset int64
	if c.Zone != nil {
		_, seconds := time.Unix(floorDiv(micros, 1e6), 0).In(c.Zone).Zone()
		offset = int64(seconds) * 1e6
	}
	day := floorDiv(micros+offset, microsPerDay)
	return micros + (rebaseDay(day)-day)*microsPerDay
}

// julian returns the date of a day since 1970-01-01 in the Julian calendar.
func julian(days int64) (y, m, d int64) {
	// Days since 1 March of the year 0, in cycles of four years of 1461 days.
	const marchZero = 719470
	n := days + marchZero
	cycle := floorDiv(n, 1461)
	n -= cycle * 1461
	year := min(n/365, 3)
	n -= year * 365
	month := (5*n + 2) / 153
	d = n - (153*month+2)/5 + 1
	y = 4*cycle + year
	if month < 10 {
		return y, month + 3, d
	}
	return y + 1, month - 9, d
}

// gregorianDay returns the days since 1970-01-01 of a date.
func gregorianDay(y, m, d int64) int64 {
	if m <= 2 {
		y--
		m += 12
	}
	era := floorDiv(y, 400)
	year := y - era*400
	day := (153*(m-3)+2)/5 + d - 1
	return era*146097 + year*365 + year/4 - year/100 + day - 719468
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
