package evolution

import (
	"fmt"
	"slices"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/hint"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// widens is the action that lets types widen.
const widens = "widen"

// lets reports whether a policy lets the type of any column widen.
func lets(p contract.Policy) bool {
	return p.Uses(event.TypeWider, widens) || p.Uses(event.TypeWider, contract.ByFeature)
}

// widenColumns gives standing columns a wider type, where values of the batch or a
// hint want one, and the table's life has nothing that it would not hold.
func (e *evolution) widenColumns(ev Evidence) error {
	if !lets(e.policy) {
		return nil
	}
	batch := e.spots(ev.Objects)
	var life [][]spot
	for at := range e.index.Columns {
		c := &e.index.Columns[at]
		if c.Retired || e.left[at] || c.Type == "" || c.Type == schema.Unknown.String() {
			continue
		}
		t, err := c.SchemaType()
		if err != nil {
			return err
		}
		h := e.hintOn(*c)
		w := widening{evolution: e, column: at, pinned: c.Hinted && h == nil}
		if w.part(c.Path(), t, stand{batch: batch[at]}, h); !w.asks {
			continue
		}
		if !ev.Lived {
			e.asksLife = true
			continue
		}
		if life == nil {
			life = e.spots(ev.Life)
		}
		w.lived, w.held, w.written = true, ev.heldFor(*c), ev.Written
		w.together(c.Path(), t, stand{batch[at], life[at]}, h)
		grown := w.part(c.Path(), t, stand{batch[at], life[at]}, h)
		if len(w.parts) > 0 {
			c.SetType(grown)
			c.Hinted = c.Hinted || h != nil
			e.widened = append(e.widened, Reshape{Name: c.Name, Parts: w.parts, From: t, InPlace: w.inPlace == len(w.parts)})
		}
	}
	return nil
}

// heldFor says why the rows of a column cannot be written again, "" if they can.
func (ev Evidence) heldFor(c contract.Column) string {
	if why, ok := ev.Held[schema.Fold(c.Name)]; ok {
		return why
	}
	return ev.Held[""]
}

// reshaped are the columns, of those of the next version, that standing rows must
// be written again for.
func (e *evolution) reshaped(columns []contract.Column) ([]Reshape, error) {
	var reshaped []Reshape
	for _, r := range e.widened {
		r.Column = slices.IndexFunc(columns, func(c contract.Column) bool { return c.Name == r.Name })
		t, err := columns[r.Column].SchemaType()
		if err != nil {
			return nil, err
		}
		var stood bool
		if r.From, stood = schema.Storable(r.From); stood {
			r.To, _ = schema.Storable(t)
			reshaped = append(reshaped, r)
		}
	}
	return reshaped, nil
}

// widening looks for what widens in one column.
type widening struct {
	*evolution
	column int
	// pinned says that a hint gave the type which speaks of the column no more: no
	// evidence changes it.
	pinned bool
	// lived says that the table's life is known; asks is set where it decides.
	lived, asks bool
	// held is why the rows of the column cannot be written again, written why they
	// have to be, whatever widens.
	held, written string
	// parts are the paths of what widened, inPlace is how many of them did so with the
	// rows as they are.
	parts   []schema.Path
	inPlace int
	// silent says that what widens is looked for and not told.
	silent bool
}

// together finds out whether some parts of a column need its rows to be written again:
// then there are no others that do without.
func (w *widening) together(path schema.Path, t schema.Type, s stand, h *hint.Node) {
	w.silent = true
	w.part(path, t, s, h)
	if w.inPlace > 0 && w.inPlace < len(w.parts) {
		w.written = "another part of the column has its rows written again"
	}
	w.silent, w.parts, w.inPlace = false, nil, 0
}

// part returns a type with what widens in it.
func (w *widening) part(path schema.Path, t schema.Type, s stand, h *hint.Node) schema.Type {
	switch t := t.(type) {
	case schema.Struct:
		fields := slices.Clone(t.Fields)
		members := s.members(len(fields), contract.FieldsOf(t, w.policy))
		for i, f := range fields {
			original, _ := schema.Original(f)
			fields[i].Type = w.part(path.Child(original), f.Type, members[i], h.Part(original))
		}
		return schema.Struct{Fields: fields}
	case schema.Array:
		t.Element = w.part(path.Child("element"), t.Element, s.element(false), h.Part("element"))
		return t
	case schema.Map:
		t.Value = w.part(path.Child("value"), t.Value, s.element(true), h.Part("value"))
		return t
	default:
		return w.scalar(path, t, s, h)
	}
}

// scalar returns the type that a scalar has from now on.
func (w *widening) scalar(path schema.Path, t schema.Type, s stand, h *hint.Node) schema.Type {
	action, rule := w.policy.ActionOf(event.TypeWider, path.String())
	if action != widens && action != contract.ByFeature || t == schema.Unknown || h == nil && w.pinned {
		return t
	}
	d, wanted := w.wanted(t, s, h)
	if !wanted {
		return t
	}
	if w.asks = true; !w.lived {
		return t
	}
	to := w.wider(path, t, s, h, rule)
	if to == t {
		if h == nil && w.held == "" { // else nothing leads on
			w.tellTextual(path, t, s, d, rule)
		}
		return t
	}
	d.From, d.To = t.String(), to.String()
	written := w.written
	if !schema.ReadsAs(t, to) {
		written = fmt.Sprintf("Delta's type widening reads no %s as %s: the rows that stand are written again", t, to)
	}
	switch {
	case action == contract.ByFeature && written == "":
		w.tell(path, contract.ByFeature, d)
		w.parts = append(w.parts, path)
		w.inPlace++
		return to
	case w.held == "":
		if action == contract.ByFeature {
			d.Hint = written
		}
		w.tell(path, widens, d)
		w.parts = append(w.parts, path)
		return to
	case h == nil: // a hint is told as held anyway
		d.Hint = w.held
		w.tell(path, "hold", d)
	}
	return t
}

// tellTextual tells that a type does not widen since some of all values that it ever
// had are text: what comes of it later, only a contract that begins anew can say. Where
// the other values would not widen it either, text has no part in it.
func (w *widening) tellTextual(path schema.Path, t schema.Type, s stand, d event.Drift, rule string) {
	if w.wider(path, t, s.untexted(w.policy.Method()), nil, rule) == t {
		return
	}
	all := &inference.Sight{}
	if !w.gather(all, s.life) || !w.gather(all, s.batch) {
		return
	}
	if found := w.policy.Method().Wider(t, all, len(path)-1); found == schema.String {
		d.From, d.To = t.String(), found.String()
		d.Hint = fmt.Sprintf("text among all its values so far keeps it %s; %s makes it %s", t, ReplayAll, found)
		w.tell(path, "hold", d)
	}
}

// ReplayAll is the command, in hints, that lets a contract begin anew; the name of
// the source belongs before its flag.
const ReplayAll = "landfall replay --all"

func (w *widening) tell(path schema.Path, decision string, d event.Drift) {
	if w.silent {
		return
	}
	if len(path) == 1 {
		w.noteOf(w.index.Columns[w.column], event.TypeWider, decision, d)
		return
	}
	w.noteAt(path, event.TypeWider, decision, d)
}

// wanted reports whether a wider type is wanted: by a hint, or where there is none
// by values of the batch. The event tells of how many objects, and which was the
// first.
func (w *widening) wanted(t schema.Type, s stand, h *hint.Node) (d event.Drift, wanted bool) {
	if h != nil {
		return d, h.Type != nil && contract.MayWiden(t, h.Apply(t))
	}
	m := w.policy.Method()
	for _, of := range s.batch {
		if of.seen == nil {
			continue
		}
		if record, some := m.Exceeds(t, of.seen); some {
			if d.Count++; d.Count == 1 {
				d.File, d.Record = of.file, record
			}
		}
	}
	return d, d.Count > 0
}

// wider is the type that holds all values ever seen, t itself if none does that is
// wider.
func (w *widening) wider(path schema.Path, t schema.Type, s stand, h *hint.Node, rule string) schema.Type {
	m, all := w.policy.Method(), &inference.Sight{}
	known := w.gather(all, s.life)
	life := all.Own.Clone()
	w.gather(all, s.batch)
	var to schema.Type
	switch {
	case h != nil:
		to = h.Apply(t)
	case rule == contract.TypeWidening:
		to = documented(m, t, all, len(path)-1)
	default:
		to = m.Wider(t, all, len(path)-1)
	}
	// What is not known may be any value of the type.
	sure := known || t != schema.Float && schema.Widens(t, to)
	if !contract.MayWiden(t, to) || !sure || !m.Holds(t, to, &life) {
		return t
	}
	return to
}

// gather adds what objects say to a sight, and reports whether that is all of it.
func (w *widening) gather(all *inference.Sight, spots []spot) (known bool) {
	known = true
	for _, of := range spots {
		if of.seen == nil {
			known = false
			continue
		}
		all.Add(of.file, of.seen, w.policy.CaseSensitive)
	}
	return known
}

// documented is the wider type of those that Auto Loader widens to: each has every
// value of the type before, and days stay days.
func documented(m inference.Method, t schema.Type, all *inference.Sight, depth int) schema.Type {
	found := m.Wider(t, all, depth)
	if t == schema.Long && found == schema.Double {
		found = m.Exact(all)
	}
	joined, lossless := schema.Join(t, found)
	if !lossless || t == schema.Date {
		return t
	}
	return joined
}
