// Package conform fits one slab of input to one version of a contract.
//
// Every value of the slab goes into a column, into the rescue column, or is
// counted as ignored by policy: the counts always add up. Nothing here reads,
// writes or waits.
package conform

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Kinds of drift whose policy is asked for here.
const (
	columnAdded  = "column_added"
	recordRagged = "record_ragged"
)

// Object is the file whose slabs are fitted.
type Object struct {
	// Path names the file in diagnostics, URL in the table.
	Path, URL string
	// Header holds the names as the file spells them.
	Header []string
	// Partitions holds the k=v folders of its path ([contract.Folders]).
	Partitions []contract.Folder
	IngestedAt time.Time
}

// Fitter fits the slabs of one object. It is not safe for concurrent use.
type Fitter struct {
	policy  contract.Policy
	object  Object
	columns []target
	fields  []field
	// folders are those whose value no column takes.
	folders []folder
	// rescue is the position of the rescue column in columns, -1 for none.
	rescue int
	writer rescueWriter
	past   Misfits
}

// target is a column of the table and where its values come from.
type target struct {
	schema.Field
	// from is the position of a field of the header, -1 for none.
	from     int
	constant any
}

// fate is what becomes of the values of a field.
type fate int

const (
	lands   fate = iota
	rescues      // or is ignored where there is no rescue column
	repeats      // a folder's key: rescued where it differs from the folder
	ignored
)

// field is a field of the header.
type field struct {
	fate fate
	key  key
	// folder is the value that a repeating field is compared with; without
	// one the folder says null.
	folder    string
	hasFolder bool
	misfits   Misfits
	nullable  bool
}

// New prepares to fit an object to v, for a table that has the columns of v
// (contract.Extend). Columns that others added to the table are null.
func New(v contract.Version, p contract.Policy, table schema.Struct, o Object) (*Fitter, error) {
	f := &Fitter{policy: p, object: o, rescue: -1, past: Misfits{Why: contract.WhyRagged}}
	keys := make([]string, len(o.Partitions))
	for i, folder := range o.Partitions {
		keys[i] = folder.Key
	}
	b := contract.Bind(v, p, o.Header, keys)
	f.fields = make([]field, len(b.Fields))
	at := make(map[int]int, len(b.Fields)) // column of the contract → field
	for i, bound := range b.Fields {
		f.fields[i] = f.plan(bound)
		if bound.Column >= 0 {
			at[bound.Column] = i
		}
	}
	if err := f.target(v, table, at, f.planFolders(b.Folders)); err != nil {
		return nil, err
	}
	return f, f.writer.init(f.fields, f.folders, o.URL)
}

// plan decides on a field by what the contract says of it.
func (f *Fitter) plan(b contract.Field) field {
	p := field{key: key{name: b.Name}, misfits: Misfits{Column: b.Name, Why: b.Why}, nullable: true}
	if b.Column >= 0 {
		return p
	}
	p.fate = f.kept(b.Why, b.Reserved)
	return p
}

// kept is the fate of what no column takes.
func (f *Fitter) kept(why string, reserved bool) fate {
	action, _ := f.policy.Action(columnAdded)
	if f.policy.RescueColumn() == "" || action == "ignore" && why == contract.WhyUnknown && !reserved {
		return ignored
	}
	return rescues
}

