package page

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	pq "github.com/apache/arrow-go/v18/parquet/schema"
	"pgregory.net/rapid"
)

// field is one of a struct of Thrift: a number, or fields.
type field struct {
	id    int16
	value any
}

// encoded writes a struct in the compact protocol.
func encoded(fields ...field) []byte {
	var out []byte
	last := int16(0)
	for _, f := range fields {
		kind := byte(kindI32)
		switch v := f.value.(type) {
		case []field:
			kind = kindStruct
		case bool:
			kind = kindFalse
			if v {
				kind = kindTrue
			}
		case string:
			kind = kindBinary
		}
		if delta := f.id - last; delta > 0 && delta < 16 {
			out = append(out, byte(delta)<<4|kind)
		} else {
			out = append(out, kind)
			out = binary.AppendVarint(out, int64(f.id))
		}
		last = f.id
		switch v := f.value.(type) {
		case int:
			out = binary.AppendVarint(out, int64(int32(v)))
		case string:
			out = append(binary.AppendUvarint(out, uint64(len(v))), v...)
		case []field:
			out = append(out, encoded(v...)...)
		}
	}
	return append(out, 0)
}

// v1 is the header of a data page of so many values over body.
func v1(values, encoding int, body []byte) []field {
	return []field{{1, dataPage}, {2, len(body)}, {3, len(body)}, {5, []field{{1, values}, {2, encoding}, {3, 3}, {4, 3}, {5, []field{{1, "max"}, {2, "min"}}}}}}
}

func dictionary(values int, body []byte) []field {
	return []field{{1, dictionaryPage}, {2, len(body)}, {3, len(body)}, {7, []field{{1, values}, {2, 0}, {3, true}}}}
}

func summed(h []field, sum uint32) []field {
	return append(h[:3:3], append([]field{{4, int(int32(sum))}}, h[3:]...)...)
}

// pages writes headers and bodies one behind the other.
func pages(parts ...any) []byte {
	var out []byte
	for _, p := range parts {
		switch p := p.(type) {
		case []field:
			out = append(out, encoded(p...)...)
		case []byte:
			out = append(out, p...)
		}
	}
	return out
}

// walk reads all pages of a chunk of a required column.
func walk(data []byte, values int64, codec compress.Compression, physical parquet.Type) (found []int32, err error) {
	node, err := pq.NewPrimitiveNode("v", parquet.Repetitions.Required, physical, -1, 4)
	if err != nil {
		return nil, err
	}
	root, err := pq.NewGroupNode("schema", parquet.Repetitions.Required, pq.FieldList{node}, -1)
	if err != nil {
		return nil, err
	}
	var room Room
	r := New(Chunk{
		Source: bytes.NewReader(data), To: int64(len(data)), Values: values,
		Codec: codec, Column: pq.NewSchema(root).Column(0), MaxPage: 1 << 20,
	}, &room)
	for r.Next() {
		found = append(found, r.Page().NumValues())
	}
	err = errors.Join(r.Err(), r.Close())
	if room.taken != 0 {
		err = errors.Join(err, errors.New("memory is not given back"))
	}
	return found, err
}

// TestLies reads pages that say wrong things of themselves.
// TestEmptyPage: a page without values is none.
func TestEmptyPage(t *testing.T) {
	some := []byte{1, 0, 0, 0, 2, 0, 0, 0}
	data := pages(v1(0, 0, nil), v1(0, 0, nil), v1(2, 0, some), some, v1(0, 0, nil), v1(2, 0, some), some)
	found, err := walk(data, 4, compress.Codecs.Uncompressed, parquet.Types.Int32)
	if err != nil || !slices.Equal(found, []int32{2, 2}) {
		t.Errorf("found pages of %v values, %v, want two of 2", found, err)
	}
}

