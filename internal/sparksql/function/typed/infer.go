package typed

import (
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"landfall/internal/schema"
)

// SchemaOfJSON is the schema of a JSON text as Spark's schema_of_json writes it.
func SchemaOfJSON(text string) (string, error) {
	if text == "" {
		return ddl(Void), nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	t, err := inferred(d)
	if err != nil {
		return "", err
	}
	if _, more := d.Token(); !errors.Is(more, io.EOF) {
		return "", errJSON
	}
	return ddl(t), nil
}

var errJSON = errors.New("no JSON")

// inferred is the type of the next value.
func inferred(d *json.Decoder) (schema.Type, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case bool:
		return schema.Boolean, nil
	case string:
		return schema.String, nil
	case json.Number:
		return numberType(v.String()), nil
	case json.Delim:
		if v == '[' {
			return inferredArray(d)
		}
		if v == '{' {
			return inferredObject(d)
		}
		return nil, errJSON
	}
	return Void, nil
}

func numberType(text string) schema.Type {
	if strings.ContainsAny(text, ".eE") {
		return schema.Double
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return schema.Long
	}
	if n, ok := new(big.Int).SetString(text, 10); ok && len(n.Abs(n).String()) <= 38 {
		return schema.Decimal{Precision: len(n.String())}
	}
	return schema.Double
}

func inferredArray(d *json.Decoder) (schema.Type, error) {
	element := schema.Type(Void)
	for d.More() {
		t, err := inferred(d)
		if err != nil {
			return nil, err
		}
		element = merged(element, t)
	}
	_, err := d.Token()
	return ArrayOf(element), err
}

func inferredObject(d *json.Decoder) (schema.Type, error) {
	var s schema.Struct
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, errJSON
		}
		t, err := inferred(d)
		if err != nil {
			return nil, err
		}
		s.Fields = append(s.Fields, Field(name, t))
	}
	slices.SortStableFunc(s.Fields, func(a, b schema.Field) int { return strings.Compare(a.Name, b.Name) })
	if _, err := d.Token(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return s, nil
}

// merged is the type of elements of two types: text, if they have no other in
// common.
func merged(a, b schema.Type) schema.Type {
	switch {
	case Same(a, b), b == Void:
		return a
	case a == Void:
		return b
	case Numeric(a) && Numeric(b):
		t, _ := Common(a, b)
		return t
	}
	x, okX := a.(schema.Struct)
	y, okY := b.(schema.Struct)
	if okX && okY {
		return mergedFields(x, y)
	}
	p, okP := a.(schema.Array)
	q, okQ := b.(schema.Array)
	if okP && okQ {
		return ArrayOf(merged(p.Element, q.Element))
	}
	return schema.String
}

func mergedFields(a, b schema.Struct) schema.Type {
	out := StructOf(slices.Clone(a.Fields)...)
	for _, f := range b.Fields {
		if i := slices.IndexFunc(out.Fields, func(g schema.Field) bool { return g.Name == f.Name }); i >= 0 {
			out.Fields[i].Type = merged(out.Fields[i].Type, f.Type)
		} else {
			out.Fields = append(out.Fields, f)
		}
	}
	slices.SortStableFunc(out.Fields, func(a, b schema.Field) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// ddl is a type as Spark's schema_of_json writes it. What is always null is a
// text.
func ddl(t schema.Type) string {
	switch t := t.(type) {
	case schema.Array:
		return "ARRAY<" + ddl(t.Element) + ">"
	case schema.Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = schema.Path{f.Name}.String() + ": " + ddl(f.Type)
		}
		return "STRUCT<" + strings.Join(fields, ", ") + ">"
	}
	if t == Void {
		return "STRING"
	}
	return strings.ToUpper(t.String())
}
