package verdict

import (
	"strconv"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/rescue"
)

// Folders are the k=v folders of an object's path whose values no column takes: these
// are rescued or ignored with every row.
type Folders struct {
	all []folder
	// told are the remarks on folders that a column takes.
	told []*Rule
	// taken are the names that fields of the object have.
	taken Taken
}

type folder struct {
	key   rescue.Key
	value []byte
	rule  *Rule
}

// Keep adds a folder, unless its value is null. r says what becomes of it.
func (fs *Folders) Keep(from contract.Folder, r *Rule) {
	if !from.Null() {
		fs.all = append(fs.all, folder{rescue.Key{Name: from.Key}, []byte(from.Value), r})
	}
}

// Tell has a remark made with every row: on a folder whose zeros in front a number
// has not.
func (fs *Folders) Tell(remark *Rule) { fs.told = append(fs.told, remark) }

// Any reports whether there are some.
func (fs *Folders) Any() bool { return len(fs.all) > 0 }

// Some reports whether an action is to be taken on some.
func (fs *Folders) Some(a Action) bool {
	for i := range fs.all {
		if fs.all[i].rule.Action == a {
			return true
		}
	}
	return false
}

// Count accounts for the values as for cells of each of so many rows.
func (fs *Folders) Count(b *Book, rows int) {
	for _, r := range fs.told {
		for b.Row = range rows {
			b.Note(r)
		}
	}
	for i := range fs.all {
		fl := &fs.all[i]
		b.Counts.Cells += int64(rows)
		for b.Row = range rows {
			b.Apply(fl.rule, 1, func() string { return diag.Quote(string(fl.value)) + " in its path" })
		}
	}
}

// Name gives the folders names that are not taken.
func (fs *Folders) Name(taken Taken) {
	fs.taken = taken
	for i := range fs.all {
		k := &fs.all[i].key
		*k = NewKey(taken.Free(k.Name), true)
		taken[k.Name] = true
	}
}

// Put rescues the values with the row at hand of w. stands reports whether a member of
// the row is rescued under a name.
func (fs *Folders) Put(w *rescue.Writer, stands func(name string) bool) {
	for i := range fs.all {
		fl := &fs.all[i]
		if fl.rule.Action != Rescues {
			continue
		}
		k := &fl.key
		if stands(k.Name) {
			other := fs.another(i, stands)
			k = &other
		}
		w.Put(k, fl.rule.Reason, fl.value)
	}
}

// another returns a name for folder i that neither a member of the row has nor
// another folder; each of these tries numbers of its own.
func (fs *Folders) another(i int, stands func(name string) bool) rescue.Key {
	for n := 2 + i; ; n += len(fs.all) {
		name := fs.all[i].key.Name + "#" + strconv.Itoa(n)
		if !stands(name) && !fs.taken[name] {
			return NewKey(name, true)
		}
	}
}

// Taken are the names in the rescue column that are taken.
type Taken map[string]bool

// Free returns a name for a folder's key or a value past the header, which a field
// of the header may have already.
func (t Taken) Free(name string) string {
	for k, try := 2, name; ; k++ {
		if !t[try] {
			return try
		}
		try = name + "#" + strconv.Itoa(k)
	}
}

// NewKey makes the key of a name in the rescue column. At the root some are ours.
func NewKey(name string, root bool) rescue.Key {
	return rescue.NewKey(name, root && isReserved(name))
}

// isReserved reports whether a name of a record cannot stand for itself.
func isReserved(name string) bool {
	switch name {
	case contract.RescuedData, contract.SourceFile, contract.IngestedAt:
		return true
	}
	return rescue.Reserved(name)
}
