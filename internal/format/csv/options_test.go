package csv

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
		{"sep", ";", Options{Delimiter: ";"}},
		{"delimiter", `\t`, Options{Delimiter: "\t"}},
		{"sep", "||", Options{Delimiter: "||"}},
		{"sep", `\u0001`, Options{Delimiter: "\x01"}},
		{"quote", "'", Options{Quote: '\''}},
		{"quote", "", Options{NoQuote: true}},
		{"escape", `\`, Options{Escape: '\\'}},
		{"escape", `\0`, Options{NoEscape: true}},
		{"comment", "#", Options{Comment: '#'}},
		{"header", "false", Options{NoHeader: true}},
		{"header", "TRUE", Options{}},
		{"lineSep", `\r\n`, Options{LineSep: "\r\n"}},
		{"multiLine", "true", Options{}},
		{"skipRows", "3", Options{SkipRows: 3}},
		{"nullValue", "NA", Options{NullValue: "NA"}},
		{"emptyValue", "-", Options{EmptyValue: "-"}},
		{"emptyValue", "", Options{}},
		{"ignoreLeadingWhiteSpace", "true", Options{TrimLeft: true}},
		{"ignoreTrailingWhiteSpace", "true", Options{TrimRight: true}},
		{"charToEscapeQuoteEscaping", `\`, Options{EscapeEscape: '\\'}},
		{"unescapedQuoteHandling", "STOP_AT_DELIMITER", Options{Loose: true}},
		{"unescapedQuoteHandling", "raise_error", Options{}},
		{"maxColumns", "9", Options{MaxColumns: 9}},
		{"maxRecordBytes", "1000", Options{MaxRecordBytes: 1000}},
		{"charset", "latin1", Options{Encoding: "latin1"}},
	} {
		var o Options
		known, err := o.Set(c.key, c.value)
		if !known || err != nil || o != c.want {
			t.Errorf("%s=%q: got %v, %v, %+v, want %+v", c.key, c.value, known, err, o, c.want)
		}
	}
	var o Options
	if known, err := o.Set("inferSchema", "true"); known || err != nil {
		t.Errorf("an option of others: got %v, %v", known, err)
	}
	for key, value := range map[string]string{
		"sep": "", "quote": "''", "escape": "é", "header": "maybe", "skipRows": "-1", "maxColumns": "many",
		"encoding": "ebcdic", "comment": `\q`, "lineSep": `\u00`, "multiLine": "1",
		"unescapedQuoteHandling": "ASK", "ignoreLeadingWhiteSpace": "yes", "charToEscapeQuoteEscaping": "ab",
	} {
		if known, err := o.Set(key, value); !known || !errors.Is(err, &diag.Diagnostic{Code: diag.BadOption}) {
			t.Errorf("%s=%q: got %v, %v, want %s", key, value, known, err, diag.BadOption)
		}
	}
}

// TestQuoteHandling: what would lose or move values is refused with what does not.
func TestQuoteHandling(t *testing.T) {
	for _, value := range []string{"STOP_AT_CLOSING_QUOTE", "back_to_delimiter", "SKIP_VALUE"} {
		var o Options
		var d *diag.Diagnostic
		if _, err := o.Set("unescapedQuoteHandling", value); !errors.As(err, &d) || d.Code != diag.OptionRefused || d.Hint == "" {
			t.Errorf("%s: got %v, want %s and a hint", value, err, diag.OptionRefused)
		}
	}
}

// TestDelimiterWords: a word for a delimiter is refused with the character.
func TestDelimiterWords(t *testing.T) {
	for word, char := range map[string]string{"tab": `\t`, "Semicolon": `";"`, "space": `" "`, "pipe": `"|"`, "comma": `","`} {
		var o Options
		var d *diag.Diagnostic
		_, err := o.Set("sep", word)
		if !errors.As(err, &d) || d.Code != diag.BadOption || d.Hint != "set sep to "+char {
			t.Errorf("%s: got %v", word, err)
		}
	}
}

// TestContradictions: options that cannot hold together are refused.
func TestContradictions(t *testing.T) {
	for _, o := range []Options{
		{Delimiter: "\n"},
		{Delimiter: "'", Quote: '\''},
		{LineSep: ";", Delimiter: ";"},
		{Quote: '\n'},
		{Delimiter: ",", Escape: ','},
		{Encoding: "ebcdic"},
		{EscapeEscape: '^'},
		{EscapeEscape: '^', Escape: '\\'},
	} {
		if got := read(t, "a,b\n", o); !errors.Is(got.err, &diag.Diagnostic{Code: diag.BadOption}) {
			t.Errorf("%+v: got %v, want %s", o, got.err, diag.BadOption)
		}
	}
}
