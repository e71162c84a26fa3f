package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// thin is the space between thousands; numbers do not break at it.
const thin = "\u2009"

// Bytes writes a size to at most four digits: 999 B, 1.2 GB, 41.2 MB, 412 kB.
func Bytes(n int64) string {
	if n > -1000 && n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	const units = "kMGTPE"
	value, unit := float64(n)/1000, 0
	for math.Abs(math.Round(value*10)/10) >= 1000 && unit < len(units)-1 {
		value, unit = value/1000, unit+1
	}
	return short(value) + " " + units[unit:unit+1] + "B"
}

// short writes one decimal where it tells something.
func short(value float64) string {
	if value = math.Round(value*10) / 10; math.Abs(value) >= 100 {
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strings.TrimSuffix(strconv.FormatFloat(value, 'f', 1, 64), ".0")
}

// Count writes a number with thin spaces between thousands: 2 413 220.
func Count(n int64) string {
	digits, sign := strconv.FormatInt(n, 10), ""
	if n < 0 {
		digits, sign = digits[1:], "-"
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(thin)
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Plural writes a count and its noun: 1 file, 2 413 files, 2 batches.
func Plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		noun += "e"
	}
	return Count(n) + " " + noun + "s"
}

// Duration writes how long something took: 340 ms, 1.3 s, 2 m 04 s, 3 h 05 m,
// 2 d 03 h.
func Duration(d time.Duration) string {
	if d < 0 {
		return "-" + Duration(-d)
	}
	if d < time.Second-time.Millisecond/2 {
		return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10) + " ms"
	}
	if tenths := d.Round(100 * time.Millisecond); tenths < time.Minute {
		return short(tenths.Seconds()) + " s"
	}
	if s := int64(d.Round(time.Second).Seconds()); s < 3600 {
		return fmt.Sprintf("%d m %02d s", s/60, s%60)
	}
	if m := int64(d.Round(time.Minute).Minutes()); m < 24*60 {
		return fmt.Sprintf("%d h %02d m", m/60, m%60)
	}
	h := int64(d.Round(time.Hour).Hours())
	return fmt.Sprintf("%d d %02d h", h/24, h%24)
}
