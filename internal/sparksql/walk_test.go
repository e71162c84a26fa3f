package sparksql_test

import (
	"os"
	"strings"
	"testing"

	"landfall/internal/sparksql"
)

// Every name of a column, a table and a function in the printed text is met once.
func TestWalk(t *testing.T) {
	text, err := os.ReadFile("testdata/print.txt")
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]int{}
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		in, _, _ := strings.Cut(block, "\n")
		q, err := query(in)
		if err != nil {
			t.Fatal(err)
		}
		sparksql.Walk(q, func(node any) bool {
			switch n := node.(type) {
			case *sparksql.Column:
				met["column "+n.Parts[len(n.Parts)-1].Name]++
			case *sparksql.Table:
				met["tables"]++
			case *sparksql.Call:
				met["call "+n.Name]++
			}
			return true
		})
	}
	for name, want := range map[string]int{"call explode": 2, "call row_number": 2, "call posexplode": 2, "column items": 1, "column ts": 1, "call transform": 2, "column tags": 1} {
		if met[name] != want {
			t.Errorf("%s: met %d times, want %d", name, met[name], want)
		}
	}
	if met["tables"] < 60 {
		t.Errorf("met %d tables, want 60 at least", met["tables"])
	}
}
