package forecast

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is the annotation of a node, by the number that parquet.thrift gives it.
type Kind int16

// The annotations that matter, Plain for none.
const (
	Plain     Kind = 0
	String    Kind = 1
	Map       Kind = 2
	List      Kind = 3
	Enum      Kind = 4
	Decimal   Kind = 5
	Date      Kind = 6
	Time      Kind = 7
	Timestamp Kind = 8
	Integer   Kind = 10
	Null      Kind = 11
	JSON      Kind = 12
	BSON      Kind = 13
	UUID      Kind = 14
	Float16   Kind = 15
)

// Physical is the type that values are stored as, by its number in parquet.thrift.
type Physical int8

// The physical types, and Group for nodes that have fields.
const (
	Group     Physical = -1
	Boolean   Physical = 0
	Int32     Physical = 1
	Int64     Physical = 2
	Int96     Physical = 3
	Float     Physical = 4
	Double    Physical = 5
	ByteArray Physical = 6
	Fixed     Physical = 7
)

// String spells a physical type as readers print it.
func (p Physical) String() string {
	names := [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BINARY", "FIXED_LEN_BYTE_ARRAY"}
	if p < 0 || int(p) >= len(names) {
		return "GROUP"
	}
	return names[p]
}

// Unit is that of times and timestamps, by its number in parquet.thrift.
type Unit int16

// The units.
const (
	Millis Unit = 1
	Micros Unit = 2
	Nanos  Unit = 3
)

// Type is the type of a node of a file's schema, with the older annotations given as
// the newer that they stand for.
type Type struct {
	Physical Physical
	Kind     Kind
	// Length is that of values of fixed length.
	Length int
	// Precision and Scale are those of decimals.
	Precision, Scale int
	// Unit and UTC are those of times and timestamps.
	Unit Unit
	UTC  bool
	// Bits and Unsigned are those of integers; 0 bits are those of the physical type.
	Bits     int
	Unsigned bool
	// Fields are those of a struct; a list has one, its element, a map two.
	Fields []Column
}

// String spells a type with its annotation: INT32 (DECIMAL(9,2)).
func (t Type) String() string {
	name := t.annotation()
	if name == "" {
		return t.Physical.String()
	}
	return t.Physical.String() + " (" + name + ")"
}

func (t Type) annotation() string {
	unit := map[Unit]string{Millis: "MILLIS", Micros: "MICROS", Nanos: "NANOS"}[t.Unit]
	switch t.Kind {
	case Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case Time:
		return fmt.Sprintf("TIME(%s,%t)", unit, t.UTC)
	case Timestamp:
		return fmt.Sprintf("TIMESTAMP(%s,%t)", unit, t.UTC)
	case Integer:
		return fmt.Sprintf("INTEGER(%d,%t)", t.bits(), !t.Unsigned)
	}
	return map[Kind]string{
		String: "STRING", Map: "MAP", List: "LIST", Enum: "ENUM", Date: "DATE", Null: "UNKNOWN",
		JSON: "JSON", BSON: "BSON", UUID: "UUID", Float16: "FLOAT16",
	}[t.Kind]
}

func (t Type) bits() int {
	switch {
	case t.Bits > 0:
		return t.Bits
	case t.Physical == Int64:
		return 64
	}
	return 32
}

// integral reports whether values are integers and mean integers.
func (t Type) integral() bool {
	return (t.Physical == Int32 || t.Physical == Int64) && (t.Kind == Plain || t.Kind == Integer)
}

// plain is the name under which the table has a type, and whether it is that type
// exactly and not only one that fares alike.
func (t Type) plain() (name string, exact bool) {
	switch t.Kind {
	case List:
		return "list_i32", false
	case Map:
		return "map", false
	case Null:
		return "null", t.Physical == Int32
	case Decimal:
		return t.decimal()
	case Date:
		return "date32", true
	case Time:
		return map[bool]string{true: "time_ms", false: "time_us"}[t.Unit == Millis], t.Unit != Nanos
	case Timestamp:
		name = map[Unit]string{Millis: "ts_ms", Micros: "ts_us", Nanos: "ts_ns"}[t.Unit]
		if t.UTC {
			name += "_utc"
		}
		return name, true
	case String, JSON, UUID, Float16:
		return map[Kind]string{String: "string", JSON: "json", UUID: "uuid", Float16: "float16"}[t.Kind], true
	case Enum, BSON:
		return "binary", false
	}
	switch t.Physical {
	case Int32, Int64:
		sign := ""
		if t.Unsigned {
			sign = "u"
		}
		return sign + "int" + strconv.Itoa(t.bits()), true
	case Fixed:
		return "fixed16", t.Length == 16
	case Group:
		return "struct", false
	}
	return map[Physical]string{Boolean: "bool", Int96: "int96", Float: "float32", Double: "float64", ByteArray: "binary"}[t.Physical], true
}

// decimal names the decimal of the table that is t, or else one that stands for t
// beside types that are no decimals: it has the room for the same integers.
func (t Type) decimal() (string, bool) {
	suffix := map[Physical]string{Int32: "_i32", Int64: "_i64"}[t.Physical]
	name := fmt.Sprintf("dec%d_%d%s", t.Precision, t.Scale, suffix)
	switch name {
	case "dec9_2", "dec18_2", "dec18_4", "dec38_10", "dec9_2_i32", "dec18_2_i64":
		return name, true
	}
	whole := t.Precision - t.Scale
	switch {
	case whole >= 20:
		return "dec38_10", false
	case t.Physical == Int32:
		return "dec9_2_i32", false
	case t.Physical == Int64:
		return "dec18_2_i64", false
	case whole >= 10 && t.Scale > 2:
		return "dec18_4", false
	case whole >= 10:
		return "dec18_2", false
	}
	return "dec9_2", false
}

// TypeOf returns the type that the table has under a name, for tests and tools that
// speak its language; false if it has none.
func TypeOf(name string) (Type, bool) {
	whole := map[string]Type{
		"bool": {Physical: Boolean}, "float32": {Physical: Float}, "float64": {Physical: Double}, "int96": {Physical: Int96},
		"binary": {Physical: ByteArray}, "fixed16": {Physical: Fixed, Length: 16},
		"string": {Physical: ByteArray, Kind: String}, "json": {Physical: ByteArray, Kind: JSON},
		"uuid": {Physical: Fixed, Kind: UUID, Length: 16}, "float16": {Physical: Fixed, Kind: Float16, Length: 2},
		"date32": {Physical: Int32, Kind: Date}, "null": {Physical: Int32, Kind: Null},
		"time_ms": {Physical: Int32, Kind: Time, Unit: Millis}, "time_us": {Physical: Int64, Kind: Time, Unit: Micros},
		"int32": {Physical: Int32}, "int64": {Physical: Int64},
	}
	if t, ok := whole[name]; ok {
		return t, true
	}
	return composed(name)
}

// composed reads names that have numbers and units in them, and those of groups.
func composed(name string) (Type, bool) {
	i32 := Type{Physical: Int32}
	text := Type{Physical: ByteArray, Kind: String}
	var bits, precision, scale, back int
	switch {
	case name == "list_i32":
		return Type{Physical: Group, Kind: List, Fields: []Column{{"element", i32}}}, true
	case name == "map":
		return Type{Physical: Group, Kind: Map, Fields: []Column{{"key", text}, {"value", i32}}}, true
	case name == "struct":
		return Type{Physical: Group, Fields: []Column{{"a", i32}, {"b", text}}}, true
	case scan(name, "dec%d_%d_i%d", &precision, &scale, &back):
		return Type{Physical: Physical(back / 32), Kind: Decimal, Precision: precision, Scale: scale}, true
	case scan(name, "dec%d_%d", &precision, &scale):
		return Type{Physical: Fixed, Kind: Decimal, Precision: precision, Scale: scale, Length: 16}, true
	case scan(name, "uint%d", &bits):
		return Type{Physical: Physical(1 + bits/64), Kind: Integer, Bits: bits, Unsigned: true}, true
	case scan(name, "int%d", &bits):
		return Type{Physical: Physical(1 + bits/64), Kind: Integer, Bits: bits}, true
	}
	unit, zone, _ := strings.Cut(strings.TrimPrefix(name, "ts_"), "_")
	t := Type{Physical: Int64, Kind: Timestamp, UTC: zone == "utc", Unit: map[string]Unit{"ms": Millis, "us": Micros, "ns": Nanos}[unit]}
	return t, strings.HasPrefix(name, "ts_") && t.Unit != 0
}

func scan(text, form string, into ...any) bool {
	n, err := fmt.Sscanf(text, form, into...)
	return err == nil && n == len(into)
}
