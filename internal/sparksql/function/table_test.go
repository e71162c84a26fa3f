package function

import "testing"

// TestTable reads every entry of the table.
func TestTable(t *testing.T) {
	found := 0
	for _, family := range families() {
		entriesOf(family, func(head, rest string) bool {
			e, err := readEntry(head, rest)
			switch {
			case err != nil:
				t.Error(err)
			case len(e.forms) == 0 && e.refused == "":
				t.Errorf("%s: found no form", head)
			case e.refused == "" && len(e.examples) < 2:
				t.Errorf("%s: found %d examples, want two", head, len(e.examples))
			}
			found++
			return true
		})
	}
	if found == 0 {
		t.Error("the table is empty")
	}
}
