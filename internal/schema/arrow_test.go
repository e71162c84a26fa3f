package schema_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"landfall/internal/schema"
)

func TestToArrow(t *testing.T) {
	for text, want := range map[string]arrow.DataType{
		"bigint": arrow.PrimitiveTypes.Int64, "tinyint": arrow.PrimitiveTypes.Int8, "date": arrow.FixedWidthTypes.Date32,
		"timestamp":     &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
		"timestamp_ntz": &arrow.TimestampType{Unit: arrow.Microsecond},
		"decimal(20,3)": &arrow.Decimal128Type{Precision: 20, Scale: 3},
		"void":          arrow.Null,
		"array<string>": arrow.ListOfField(arrow.Field{Name: "element", Type: arrow.BinaryTypes.String, Nullable: true}),
		"map<int,struct<a:boolean not null>>": arrow.MapOfFields(arrow.Field{Type: arrow.PrimitiveTypes.Int32},
			arrow.Field{Type: arrow.StructOf(arrow.Field{Name: "a", Type: arrow.FixedWidthTypes.Boolean}), Nullable: true}),
	} {
		got, err := schema.ToArrow(typ(t, text))
		if err != nil || !arrow.TypeEqual(got, want) {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
	bad := schema.Struct{Fields: []schema.Field{{Name: "a b", Type: schema.Primitive("variant")}}}
	if _, err := schema.ToArrow(bad); err == nil || err.Error() != "`a b`: no Arrow type for type variant" {
		t.Errorf("got %v", err)
	}
}

func TestFromArrow(t *testing.T) {
	text := arrow.BinaryTypes.String
	for want, a := range map[string]arrow.DataType{
		"string":                    arrow.BinaryTypes.LargeString,
		"string ":                   &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: text},
		"string  ":                  arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.StringView),
		"binary":                    &arrow.FixedSizeBinaryType{ByteWidth: 16},
		"timestamp":                 &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Berlin"},
		"timestamp_ntz":             &arrow.TimestampType{Unit: arrow.Microsecond},
		"decimal(9,2)":              &arrow.Decimal256Type{Precision: 9, Scale: 2},
		"array<int>":                arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int32),
		"array<int> ":               arrow.LargeListViewOf(arrow.PrimitiveTypes.Int32),
		"map<string,date>":          arrow.MapOf(text, arrow.FixedWidthTypes.Date64),
		"struct<a:bigint not null>": arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int64}),
		"struct<a:void,b:array<int>>": arrow.StructOf(arrow.Field{Name: "a", Type: arrow.Null, Nullable: true},
			arrow.Field{Name: "b", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true}),
	} {
		got, err := schema.FromArrow(a)
		if err != nil || got.String() != strings.TrimSpace(want) {
			t.Errorf("%v: got %v, %v, want %s", a, got, err, want)
		}
	}
}

func TestFromArrowRefuses(t *testing.T) {
	for want, a := range map[string]arrow.DataType{
		"Arrow's uint8":          arrow.PrimitiveTypes.Uint8,
		"Arrow's timestamp[ns]":  &arrow.TimestampType{Unit: arrow.Nanosecond},
		"Arrow's float16":        arrow.FixedWidthTypes.Float16,
		"Arrow's time64[us]":     arrow.FixedWidthTypes.Time64us,
		"Arrow's decimal256(40":  &arrow.Decimal256Type{Precision: 40, Scale: 2},
		"Arrow's decimal(5, -2)": &arrow.Decimal128Type{Precision: 5, Scale: -2},
		"Arrow's <nil>":          nil,
		"s.`a b`.element: no":    arrow.StructOf(arrow.Field{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "a b", Type: arrow.ListOf(arrow.PrimitiveTypes.Uint64)})}),
		"key: no type":           arrow.MapOf(arrow.PrimitiveTypes.Uint16, arrow.Null),
		"value: no type":         arrow.MapOf(arrow.Null, arrow.PrimitiveTypes.Uint16),
	} {
		if got, err := schema.FromArrow(a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, %v, want %q", a, got, err, want)
		}
	}
}

func TestArrowComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := types(3, rapid.String()).Draw(t, "type")
		a, err := schema.ToArrow(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := schema.FromArrow(a)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s came back as %v, %v", want, got, err)
		}
	})
}

func TestArrowTooDeep(t *testing.T) {
	deep := schema.Type(schema.Long)
	a := arrow.PrimitiveTypes.Int64
	for range 300 {
		deep = schema.Array{Element: deep}
		a = arrow.ListOf(a)
	}
	if _, err := schema.ToArrow(deep); err == nil {
		t.Error("300 arrays deep became Arrow")
	}
	if _, err := schema.FromArrow(a); err == nil {
		t.Error("300 lists deep became a type")
	}
}
