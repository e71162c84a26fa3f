package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/diag"
)

// maxDepth bounds nesting, so that no input can exhaust the stack.
const maxDepth = 200

// maxDigits is the largest precision of a decimal.
const maxDigits = 38

var errTooDeep = errors.New("types are nested too deep")

// ParseJSON reads a schema as Delta writes it in metaData.schemaString. A type
// that is not known is a diagnostic which names the column.
func ParseJSON(data []byte) (Struct, error) {
	t, err := parseType(data, "", 0)
	if err != nil {
		return Struct{}, err
	}
	s, ok := t.(Struct)
	if !ok {
		return Struct{}, fmt.Errorf("schema is %s, want a struct", t)
	}
	return s, nil
}

// node has the keys of every composite type.
type node struct {
	Type              string            `json:"type"`
	Fields            []json.RawMessage `json:"fields"`
	ElementType       json.RawMessage   `json:"elementType"`
	ContainsNull      bool              `json:"containsNull"`
	KeyType           json.RawMessage   `json:"keyType"`
	ValueType         json.RawMessage   `json:"valueType"`
	ValueContainsNull bool              `json:"valueContainsNull"`
}

// parseType reads one type; path is the column it belongs to.
func parseType(data []byte, path string, depth int) (Type, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	data = bytes.TrimSpace(data)
	if len(data) > 0 && data[0] == '"' {
		var name string
		if err := json.Unmarshal(data, &name); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		return parseNamed(name, path)
	}
	var n node
	if err := json.Unmarshal(data, &n); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	switch n.Type {
	case "struct":
		return parseStruct(n, path, depth)
	case "array":
		e, err := parseType(n.ElementType, join(path, "element"), depth+1)
		return Array{Element: e, ContainsNull: n.ContainsNull}, err
	case "map":
		k, err := parseType(n.KeyType, join(path, "key"), depth+1)
		if err != nil {
			return nil, err
		}
		v, err := parseType(n.ValueType, join(path, "value"), depth+1)
		return Map{Key: k, Value: v, ValueContainsNull: n.ValueContainsNull}, err
	default:
		return nil, unknownType(path, n.Type)
	}
}

func parseStruct(n node, path string, depth int) (Type, error) {
	s := Struct{Fields: make([]Field, 0, len(n.Fields))}
	for _, raw := range n.Fields {
		var f struct {
			Name     *string                    `json:"name"`
			Type     json.RawMessage            `json:"type"`
			Nullable bool                       `json:"nullable"`
			Metadata map[string]json.RawMessage `json:"metadata"`
		}
		if err := json.Unmarshal(raw, &f); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		if f.Name == nil {
			return nil, fmt.Errorf("schema: a field of %s has no name", rootOr(path))
		}
		t, err := parseType(f.Type, join(path, *f.Name), depth+1)
		if err != nil {
			return nil, err
		}
		if len(f.Metadata) == 0 {
			f.Metadata = nil
		}
		s.Fields = append(s.Fields, Field{Name: *f.Name, Type: t, Nullable: f.Nullable, Metadata: f.Metadata})
	}
	return s, nil
}

// parseNamed reads a type that is only a name in Delta's JSON.
func parseNamed(name, path string) (Type, error) {
	switch p := Primitive(name); p {
	case Boolean, Byte, Short, Integer, Long, Float, Double, String, Binary, Date, Timestamp, TimestampNTZ:
		return p, nil
	}
	switch name {
	case "void", "null":
		return Unknown, nil
	case "decimal":
		return Decimal{Precision: 10}, nil
	}
	args, ok := strings.CutPrefix(name, "decimal(")
	args, closed := strings.CutSuffix(args, ")")
	p, s, two := strings.Cut(args, ",")
	if !ok || !closed || !two {
		return nil, unknownType(path, name)
	}
	precision, err1 := strconv.Atoi(strings.TrimSpace(p))
	scale, err2 := strconv.Atoi(strings.TrimSpace(s))
	if err1 != nil || err2 != nil {
		return nil, unknownType(path, name)
	}
	return newDecimal(precision, scale)
}

func newDecimal(precision, scale int) (Type, error) {
	if precision < 1 || precision > maxDigits || scale < 0 || scale > precision {
		return nil, fmt.Errorf("decimal(%d,%d): want 1 to %d digits, and no more of them after the point",
			precision, scale, maxDigits)
	}
	return Decimal{Precision: precision, Scale: scale}, nil
}

func unknownType(path, name string) error {
	d := diag.New(diag.UnknownFeature, "type %s is not supported", diag.Quote(name))
	d.Path = path
	return d.Hinted("land into a table without this type; other columns of the table do no harm")
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func rootOr(path string) string {
	if path == "" {
		return "the schema"
	}
	return path
}

// JSON writes the schema as Delta's schemaString: the same schema gives the
// same bytes, and field metadata is kept as it was read.
func (s Struct) JSON() ([]byte, error) { return appendType(nil, s, 0) }

func appendType(b []byte, t Type, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	var err error
	switch t := t.(type) {
	case Primitive:
		if t == Unknown {
			return append(b, `"void"`...), nil
		}
		return jsontext.AppendQuote(b, string(t))
	case Decimal:
		return jsontext.AppendQuote(b, t.String())
	case Array:
		b = append(b, `{"type":"array","elementType":`...)
		if b, err = appendType(b, t.Element, depth+1); err != nil {
			return nil, err
		}
		return append(strconv.AppendBool(append(b, `,"containsNull":`...), t.ContainsNull), '}'), nil
	case Map:
		b = append(b, `{"type":"map","keyType":`...)
		if b, err = appendType(b, t.Key, depth+1); err != nil {
			return nil, err
		}
		b = append(b, `,"valueType":`...)
		if b, err = appendType(b, t.Value, depth+1); err != nil {
			return nil, err
		}
		return append(strconv.AppendBool(append(b, `,"valueContainsNull":`...), t.ValueContainsNull), '}'), nil
	case Struct:
		return appendStruct(b, t, depth)
	default:
		return nil, fmt.Errorf("no JSON for type %v", t)
	}
}

func appendStruct(b []byte, s Struct, depth int) ([]byte, error) {
	var err error
	b = append(b, `{"type":"struct","fields":[`...)
	for i, f := range s.Fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"name":`...)
		if b, err = jsontext.AppendQuote(b, f.Name); err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		b = append(b, `,"type":`...)
		if b, err = appendType(b, f.Type, depth+1); err != nil {
			return nil, err
		}
		b = strconv.AppendBool(append(b, `,"nullable":`...), f.Nullable)
		if b, err = appendMetadata(append(b, `,"metadata":`...), f.Metadata); err != nil {
			return nil, fmt.Errorf("column %q: metadata: %w", f.Name, err)
		}
		b = append(b, '}')
	}
	return append(b, `]}`...), nil
}

func appendMetadata(b []byte, m map[string]json.RawMessage) ([]byte, error) {
	b = append(b, '{')
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = jsontext.AppendQuote(b, k); err != nil {
			return nil, err
		}
		var value bytes.Buffer
		if err = json.Compact(&value, m[k]); err != nil {
			return nil, err
		}
		b = append(append(b, ':'), value.Bytes()...)
	}
	return append(b, '}'), nil
}
