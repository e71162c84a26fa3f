package delta

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/store/memory"
	"landfall/internal/table"
)

// A vector may be named by an absolute path, escaped, below the table's folder.
func TestDeletedBelow(t *testing.T) {
	bitmap := binary.LittleEndian.AppendUint32(nil, 1681511377)
	bitmap = append(bitmap, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)       // one bucket, the first
	bitmap = append(bitmap, 0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0) // without runs, one container of two
	bitmap = append(bitmap, 16, 0, 0, 0, 3, 0, 11, 0)                 // its offset, its values
	file := binary.BigEndian.AppendUint32([]byte{1}, uint32(len(bitmap)))
	file = binary.BigEndian.AppendUint32(append(file, bitmap...), crc32.ChecksumIEEE(bitmap))
	s := memory.New(nil)
	putBytes(t, s, "other name.bin", file)
	tbl := Open(s, Options{})
	at := func(path string) table.File {
		return table.File{Path: "x", DV: &table.DeletionVector{StorageType: "p", PathOrInlineDV: path, SizeInBytes: int32(len(bitmap)), Cardinality: 2}}
	}
	for _, path := range []string{s.URL("other name.bin"), s.URL("") + "other%20name.bin"} {
		if got, err := tbl.Deleted(t.Context(), at(path)); err != nil || !slices.Equal(got, []int64{3, 11}) {
			t.Errorf("%s: found %v, %v, want 3 and 11", path, got, err)
		}
	}
	if _, err := tbl.Deleted(t.Context(), at("s3://other/other%20name.bin")); diag.CodeOf(err) != diag.UnknownFeature {
		t.Errorf("found %v, want a refusal", err)
	}
	if got, err := tbl.Deleted(t.Context(), table.File{Path: "x"}); err != nil || got != nil {
		t.Errorf("no vector: found %v, %v", got, err)
	}
}
