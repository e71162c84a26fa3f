package land_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/state"
)

// zipped are bytes and a checksum of them, as they are: no more than gzip needs.
func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	ok(t, err)
	_, err = w.Write([]byte(text))
	ok(t, err)
	ok(t, w.Close())
	return b.String()
}

// Of a compressed file whose checksum is wrong nothing lands, and what was found
// in it before the checksum is not reported. A file that ends early lands its
// whole records.
func TestDamaged(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,name\na0,\"Ann\n")
	for i := range 10000 {
		fmt.Fprintf(&text, "a%d,name %d\n", i+1, i)
	}
	whole := zipped(t, text.String())
	at := strings.Index(whole, "name 9000")
	early := text.String()[:strings.Index(text.String(), "a9001,")]

	l := afterDays(t, 1, scene{})
	l.put("bad.csv.gz", whole[:at]+"nane"+whole[at+4:], map[string]int{})
	r := l.lands()
	l.settled("bad.csv.gz", state.Quarantined, diag.FileCorrupt)
	if len(r.Drift) != 1 || r.Drift[0].Kind != event.FileUnreadable || r.Drift[0].Decision != "quarantine" {
		t.Errorf("damaged: found %+v, want one %s", r.Drift, event.FileUnreadable)
	}
	want := ids(early)
	delete(want, "a0") // its quote is not closed
	l.put("early.csv.gz", whole[:strings.Index(whole, "a9001,")+3], want)
	r = l.lands()
	l.settled("early.csv.gz", state.Landed, "")
	if b := r.Batches[0]; b.RowsLanded != 9000 || b.RowsQuarantined != 3 {
		t.Errorf("early: found %+v, want 9000 rows, and 2 records and an end in quarantine", b)
	}
}
