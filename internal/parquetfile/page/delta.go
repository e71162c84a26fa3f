package page

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/schema"
)

const (
	// maxBlock is the most values that a block of deltas may say it has, and
	// maxLengths the most texts of a page: their decoder takes memory for both
	// before it sees one.
	maxBlock   = 1 << 20
	maxLengths = 1 << 24
)

var errDeltas = errors.New("found deltas that end early")

// checkDeltas sees that the deltas of a page cannot ask for more memory than
// their values are worth.
func checkDeltas(e parquet.Encoding, values int32, data []byte) error {
	switch e {
	case parquet.Encodings.DeltaBinaryPacked:
		_, err := passDeltas(data, false)
		return err
	case parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray:
		if values > maxLengths {
			return fmt.Errorf("found a page of %d texts as deltas, want at most %d", values, maxLengths)
		}
		rest, err := passDeltas(data, e == parquet.Encodings.DeltaByteArray)
		if err == nil && e == parquet.Encodings.DeltaByteArray {
			_, err = passDeltas(rest, false)
		}
		return err
	}
	return nil
}

// passDeltas checks the head of a run of deltas; whole says to pass all of them
// and return what is behind.
func passDeltas(data []byte, whole bool) ([]byte, error) {
	var head [4]uint64 // values of a block, small blocks in it, values, the first value
	for i := range head {
		n, length := binary.Uvarint(data)
		if length <= 0 {
			if len(data) == 0 && i == 0 {
				return nil, nil // a page without values
			}
			return nil, errDeltas
		}
		head[i], data = n, data[length:]
	}
	block, minis, values := head[0], head[1], head[2]
	if block == 0 || block > maxBlock || minis == 0 || minis > block || block%minis != 0 {
		return nil, fmt.Errorf("found a block of %d deltas in %d parts, want at most %d", block, minis, maxBlock)
	}
	if !whole {
		return nil, nil
	}
	per := block / minis
	for left := max(values, 1) - 1; left > 0; {
		_, length := binary.Uvarint(data)
		if length <= 0 || uint64(len(data)-length) < minis {
			return nil, errDeltas
		}
		widths := data[length : length+int(minis)]
		data = data[length+int(minis):]
		for _, w := range widths {
			if left == 0 {
				break
			}
			size := uint64(w) * per / 8
			if size > uint64(len(data)) {
				return nil, errDeltas
			}
			data = data[size:]
			left -= min(left, per)
		}
	}
	return data, nil
}

// valuesV1 returns the values of a data page of version 1, behind its levels;
// nothing where the levels do not fit, which their decoder finds.
func valuesV1(body []byte, h header, c *pq.Column) []byte {
	for _, l := range [...]struct {
		most     int16
		encoding int32
	}{{c.MaxRepetitionLevel(), h.repEncoding}, {c.MaxDefinitionLevel(), h.defEncoding}} {
		if l.most == 0 {
			continue
		}
		var size uint64
		if parquet.Encoding(l.encoding) == parquet.Encodings.RLE {
			if len(body) < 4 {
				return nil
			}
			size = 4 + uint64(binary.LittleEndian.Uint32(body))
		} else {
			size = (uint64(h.values)*uint64(bits.Len16(uint16(l.most))) + 7) / 8
		}
		if size > uint64(len(body)) {
			return nil
		}
		body = body[size:]
	}
	return body
}
