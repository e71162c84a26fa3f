package contract

import (
	"strconv"

	"landfall/internal/schema"
)

// The reasons for which a value is rescued, as `_why` of the rescue column
// gives them. A misfit's reason is "type:" and the type it does not fit.
const (
	WhyUnknown   = "unknown"
	WhyCase      = "case"
	WhyType      = "type"
	WhyRagged    = "ragged"
	WhyPartition = "partition"
	WhyDuplicate = "duplicate"
	// WhyIgnored is the reason of values that a decision drops: they are not
	// rescued, but counted as ignored.
	WhyIgnored = "ignored"
)

// Field says where the values of one field of a header belong.
type Field struct {
	// Name identifies the field: its spelling in the file, trimmed; a blank
	// one is _c and its 0-based position; the k-th equal one has #k. No two
	// fields of a header have one Name.
	Name string
	// Base is Name without #k, and K is that k; 1 for the first.
	Base string
	K    int
	// Column is the position in the contract's columns, -1 for none.
	Column int
	// Why is the reason to rescue the values if Column is -1.
	Why string
	// Reserved is set for names of metadata columns, which no file's field has.
	Reserved bool
	// Folder is set if a folder of the path has the same key: its value wins.
	Folder bool
}

// Title is what people call the column that the field is one of or would become;
// see [Column.Title].
func (f Field) Title() string { return numbered(f.Base, f.K) }

// Key says where the value of one k=v folder belongs.
type Key struct {
	// Name is the key as the folder spells it.
	Name string
	// Column is the position in the contract's columns, -1 for none.
	Column int
	// Why is the reason to rescue the value, "" if it is the column's or if the
	// policy does not take the folder.
	Why string
	// Outer is set if a folder further in has the same key, in whatever casing:
	// that one stands for the column.
	Outer bool
	// Reserved is set for names of metadata columns.
	Reserved bool
}

// Binding says where the fields and folder keys of one object belong.
type Binding struct {
	Fields  []Field
	Folders []Key
}

// Bind finds the columns for a file's header and for the keys of its folders,
// which come from the outermost in. It is the one rule by which names are
// matched: case-insensitively, by the names that the columns had originally or
// that decisions gave them, and k-th equal names by their k. Of several names of
// a column in one header its own stands for it, else the first.
func Bind(v Version, p Policy, header, folders []string) Binding {
	return NewIndex(v, p).Bind(header, folders, false)
}

// stands says which of the names of a column, folded, stands for it in a header,
// where decisions gave it several; by the folded name of the column.
func (x *Index) stands(fields []Field) map[string]string {
	if len(x.choices.mapped) == 0 {
		return nil
	}
	stands := make(map[string]string)
	for _, f := range fields {
		folded, column := schema.Fold(f.Base), schema.Fold(x.choices.target(f.Base))
		if _, taken := stands[column]; !taken || folded == column {
			stands[column] = folded
		}
	}
	return stands
}

// displaced reports whether another name of its column stands for it.
func (x *Index) displaced(f Field, stands map[string]string) bool {
	if len(stands) == 0 || f.K > 1 {
		return false
	}
	return stands[schema.Fold(x.choices.target(f.Base))] != schema.Fold(f.Base)
}

// place finds the column of a field.
func (x *Index) place(f *Field, keys map[string]bool) {
	folded := schema.Fold(f.Base)
	f.Column, f.Why = -1, WhyUnknown
	if x.policy.Reserves(folded) {
		f.Reserved = true
		return
	}
	f.Folder = f.K == 1 && keys[schema.Fold(x.choices.target(f.Base))]
	first := x.Find(f.Base, 1)
	switch c := x.Find(f.Base, f.K); {
	case f.K == 1 && x.choices.ignores(f.Base):
		f.Why = WhyIgnored
	case x.policy.CaseSensitive && !f.Folder && (x.Respelt(first, f.Base) || x.Respelt(c, f.Base)):
		f.Why = WhyCase
	case c < 0 || x.Columns[c].Retired:
	default:
		f.Column, f.Why = c, ""
	}
}

// bindFolders binds the keys of folders, and returns those that stand for a
// column, folded.
func (x *Index) bindFolders(folders []string) (bound []Key, keys map[string]bool) {
	bound, keys = make([]Key, len(folders)), make(map[string]bool, len(folders))
	for i := len(folders) - 1; i >= 0; i-- {
		k := &bound[i]
		k.Name, k.Column = folders[i], -1
		folded := schema.Fold(x.choices.target(k.Name))
		switch {
		case !x.policy.takes(k.Name):
			continue
		case x.policy.Reserves(schema.Fold(k.Name)):
			k.Reserved, k.Why = true, WhyUnknown
			continue
		case x.choices.ignores(k.Name):
			k.Why = WhyIgnored
			continue
		}
		k.Outer = keys[folded]
		keys[folded] = true
		if k.Column = x.Find(k.Name, 1); k.Column < 0 || x.Columns[k.Column].Retired {
			k.Column, k.Why = -1, WhyUnknown
		} else if k.Outer {
			k.Why = WhyPartition
		}
	}
	return bound, keys
}

// name gives every field its name, and returns which spelling of each folded
// name stands for the column: the contract's own, else the first.
func (x *Index) name(fields []Field, header []string) map[string]string {
	winners := make(map[string]string, len(header))
	taken := make(map[string]bool, len(header))
	for i, cell := range header {
		name := schema.TrimName(cell)
		if name == "" {
			name = "_c" + strconv.Itoa(i)
		}
		fields[i].Base = name
		taken[name] = true
		folded := schema.Fold(name)
		won, seen := winners[folded]
		if !seen || won != name && x.spelling(name) == name {
			winners[folded] = name
		}
	}
	times := make(map[string]int, len(header))
	for i := range fields {
		f := &fields[i]
		times[f.Base]++
		f.K = times[f.Base]
		for f.Name = numbered(f.Base, f.K); f.K > 1 && taken[f.Name]; {
			f.Name = numbered(f.Name, f.K) // a look-alike stands in the header
		}
		taken[f.Name] = true
	}
	return winners
}
