package standing

import (
	"context"

	"landfall/internal/state"
	"landfall/internal/table"
)

// successors follow data files that batches wrote again under another schema, row
// by row. They are read from the state when a file is asked for that is not live.
type successors struct {
	c *Change
	// of maps a file to the one that took its place; nil until it is read.
	of map[string]string
}

// find returns the live file that holds the rows of the file at a path as they were
// written; ok is false if there is none.
func (s *successors) find(ctx context.Context, path string) (f table.File, ok bool, err error) {
	for {
		if f, ok = s.c.Snapshot.Files()[table.Key{Path: path}]; ok {
			return f, true, nil
		}
		if err := s.read(ctx); err != nil {
			return f, false, err
		}
		if path, ok = s.of[path]; !ok {
			return f, false, nil
		}
	}
}

func (s *successors) read(ctx context.Context) error {
	if s.of != nil {
		return nil
	}
	s.of = map[string]string{}
	for m, err := range s.c.State.Marks(ctx) {
		if err != nil {
			return err
		}
		if m.Kind == state.KindVoid {
			continue // it names the attempt of the batch before it
		}
		a, err := s.c.State.Attempt(ctx, m.Batch, m.Attempt)
		if err != nil {
			return err
		}
		for _, f := range a.Files {
			if f.Of != "" {
				s.of[f.Of] = f.Path
			}
		}
	}
	return nil
}
