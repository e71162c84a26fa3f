package main

import (
	"testing"

	"landfall/internal/diag"
	"landfall/internal/project"
)

// TestDecodersKnowTheirOptions: an option that the table hands to the decoder of
// a format is one of that decoder's.
func TestDecodersKnowTheirOptions(t *testing.T) {
	tried := 0
	for _, option := range project.OptionTable() {
		for _, format := range formats() {
			if option.Formats != nil && option.Formats[0] != format {
				continue
			}
			o, err := project.ParseOptions(map[string]project.Value{option.Name: {Text: "true"}}, project.Ours)
			if err != nil || len(o.Decoder) == 0 {
				continue
			}
			tried++
			if _, err := decoder(o, format); diag.CodeOf(err) == diag.OptionRefused {
				t.Errorf("%s: %s: %v", format, option.Name, err)
			}
		}
	}
	if tried < 20 {
		t.Errorf("tried %d options", tried)
	}
}

// TestCheckDecoder: what is wrong is told before anything is opened, whatever
// the format will be.
func TestCheckDecoder(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        diag.Code
	}{
		{"header", "no", diag.BadOption},
		{"allowComments", "no", diag.BadOption},
		{"header", "true", ""},
		{"allowComments", "true", ""},
		{"maxRecordBytes", "x", diag.BadOption},
		{"encoding", "latin-9", diag.BadOption},
		{"unescapedQuoteHandling", "SKIP_VALUE", diag.OptionRefused},
	} {
		o, err := project.ParseOptions(map[string]project.Value{c.name: {Text: c.value}}, project.Ours)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkDecoder(o); diag.CodeOf(err) != c.want {
			t.Errorf("%s=%s: got %v", c.name, c.value, err)
		}
	}
}
