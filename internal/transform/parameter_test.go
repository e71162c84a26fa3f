package transform

import (
	"testing"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
)

// Texts are taken as they are typed, days and times in their ISO form, all else as an
// expression.
func TestParameters(t *testing.T) {
	f := syntax.NewFile("a.dfs", `parameters{ s as string, n as integer, d as date, at as timestamp, list as string[] }
source() ~> In
In sink() ~> Out`)
	s, err := syntax.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parameters(f, s, map[string]string{
		"s": `it's a \ text`, "n": "1 + 2", "d": "2026-10-01", "at": "2026-10-01T10:00:00+02:00", "list": "['a', 'b']",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"s": `'it\'s a \\ text'`, "n": "1 + 2", "d": "toDate('2026-10-01')",
		"at": "toTimestamp('2026-10-01 08:00:00.000000', 'yyyy-MM-dd HH:mm:ss.SSSSSS')", "list": "['a', 'b']",
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: found %s, want %s", name, got[name], text)
		}
	}
	if _, err := parameters(f, s, map[string]string{"lst": ""}); diag.CodeOf(err) != diag.Usage {
		t.Errorf("found %v, want a name that the flow does not have refused", err)
	}
}

// What a transformation does not need is left out, so that it may be wrong.
func TestUpTo(t *testing.T) {
	f := syntax.NewFile("a.dfs", `source() ~> A
source() ~> B
A split(true(), disjoint: false) ~> S@(yes, no)
S@yes, B union(byName: true) ~> U
B sink(store: 'cache') ~> cache
U sink() ~> Out
source() ~> Other`)
	s, err := syntax.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]int{"A": 3, "S@no": 4, "U": 5, "Out": 6, "Other": 3} {
		part, err := upTo(f, s, at)
		if err != nil {
			t.Fatal(err)
		}
		if len(part.Statements) != want {
			t.Errorf("%s: found %d transformations, want %d", at, len(part.Statements), want)
		}
	}
	if _, err := upTo(f, s, "S@maybe"); diag.CodeOf(err) != diag.Usage {
		t.Errorf("found %v, want a stream that there is not refused", err)
	}
}
