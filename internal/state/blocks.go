package state

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/zeebo/xxh3"

	"landfall/internal/store"
)

// A ledger is a line of JSON, blocks of entries, and an end (docs/format/state.md).
// A block is the length of its payload (4 bytes), xxh3 of it (8), and the payload:
// the texts that its entries name, then the entries. A length of 0 is the end; the
// number of all entries stands in the place of the hash.
const (
	blockHead  = 12
	blockSize  = 64 << 10
	maxPayload = 1 << 30
)

// The flags of an entry.
const (
	flagShort = 1 << iota
	flagHash  // the hash is 16 bytes, not text
)

// blocks writes a ledger.
type blocks struct {
	to *bufio.Writer
	// names are the texts of the block by their numbers from 1, texts are they as
	// written, and entries what names them.
	names          map[string]uint64
	texts, entries []byte
	rest           []byte
	last           string
	count          uint64
}

func newBlocks(to *bufio.Writer, bound int64) (*blocks, error) {
	head, err := json.Marshal(knownHead{Format, bound})
	if err != nil {
		return nil, err
	}
	_, err = to.Write(append(head, '\n'))
	return &blocks{to: to, names: map[string]uint64{}}, err
}

func (b *blocks) add(e *Entry) error {
	shared := 0
	for shared < min(len(e.Path), len(b.last)) && e.Path[shared] == b.last[shared] {
		shared++
	}
	b.entries = binary.AppendUvarint(b.entries, uint64(shared)) //nolint:gosec // not negative
	b.entries = appendText(b.entries, e.Path[shared:])
	b.entries = appendText(b.entries, e.Version)
	b.last = e.Path
	b.count++

	var flags byte
	if e.Short() {
		flags |= flagShort
	}
	hash, err := hex.DecodeString(e.Hash)
	if err == nil && len(hash) == 16 && hex.EncodeToString(hash) == e.Hash {
		flags |= flagHash
	}
	r := b.rest[:0]
	for _, n := range []int64{e.Size, e.ModTime.Unix(), int64(e.ModTime.Nanosecond()), e.Batch, e.Landed, e.Rows, e.Rescued, e.Held} {
		r = binary.AppendVarint(r, n)
	}
	for _, text := range []string{string(e.Fate), e.Code, e.Reason, e.Options} {
		r = binary.AppendUvarint(r, b.name(text))
	}
	r = binary.AppendUvarint(r, uint64(len(e.Left)))
	for _, text := range e.Left {
		r = binary.AppendUvarint(r, b.name(text))
	}
	if flags&flagHash != 0 {
		r = append(r, hash...)
	} else {
		r = append(r, e.Hash...)
	}
	b.rest = r
	b.entries = appendText(append(b.entries, flags), string(r))
	if len(b.entries)+len(b.texts) < blockSize {
		return nil
	}
	return b.flush()
}

