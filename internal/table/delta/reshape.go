package delta

import (
	"encoding/json"
	"fmt"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/table"
)

// checkMoved refuses a change that would lose or double rows that it says only
// move: as many must come as go, as far as the statistics of all files tell.
func (k *commit) checkMoved() error {
	var come, gone tally
	for i := range k.c.Adds {
		if f := &k.c.Adds[i]; f.Moved {
			come.add(f)
		}
	}
	for i := range k.c.Removes {
		old := k.base.files.get(k.c.Removes[i].Key())
		if old == nil {
			return nil // not live any more: that is a conflict, and said later
		}
		if k.c.Removes[i].Moved {
			f := old.File()
			gone.add(&f)
		}
	}
	if come.files > 0 && gone.files == 0 || !come.vague && !gone.vague && come.rows != gone.rows {
		return fmt.Errorf("%d files with %d rows go, those rows move into %d files with %d rows",
			gone.files, gone.rows, come.files, come.rows)
	}
	return nil
}

// tally counts files and their live rows; vague says that a file does not tell.
type tally struct {
	files int
	rows  int64
	vague bool
}

func (t *tally) add(f *table.File) {
	t.files++
	t.rows += f.Rows
	t.vague = t.vague || f.Rows < 0
	if f.DV != nil {
		t.rows -= f.DV.Cardinality
	}
}

// checkHeld refuses a new type for a column, or its end, while a file stays that
// is known to hold the column with its old type: readers would refuse the file,
// or the column would be back one day with values of the wrong type. Which files
// hold it when statistics do not say so, only the caller can find out.
func (k *commit) checkHeld(from, to schema.Struct) error {
	var columns []schema.Field
	for _, old := range from.Fields {
		i := slices.IndexFunc(to.Fields, func(f schema.Field) bool { return f.Name == old.Name })
		stays := i >= 0 && k.c.Widening && schema.AllReadAs(old.Type, to.Fields[i].Type)
		if i < 0 || retypesField(old.Type, to.Fields[i].Type) && !stays {
			columns = append(columns, old)
		}
	}
	if len(columns) == 0 {
		return nil
	}
	gone := make(map[table.Key]bool, len(k.c.Removes))
	for i := range k.c.Removes {
		gone[k.c.Removes[i].Key()] = true
	}
	for key, add := range k.base.files.each() {
		if gone[key] {
			continue
		}
		var stats struct {
			NullCount map[string]json.RawMessage `json:"nullCount"`
		}
		if json.Unmarshal([]byte(add.Stats), &stats) != nil {
			continue // they say nothing
		}
		for _, c := range columns {
			if _, held := stats.NullCount[schema.PhysicalName(c)]; held {
				return fmt.Errorf("column %s is no %v any more, but file %s stays, which holds some",
					diag.Quote(c.Name), c.Type, diag.Quote(key.Path))
			}
		}
	}
	return nil
}