func TestLies(t *testing.T) {
	body := []byte("\x01\x00\x00\x00\x02\x00\x00\x00")
	sum := crc32.ChecksumIEEE(body)
	const deltas = 5
	for name, c := range map[string]struct {
		data   []byte
		values int64
		want   string
	}{
		"right":                        {pages(v1(2, 0, body), body), 2, ""},
		"two pages":                    {pages(v1(2, 0, body), body, v1(2, 0, body), body), 4, ""},
		"a page of another kind":       {pages([]field{{1, 1}, {2, 3}, {3, 3}, {6, []field{}}}, []byte("abc"), v1(2, 0, body), body), 2, ""},
		"right sum":                    {pages(summed(v1(2, 0, body), sum), body), 2, ""},
		"wrong sum":                    {pages(summed(v1(2, 0, body), sum+1), body), 2, ErrChecksum.Error()},
		"too many values":              {pages(v1(3, 0, body), body), 2, "found a page of 3 values where the chunk has 2 left"},
		"too few values":               {pages(v1(1, 0, body), body), 2, "found the end of the pages after 1 values, want 2"},
		"negative":                     {pages(v1(-1, 0, body), body), 2, "negative size"},
		"page behind the end":          {pages(v1(2, 0, make([]byte, 100)), body), 2, "found a page of 100 bytes where 8 are left"},
		"another size":                 {pages([]field{{1, dataPage}, {2, 9}, {3, 8}, {5, []field{{1, 2}}}}, body), 2, errUnpacked.Error()},
		"header of another kind":       {pages([]field{{1, dataPage}, {2, 8}, {3, 8}, {7, []field{{1, 2}}}}, body), 2, "header of another kind"},
		"no header of its kind":        {pages([]field{{1, dataPage}, {2, 8}, {3, 8}}, body), 2, "header of another kind"},
		"huge page":                    {pages([]field{{1, dataPage}, {2, 1 << 30}, {3, 8}, {5, []field{{1, 2}}}}, body), 2, "found a page of 1073741824 bytes, want at most 1048576"},
		"levels beyond the page":       {pages([]field{{1, dataPageV2}, {2, 8}, {3, 8}, {8, []field{{1, 2}, {5, 5}, {6, 4}}}}, body), 2, "levels longer than the page"},
		"dictionary":                   {pages(dictionary(2, body), body, v1(2, 8, body), body), 2, ""},
		"dictionary of too many":       {pages(dictionary(3, body), body), 2, "found a dictionary of 8 bytes, want 12 at least for its 3 values"},
		"two dictionaries":             {pages(dictionary(2, body), body, dictionary(2, body), body), 2, errTwoDictionaries.Error()},
		"two empty dictionaries":       {pages(dictionary(0, nil), dictionary(0, nil)), 2, errTwoDictionaries.Error()},
		"huge block of deltas":         {pages(v1(2, deltas, []byte("\x80\x80\x80\x80\x08\x01\x02\x00")), []byte("\x80\x80\x80\x80\x08\x01\x02\x00")), 2, "found a block of 2147483648 deltas"},
		"no header":                    {[]byte(strings.Repeat("\xff", 100)), 2, "page header cannot be read"},
		"header that does not end":     {append([]byte("\x98\xff\xff\x03"), make([]byte, 9000)...), 2, "it does not end"},
		"long header":                  {pages(append(v1(2, 0, body)[:3:3], field{5, []field{{1, 2}, {5, []field{{1, strings.Repeat("m", 20000)}}}}}), body), 2, ""},
		"fields in fields in fields …": {[]byte(strings.Repeat("\x1c", 3000)), 2, "page header cannot be read"},
		"nothing":                      {nil, 2, "found the end of the pages after 0 values, want 2"},
		"nothing wanted":               {nil, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := walk(c.data, c.values, compress.Codecs.Uncompressed, parquet.Types.Int32)
			switch {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("found %v, %v, want %q", found, err, c.want)
			}
		})
	}
}

// TestCodecs unpacks what each codec packs, and refuses other lengths and bytes.
func TestCodecs(t *testing.T) {
	var room Room
	rapid.Check(t, func(t *rapid.T) {
		data := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 1, 100).Draw(t, "data"), rapid.IntRange(1, 50).Draw(t, "times"))
		codec := rapid.SampledFrom([]compress.Compression{
			compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip,
			compress.Codecs.Brotli, compress.Codecs.Zstd, compress.Codecs.Lz4Raw,
		}).Draw(t, "codec")
		c, err := compress.GetCodec(codec)
		if err != nil {
			t.Fatal(err)
		}
		packed := c.Encode(make([]byte, c.CompressBound(int64(len(data)))), data)
		if codec == compress.Codecs.Uncompressed {
			packed = data
		}
		out := make([]byte, len(data))
		if err := room.unpack(codec, out, packed); err != nil || !bytes.Equal(out, data) {
			t.Fatalf("%s: %v", codec, err)
		}
		for _, n := range []int{len(data) - 1, len(data) + 1} {
			if err := room.unpack(codec, make([]byte, n), packed); err == nil {
				t.Fatalf("%s: %d bytes where %d were packed", codec, n, len(data))
			}
		}
	})
	framed := func(parts ...string) (out []byte) {
		c, err := compress.GetCodec(compress.Codecs.Lz4Raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			packed := c.Encode(make([]byte, c.CompressBound(int64(len(p)))), []byte(p))
			out = binary.BigEndian.AppendUint32(out, uint32(len(p)))
			out = append(binary.BigEndian.AppendUint32(out, uint32(len(packed))), packed...)
		}
		return out
	}
	out := make([]byte, 6)
	if err := room.unpack(compress.Codecs.Lz4, out, framed("abc", "def")); err != nil || string(out) != "abcdef" {
		t.Errorf("%q: %v", out, err)
	}
	if err := room.unpack(compress.Codecs.Lz4, out, framed("abc")); err == nil {
		t.Error("half of the bytes are enough")
	}
	if err := room.unpack(compress.Codecs.Lzo, out, nil); err == nil || !strings.Contains(err.Error(), "found compression LZO, want") {
		t.Errorf("found %v", err)
	}
}

// TestRoom bounds the pages of all columns together.
func TestRoom(t *testing.T) {
	var m Room
	if err := m.take(maxRoom); err != nil {
		t.Fatal(err)
	}
	if err := m.take(1); err == nil {
		t.Error("more than all is taken")
	}
	m.give(1)
	if err := m.take(1); err != nil {
		t.Error(err)
	}
}
