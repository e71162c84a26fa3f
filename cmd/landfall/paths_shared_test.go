//go:build shared

package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/schema"
)

// pathsOf counts the values at every path below a record, the record's own
// included.
func pathsOf(v any, path string, into map[string]int) {
	into[path]++
	switch v := v.(type) {
	case list:
		for _, e := range v {
			pathsOf(e, path+"[]", into)
		}
	case object:
		for _, m := range v {
			pathsOf(m.value, path+"."+m.name, into)
		}
	}
}

// typesAsked is what the values of a path ask for: the kinds of them that were
// seen, where null, and objects and arrays that hold nothing else, are none.
// Paths are those of [pathsOf].
func typesAsked(records []any) map[string]string {
	kinds := map[string]map[string]bool{}
	for _, r := range records {
		kindsOf(r, "", kinds)
	}
	asked := map[string]string{}
	for path, of := range kinds {
		asked[path] = strings.Join(slices.Sorted(maps.Keys(of)), "|")
		if asked[path] == "bigint|double" {
			asked[path] = "double"
		}
	}
	return asked
}

// kindsOf notes the kinds of a value and of those below it, and returns whether
// there are any.
func kindsOf(v any, path string, into map[string]map[string]bool) bool {
	kind := ""
	switch v := v.(type) {
	case list:
		for _, e := range v {
			if kindsOf(e, path+"[]", into) {
				kind = "array"
			}
		}
	case object:
		for _, m := range v {
			if kindsOf(m.value, path+"."+m.name, into) {
				kind = "struct"
			}
		}
	case json.Number:
		kind = "bigint"
		if strings.ContainsAny(v.String(), ".eE") {
			kind = "double"
		}
	case string:
		kind = "string"
	case bool:
		kind = "boolean"
	}
	if kind == "" {
		return false
	}
	if into[path] == nil {
		into[path] = map[string]bool{}
	}
	into[path][kind] = true
	return true
}

// typesStored are the types of a table by the same paths.
func typesStored(s schema.Struct) map[string]string {
	types := map[string]string{}
	var look func(typ schema.Type, path string)
	look = func(typ schema.Type, path string) {
		switch typ := typ.(type) {
		case schema.Struct:
			types[path] = "struct"
			for _, f := range typ.Fields {
				if path == "" && (f.Name == contract.RescuedData || f.Name == contract.SourceFile || f.Name == contract.IngestedAt) {
					continue
				}
				name, _ := schema.Original(f)
				look(f.Type, path+"."+name)
			}
		case schema.Array:
			types[path] = "array"
			look(typ.Element, path+"[]")
		default:
			types[path] = typ.String()
		}
	}
	look(s, "")
	return types
}

// sameTypes compares types by path, but for those of which a list says what they
// are.
func sameTypes(t *testing.T, got, want, but map[string]string) {
	t.Helper()
	want = maps.Clone(want)
	maps.Copy(want, but)
	for path, typ := range want {
		if got[path] != typ {
			t.Errorf("%s: found the type %q, want %q", path, got[path], typ)
		}
	}
	for path, typ := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s: found the type %q, want no such path", path, typ)
		}
	}
}
