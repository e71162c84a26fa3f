package verdict

import "testing"

func TestCountsCheck(t *testing.T) {
	whole := Counts{Rows: 2, Cells: 10, Typed: 4, Null: 3, Rescued: 2, Ignored: 1}
	if err := whole.Check(); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]Counts{
		"a value lost": {Rows: 1, Cells: 2, Typed: 1}, "one counted twice": {Rows: 1, Cells: 1, Typed: 1, Rescued: 1},
	} {
		if c.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
