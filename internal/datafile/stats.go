package datafile

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/recode"
	"landfall/internal/schema"
	"landfall/internal/value"
)

const (
	defaultStatsColumns = 32
	// boundRunes is the length at which Spark cuts the bounds of strings, and
	// twice that is as far as it goes to find a right upper one.
	boundRunes = 32
	maxRune    = '\U0010FFFF'
	// longestDecimal is the most digits that a decimal has.
	longestDecimal = 38
)

// statistics renders the statistics of a file as the add action of a Delta
// table holds them. What cannot be said rightly is left out. As in Spark, each
// field of a struct counts as a column, an array or map as one.
//
// A column that has values has bounds, or no column has: readers that make a
// condition of all bounds of a file (those of deltalake's pyarrow datasets) take
// bounds which are not there beside others for null, and drop the file's rows. NaN
// and infinite values, years beyond 9999 and texts without a greater one have none
// that all readers read right. The bounds of a struct are there, if empty.
func statistics(f parquetfile.Footer, o Options) string {
	leading := o.StatsColumns
	if leading <= 0 {
		leading = defaultStatsColumns
	}
	var lows, highs, nulls members
	bounded := true
	for _, c := range f.Columns[:min(leading, len(f.Columns))] {
		if c.Nulls < 0 {
			// An array or a map, or a column of which nothing is known.
			bounded = bounded && (len(c.Path) > 1 || c.Type == nil)
			continue
		}
		if low, high := render(c); low != "" && high != "" {
			lows.add(c.Path, low)
			highs.add(c.Path, high)
		} else {
			lows.enter(c.Path)
			highs.enter(c.Path)
			bounded = bounded && (len(c.Path) > 1 || c.Type == schema.Binary || c.Nulls == f.Rows)
		}
		nulls.add(c.Path, strconv.FormatInt(c.Nulls, 10))
	}
	if !bounded {
		return fmt.Sprintf(`{"numRecords":%d,"nullCount":%s}`, f.Rows, nulls.object())
	}
	return fmt.Sprintf(`{"numRecords":%d,"minValues":%s,"maxValues":%s,"nullCount":%s}`,
		f.Rows, lows.object(), highs.object(), nulls.object())
}

// members are those of a JSON object, and of the objects in it for structs, in
// the order of the columns.
type members struct {
	text bytes.Buffer
	// open are the names of the objects that are open.
	open []string
}

// add adds a member; the members of an object come one after the other.
func (m *members) add(path []string, value string) {
	m.enter(path)
	m.member(path[len(path)-1], value)
}

// enter opens the objects around a member.
func (m *members) enter(path []string) {
	objects, same := path[:len(path)-1], 0
	for same < min(len(objects), len(m.open)) && objects[same] == m.open[same] {
		same++
	}
	m.close(same)
	for _, o := range objects[same:] {
		m.member(o, "{")
	}
	m.open = append(m.open, objects[same:]...)
}

func (m *members) member(name, value string) {
	if b := m.text.Bytes(); len(b) > 0 && b[len(b)-1] != '{' {
		m.text.WriteByte(',')
	}
	m.text.WriteString(quote(name) + ":" + value)
}

// close closes all but so many objects.
func (m *members) close(left int) {
	m.text.WriteString(strings.Repeat("}", len(m.open)-left))
	m.open = m.open[:left]
}

func (m *members) object() string {
	m.close(0)
	return "{" + m.text.String() + "}"
}

// quote spells a string as JSON; bounds are UTF-8 (split), and so are names.
func quote(s string) string {
	quoted, _ := jsontext.AppendQuote(nil, s)
	return string(quoted)
}

// render spells the bounds of a column as JSON values, "" for none.
func render(c parquetfile.ColumnStats) (low, high string) {
	switch lo := c.Min.(type) {
	case string:
		return textBounds(c, lo, c.Max.(string))
	case float64:
		return floatBounds(lo, c.Max.(float64), c.Type == schema.Float)
	case int64:
		return intBounds(c.Type, lo, c.Max.(int64))
	case value.Int128:
		return wideText(c.Type, lo), wideText(c.Type, c.Max.(value.Int128))
	case bool:
		return strconv.FormatBool(lo), strconv.FormatBool(c.Max.(bool))
	}
	return "", ""
}

func textBounds(c parquetfile.ColumnStats, lo, hi string) (low, high string) {
	lo, okLow := lowerBound(lo, c.MinCut)
	hi, okHigh := upperBound(hi, c.MaxCut)
	if !okLow || !okHigh {
		return "", ""
	}
	return quote(lo), quote(hi)
}

