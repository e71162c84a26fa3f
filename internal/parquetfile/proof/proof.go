// Package proof sees that every value of a column chunk can be read, without making
// values of them.
//
// What it lets pass is read by decoders without a fault: levels and values are there,
// codes are of the dictionary, and values are what the chunk is said to hold. What it
// does not let pass need not be at fault: decoding has to tell.
package proof

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"landfall/internal/parquetfile/page"
)

var (
	errUnproven = errors.New("found an encoding whose values are not looked through")
	errLevels   = errors.New("found levels that are not those of the page's values")
	errValues   = errors.New("found another number of bytes than the page's values take")
	errCodes    = errors.New("found codes that are not of the dictionary")
	errText     = errors.New("found text that is not UTF-8")
	errOutside  = errors.New("found a value beyond the bounds that are stated")
)

// lengthBytes is the size of the length before a text, or before levels.
const lengthBytes = 4

// Levels are the levels of the entries of a chunk, as the file has them; Reps are nil
// in a column that does not repeat.
type Levels struct{ Defs, Reps []uint8 }

// Chunk unpacks all pages of a chunk and sees that each of its values is one of those
// claimed. It returns the number of entries that are no value, and adds their levels
// to those given; a chunk that does not repeat, of one definition level at most, can
// do without.
func Chunk(c page.Chunk, claimed Values, levels *Levels, room *page.Room) (nulls int64, err error) {
	p := proof{Chunk: c, claimed: claimed, levels: levels}
	r := page.New(c, room)
	defer func() {
		if why := recover(); why != nil { // so do some codecs where bytes are damaged
			err = fmt.Errorf("found a page that cannot be unpacked: %v", why)
		}
		err = errors.Join(err, r.Close())
	}()
	for r.Next() {
		switch of := r.Page().(type) {
		case *file.DictionaryPage:
			p.codes = of.NumValues()
			err = p.plain(of.Data(), int(p.codes))
		case *file.DataPageV1:
			err = p.v1(of)
		case *file.DataPageV2:
			err = p.v2(of)
		}
		if err != nil {
			return 0, err
		}
	}
	return c.Values - p.values, r.Err()
}

// proof looks through the pages of a chunk.
type proof struct {
	page.Chunk
	claimed Values
	levels  *Levels
	// codes is the size of the dictionary, values counts those that are no null.
	codes  int32
	values int64
}

func (p *proof) v1(of *file.DataPageV1) error {
	body, entries := of.Data(), int(of.NumValues())
	reps, body, err := p.levelsV1(body, p.Column.MaxRepetitionLevel(), of.RepetitionLevelEncoding())
	if err != nil {
		return err
	}
	defs, body, err := p.levelsV1(body, p.Column.MaxDefinitionLevel(), of.DefinitionLevelEncoding())
	if err != nil {
		return err
	}
	present, err := p.entries(reps, defs, entries)
	if err != nil {
		return err
	}
	return p.data(parquet.Encoding(of.Encoding()), body, present)
}

// levelsV1 cuts levels off the front, of a page that has them.
func (p *proof) levelsV1(body []byte, most int16, e parquet.Encoding) (levels, rest []byte, err error) {
	switch {
	case most == 0:
		return nil, body, nil
	case e != parquet.Encodings.RLE:
		return nil, nil, errUnproven
	case len(body) < lengthBytes:
		return nil, nil, errLevels
	}
	size := uint64(binary.LittleEndian.Uint32(body))
	if body = body[lengthBytes:]; size > uint64(len(body)) {
		return nil, nil, errLevels
	}
	return body[:size], body[size:], nil
}

func (p *proof) v2(of *file.DataPageV2) error {
	body, entries := of.Data(), int(of.NumValues())
	reps, defs := int(of.RepetitionLevelByteLen()), int(of.DefinitionLevelByteLen())
	if reps+defs > len(body) || reps > 0 && p.Column.MaxRepetitionLevel() == 0 {
		return errLevels
	}
	present, err := p.entries(body[:reps], body[reps:reps+defs], entries)
	if err != nil {
		return err
	}
	if entries-present != int(of.NumNulls()) {
		return errLevels
	}
	return p.data(parquet.Encoding(of.Encoding()), body[reps+defs:], present)
}

// entries looks through the levels of a page and counts those of its entries that are
// values.
func (p *proof) entries(reps, defs []byte, entries int) (present int, err error) {
	maxRep, maxDef := p.Column.MaxRepetitionLevel(), p.Column.MaxDefinitionLevel()
	if p.levels == nil {
		switch {
		case maxRep > 0 || maxDef > 1:
			return 0, errUnproven
		case maxDef == 0:
			return entries, nil
		}
		return ones(defs, entries)
	}
	if maxRep > 0 {
		if p.levels.Reps, _, err = expand(p.levels.Reps, reps, maxRep, entries); err != nil {
			return 0, err
		}
	}
	if maxDef == 0 {
		p.levels.Defs = append(p.levels.Defs, make([]uint8, entries)...)
		return entries, nil
	}
	p.levels.Defs, present, err = expand(p.levels.Defs, defs, maxDef, entries)
	return present, err
}

// data looks through the values of a page.
func (p *proof) data(e parquet.Encoding, body []byte, values int) error {
	p.values += int64(values)
	switch e {
	case parquet.Encodings.Plain:
		return p.plain(body, values)
	case parquet.Encodings.RLEDict, parquet.Encodings.PlainDict:
		return p.dictionary(body, values)
	case parquet.Encodings.DeltaBinaryPacked:
		return p.deltas(body, values)
	}
	return errUnproven
}

// dictionary looks through codes.
func (p *proof) dictionary(body []byte, values int) error {
	const maxWidth = 32
	switch {
	case len(body) > 0 && body[0] > maxWidth: // which the decoder minds without values, too
		return errCodes
	case values == 0:
		return nil
	case p.codes == 0 || len(body) == 0 || body[0] == 0 && p.codes > 1:
		return errCodes
	}
	width := int(body[0])
	all := width < maxWidth-1 && int64(p.codes) >= 1<<width // any code is one of the dictionary
	return eachRun(body[1:], width, values, func(packed []byte, value uint64, n int) error {
		if packed == nil {
			if value >= uint64(p.codes) {
				return errCodes
			}
			return nil
		}
		if all || greatest(packed, width, n) < uint64(p.codes) {
			return nil
		}
		return errCodes
	})
}

// ones counts the levels that are 1 among so many of one bit.
func ones(levels []byte, entries int) (count int, err error) {
	err = eachRun(levels, 1, entries, func(packed []byte, value uint64, n int) error {
		switch {
		case packed != nil:
			count += onesOf(packed, n)
		case value > 1:
			return errLevels
		default:
			count += n * int(value)
		}
		return nil
	})
	return count, err
}

// expand adds levels to dst, one byte each, and counts those that are most.
func expand(dst []uint8, levels []byte, most int16, entries int) (out []uint8, greatest int, err error) {
	width := bits.Len16(uint16(most))
	if most > 1<<8-1 {
		return dst, 0, errUnproven
	}
	begin := len(dst)
	err = eachRun(levels, width, entries, func(packed []byte, value uint64, n int) error {
		if packed != nil {
			dst = unpacked(dst, packed, width, n)
			return nil
		}
		if value > uint64(most) {
			return errLevels
		}
		for range n {
			dst = append(dst, uint8(value))
		}
		return nil
	})
	for _, level := range dst[begin:] {
		if level >= uint8(most) {
			if level > uint8(most) {
				return dst, 0, errLevels
			}
			greatest++
		}
	}
	return dst, greatest, err
}
