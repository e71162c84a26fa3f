package rowgroup

import (
	"slices"
	"strings"

	"landfall/internal/parquetfile/form"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// ColumnStats are the bounds of one column of rows, or of a field of a struct.
// Arrays and maps are one, whatever they consist of.
type ColumnStats struct {
	// Path leads to it: the column, and the fields below.
	Path []string
	// Type is the type of Min and Max; nil if it is none that we know. Binary has
	// no bounds.
	Type schema.Type
	// Nulls is the number of rows without a value, −1 for arrays and maps and where
	// it is not known.
	Nulls int64
	// Min and Max are a string (in byte order), an int64 (µs for timestamps,
	// days for dates, the digits of decimals), a value.Int128 (those of longer
	// decimals), a float64 or a bool; nil when there is no value, or a NaN.
	Min, Max any
	// MinCut and MaxCut say that the string is longer than BoundBytes and only
	// its first BoundBytes are given, which may end within a character.
	MinCut, MaxCut bool
	// Unbounded says that there are values, or may be, that no bounds are known of,
	// which keeps Min and Max nil: NaN, for one.
	Unbounded bool
}

// BoundBytes is how much of a long text is kept as a bound.
const BoundBytes = 1 << 10

// Merge returns the statistics of the rows of two groups of the same columns;
// either may be nil, for none.
func Merge(a, b []ColumnStats) []ColumnStats {
	if a == nil {
		return b
	}
	out := slices.Clone(a)
	for i := range b {
		out[i] = merge(a[i], b[i])
	}
	return out
}

func merge(a, b ColumnStats) ColumnStats {
	if a.Nulls < 0 || b.Nulls < 0 {
		a.Nulls = -1
	} else {
		a.Nulls += b.Nulls
	}
	a.Unbounded = a.Unbounded || b.Unbounded
	switch {
	case a.Unbounded:
		a.Min, a.Max, a.MinCut, a.MaxCut = nil, nil, false, false
	case a.Min == nil:
		a.Min, a.Max, a.MinCut, a.MaxCut = b.Min, b.Max, b.MinCut, b.MaxCut
	case b.Min != nil:
		mergeBounds(&a, b)
	}
	return a
}

func mergeBounds(a *ColumnStats, b ColumnStats) {
	switch low := a.Min.(type) {
	case bool:
		a.Min, a.Max = low && b.Min.(bool), a.Max.(bool) || b.Max.(bool)
	case int64:
		a.Min, a.Max = min(low, b.Min.(int64)), max(a.Max.(int64), b.Max.(int64))
	case value.Int128:
		if form.LessWide(b.Min.(value.Int128), low) {
			a.Min = b.Min
		}
		if form.LessWide(a.Max.(value.Int128), b.Max.(value.Int128)) {
			a.Max = b.Max
		}
	case float64:
		a.Min, a.Max = min(low, b.Min.(float64)), max(a.Max.(float64), b.Max.(float64))
	case string:
		switch c := strings.Compare(b.Min.(string), low); {
		case c < 0:
			a.Min, a.MinCut = b.Min, b.MinCut
		case c == 0:
			a.MinCut = a.MinCut && b.MinCut
		}
		switch c := strings.Compare(b.Max.(string), a.Max.(string)); {
		case c > 0:
			a.Max, a.MaxCut = b.Max, b.MaxCut
		case c == 0:
			a.MaxCut = a.MaxCut || b.MaxCut
		}
	}
}

// StatsOf returns the statistics of the columns of a table and of the fields of
// structs in their place, of those of its leaves.
func StatsOf(s schema.Struct, leaves []Bounds) []ColumnStats {
	w := statsWalk{leaves: leaves}
	w.fields(s, nil)
	return w.out
}

type statsWalk struct {
	leaves []Bounds
	out    []ColumnStats
}

func (w *statsWalk) fields(s schema.Struct, above []string) {
	for _, f := range s.Fields {
		path := append(slices.Clip(above), schema.PhysicalName(f))
		switch t := f.Type.(type) {
		case schema.Struct:
			w.fields(t, path)
		case schema.Array, schema.Map:
			w.out = append(w.out, ColumnStats{Path: path, Nulls: -1})
			w.leaves = w.leaves[schema.LeafCount(t):]
		default:
			stats := w.leaves[0].Stats(t)
			stats.Path = path
			w.out, w.leaves = append(w.out, stats), w.leaves[1:]
		}
	}
}

// isFloat tells types whose bounds are floats.
func isFloat(t schema.Type) bool { return t == schema.Float || t == schema.Double }