// target finds the values for each column of the table.
func (f *Fitter) target(v contract.Version, table schema.Struct, fields map[int]int, folders map[int]contract.Folder) error {
	ours := make(map[string]int, len(v.Columns))
	for i, c := range v.Columns {
		ours[schema.Fold(c.Name)] = i
	}
	f.columns = make([]target, len(table.Fields))
	for i, tf := range table.Fields {
		t := target{Field: tf, from: -1}
		name := schema.Fold(tf.Name)
		want := schema.String
		switch c, isOurs := ours[name]; {
		case name == schema.Fold(f.policy.RescueColumn()):
			f.rescue = i
		case name == contract.SourceFile:
			t.constant = f.object.URL
		case name == contract.IngestedAt:
			t.constant, want = f.object.IngestedAt.UnixMicro(), schema.Timestamp
		case isOurs:
			delete(ours, name)
			if folder, ok := folders[c]; ok && tf.Type != schema.String {
				f.keepFolder(folder, contract.WhyType+":"+tf.Type.String(), false)
			}
			f.feed(&t, c, fields, folders)
			want = ""
		default:
			want = ""
		}
		if want != "" && tf.Type != want {
			return f.refuse(tf, "is "+tf.Type.String()+", want "+want.String(),
				"give it another name, or for the rescue column set rescuedDataColumn")
		}
		if !tf.Nullable && t.from < 0 && t.constant == nil {
			return f.refuse(tf, "may not be null, and no value is known for it", "drop its NOT NULL")
		}
		f.columns[i] = t
	}
	if len(ours) > 0 {
		return fmt.Errorf("the table lacks columns of the contract: %v", slices.Sorted(maps.Keys(ours)))
	}
	if f.rescue < 0 && f.policy.RescueColumn() != "" {
		return fmt.Errorf("the table lacks the rescue column %s", f.policy.RescueColumn())
	}
	return nil
}

// feed sets the source of one of the contract's columns. Text does not go into
// a column of another type: its values are rescued.
func (f *Fitter) feed(t *target, c int, fields map[int]int, folders map[int]contract.Folder) {
	folder, hasFolder := folders[c]
	i, hasField := fields[c]
	isText := t.Type == schema.String
	if hasFolder && isText && folder.Value != contract.NullFolder {
		t.constant = folder.Value
	}
	if !hasField {
		return
	}
	fl := &f.fields[i]
	switch {
	case !isText:
		fl.fate, fl.misfits.Why = rescues, contract.WhyType+":"+t.Type.String()
		if f.policy.RescueColumn() == "" {
			fl.fate = ignored
		}
	case hasFolder:
		fl.fate, fl.misfits.Why = repeats, contract.WhyPartition
		fl.folder, fl.hasFolder = folder.Value, folder.Value != contract.NullFolder
	default:
		t.from, fl.nullable = i, t.Nullable
	}
}

func (f *Fitter) refuse(tf schema.Field, message, hint string) error {
	d := diag.New(diag.Constraint, "the table's column %s", message).In(diag.Place{File: f.object.Path})
	d.Path = tf.Name
	return d.Hinted("%s", hint)
}

// Misfits returns what no column took so far: of the fields in header order,
// then of the folders.
func (f *Fitter) Misfits() []Misfits {
	var all []Misfits
	for _, fl := range f.fields {
		if fl.misfits.Count > 0 {
			all = append(all, fl.misfits)
		}
	}
	for _, folder := range f.folders {
		if folder.misfits.Count > 0 {
			all = append(all, folder.misfits)
		}
	}
	if f.past.Count > 0 {
		all = append(all, f.past)
	}
	return all
}

// Fit fits a slab. The batch has the table's columns; its text stays in the
// slab, so it is valid as long as the slab is.
func (f *Fitter) Fit(s *column.Slab) (column.Batch, Counts, error) {
	rows := s.Rows()
	if err := f.check(s); err != nil {
		return column.Batch{}, Counts{}, err
	}
	counts := Counts{Rows: int64(rows), Cells: int64(rows) * int64(len(f.fields))}
	for i := range f.fields {
		if err := f.count(s, i, &counts); err != nil {
			return column.Batch{}, Counts{}, err
		}
	}
	f.countFolders(s, &counts)
	if err := f.ragged(s, &counts); err != nil {
		return column.Batch{}, Counts{}, err
	}
	if err := counts.check(); err != nil {
		return column.Batch{}, Counts{}, fmt.Errorf("%s: %w", f.object.Path, err)
	}
	batch := column.Batch{Rows: rows, Columns: make([]column.Column, len(f.columns))}
	for i, t := range f.columns {
		c := column.Column{Type: t.Type, Constant: t.constant}
		if t.from >= 0 {
			c.Text = &s.Fields[t.from]
		}
		batch.Columns[i] = c
	}
	if counts.Rescued > 0 {
		text, err := f.writer.write(s, f.fields, f.folders)
		if err != nil {
			return column.Batch{}, Counts{}, fmt.Errorf("%s: %w", f.object.Path, err)
		}
		batch.Columns[f.rescue].Text = text
	}
	return batch, counts, nil
}

