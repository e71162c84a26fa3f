package audit

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/reread"
	"landfall/internal/schema"
	"landfall/internal/source"
	"landfall/internal/store"
	"landfall/internal/table"
)

// tally sums rows up, in whatever order they come.
type tally struct {
	rows int64
	sum  xxh3.Uint128
	// url is how they name their object, files are the data files that they are in.
	url   string
	files []table.Key
	// scratch holds the text of one row.
	scratch []byte
}

// add adds a row.
func (t *tally) add(cells [][]byte) {
	var d xxh3.Uint128
	d, t.scratch = digest(t.scratch[:0], cells)
	t.put(d)
}

func (t *tally) put(d xxh3.Uint128) {
	var carry uint64
	t.sum.Lo, carry = bits.Add64(t.sum.Lo, d.Lo, 0)
	t.sum.Hi, _ = bits.Add64(t.sum.Hi, d.Hi, carry)
	t.rows++
}

// digest hashes the cells of a row.
func digest(b []byte, cells [][]byte) (xxh3.Uint128, []byte) {
	for _, c := range cells {
		b = binary.AppendUvarint(b, uint64(len(c)))
		b = append(b, c...)
	}
	return xxh3.Hash128(b), b
}

// read fits object i to a version again and yields the cells of its rows.
func (a *Auditor) read(ctx context.Context, i int, v contract.Version, use func(record int64, cells [][]byte) error) (reread.Sum, error) {
	return a.readHeld(ctx, i, v, use, nil)
}

// readHeld is read that also yields what would be held, if held is not nil.
func (a *Auditor) readHeld(ctx context.Context, i int, v contract.Version, use func(record int64, cells [][]byte) error, held func(*column.Bad)) (reread.Sum, error) {
	e := a.entries[i]
	from, err := a.Objects.Schema(v)
	if err != nil {
		return reread.Sum{}, err
	}
	cells, err := reread.NewCells(a.fields, from.Fields, a.Objects.Forms, reread.Merged(v, a.now))
	if err != nil {
		return reread.Sum{}, err
	}
	o := reread.Object{Path: e.Path, URL: a.url(i), Version: v, Evidence: a.batch.evidence[e.Path]}
	sum, err := a.Objects.Read(ctx, o, func(p reread.Piece) error {
		for n := range p.Out {
			if held != nil {
				held(&p.Out[n])
			}
		}
		return cells.Rows(p.Batch, func(row int, cells [][]byte) error { return use(p.Records[row], cells) })
	})
	if held != nil && sum.Rest != nil {
		held(sum.Rest)
	}
	return sum, err
}

// url is the name of an object in its rows: a source whose root moved has several.
func (a *Auditor) url(i int) string {
	if a.tallies[i].url != "" {
		return a.tallies[i].url
	}
	return a.Objects.Files.URL(a.entries[i].Path)
}

// survey sums up the rows of the table by the objects that they name.
func (a *Auditor) survey(ctx context.Context) error {
	a.broken = map[string]string{}
	for _, k := range slices.SortedFunc(maps.Keys(a.Snapshot.Files()), byPath) {
		f := a.Snapshot.Files()[k]
		if tag := f.Tags[source.Tag]; tag != "" && !a.uuids[tag] {
			continue // another source's
		}
		err := a.rows(ctx, f, func(url string, _ int64, cells [][]byte) error {
			i, ok := a.urls[url]
			if !ok {
				a.report.Elsewhere++
				return nil
			}
			t := &a.tallies[i]
			if t.url == "" {
				t.url = strings.Clone(url)
			}
			if n := len(t.files); n == 0 || t.files[n-1] != k {
				t.files = append(t.files, k)
			}
			t.add(cells)
			return nil
		})
		var why *diag.Diagnostic
		switch {
		case errors.As(err, &why):
			a.broken[f.Path] = why.Message
		case errors.Is(err, store.ErrNotExist):
			a.broken[f.Path] = "it is not there"
		case err != nil:
			return fmt.Errorf("data file %s: %w", f.Path, err)
		}
		if reason, ok := a.broken[f.Path]; ok {
			a.report.Notes = append(a.report.Notes, fmt.Sprintf("data file %s cannot be read: %s", f.Path, reason))
		}
	}
	return nil
}

func byPath(x, y table.Key) int { return strings.Compare(x.Path, y.Path) }

// rows yields the rows of a data file that are not deleted, with the files that they
// name and their positions.
func (a *Auditor) rows(ctx context.Context, f table.File, use func(url string, position int64, cells [][]byte) error) error {
	deleted, err := a.Table.Deleted(ctx, f)
	if err != nil {
		return err
	}
	obj, err := a.Data.Open(ctx, f.Path)
	if err != nil {
		return err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	p, err := parquetfile.Open(obj, obj.Info().Size)
	if err != nil {
		return err
	}
	cells, err := reread.NewCells(a.fields, p.Fields(), a.Objects.Forms, nil)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(p.Fields(), func(g schema.Field) bool {
		return g.Name == contract.SourceFile && g.Type == schema.Type(schema.String)
	})
	var position int64
	for b, err := range p.Batches(ctx) {
		if err != nil {
			return err
		}
		urls := urlsOf(b, at)
		err := cells.Rows(b, func(row int, cells [][]byte) error {
			here := position
			position++
			if _, gone := slices.BinarySearch(deleted, here); gone {
				return nil
			}
			return use(urls(row), here, cells)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// urlsOf returns the files that rows name, which are asked in order; at is the
// column, −1 for none.
func urlsOf(b column.Batch, at int) func(row int) string {
	if at < 0 {
		return func(int) string { return "" }
	}
	leaf := &b.Columns[at].Leaves[0]
	values := make([]int, b.Rows)
	n := 0
	for row := range values {
		values[row] = -1
		if leaf.Defs == nil || leaf.Defs[row] > 0 {
			values[row] = n
			n++
		}
	}
	return func(row int) string {
		if values[row] < 0 {
			return ""
		}
		return string(leaf.Text.Value(values[row]))
	}
}
