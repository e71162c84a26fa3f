package laws_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/schema"
)

// sameCut is the second law, for the same files in one batch and in several:
//
//   - A file is of another feed if and only if it shares no name with the contract
//     that stood before its batch; so in one batch none is.
//   - If policies keep no row out for its types, the same records of each file are
//     rows, and the same are in quarantine.
//   - While new columns are added, the contracts have the same columns, of the
//     same names and, hints and left-out columns aside, in the same order. Their
//     types may differ: what came first stands. Under other policies the columns
//     are those of the first batch that has any.
//   - A column of nulls alone is void in both, one of scalars in neither.
//   - Every value can be found in both: that is [landing.account].
func sameCut(one, cut *landing) error {
	foreign, err := cut.foreigners()
	if err != nil {
		return err
	}
	if n, err := one.foreigners(); n > 0 || err != nil {
		return errors.Join(err, errors.New("a file of a first batch was foreign"))
	}
	if err := sameRecords(one, cut); err != nil || foreign > 0 || one.policy.MaxColumns > 0 {
		return err
	}
	if err := sameColumns(one, cut); err != nil {
		return err
	}
	for _, l := range []*landing{one, cut} {
		if err := l.voids(); err != nil {
			return err
		}
	}
	return nil
}

// foreigners checks which objects were of another feed, and counts them.
func (l *landing) foreigners() (n int, err error) {
	batch := 0
	for i, o := range l.objects {
		if o.n == 0 && i > 0 {
			batch++
		}
		r, err := l.reading(o)
		if err != nil {
			return n, err
		}
		names := r.names()
		shares := batch == 0 || len(names) == 0
		if !shares {
			stood := l.history[batch-1].Columns
			shares = len(stood) == 0 || slices.ContainsFunc(stood, func(c contract.Column) bool { return c.K < 2 && names[schema.Fold(c.Original)] })
		}
		if want := !shares && l.does(event.FileForeign, "quarantine"); want != o.foreign {
			return n, fmt.Errorf("%s: foreign: %v, want %v", o.path, o.foreign, want)
		}
		if o.foreign {
			n++
		}
	}
	return n, nil
}

// names are the folded names of a file's fields.
func (r reading) names() map[string]bool {
	names := map[string]bool{}
	for _, name := range r.header {
		names[schema.Fold(strings.TrimSpace(name))] = true
	}
	for _, in := range r.inputs {
		if in.tree != nil {
			for _, name := range in.tree.names {
				names[schema.Fold(strings.TrimSpace(name))] = true
			}
		}
	}
	return names
}

func sameRecords(one, cut *landing) error {
	keepsOut := one.does(event.ValueMisfit, "quarantine") || one.policy.RescueColumn() == "" && one.policy.Preset != contract.NoEvolution
	for i, a := range one.objects {
		b := cut.objects[i]
		switch {
		case b.foreign || keepsOut && len(a.rows)+len(a.out) == len(b.rows)+len(b.out):
		case len(a.rows) != len(b.rows) || len(a.out) != len(b.out):
			return fmt.Errorf("%s: %d rows and %d aside, in batches %d and %d", a.path, len(a.rows), len(a.out), len(b.rows), len(b.out))
		default:
			for k := range a.rows {
				if a.rows[k].record != b.rows[k].record {
					return fmt.Errorf("%s: row %d is record %d, in batches %d", a.path, k, a.rows[k].record, b.rows[k].record)
				}
			}
		}
	}
	return nil
}

func sameColumns(one, cut *landing) error {
	if one.policy.Rules.DropAllNull || one.hints != "" && one.policy.CaseSensitive {
		return nil
	}
	all, some := columns(one.version), columns(cut.version)
	if !one.does(event.ColumnAdded, "add") {
		first := slices.IndexFunc(cut.history, func(v contract.Version) bool { return len(v.Columns) > 0 })
		if first >= 0 && !slices.Equal(some, columns(cut.history[first])) {
			return fmt.Errorf("columns %v, want those of the first batch: %v", some, columns(cut.history[first]))
		}
		for _, name := range some {
			if !slices.Contains(all, name) {
				return fmt.Errorf("column %s is in batches alone", name)
			}
		}
		return nil
	}
	if one.hints != "" {
		slices.Sort(all)
		slices.Sort(some)
	}
	if !slices.Equal(all, some) {
		return fmt.Errorf("columns %v, in batches %v", all, some)
	}
	return nil
}

// columns names the columns of a version, in their order.
func columns(v contract.Version) []string {
	names := make([]string, len(v.Columns))
	for i, c := range v.Columns {
		names[i] = fmt.Sprintf("%s#%d stored as %s", c.Original, c.K, c.Name)
	}
	return names
}

