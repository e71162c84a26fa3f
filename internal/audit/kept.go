package audit

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/zeebo/xxh3"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/state"
)

// records are those that are kept out of an object: hashes by their numbers.
type records map[int64][]xxh3.Uint128

// hold adds a record. Its reason does not count: the words may be others in another
// release, and nothing is lost with them.
func (r records) hold(b *column.Bad) {
	var head []byte
	for _, n := range []int64{b.Line, b.Offset, b.Length, int64(len(b.Code))} {
		head = binary.AppendVarint(head, n)
	}
	h := xxh3.New()
	h.Write(append(head, b.Code...)) //nolint:errcheck // a hash never fails
	h.Write(b.Bytes)                 //nolint:errcheck // a hash never fails
	r[b.Record] = append(r[b.Record], h.Sum128())
}

// count is the number of records.
func (r records) count() (n int64) {
	for _, sums := range r {
		n += int64(len(sums))
	}
	return n
}

// readKept reads what the batch at hand keeps in quarantine of objects that landed.
// That it cannot be read is a finding and no error.
func (a *Auditor) readKept(ctx context.Context) error {
	a.batch.kept = map[string]records{}
	for q, err := range a.State.KeptOut(ctx, a.batch.mark) {
		var why *diag.Diagnostic
		if errors.As(err, &why) && why.Code == diag.StateBroken {
			a.batch.unread = why.Message
			return nil
		}
		if err != nil {
			return err
		}
		if a.batch.kept[q.Path] == nil {
			a.batch.kept[q.Path] = records{}
		}
		a.batch.kept[q.Path].hold(&column.Bad{
			Record: q.Record, Line: q.Line, Offset: q.Offset, Length: q.Length, Code: q.Code, Bytes: q.Bytes,
		})
	}
	return nil
}

// countKept lays the number of records in quarantine of an object beside the one on
// record: that much can be told without its file.
func (a *Auditor) countKept(out state.Outcome) {
	a.aside, a.nAside = nil, 0
	found := a.batch.kept[out.Path].count()
	if found == out.Quarantined {
		return
	}
	d := Difference{Kind: KeptDiffers, Found: fmt.Sprintf("%d records in quarantine", found), Want: strconv.FormatInt(out.Quarantined, 10)}
	if a.batch.unread != "" {
		d.Found += ", then " + a.batch.unread
	}
	a.aside, a.nAside = []Difference{d}, 1
}

// compareKept lays the records in quarantine of an object beside those that reading
// it again holds.
func (a *Auditor) compareKept(e state.Entry, held records) {
	kept := a.batch.kept[e.Path]
	a.aside, a.nAside = nil, 0
	numbers := maps.Clone(held)
	maps.Copy(numbers, kept)
	for _, n := range slices.Sorted(maps.Keys(numbers)) {
		found, want := unlike(kept[n], held[n]), unlike(held[n], kept[n])
		for i := range max(found, want) {
			d := Difference{Kind: KeptDiffers, Record: n, Found: "another record in quarantine", Want: "the record of the file"}
			if n == 0 {
				d.Want = "where the file breaks off"
			}
			switch {
			case i >= found && a.batch.unread != "":
				d.Found = "not in quarantine: " + a.batch.unread
			case i >= found:
				d.Found = "not in quarantine"
			case i >= want:
				d.Found, d.Want = "in quarantine", "not there, or there once"
			}
			a.nAside++
			if len(a.aside) < mostListed {
				a.aside = append(a.aside, d)
			}
		}
	}
}

// unlike counts the sums that have no like among others.
func unlike(sums, others []xxh3.Uint128) (n int) {
	left := slices.Clone(others)
	for _, s := range sums {
		if at := slices.Index(left, s); at >= 0 {
			left = slices.Delete(left, at, at+1)
		} else {
			n++
		}
	}
	return n
}
