package local

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
)

// names are those of a folder. A folder can hold millions: their bytes lie in one
// text, and what is kept of each is small.
type names struct {
	text strings.Builder
	all  []name
}

// name is a name in a folder; the text of a folder's ends in a slash, so that names
// sort as the keys do.
type name struct {
	// rank is the first eight bytes behind what all names begin with: most are told
	// apart by it.
	rank uint64
	at   uint32
	size uint16
	kind kind
}

func (n *names) add(text []byte, kind kind) {
	at := n.text.Len()
	n.text.Write(text)
	if kind == aFolder {
		n.text.WriteByte('/')
	}
	n.all = append(n.all, name{at: uint32(at), size: uint16(n.text.Len() - at), kind: kind}) //nolint:gosec // names are short, and fewer than 4 GiB
}

// key is the text of name i.
func (n *names) key(i int) string { return n.of(&n.all[i]) }

func (n *names) of(e *name) string {
	return n.text.String()[e.at : e.at+uint32(e.size)]
}

// sort brings the names into the order of their keys.
func (n *names) sort() {
	if len(n.all) == 0 {
		return
	}
	first := n.key(0)
	shared := len(first)
	for i := range n.all {
		text := n.key(i)
		shared = min(shared, len(text))
		for text[:shared] != first[:shared] {
			shared--
		}
	}
	for i := range n.all {
		n.all[i].rank = rank(n.key(i)[shared:])
	}
	if len(n.all) > 1<<indexBits {
		slices.SortFunc(n.all, n.compare)
		return
	}
	n.sortRanked()
}

// indexBits is the part of a sorted number that says whose rank it is.
const indexBits = 16

// sortRanked sorts numbers, which is several times faster than sorting names: most
// of a name's rank, and behind it where it was. Names of one number are compared.
func (n *names) sortRanked() {
	const mask = 1<<indexBits - 1
	ranks := make([]uint64, len(n.all))
	for i, e := range n.all {
		ranks[i] = e.rank&^mask | uint64(i) //nolint:gosec // not negative
	}
	slices.Sort(ranks)
	sorted := make([]name, len(n.all))
	for i, r := range ranks {
		sorted[i] = n.all[r&mask]
	}
	n.all = sorted
	for from := 0; from < len(ranks); {
		to := from + 1
		for to < len(ranks) && ranks[to]&^mask == ranks[from]&^mask {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(sorted[from:to], n.compare)
		}
		from = to
	}
}

func (n *names) compare(a, b name) int {
	if a.rank != b.rank {
		return cmp.Compare(a.rank, b.rank)
	}
	return strings.Compare(n.of(&a), n.of(&b))
}

// rank orders texts as they are by their first eight bytes; texts of one rank can be
// in any order.
func rank(text string) uint64 {
	var head [8]byte
	copy(head[:], text)
	return binary.BigEndian.Uint64(head[:])
}

// appendVersion appends what tells contents apart: size, mtime in ns and inode.
func (m meta) appendVersion(to []byte) []byte {
	to = append(strconv.AppendInt(to, m.size, 10), '-')
	to = append(strconv.AppendInt(to, m.modTime().UnixNano(), 10), '-')
	return strconv.AppendUint(to, m.inode, 10)
}
