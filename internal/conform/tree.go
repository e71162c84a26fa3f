package conform

import (
	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/rescue"
	"landfall/internal/verdict"
)

// outcome is what became of a value.
type outcome uint8

const (
	landed  outcome = iota // it is in its column, or its rule has dealt with it
	spilled                // its cell is null, and it is to be rescued by name
	broken                 // it is in an array, which is to be rescued whole
)

// tree fits the records of a slab.
func (f *Fitter) fitTrees(s *column.Slab) error {
	t := s.Tape
	f.tape = t
	for row, v := range t.Roots {
		f.book.Row = row
		f.book.Counts.Cells += t.CellsOf(row)
		f.writer.Begin()
		f.record(v)
		f.putFolders()
		if err := f.writer.End(s.Records[row], -1); err != nil {
			return err
		}
		if f.book.Err != nil {
			return f.book.Err
		}
	}
	return nil
}

// record fits one record.
func (f *Fitter) record(v uint32) {
	t := f.tape
	for _, c := range f.required {
		c.filled = false
	}
	switch {
	case t.Nodes[v].Kind != column.Object:
		if f.book.Apply(f.noObject, t.CellsAt(v), func() string { return diag.Excerpt(t.Raw(v)) }) {
			f.writer.PutRoot(f.noObject.Reason, v)
		}
	case t.IsEmpty(v):
		f.book.Counts.Typed++
	default:
		f.members(f.root, v, 0)
	}
	for _, c := range f.required {
		if !c.filled {
			f.book.Missing(c.path)
		}
	}
}

// members fits those of an object. Fields that it lacks are null; columns
// of the table are made so later, all at once.
func (f *Fitter) members(ns *names, v uint32, rep uint8) outcome {
	if k := ns.knownShape(f.tape, v); k != nil {
		return f.knownMembers(ns, k, v, rep)
	}
	t, base := f.tape, len(f.met)
	ns.begin()
	for m, i := t.First(v), 0; m < t.Next(v); m, i = t.Next(m), i+1 {
		f.met = ns.meet(f.met, m, ns.at(t, i, m))
	}
	end := len(f.met)
	for i := base; i < end; i++ {
		if !f.met[i].later && f.member(ns, i, rep) == broken {
			f.met = f.met[:base]
			return broken
		}
	}
	ns.keepShape(t, v, f.met[base:end])
	f.met = f.met[:base]
	if !ns.root {
		for i := range ns.slots {
			if s := &ns.slots[i]; s.object != ns.object {
				f.null(s.node, rep)
			}
		}
	}
	return landed
}

// member fits the last of the members with one name.
func (f *Fitter) member(ns *names, i int, rep uint8) outcome {
	x := f.met[i]
	s := ns.slotOf(x.by)
	if x.before >= 0 {
		return f.repeated(ns, s, i, rep, rescue.Label{Key: &x.by.Key})
	}
	return f.place(ns, s, x.by, f.tape.Value(x.member), rep)
}

// place fits the value under a name that its object has once. s is the field that
// takes it, nil for none.
func (f *Fitter) place(ns *names, s *slot, by *spelling, v uint32, rep uint8) outcome {
	l := rescue.Label{Key: &by.Key}
	if s == nil {
		f.leave(ns.left(by), v, l)
		return landed
	}
	if n := s.node; s.folder == nil && n.kind == asScalar && f.isScalar(v) {
		if s.target != nil {
			s.target.fill(f.book.Row)
		}
		if f.scalar(n, v) {
			n.leaves[0].There(rep)
			f.book.Counts.Typed++
			return landed
		}
		out := f.misfit(n, v, rep)
		if out == spilled {
			f.writer.PutNodes(l, n.misfit.Reason, v)
		}
		return out
	}
	out, r := f.fill(s, v, rep, l)
	if out == spilled {
		f.writer.PutNodes(l, r.Reason, v)
	}
	return out
}

// isScalar reports whether a value is a string, a number or a boolean.
func (f *Fitter) isScalar(v uint32) bool {
	k := f.tape.Nodes[v].Kind
	return k >= column.False && k <= column.String
}

// fill fits a value to a field, and returns the rule by which it is to be
// rescued if it is.
func (f *Fitter) fill(s *slot, v uint32, rep uint8, l rescue.Label) (outcome, *verdict.Rule) {
	switch {
	case s.folder != nil:
		return f.repeats(s.folder, v), s.folder.rule
	case s.target != nil:
		s.target.fill(f.book.Row)
	}
	return f.settle(s.node, v, rep, l), s.node.misfit
}

