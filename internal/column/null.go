package column

// Nulls says of each of a column's rows whether it is null.
func (c *Column) Nulls(rows int) []bool {
	nulls := make([]bool, rows)
	switch {
	case c.Constant != nil:
	case c.Leaves != nil:
		c.Leaves[0].nullRows(nulls)
	case c.Text != nil:
		for row := range nulls {
			nulls[row] = c.Text.Spans[row].Null()
		}
	default:
		for row := range nulls {
			nulls[row] = true
		}
	}
	return nulls
}

// nullRows finds the rows of a column, which may be null, in its first leaf: there
// an entry of level 0 is one.
func (l *Leaf) nullRows(nulls []bool) {
	row := -1
	for i, def := range l.Defs {
		if l.Reps == nil || l.Reps[i] == 0 {
			row++
			nulls[row] = def == 0
		}
	}
}
