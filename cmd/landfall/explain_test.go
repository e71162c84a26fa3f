package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"landfall/internal/diag"
)

// TestExplainCodes: each code of ours is explained, for people and as a document.
func TestExplainCodes(t *testing.T) {
	for _, code := range diag.Codes() {
		var out bytes.Buffer
		if err := (&app{stdout: &out}).explainCode(code); err != nil {
			t.Fatal(err)
		}
		entry, _ := diag.Explain(code)
		for _, want := range []string{string(code) + ": " + entry.Title, "for example: " + entry.Example, "what to do: " + diag.Remedy(code)} {
			if !strings.Contains(out.String(), want+"\n") {
				t.Errorf("%s: found %q, want %q", code, out.String(), want)
			}
		}
		out.Reset()
		if err := (&app{stdout: &out, json: true}).explainCode(code); err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(out.Bytes(), &doc); err != nil || doc["remedy"] != diag.Remedy(code) {
			t.Errorf("%s: found %s (%v)", code, out.Bytes(), err)
		}
	}
}
