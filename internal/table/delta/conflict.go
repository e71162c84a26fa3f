package delta

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/table/delta/action"
)

// catchUp reads all versions that are in the log after cur, ours included if a
// lost answer hid that it was created. It tells how the batch landed, nil if
// it did not and the next version may be tried; *table.Conflict if it must not.
func (k *commit) catchUp(ctx context.Context) (*table.Result, error) {
	newest, err := k.newest(ctx)
	for ; err == nil && k.cur.version < newest; newest, err = k.newest(ctx) {
		landed, err := k.follow(ctx, newest)
		if landed != nil || err != nil {
			return landed, err
		}
	}
	if err != nil {
		return nil, err
	}
	if newest < k.cur.version {
		return k.overtaken(ctx, k.cur.version)
	}
	if k.rival == nil {
		k.rival = k.deadRemove()
	}
	if k.rival != nil {
		return nil, k.rival
	}
	return nil, nil //nolint:nilnil // no result and no error: go on
}

// follow reads the versions after cur's, up to one.
func (k *commit) follow(ctx context.Context, newest int64) (*table.Result, error) {
	for k.cur.version < newest {
		v := k.cur.version + 1
		acts, err := k.t.version(ctx, v)
		if errors.Is(err, store.ErrNotExist) {
			return k.overtaken(ctx, v)
		}
		if err != nil {
			return nil, err
		}
		k.advance(acts)
		if landed := k.judge(acts); landed != nil {
			return landed, nil
		}
	}
	return nil, nil //nolint:nilnil // no result and no error: go on
}

// newest returns a version in the log after cur's if there is one, else cur's if
// the log goes to it, less if the log does not hold cur's any more: then another
// table stands in its place, and creating "the next" version would tear a hole.
// A log that holds cur's goes on with the next, so that two questions do for a
// listing of all of it.
func (k *commit) newest(ctx context.Context) (int64, error) {
	if k.cur.version >= 0 {
		here, err := k.t.stamp(ctx, k.cur.version)
		if err != nil {
			return 0, err
		}
		if here != "" {
			next, err := k.t.stamp(ctx, k.cur.version+1)
			if next != "" {
				return k.cur.version + 1, err
			}
			return k.cur.version, err
		}
	}
	newest := int64(-1)
	for n, err := range names(ctx, k.t.s, max(k.cur.version, 0)) {
		if err != nil {
			return 0, err
		}
		newest = max(newest, n.version)
	}
	return newest, nil
}

// judge compares one version by somebody with the change. It returns a result
// if the batch landed with it, and remembers the first irreconcilable version:
// the batch may have landed in a later one.
func (k *commit) judge(acts []*action.Action) *table.Result {
	v := k.cur.version
	info := readInfo(acts)
	k.time = info.InCommitTimestamp
	if info.Attempt == k.c.Attempt || slices.ContainsFunc(acts, func(a *action.Action) bool { return k.lands(a.Txn) }) {
		return &table.Result{Version: v, Attempt: info.Attempt}
	}
	if k.rival == nil {
		k.rival = k.clash(v, acts)
	}
	return nil
}

// clash returns the conflict between a version and the change, nil if none.
func (k *commit) clash(v int64, acts []*action.Action) *table.Conflict {
	if k.base == nil {
		return &table.Conflict{Version: v, Reason: "metadata", Detail: "another writer created the table"}
	}
	for _, a := range acts {
		switch {
		case a.Protocol != nil:
			return &table.Conflict{Version: v, Reason: "protocol", Detail: "the table asks for another protocol now"}
		case a.MetaData != nil:
			return &table.Conflict{Version: v, Reason: "metadata", Detail: "schema or properties are no longer those built on"}
		}
	}
	for _, a := range acts {
		if a.Add != nil && k.retypes {
			return &table.Conflict{Version: v, Reason: "added", Detail: "file " + diag.Quote(a.Add.Path) + " has the old column types"}
		}
	}
	return nil
}

// deadRemove returns a conflict if a file to be removed is not live.
func (k *commit) deadRemove() *table.Conflict {
	for i := range k.c.Removes {
		if f := &k.c.Removes[i]; k.cur.files.get(f.Key()) == nil {
			return &table.Conflict{
				Version: k.cur.version, Reason: "removed",
				Detail: "file " + diag.Quote(f.Path) + " was replaced or deleted by another writer",
			}
		}
	}
	return nil
}

// overtaken handles a log that does not go on after cur: it was cleaned up while
// the change was computed, or the table was made anew. Nothing can be proven
// version by version, so the newest snapshot decides.
func (k *commit) overtaken(ctx context.Context, v int64) (*table.Result, error) {
	st, err := k.t.load(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil, &table.Conflict{Version: v, Reason: "metadata", Detail: "the log of the table is gone"}
	}
	if err != nil {
		return nil, fmt.Errorf("read the table anew: %w", err)
	}
	if k.lands(st.txns[k.c.App]) {
		found, err := k.t.locate(ctx, st.version, k.c.App, k.c.Batch)
		return &found, err
	}
	return nil, &table.Conflict{
		Version: st.version, Reason: "metadata",
		Detail: fmt.Sprintf("version %d is no longer in the log", v),
	}
}

// misread reports whether files written for one schema of the table may not fit
// another. Where types widen as the table's feature lets them, these fit.
func (k *commit) misread(from, to schema.Struct) bool {
	if !k.c.Widening {
		return retypes(from, to)
	}
	// Types that widened are taken for what they were.
	to.Fields = slices.Clone(to.Fields)
	for i, f := range to.Fields {
		if old := fieldOf(from, f.Name); old != nil && schema.AllReadAs(old.Type, f.Type) {
			to.Fields[i].Type = old.Type
		}
	}
	return retypes(from, to)
}

// fieldOf is the field of a name, nil if there is none.
func fieldOf(s schema.Struct, name string) *schema.Field {
	i := slices.IndexFunc(s.Fields, func(f schema.Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Fields[i]
}

// retypes reports whether files written for the schema `from` may not fit the
// schema `to`: a column has another type, is gone, or must not be null now. New
// nullable columns are no such change.
func retypes(from, to schema.Struct) bool {
	for _, old := range from.Fields {
		i := slices.IndexFunc(to.Fields, func(f schema.Field) bool { return f.Name == old.Name })
		if i < 0 || retypesField(old.Type, to.Fields[i].Type) || old.Nullable && !to.Fields[i].Nullable {
			return true
		}
	}
	return slices.ContainsFunc(to.Fields, func(f schema.Field) bool {
		known := slices.ContainsFunc(from.Fields, func(old schema.Field) bool { return old.Name == f.Name })
		return !known && !f.Nullable
	})
}

func retypesField(from, to schema.Type) bool {
	switch from := from.(type) {
	case schema.Struct:
		to, ok := to.(schema.Struct)
		return !ok || retypes(from, to)
	case schema.Array:
		to, ok := to.(schema.Array)
		return !ok || from.ContainsNull && !to.ContainsNull || retypesField(from.Element, to.Element)
	case schema.Map:
		to, ok := to.(schema.Map)
		return !ok || from.ValueContainsNull && !to.ValueContainsNull ||
			retypesField(from.Key, to.Key) || retypesField(from.Value, to.Value)
	}
	return from != to
}
