package transform

import (
	"context"
	"errors"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

// Look returns the columns that the files of a source have, and those of them that its
// projection lacks, in the types that the flow has them in. The flow may be wrong
// elsewhere, and the projection may have columns that no file has.
func Look(ctx context.Context, j Job, source string) (columns, drifted []schema.Field, err error) {
	script, err := syntax.Parse(j.Flow.File)
	if err != nil {
		return nil, nil, err
	}
	if script, err = upTo(j.Flow.File, script, source); err != nil {
		return nil, nil, err
	}
	o := &Opened{job: j, script: script, began: j.Now()}
	defer func() { err = errors.Join(err, o.Close()) }()
	values, err := parameters(j.Flow.File, script, j.Parameters)
	if err != nil {
		return nil, nil, err
	}
	sources, _, err := dataset.Read(j.Flow, script, func(x syntax.Expr) (any, error) { return o.constant(ctx, values, x) })
	if err != nil {
		return nil, nil, err
	}
	for _, s := range sources {
		if s.Name != source {
			continue
		}
		found, err := o.source(ctx, s)
		if err != nil {
			return nil, nil, err
		}
		known := schema.Struct{Fields: s.Projection}
		for _, c := range found.Columns {
			if known.Lookup(c.Name) >= 0 {
				continue
			}
			if !s.Infer {
				c.Type = schema.String
			}
			drifted = append(drifted, c)
		}
		return found.Columns, drifted, nil
	}
	return nil, nil, diag.New(diag.Usage, "stream %s is no source", diag.Quote(source)).In(diag.Place{File: j.Flow.File.Name}).Hinted("name a source of the flow")
}
