package conform

import (
	"math"
	"strconv"

	"landfall/internal/column"
	"landfall/internal/rescue"
	"landfall/internal/verdict"
)

// walk fits the values of one typed field, row by row.
type walk struct {
	*Fitter
	fl     *field
	cursor *rescue.Cursor
	// whole counts the arrays around the value at hand, and the odd maps, which no
	// object can be: what does not fit in them brings the outermost whole. In odd
	// ones so does what no field takes.
	whole, odd int
}

// walkColumn fits a column that has to be taken apart, or that no column takes.
func (f *Fitter) walkColumn(fl *field, c *column.Column) {
	fl.cursor.Reset(*c)
	if fl.target != nil {
		fl.link.begin(c.Leaves)
	}
	w := walk{Fitter: f, fl: fl, cursor: fl.cursor}
	label := rescue.Label{Key: &fl.key}
	for f.book.Row = range f.slab.Records {
		fl.scraps.Begin(f.book.Row)
		if fl.folder != nil {
			w.repeats(label)
		} else {
			w.value(fl.link, 0, label)
		}
		fl.scraps.End()
		if f.book.Err != nil {
			return
		}
	}
	if fl.target != nil {
		fl.target.setNode()
	}
}

// setNode takes what the node's leaves gathered.
func (t *target) setNode() {
	t.columns()
	t.ready = true
}

// repeats deals with a value whose column a folder has the value of.
func (w *walk) repeats(label rescue.Label) {
	l := w.fl.link
	switch {
	case w.cursor.Null(l.part):
		w.book.Counts.Null += w.cursor.Skip(l.part)
		return
	case l.part.Last == 1 && w.sameText(w.fl.folder, []byte(w.cursor.Text(l.part))):
		w.book.Counts.Typed++
	default:
		w.unfit(w.fl, l, label)
	}
	w.cursor.Skip(l.part)
}

// value fits a value, and passes it. It reports broken if something in an array
// does not fit; the caller that has the array goes back then.
func (w *walk) value(l *link, rep uint8, label rescue.Label) outcome {
	c := w.cursor
	if c.Null(l.part) {
		w.book.Counts.Null += c.Skip(l.part)
		if l.node != nil {
			w.null(l.node, rep)
		}
		return landed
	}
	switch l.way {
	case nowhere:
		if w.odd > 0 && l.rule.Action == verdict.Rescues {
			w.book.Note(l.rule)
			return broken
		}
		w.unfit(w.fl, l, label)
		c.Skip(l.part)
		return landed
	case converted:
		return w.scalar(l, rep, label)
	case written:
		return w.write(l, rep, label)
	case structured:
		return w.structure(l, rep, label)
	case listed:
		return w.hold(l, rep, label, w.elements)
	case mapped:
		if !c.Odd(l.part) {
			return w.entries(l, rep, label)
		}
		w.odd++
		out := w.hold(l, rep, label, w.entries)
		w.odd--
		return out
	default:
		return w.misfit(l, rep, label)
	}
}

func (w *walk) scalar(l *link, rep uint8, label rescue.Label) outcome {
	if !l.fits(w.cursor.Value(l.part)) {
		return w.misfit(l, rep, label)
	}
	to := l.node.leaves[0]
	to.Take(&l.values, w.cursor.Value(l.part)-l.next)
	to.There(rep)
	w.cursor.Skip(l.part)
	w.book.Counts.Typed++
	return landed
}

// fits reports whether the value at a position was converted, and counts those
// before it that were not.
func (l *link) fits(at int) bool {
	for l.next > 0 && l.missing[l.next-1].Row >= at {
		l.next-- // the cursor went back
	}
	for l.next < len(l.missing) && l.missing[l.next].Row < at {
		l.next++
	}
	return l.next == len(l.missing) || l.missing[l.next].Row != at
}

// misfit deals with a value that its node does not take.
func (w *walk) misfit(l *link, rep uint8, label rescue.Label) outcome {
	if w.whole > 0 && l.node.misfit.Action == verdict.Rescues {
		w.book.Note(l.node.misfit)
		return broken
	}
	w.unfit(w.fl, l, label)
	if !l.node.nullable {
		w.book.Refuse(l.node.path, l.node.misfit, w.found(w.fl, l))
	}
	w.cursor.Skip(l.part)
	w.null(l.node, rep)
	return landed
}

// write puts the JSON of a value into a string.
func (w *walk) write(l *link, rep uint8, label rescue.Label) outcome {
	to := l.node.leaves[0]
	start := len(to.Data())
	l.text = w.cursor.Append(to.Data(), l.part)
	if size := len(l.text); size-start > column.MaxValue || size > math.MaxUint32 {
		return w.misfit(l, rep, label)
	}
	to.PutText(l.text, start)
	to.There(rep)
	w.book.Counts.Typed += w.cursor.Skip(l.part)
	return landed
}

