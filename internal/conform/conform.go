// Package conform fits one slab of input to one version of a contract.
//
// Every value of the slab goes into a column, into the rescue column, or is
// counted as ignored by policy: the counts always add up. Every record goes into
// a row, or comes out with its place and a reason. Nothing here reads, writes or
// waits.
package conform

import (
	"errors"
	"fmt"
	"time"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/leaf"
	"landfall/internal/rescue"
	"landfall/internal/schema"
	"landfall/internal/value"
	"landfall/internal/verdict"
)

// Object is the file whose slabs are fitted.
type Object struct {
	// Path names the file in diagnostics, URL in the table.
	Path, URL string
	// Header holds the names as the file spells them; none if Tree is set. Types
	// are theirs, for a file that has types: its slabs have Columns.
	Header []string
	Types  []schema.Type
	// Tree says that its records are trees.
	Tree bool
	// Partitions holds the k=v folders of its path ([contract.Folders]).
	Partitions []contract.Folder
	IngestedAt time.Time
	// Forms are those in which the file writes values; nil means the default.
	Forms *value.Forms
}

// Fitted is a slab that was fitted. It is valid as long as the slab is, and
// until the next is fitted.
type Fitted struct {
	// Batch has the table's columns. Records that land although they are
	// malformed stand behind the others.
	Batch  column.Batch
	Counts verdict.Counts
	// Out are the records that are not in the batch: malformed ones, and those
	// that the policy, or a NOT NULL of the table, keeps out.
	Out []column.Bad
}

// ErrLeft tells that a row is to be kept out of which some fields are not in the
// slab ([Fitter.Leave]).
var ErrLeft = errors.New("a row that was not read whole is kept out of the table")

// Fitter fits the slabs of one object. It is not safe for concurrent use.
type Fitter struct {
	policy contract.Policy
	object Object
	forms  *value.Forms
	// strict says that JSON strings are no numbers and no booleans.
	strict bool

	columns []*target
	// slots are the contract's columns, retired the folded names of those that a
	// rollback took away.
	slots   []slot
	retired map[string]bool
	// required are the columns that may not be null.
	required []*target
	// rescue is the position of the rescue column in columns, -1 for none.
	rescue int
	// corrupt is the column for malformed records, nil for none.
	corrupt *target
	// source and ingested are the columns of the object's place and time, nil for
	// none.
	source, ingested *target
	malformed        verdict.Action

	// Of flat input: fields, what is past them, and the names that are taken in
	// the rescue column.
	fields []field
	past   *verdict.Rule
	extra  []rescue.Key
	taken  verdict.Taken
	// Of trees: the names of records, and the rule for records that are none.
	root     *names
	noObject *verdict.Rule
	// folders are those whose value no column takes.
	folders verdict.Folders

	// leaves is set if some of the fields are not in the slabs.
	leaves bool

	book   *verdict.Book
	writer *rescue.Writer

	// slab is the one at hand.
	slab *column.Slab
	tape *column.Tape
	// What follows is used again and again.
	met        []meeting
	table      []int32
	twice      []uint32
	held       []held
	marks      []leaf.Mark
	some, next []int
	// arrays counts the arrays around the value at hand.
	arrays int
}

// New prepares to fit an object to v, for a table that has the columns of v
// (contract.Extend). Columns that others added to the table are null.
func New(v contract.Version, p contract.Policy, table schema.Struct, o Object) (*Fitter, error) {
	f := &Fitter{policy: p, object: o, forms: o.Forms, rescue: -1, taken: make(verdict.Taken)}
	if f.forms == nil {
		f.forms = &value.Forms{}
	}
	f.strict = p.Preset != "" && p.Preset != contract.Evolves
	f.writer = rescue.NewWriter(o.URL)
	f.book = verdict.NewBook(p, o.Path, f.rescueAt(table) >= 0)
	if err := f.planTable(v, table); err != nil {
		return nil, err
	}
	keys := make([]string, len(o.Partitions))
	for i, folder := range o.Partitions {
		keys[i] = folder.Key
	}
	b := contract.Bind(v, p, o.Header, keys)
	if err := f.planFolders(b.Folders); err != nil {
		return nil, err
	}
	if o.Tree {
		f.root = &names{f: f, root: true, find: contract.NamesOf(v, p), slots: f.slots}
		f.noObject = f.book.PolicyRule(event.ValueMisfit, schema.Path{rescue.Value}, contract.WhyType+":struct", "an object")
	} else {
		f.planFields(v, b.Fields)
		for _, bound := range b.Fields {
			f.taken[bound.Name] = true
		}
		if o.Types != nil {
			if err := f.planTypes(); err != nil {
				return nil, fmt.Errorf("%s: %w", o.Path, err)
			}
		}
		f.past = f.book.PolicyRule(event.RecordRagged, nil, contract.WhyRagged, fmt.Sprint(len(o.Header)))
	}
	f.folders.Name(f.taken)
	for _, t := range f.columns {
		if !t.Nullable && t.constant == nil && !t.fixed {
			f.required = append(f.required, t)
		}
	}
	f.planMalformed()
	f.book.Planned()
	return f, nil
}