// leave deals with a value that no field takes.
func (f *Fitter) leave(r *verdict.Rule, v uint32, l rescue.Label) {
	t := f.tape
	if t.Nodes[v].Kind == column.Null {
		f.book.Counts.Null++
		return
	}
	if f.book.Apply(r, t.CellsAt(v), func() string { return diag.Excerpt(t.Raw(v)) }) {
		f.writer.PutNodes(l, r.Reason, v)
	}
}

// settle fits a value to a node, whatever it is.
func (f *Fitter) settle(n *node, v uint32, rep uint8, l rescue.Label) outcome {
	t := f.tape
	kind := t.Nodes[v].Kind
	switch {
	case kind == column.Null:
		f.book.Counts.Null++
		f.null(n, rep)
		return landed
	case n.kind < asStruct:
		if f.scalar(n, v) {
			n.leaves[0].There(rep)
			if kind == column.Object || kind == column.Array {
				f.book.Counts.Typed += t.CellsAt(v)
			} else {
				f.book.Counts.Typed++
			}
			return landed
		}
	case n.kind == asStruct && kind == column.Object:
		return f.structure(n, v, rep, l)
	case n.kind == asMap && kind == column.Object:
		return f.mapping(n, v, rep, l)
	case n.kind == asArray && kind == column.Array:
		return f.array(n, v, rep, l)
	}
	return f.misfit(n, v, rep)
}

// misfit deals with a value that its node does not take.
func (f *Fitter) misfit(n *node, v uint32, rep uint8) outcome {
	t := f.tape
	if f.arrays > 0 && n.misfit.Action == verdict.Rescues {
		f.book.Note(n.misfit)
		return broken
	}
	rescued := f.book.Apply(n.misfit, t.CellsAt(v), func() string { return diag.Excerpt(t.Raw(v)) })
	f.noValue(n, v, rep)
	if rescued {
		return spilled
	}
	return landed
}

// noValue adds a null in place of a value that does not fit.
func (f *Fitter) noValue(n *node, v uint32, rep uint8) {
	if !n.nullable {
		f.book.Refuse(n.path, n.misfit, diag.Excerpt(f.tape.Raw(v)))
	}
	f.null(n, rep)
}

func (f *Fitter) structure(n *node, v uint32, rep uint8, l rescue.Label) outcome {
	if f.tape.IsEmpty(v) {
		f.book.Counts.Typed++
	}
	f.writer.Push(l, false)
	out := f.members(n.names, v, rep)
	f.writer.Pop()
	return out
}

// array fits the elements of an array. If one does not fit, the outermost array
// is rescued whole: nothing else could say which element it was.
func (f *Fitter) array(n *node, v uint32, rep uint8, l rescue.Label) outcome {
	if f.arrays > 0 {
		return f.elements(n, v, rep, l)
	}
	f.hold(n)
	counts := f.book.Counts
	f.arrays++
	out := f.elements(n, v, rep, l)
	f.arrays--
	if out != broken {
		f.release()
		return out
	}
	f.takeBack(n)
	f.book.Counts = counts
	f.book.Counts.Rescued += f.tape.CellsAt(v)
	f.noValue(n, v, rep)
	return spilled
}

func (f *Fitter) elements(n *node, v uint32, rep uint8, l rescue.Label) outcome {
	t := f.tape
	if t.IsEmpty(v) {
		f.book.Counts.Typed++
		f.empty(n, rep)
		return landed
	}
	f.writer.Push(l, true)
	for e, i := t.First(v), 0; e < t.Next(v); e, i = t.Next(e), i+1 {
		if f.settle(n.element, e, rep, rescue.Label{At: i}) == broken {
			return broken
		}
		rep = n.rep
	}
	f.writer.Pop()
	return landed
}

// empty adds an array or map with nothing in it.
func (f *Fitter) empty(n *node, rep uint8) {
	for _, l := range n.leaves {
		l.Null(rep, n.def)
	}
}

// hold remembers what there is before a value that may have to be taken back.
func (f *Fitter) hold(n *node) {
	f.held = append(f.held, held{writing: f.writer.Mark(), met: len(f.met), marks: len(f.marks)})
	for _, l := range n.leaves {
		f.marks = append(f.marks, l.Mark())
	}
}

// held is what there was before a value.
type held struct {
	writing    rescue.Mark
	met, marks int
}

// release forgets what was held last.
func (f *Fitter) release() {
	last := len(f.held) - 1
	f.marks = f.marks[:f.held[last].marks]
	f.held = f.held[:last]
}

// takeBack undoes what came since.
func (f *Fitter) takeBack(n *node) {
	h := f.held[len(f.held)-1]
	f.writer.Undo(h.writing)
	f.met = f.met[:h.met]
	for i, l := range n.leaves {
		l.Undo(f.marks[h.marks+i])
	}
	f.release()
}
