//go:build shared

package forecast

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/sharedtest"
)

// row is a line of the table of executed cells.
type row struct{ name, kind, first, second, readers, versions, options, outcome, class, message string }

func rowsOf(t *testing.T) []row {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(sharedtest.Folder(t, "../reference"), "reader-matrix.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var out []row
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")[1:] {
		f := strings.Split(line, "\t")
		if len(f) != 10 {
			t.Fatalf("found %d fields, wanted 10: %q", len(f), line)
		}
		out = append(out, row{f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9]})
	}
	return out
}

// cell is one executed cell of a row.
type cell struct {
	mode          Mode
	first, second string
	mild          bool
}

// cells spreads a row over what it stands for.
func (r row) cells() []cell {
	var out []cell
	for _, reader := range strings.Split(r.readers, "|") {
		for _, version := range strings.Split(r.versions, "|") {
			for _, options := range strings.Split(r.options, " | ") {
				out = append(out, r.of(reader, version, options)...)
			}
		}
	}
	return out
}

func (r row) of(reader, version, options string) []cell {
	if options == "(default)" {
		options = ""
	}
	plain, extreme := true, true
	if rest, ok := strings.CutSuffix(options, "values=plain"); ok {
		options, extreme = strings.TrimSuffix(rest, "; "), false
	} else if rest, ok := strings.CutSuffix(options, "values=extreme"); ok {
		options, plain = strings.TrimSuffix(rest, "; "), false
	}
	c := cell{mode: modeOf([]string{reader, version, options}), first: r.first, second: r.second}
	back := c
	back.first, back.second = c.second, c.first
	all := []cell{c}
	if strings.Contains(r.name, "both") {
		all = append(all, back)
	}
	var out []cell
	for _, c := range all {
		if extreme {
			out = append(out, c)
		}
		if plain && r.kind == "pair" && c.mode.Reader != "Spark" {
			c.mild = true
			out = append(out, c)
		}
	}
	return out
}

// TestMatrix runs every executed cell through the forecast.
func TestMatrix(t *testing.T) {
	m := load(t)
	type tally struct{ all, right, failed, classed int }
	kinds := map[string]*tally{}
	total := tally{}
	for _, r := range rowsOf(t) {
		k := kinds[r.kind]
		if k == nil {
			k = &tally{}
			kinds[r.kind] = k
		}
		want := resultOf(r.outcome, r.class, r.message)
		for _, c := range r.cells() {
			got := said(t, m, r, c)
			k.all++
			if kindOf(got.Outcome) != kindOf(want.Outcome) {
				t.Logf("%s %s %s < %s: %v: said %v (%s), was %v (%s)", r.kind, r.name, c.first, c.second, c.mode, got.Outcome, got.How, want.Outcome, want.How)
				continue
			}
			k.right++
			if want.Outcome == Fails {
				k.failed++
				if got.Class == want.Class {
					k.classed++
				}
			}
		}
	}
	for name, k := range kinds {
		t.Logf("%s: %d of %d cells right; of %d that fail %d with their class", name, k.right, k.all, k.failed, k.classed)
		total.all += k.all
		total.right += k.right
	}
	part := 100 * float64(total.right) / float64(total.all)
	t.Logf("in all %d of %d cells right, %.2f %%", total.right, total.all, part)
	if part < 98 {
		t.Errorf("found %.2f %% right, wanted 98 %%", part)
	}
}

func said(t *testing.T, m *Matrix, r row, c cell) Result {
	t.Helper()
	first, ok := TypeOf(c.first)
	var got Result
	switch r.kind {
	case "pair":
		second, named := TypeOf(c.second)
		var known bool
		got, _, known = m.Pair(c.mode, first, second, c.mild)
		ok = ok && named && known
	case "cast":
		var known bool
		got, _, known = m.Cast(c.mode, first, c.second)
		ok = ok && known
	default:
		got, ok = m.Case(c.mode, r.name)
	}
	if !ok {
		t.Errorf("nothing is said about %s %s %s < %s, %v", r.kind, r.name, c.first, c.second, c.mode)
	}
	return got
}