// folder reports whether a folder has a folded name.
func (l *landing) folder(name string) bool {
	return slices.ContainsFunc(l.objects, func(o *object) bool {
		keys, _ := contract.Folders(o.path)
		return slices.ContainsFunc(keys, func(key string) bool { return schema.Fold(key) == name })
	})
}

// voids checks which columns have a place in the table.
func (l *landing) voids() error {
	values, shapes := map[string][]*node{}, map[string]string{}
	for _, o := range l.objects {
		r, err := l.reading(o)
		if err != nil {
			return err
		}
		r.gather(values)
	}
	for name, all := range values {
		base, k, _ := strings.Cut(name, "#")
		for _, v := range all {
			if !v.null() {
				shapes[schema.Fold(base)+"#"+k] += string(v.kind)
			}
		}
	}
	for _, c := range l.version.Columns {
		name := fmt.Sprintf("#%d", max(c.K, 1))
		shape := shapes[schema.Fold(c.Original)+name]
		hinted := l.policy.Hints.For(c.Original) != nil
		if c.Partition || hinted || l.folder(schema.Fold(c.Original)) || !l.tree && l.policy.Rules.Strings {
			continue
		}
		t, err := c.SchemaType()
		if err != nil {
			return err
		}
		_, has := schema.Storable(t)
		some := slices.ContainsFunc(values[c.Original+name], func(v *node) bool { return !v.null() })
		switch {
		case shape == "" && has:
			return fmt.Errorf("%s is %s, and has nulls alone", c.Original, c.Type)
		case some && c.K < 2 && !strings.ContainsAny(shape, "[{") && !has:
			return fmt.Errorf("%s is %s, and has scalars", c.Original, c.Type)
		}
	}
	return nil
}

// gather adds the values of a file by name and k.
func (r reading) gather(values map[string][]*node) {
	times := map[string]int{}
	names := make([]string, len(r.header))
	for i, name := range r.header {
		base := strings.TrimSpace(name)
		times[base]++
		names[i] = fmt.Sprintf("%s#%d", base, times[base])
	}
	for _, in := range r.inputs {
		for i := range min(len(in.fields), len(names)) {
			values[names[i]] = append(values[names[i]], in.fields[i])
		}
		if in.tree != nil && in.tree.kind == '{' {
			for i, name := range in.tree.names {
				if !slices.Contains(in.tree.names[i+1:], name) { // the last counts
					name = strings.TrimSpace(name) + "#1"
					values[name] = append(values[name], in.tree.items[i])
				}
			}
		}
	}
}

// stands checks that a contract only grows: columns keep their names and places,
// and the types that they have; structs in them gain fields. And what made it
// what it is makes no other of it.
func (l *landing) stands() error {
	for i := 1; i < len(l.history); i++ {
		before, after := l.history[i-1].Columns, l.history[i].Columns
		if len(after) < len(before) {
			return errors.New("a column is gone")
		}
		for k, c := range before {
			was, err := c.SchemaType()
			is, err2 := after[k].SchemaType()
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			if after[k].Name != c.Name || after[k].Original != c.Original || !grows(was, is) {
				return fmt.Errorf("%s %s became %s %s", c.Name, was, after[k].Name, is)
			}
		}
	}
	if len(l.history) != 1 || l.policy.MaxColumns > 0 || l.policy.Rules.DropAllNull {
		return nil // what was left out makes room, and may come then
	}
	r, err := evolution.Evolve(l.version, evidence(l.objects), l.policy, l.table)
	if err != nil || r.Version.Number != l.version.Number {
		return fmt.Errorf("the same evidence once more: %w, %v, was %v", err, r.Version.Columns, l.version.Columns)
	}
	return nil
}

// grows reports whether a type is what another was, and perhaps more.
func grows(was, is schema.Type) bool {
	switch was := was.(type) {
	case schema.Struct:
		is, ok := is.(schema.Struct)
		if !ok || len(is.Fields) < len(was.Fields) {
			return false
		}
		for i, f := range was.Fields {
			if is.Fields[i].Name != f.Name || !grows(f.Type, is.Fields[i].Type) {
				return false
			}
		}
		return true
	case schema.Array:
		is, ok := is.(schema.Array)
		return ok && grows(was.Element, is.Element)
	case schema.Map:
		is, ok := is.(schema.Map)
		return ok && was.Key == is.Key && grows(was.Value, is.Value)
	}
	return was == schema.Unknown || was == is
}
