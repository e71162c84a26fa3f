package datum

import (
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"landfall/internal/diag"
)

// Show is a value as a report has it: numbers in all their digits, ISO days and
// instants.
func Show(d *Value) string {
	switch d.Kind {
	case Text:
		return string(d.Text)
	case Float:
		size := 64
		if d.Single && float64(float32(d.F)) == d.F {
			size = 32
		}
		return strconv.FormatFloat(d.F, 'g', -1, size)
	case Boolean:
		return strconv.FormatBool(d.N.Low != 0)
	case Day:
		return time.Unix(int64(d.N.Low)*secondsPerDay, 0).UTC().Format("2006-01-02")
	case Instant:
		return time.UnixMicro(int64(d.N.Low)).UTC().Format("2006-01-02T15:04:05.999999Z")
	case Clock:
		return time.UnixMicro(int64(d.N.Low)).UTC().Format("2006-01-02T15:04:05.999999")
	}
	return digitsOf(bigOf(d.N), d.Scale)
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

// Label is a value as a bound: bytes that are no text are in hex.
func (d *Value) Label() string {
	if d.Kind == Text && !utf8.Valid(d.Text) {
		const most = 40
		return "0x" + hex.EncodeToString(d.Text[:min(len(d.Text), most)])
	}
	return diag.Excerpt([]byte(Show(d)))
}
