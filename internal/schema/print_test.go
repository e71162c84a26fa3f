package schema_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/schema"
)

// printed has every type, and what printers must take care of.
func printed() schema.Struct {
	null := func(name string, t schema.Type) schema.Field {
		return schema.Field{Name: name, Type: t, Nullable: true}
	}
	return schema.Struct{Fields: []schema.Field{
		{Name: "id", Type: schema.Long},
		null("a\"b\\\n`c", schema.Boolean),
		null("1st", schema.Byte), null("région.x", schema.Short), null("", schema.Integer),
		null("f", schema.Float), null("g", schema.Double), null("h", schema.String), null("i", schema.Binary),
		null("j", schema.Date), null("k", schema.Timestamp), null("l", schema.TimestampNTZ), null("m", schema.Unknown),
		null("amount", schema.Decimal{Precision: 18, Scale: 2}),
		null("list", schema.Array{Element: schema.Array{Element: schema.String}, ContainsNull: true}),
		null("map", schema.Map{Key: schema.String, Value: schema.Struct{Fields: []schema.Field{
			{Name: "x y", Type: schema.Integer},
			null("z", schema.Struct{Fields: []schema.Field{null("deep", schema.Map{Key: schema.Date, Value: schema.Double})}}),
		}}, ValueContainsNull: true}),
		null("empty", schema.Struct{Fields: []schema.Field{}}),
	}}
}

const wantDDL = "id BIGINT NOT NULL,\n" +
	"`a\"b\\\n``c` BOOLEAN,\n" +
	"`1st` TINYINT,\n`région.x` SMALLINT,\n`` INT,\n" +
	"f FLOAT,\ng DOUBLE,\nh STRING,\ni BINARY,\nj DATE,\nk TIMESTAMP,\nl TIMESTAMP_NTZ,\nm VOID,\n" +
	"amount DECIMAL(18,2),\n" +
	"list ARRAY<ARRAY<STRING>>,\n" +
	"map MAP<STRING, STRUCT<`x y`: INT NOT NULL, z: STRUCT<deep: MAP<DATE, DOUBLE>>>>,\n" +
	"empty STRUCT<>"

const wantSpark = `StructType([
    StructField("id", LongType(), False),
    StructField("a\"b\\\n` + "`" + `c", BooleanType(), True),
    StructField("1st", ByteType(), True),
    StructField("région.x", ShortType(), True),
    StructField("", IntegerType(), True),
    StructField("f", FloatType(), True),
    StructField("g", DoubleType(), True),
    StructField("h", StringType(), True),
    StructField("i", BinaryType(), True),
    StructField("j", DateType(), True),
    StructField("k", TimestampType(), True),
    StructField("l", TimestampNTZType(), True),
    StructField("m", NullType(), True),
    StructField("amount", DecimalType(18, 2), True),
    StructField("list", ArrayType(ArrayType(StringType(), False), True), True),
    StructField("map", MapType(StringType(), StructType([
        StructField("x y", IntegerType(), False),
        StructField("z", StructType([
            StructField("deep", MapType(DateType(), DoubleType(), False), True),
        ]), True),
    ]), True), True),
    StructField("empty", StructType([]), True),
])`

const wantPyArrow = `pa.schema([
    pa.field("id", pa.int64(), nullable=False),
    pa.field("a\"b\\\n` + "`" + `c", pa.bool_()),
    pa.field("1st", pa.int8()),
    pa.field("région.x", pa.int16()),
    pa.field("", pa.int32()),
    pa.field("f", pa.float32()),
    pa.field("g", pa.float64()),
    pa.field("h", pa.string()),
    pa.field("i", pa.binary()),
    pa.field("j", pa.date32()),
    pa.field("k", pa.timestamp("us", tz="UTC")),
    pa.field("l", pa.timestamp("us")),
    pa.field("m", pa.null()),
    pa.field("amount", pa.decimal128(18, 2)),
    pa.field("list", pa.list_(pa.list_(pa.field("element", pa.string(), nullable=False)))),
    pa.field("map", pa.map_(pa.string(), pa.struct([
        pa.field("x y", pa.int32(), nullable=False),
        pa.field("z", pa.struct([
            pa.field("deep", pa.map_(pa.date32(), pa.field("value", pa.float64(), nullable=False))),
        ])),
    ]))),
    pa.field("empty", pa.struct([])),
])`

func TestPrinters(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"DDL", schema.DDL(printed()), wantDDL},
		{"Spark", schema.Spark(printed()), wantSpark},
		{"PyArrow", schema.PyArrow(printed()), wantPyArrow},
		{"no columns", schema.DDL(schema.Struct{}) + schema.Spark(schema.Struct{}) + schema.PyArrow(schema.Struct{}), "StructType([])pa.schema([])"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, c.got, c.want)
		}
	}
}

// nullable is what DDL can say of a type: elements and values may be null.
func nullable(t schema.Type) schema.Type {
	switch t := t.(type) {
	case schema.Array:
		return schema.Array{Element: nullable(t.Element), ContainsNull: true}
	case schema.Map:
		return schema.Map{Key: nullable(t.Key), Value: nullable(t.Value), ValueContainsNull: true}
	case schema.Struct:
		s := schema.Struct{Fields: []schema.Field{}}
		for _, f := range t.Fields {
			f.Type = nullable(f.Type)
			s.Fields = append(s.Fields, f)
		}
		return s
	default:
		return t
	}
}

func TestDDLComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := structs(3, rapid.String()).Filter(func(s schema.Struct) bool { return len(s.Fields) > 0 }).Draw(t, "schema")
		list, err := schema.ParseColumns(schema.DDL(s))
		if err != nil {
			t.Fatalf("%s: %v", schema.DDL(s), err)
		}
		got := schema.Struct{}
		for _, d := range list {
			if len(d.Path) != 1 {
				t.Fatalf("%s: got path %s", schema.DDL(s), d.Path)
			}
			got.Fields = append(got.Fields, schema.Field{Name: d.Path[0], Type: d.Type, Nullable: !d.NotNull})
		}
		if want := nullable(s); !reflect.DeepEqual(schema.Type(got), want) {
			t.Fatalf("%s came back as %s", want, got)
		}
	})
}
