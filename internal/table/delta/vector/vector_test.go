package vector

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/store/memory"
	"landfall/internal/table"
)

// The examples of the protocol; that of an inline vector is in the format of
// today, not in that of its first draft.
const (
	exampleInline = "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
	exampleUUID   = "ab^-aqEH.-t@S}K{vb[*k^"
	exampleKey    = "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
)

func exampleRows() []int64 { return []int64{3, 4, 7, 11, 18, 29} }

func inlineVector(coded string, size int32, rows int64) table.File {
	return table.File{Path: "x", DV: &table.DeletionVector{StorageType: "i", PathOrInlineDV: coded, SizeInBytes: size, Cardinality: rows}}
}

// deleted is Deleted for a table whose folder is the store.
func deleted(t *testing.T, s store.Store, f table.File) ([]int64, error) {
	t.Helper()
	return Deleted(t.Context(), s, f, func(path string) (key string, ok bool) {
		return strings.CutPrefix(path, s.URL(""))
	})
}

func put(t *testing.T, s store.Store, key string, data []byte) {
	t.Helper()
	if err := s.Create(t.Context(), key, data); err != nil {
		t.Fatal(err)
	}
}

func TestDeletedInline(t *testing.T) {
	s := memory.New(nil)
	got, err := deleted(t, s, inlineVector(exampleInline, 44, 6))
	if err != nil || !slices.Equal(got, exampleRows()) {
		t.Errorf("found %v, %v, want %v", got, err, exampleRows())
	}
	if got, err := deleted(t, s, table.File{Path: "x"}); err != nil || got != nil {
		t.Errorf("no vector: found %v, %v", got, err)
	}
}

// vectorFile holds the given vectors and tells where each begins.
func vectorFile(vectors ...[]byte) (file []byte, offsets []int32) {
	file = []byte{1}
	for _, v := range vectors {
		offsets = append(offsets, int32(len(file)))
		file = binary.BigEndian.AppendUint32(file, uint32(len(v)))
		file = append(file, v...)
		file = binary.BigEndian.AppendUint32(file, crc32.ChecksumIEEE(v))
	}
	return file, offsets
}

