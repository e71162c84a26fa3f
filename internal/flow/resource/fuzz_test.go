package resource_test

import (
	"testing"

	"landfall/internal/flow/resource"
	"landfall/internal/flow/syntax"
)

// FuzzLoad: no file breaks the reader, every byte of a script has a place in the file, and
// a script that is written back is read again.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{
		lines, dataset, `{"properties": {"script": "[concat('a', parameters('b'), '''')]"}}`, `{"resources": [{"type": "x/dataflows", "properties": {"script": "[[\u00e9\ud83d\ude00\n"}}]}`,
		`{"properties": {"sources": [{"script": "a"}]}}`, `{"a": "\ud800"}`, `[`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		flows, err := resource.Load(folder(map[string]string{"dataflow/f.json": text}), "dataflow/f.json")
		if err != nil {
			return
		}
		scripts := make([]string, len(flows))
		for i, one := range flows {
			for at := range len(one.File.Text) + 1 {
				if p := one.File.Place(syntax.Pos(at)); p.Line < 1 || p.Column < 1 {
					t.Fatalf("found place %s of byte %d", p, at)
				}
			}
			scripts[i] = "source() ~> a\n"
		}
		written, err := resource.Rewrite(flows, scripts)
		if err != nil {
			return
		}
		again, err := resource.Load(folder(map[string]string{"dataflow/f.json": written}), "dataflow/f.json")
		if err != nil || len(again) != len(flows) || again[0].File.Text != "source() ~> a" {
			t.Fatalf("found %v, %v of %q", again, err, written)
		}
	})
}
