package translate_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/diag"
)

// The table of docs/sql.md has what is refused, and what is said then.
func TestPage(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "sql.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(data), "| refused | what to do |\n| --- | --- |\n")
	if !found {
		t.Fatal("found no table of what is refused")
	}
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 2 {
			break
		}
		rows++
		query, hint := strings.ReplaceAll(strings.Trim(cells[0], " `"), `\|`, "|"), strings.TrimSpace(cells[1])
		_, err := translated(t, newCatalog(t), query)
		var list diag.List
		var d *diag.Diagnostic
		switch {
		case errors.As(err, &list):
			d = list[0]
		case !errors.As(err, &d):
			t.Errorf("%s: found %v, want a problem", query, err)
			continue
		}
		if d.Code != diag.SQLRefused || d.Hint != hint || d.At.Line != 1 {
			t.Errorf("%s: found %s %s (%s), the page says %s", query, d.Code, d.Message, d.Hint, hint)
		}
	}
	if rows < 15 {
		t.Errorf("found %d rows, want 15 at least", rows)
	}
}