// Fit fits a slab. Rows that cannot stay are taken out of it, and the rest is
// fitted anew: that is rare.
func (f *Fitter) Fit(s *column.Slab) (Fitted, error) {
	fitted, err := f.fitSlab(s)
	if err != nil {
		return Fitted{}, err
	}
	if err := checkRecords(s, &fitted); err != nil {
		return Fitted{}, fmt.Errorf("%s: %w", f.object.Path, err)
	}
	f.book.Keep()
	return fitted, nil
}

func (f *Fitter) fitSlab(s *column.Slab) (Fitted, error) {
	if err := f.check(s); err != nil {
		return Fitted{}, err
	}
	rows, out, dropped, err := f.sort(s.Bad)
	if err != nil {
		return Fitted{}, err
	}
	batch, err := f.fit(s, rows)
	if err == nil && len(f.book.Out) > 0 && f.leaves {
		return Fitted{}, ErrLeft
	}
	if err == nil && len(f.book.Out) > 0 {
		all := f.book.Out
		gone := func(row int) bool {
			_, is := all[row]
			return is
		}
		if batch, err = f.fit(leaf.SlabWithout(s, f.object.Types, gone), rows); err == nil && len(f.book.Out) > 0 {
			err = errors.New("a row is kept out that was not at first")
		}
		f.book.Out = all
		out = append(out, f.keptOut(s)...)
		inOrder(out)
	}
	f.book.Counts.Dropped = dropped
	return Fitted{Batch: batch, Counts: f.book.Counts, Out: out}, err
}

// fit fits a slab as it is, and adds rows for malformed records.
func (f *Fitter) fit(s *column.Slab, malformed []column.Bad) (column.Batch, error) {
	f.begin(s)
	rows := s.Rows() + len(malformed)
	var err error
	switch {
	case f.root != nil:
		err = f.fitTrees(s)
	case f.object.Types != nil:
		err = f.fitTypes(s)
	default:
		err = f.fitFlat(s)
	}
	if err == nil {
		f.folders.Count(f.book, rows)
		f.book.Counts.Rows, f.book.Counts.Malformed = int64(rows), int64(len(malformed))
		err = f.putMalformed(malformed)
	}
	if err != nil {
		return column.Batch{}, err
	}
	if err := f.book.Counts.Check(); err != nil {
		return column.Batch{}, fmt.Errorf("%s: %w", f.object.Path, err)
	}
	return f.batch(s, malformed), nil
}

func (f *Fitter) fitFlat(s *column.Slab) error {
	if err := f.fitFields(s); err != nil {
		return err
	}
	if f.book.Counts.Rescued > 0 || f.folders.Some(verdict.Rescues) {
		return f.putFields(s)
	}
	for range s.Records {
		f.writer.Null()
	}
	return nil
}

// begin forgets the slab before.
func (f *Fitter) begin(s *column.Slab) {
	f.slab, f.tape = s, s.Tape
	f.book.Begin(s)
	f.writer.Reset(s.Tape)
	for _, t := range f.columns {
		t.rows, t.ready = 0, false
		if t.node == nil || t.fixed {
			continue
		}
		var data []byte
		utf8 := false
		switch {
		case s.Tape != nil:
			data, utf8 = s.Tape.Data, s.Tape.UTF8
		case t.field != nil && f.object.Types == nil:
			data, utf8 = s.Fields[t.at].Data, s.Fields[t.at].UTF8
		}
		for _, l := range t.node.leaves {
			l.Reset(data, utf8)
		}
	}
}

// check refuses a slab that is not of this object's kind.
func (f *Fitter) check(s *column.Slab) error {
	if f.object.Types != nil {
		return f.checkTypes(s)
	}
	return s.Check(f.root != nil, len(f.fields))
}
