package project

import (
	"maps"
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

// ParsePolicy returns a policy with choices of its own: actions by kinds of
// drift. The error is a diagnostic or a [diag.List] of all that is wrong.
func ParsePolicy(policy contract.Policy, choices map[string]Value) (contract.Policy, error) {
	var problems diag.List
	policy.Kinds = maps.Clone(policy.Kinds)
	for _, name := range slices.SortedFunc(maps.Keys(choices), inOrder(choices)) {
		kind, v := contract.Kind(name), choices[name]
		known := contract.Choices(kind)
		switch {
		case known == nil && slices.Contains(laterKinds(), name):
			problems.Add(atKey(v, diag.OptionRefused, "policy on %s comes with a later release", name).
				Hinted("leave it out for now"))
		case known == nil:
			problems.Add(unknownKind(name, v))
		case !slices.Contains(known, v.Text):
			problems.Add(Setting{name, v}.bad(strings.Join(known, ", ")))
		default:
			if policy.Kinds == nil {
				policy.Kinds = make(map[contract.Kind]string)
			}
			policy.Kinds[kind] = v.Text
		}
	}
	return policy, problems.Err()
}

func unknownKind(name string, v Value) *diag.Diagnostic {
	kinds := joined(contract.Kinds())
	d := atKey(v, diag.ProjectKey, "unknown kind of drift %s", diag.Quote(name))
	if near := diag.Nearest(name, strings.Split(kinds, ", ")); near != "" {
		return d.Hinted("did you mean %s?", near)
	}
	return d.Hinted("the kinds are %s", kinds)
}

// laterKinds are kinds of drift on which nothing can be chosen yet.
func laterKinds() []string {
	return []string{"column_renamed?", "column_overflow", "dialect_changed", "hint_held", "calendar_rebased"}
}

// policy reads the choices of a source.
func (l *loader) policy(p pair, policy *contract.Policy) {
	if !l.isMapping(p.key, p.value, "a mapping of kinds of drift to actions") {
		return
	}
	fields := slices.Clone(p.value.fields)
	if i := slices.IndexFunc(fields, func(q pair) bool { return q.key.name() == "columns" }); i >= 0 {
		policy.Columns = l.columnPolicies(fields[i])
		fields = slices.Delete(fields, i, i+1)
	}
	var err error
	*policy, err = ParsePolicy(*policy, l.values(fields))
	l.problems.Merge(err)
}

// columnPolicies reads the choices of single columns.
func (l *loader) columnPolicies(p pair) map[string]map[contract.Kind]string {
	if !l.isMapping(p.key, p.value, "a mapping of columns to their policies") {
		return nil
	}
	all := make(map[string]map[contract.Kind]string, len(p.value.fields))
	for _, q := range p.value.fields {
		path, err := schema.ParsePath(q.key.name())
		if err != nil {
			l.problems.Add(q.key.problem(diag.ProjectKey, "column %s: %v", diag.Quote(q.key.name()), err).
				Hinted("write a column's name, or the path of a part of it: user.born; a name with a dot stands in backticks"))
			continue
		}
		if _, twice := all[path.Folded()]; twice {
			l.problems.Add(q.key.problem(diag.ProjectKey, "column %s stands twice", diag.Quote(q.key.name())))
		}
		if l.isMapping(q.key, q.value, "a mapping of kinds of drift to actions") {
			all[path.Folded()] = l.columnPolicy(q)
		}
	}
	return all
}

// columnPolicy reads the choices of one column.
func (l *loader) columnPolicy(p pair) map[contract.Kind]string {
	choices := l.values(p.value.fields)
	for name, v := range choices {
		kinds := contract.ColumnKinds()
		if contract.Choices(contract.Kind(name)) == nil || slices.Contains(kinds, contract.Kind(name)) {
			continue // ParsePolicy knows
		}
		delete(choices, name)
		l.problems.Add(atKey(v, diag.ProjectKey, "policy %s is none of a single column", name).
			Hinted("columns may have %s; write it under policy: for all of them", joined(kinds)))
	}
	policy, err := ParsePolicy(contract.Policy{}, choices)
	l.problems.Merge(err)
	return policy.Kinds
}

func joined(kinds []contract.Kind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// values reads keys that have one value each.
func (l *loader) values(fields []pair) map[string]Value {
	values := make(map[string]Value, len(fields))
	for _, q := range fields {
		if q.value.list || q.value.mapping {
			l.problems.Add(q.value.problem(diag.BadOption, "%s: found %s, want one value", q.key.name(), q.value.what()))
			continue
		}
		values[q.key.name()] = q.located()
	}
	return values
}
