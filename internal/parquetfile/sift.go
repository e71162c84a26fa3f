package parquetfile

import "errors"

var errRows = errors.New("column does not have the rows and values of its row group")

// sift moves what belongs to kept rows to the front of values, defs and reps
// and returns how many values and levels that are. row is the row that the
// last level belonged to, −1 before the first.
func sift[T any](l picked, values []T, defs, reps []int16, levels int, row *int, see func(T)) (nv, nl int, err error) {
	next := 0
	for i := range levels {
		if reps == nil || reps[i] == 0 {
			*row++
		}
		present := defs == nil || defs[i] == l.maxDef
		if *row < 0 || *row >= len(l.kept) || present && next >= len(values) {
			return 0, 0, errRows
		}
		if !l.kept[*row] {
			if present {
				next++
			}
			continue
		}
		if present {
			values[nv] = values[next]
			if see != nil {
				see(values[nv])
			}
			nv++
			next++
		} else {
			l.bounds.Nulls++
		}
		if defs != nil {
			defs[nl] = defs[i]
		}
		if reps != nil {
			reps[nl] = reps[i]
		}
		nl++
	}
	if next != len(values) {
		return 0, 0, errRows
	}
	return nv, nl, nil
}

// cut returns the first n levels, nil if the column has none.
func cut(levels []int16, n int) []int16 {
	if levels == nil {
		return nil
	}
	return levels[:n]
}
