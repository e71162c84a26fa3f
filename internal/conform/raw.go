package conform

import "landfall/internal/column"

// cells counts the scalars, nulls and empty objects and arrays from v on, up to
// the node behind it.
func cells(t *column.Tape, v uint32) int64 {
	n := int64(0)
	for i, end := v, t.Nodes[v].Next; i < end; i++ {
		x := &t.Nodes[i]
		switch x.Kind {
		case column.Member, column.Decoded:
		case column.Object, column.Array:
			if x.Next == i+1 {
				n++
			}
		default:
			n++
		}
	}
	return n
}

// cellsOf counts the cells of a row.
func cellsOf(t *column.Tape, row int) int64 {
	if t.Cells != nil {
		return int64(t.Cells[row])
	}
	return cells(t, t.Roots[row])
}

// excerpt is a value as messages show it.
func excerpt(raw []byte) string {
	const most = 80
	if len(raw) <= most {
		return string(raw)
	}
	cut := most
	for cut > 0 && raw[cut]&0xC0 == 0x80 {
		cut--
	}
	return string(raw[:cut]) + "…"
}
