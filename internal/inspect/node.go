package inspect

import (
	"fmt"
	"strings"

	"landfall/internal/parquetfile/footer"
)

// Node is a column of a file, or a part of one, as its schema states it.
type Node struct {
	// Path are the names from the column down, joined by dots; what repeats in
	// arrays and maps is "element", "key" and "value", whatever the writer calls it.
	Path string `json:"column"`
	// Type is spelled as in Spark's DDL; what no table has keeps Parquet's name.
	// Columns with parts are struct, array and map, followed by their parts.
	Type string `json:"type"`
	// Stored is how the values are written: "int64 micros", "fixed(8)", "int96".
	Stored   string `json:"stored,omitempty"`
	Nullable bool   `json:"nullable"`

	// Element is the node of the footer that it is from.
	Element footer.Element `json:"-"`
}

// The numbers of parquet.thrift that tell types.
const (
	physBoolean, physInt32, physInt64, physInt96  = 0, 1, 2, 3
	physFloat, physDouble, physBinary, physFixed  = 4, 5, 6, 7
	repeated, optional                            = 2, 1
	convUTF8, convMap, convMapKeyValue, convList  = 0, 1, 2, 3
	convEnum, convDecimal, convDate               = 4, 5, 6
	convTimeMillis, convTimeMicros                = 7, 8
	convMillis, convMicros                        = 9, 10
	convUint8, convUint64, convInt8, convInt64    = 11, 14, 15, 18
	convJSON, convBSON, convInterval              = 19, 20, 21
	typeTimestamp, typeString, typeArray, typeMap = "timestamp", "string", "array", "map"
)

// nodesOf flattens the nodes of a schema, in the order of the file.
func nodesOf(elements []footer.Element) []Node {
	w := walker{in: elements, at: 1}
	for range elements[0].Children {
		w.column("")
	}
	return w.out
}

// walker goes through a tree that is written as a list.
type walker struct {
	in  []footer.Element
	at  int
	out []Node
}

