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

// Binding says where the fields and folder keys of one object belong.
type Binding struct {
	Fields []Field
	// Folders holds the column of each folder key, -1 for none.
	Folders []int
}

// Bind finds the columns for a file's header and for the keys of its folders.
// It is the one rule by which names are matched: case-insensitively, by the
// names that the columns had originally.
func Bind(v Version, p Policy, header, folders []string) Binding {
	return newIndex(v.Columns, p).bind(header, folders)
}

// index finds columns by their folded original names.
type index struct {
	policy  Policy
	columns []Column
	byName  map[string]int
}

func newIndex(columns []Column, p Policy) *index {
	x := &index{policy: p, byName: make(map[string]int, len(columns))}
	for _, c := range columns {
		x.add(c)
	}
	return x
}

func (x *index) add(c Column) int {
	x.byName[schema.Fold(c.Original)] = len(x.columns)
	x.columns = append(x.columns, c)
	return len(x.columns) - 1
}

// find returns the column of an original name, -1 for none.
func (x *index) find(name string) int {
	if i, ok := x.byName[schema.Fold(name)]; ok {
		return i
	}
	return -1
}

func (x *index) bind(header, folders []string) Binding {
	b := Binding{Fields: make([]Field, len(header)), Folders: make([]int, len(folders))}
	keys := make(map[string]bool, len(folders))
	for i, key := range folders {
		b.Folders[i] = -1
		if key = schema.TrimName(key); x.policy.takes(key) {
			b.Folders[i] = x.find(key)
			keys[schema.Fold(key)] = true
		}
	}
	winners := x.name(b.Fields, header)
	for i := range b.Fields {
		f := &b.Fields[i]
		folded := schema.Fold(f.Base)
		f.Column = -1
		switch {
		case x.policy.reserves(folded):
			f.Reserved, f.Why = true, WhyUnknown
		case winners[folded] != f.Base:
			f.Why = WhyCase
		default:
			f.Folder = f.K == 1 && keys[folded]
			if f.Column = x.find(f.Name); f.Column < 0 {
				f.Why = WhyUnknown
			}
		}
	}
	return b
}

// name gives every field its name, and returns which spelling of each folded
// name stands for the column: the contract's own, else the first.
func (x *index) name(fields []Field, header []string) map[string]string {
	winners := make(map[string]string, len(header))
	for i, cell := range header {
		name := schema.TrimName(cell)
		if name == "" {
			name = "_c" + strconv.Itoa(i)
		}
		fields[i].Base = name
		folded := schema.Fold(name)
		won, seen := winners[folded]
		if !seen {
			winners[folded] = name
		} else if c := x.find(name); won != name && c >= 0 && x.columns[c].Original == name {
			winners[folded] = name
		}
	}
	times := make(map[string]int, len(header))
	for i := range fields {
		f := &fields[i]
		f.Name, f.K = f.Base, times[f.Base]+1
		for ; f.K > 1; f.K++ {
			f.Name = f.Base + "#" + strconv.Itoa(f.K)
			if _, literal := winners[schema.Fold(f.Name)]; !literal {
				break
			}
		}
		times[f.Base] = f.K
	}
	return winners
}
