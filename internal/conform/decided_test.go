package conform_test

import (
	"testing"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
)

// mapping is a contract in which old is new, and the values of junk are ignored.
func mapping() []contract.Decision {
	return []contract.Decision{
		{Column: "old", Action: contract.Map, To: "new", Why: "renamed"},
		{Column: "junk", Action: contract.Ignore, Why: "nobody reads it"},
		{Column: "gone", Action: contract.Ignore, Why: "nobody reads it"},
	}
}

// Values under another name of a column are its own, unless the column's name
// stands beside; what is ignored is counted, and not kept. Both hold for headers
// and for records that name their fields.
func TestFitUnderDecisions(t *testing.T) {
	for _, c := range []struct {
		name   string
		object conform.Object
		slab   func(t *testing.T) *column.Slab
		rows   string
		counts conform.Counts
	}{
		{
			"another name", object("a.csv", "id", "old"),
			func(*testing.T) *column.Slab { return slab(2, []string{"1", "2.5"}, []string{"2", "x"}) },
			"1 | 2.5 | ∅ | ∅\n" + `2 | ∅ | ∅ | {"old":"x","_file_path":"file:///a.csv","_record":2,"_why":{"old":"type:double"}}`,
			conform.Counts{Rows: 2, Cells: 4, Typed: 3, Rescued: 1},
		},
		{
			"both names", object("a.csv", "old", "new"),
			func(*testing.T) *column.Slab { return slab(2, []string{"1.5", "2.5"}) },
			`∅ | 2.5 | ∅ | {"old":"1.5","_file_path":"file:///a.csv","_record":1,"_why":{"old":"case"}}`,
			conform.Counts{Rows: 1, Cells: 2, Typed: 1, Rescued: 1},
		},
		{
			"ignored", object("gone=1/a.csv", "id", "JUNK"),
			func(*testing.T) *column.Slab { return slab(2, []string{"1", "x"}) },
			"1 | ∅ | ∅ | ∅",
			conform.Counts{Rows: 1, Cells: 3, Typed: 1, Ignored: 2},
		},
		{
			"members", treeObject("a.json"),
			func(t *testing.T) *column.Slab {
				return trees(t, `{"id":1,"old":2.5}`, `{"old":1.5,"new":2.5}`, `{"id":3,"junk":"x","gone":{"a":1}}`)
			},
			"1 | 2.5 | ∅ | ∅\n" +
				`∅ | 2.5 | ∅ | {"old":1.5,"_file_path":"file:///a.json","_record":2,"_why":{"old":"case"}}` + "\n" +
				"3 | ∅ | ∅ | ∅",
			conform.Counts{Rows: 3, Cells: 7, Typed: 4, Rescued: 1, Ignored: 2},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, table := agreed(t, contract.Policy{}, "id: bigint", "new: double", "junk: string")
			v.Decisions = mapping()
			f, err := conform.New(v, contract.Policy{}, table, c.object)
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := f.Fit(c.slab(t))
			if err != nil {
				t.Fatal(err)
			}
			check(t, c.name, rows(t, table, fitted.Batch), c.rows)
			if fitted.Counts != c.counts {
				t.Errorf("got %+v, want %+v", fitted.Counts, c.counts)
			}
		})
	}
}