// next takes the next node.
func (w *walker) next() footer.Element {
	e := w.in[w.at]
	w.at++
	return e
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// column takes a node and all below it.
func (w *walker) column(path string) {
	e := w.next()
	path = join(path, e.Name)
	if e.Repetition == repeated && !isList(e) && !isMap(e) {
		w.add(path, typeArray, e)
		w.value(join(path, "element"), e)
		return
	}
	w.value(path, e)
}

// value takes what stands at a path, whose node was taken already.
func (w *walker) value(path string, e footer.Element) {
	switch {
	case e.Children == 0:
		typ, stored := typeOf(e)
		w.out = append(w.out, Node{path, typ, stored, e.Repetition == optional, e})
	case isList(e) && e.Children == 1:
		w.add(path, typeArray, e)
		w.element(join(path, "element"), e.Name)
	case isMap(e) && e.Children == 1:
		w.add(path, typeMap, e)
		inner := w.next()
		for i := range inner.Children {
			name := "value"
			if i == 0 {
				name = "key"
			}
			w.value(join(path, name), w.next())
		}
	default:
		w.add(path, "struct", e)
		for range e.Children {
			w.column(path)
		}
	}
}

// element takes what repeats in an array: in most files a group with the element
// in it, in those of old writers the element itself.
func (w *walker) element(path, list string) {
	inner := w.next()
	if inner.Children != 1 || inner.Name == "array" || inner.Name == list+"_tuple" {
		w.value(path, inner)
		return
	}
	w.value(path, w.next())
}

func (w *walker) add(path, typ string, e footer.Element) {
	w.out = append(w.out, Node{Path: path, Type: typ, Nullable: e.Repetition == optional, Element: e})
}

func isList(e footer.Element) bool {
	return e.Children > 0 && (e.Converted == convList || e.Logical.Kind == footer.List)
}

func isMap(e footer.Element) bool {
	return e.Children > 0 && (e.Converted == convMap || e.Converted == convMapKeyValue || e.Logical.Kind == footer.Map)
}

// typeOf names the type of a leaf and how its values are written.
func typeOf(e footer.Element) (typ, stored string) {
	stored = physical(e)
	switch l := e.Logical; l.Kind {
	case footer.String:
		return typeString, stored
	case footer.Decimal:
		return decimal(l.Precision, l.Scale), stored
	case footer.Date:
		return "date", stored
	case footer.Timestamp:
		if !l.UTC {
			return "timestamp_ntz", stored + " " + unit(l.Unit)
		}
		return typeTimestamp, stored + " " + unit(l.Unit)
	case footer.Time:
		return "time", stored + " " + unit(l.Unit)
	case footer.Integer:
		return integer(int(l.Bits), l.Signed), stored
	case footer.Null:
		return "void", stored
	case footer.Enum:
		return typeString, stored + " enum"
	case footer.JSON:
		return typeString, stored + " json"
	case footer.BSON:
		return "binary", stored + " bson"
	case footer.UUID:
		return "uuid", stored
	case footer.Float16:
		return "float16", stored
	}
	return converted(e, stored)
}

// converted reads the older of the two annotations.
func converted(e footer.Element, stored string) (typ, how string) {
	switch c := e.Converted; {
	case c == convUTF8:
		return typeString, stored
	case c == convEnum:
		return typeString, stored + " enum"
	case c == convJSON:
		return typeString, stored + " json"
	case c == convBSON:
		return "binary", stored + " bson"
	case c == convDecimal:
		return decimal(e.Precision, e.Scale), stored
	case c == convDate:
		return "date", stored
	case c == convTimeMillis:
		return "time", stored + " millis"
	case c == convTimeMicros:
		return "time", stored + " micros"
	case c == convMillis:
		return typeTimestamp, stored + " millis"
	case c == convMicros:
		return typeTimestamp, stored + " micros"
	case c >= convUint8 && c <= convUint64:
		return integer(8<<(c-convUint8), false), stored
	case c >= convInt8 && c <= convInt64:
		return integer(8<<(c-convInt8), true), stored
	case c == convInterval:
		return "interval", stored
	}
	return plain(e, stored), stored
}

// plain is the type of a leaf without annotation.
func plain(e footer.Element, stored string) string {
	switch e.Physical {
	case physInt32:
		return "int"
	case physInt64:
		return "bigint"
	case physInt96:
		return typeTimestamp
	case physBinary, physFixed:
		return "binary"
	}
	return stored
}

// physical names what the values of a leaf are in the file.
func physical(e footer.Element) string {
	switch e.Physical {
	case physBoolean:
		return "boolean"
	case physInt32:
		return "int32"
	case physInt64:
		return "int64"
	case physInt96:
		return "int96"
	case physFloat:
		return "float"
	case physDouble:
		return "double"
	case physBinary:
		return "binary"
	case physFixed:
		return fmt.Sprintf("fixed(%d)", e.Length)
	}
	return fmt.Sprintf("physical type %d", e.Physical)
}

func decimal(precision, scale int32) string { return fmt.Sprintf("decimal(%d,%d)", precision, scale) }

func unit(u footer.Unit) string {
	switch u {
	case footer.Millis:
		return "millis"
	case footer.Micros:
		return "micros"
	case footer.Nanos:
		return "nanos"
	}
	return "of an unknown unit"
}

// integer names integers of so many bits; no table has those without a sign.
func integer(bits int, signed bool) string {
	if !signed {
		return fmt.Sprintf("uint%d", bits)
	}
	switch bits {
	case 8:
		return "tinyint"
	case 16:
		return "smallint"
	case 32:
		return "int"
	case 64:
		return "bigint"
	}
	return fmt.Sprintf("int%d", bits)
}

// key tells schemas apart: two of one key are the same to every reader.
func key(nodes []Node) string {
	var b strings.Builder
	for _, n := range nodes {
		fmt.Fprintf(&b, "%q %s %s %v\n", n.Path, n.Type, n.Stored, n.Nullable)
	}
	return b.String()
}
