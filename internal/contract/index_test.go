package contract_test

import (
	"strings"
	"testing"

	"landfall/internal/contract"
)

// An index finds columns of the version and those that came since, under any of
// the names that people decided they have.
func TestIndex(t *testing.T) {
	v, _ := stands(t, "id: string", "new: string")
	v = decide(t, v, nil, "Old is new", "ignore junk").Version
	x := contract.NewIndex(v, contract.Policy{})
	twin := x.Add(contract.Column{Name: "id_2", Original: "id", K: 2})
	junk := x.Add(contract.Column{Name: "junk", Original: "junk"})
	if twin != 2 || junk != 3 || len(v.Columns) != 2 {
		t.Errorf("added as %d and %d, and the version has %d columns", twin, junk, len(v.Columns))
	}
	for _, c := range []struct {
		name     string
		k, found int
		original string
	}{
		{"ID", 1, 0, "ID"},
		{"id", 2, twin, "id"},
		{"id", 3, -1, "id"},
		{"OLD", 1, 1, "new"},
		{"old", 2, -1, "old"},
		{"junk", 1, junk, "junk"},
	} {
		if at := x.Find(c.name, c.k); at != c.found {
			t.Errorf("%s#%d: found column %d, want %d", c.name, c.k, at, c.found)
		}
		check(t, c.name, x.Original(c.name, c.k), c.original)
	}
	check(t, "aliases", strings.Join(x.Aliases(x.Columns[1]), " "), "Old")
	if len(x.Aliases(x.Columns[twin])) > 0 || !x.Mapped("OLD") || x.Mapped("new") {
		t.Error("other names are those of decisions")
	}
	if !x.Ignores(x.Columns[junk]) || x.Ignores(x.Columns[1]) {
		t.Error("junk is ignored, and new is not")
	}
	check(t, "spelt by a decision", x.Called(x.Columns[1], "OLD"), "Old")
	check(t, "spelt by a file", x.Called(x.Columns[0], "ID"), "id")
	for name, want := range map[string]bool{"ID": true, "id": false, "OLD": true, "Old": false} {
		if got := x.Respelt(x.Find(name, 1), name); got != want {
			t.Errorf("%s is another spelling: %v", name, got)
		}
	}
}

// A binding by an index knows the columns that came.
func TestIndexBinds(t *testing.T) {
	v, _ := stands(t, "id: string")
	x := contract.NewIndex(v, contract.Policy{})
	x.Add(contract.Column{Name: "b", Original: "b"})
	b := x.Bind([]string{"B", "b"}, nil, false)
	if b.Fields[0].Why != contract.WhyCase || b.Fields[1].Column != 1 {
		t.Errorf("a header is bound as %+v", b.Fields)
	}
	b = x.Bind([]string{"B", "b"}, []string{"ID"}, true)
	if b.Fields[0].Column != 1 || b.Fields[1].Column != 1 || b.Folders[0].Column != 0 {
		t.Errorf("a tree is bound as %+v", b)
	}
	check(t, "title", contract.Field{Base: "b", K: 2}.Title(), "b#2")
}
