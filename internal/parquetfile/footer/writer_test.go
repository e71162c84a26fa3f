package footer

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/parquetfile/thrift"
)

// The writer that the end of a footer names is the one that the whole of it names.
func TestWriter(t *testing.T) {
	names := rapid.OneOf(rapid.StringN(0, 200, -1), rapid.SampledFrom([]string{"parquet-mr version 1.13.1 (build db4183)", "(x", ""}))
	names = names.Filter(func(s string) bool { return !strings.Contains(s, "\x18") })
	rapid.Check(t, func(t *rapid.T) {
		var meta thrift.Struct
		meta.SetInt32(VersionField, 2)
		meta.SetInt64(RowsField, rapid.Int64Min(0).Draw(t, "rows"))
		meta.SetList(GroupsField, thrift.StructList(nil))
		if rapid.Bool().Draw(t, "keys") {
			var pairs []thrift.Struct
			for range rapid.IntRange(0, 3).Draw(t, "pairs") {
				var pair thrift.Struct
				pair.SetString(1, names.Draw(t, "key"))
				if rapid.Bool().Draw(t, "valued") {
					pair.SetString(2, names.Draw(t, "value"))
				}
				pairs = append(pairs, pair)
			}
			meta.SetList(KeysField, thrift.StructList(pairs))
		}
		if rapid.Bool().Draw(t, "written") {
			meta.SetString(CreatedByField, names.Draw(t, "writer"))
		}
		if rapid.Bool().Draw(t, "ordered") {
			var typed thrift.Struct
			typed.SetStruct(1, thrift.Struct{})
			meta.SetList(OrdersField, thrift.StructList([]thrift.Struct{typed, typed}))
		}
		if rapid.Bool().Draw(t, "signed") {
			meta.SetBytes(encryptionField+1, []byte("key"))
		}
		b := meta.Append(nil)
		want, _ := meta.Bytes(CreatedByField)
		if got := writerOf(b); !bytes.Equal(got, want) {
			t.Fatalf("writer %q, want %q in % x", got, want, b)
		}
	})
}
