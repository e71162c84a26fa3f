// Package project reads landfall.yaml, with sources, options and policies, and
// decisions.yaml beside it, with the place of every key for errors.
package project

import (
	"bytes"
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
)

// Project is what a project file says.
type Project struct {
	// File is the path of the project file.
	File    string
	Sources []Source
	Flows   []Flow
	// Pipelines are those of SQL files.
	Pipelines []Pipeline
	// Locations are folders by linked service, by container, and by SERVICE/CONTAINER.
	Locations map[string]string
	// alerts are the rules of alerts, see [Project.Alerts].
	alerts []alertRule
}

// Source is a source of a project.
type Source struct {
	Name string
	// Path is the folder, pattern or URL of the files, and Table that of the
	// table, as they are written: relative to the project file's folder.
	Path, Table string
	Options     Options
	// Policy is that of the options with the source's own choices.
	Policy contract.Policy
	// PartitionBy names the partition columns of a new table.
	PartitionBy []string
	// At is where the source stands in the project file.
	At diag.Place
}

// Source returns the source of that name.
func (p *Project) Source(name string) (Source, bool) {
	i := slices.IndexFunc(p.Sources, func(s Source) bool { return s.Name == name })
	if i < 0 {
		return Source{}, false
	}
	return p.Sources[i], true
}

// Names returns the names of all sources, in the file's order.
func (p *Project) Names() []string {
	names := make([]string, len(p.Sources))
	for i, s := range p.Sources {
		names[i] = s.Name
	}
	return names
}

// Load reads a project file. The error is a diagnostic or a [diag.List] of all
// that is wrong.
func Load(path string, data []byte) (*Project, error) {
	root, err := parseYAML(path, bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return nil, err
	}
	l := loader{project: &Project{File: path}}
	l.top(root)
	if err := l.problems.Err(); err != nil {
		return nil, err
	}
	return l.project, nil
}

// loader collects a project and what is wrong with it.
type loader struct {
	project  *Project
	problems diag.List
}

// top reads the keys of the file.
func (l *loader) top(root tree) {
	if !root.mapping {
		l.problems.Add(root.problem(diag.ProjectSyntax, "found %s, want version: and sources:", root.what()).
			Hinted("begin with version: 1"))
		return
	}
	var version, sources *pair
	flows := false
	for i, p := range root.fields {
		switch p.key.name() {
		case "version":
			version = &root.fields[i]
		case "sources":
			sources = &root.fields[i]
		case "flows":
			flows = true
			l.flows(p)
		case "locations":
			l.locations(p)
		case "alerts":
			l.alerts(p)
		case "pipelines":
			flows = true
			l.pipelines(p)
		default:
			l.unknownKey(p.key, []string{"version", "sources", "flows", "locations", "pipelines", "alerts"}, "")
		}
	}
	defer l.alertSources()
	switch {
	case version == nil:
		l.problems.Add(root.problem(diag.ProjectKey, "key \"version\" is missing").Hinted("begin with version: 1"))
	case version.value.name() != "1":
		l.problems.Add(version.value.problem(diag.ProjectKey, "version: found %s, want 1", version.value.what()).
			Hinted("a newer version needs a newer release of landfall"))
	}
	if sources == nil && flows {
		return
	}
	if sources == nil {
		l.problems.Add(root.problem(diag.ProjectKey, "key \"sources\" is missing").
			Hinted("name a source: sources: {orders: {path: landing/orders, table: lake/orders}}"))
		return
	}
	if !l.isMapping(sources.key, sources.value, "a mapping of names to sources") {
		return
	}
	for _, p := range sources.value.fields {
		l.source(p)
	}
	l.twins()
}

// twins refuses two sources that land the same files in one table: every row
// would stand there twice.
func (l *loader) twins() {
	if len(l.problems) > 0 {
		return // what is wrong may be the reason
	}
	type feed struct{ path, table, glob string }
	seen := map[feed]string{}
	for _, s := range l.project.Sources {
		glob, _ := s.Options.setting("pathGlobFilter")
		f := feed{s.Path, s.Table, glob.Value.Text}
		if first, twice := seen[f]; twice {
			l.problems.Add(diag.New(diag.ProjectKey, "sources %s and %s land the same files in the same table", first, s.Name).In(s.At).
				Hinted("leave one out, or divide the files between them with pathGlobFilter"))
		}
		seen[f] = s.Name
	}
}

// unknownKey reports a key that does not belong where it stands.
func (l *loader) unknownKey(key tree, known []string, elsewhere string) {
	d := key.problem(diag.ProjectKey, "unknown key %s", diag.Quote(key.name()))
	switch near := diag.Nearest(key.name(), known); {
	case elsewhere != "":
		d.Message = "misplaced key " + diag.Quote(key.name())
		d.Hint = elsewhere
	case near != "":
		d.Hint = "did you mean " + near + "?"
	default:
		d.Hint = "keys here are " + strings.Join(known, ", ")
	}
	l.problems.Add(d)
}

// isMapping reports anything else than a mapping.
func (l *loader) isMapping(key, value tree, want string) bool {
	if value.mapping {
		return true
	}
	at := value
	if value.scalar == nil && !value.list {
		at = key
	}
	l.problems.Add(at.problem(diag.ProjectKey, "%s: found %s, want %s", key.name(), value.what(), want))
	return false
}

// text reads a value that is one text, not empty.
func (l *loader) text(p pair, want string) string {
	if p.value.name() == "" {
		at := p.value
		if at.scalar == nil && !at.list && !at.mapping {
			at = p.key
		}
		l.problems.Add(at.problem(diag.ProjectKey, "%s: found %s, want %s", p.key.name(), p.value.what(), want))
	}
	return p.value.name()
}
