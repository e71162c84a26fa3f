package notebook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"landfall/internal/notebook"
)

// FuzzParse: whatever the text, the places are in it and an end comes soon.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.*")
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			f.Add(filepath.Base(file), string(data))
		}
	}
	f.Add("n.py", `f"{a["{"]}" (((`+strings.Repeat("a=a+'x'+a\n", 40))
	f.Add("n.py", strings.Repeat("(", 500)+strings.Repeat("f'{", 200))
	f.Add("n.sql", "table `a``b`.c read_files('it''s' , a => -1, `b` => map(1))")
	f.Fuzz(func(t *testing.T, name, text string) {
		start := time.Now()
		n, err := notebook.Parse(name, []byte(text))
		if err != nil {
			return
		}
		lines := strings.Count(text, "\n") + 1
		for _, s := range n.Streams {
			if s.At.Cell == 0 && (s.At.Line < 1 || s.At.Line > lines) {
				t.Errorf("a stream at %s of %d lines", s.At, lines)
			}
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %s", took)
		}
	})
}