func (w *walk) structure(l *link, rep uint8, label rescue.Label) outcome {
	w.fl.scraps.Push(label, false)
	for _, below := range l.fields {
		if w.value(below, rep, rescue.Label{Key: &below.key}) == broken {
			return broken
		}
	}
	w.fl.scraps.Pop()
	for _, n := range l.absent {
		w.null(n, rep)
	}
	return landed
}

// hold fits an array. If something in it does not fit, the outermost array is
// rescued whole: nothing else could say which element it was.
func (w *walk) hold(l *link, rep uint8, label rescue.Label, parts func(*link, uint8, rescue.Label) outcome) outcome {
	if w.whole > 0 {
		return parts(l, rep, label)
	}
	w.cursor.Save(l.part)
	counts, writing := w.book.Counts, w.fl.scraps.Mark()
	w.marks = w.marks[:0]
	for _, to := range l.node.leaves {
		w.marks = append(w.marks, to.Mark())
	}
	w.whole++
	out := parts(l, rep, label)
	w.whole--
	if out != broken {
		w.cursor.Forget(l.part)
		return out
	}
	w.cursor.Restore(l.part)
	w.fl.scraps.Undo(writing)
	for i, to := range l.node.leaves {
		to.Undo(w.marks[i])
	}
	w.book.Counts = counts
	w.book.Counts.Rescued += w.cursor.Entries(l.part)
	w.fl.scraps.Close(w.cursor.Append(w.fl.scraps.Open(label), l.part), label, l.node.misfit.Reason)
	if !l.node.nullable {
		w.book.Refuse(l.node.path, l.node.misfit, w.found(w.fl, l))
	}
	w.cursor.Skip(l.part)
	w.null(l.node, rep)
	return landed
}

func (w *walk) elements(l *link, rep uint8, label rescue.Label) outcome {
	if w.cursor.Empty(l.part) {
		return w.empty(l, rep)
	}
	w.fl.scraps.Push(label, true)
	for i := 0; i == 0 || w.cursor.More(l.part); i++ {
		if w.value(l.element, rep, rescue.Label{At: i}) == broken {
			return broken
		}
		rep = l.node.rep
	}
	w.fl.scraps.Pop()
	return landed
}

// empty adds an array or map with nothing in it.
func (w *walk) empty(l *link, rep uint8) outcome {
	w.book.Counts.Null += w.cursor.Skip(l.part)
	w.Fitter.empty(l.node, rep)
	return landed
}

// entries fits those of a map.
func (w *walk) entries(l *link, rep uint8, label rescue.Label) outcome {
	if w.cursor.Empty(l.part) {
		return w.empty(l, rep)
	}
	if l.names == nil {
		l.names = rescue.NewKeys(w.cursor, l.mapKey.part)
	}
	w.fl.scraps.Push(label, false)
	added := 0
	for more := true; more; more = w.cursor.More(l.part) {
		at := w.cursor.Value(l.mapKey.part)
		key := rescue.Label{Names: l.names, At: at}
		if !l.mapKey.fits(at) {
			if w.whole > 0 && l.mapKey.rule.Action == verdict.Rescues {
				w.book.Note(l.mapKey.rule)
				return broken
			}
			w.leaveEntry(l, key)
			continue
		}
		if added > 0 {
			rep = l.node.rep
		}
		to := l.mapKey.node.leaves[0]
		to.Take(&l.mapKey.values, at-l.mapKey.next)
		to.There(rep)
		w.book.Counts.Typed += w.cursor.Skip(l.mapKey.part)
		if w.value(l.element, rep, key) == broken {
			return broken
		}
		added++
	}
	w.fl.scraps.Pop()
	if added == 0 {
		w.Fitter.empty(l.node, rep)
	}
	return landed
}

// leaveEntry deals with an entry whose key does not fit.
func (w *walk) leaveEntry(l *link, key rescue.Label) {
	c, r := w.cursor, l.mapKey.rule
	n := c.Entries(l.mapKey.part) + c.Entries(l.element.part)
	found := func() string { return strconv.Quote(key.Names.Name(key.At)) }
	if w.book.Apply(r, n, found) {
		c.Skip(l.mapKey.part)
		b := c.Append(w.fl.scraps.Open(key), l.element.part)
		w.fl.scraps.Close(b, key, r.Reason)
	} else {
		c.Skip(l.mapKey.part)
	}
	c.Skip(l.element.part)
}
