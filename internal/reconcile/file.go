package reconcile

import (
	"time"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/rescue"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// open opens a Parquet file as it was read for the copy, or as the copy is read: with
// clocks in a zone.
func open(obj store.Object, zone *time.Location) (*parquetfile.File, error) {
	return parquetfile.OpenAs(obj, obj.Info().Size, parquetfile.Reading{Clocks: zone, Flaws: true})
}

// field is a column of a file as it is being read.
type field struct {
	part   *rescue.Part
	cursor *rescue.Cursor
	// flat are the leaves of a column without arrays and maps, nil for others.
	flat []leaf
}

func newField(t schema.Type) *field {
	f := &field{part: rescue.NewPart(t)}
	infos := column.Leaves(t, true)
	for _, info := range infos {
		if info.MaxRep > 0 {
			f.flat, f.cursor = nil, rescue.NewCursor(f.part)
			return f
		}
		f.flat = append(f.flat, leaf{max: info.MaxDef})
	}
	return f
}

// reset goes to the first row of a batch.
func (f *field) reset(c column.Column) {
	if f.cursor != nil {
		f.cursor.Reset(c)
		return
	}
	for i := range f.flat {
		f.flat[i].Leaf, f.flat[i].value = &c.Leaves[i], 0
	}
}

// stretch is rows of a batch that come from one object, in order.
type stretch struct {
	// from is the first one in the batch, first its number in the object.
	from  int
	first int64
	// places are those of the rows, watched says which have rescued values; nil none.
	places  []uint64
	watched []bool
}

// tell adds the values of a stretch, which begins where the one before ended.
func (f *field) tell(t *teller, c column.Column, k *link, s stretch) {
	if f.cursor == nil {
		flatten(f.part, k, func(leaf int, k *link) {
			t.flat(&f.flat[leaf], k, s.first, s.places, s.from)
		})
		return
	}
	w := walker{t, f.cursor, c.Leaves}
	for i, place := range s.places {
		t.row = s.first + int64(i)
		t.watch = s.watched != nil && s.watched[i]
		w.walk(f.part, k, place)
	}
	t.watch = false
}

// flatten yields the leaves of a part without arrays and maps, and their links.
func flatten(p *rescue.Part, k *link, use func(leaf int, k *link)) {
	if len(p.Fields) == 0 {
		use(p.First, k)
		return
	}
	for i := range p.Fields {
		var below *link
		if k != nil {
			below = k.fields[i]
		}
		flatten(&p.Fields[i], below, use)
	}
}