// name is the number of a text in the block; 0 is the empty one.
func (b *blocks) name(text string) uint64 {
	if text == "" {
		return 0
	}
	n, ok := b.names[text]
	if !ok {
		n = uint64(len(b.names)) + 1
		b.names[text] = n
		b.texts = appendText(b.texts, text)
	}
	return n
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// flush writes the block, if there is one.
func (b *blocks) flush() error {
	if len(b.entries) == 0 {
		return nil
	}
	head := make([]byte, blockHead, blockHead+binary.MaxVarintLen64+len(b.texts))
	payload := append(binary.AppendUvarint(head, uint64(len(b.names))), b.texts...)
	payload = append(payload, b.entries...)
	binary.LittleEndian.PutUint32(payload, uint32(len(payload)-blockHead)) //nolint:gosec // a block and one entry
	binary.LittleEndian.PutUint64(payload[4:], xxh3.Hash(payload[blockHead:]))
	clear(b.names)
	b.texts, b.entries, b.last = b.texts[:0], b.entries[:0], ""
	_, err := b.to.Write(payload)
	return err
}

// end writes what is left, and the end.
func (b *blocks) end() error {
	if err := b.flush(); err != nil {
		return err
	}
	var end [blockHead]byte
	binary.LittleEndian.PutUint64(end[4:], b.count)
	if _, err := b.to.Write(end[:]); err != nil {
		return err
	}
	return b.to.Flush()
}

// blocked is a ledger that is read.
type blocked struct {
	st    *State
	key   string
	o     store.Object
	from  *bufio.Reader
	count uint64
	// texts are those of the block, and left its entries that are to come.
	texts []string
	block []byte
	left  []byte
	first bool // none of them was read yet
	// The entry at hand.
	name, vers, rest []byte
	flags            byte
}

func openBlocks(st *State, c compacted, o store.Object) (compaction, error) {
	b := &blocked{st: st, key: c.key, o: o}
	b.from = bufio.NewReaderSize(io.NewSectionReader(o, 0, o.Info().Size), 1<<17)
	line, err := b.from.ReadSlice('\n')
	var head knownHead
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
	if err == nil && (head.Format != Format || head.Bound != c.bound) {
		err = fmt.Errorf("found format %d of bound %d, want %d of %d", head.Format, head.Bound, Format, c.bound)
	}
	if err != nil {
		b.close()
		return nil, st.broken(c.key, err)
	}
	return b, nil
}

// errLedger: the bytes are not those of a ledger.
var errLedger = errors.New("its bytes are not what was written")

func (b *blocked) next() (bool, error) {
	if len(b.left) == 0 {
		more, err := b.load()
		if err != nil {
			return false, b.st.broken(b.key, err)
		}
		if !more {
			return false, nil
		}
	}
	shared, ok := b.number()
	suffix, ok2 := b.text()
	vers, ok3 := b.text()
	if !ok || !ok2 || !ok3 || shared > uint64(len(b.name)) || b.first && shared > 0 || len(b.left) == 0 {
		return false, b.st.broken(b.key, errLedger)
	}
	if b.count > 0 && bytes.Compare(suffix, b.name[shared:]) <= 0 {
		return false, b.st.broken(b.key, errLedger)
	}
	b.first = false
	b.name, b.vers, b.flags, b.left = append(b.name[:shared], suffix...), vers, b.left[0], b.left[1:]
	if b.rest, ok = b.text(); !ok {
		return false, b.st.broken(b.key, errLedger)
	}
	b.count++
	return true, nil
}

// load reads the next block; more is false at the end.
func (b *blocked) load() (more bool, err error) {
	var head [blockHead]byte
	if _, err := io.ReadFull(b.from, head[:]); err != nil {
		return false, err
	}
	size, sum := binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint64(head[4:])
	if size == 0 {
		if _, err := b.from.ReadByte(); sum != b.count || !errors.Is(err, io.EOF) {
			return false, fmt.Errorf("found %d entries, want %d and no more", b.count, sum)
		}
		return false, nil
	}
	if size > maxPayload || int64(size) > b.o.Info().Size {
		return false, errLedger
	}
	if cap(b.block) < int(size) {
		b.block = make([]byte, size)
	}
	b.block = b.block[:size]
	if _, err := io.ReadFull(b.from, b.block); err != nil {
		return false, err
	}
	if xxh3.Hash(b.block) != sum {
		return false, errLedger
	}
	b.left, b.first, b.texts = b.block, true, b.texts[:0]
	names, ok := b.number()
	for range names {
		text, whole := b.text()
		if !whole {
			return false, errLedger
		}
		b.texts = append(b.texts, string(text))
	}
	if !ok || len(b.left) == 0 {
		return false, errLedger
	}
	return true, nil
}

// number reads a number of the block.
func (b *blocked) number() (uint64, bool) {
	n, size := binary.Uvarint(b.left)
	if size <= 0 {
		return 0, false
	}
	b.left = b.left[size:]
	return n, true
}

// text reads a text of the block.
func (b *blocked) text() ([]byte, bool) {
	n, ok := b.number()
	if !ok || n > uint64(len(b.left)) {
		return nil, false
	}
	text := b.left[:n]
	b.left = b.left[n:]
	return text, true
}

func (b *blocked) path() []byte    { return b.name }
func (b *blocked) version() []byte { return b.vers }
func (b *blocked) short() bool     { return b.flags&flagShort != 0 }
func (b *blocked) close()          { _ = b.o.Close() } // nothing was written

func (b *blocked) entry() (Entry, error) {
	e := Entry{Object: Object{Path: string(b.name), Version: string(b.vers)}}
	rest := b.rest
	var sec, nsec int64
	for _, into := range []*int64{&e.Size, &sec, &nsec, &e.Batch, &e.Landed, &e.Rows, &e.Rescued, &e.Held} {
		n, size := binary.Varint(rest)
		if size <= 0 {
			return Entry{}, b.st.broken(b.key, errLedger)
		}
		*into, rest = n, rest[size:]
	}
	e.ModTime = time.Unix(sec, nsec).UTC()
	texts := numbers{rest, b.texts, true}
	e.Fate = Fate(texts.next())
	e.Code, e.Reason, e.Options = texts.next(), texts.next(), texts.next()
	for range texts.count() {
		e.Left = append(e.Left, texts.next())
	}
	if rest = texts.rest; !texts.ok {
		return Entry{}, b.st.broken(b.key, errLedger)
	}
	if e.Hash = string(rest); b.flags&flagHash != 0 {
		e.Hash = hex.EncodeToString(rest)
	}
	return e, nil
}

// numbers reads numbers of texts; ok is false when what follows is none.
type numbers struct {
	rest  []byte
	texts []string
	ok    bool
}

func (n *numbers) uvarint() uint64 {
	v, size := binary.Uvarint(n.rest)
	if size <= 0 {
		n.rest, n.ok = nil, false
		return 0
	}
	n.rest = n.rest[size:]
	return v
}

// count reads how many numbers follow: at most as many as there are bytes.
func (n *numbers) count() uint64 {
	v := n.uvarint()
	if v > uint64(len(n.rest)) {
		n.ok = false
		return 0
	}
	return v
}

// next is the text of the next number, "" for 0.
func (n *numbers) next() string {
	v := n.uvarint()
	if v > uint64(len(n.texts)) {
		n.ok = false
		return ""
	}
	if v == 0 {
		return ""
	}
	return n.texts[v-1]
}