// lowerBound cuts s, of which more may follow, after so many characters.
func lowerBound(s string, more bool) (string, bool) {
	prefix, _, ok := split(s, boundRunes, more)
	return prefix, ok
}

// upperBound cuts s and appends a character that is greater than the one cut
// off, as Spark does: 0x7F over ASCII, else the last of Unicode. The last of
// Unicode itself stays in the bound, since nothing is greater.
func upperBound(s string, more bool) (string, bool) {
	prefix, rest, ok := split(s, boundRunes, more)
	for n := boundRunes; ok && rest != "" && n < 2*boundRunes; n++ {
		switch r, size := utf8.DecodeRuneInString(rest); {
		case r < 0x7F:
			return prefix + "\x7F", true
		case r < maxRune:
			return prefix + string(maxRune), true
		default:
			prefix, rest = prefix+rest[:size], rest[size:]
		}
	}
	return prefix, ok && rest == "" && !more
}

// split cuts s after n characters. It looks at no more than a bound can need;
// ok is false if those are not UTF-8.
func split(s string, n int, more bool) (prefix, rest string, ok bool) {
	at := 0
	for i := 0; at < len(s); i++ {
		r, size := utf8.DecodeRuneInString(s[at:])
		if r == utf8.RuneError && size <= 1 {
			// The kept part of a longer text may end within a character.
			if !more || i <= n || len(s)-at >= utf8.UTFMax {
				return "", "", false
			}
			s = s[:at]
			break
		}
		if i == n {
			prefix, rest = s[:at], s[at:]
		}
		at += size
	}
	if rest == "" {
		return s, "", true
	}
	return prefix, s[len(prefix):], true
}

func floatBounds(lo, hi float64, single bool) (low, high string) {
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return "", "" // JSON has no word for them
	}
	bits := 64
	if single {
		bits = 32
	}
	// Zeros of both signs are equal and lie within both bounds.
	if lo == 0 {
		lo = math.Copysign(0, -1)
	}
	if hi == 0 {
		hi = 0
	}
	return decimalPoint(strconv.FormatFloat(lo, 'g', -1, bits)), decimalPoint(strconv.FormatFloat(hi, 'g', -1, bits))
}

// decimalPoint keeps the sign of a zero, which a reader of "-0" as integer
// would drop.
func decimalPoint(s string) string {
	if strings.ContainsAny(s, ".e") {
		return s
	}
	return s + ".0"
}

func intBounds(t schema.Type, lo, hi int64) (low, high string) {
	switch t := t.(type) {
	case schema.Decimal:
		return decimalText(lo, t.Scale), decimalText(hi, t.Scale)
	case schema.Primitive:
		switch t {
		case schema.Date:
			return moment(time.Unix(lo*86400, 0), "2006-01-02"), moment(time.Unix(hi*86400, 0), "2006-01-02")
		case schema.Timestamp:
			return instants(lo, hi, "2006-01-02T15:04:05.000Z")
		case schema.TimestampNTZ:
			return instants(lo, hi, "2006-01-02T15:04:05.000")
		}
	}
	return strconv.FormatInt(lo, 10), strconv.FormatInt(hi, 10)
}

// instants renders µs as ms, the lower bound rounded down and the upper up.
func instants(lo, hi int64, layout string) (low, high string) {
	up := time.UnixMicro(hi)
	if trunc := floorMilli(up); trunc.Before(up) {
		up = trunc.Add(time.Millisecond)
	}
	return moment(floorMilli(time.UnixMicro(lo)), layout), moment(up, layout)
}

func floorMilli(t time.Time) time.Time {
	return t.Add(-time.Duration(t.Nanosecond() % int(time.Millisecond)))
}

// moment renders t, "" if its year does not have four digits.
func moment(t time.Time, layout string) string {
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return ""
	}
	return quote(t.Format(layout))
}

// wideText writes the digits of a decimal that may be more than 64 bits hold.
func wideText(t schema.Type, v value.Int128) string {
	d, _ := t.(schema.Decimal)
	d.Precision = longestDecimal
	text, _ := recode.AppendText(nil, d, &column.Leaf{Wide: []value.Int128{v}}, 0)
	return string(text)
}

// decimalText writes digits with scale of them after the point.
func decimalText(digits int64, scale int) string {
	s := strconv.FormatInt(digits, 10)
	if scale <= 0 {
		return s
	}
	s, negative := strings.CutPrefix(s, "-")
	if len(s) <= scale {
		s = strings.Repeat("0", scale-len(s)+1) + s
	}
	s = s[:len(s)-scale] + "." + s[len(s)-scale:]
	if negative {
		return "-" + s
	}
	return s
}