// check refuses a slab that is not of this object's header.
func (f *Fitter) check(s *column.Slab) error {
	if len(s.Fields) != len(f.fields) {
		return fmt.Errorf("a slab of %d fields for a header of %d", len(s.Fields), len(f.fields))
	}
	for i := range s.Fields {
		if len(s.Fields[i].Spans) != s.Rows() {
			return fmt.Errorf("field %d has %d values in %d rows", i, len(s.Fields[i].Spans), s.Rows())
		}
	}
	for i, r := range s.Ragged {
		if r.Row < 0 || r.Row >= s.Rows() || i > 0 && r.Row <= s.Ragged[i-1].Row {
			return errors.New("the ragged rows of a slab are not in order")
		}
	}
	return nil
}

// count accounts for the cells of one field.
func (f *Fitter) count(s *column.Slab, i int, c *Counts) error {
	fl, text := &f.fields[i], &s.Fields[i]
	nulls := 0
	for _, span := range text.Spans {
		if span.Null() {
			nulls++
		}
	}
	if nulls > 0 && !fl.nullable {
		row := slices.IndexFunc(text.Spans, column.Span.Null)
		d := diag.New(diag.Constraint, "found no value in a column that may not be null")
		d.Path = fl.key.name
		return d.In(diag.Place{File: f.object.Path, Record: s.Records[row]}).Hinted("drop the column's NOT NULL")
	}
	values := int64(len(text.Spans) - nulls)
	c.Null += int64(nulls)
	if fl.fate == repeats {
		same := int64(0)
		for row, span := range text.Spans {
			if !span.Null() && fl.same(text.Value(row)) {
				same++
			}
		}
		c.Typed += same
		values -= same
	}
	switch {
	case values == 0:
	case fl.fate == lands:
		c.Typed += values
	case fl.fate == ignored || f.rescue < 0:
		c.Ignored += values
	default:
		c.Rescued += values
	}
	if fl.fate != lands && values > 0 {
		if fl.misfits.Count == 0 {
			fl.misfits.Record = s.Records[firstMisfit(fl, text)]
		}
		fl.misfits.Count += values
	}
	return nil
}

// same reports whether a repeating field says what its folder says.
func (fl *field) same(value []byte) bool {
	return fl.hasFolder && string(value) == fl.folder
}

// misfit reports whether a value of the field is none of its column's.
func (fl *field) misfit(value []byte) bool { return fl.fate != repeats || !fl.same(value) }

func firstMisfit(fl *field, text *column.Text) int {
	for row, span := range text.Spans {
		if !span.Null() && fl.misfit(text.Value(row)) {
			return row
		}
	}
	return 0
}

// ragged accounts for the records of another width than the header's.
func (f *Fitter) ragged(s *column.Slab, c *Counts) error {
	action, _ := f.policy.Action(recordRagged)
	for _, r := range s.Ragged {
		if action == "fail" {
			d := diag.New(diag.PolicyFail, "found %d fields, want %d (%s)", r.Have, len(f.fields), f.policy.Setting(recordRagged))
			return d.In(diag.Place{File: f.object.Path, Record: s.Records[r.Row]}).
				Hinted("set record_ragged to rescue to land what fits")
		}
		if r.Have < len(f.fields) {
			c.RaggedShort++
			continue
		}
		c.RaggedLong++
		c.Cells += int64(len(r.Extra))
		for _, value := range r.Extra {
			switch {
			case value == nil:
				c.Null++
				continue
			case f.rescue < 0:
				c.Ignored++
			default:
				c.Rescued++
			}
			if f.past.Count == 0 {
				f.past.Record = s.Records[r.Row]
			}
			f.past.Count++
		}
	}
	return nil
}
