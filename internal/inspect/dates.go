package inspect

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"time"

	"landfall/internal/parquetfile/footer"
)

// Ancient is a column of a file with days before 1582-10-15, or with instants
// before 1900: calendars and the clocks of zones differ there, and readers too.
type Ancient struct {
	Column string
	// First is the least value, as the file states it.
	First time.Time
	// Instants says that the column has instants, not days.
	Instants bool
}

// gregorian is the first day of the calendar of today, modern the year from which
// zones have the clocks that databases of zones know for certain.
func gregorian() time.Time { return time.Date(1582, 10, 15, 0, 0, 0, 0, time.UTC) }
func modern() time.Time    { return time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC) }

// ancient reads the bounds that a footer states of its days and instants. Columns
// of INT96 have none that could be trusted.
func ancient(r io.ReaderAt, size int64, nodes []Node) ([]Ancient, error) {
	f, err := footer.Open(r, size)
	if err != nil {
		return nil, err
	}
	var out []Ancient
	leaf := -1
	for _, n := range nodes {
		if n.Element.Children > 0 || n.Stored == "" {
			continue
		}
		leaf++
		least, ok := bound(f, leaf, n)
		if !ok {
			continue
		}
		instants := n.Type != "date"
		if least.Before(gregorian()) || instants && least.Before(modern()) {
			out = append(out, Ancient{n.Path, least, instants})
		}
	}
	return out, nil
}

// bound is the least value of a leaf, over all row groups that state one.
func bound(f *footer.Footer, leaf int, n Node) (least time.Time, ok bool) {
	const minField, minValueField = 2, 6
	for _, g := range f.Groups {
		s, _ := g.Chunks[leaf].Meta.Struct(footer.ChunkStatisticsField)
		b, has := s.Bytes(minValueField)
		if !has {
			b, has = s.Bytes(minField)
		}
		if !has {
			continue
		}
		if at, known := instant(b, n); known && (!ok || at.Before(least)) {
			least, ok = at, true
		}
	}
	return least, ok
}

// instant reads a bound of a column of days or instants.
func instant(b []byte, n Node) (time.Time, bool) {
	switch {
	case n.Type == "date" && len(b) == 4:
		days := int32(binary.LittleEndian.Uint32(b)) //nolint:gosec // the bits of a signed number
		return time.Unix(int64(days)*24*60*60, 0).UTC(), true
	case len(b) != 8:
		return time.Time{}, false
	}
	v := int64(binary.LittleEndian.Uint64(b)) //nolint:gosec // the bits of a signed number
	switch n.Stored {
	case "int64 millis":
		return time.UnixMilli(v).UTC(), instants(n)
	case "int64 micros":
		return time.UnixMicro(v).UTC(), instants(n)
	case "int64 nanos":
		return time.Unix(0, v).UTC(), instants(n) && v != math.MinInt64
	}
	return time.Time{}, false
}

func instants(n Node) bool { return n.Type == typeTimestamp || n.Type == "timestamp_ntz" }

// message says what follows for readers.
func (a Ancient) message() string {
	if a.First.Before(gregorian()) {
		return "has values before 1582-10-15; programs count them by the Julian or by today's calendar, and Spark asks how to rebase them"
	}
	return fmt.Sprintf("has instants before 1900-01-01 (%s on); Spark asks how to rebase those of INT96 or of old files", a.First.Format("2006"))
}
