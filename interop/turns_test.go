//go:build interop

package interop

import (
	"fmt"
	"testing"

	"landfall/internal/schema"
)

// TestTurns has Spark and us write one table in turn, each over the commits
// and checkpoints of the other.
func TestTurns(t *testing.T) {
	for _, c := range []struct{ name, properties string }{
		{"plain", "'delta.checkpointInterval' = '3'"},
		{"deletion vectors", "'delta.checkpointInterval' = '3', 'delta.enableDeletionVectors' = 'true'"},
		{"in-commit timestamps", "'delta.checkpointInterval' = '3', 'delta.enableInCommitTimestamps' = 'true'"},
		{"v2 checkpoints", "'delta.checkpointInterval' = '3', 'delta.checkpointPolicy' = 'v2'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := newTable(t)
			s := spark(t)
			s.sql(t, dir, "create table %t (id string, text string) using delta tblproperties ("+c.properties+")")
			a := newAuthor(t, dir)
			a.grow("id", schema.String)
			a.grow("text", schema.String)
			var gone []map[string]any
			for i := range 3 {
				theirs := map[string]any{"id": fmt.Sprint("s", i), "text": "by 'Spark'\n"}
				s.sql(t, dir, fmt.Sprintf("insert into %%t values ('s%d', 'by \\'Spark\\'\\n'), ('drop%d', null)", i, i))
				a.rows = append(a.rows, theirs, map[string]any{"id": fmt.Sprint("drop", i)})
				a.append(map[string]any{"id": fmt.Sprint("o", i), "text": "by us"}, map[string]any{"id": "drop" + fmt.Sprint(i)})
				s.sql(t, dir, fmt.Sprintf("delete from %%t where id = 'drop%d'", i))
				gone, a.rows = a.rows, nil
				for _, row := range gone {
					if row["id"] != fmt.Sprint("drop", i) {
						a.rows = append(a.rows, row)
					}
				}
				found, err := query(t, dir, "select * from t")
				if err != nil {
					t.Fatal(err)
				}
				same(t, "ours", found, a.wanted())
			}
			found, err := read(t, "spark", dir)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "spark", found, a.wanted())
		})
	}
}
