package schema_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

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

func FuzzParseColumns(f *testing.F) {
	for _, s := range []string{
		"a INT NOT NULL COMMENT 'key', b.c: DATE, m.value INT,\n`Order ID` varchar(3)", wantDDL,
		"users.element.id INT, s STRUCT<a: INT COMMENT \"x\">", "a INT,", "`a``", "a INT COMMENT 'x\\",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := schema.ParseColumns(text)
		var ddl *schema.DDLError
		if err != nil {
			if !errors.As(err, &ddl) || ddl.At < 1 || ddl.At > utf8.RuneCountInString(text)+1 {
				t.Fatalf("%q: no place in %v", text, err)
			}
			return
		}
		var again strings.Builder
		for i, d := range list {
			if i > 0 {
				again.WriteString(",")
			}
			again.WriteString(d.Path.String() + " " + d.Type.String())
			if d.NotNull {
				again.WriteString(" not null")
			}
		}
		back, err := schema.ParseColumns(again.String())
		if err != nil || len(back) != len(list) {
			t.Fatalf("%q came back as %v, %v", text, back, err)
		}
		for i := range back {
			if back[i].At = list[i].At; !reflect.DeepEqual(back[i], list[i]) {
				t.Fatalf("%v came back as %v", list[i], back[i])
			}
		}
	})
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"a", "a.b.`c``.d`", " Order ID . x", "`a", "a..b", "``"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := schema.ParsePath(text)
		if err != nil {
			return
		}
		again, err := schema.ParsePath(p.String())
		if err != nil || !slices.Equal(again, p) {
			t.Fatalf("%q came back as %q, %v", []string(p), []string(again), err)
		}
		folded, err := schema.ParsePath(p.Folded())
		if err != nil || !folded.Equal(p) {
			t.Fatalf("%q folded is %q, %v", []string(p), []string(folded), err)
		}
	})
}
