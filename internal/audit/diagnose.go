package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"landfall/internal/source"
	"landfall/internal/state"
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

// diagnose finds the rows of object i that are not as its records.
func (a *Auditor) diagnose(ctx context.Context, i int) error {
	if broken := a.brokenOf(i); len(broken) > 0 {
		a.differs(a.entries[i], broken, int64(len(broken)))
		return nil
	}
	o, err := a.odds(ctx, i)
	if err != nil {
		return err
	}
	if o.nRows > 0 && a.now.Number != a.batch.attempt.Contract.Number {
		if err := a.kept(ctx, i, o); err != nil {
			return err
		}
	}
	e := a.entries[i]
	switch {
	case o.nRecords == 0 && o.nRows == 0:
		return a.again(ctx, i)
	case o.nRecords == 0 && !slices.ContainsFunc(o.rows, func(r odd) bool { return r.file.Tags[source.Tag] != "" }) && o.nRows == int64(len(o.rows)):
		a.unprovable(e, fmt.Sprintf("all its rows are there, and %d more that another tool wrote", o.nRows))
		return nil
	}
	some, total := o.differences(a.fieldNames())
	return a.doubt(ctx, i, some, total)
}

// again counts an object whose rows are all there, be some of them typed by a
// contract that came later.
func (a *Auditor) again(ctx context.Context, i int) error {
	sum, err := a.read(ctx, i, a.batch.attempt.Contract, func(int64, [][]byte) error { return nil })
	if err != nil {
		return err
	}
	a.prove(a.entries[i], Rows{sum.Rows + sum.Held + sum.Dropped, sum.Rows, sum.Held, sum.Dropped}, sum.Cells)
	return nil
}

// brokenOf lists the data files with rows of object i that cannot be read.
func (a *Auditor) brokenOf(i int) []Difference {
	var out []Difference
	for _, k := range a.tallies[i].files {
		if reason, ok := a.broken[k.Path]; ok {
			out = append(out, Difference{Kind: FileBroken, DataFile: k.Path, Found: reason, Want: "rows of the object"})
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, f := range a.batch.attempt.Files {
		reason, ok := a.broken[f.Path]
		if ok && slices.ContainsFunc(f.Parts, func(p state.Part) bool {
			return a.batch.attempt.Outcomes[p.Object].Path == a.entries[i].Path
		}) {
			out = append(out, Difference{Kind: FileBroken, DataFile: f.Path, Found: reason, Want: "rows of the object"})
		}
	}
	return out
}

func (a *Auditor) fieldNames() []string {
	names := make([]string, len(a.fields))
	for i, f := range a.fields {
		names[i] = f.Name
	}
	return names
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
		if err := a.rows(ctx, f, func(url string, position int64, cells [][]byte) error {
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

// kept takes out the rows whose values were rescued when they landed and are typed
// by now, or the other way round: none of them is lost.
func (a *Auditor) kept(ctx context.Context, i int, o *odds) error {
	records := map[int64]int{}
	for n, r := range o.records {
		records[r.record] = n
	}
	alike := make([]bool, len(o.records))
	var scratch []byte
	_, err := a.read(ctx, i, a.now, func(record int64, cells [][]byte) error {
		n, ok := records[record]
		if !ok || alike[n] {
			return nil
		}
		var d xxh3.Uint128
		d, scratch = digest(scratch[:0], cells)
		at := slices.IndexFunc(o.rows, func(r odd) bool { return r.digest == d })
		if at >= 0 {
			o.rows = slices.Delete(o.rows, at, at+1)
			alike[n] = true
			o.nRows--
			o.nRecords--
		}
		return nil
	})
	var left []odd
	for n, r := range o.records {
		if !alike[n] {
			left = append(left, r)
		}
	}
	o.records = left
	return err
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

// others is what other tools did to the table.
type others struct {
	ops []foreign
	// successors maps data files of ours to those in their place.
	successors map[string]string
	// cleaned tells that the log does not reach back to the first batch.
	cleaned bool
}

// foreign is a version that others made and that removed files.
type foreign struct {
	Op
	removed map[string]bool
}

// touched returns what others did to the rows of object i; what only moves rows is
// nothing. cleaned tells that they are in other files than we wrote, and that the log
// does not say why.
func (a *Auditor) touched(ctx context.Context, i int) (ops []Op, cleaned bool, err error) {
	if a.others == nil {
		if a.others, err = a.readOthers(ctx); err != nil {
			return nil, false, err
		}
	}
	files := a.filesOf(i)
	live := map[string]bool{}
	for k := range a.Snapshot.Files() {
		live[k.Path] = k.DV == ""
	}
	whole := true
	for _, f := range files {
		whole = whole && live[f]
	}
	if whole && len(files) > 0 {
		return nil, false, nil
	}
	ours, first := false, -1
	for n, op := range a.others.ops {
		if first < 0 && slices.ContainsFunc(files, func(f string) bool { return op.removed[f] }) {
			first, ours = n, true
		}
	}
	if !ours {
		first = 0 // rows that we carried over: any of them may be it
	}
	for _, op := range a.others.ops[first:] {
		if !moves(op.Operation) {
			ops = append(ops, op.Op)
		}
	}
	return ops, a.others.cleaned, nil
}

// moves tells whether an operation leaves every row as it is.
func moves(operation string) bool {
	return slices.Contains([]string{"OPTIMIZE", "REORG", "COMPUTE STATS", "VACUUM START", "VACUUM END"}, operation)
}

// filesOf are the data files that the rows of object i were written to, as far as
// they are on record: those that stand in their place are among them.
func (a *Auditor) filesOf(i int) []string {
	var files []string
	for _, f := range a.batch.attempt.Files {
		if !slices.ContainsFunc(f.Parts, func(p state.Part) bool { return a.batch.attempt.Outcomes[p.Object].Path == a.entries[i].Path }) {
			continue
		}
		path := f.Path
		for next, ok := a.others.successors[path]; ok; next, ok = a.others.successors[path] {
			path = next
		}
		files = append(files, path)
	}
	return files
}

// readOthers reads the log for what others did since the first batch.
func (a *Auditor) readOthers(ctx context.Context) (*others, error) {
	o := &others{successors: map[string]string{}}
	from := int64(-1)
	for m, err := range a.State.Marks(ctx) {
		if err != nil {
			return nil, err
		}
		if m.Kind == state.KindVoid {
			continue
		}
		if from < 0 {
			from = m.TableVersion
		}
		rec, err := a.State.Attempt(ctx, m.Batch, m.Attempt)
		if err != nil {
			return nil, err
		}
		for _, f := range rec.Files {
			if f.Of != "" {
				o.successors[f.Of] = f.Path
			}
		}
	}
	for c, err := range a.Table.Commits(ctx, max(from, 0), a.Snapshot.Version) {
		if errors.Is(err, table.ErrCleaned) {
			o.cleaned = true
			return o, nil
		}
		if err != nil {
			return nil, err
		}
		if c.App != "" || len(c.Removed) == 0 {
			continue
		}
		op := foreign{Op{c.Version, c.Operation}, map[string]bool{}}
		for _, k := range c.Removed {
			op.removed[k.Path] = true
		}
		o.ops = append(o.ops, op)
	}
	return o, nil
}
