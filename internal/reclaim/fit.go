package reclaim

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/rescue"
	"landfall/internal/schema"
)

// fit finds the columns for what was rescued of one object, or of several that are
// alike, and fits it.
type fit struct {
	*conform.Fitter
	tree, typed bool
	// fields is the width of the header.
	fields int
	// places are by the names of members. Of trees they are learnt as names are met.
	places map[string]place
	// folders are by the keys of the object's folders.
	folders map[string]folder
	names   *contract.Names
	column  func(of int) int
}

// place is where the value of a name may go.
type place struct {
	// from says how the value comes there.
	from origin
	// column is the position in data files, −1 for none: then fitting says anew why
	// there is none. field is the position in the header.
	column, field int
}

// origin is how a value that was rescued comes into a column.
type origin uint8

const (
	stays    origin = iota // not at all
	ofRecord               // as a field or member of its record
	ofFolder               // as a folder of the object's path, the same in every row
)

// folder is a k=v folder of an object's path.
type folder struct {
	place
	// value is JSON.
	value string
}

func nowhere() place { return place{from: stays, column: -1} }

// fitOf returns the fit of an object.
func (c *Reclaimer) fitOf(o Object) (*fit, error) {
	keys, folders := contract.Folders(o.Path)
	alike := strings.Join(o.Header, "\x00") + "\x01"
	for _, f := range folders {
		alike += f.Key + "\x00" + f.Value + "\x00"
	}
	if f := c.kinds[alike]; f != nil && f.tree == (o.Tree || o.Typed) && f.typed == o.Typed {
		return f, nil
	}
	f := &fit{tree: o.Tree || o.Typed, typed: o.Typed, fields: len(o.Header), places: map[string]place{}, folders: map[string]folder{}}
	object := conform.Object{Path: o.Path, Tree: f.tree, Partitions: folders, Forms: c.rules.Forms}
	if !f.tree {
		object.Header = o.Header
	}
	var err error
	if f.Fitter, err = conform.New(c.rules.Version, c.rules.Policy, c.rules.Table, object); err != nil {
		return nil, err
	}
	f.column = c.columnOf
	f.names = contract.NamesOf(c.rules.Version, c.rules.Policy)
	b := contract.Bind(c.rules.Version, c.rules.Policy, object.Header, keys)
	for i, k := range b.Folders {
		if !k.Outer && !folders[i].Null() {
			f.folders[k.Name] = folder{place{from: ofFolder, column: c.columnOf(k.Column)}, string(rescue.Quote(folders[i].Value))}
		}
	}
	for i, field := range b.Fields {
		f.places[field.Name] = place{from: ofRecord, column: c.columnOf(field.Column), field: i}
	}
	c.kinds[alike] = f
	return f, nil
}

// columnOf finds the column of data files that a column of the contract is.
func (c *Reclaimer) columnOf(of int) int {
	if of < 0 || c.rules.Version.Columns[of].Retired {
		return -1
	}
	if at, has := c.at[schema.Fold(c.rules.Version.Columns[of].Name)]; has {
		return at
	}
	return -1
}

// place finds where a member may go.
func (f *fit) place(m *rescue.Member) place {
	why, whole := m.Whole()
	if !whole || m.Ours || why == contract.WhyRagged || why == contract.WhyDuplicate {
		return nowhere()
	}
	if f.tree {
		return f.placeOfTree(m, why)
	}
	if p, known := f.places[m.Name]; known {
		if _, is := textOf(m.Value); is {
			return p
		}
		return nowhere()
	}
	return f.placeOfFolder(m)
}

func (f *fit) placeOfTree(m *rescue.Member, why string) place {
	if p := f.placeOfFolder(m); p.from == ofFolder {
		return p // what a record says as well, the column has then
	}
	if why == contract.WhyCase || f.typed && bytes.Contains(m.Value, []byte(base64Key)) {
		return nowhere()
	}
	p, known := f.places[m.Name]
	if !known {
		at, _ := f.names.Find(m.Name)
		p = place{from: ofRecord, column: f.column(at)}
		f.places[m.Name] = p
	}
	return p
}

func (f *fit) placeOfFolder(m *rescue.Member) place {
	if p, known := f.folders[m.Name]; known && p.value == string(m.Value) {
		return p.place
	}
	return nowhere()
}

// slab makes a slab of the members of rows that may go somewhere.
func (f *fit) slab(rows []*row) *column.Slab {
	s := &column.Slab{Where: make([]column.Where, len(rows))}
	for i := range rows {
		s.Records = append(s.Records, int64(i+1))
	}
	if f.tree {
		s.Tape = trees(rows)
		return s
	}
	s.Fields = make([]column.Text, f.fields)
	for i := range s.Fields {
		f.text(&s.Fields[i], rows, i)
	}
	return s
}

// text makes the column of one field.
func (f *fit) text(t *column.Text, rows []*row, field int) {
	for _, r := range rows {
		value, has := []byte(nil), false
		for k, p := range r.places {
			if p.from == ofRecord && p.field == field {
				value, has = textOf(r.was.Members[k].Value)
			}
		}
		if !has {
			t.AppendNull()
			continue
		}
		start := len(t.Data)
		t.Data = append(t.Data, value...)
		// A field that was empty and rescued stood in quotes.
		t.Spans = append(t.Spans, column.NewSpan(start, len(value), len(value) == 0))
	}
}

// trees makes records of the members that may go somewhere.
func trees(rows []*row) *column.Tape {
	t := &taper{}
	var starts []int
	for _, r := range rows {
		starts = append(starts, len(t.text))
		t.text = append(t.text, '{')
		for k, p := range r.places {
			if p.from != ofRecord {
				continue
			}
			m := &r.was.Members[k]
			t.text = append(append(append(append(t.text, m.Source()...), ':'), m.Value...), ',')
		}
		if last := len(t.text) - 1; t.text[last] == ',' {
			t.text = t.text[:last]
		}
		t.text = append(t.text, '}')
	}
	for _, at := range starts {
		t.root(at)
	}
	return t.tape()
}

// base64Key is that of bytes which are no text, in the rescue column.
const base64Key = `"$base64":`

// textOf is the text of a field of a header as its file had it; ok is false if the
// value is none.
func textOf(value []byte) (text []byte, ok bool) {
	if value[0] != '"' {
		return nil, false
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return text, err == nil
}
