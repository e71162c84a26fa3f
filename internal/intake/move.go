package intake

import (
	"cmp"
	"errors"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/datafile"
	"landfall/internal/event"
	"landfall/internal/format"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/verdict"
)

// movable is a reader of files whose columns may be what a table's file has, byte by
// byte.
type movable interface {
	// Source is the file, for moving columns out of it.
	Source() (*verbatim.Source, error)
	// Leave says which columns the reader need not read, and what it would have
	// remarked of them.
	Leave(columns []bool, told []parquetfile.Remark)
}

// movedBytes is the size from which on columns are moved: smaller files are packed
// into row groups with others.
const movedBytes = 1 << 20

// moving says which columns of an object are moved into data files as they are.
type moving struct {
	mix datafile.Mix
	// left are the columns of the file that are not read. Of them, evidence is what
	// its footer proves, cells how many values and nulls they have.
	left     []bool
	evidence map[int]column.Evidence
	cells    verdict.Counts
	remarks  []parquetfile.Remark
}

// moving finds the columns of object i that can be moved, nil if there are none.
func (p *pass) moving(i int, r format.Reader, fit *conform.Fitter) (*moving, error) {
	file, ok := r.(movable)
	if !ok || p.src.Decodes || p.Outcomes[i].Size < cmp.Or(p.src.Moved, movedBytes) {
		return nil, nil //nolint:nilnil // nothing is moved
	}
	src, err := file.Source()
	if err = blameless(err); err != nil || src == nil {
		return nil, err // where we do not read what the decoder does, it decodes
	}
	if !p.src.Trusts {
		src.Prove()
	}
	m := &moving{
		mix:  datafile.Mix{Source: src, Moved: make([]*verbatim.Column, len(p.shape.Held))},
		left: make([]bool, len(r.Header())), evidence: map[int]column.Evidence{},
	}
	any, plan := false, fit.Plan()
	for k, at := range p.shape.Held {
		if plan[at].Kind != conform.Copy {
			continue
		}
		c, err := src.Column(plan[at].Field, p.shape.File.Fields[k])
		var refused *verbatim.Refusal
		if errors.As(err, &refused) {
			continue // it is decoded
		}
		if err != nil {
			return nil, err
		}
		if m.take(p, c, plan[at].Field) {
			m.mix.Moved[k], any = c, true
		}
	}
	if !any {
		return nil, nil //nolint:nilnil // nothing is moved
	}
	file.Leave(m.left, m.remarks)
	fit.Leave(m.left)
	return m, nil
}

// take leaves a field of the file to be moved, if all is known that would be told of
// it.
func (m *moving) take(p *pass, c *verbatim.Column, field int) bool {
	entries, values, known := c.Counts()
	evidence, proven := m.mix.Source.Evidence(field)
	if !known || !proven {
		return false
	}
	remarks := c.Remarks()
	for _, r := range remarks {
		if action, _ := p.src.Policy.ActionOf(event.Kind(r.Kind), r.Path.String()); action != "land" {
			return false
		}
	}
	m.left[field], m.evidence[field] = true, evidence
	m.remarks = append(m.remarks, remarks...)
	m.cells.Cells += entries
	m.cells.Typed += values
	m.cells.Null += entries - values
	return true
}

// errWhole tells that an object must be read without moving any of its columns.
var errWhole = errors.New("the object is to be read whole")

// needsAll tells whether an error of moving columns may not be one of the object.
func needsAll(err error) bool {
	var refused *verbatim.Refusal
	return errors.Is(err, errWhole) || errors.Is(err, conform.ErrLeft) || errors.As(err, &refused)
}

// beginMove has the columns moved that can be.
func (d *decoding) beginMove(r format.Reader) (err error) {
	if d.move, err = d.moving(d.i, r, d.fit); err != nil || d.move == nil {
		return err
	}
	if d.see != nil {
		d.see.moved = d.move.evidence
	}
	d.cells.Add(d.move.cells)
	return d.w.Mix(d.move.mix)
}
