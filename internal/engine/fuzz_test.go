package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"landfall/internal/engine"
)

// Any text comes back from its JSON.
func FuzzStringJSON(f *testing.F) {
	f.Add("a\"\\\n\u2028<&>\x00")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?") // engines only hold valid text
		var out strings.Builder
		if _, err := engine.WriteNDJSON(&out, result(s)); err != nil {
			t.Fatal(err)
		}
		var back struct{ V string }
		if err := json.Unmarshal([]byte(out.String()), &back); err != nil || back.V != s {
			t.Errorf("%q came back as %q, %v", s, back.V, err)
		}
	})
}
