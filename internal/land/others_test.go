package land_test

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/datafile/datafiletest"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// other is another tool that writes to the table. It knows nothing of us.
type other struct {
	data store.Store
	// made counts the files that it wrote, in all its calls.
	made int
}

func (o *other) open() *delta.Table {
	return delta.Open(o.data, delta.Options{Now: noon, CheckpointEvery: 1})
}

// change commits a change to the newest snapshot.
func (o *other) change(ctx context.Context, make func(*table.Snapshot) (table.Change, error)) error {
	t := o.open()
	snap, err := t.Snapshot(ctx)
	if err != nil {
		return err
	}
	c, err := make(snap)
	if err != nil {
		return err
	}
	o.made++
	c.Attempt = fmt.Sprintf("other%d", o.made)
	_, err = t.Commit(ctx, snap, c)
	return err
}

// raw commits lines of a log as they are.
func (o *other) raw(ctx context.Context, actions ...any) error {
	snap, err := o.open().Snapshot(ctx)
	if err != nil {
		return err
	}
	var text []byte
	for _, a := range actions {
		line, err := json.Marshal(a)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	return o.data.Create(ctx, fmt.Sprintf("_delta_log/%020d.json", snap.Version+1), text)
}

// fields make JSON objects short to write.
type fields = map[string]any

// addColumn is ALTER TABLE ADD COLUMNS, which refuses a name that is there.
func (o *other) addColumn(ctx context.Context, name string, typ schema.Type) error {
	snap, err := o.open().Snapshot(ctx)
	if err != nil || slices.ContainsFunc(snap.Schema.Fields, func(f schema.Field) bool { return f.Name == name }) {
		return err
	}
	return o.change(ctx, func(snap *table.Snapshot) (table.Change, error) {
		s := schema.Struct{Fields: append(slices.Clone(snap.Schema.Fields), schema.Field{Name: name, Type: typ, Nullable: true})}
		return table.Change{Operation: "ADD COLUMNS", Schema: &s}, nil
	})
}

// set is ALTER TABLE SET TBLPROPERTIES.
func (o *other) set(ctx context.Context, key, value string) error {
	return o.change(ctx, func(*table.Snapshot) (table.Change, error) {
		return table.Change{Operation: "SET TBLPROPERTIES", Config: map[string]string{key: value}}, nil
	})
}

// insert is INSERT INTO: rows without a source file. With partial, the file
// lacks our columns altogether.
func (o *other) insert(ctx context.Context, partial bool, ids ...string) error {
	return o.change(ctx, func(snap *table.Snapshot) (table.Change, error) {
		s := snap.Schema
		if partial {
			s.Fields = slices.DeleteFunc(slices.Clone(s.Fields), func(f schema.Field) bool { return f.Name != "id" })
		}
		batch := column.Batch{Rows: len(ids), Columns: make([]column.Column, len(s.Fields))}
		for i, f := range s.Fields {
			batch.Columns[i].Type = f.Type
			if f.Name == "id" {
				batch.Columns[i].Text = texts(ids)
			}
		}
		f, err := o.write(ctx, s, batch)
		return table.Change{Operation: "WRITE", Adds: f}, err
	})
}

// insertLong adds a row with an id and a bigint n.
func (o *other) insertLong(ctx context.Context, id string, n int64) error {
	return o.change(ctx, func(snap *table.Snapshot) (table.Change, error) {
		b := column.Batch{Rows: 1, Columns: make([]column.Column, len(snap.Schema.Fields))}
		for i, f := range snap.Schema.Fields {
			b.Columns[i].Type = f.Type
			switch f.Name {
			case "id":
				b.Columns[i].Text = texts([]string{id})
			case "n":
				b.Columns[i].Leaves = []column.Leaf{{Ints: []int64{n}}}
			}
		}
		f, err := o.write(ctx, snap.Schema, b)
		return table.Change{Operation: "WRITE", Adds: f}, err
	})
}

func texts(values []string) *column.Text {
	var t column.Text
	for _, v := range values {
		t.AppendValue([]byte(v))
	}
	return &t
}

// write makes a data file.
func (o *other) write(ctx context.Context, s schema.Struct, batches ...column.Batch) ([]table.File, error) {
	o.made++
	options := datafile.Options{Name: func() string { return fmt.Sprintf("other-%04d.parquet", o.made) }}
	files, err := datafiletest.Write(ctx, o.data, s, options, batches...)
	if err != nil {
		return nil, err
	}
	var adds []table.File
	for _, f := range files {
		adds = append(adds, table.File{Path: f.Path, Size: f.Size, Rows: f.Rows, Stats: f.Stats, ModTime: noon()})
	}
	return adds, nil
}

// optimize packs all live files into one without any tags, as OPTIMIZE does.
func (o *other) optimize(ctx context.Context) error {
	return o.change(ctx, func(snap *table.Snapshot) (table.Change, error) {
		c := table.Change{Operation: "OPTIMIZE", Removes: slices.SortedFunc(maps.Values(snap.Files()), filesByPath)}
		adds, err := o.pack(ctx, snap, c.Removes, nil)
		c.Adds = adds
		for _, files := range [][]table.File{c.Adds, c.Removes} {
			for i := range files {
				files[i].Moved = true
			}
		}
		return c, err
	})
}

func filesByPath(a, b table.File) int { return cmp.Compare(a.Path, b.Path) }

// remove is DELETE FROM … WHERE id = …, by writing the files anew.
func (o *other) remove(ctx context.Context, id string) error {
	return o.change(ctx, func(snap *table.Snapshot) (table.Change, error) {
		c := table.Change{Operation: "DELETE", Removes: slices.SortedFunc(maps.Values(snap.Files()), filesByPath)}
		adds, err := o.pack(ctx, snap, c.Removes, func(found string) bool { return found == id })
		c.Adds = adds
		return c, err
	})
}

// pack writes the live rows of files into one, without those that drop matches
// by their id.
func (o *other) pack(ctx context.Context, snap *table.Snapshot, files []table.File, drop func(id string) bool) ([]table.File, error) {
	var batches []column.Batch
	for _, f := range files {
		deleted, err := o.open().Deleted(ctx, f)
		if err != nil {
			return nil, err
		}
		obj, err := o.data.Open(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		row := int64(0)
		for rec, err := range parquetfile.Read(ctx, obj, f.Size, nil) {
			if err != nil {
				return nil, err
			}
			at := rec.Schema().FieldIndices("id")
			var keep []int
			for i := range int(rec.NumRows()) {
				gone := slices.Contains(deleted, row)
				row++
				if !gone && (drop == nil || len(at) == 0 || !drop(rec.Column(at[0]).(*array.String).Value(i))) {
					keep = append(keep, i)
				}
			}
			b := column.Batch{Rows: len(keep), Columns: make([]column.Column, len(snap.Schema.Fields))}
			for i, sf := range snap.Schema.Fields {
				b.Columns[i].Type = sf.Type
				at := rec.Schema().FieldIndices(sf.Name)
				switch {
				case len(at) == 0:
				case sf.Name == contract.IngestedAt:
					b.Columns[i].Constant = noon().UnixMicro()
				case sf.Type == schema.String:
					b.Columns[i].Text = kept(rec.Column(at[0]).(*array.String), keep)
				}
			}
			batches = append(batches, b)
		}
	}
	if len(batches) == 0 {
		return nil, nil
	}
	return o.write(ctx, snap.Schema, batches...)
}

func kept(a *array.String, rows []int) *column.Text {
	var t column.Text
	for _, i := range rows {
		if a.IsNull(i) {
			t.AppendNull()
		} else {
			t.AppendValue([]byte(a.Value(i)))
		}
	}
	return &t
}

// vector is DELETE of the first row of one file by a deletion vector, by a tool
// that switches them on.
func (o *other) vector(ctx context.Context, path string) error {
	snap, err := o.open().Snapshot(ctx)
	if err != nil {
		return err
	}
	f, ok := snap.Files()[table.Key{Path: path}]
	if !ok {
		return fmt.Errorf("no live file %s without a vector", path)
	}
	coded, size := firstRow()
	dv := fields{"storageType": "i", "pathOrInlineDv": coded, "sizeInBytes": size, "cardinality": 1}
	return o.raw(ctx,
		fields{"commitInfo": fields{"operation": "DELETE"}},
		fields{"protocol": fields{"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": []string{"deletionVectors"}, "writerFeatures": []string{"deletionVectors", "appendOnly", "invariants"}}},
		fields{"remove": fields{"path": path, "dataChange": true, "deletionTimestamp": 1}},
		fields{"add": fields{
			"path": path, "size": f.Size, "modificationTime": 1, "dataChange": true,
			"partitionValues": fields{}, "stats": f.Stats, "tags": f.Tags, "deletionVector": dv,
		}})
}

// firstRow is the deletion vector of row 0, in Z85, and its size in bytes.
func firstRow() (coded string, size int) {
	le := binary.LittleEndian
	var b []byte
	b = le.AppendUint32(b, 1681511377) // 64-bit bitmaps, portable
	b = le.AppendUint64(b, 1)          // one of 32 bits
	b = le.AppendUint32(b, 0)          // its high bits
	b = le.AppendUint32(b, 12346)      // without runs
	b = le.AppendUint32(b, 1)          // one container
	b = le.AppendUint32(b, 0)          // key 0, one value
	b = le.AppendUint32(b, 16)         // where it stands
	b = le.AppendUint16(b, 0)          // row 0
	size = len(b)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
	for ; len(b) > 0; b = b[4:] {
		n := binary.BigEndian.Uint32(b)
		for _, power := range []uint32{85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1} {
			coded += string(digits[n/power%85])
		}
	}
	return coded, size
}

// restore is RESTORE TABLE … TO VERSION AS OF …
func (o *other) restore(ctx context.Context, to *table.Snapshot) error {
	return o.change(ctx, func(snap *table.Snapshot) (table.Change, error) {
		c := table.Change{Operation: "RESTORE"}
		for k, f := range to.Files() {
			if _, live := snap.Files()[k]; !live {
				c.Adds = append(c.Adds, f)
			}
		}
		for k, f := range snap.Files() {
			if _, was := to.Files()[k]; !was {
				c.Removes = append(c.Removes, f)
			}
		}
		return c, nil
	})
}

// double is INSERT INTO t SELECT * FROM t.
func (o *other) double(ctx context.Context) error {
	return o.change(ctx, func(snap *table.Snapshot) (table.Change, error) {
		adds, err := o.pack(ctx, snap, slices.SortedFunc(maps.Values(snap.Files()), filesByPath), nil)
		return table.Change{Operation: "WRITE", Adds: adds}, err
	})
}

// unset is ALTER TABLE UNSET TBLPROPERTIES.
func (o *other) unset(ctx context.Context, key string) error {
	snap, err := o.open().Snapshot(ctx)
	if err != nil {
		return err
	}
	text, err := snap.Schema.JSON()
	if err != nil {
		return err
	}
	config := maps.Clone(snap.Config)
	delete(config, key)
	return o.raw(ctx, fields{"metaData": fields{
		"id": snap.ID, "format": fields{"provider": "parquet", "options": fields{}}, "schemaString": string(text),
		"partitionColumns": []string{}, "configuration": config,
	}})
}

// stateIn is another source's state in a world.
func stateIn(l *landed, folder string) *state.State { return state.New(store.Below(l.data, folder)) }
