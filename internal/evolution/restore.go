package evolution

import (
	"slices"

	"landfall/internal/contract"
	"landfall/internal/event"
)

// Restore returns v with those retired columns back that the objects have: who
// approves what files bring wants those too. The drift tells each once, with the
// first object that has it; without any, v is as it was. The number and what else a
// version records is the caller's to set.
func Restore(v contract.Version, ev Evidence, p contract.Policy) (contract.Version, []event.Drift) {
	next := v
	next.Columns = slices.Clone(v.Columns)
	for i := range next.Columns {
		next.Columns[i].Retired = false
	}
	met := make([]int64, len(v.Columns))
	first := make([]string, len(v.Columns))
	see := func(column int, path string) {
		if column < 0 || !v.Columns[column].Retired {
			return
		}
		if met[column]++; met[column] == 1 {
			first[column] = path
		}
	}
	for _, o := range ev.Objects {
		b := contract.Bind(next, p, o.Header, o.Partitions)
		for _, f := range b.Fields {
			see(f.Column, o.Path)
		}
		for _, k := range b.Folders {
			see(k.Column, o.Path)
		}
	}
	var drift []event.Drift
	for i, c := range v.Columns {
		if next.Columns[i].Retired = c.Retired && met[i] == 0; met[i] > 0 {
			drift = append(drift, event.Drift{
				Kind: event.ColumnAdded, Column: c.Title(), File: first[i], From: "retired", To: c.Type, Count: met[i],
				Decision: "add", Policy: "policy",
			})
		}
	}
	return next, drift
}
