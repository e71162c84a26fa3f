package audit

import (
	"bytes"
	"context"
	"slices"

	"github.com/zeebo/xxh3"

	"landfall/internal/table"
)

// mostRows bounds the rows of one object that are laid side by side.
const mostRows = 1000

// odd is a row without its like on the other side.
type odd struct {
	// record is that of the file, file and position are the place in the table.
	record   int64
	file     table.File
	position int64
	digest   xxh3.Uint128
	cells    [][]byte
}

// odds are rows of an object and of the table that have no like; the first of them
// are kept.
type odds struct {
	records, rows   []odd
	nRecords, nRows int64
}

// odds lays the rows of an object and those of the table side by side.
func (a *Auditor) odds(ctx context.Context, i int) (*odds, error) {
	left := map[xxh3.Uint128]int64{}
	var scratch []byte
	var d xxh3.Uint128
	v := a.batch.attempt.Contract
	if _, err := a.read(ctx, i, v, func(_ int64, cells [][]byte) error {
		d, scratch = digest(scratch[:0], cells)
		left[d]++
		return nil
	}); err != nil {
		return nil, err
	}
	o := &odds{}
	for _, k := range a.tallies[i].files {
		f := a.Snapshot.Files()[k]
		if err := a.rows(ctx, f, nil, func(url string, position int64, cells [][]byte) error {
			if n, ok := a.urls[url]; !ok || n != i {
				return nil
			}
			d, scratch = digest(scratch[:0], cells)
			if left[d] > 0 {
				left[d]--
				return nil
			}
			o.nRows++
			if len(o.rows) < mostRows {
				o.rows = append(o.rows, odd{file: f, position: position, digest: d, cells: clones(cells)})
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	_, err := a.read(ctx, i, v, func(record int64, cells [][]byte) error {
		d, scratch = digest(scratch[:0], cells)
		if left[d] == 0 {
			return nil
		}
		left[d]--
		o.nRecords++
		if len(o.records) < mostRows {
			o.records = append(o.records, odd{record: record, digest: d, cells: clones(cells)})
		}
		return nil
	})
	return o, err
}

func clones(cells [][]byte) [][]byte {
	out := make([][]byte, len(cells))
	for i, c := range cells {
		out[i] = bytes.Clone(c)
	}
	return out
}

// differences pairs rows with the records that are most like them, and says in what
// they differ. total counts them.
func (o *odds) differences(names []string) (some []Difference, total int64) {
	const most = 50
	rows, records := o.rows[:min(most, len(o.rows))], slices.Clone(o.records[:min(most, len(o.records))])
	for _, r := range rows {
		position := r.position
		best, like := -1, 0
		for n, rec := range records {
			if same := alike(r.cells, rec.cells); same > like {
				best, like = n, same
			}
		}
		if best < 0 {
			some = append(some, Difference{Kind: RowExtra, DataFile: r.file.Path, Row: &position})
			continue
		}
		rec := records[best]
		records = slices.Delete(records, best, best+1)
		for c := range names {
			if !bytes.Equal(r.cells[c], rec.cells[c]) {
				some = append(some, Difference{
					Kind: CellDiffers, Record: rec.record, Column: names[c], DataFile: r.file.Path, Row: &position,
					Found: string(r.cells[c]), Want: string(rec.cells[c]),
				})
			}
		}
	}
	for _, rec := range records {
		some = append(some, Difference{Kind: RowMissing, Record: rec.record})
	}
	// Rows that are not listed count once each.
	return some, int64(len(some)) + max(o.nRows-int64(len(rows)), o.nRecords-most, 0)
}

// alike counts equal cells.
func alike(x, y [][]byte) (n int) {
	for i := range x {
		if bytes.Equal(x[i], y[i]) {
			n++
		}
	}
	return n
}
