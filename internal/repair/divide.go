package repair

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"landfall/internal/cutover"
	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/reconcile"
	"landfall/internal/reread"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table"
)

// landedFolder of a stage holds the landed files of a copy that is divided by columns:
// they are proven first, and then written once more by the values of these columns.
const landedFolder = "_landed"

// sum is the rows of a partition in whatever order: how many there are, and the sum of
// their hashes.
type sum struct {
	Rows int64 `json:"rows"`
	// Low and High are the halves of the sum of 128 bits.
	Low  uint64 `json:"low,string"`
	High uint64 `json:"high,string"`
}

// add adds a row by the text of its cells.
func (s *sum) add(cells [][]byte, scratch []byte) []byte {
	scratch = scratch[:0]
	for _, c := range cells {
		scratch = append(binary.AppendUvarint(scratch, uint64(len(c))), c...)
	}
	d := xxh3.Hash128(scratch)
	var carry uint64
	s.Low, carry = bits.Add64(s.Low, d.Lo, 0)
	s.High, _ = bits.Add64(s.High, d.Hi, carry)
	s.Rows++
	return scratch
}

// divided is a copy that is being divided.
type divided struct {
	*Job
	stage, landed store.Store
	table         schema.Struct
	// by are the positions of the columns, places counts their values.
	by     []int
	places int
}

// longestName is how many bytes the name of a folder may have.
const longestName = 255

// mostPlaces is how many partitions a copy may come to have by its values.
const mostPlaces = 10_000

// dividing is how the rows of the copy are divided.
func (m *manifest) dividing() (*divided, error) {
	d := &divided{}
	for _, column := range m.Columns {
		t, err := column.schemaType()
		if err != nil {
			return nil, err
		}
		d.table.Fields = append(d.table.Fields, schema.Field{Name: column.Name, Type: t, Nullable: true})
	}
	if m.Rescue != "" {
		d.table.Fields = append(d.table.Fields, schema.Field{Name: m.Rescue, Type: schema.String, Nullable: true})
	}
	for _, name := range m.PartitionBy {
		at := d.table.Lookup(name)
		if at < 0 {
			return nil, fmt.Errorf("the copy has no column %q", name)
		}
		d.by = append(d.by, at)
	}
	return d, nil
}

// divide writes the landed files of a copy once more, by the values of the columns that
// the plan names, and holds both against each other row by row.
func (j *Job) divide(ctx context.Context, p *plan, m *manifest, r *Report) error {
	d := &divided{Job: j, stage: j.stage(p), landed: j.landed(p)}
	snap, err := j.Table(d.landed).Snapshot(ctx)
	if err != nil {
		return j.fault(err)
	}
	d.table = snap.Schema
	if err := d.find(p); err != nil {
		return err
	}
	if err := m.wipe(ctx, d.stage); err != nil {
		return err
	}
	rows, err := m.dividing()
	if err != nil {
		return err
	}
	before, err := rows.sums(ctx, d.landed, m.Files)
	if err != nil {
		return err
	}
	files, err := d.write(ctx, m)
	if err != nil {
		return j.fault(err)
	}
	m.Files = files
	if m.Sums, err = rows.sums(ctx, d.stage, files); err != nil {
		return err
	}
	m.differ(r, before)
	r.DataFiles, r.Bytes.After = len(files), 0
	for _, f := range files {
		r.Bytes.After += f.Size
	}
	return nil
}

// find finds the columns. Their values must be such that the name of a folder can be
// read as nothing else.
func (d *divided) find(p *plan) error {
	var problems diag.List
	for _, name := range p.PartitionBy {
		at := d.table.Lookup(name)
		if at < 0 {
			problems.Add(diag.New(diag.Usage, "--partition-by: no file has a column %s", diag.Quote(name)).In(diag.Place{File: p.Source}).
				Hinted("see the columns: landfall inspect FOLDER"))
			continue
		}
		switch t := d.table.Fields[at].Type; t {
		case schema.Type(schema.String), schema.Type(schema.Byte), schema.Type(schema.Short), schema.Type(schema.Integer),
			schema.Type(schema.Long), schema.Type(schema.Date), schema.Type(schema.Boolean):
			d.by = append(d.by, at)
		default:
			problems.Add(diag.New(diag.Usage, "--partition-by: column %s is %s, want a string, integer, date or boolean", diag.Quote(name), t).In(diag.Place{File: p.Source}).
				Hinted(`give it such a type: --schema "… %s string …"`, name))
		}
	}
	if problems.Err() == nil && len(d.by) == len(d.table.Fields) {
		problems.Add(diag.New(diag.Usage, "--partition-by names all columns").Hinted("leave one for the files"))
	}
	return problems.Err()
}

