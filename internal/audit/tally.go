package audit

import (
	"encoding/binary"
	"math/bits"

	"github.com/zeebo/xxh3"

	"landfall/internal/table"
)

// tally sums rows up, in whatever order they come.
type tally struct {
	rows int64
	sum  xxh3.Uint128
	// url is how they name their object, files are the data files that they are in.
	url   string
	files []table.Key
	// scratch holds the text of one row.
	scratch []byte
}

// add adds a row.
func (t *tally) add(cells [][]byte) {
	var d xxh3.Uint128
	d, t.scratch = digest(t.scratch[:0], cells)
	t.put(d)
}

func (t *tally) put(d xxh3.Uint128) {
	var carry uint64
	t.sum.Lo, carry = bits.Add64(t.sum.Lo, d.Lo, 0)
	t.sum.Hi, _ = bits.Add64(t.sum.Hi, d.Hi, carry)
	t.rows++
}

// digest hashes the cells of a row.
func digest(b []byte, cells [][]byte) (xxh3.Uint128, []byte) {
	for _, c := range cells {
		b = binary.AppendUvarint(b, uint64(len(c)))
		b = append(b, c...)
	}
	return xxh3.Hash128(b), b
}
