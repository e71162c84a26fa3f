package json

import (
	"errors"
	"testing"

	"landfall/internal/diag"
)

func TestSet(t *testing.T) {
	for _, c := range []struct {
		key, value string
		want       Options
	}{
		{"allowComments", "true", Options{AllowComments: true}},
		{"allowUnquotedFieldNames", "TRUE", Options{AllowUnquotedFieldNames: true}},
		{"ALLOWSINGLEQUOTES", "true", Options{AllowSingleQuotes: true}},
		{"allowNonNumericNumbers", "true", Options{AllowNonNumericNumbers: true}},
		{"allowNumericLeadingZeros", "true", Options{AllowNumericLeadingZeros: true}},
		{"allowBackslashEscapingAnyCharacter", "true", Options{AllowBackslashEscapingAnyCharacter: true}},
		{"allowUnquotedControlChars", "true", Options{AllowUnquotedControlChars: true}},
		{"allowComments", "false", Options{}},
		{"multiLine", "true", Options{}},
		{"lineSep", `\r\n`, Options{LineSep: "\r\n"}},
		{"encoding", "UTF-16", Options{Encoding: "UTF-16"}},
		{"charset", "latin1", Options{Encoding: "latin1"}},
		{"maxRecordBytes", "1000", Options{MaxRecordBytes: 1000}},
	} {
		var o Options
		known, err := o.Set(c.key, c.value)
		if !known || err != nil || o != c.want {
			t.Errorf("%s=%q: got %v, %v, %+v, want %+v", c.key, c.value, known, err, o, c.want)
		}
	}
	var o Options
	if known, err := o.Set("inferTimestamp", "true"); known || err != nil {
		t.Errorf("an option of others: got %v, %v", known, err)
	}
	for key, value := range map[string]string{
		"allowComments": "yes", "multiLine": "1", "lineSep": `\u00`, "encoding": "ebcdic", "maxRecordBytes": "-1",
	} {
		if known, err := o.Set(key, value); !known || !errors.Is(err, &diag.Diagnostic{Code: diag.BadOption}) {
			t.Errorf("%s=%q: got %v, %v, want %s", key, value, known, err, diag.BadOption)
		}
	}
}

// TestReasons: a reason says what was found where, what may stand there, and which
// option takes it; and with that option it is taken.
func TestReasons(t *testing.T) {
	for _, c := range []struct{ text, why, option string }{
		{`{"a" 1}`, `found "1" at byte 5 of the record, want a colon`, ""},
		{`{"a":1 "b":2}`, `found a quote " at byte 7 of the record, want a comma or }`, ""},
		{`{"a":[1 2]}`, `found "2" at byte 8 of the record, want a comma or ]`, ""},
		{`{"a":}`, `found '}' at byte 5 of the record, want a value`, ""},
		{`{,}`, `found ',' at byte 1 of the record, want a name or }`, ""},
		{`{"a":1,}`, `found '}' at byte 7 of the record, want a name`, ""},
		{`{"a":"x`, `found the end of the file at byte 7 of the record, want a closing quote; the record is cut off`, ""},
		{`{"a":tru}`, `found "tru" at byte 5 of the record, want a value`, ""},
		{`{"a":-}`, `found '}' at byte 6 of the record, want a digit`, ""},
		{`{"a":1.}`, `found '}' at byte 7 of the record, want a digit`, ""},
		{`{"a":1x}`, `found "x" at byte 6 of the record, want the end of the value`, ""},
		{"{\"a\":\x01}", `found U+0001 at byte 5 of the record, want a value`, ""},
		{`{"a":é}`, `found 'é' at byte 5 of the record, want a value`, ""},
		{"{\"a\":\xff}", `found the byte 0xFF at byte 5 of the record, want a value`, ""},
		{`{"a":"\u12x4"}`, `found "x4" at byte 10 of the record, want four hex digits after \u`, ""},
		{`"a":1`, `found ':' at byte 3 of the record, want the end of the record`, ""},
		{`{"a":1/**/}`, `found '/' at byte 6 of the record, want a comma or }`, "allowComments"},
		{`{/**/"a":1}`, `found '/' at byte 1 of the record, want a name or }`, "allowComments"},
		{`{"a"/**/:1}`, `found '/' at byte 4 of the record, want a colon`, "allowComments"},
		{`{"a"://` + "\n1}", `found '/' at byte 5 of the record, want a value`, "allowComments"},
		{`{a:1}`, `found "a" at byte 1 of the record, want a name or }`, "allowUnquotedFieldNames"},
		{`{'a':1}`, `found a quote ' at byte 1 of the record, want a name or }`, "allowSingleQuotes"},
		{`{"a":'b'}`, `found a quote ' at byte 5 of the record, want a value`, "allowSingleQuotes"},
		{`{"a":NaN}`, `found "NaN" at byte 5 of the record, want a value`, "allowNonNumericNumbers"},
		{`{"a":-Infinity}`, `found '-' at byte 5 of the record, want a value`, "allowNonNumericNumbers"},
		{`{"a":+INF}`, `found '+' at byte 5 of the record, want a value`, "allowNonNumericNumbers"},
		{`{"a":-01}`, `found "1" at byte 7 of the record, want no digit after a leading 0`, "allowNumericLeadingZeros"},
		{`{"a":"\q"}`, `found "q" at byte 7 of the record, want one of "\/bfnrtu after a backslash`, "allowBackslashEscapingAnyCharacter"},
		{"{\"a\":\"b\tc\"}", `found U+0009 at byte 7 of the record, want an escape for it`, "allowUnquotedControlChars"},
		{"{\"a\":\"b\nc\"}", `found a line end at byte 7 of the record, want a closing quote`, "allowUnquotedControlChars"},
	} {
		want := c.why
		if c.option != "" {
			want += "; set " + c.option + " to true to take it"
		}
		o := read(t, c.text, Options{})
		if len(o.why) == 0 || o.why[0] != want {
			t.Errorf("%s: got %q, want %q", c.text, o.why, want)
		}
		if c.option == "" {
			continue
		}
		var with Options
		if _, err := with.Set(c.option, "true"); err != nil {
			t.Fatal(err)
		}
		if o := read(t, c.text, with); len(o.bad) > 0 || len(o.rows) != 1 {
			t.Errorf("%s with %s: got %s%q", c.text, c.option, o, o.why)
		}
	}
}
