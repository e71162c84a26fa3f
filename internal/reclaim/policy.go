package reclaim

import (
	"maps"
	"slices"

	"landfall/internal/contract"
)

// rescues is the action of policies that keeps a value in the rescue column, lands
// the one that lets it go on as it is.
const (
	rescues = "rescue"
	lands   = "land"
)

// lenient is a policy under which what does not fit stays rescued, whatever would
// become of it when it lands: nothing of a row that stands may be dropped, or stop a
// run.
func lenient(p contract.Policy) contract.Policy {
	kinds := maps.Clone(p.Kinds)
	if kinds == nil {
		kinds = map[contract.Kind]string{}
	}
	columns := map[string]map[contract.Kind]string{}
	for path, chosen := range p.Columns {
		columns[path] = maps.Clone(chosen)
	}
	for _, kind := range contract.Kinds() {
		if !slices.Contains(contract.Choices(kind), rescues) {
			continue
		}
		if action, _ := p.Action(kind); action != lands {
			kinds[kind] = rescues
		}
		for _, chosen := range columns {
			if action, is := chosen[kind]; is && action != lands {
				chosen[kind] = rescues
			}
		}
	}
	p.Kinds, p.Columns = kinds, columns
	return p
}
