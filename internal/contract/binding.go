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

// left reports whether the policy leaves the folder to the path alone.
func (k Key) left() bool { return k.Column < 0 && k.Why == "" }

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
	return newIndex(v.Columns, choicesOf(v.Decisions), p).bind(header, folders, false)
}

// index finds columns by their names.
type index struct {
	policy  Policy
	choices choices
	columns []Column
	byName  map[nth]int
}

// nth is the k-th of the equal names of a header, folded.
type nth struct {
	name string
	k    int
}

func newIndex(columns []Column, c choices, p Policy) *index {
	x := &index{policy: p, choices: c, byName: make(map[nth]int, len(columns))}
	for _, c := range columns {
		x.add(c)
	}
	return x
}

func (x *index) add(c Column) int {
	x.byName[c.nth()] = len(x.columns)
	x.columns = append(x.columns, c)
	return len(x.columns) - 1
}

// find returns the column of the k-th equal name, -1 for none.
func (x *index) find(name string, k int) int {
	if k == 1 {
		name = x.choices.target(name)
	}
	if i, ok := x.byName[nth{schema.Fold(name), k}]; ok {
		return i
	}
	return -1
}

// spelling is how the column's name is spelt that a name is a casing of, or the
// hint's of one that there is not yet; "" for neither.
func (x *index) spelling(name string) string {
	if spelt, ok := x.choices.spelling(name); ok {
		return spelt
	}
	if c := x.find(name, 1); c >= 0 {
		return x.columns[c].Original
	}
	return spelling(x.policy.Hints.For(name))
}

// bind binds the fields of a header, or with tree the names of members: a name
// is then there once, and its casings do not stand in each other's way.
func (x *index) bind(header, folders []string, tree bool) Binding {
	b := Binding{Fields: make([]Field, len(header))}
	var keys map[string]bool
	b.Folders, keys = x.bindFolders(folders)
	if tree {
		for i, name := range header {
			name = schema.TrimName(name)
			b.Fields[i] = Field{Name: name, Base: name, K: 1}
			x.place(&b.Fields[i], keys)
		}
		return b
	}
	winners := x.name(b.Fields, header)
	stands := x.stands(b.Fields)
	for i := range b.Fields {
		f := &b.Fields[i]
		folded := schema.Fold(f.Base)
		if (winners[folded] != f.Base || x.displaced(*f, stands)) && !x.policy.reserves(folded) {
			f.Column, f.Why = -1, WhyCase
		} else {
			x.place(f, keys)
		}
	}
	return b
}

// stands says which of the names of a column, folded, stands for it in a header,
// where decisions gave it several; by the folded name of the column.
func (x *index) stands(fields []Field) map[string]string {
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
func (x *index) displaced(f Field, stands map[string]string) bool {
	if len(stands) == 0 || f.K > 1 {
		return false
	}
	return stands[schema.Fold(x.choices.target(f.Base))] != schema.Fold(f.Base)
}

// place finds the column of a field.
func (x *index) place(f *Field, keys map[string]bool) {
	folded := schema.Fold(f.Base)
	f.Column, f.Why = -1, WhyUnknown
	if x.policy.reserves(folded) {
		f.Reserved = true
		return
	}
	f.Folder = f.K == 1 && keys[schema.Fold(x.choices.target(f.Base))]
	first := x.find(f.Base, 1)
	switch c := x.find(f.Base, f.K); {
	case f.K == 1 && x.choices.ignores(f.Base):
		f.Why = WhyIgnored
	case x.policy.CaseSensitive && !f.Folder && (x.spelt(first, f.Base) || x.spelt(c, f.Base)):
		f.Why = WhyCase
	case c < 0 || x.columns[c].Retired:
	default:
		f.Column, f.Why = c, ""
	}
}

// spelt reports whether there is a column that has another spelling of its name.
func (x *index) spelt(c int, name string) bool {
	if own, ok := x.choices.spelling(name); ok {
		return own != name
	}
	return c >= 0 && x.columns[c].Original != name
}

// bindFolders binds the keys of folders, and returns those that stand for a
// column, folded.
func (x *index) bindFolders(folders []string) (bound []Key, keys map[string]bool) {
	bound, keys = make([]Key, len(folders)), make(map[string]bool, len(folders))
	for i := len(folders) - 1; i >= 0; i-- {
		k := &bound[i]
		k.Name, k.Column = folders[i], -1
		folded := schema.Fold(x.choices.target(k.Name))
		switch {
		case !x.policy.takes(k.Name):
			continue
		case x.policy.reserves(schema.Fold(k.Name)):
			k.Reserved, k.Why = true, WhyUnknown
			continue
		case x.choices.ignores(k.Name):
			k.Why = WhyIgnored
			continue
		}
		k.Outer = keys[folded]
		keys[folded] = true
		if k.Column = x.find(k.Name, 1); k.Column < 0 || x.columns[k.Column].Retired {
			k.Column, k.Why = -1, WhyUnknown
		} else if k.Outer {
			k.Why = WhyPartition
		}
	}
	return bound, keys
}

// name gives every field its name, and returns which spelling of each folded
// name stands for the column: the contract's own, else the first.
func (x *index) name(fields []Field, header []string) map[string]string {
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
