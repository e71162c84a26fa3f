package conform_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// A tree keeps what decoding into maps loses: the order of members, and those
// that come twice.
type (
	jsonObject []member
	member     struct {
		name  string
		value any // nil, bool, string, json.Number, list, jsonObject
	}
)

// parse reads one JSON value.
func parse(t tb, text string) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	v, err := parseValue(d)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func parseValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		all := list{}
		for d.More() {
			v, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		_, err = d.Token()
		return all, err
	case json.Delim('{'):
		all := jsonObject{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			all = append(all, member{name.(string), v})
		}
		_, err = d.Token()
		return all, err
	}
	return token, nil
}

// text writes a tree as JSON without space.
func text(v any) string {
	switch v := v.(type) {
	case list:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = text(x)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case jsonObject:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = text(m.name) + ":" + text(m.value)
		}
		return "{" + strings.Join(parts, ",") + "}"
	case json.Number:
		return v.String()
	default:
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return fmt.Sprint(err)
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
}

// member returns the value under a name; an absent one is no value.
func (o jsonObject) member(name string) (any, bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// without returns the members under other names than these.
func (o jsonObject) without(names ...string) jsonObject {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return slices.Contains(names, m.name) })
}

// size counts cells.
func size(v any) int64 {
	n := int64(0)
	switch v := v.(type) {
	case list:
		for _, x := range v {
			n += size(x)
		}
	case jsonObject:
		for _, m := range v {
			n += size(m.value)
		}
	}
	return max(n, 1)
}

// number reads what says a number.
func number(v any) *big.Rat {
	switch v := v.(type) {
	case json.Number:
		r, _ := new(big.Rat).SetString(v.String())
		return r
	case string:
		r, _ := new(big.Rat).SetString(v)
		return r
	case float32, float64:
		r, _ := new(big.Rat).SetString(show(v))
		return r
	case int64:
		return new(big.Rat).SetInt64(v)
	case *big.Rat:
		return v
	}
	return nil
}
