package function

import (
	"strings"
	"testing"
)

// TestMistakesInTheTable holds that a mistake is found where it stands.
func TestMistakesInTheTable(t *testing.T) {
	for text, want := range map[string]string{
		"kind scalar":                                "1: found \"kind\", want function first",
		"function f\nfunction f":                     "2: function f stands twice",
		"function f\nduckdb 1":                       "2: found duckdb before the first form",
		"function f\nform a string":                  "2: form: found \"a string\"",
		"function f\nform (a string":                 "2: form: found \"(a string\"",
		"function f\n\n# note\nform (a) string":      "4: parameter: found \"a\"",
		"function f\nform (a text) string":           "2: type: found \"text\"",
		"function f\nform (a string) =sumed":         "2: type: found \"=sumed\"",
		"function f\nform (a string) [string]":       "2: map: found \"string\"",
		"function f\nform (a string) decimal(1)":     "2: decimal: found \"1\"",
		"function f\nform (a string) decimal($x 1)":  "2: decimal: found \"$x\"",
		"function f\nexample f() = 1":                "2: example: found no =>",
		"function f\nexample rows {x = 1 f(x) => 1":  "2: example: found no }",
		"function f\ndiffers f() => 1":               "2: differs: found",
		"function f\nform (a T with item Q) T":       "2: type: found \"Q\"",
		"function f\nmeaning of it":                  "2: found \"meaning\", want a word of the table",
		"function f\nform (a string)\n  text":        "2: type: found \"text\"",
		"function f\nform (a literal decimal(1)) T":  "2: decimal: found \"1\"",
		"function f\nform (a string, b) string\nx y": "2: parameter: found \"b\"",
	} {
		table := &Table{functions: map[string]*Function{}, operators: map[string]*Function{}}
		if err := table.read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found the error %v, want %s", text, err, want)
		}
	}
}