// wipe deletes what an attempt to divide left behind.
func (m *manifest) wipe(ctx context.Context, stage store.Store) error {
	var gone []string
	for info, err := range stage.List(ctx, "", "") {
		if err != nil {
			return err
		}
		if !strings.HasPrefix(info.Key, landedFolder+"/") {
			gone = append(gone, info.Key)
		}
	}
	for _, key := range gone {
		if err := stage.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// write writes the files of the copy.
func (d *divided) write(ctx context.Context, m *manifest) (files []dataFile, err error) {
	name := func(n int) string { return fmt.Sprintf("part-%s-%05d.parquet", m.ID, n) }
	w := datafile.NewDivider(d.stage, d.table, d.by, d.place, name, datafile.Options{})
	defer func() { err = errors.Join(err, w.Abort(context.WithoutCancel(ctx))) }()
	for _, f := range m.Files {
		if err := w.Add(ctx, d.landed, f.Path); err != nil {
			return nil, err
		}
	}
	divisions, err := w.Close(ctx)
	if err != nil {
		return nil, err
	}
	change := table.Change{
		Attempt: m.ID, Operation: "WRITE", Parameters: map[string]string{"mode": "ErrorIfExists"}, TableID: d.NewID(),
		Schema: &d.table, Partitions: d.names(),
	}
	for _, part := range divisions {
		values := map[string]*string{}
		for i, v := range part.Values {
			values[d.table.Fields[d.by[i]].Name] = v
		}
		for _, f := range part.Files {
			files = append(files, dataFile{Path: f.Path, Size: f.Size, Rows: f.Rows, Partition: values, Runs: []run{}})
			change.Adds = append(change.Adds, table.File{
				Path: f.Path, Size: f.Size, Rows: f.Rows, Stats: f.Stats, Strict: true, ModTime: m.At, Partition: values,
			})
		}
	}
	if m.Form == Delta {
		_, err = d.Table(d.stage).Commit(ctx, nil, change)
	}
	return files, err
}

// names are those of the columns.
func (d *divided) names() (names []string) {
	for _, at := range d.by {
		names = append(names, d.table.Fields[at].Name)
	}
	return names
}

// place is the folder of rows with some values. An empty text would be read as null.
func (d *divided) place(values []*string) (string, error) {
	if d.places++; d.places > mostPlaces {
		return "", diag.New(diag.Usage, "--partition-by: found more than %d different values", mostPlaces).
			Hinted("partition by a column that has fewer")
	}
	var texts []cutover.Value
	for i, v := range values {
		if v == nil {
			texts = append(texts, cutover.Value{Null: true})
			continue
		}
		if *v == "" || *v == "__HIVE_DEFAULT_PARTITION__" {
			return "", diag.New(diag.ValueMisfit, "column %s: found %s, which the name of a folder does not tell from null", d.table.Fields[d.by[i]].Name, diag.Quote(*v)).
				Hinted("partition by another column")
		}
		texts = append(texts, cutover.Value{Text: *v})
	}
	place := cutover.FolderOf(d.names(), texts)
	for _, part := range strings.Split(place, "/") {
		if len(part) > longestName {
			return "", diag.New(diag.ValueMisfit, "found %s, which is too long for the name of a folder", diag.Quote(part)).
				Hinted("partition by another column")
		}
	}
	return place + "/", nil
}

// sums adds the rows of files up, by partition.
func (d *divided) sums(ctx context.Context, home store.Store, files []dataFile) (map[string]sum, error) {
	out := map[string]*sum{}
	var scratch []byte
	for _, f := range files {
		err := d.rows(ctx, home, f, func(key string, cells [][]byte) {
			if out[key] == nil {
				out[key] = &sum{}
			}
			scratch = out[key].add(cells, scratch)
		})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", home.URL(f.Path), err)
		}
	}
	sums := map[string]sum{}
	for key, s := range out {
		sums[key] = *s
	}
	return sums, nil
}

// rows yields the rows of a file with the folder of their partition.
func (d *divided) rows(ctx context.Context, home store.Store, f dataFile, use func(key string, cells [][]byte)) error {
	obj, err := home.Open(ctx, f.Path)
	if err != nil {
		return err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	p, err := parquetfile.Open(obj, obj.Info().Size)
	if err != nil {
		return err
	}
	all, err := reread.NewCells(d.table.Fields, p.Fields(), nil, nil)
	if err != nil {
		return err
	}
	for b, err := range p.Batches(ctx) {
		if err != nil {
			return err
		}
		err := all.Rows(b, func(_ int, cells [][]byte) error {
			key, err := d.key(f, cells)
			if err == nil {
				use(key, cells)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// key takes the values by which rows are divided out of cells: of a file that has them
// in its folder's name these are not there.
func (d *divided) key(f dataFile, cells [][]byte) (string, error) {
	var key strings.Builder
	for _, at := range d.by {
		text, inFolder := f.Partition[d.table.Fields[at].Name]
		if cell := cells[at]; !inFolder && string(cell) != "null" {
			plain := string(cell)
			if cell[0] == '"' {
				if err := json.Unmarshal(cell, &plain); err != nil {
					return "", err
				}
			}
			text = &plain
		}
		cells[at] = nil
		if text == nil {
			key.WriteString("null/")
		} else {
			key.WriteString(strconv.Quote(*text) + "/")
		}
	}
	return key.String(), nil
}

// differ tells of the partitions that are not as they were landed.
func (m *manifest) differ(r *Report, before map[string]sum) {
	for key, want := range before {
		if got := m.Sums[key]; got != want {
			r.differs(reconcile.Difference{File: key, What: reconcile.Values, Before: fmt.Sprint(want.Rows, " rows"), After: fmt.Sprint(got.Rows, " rows")})
		}
	}
	for key, got := range m.Sums {
		if _, ok := before[key]; !ok {
			r.differs(reconcile.Difference{File: key, What: reconcile.Values, Before: "0 rows", After: fmt.Sprint(got.Rows, " rows")})
		}
	}
}

// differs adds a difference to a report.
func (r *Report) differs(d reconcile.Difference) {
	r.Reconciled = false
	if r.Total++; len(r.Differences) < reconcile.MaxDifferences {
		r.Differences = append(r.Differences, d)
	}
}
