package project

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Digest identifies all that decides how the source lands; its name, path and
// table are not part of it.
func (s Source) Digest() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%q\n", s.Options.Digest(), s.PartitionBy)
	kinds := func(of string, kinds map[contract.Kind]string) {
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			fmt.Fprintf(&b, "%s%s=%s\n", of, kind, kinds[kind])
		}
	}
	kinds("", s.Policy.Kinds)
	for _, path := range slices.Sorted(maps.Keys(s.Policy.Columns)) {
		kinds(path+": ", s.Policy.Columns[path])
	}
	return strconv.FormatUint(xxh3.HashString(b.String()), 16)
}

// sourceKeys are the keys of a source.
func sourceKeys() []string {
	return []string{"path", "table", "compat", "options", "policy", "partitionBy", "columns"}
}

// source reads one source.
func (l *loader) source(p pair) {
	s := Source{Name: p.key.name(), At: p.key.at}
	l.name(p.key)
	if !l.isMapping(p.key, p.value, "a mapping with path: and table:") {
		return
	}
	var policy *pair
	defaults := l.compat(p.value.fields)
	s.Options = defaults.options()
	for i, q := range p.value.fields {
		switch q.key.name() {
		case "compat":
		case "path":
			s.Path = l.place(q, "a folder, a pattern or a URL")
		case "table":
			s.Table = l.place(q, "the folder or URL of a Delta table")
		case "options":
			s.Options = l.options(q, defaults)
		case "policy":
			policy = &p.value.fields[i]
		case "partitionBy":
			s.PartitionBy = l.names(q)
		case "columns":
			l.columns(q)
		default:
			l.strange(q.key)
		}
	}
	for _, key := range []string{"path", "table"} {
		if !slices.ContainsFunc(p.value.fields, func(q pair) bool { return q.key.name() == key }) {
			l.problems.Add(p.key.problem(diag.ProjectKey, "source %s has no %s", diag.Quote(s.Name), key).
				Hinted("add %s: under it", key))
		}
	}
	s.Policy = s.Options.Policy
	if policy != nil {
		l.policy(*policy, &s.Policy)
	}
	l.project.Sources = append(l.project.Sources, s)
}

// place reads a path. A placeholder in it was left to be filled in: taken as it
// stands it is a folder of that name, in which nothing ever lands.
func (l *loader) place(p pair, want string) string {
	text := l.text(p, want)
	if strings.Contains(text, "${") {
		l.problems.Add(p.value.problem(diag.ProjectKey, "%s: found the placeholder in %s, want a path", p.key.name(), diag.Quote(text)).
			Hinted("write what it stands for; ${…} is not resolved here"))
	}
	return text
}

// strange reports a key that a source does not have: an option or a kind of
// drift is told its place.
func (l *loader) strange(key tree) {
	elsewhere := ""
	if isOption(key.name()) {
		elsewhere = "it is an option: write it under options:"
	} else if contract.Choices(contract.Kind(key.name())) != nil {
		elsewhere = "it is a kind of drift: write it under policy:"
	}
	l.unknownKey(key, sourceKeys(), elsewhere)
}

func isOption(name string) bool {
	return slices.ContainsFunc(OptionTable(), func(o Option) bool {
		return slices.ContainsFunc(o.spellings(), func(s string) bool { return strings.EqualFold(s, name) })
	})
}

// compat reads whose defaults the options have: they count wherever the key
// stands.
func (l *loader) compat(fields []pair) Defaults {
	i := slices.IndexFunc(fields, func(q pair) bool { return q.key.name() == "compat" })
	if i < 0 {
		return Ours
	}
	defaults, err := ParseDefaults(fields[i].located())
	l.problems.Merge(err)
	return defaults
}

func (l *loader) options(p pair, defaults Defaults) Options {
	if !l.isMapping(p.key, p.value, "a mapping of options") {
		return defaults.options()
	}
	o, err := ParseOptions(l.values(p.value.fields), defaults)
	l.problems.Merge(err)
	return o
}

// names reads a list of names, or one name.
func (l *loader) names(p pair) []string {
	items := p.value.items
	if p.value.scalar != nil {
		items = []tree{p.value}
	}
	var names []string
	seen := make(map[string]bool)
	for _, n := range items {
		switch name := n.name(); {
		case name == "":
			l.problems.Add(n.problem(diag.ProjectKey, "%s: found %s, want a name", p.key.name(), n.what()))
		case seen[schema.Fold(name)]:
			l.problems.Add(n.problem(diag.ProjectKey, "%s: %s stands twice", p.key.name(), diag.Quote(name)))
		default:
			seen[schema.Fold(name)] = true
			names = append(names, name)
		}
	}
	if p.value.mapping {
		l.problems.Add(p.value.problem(diag.ProjectKey, "%s: found a mapping, want a list of names", p.key.name()))
	}
	return names
}

// columns takes the two metadata columns, as they are without it.
func (l *loader) columns(p pair) {
	if !l.isMapping(p.key, p.value, "a mapping of columns") {
		return
	}
	known := map[string]string{contract.IngestedAt: "current_timestamp()", contract.SourceFile: "_metadata.file_path"}
	for _, q := range p.value.fields {
		want, ok := known[q.key.name()]
		switch {
		case !ok:
			l.problems.Add(q.key.problem(diag.OptionRefused, "column %s: columns of your own come with a later release", diag.Quote(q.key.name())).
				Hinted("leave it out for now"))
		case q.value.name() != want:
			l.problems.Add(q.value.problem(diag.OptionRefused, "column %s: found %s, want %s", q.key.name(), q.value.what(), want).
				Hinted("leave it out: it is there by itself"))
		}
	}
}
