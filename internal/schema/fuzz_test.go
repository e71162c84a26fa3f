package schema_test

import (
	"reflect"
	"testing"

	"landfall/internal/schema"
)

func FuzzParseJSON(f *testing.F) {
	f.Add([]byte(everyType))
	f.Add([]byte(`{"type":"struct","fields":[]}`))
	f.Add([]byte(`{"type":"struct","fields":[{"name":"\ud800","type":"decimal","nullable":true,"metadata":{"a":[1, 2]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := schema.ParseJSON(data)
		if err != nil {
			return
		}
		text, err := s.JSON()
		if err != nil {
			t.Fatalf("%s cannot be written: %v", s, err)
		}
		again, err := schema.ParseJSON(text)
		if err != nil {
			t.Fatalf("%s cannot be read back: %v", text, err)
		}
		if same, err := again.JSON(); err != nil || string(same) != string(text) {
			t.Fatalf("%s came back as %s, %v", text, same, err)
		}
	})
}

func FuzzParseDDL(f *testing.F) {
	for _, s := range []string{"bigint", "struct<a:int not null,`b``c`:array<map<string,decimal(3,1)>>>", "array<", "`"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		typ, err := schema.ParseDDL(text)
		if err != nil {
			return
		}
		again, err := schema.ParseDDL(typ.String())
		if err != nil || !reflect.DeepEqual(again, typ) {
			t.Fatalf("%s came back as %v, %v", typ, again, err)
		}
	})
}
