package conform

// Action says where the values of one column of the table come from.
type Action struct {
	Kind ActionKind
	// Field is the position in the header of the field whose values these are, -1
	// for none.
	Field int
}

// ActionKind is what becomes of the values of a field.
type ActionKind uint8

const (
	// Constant columns have one value or null in every row.
	Constant ActionKind = iota
	// Copy columns take the values of their field as they are: the leaves have the
	// table's types, in its order. The table may have another name for them, and
	// its NOT NULL is for the values to keep.
	Copy
	// Recode columns need a look at each value. The rescue column is one if there
	// is anything that could go there.
	Recode
)

// Plan returns an action for each column of the table. Of input without types
// every column is recoded that is not constant.
func (f *Fitter) Plan() []Action {
	plan := make([]Action, len(f.columns))
	loose := f.root != nil || f.folders.Any()
	for i := range f.fields {
		fl := &f.fields[i]
		loose = loose || !fl.copies
		if fl.target == nil {
			continue
		}
		a := Action{Kind: Recode, Field: i}
		if fl.copies {
			a.Kind = Copy
		}
		for at, t := range f.columns {
			if t == fl.target {
				plan[at] = a
			}
		}
	}
	for at, t := range f.columns {
		switch {
		case t.field != nil && t.field.target == t:
			continue
		case at == f.rescue && loose, f.root != nil && t.node != nil && !t.fixed:
			plan[at] = Action{Kind: Recode, Field: -1}
		default:
			plan[at] = Action{Kind: Constant, Field: -1}
		}
	}
	return plan
}
