package supply

import (
	"context"

	"landfall/internal/engine"
	"landfall/internal/flow/dataset"
)

// OpenDecoded opens a source of which all files are decoded here, none by the engine.
func OpenDecoded(ctx context.Context, s dataset.Source, o Options) (*Supply, error) {
	out := &Supply{source: s, store: o.Store, Input: engine.Input{Source: s.Name, Store: o.Store}}
	var err error
	if out.Files, err = find(ctx, o.Store, s, o); err != nil {
		return nil, err
	}
	return out, out.stage(ctx, o)
}