func TestDeletedStored(t *testing.T) {
	example, err := decodeZ85(exampleInline)
	if err != nil {
		t.Fatal(err)
	}
	other := encodeVector(map[int64][]int64{1 << 16: {0, 5}}, asArray)
	file, at := vectorFile(example, other)
	s := memory.New(nil)
	put(t, s, exampleKey, file)
	put(t, s, "other.bin", file)
	for name, c := range map[string]struct {
		dv   table.DeletionVector
		want []int64
	}{
		"relative":            {table.DeletionVector{StorageType: "u", PathOrInlineDV: exampleUUID, Offset: &at[0], SizeInBytes: 44, Cardinality: 6}, exampleRows()},
		"no offset":           {table.DeletionVector{StorageType: "u", PathOrInlineDV: exampleUUID, SizeInBytes: 44, Cardinality: 6}, exampleRows()},
		"second, second half": {table.DeletionVector{StorageType: "u", PathOrInlineDV: exampleUUID, Offset: &at[1], SizeInBytes: int32(len(other)), Cardinality: 2}, []int64{1 << 32, 1<<32 + 5}},
		"absolute":            {table.DeletionVector{StorageType: "p", PathOrInlineDV: s.URL("other.bin"), Offset: &at[0], SizeInBytes: 44, Cardinality: 6}, exampleRows()},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := deleted(t, s, table.File{Path: "x", DV: &c.dv})
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("found %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestDeletedRefuses(t *testing.T) {
	example, err := decodeZ85(exampleInline)
	if err != nil {
		t.Fatal(err)
	}
	file, at := vectorFile(example)
	broken := bytes.Clone(file)
	broken[20] ^= 1
	foreign := bytes.Clone(file)
	foreign[0] = 2
	s := memory.New(nil)
	for key, data := range map[string][]byte{"good.bin": file, "broken.bin": broken, "foreign.bin": foreign, "short.bin": file[:30]} {
		put(t, s, key, data)
	}
	stored := func(key string, size int32, rows int64) table.File {
		return table.File{Path: "x", DV: &table.DeletionVector{StorageType: "p", PathOrInlineDV: key, Offset: &at[0], SizeInBytes: size, Cardinality: rows}}
	}
	for name, c := range map[string]struct {
		f    table.File
		code diag.Code
		want string
	}{
		"flipped bit":       {stored(s.URL("broken.bin"), 44, 6), diag.FileUnreadable, "wrong checksum"},
		"other version":     {stored(s.URL("foreign.bin"), 44, 6), diag.FileUnreadable, "format version 2"},
		"short file":        {stored(s.URL("short.bin"), 44, 6), diag.FileUnreadable, "has 30 bytes"},
		"no file":           {stored(s.URL("none.bin"), 44, 6), diag.FileUnreadable, "none.bin"},
		"wrong size":        {stored(s.URL("good.bin"), 43, 6), diag.FileUnreadable, "holds 44 bytes"},
		"negative size":     {stored(s.URL("good.bin"), -1, 6), diag.FileUnreadable, "want 7"},
		"wrong cardinality": {stored(s.URL("good.bin"), 44, 7), diag.FileUnreadable, "found 6 rows, want 7"},
		"too many rows":     {stored(s.URL("good.bin"), 44, 5), diag.FileUnreadable, "more rows"},
		"elsewhere":         {stored("s3://other/good.bin", 44, 6), diag.UnknownFeature, "outside the table's folder"},
		"inline too short":  {inlineVector("00000", 40, 6), diag.FileUnreadable, "found 4 bytes, want 40"},
		"not base 85":       {inlineVector("\"0000", 4, 6), diag.FileUnreadable, "no digit"},
		"base 85 overflow":  {inlineVector("#####", 4, 6), diag.FileUnreadable, "too large"},
		"odd length":        {inlineVector("0000", 4, 6), diag.FileUnreadable, "multiple of 5"},
		"no UUID":           {table.File{DV: &table.DeletionVector{StorageType: "u", PathOrInlineDV: "short"}}, diag.FileUnreadable, "want a UUID"},
		"climbing prefix":   {table.File{DV: &table.DeletionVector{StorageType: "u", PathOrInlineDV: "../" + exampleUUID}}, diag.FileUnreadable, `".."`},
		"unknown storage":   {table.File{DV: &table.DeletionVector{StorageType: "q"}}, diag.FileUnreadable, `"q"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := deleted(t, s, c.f)
			if diag.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("found %v, want %s with %q", err, c.code, c.want)
			}
		})
	}
}

type encoding int

const (
	asArray encoding = iota
	asBitmap
	asRuns
)

// encodeVector writes the values below 1<<16 of each container of the buckets
// in one encoding; a container is bucket<<16 | its key.
func encodeVector(containers map[int64][]int64, as encoding) []byte {
	buckets := map[int64][]int64{}
	for c := range containers {
		buckets[c>>16] = append(buckets[c>>16], c)
	}
	le := binary.LittleEndian
	out := le.AppendUint32(nil, magicNumber)
	out = le.AppendUint64(out, uint64(len(buckets)))
	for high := range int64(1 << 16) {
		keys := buckets[high]
		if len(keys) == 0 {
			continue
		}
		slices.Sort(keys)
		out = le.AppendUint32(out, uint32(high))
		if as == asRuns {
			out = le.AppendUint32(out, cookieRuns|uint32(len(keys)-1)<<16)
			out = append(out, bytes.Repeat([]byte{0xff}, (len(keys)+7)/8)...)
		} else {
			out = le.AppendUint32(le.AppendUint32(out, cookieNoRuns), uint32(len(keys)))
		}
		for _, c := range keys {
			out = le.AppendUint16(le.AppendUint16(out, uint16(c)), uint16(len(containers[c])-1))
		}
		if as != asRuns || len(keys) >= noOffsets {
			out = append(out, make([]byte, 4*len(keys))...)
		}
		for _, c := range keys {
			out = appendContainer(out, containers[c], as)
		}
	}
	return out
}

func appendContainer(out []byte, values []int64, as encoding) []byte {
	le := binary.LittleEndian
	switch as {
	case asArray:
		for _, v := range values {
			out = le.AppendUint16(out, uint16(v))
		}
	case asBitmap:
		words := make([]byte, bitmapBytes)
		for _, v := range values {
			words[v/8] |= 1 << (v % 8)
		}
		out = append(out, words...)
	case asRuns:
		var runs [][2]int64
		for _, v := range values {
			if n := len(runs); n > 0 && runs[n-1][0]+runs[n-1][1]+1 == v {
				runs[n-1][1]++
			} else {
				runs = append(runs, [2]int64{v, 0})
			}
		}
		out = le.AppendUint16(out, uint16(len(runs)))
		for _, r := range runs {
			out = le.AppendUint16(le.AppendUint16(out, uint16(r[0])), uint16(r[1]))
		}
	}
	return out
}

func TestDecodeVectorEncodings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		as := rapid.SampledFrom([]encoding{asArray, asBitmap, asRuns}).Draw(t, "encoding")
		least, most := 1, 300
		if as == asBitmap { // only beyond the size that an array may have
			least, most = arrayMax+1, arrayMax+300
		}
		containers := map[int64][]int64{}
		var want []int64
		for _, c := range rapid.SliceOfNDistinct(rapid.Int64Range(0, 1<<17), 1, 6, rapid.ID[int64]).Draw(t, "containers") {
			start := rapid.Int64Range(0, 1000).Draw(t, "start")
			n := rapid.IntRange(least, most).Draw(t, "n")
			step := rapid.Int64Range(1, 3).Draw(t, "step")
			for i := range int64(n) {
				v := start + i*step
				containers[c] = append(containers[c], v)
				want = append(want, c<<16+v)
			}
		}
		slices.Sort(want)
		data := encodeVector(containers, as)
		got, err := decode(data, int64(len(want)))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("found %d values, %v, want %d", len(got), err, len(want))
		}
		cut := rapid.IntRange(0, len(data)-1).Draw(t, "cut")
		if _, err := decode(data[:cut], int64(len(want))); err == nil {
			t.Fatalf("cut at %d of %d bytes and still decoded", cut, len(data))
		}
	})
}
