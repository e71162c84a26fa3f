package state

import (
	"context"
	"strings"

	"landfall/internal/contract"
)

// Life returns what the objects say whose rows the table holds, but for those at
// the paths in except. Objects with the same names are summed up as one, under the
// path of the first.
func (st *State) Life(ctx context.Context, except map[string]bool) ([]contract.ObjectEvidence, error) {
	landed := map[int64]map[string]bool{}
	for e, err := range st.Known(ctx) {
		if err != nil {
			return nil, err
		}
		if e.Landed == 0 || except[e.Path] {
			continue
		}
		if landed[e.Landed] == nil {
			landed[e.Landed] = map[string]bool{}
		}
		landed[e.Landed][e.Path] = true
	}
	sum := life{at: map[string]int{}}
	for m, err := range st.Marks(ctx) {
		if err != nil {
			return nil, err
		}
		live := landed[m.Batch]
		if len(live) == 0 {
			continue
		}
		for o, err := range st.Evidence(ctx, m.Batch, m.Attempt) {
			if err != nil {
				return nil, err
			}
			if live[o.Path] {
				sum.add(o)
			}
		}
	}
	return sum.objects, nil
}

// life sums up objects.
type life struct {
	objects []contract.ObjectEvidence
	// at finds the sum by the names that an object has.
	at map[string]int
}

func (l *life) add(o contract.ObjectEvidence) {
	names := strings.Join(o.Header, "\x00") + "\x01" + strings.Join(o.Partitions, "\x00")
	if o.Tree {
		names += "\x01" // each tree has names of its own below these
	}
	if i, met := l.at[names]; met {
		l.objects[i].Evidence.Merge(&o.Evidence)
		return
	}
	l.at[names] = len(l.objects)
	o.Evidence = o.Evidence.Clone()
	l.objects = append(l.objects, o)
}
