package reconcile

import (
	"math"
	"math/big"
	"strconv"

	"landfall/internal/reconcile/datum"
	"landfall/internal/schema"
)

// summary is what was found of a path in all files.
type summary struct {
	base                          schema.Path
	role                          role
	before, after                 totals
	converted, rescued, truncated int64
	differ                        bool
}

// totals are the values of one side.
type totals struct {
	sum
	parts []part
}

// part is the figures of the values that have one form.
type part struct {
	form datum.Form
	// single says that they are floats of 32 bits.
	single bool
	figures
}

// paths gathers the slots of all plans by their paths.
func (r *run) paths() map[string]*summary {
	out := map[string]*summary{}
	for _, p := range r.order {
		was, is := r.tallies(p, before), r.tallies(p, after)
		for i, s := range p.slots {
			key := s.path.String()
			m := out[key]
			if m == nil {
				m = &summary{base: s.base, role: s.role}
				out[key] = m
			}
			single := s.typ == schema.Type(schema.Float)
			m.before.parts = append(m.before.parts, part{s.form, single, was[i].figures})
			m.after.parts = append(m.after.parts, part{s.form, single, is[i].figures})
			m.converted += is[i].converted
			m.rescued += is[i].rescued
			m.truncated += was[i].truncated
		}
	}
	return out
}

func (m *summary) report(key string, rows Count, paths map[string]*summary, examples []*Example) Path {
	out := Path{Column: key, Converted: m.converted, Rescued: m.rescued, Truncated: m.truncated, Equal: !m.differ}
	base := rows
	if len(m.base) > 0 {
		base = paths[m.base.String()].entries(paths, m.base)
	}
	out.Before, out.After = m.before.figures(base.Before, m.role), m.after.figures(base.After, m.role)
	for _, e := range examples {
		out.Examples = append(out.Examples, *e)
	}
	return out
}

// entries counts the elements of an array or the entries of a map.
func (m *summary) entries(paths map[string]*summary, path schema.Path) Count {
	if m.role == presence {
		keys := paths[path.Child("key").String()]
		if keys == nil { // which have parts
			return Count{}
		}
		return Count{keys.before.values, keys.after.values}
	}
	return Count{m.before.elements(), m.after.elements()}
}

// elements is the sum of lengths.
func (t *totals) elements() int64 {
	n := int64(0)
	for i := range t.parts {
		n += int64(t.parts[i].whole[0])
	}
	return n
}

// figures are those of the values of the kind that most of the types have which are
// there: numbers before moments, moments before texts.
func (t *totals) figures(entries int64, role role) Figures {
	out := Figures{Values: t.values, Nulls: max(entries-t.values, 0), Hash: t.hash.String()}
	if role == presence {
		return out
	}
	best := datum.Absent
	for i := range t.parts {
		if p := &t.parts[i]; (p.n > 0 || p.nan > 0) && (best == datum.Absent || p.form.Kind < best) {
			best = p.form.Kind
		}
	}
	var chosen []*part
	for i := range t.parts {
		if k := t.parts[i].form.Kind; k == best || best == datum.Whole && k == datum.Float {
			chosen = append(chosen, &t.parts[i])
		}
	}
	out.bound(chosen)
	if best == datum.Whole || best == datum.Float {
		out.Sum = total(chosen)
	}
	return out
}

// bound says the least and the greatest value.
func (f *Figures) bound(parts []*part) {
	var least, most *datum.Value
	for _, p := range parts {
		if p.n == 0 {
			continue
		}
		p.least.Single, p.most.Single = p.single, p.single
		if least == nil || datum.Less(&p.least, least) {
			least = &p.least
		}
		if most == nil || datum.Less(most, &p.most) {
			most = &p.most
		}
	}
	if least != nil {
		f.Min, f.Max = least.Label(), most.Label()
	}
}

// total is the sum of numbers.
func total(parts []*part) string {
	sum, scale, floats := new(big.Rat), 0, false
	var nan, up, down int64
	for _, p := range parts {
		sum.Add(sum, p.total(p.form))
		scale = max(scale, p.form.Scale)
		floats = floats || p.form.Kind == datum.Float && (p.n > 0 || p.nan > 0)
		nan, up, down = nan+p.nan, up+p.up, down+p.down
	}
	switch {
	case nan > 0 || up > 0 && down > 0:
		return "NaN"
	case up > 0:
		return "Infinity"
	case down > 0:
		return "-Infinity"
	case !floats:
		return sum.FloatString(scale)
	}
	f, _ := sum.Float64()
	if math.IsInf(f, 0) {
		return sum.FloatString(0)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
