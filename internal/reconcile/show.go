package reconcile

import (
	"math/big"
	"strconv"
	"strings"
	"time"
)

// shown is a value as a report has it: numbers in all their digits, ISO days and
// instants.
func shown(d *datum) string {
	switch d.kind {
	case text:
		return string(d.text)
	case float:
		size := 64
		if d.single && float64(float32(d.f)) == d.f {
			size = 32
		}
		return strconv.FormatFloat(d.f, 'g', -1, size)
	case boolean:
		return strconv.FormatBool(d.n.Low != 0)
	case day:
		return time.Unix(int64(d.n.Low)*secondsPerDay, 0).UTC().Format("2006-01-02")
	case instant:
		return time.UnixMicro(int64(d.n.Low)).UTC().Format("2006-01-02T15:04:05.999999Z")
	case clock:
		return time.UnixMicro(int64(d.n.Low)).UTC().Format("2006-01-02T15:04:05.999999")
	}
	return digitsOf(bigOf(d.n), d.scale)
}

// digitsOf writes a number with so many digits behind the point.
func digitsOf(n *big.Int, scale int) string {
	s := new(big.Int).Abs(n).String()
	if scale > 0 {
		if short := scale + 1 - len(s); short > 0 {
			s = strings.Repeat("0", short) + s
		}
		s = s[:len(s)-scale] + "." + s[len(s)-scale:]
	}
	if n.Sign() < 0 {
		return "-" + s
	}
	return s
}
