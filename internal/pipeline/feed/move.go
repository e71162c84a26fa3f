package feed

import (
	"maps"
	"slices"
	"strings"

	"landfall/internal/table"
)

// RowsTag is the tag by which files say whose rows they hold: a file that is written again
// keeps it, and no two files that are there at one time have the same.
const RowsTag = "landfall.rows"

// Move is rows that files had and that other files have now, all of them and no other.
// Files before are known as far as the log repeats it where it removes them.
type Move struct{ Before, After []table.File }

// move is one of a version, and whether the sum counts it.
type move struct {
	before, after []table.File
	counted       bool
}

// moved are the moves of a version, as small as can be told. Rows stay in their partition;
// those of a file that tells whose they are, or which attempt landed them, stay in files
// that tell the same, unless such files only go or only come.
func (b *book) moved(gone, come []table.File) []*move {
	if len(gone)+len(come) == 0 {
		return nil
	}
	if slices.ContainsFunc(gone, func(f table.File) bool { return !b.told(f) }) {
		return []*move{{before: gone, after: come}}
	}
	for _, key := range []func(table.File) string{
		func(f table.File) string { return partitionOf(f) + "\x00" + landing(f) }, partitionOf,
	} {
		if out := apart(gone, come, key); out != nil {
			return out
		}
	}
	return []*move{{before: gone, after: come}}
}

// apart divides moves by a key; nil if rows would come from or go to nowhere.
func apart(gone, come []table.File, key func(table.File) string) []*move {
	groups := map[string]*move{}
	var order []*move
	at := func(f table.File) *move {
		k := key(f)
		if groups[k] == nil {
			groups[k] = &move{}
			order = append(order, groups[k])
		}
		return groups[k]
	}
	for _, f := range gone {
		m := at(f)
		m.before = append(m.before, f)
	}
	for _, f := range come {
		m := at(f)
		m.after = append(m.after, f)
	}
	for _, m := range order {
		before, after := rows(m.before), rows(m.after)
		if len(m.before) == 0 || len(m.after) == 0 || before >= 0 && after >= 0 && before != after {
			return nil
		}
	}
	return order
}

// rows is how many rows files have, -1 if that is not known.
func rows(files []table.File) int64 {
	var n int64
	for _, f := range files {
		if f.Rows < 0 {
			return -1
		}
		n += f.Rows
		if f.DV != nil {
			n -= f.DV.Cardinality
		}
	}
	return n
}

func partitionOf(f table.File) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f.Partition)) {
		b.WriteString(name + "\x00")
		if v := f.Partition[name]; v != nil {
			b.WriteString("=" + *v)
		}
		b.WriteString("\x00")
	}
	return b.String()
}

// landing is what a file tells of its rows.
func landing(f table.File) string {
	return f.Tags[RowsTag] + "\x00" + f.Tags["landfall.source"] + "\x00" + f.Tags["landfall.attempt"]
}
