package schema_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/schema"
)

func TestColumns(t *testing.T) {
	for text, want := range map[string]string{
		"a INT":            "1 a int",
		"a: INT":           "1 a int",
		" a\n bigint ,b\n": "",
		"id bigint NOT NULL,\n\tb.c: DATE COMMENT 'it''s', m.key int":                    "1 id bigint!; 22 b.c date; 49 m.key int",
		"`Order ID`.`a.b` STRING not null comment \"a, b\\\"c\"":                         "1 `Order ID`.`a.b` string!",
		"version int, tags map<string,string>":                                           "1 version int; 14 tags map<string,string>",
		"users . element . id INT":                                                       "1 users.element.id int",
		"é VARCHAR(10), ü CHAR(3), d DEC(5)":                                             "1 é string; 16 ü string; 27 d decimal(5,0)",
		"s STRUCT<a: INT NOT NULL COMMENT 'x', `b c`: ARRAY<DECIMAL(9, 2)>>, not string": "1 s struct<a:int not null,`b c`:array<decimal(9,2)>>; 69 not string",
	} {
		list, err := schema.ParseColumns(text)
		if want == "" {
			if err == nil {
				t.Errorf("%s: got no error", text)
			}
			continue
		}
		var got []string
		for _, d := range list {
			one := fmt.Sprintf("%d %s %s", d.At, d.Path, d.Type)
			if d.NotNull {
				one += "!"
			}
			got = append(got, one)
		}
		if joined := strings.Join(got, "; "); err != nil || joined != want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", text, joined, err, want)
		}
	}
}

func TestColumnsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "1: found the end, want a field's name",
		"a":                            "2: found the end, want a type",
		"a \n\n":                       "2: found the end, want a type",
		"é bigimt":                     `3: found "bigimt", want a type; did you mean bigint?`,
		"a bool":                       `3: found "bool", want a type; did you mean boolean?`,
		"a whatever":                   `3: found "whatever", want a type`,
		"a INT,":                       `6: found "," at the end, want a column after it`,
		"a INT,\n  ":                   `6: found "," at the end, want a column after it`,
		"a INT,, b INT":                `7: found ",", want a field's name`,
		"a INT b INT":                  `7: found "b", want "," or the end`,
		"a INT; b INT":                 `6: found ";", want "," or the end`,
		"a INT NOT b":                  `11: found "b", want "null"`,
		"a INT COMMENT x":              `15: found "x", want a text in quotes`,
		"a INT COMMENT 'x":             "15: found a text without its end",
		"a INT COMMENT":                "14: found the end, want a text in quotes",
		"a.":                           "3: found the end, want a field's name",
		"a..b INT":                     `3: found ".", want a field's name`,
		"`a INT":                       "1: found a quoted name without its end",
		"é INT, t INTERVAL day":        `10: found "INTERVAL", which no column can have here`,
		"v variant":                    `3: found "variant", which no column can have here`,
		"Order ID STRING":              `7: found "ID", want a type; a name of more than letters, digits and _ stands in backticks`,
		"order-id STRING":              `6: found "-", want a type; a name of more than letters, digits and _ stands in backticks`,
		"s STRUCT<a b STRING>":         `12: found "b", want a type; a name of more than letters`,
		"a DECIMAL(39,1)":              "3: decimal(39,1): want 1 to 38 digits",
		"s STRUCT<a INT":               `15: found the end, want ">"`,
		"a INT DEFAULT 3":              `7: found "DEFAULT", want "," or the end`,
		strings.Repeat("a.", 300) + "": "nested too deep",
	} {
		_, err := schema.ParseColumns(text)
		var ddl *schema.DDLError
		if !errors.As(err, &ddl) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: got %v, want %s", text, err, want)
		}
	}
}

func TestDDLErrorHasItsPlace(t *testing.T) {
	_, err := schema.ParseDDL("struct<é:int, b:strin>")
	var ddl *schema.DDLError
	if !errors.As(err, &ddl) || ddl.At != 17 || ddl.Message != `found "strin", want a type; did you mean string?` {
		t.Errorf("got %v", err)
	}
}
