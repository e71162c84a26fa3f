package cutover

import (
	"fmt"
	"strings"
)

// syncTrino registers the copy's partitions by looking at its folders, and those
// of which the folder has another name than Trino gives them by themselves.
func (w writer) syncTrino() []Step {
	catalog := w.d.quote(w.t.Name[0])
	named := fmt.Sprintf("schema_name => %s, table_name => %s", w.d.literal(strings.ToLower(w.t.Name[1])), w.d.literal(strings.ToLower(w.t.Name[2]+clean)))
	var own []Partition
	for _, p := range w.t.Copy {
		if p.Folder != "" && !strings.EqualFold(p.Folder, FolderOf(names(w.t.By), p.Values)) {
			own = append(own, p)
		}
	}
	var out []Step
	if len(own) < len(w.t.Copy) {
		out = append(out, Step{"its partitions", fmt.Sprintf("CALL %s.system.sync_partition_metadata(%s, mode => 'ADD', case_sensitive => false)", catalog, named)})
	}
	for i, p := range own {
		values := make([]string, len(p.Values))
		for k, v := range p.Values {
			values[k] = w.value(v, nil)
		}
		step := Step{Text: fmt.Sprintf("CALL %s.system.register_partition(%s, partition_columns => ARRAY[%s], partition_values => ARRAY[%s], location => %s)",
			catalog, named, list(quoted(lower(w.d.literal), w.t.By)), list(values), w.d.literal(w.at(w.fresh(), p)))}
		if i == 0 {
			step.Why = "partitions in folders of other names; the catalog needs hive.allow-register-partition-procedure=true"
		}
		out = append(out, step)
	}
	return out
}

// trinoDelta puts the copy under the name in the catalog for Delta tables.
func (w writer) trinoDelta() Script {
	delta := writer{t: w.t, d: w.d}
	delta.t.Name = append([]string{w.t.DeltaCatalog}, w.t.Name[1:]...)
	call := func(procedure, more string) string {
		return fmt.Sprintf("CALL %s.system.%s(schema_name => %s, table_name => %s%s)", w.d.quote(w.t.DeltaCatalog), procedure,
			w.d.literal(strings.ToLower(w.t.Name[1])), w.d.literal(strings.ToLower(w.t.Name[2])), more)
	}
	return Script{
		Notes: []string{
			"The Hive connector reads no Delta tables: the copy gets the name in the catalog of the Delta Lake connector. Where both have one metastore, the old table gives its name up first.",
			"Queries name the other catalog from now on, unless the Hive catalog has hive.delta-lake-catalog-name set to it.",
			"The catalog needs delta.register-table-procedure.enabled=true. Trino renames no table with AWS Glue as its metastore.",
		},
		Before: w.look(),
		Move: []Step{
			{"the old table gives up its name", w.rename("", before)},
			{"the copy takes it", call("register_table", ", table_location => "+w.d.literal(w.t.New))},
			delta.refresh("")[0],
		},
		Check: delta.check(),
		Undo: []Step{
			{"the copy gives up the name, and its files stay", call("unregister_table", "")},
			{"the old table takes it", w.rename(before, "")},
			w.refresh("")[0],
		},
	}
}
