package state

import (
	"context"
	"iter"

	"landfall/internal/column"
	"landfall/internal/contract"
)

// observed is a line of an attempt's evidence.
type observed struct {
	Path string `json:"path"`
	Tree bool   `json:"tree,omitempty"`
	// Header holds the names of a file that has a header; those of trees are in
	// the evidence.
	Header   []string        `json:"header,omitempty"`
	Folders  []string        `json:"folders,omitempty"`
	Evidence column.Evidence `json:"evidence"`
}

func evidenceKey(batch int64, id string) string {
	return attemptFolder(batch, id) + "/evidence.ndjson"
}

// Observe keeps what the objects say that an attempt landed, before its commit.
func (st *State) Observe(ctx context.Context, batch int64, id string, objects []contract.ObjectEvidence) error {
	out := lines{st: st, key: evidenceKey(batch, id)}
	defer out.abort(ctx) //nolint:errcheck // after close it does nothing; before, the first error counts
	for _, o := range objects {
		line := observed{Path: o.Path, Tree: o.Tree, Folders: o.Partitions, Evidence: o.Evidence}
		if !o.Tree {
			line.Header = o.Header
		}
		if err := out.put(ctx, line); err != nil {
			return err
		}
	}
	return out.close(ctx)
}

// Evidence yields what the objects say that an attempt landed, in landing order;
// none if it wrote that down nowhere.
func (st *State) Evidence(ctx context.Context, batch int64, id string) iter.Seq2[contract.ObjectEvidence, error] {
	key := evidenceKey(batch, id)
	return func(yield func(contract.ObjectEvidence, error) bool) {
		for line, err := range readLines[observed](ctx, st, key) {
			o := contract.ObjectEvidence{Path: line.Path, Tree: line.Tree, Header: line.Header, Partitions: line.Folders, Evidence: line.Evidence}
			if err == nil && o.Tree {
				for _, f := range o.Evidence.Fields {
					o.Header = append(o.Header, f.Name)
				}
			}
			if !yield(o, err) || err != nil {
				return
			}
		}
	}
}
