package repair

import (
	"context"
	"errors"
	"maps"
	"slices"

	"landfall/internal/store"
)

// Standing tells what is not as it was when the copy was proven: files of the source that
// came or changed since, by their names and versions, and files of the copy that are gone,
// none of its own, or have other bytes.
func (c *Copy) Standing(ctx context.Context) (since, strange []string, err error) {
	return c.standing(ctx, c.Source, c.Home)
}

// Came are the files in the folder of the copy that are none of its own.
func (c *Copy) Came(ctx context.Context) ([]string, error) { return c.others(ctx, c.Home) }

func (m *manifest) standing(ctx context.Context, source, home store.Store) (since, strange []string, err error) {
	if since, err = m.since(ctx, source); err != nil {
		return nil, nil, err
	}
	strange, err = m.strange(ctx, home)
	return since, strange, err
}

// altered are the files of the copy that are gone or have other bytes.
func (m *manifest) altered(ctx context.Context, home store.Store) ([]string, error) {
	out := []string{}
	for _, f := range m.Files {
		hash, err := hashOf(ctx, home, f.Path)
		if err != nil && !errors.Is(err, store.ErrNotExist) {
			return nil, err
		}
		if err != nil || hash != f.Hash {
			out = append(out, f.Path)
		}
	}
	return out, nil
}

// gone are the files that are not there.
func (m *manifest) gone(ctx context.Context, home store.Store) ([]string, error) {
	missing := map[string]bool{}
	for _, f := range m.Files {
		missing[f.Path] = true
	}
	for info, err := range home.List(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		delete(missing, info.Key)
	}
	return slices.Sorted(maps.Keys(missing)), nil
}

// seal notes the bytes of the copy's files.
func (m *manifest) seal(ctx context.Context, home store.Store) (err error) {
	for i := range m.Files {
		if m.Files[i].Hash, err = hashOf(ctx, home, m.Files[i].Path); err != nil {
			return err
		}
	}
	return nil
}

// hashOf is the xxh3 of an object's bytes; the error may be store.ErrNotExist.
func hashOf(ctx context.Context, s store.Store, path string) (string, error) {
	obj, err := s.Open(ctx, path)
	if err != nil {
		return "", err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	return store.NewReading(obj).Sum()
}

// strange are the files of the copy that are not as they were made, and those in its
// folder that are none of its own: of a table the log tells these.
func (m *manifest) strange(ctx context.Context, home store.Store) ([]string, error) {
	out, err := m.altered(ctx, home)
	if err != nil || m.Form == Delta {
		return out, err
	}
	others, err := m.others(ctx, home)
	out = append(out, others...)
	slices.Sort(out)
	return out, err
}
