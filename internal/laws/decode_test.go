package laws_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/format"
	"landfall/internal/format/csv"
	formatjson "landfall/internal/format/json"
	"landfall/internal/schema"
)

// open begins to read an object; nil for one that does not land.
func (l *landing) open(o *object, slab int) (format.Reader, error) {
	text := l.text(o.text)
	if text == "" {
		o.refused = "0 bytes"
		return nil, nil //nolint:nilnil // it does not land
	}
	var r interface {
		format.Reader
		Foreign() (string, bool)
	}
	var err error
	if l.tree {
		r, err = formatjson.Open(context.Background(), o.path, strings.NewReader(text), formatjson.Options{SlabBytes: slab, Pool: &l.pool})
	} else {
		options := l.options
		options.SlabBytes = slab
		r, err = csv.Open(context.Background(), o.path, strings.NewReader(text), options)
	}
	if why := (*diag.Diagnostic)(nil); errors.As(err, &why) {
		o.refused = why.Message
		return nil, nil //nolint:nilnil // it does not land
	}
	if err != nil {
		return nil, err
	}
	if why, foreign := r.Foreign(); foreign {
		return nil, fmt.Errorf("%s: taken for %s", o.path, why)
	}
	return r, nil
}

// decode reads an object: it looks at all values if observe is set, and fits the
// rows to a version if there is one.
func (l *landing) decode(o *object, h how, v *contract.Version, observe bool) error {
	o.rows, o.out, o.counts, o.misfit, o.cut = nil, nil, conform.Counts{}, false, 0
	r, err := l.open(o, h.slab)
	if err != nil || r == nil {
		return err
	}
	var see *observer
	if observe {
		see = l.observer(o, r, h.pieces)
	}
	var fit *fitting
	if v != nil {
		if fit, err = l.fitter(o, r, *v); err != nil {
			return err
		}
	}
	n := 0
	for slab, err := range r.Slabs(context.Background()) {
		if err != nil {
			return fmt.Errorf("%s: %w", o.path, err)
		}
		if h.bare {
			withoutHints(slab)
		}
		if observe && l.observes(n) {
			see.add(slab)
		}
		if n++; fit == nil || o.misfit {
			continue
		}
		if err := fit.slab(slab); err != nil {
			if why := (*diag.Diagnostic)(nil); !observe || !errors.As(err, &why) {
				return err
			}
			o.misfit = true
		}
	}
	o.read = r.Records()
	if t := r.Account(); t.In != t.Records+t.Framing+t.Bad {
		return fmt.Errorf("%s: bytes %+v", o.path, t)
	}
	if observe {
		o.seen = see.evidence()
	}
	if fit != nil {
		fit.end()
	}
	return nil
}

// withoutHints takes from a tape what its scanner says beside the text.
func withoutHints(s *column.Slab) {
	if s.Tape == nil {
		return
	}
	s.Tape.Cells, s.Tape.Shapes = nil, nil
	for i := range s.Tape.Nodes {
		s.Tape.Nodes[i].Hint = 0
	}
}

// observer gathers the evidence of one object as a landing does, at once or in
// pieces.
type observer struct {
	*column.Observer
	new    func() *column.Observer
	object contract.ObjectEvidence
	sum    column.Evidence
	pieces bool
	begun  bool
}

func (l *landing) observer(o *object, r format.Reader, pieces bool) *observer {
	keys, _ := contract.Folders(o.path)
	see := &observer{pieces: pieces, object: contract.ObjectEvidence{Path: o.path, Tree: l.tree, Partitions: keys}}
	if !l.tree {
		see.object.Header = append([]string{}, r.Header()...)
	}
	see.new = func() *column.Observer { return column.NewObserver(&l.forms, len(see.object.Header)) }
	see.Observer = see.new()
	return see
}

func (see *observer) add(s *column.Slab) {
	see.Add(s)
	if see.pieces {
		e := see.Evidence(see.object.Header)
		if see.begun {
			see.sum.Merge(&e)
		} else {
			see.sum, see.begun = e.Clone(), true
		}
		see.Observer = see.new()
	}
}

func (see *observer) evidence() *contract.ObjectEvidence {
	e := see.object
	if e.Evidence = see.sum; !see.begun {
		e.Evidence = see.Evidence(e.Header)
	}
	if e.Tree {
		for _, f := range e.Evidence.Fields {
			e.Header = append(e.Header, f.Name)
		}
	}
	return &e
}

// fitting fits the slabs of an object and keeps the rows.
type fitting struct {
	*conform.Fitter
	l       *landing
	o       *object
	version contract.Version
	table   schema.Struct
}

func (l *landing) fitter(o *object, r format.Reader, v contract.Version) (*fitting, error) {
	table, err := l.schemaFor(v)
	if err != nil {
		return nil, err
	}
	_, folders := contract.Folders(o.path)
	f, err := conform.New(v, l.policy, table, conform.Object{
		Path: o.path, URL: "memory:///" + o.path, Header: r.Header(), Tree: l.tree,
		Partitions: folders, IngestedAt: time.Unix(0, 0), Forms: &l.forms,
	})
	return &fitting{f, l, o, v, table}, err
}

func (f *fitting) slab(s *column.Slab) error {
	fitted, err := f.Fit(s)
	if err != nil {
		return err
	}
	for _, b := range fitted.Out {
		b.Bytes = slices.Clone(b.Bytes)
		f.o.out = append(f.o.out, b)
	}
	f.o.counts.Add(fitted.Counts)
	aside := func(record int64) bool {
		return slices.ContainsFunc(fitted.Out, func(b column.Bad) bool { return b.Record == record })
	}
	var records []int64
	for _, record := range s.Records {
		if !aside(record) {
			records = append(records, record)
		}
	}
	for i := range s.Bad {
		if record := s.Bad[i].Record; !aside(record) && fitted.Counts.Dropped == 0 {
			records = append(records, record)
		}
	}
	rows, err := rowsOf(f.version, f.table, f.l.policy.RescueColumn(), fitted.Batch, records)
	for i := range rows {
		f.l.row(&rows[i])
	}
	f.o.rows = append(f.o.rows, rows...)
	return err
}

func (f *fitting) end() {
	// Malformed records that land stand behind the others of their slab.
	slices.SortFunc(f.o.rows, func(a, b row) int { return cmp.Compare(a.record, b.record) })
	for _, r := range f.Remarks() {
		if r.Kind == event.ValueTruncated {
			f.o.cut += r.Count
		}
	}
}
