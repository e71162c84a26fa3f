package contract

import "landfall/internal/schema"

// Index finds the columns of a version by the names that files and folders have
// for them, as the policy matches names and as people decided. It takes in columns
// that come, and is for one goroutine.
type Index struct {
	// Columns are those of the version, then those that were added. Types and stored
	// names may be set in place; the names that they are found by stay.
	Columns []Column
	policy  Policy
	choices choices
	byName  map[nth]int
}

// nth is the k-th of the equal names of a header, folded.
type nth struct {
	name string
	k    int
}

// NewIndex returns the index of a version, whose columns it copies. Of the version's
// decisions those hold that are in force; see [InForce].
func NewIndex(v Version, p Policy) *Index {
	x := &Index{policy: p, choices: choicesOf(v.Decisions), byName: make(map[nth]int, len(v.Columns))}
	for _, c := range v.Columns {
		x.Add(c)
	}
	return x
}

// Add takes in a column, and returns its position.
func (x *Index) Add(c Column) int {
	x.byName[c.nth()] = len(x.Columns)
	x.Columns = append(x.Columns, c)
	return len(x.Columns) - 1
}

// Find returns the column of the k-th equal name, or of a name that decisions gave
// one, in any casing; -1 for none.
func (x *Index) Find(name string, k int) int {
	if k == 1 {
		name = x.choices.target(name)
	}
	if i, ok := x.byName[nth{schema.Fold(name), k}]; ok {
		return i
	}
	return -1
}

// Bind is [Bind] for the fields of a header, or with tree for the names of members:
// a name is then there once, and its casings do not stand in each other's way.
func (x *Index) Bind(header, folders []string, tree bool) Binding {
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
		if (winners[folded] != f.Base || x.displaced(*f, stands)) && !x.policy.Reserves(folded) {
			f.Column, f.Why = -1, WhyCase
		} else {
			x.place(f, keys)
		}
	}
	return b
}

// Respelt reports whether a name is another spelling than that of the column c, -1
// for none, or than that of the decision which maps it.
func (x *Index) Respelt(c int, name string) bool {
	if own, ok := x.choices.spelling(name); ok {
		return own != name
	}
	return c >= 0 && x.Columns[c].Original != name
}

// Original is the original name of the column that the k-th equal name belongs to.
func (x *Index) Original(name string, k int) string {
	if k > 1 {
		return name
	}
	return x.choices.target(name)
}

// Called is the name of a column, as it is spelt, that a spelling found is of.
func (x *Index) Called(c Column, found string) string {
	if spelt, ok := x.choices.spelling(found); ok && c.K < 2 {
		return spelt
	}
	return c.Title()
}

// Mapped reports whether a decision made a name another one of a column.
func (x *Index) Mapped(name string) bool { return x.choices.is(name) }

// Ignores reports whether a decision drops the values of a column.
func (x *Index) Ignores(c Column) bool { return c.K < 2 && x.choices.ignores(c.Original) }

// Aliases are the other names that people decided a column has.
func (x *Index) Aliases(c Column) []string {
	if c.K > 1 {
		return nil
	}
	return x.choices.aliases(c.Original)
}

// spelling is how the column's name is spelt that a name is a casing of, or the
// hint's of one that there is not yet; "" for neither.
func (x *Index) spelling(name string) string {
	if spelt, ok := x.choices.spelling(name); ok {
		return spelt
	}
	if c := x.Find(name, 1); c >= 0 {
		return x.Columns[c].Original
	}
	return x.policy.Hints.For(name).Spelling()
}
