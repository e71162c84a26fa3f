package project_test

import (
	"strings"
	"testing"

	"landfall/internal/project"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, yes, no string
	}{
		{"*.csv", "a.csv .csv é.csv", "a.csv.gz d/a.csv a_csv"},
		{"a?c", "abc aéc", "ac a/c abbc"},
		{"[a-c]1", "a1 c1", "d1 -1 a"},
		{"[^a-c]1", "d1", "a1 /1"},
		{"[!a]1", "b1", "a1"},
		{"[]a]", "] a", "b"},
		{"[a\\-b]", "a - b", "\\"},
		{"[*?]", "* ?", "x"},
		{"{a,b{1,2}}.csv", "a.csv b1.csv b2.csv", "b.csv a,b.csv"},
		{"a,b", "a,b", "a b"},
		{"a}", "a}", "a"},
		{`\*.csv`, "*.csv", "a.csv"},
		{"(a+b)", "(a+b)", "aab"},
		{"dt=*/[0-9].csv", "dt=1/2.csv", "dt=1/x/2.csv dt=1/x.csv"},
	} {
		g, err := project.ParseGlob(c.pattern)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, s := range strings.Fields(c.yes) {
			if !g.Match(s) {
				t.Errorf("%s does not take %s", c.pattern, s)
			}
		}
		for _, s := range strings.Fields(c.no) {
			if g.Match(s) {
				t.Errorf("%s takes %s", c.pattern, s)
			}
		}
	}
	for pattern, want := range map[string]string{
		"[a": "[ is not closed", "[": "[ is not closed", "{a,b": "{ is not closed", `a\`: `nothing follows \`, "[z-a]": "not understood",
	} {
		if _, err := project.ParseGlob(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", pattern, err, want)
		}
	}
}

func TestMatchUnder(t *testing.T) {
	g, err := project.ParseGlob("20*/0[1-3]")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"2024/01": true, "2024/02/x/a.csv": true, "2024/011": false, "2024": false, "x/2024/01": false} {
		if g.MatchUnder(path) != want {
			t.Errorf("%s: got %v", path, !want)
		}
	}
}

func TestSplitGlob(t *testing.T) {
	for path, want := range map[string][2]string{
		"landing/orders":        {"landing/orders", ""},
		"landing/*/orders":      {"landing", "*/orders"},
		"landing/ord*.csv":      {"landing", "ord*.csv"},
		"*.csv":                 {"", "*.csv"},
		"/*.csv":                {"/", "*.csv"},
		"s3://b/in/{a,b}/x.csv": {"s3://b/in", "{a,b}/x.csv"},
	} {
		folder, pattern := project.SplitGlob(path)
		if folder != want[0] || pattern != want[1] {
			t.Errorf("%s: got %q and %q", path, folder, pattern)
		}
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("{a,[^b-c]?}*", "a")
	f.Add(`[\`, `\`)
	f.Fuzz(func(t *testing.T, pattern, s string) {
		g, err := project.ParseGlob(pattern)
		if err == nil && g.Match(s) && !g.MatchUnder(s) {
			t.Errorf("%q takes %q only as a whole", pattern, s)
		}
	})
}
