package project

import (
	"maps"
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
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
	var kinds []string
	for _, k := range contract.Kinds() {
		kinds = append(kinds, string(k))
	}
	d := atKey(v, diag.ProjectKey, "unknown kind of drift %s", diag.Quote(name))
	if near := diag.Nearest(name, kinds); near != "" {
		return d.Hinted("did you mean %s?", near)
	}
	return d.Hinted("the kinds are %s", strings.Join(kinds, ", "))
}

// laterKinds are kinds of drift that only other formats or types have.
func laterKinds() []string {
	return strings.Fields(`column_renamed? type_wider type_conflict value_misfit key_duplicate dialect_changed
		value_truncated calendar_rebased zone_assumed`)
}

// policy reads the choices of a source.
func (l *loader) policy(p pair, policy *contract.Policy) {
	if !l.isMapping(p.key, p.value, "a mapping of kinds of drift to actions") {
		return
	}
	choices := l.values(p.value.fields)
	var err error
	*policy, err = ParsePolicy(*policy, choices)
	l.problems.Merge(err)
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
