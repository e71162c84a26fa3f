package project

import (
	"path"
	"slices"
	"strings"

	"landfall/internal/diag"
)

// Flow is a data flow of a project.
type Flow struct {
	Name string
	// Script is the path of a script or a resource, as it is written: relative to the
	// project file's folder. FILE#NAME is one flow of a file that has several.
	Script string
	// Parameters are values by name, Sources and Sinks paths by stream, as people write
	// them.
	Parameters, Sources, Sinks map[string]string
	// At is where the flow stands in the project file.
	At diag.Place
}

// Flow returns the flow of that name.
func (p *Project) Flow(name string) (Flow, bool) {
	i := slices.IndexFunc(p.Flows, func(f Flow) bool { return f.Name == name })
	if i < 0 {
		return Flow{}, false
	}
	return p.Flows[i], true
}

// Locate returns the folder that stands for a container of a linked service, as the project
// file has it: that of both, else the container's folder in that of the service, else that
// of the container alone. Either may be "".
func (p *Project) Locate(service, container string) (string, bool) {
	if folder, ok := p.Locations[service+"/"+container]; ok && service != "" && container != "" {
		return folder, true
	}
	if folder, ok := p.Locations[service]; ok && service != "" {
		return path.Join(folder, container), true
	}
	folder, ok := p.Locations[container]
	return folder, ok && container != ""
}

// flowKeys are the keys of a flow.
func flowKeys() []string { return []string{"script", "parameters", "sources", "sinks"} }

// flows reads the data flows.
func (l *loader) flows(p pair) {
	if !l.isMapping(p.key, p.value, "a mapping of names to flows") {
		return
	}
	for _, q := range p.value.fields {
		l.flow(q)
	}
}

func (l *loader) flow(p pair) {
	f := Flow{Name: p.key.name(), At: p.key.at}
	l.name(p.key)
	if !l.isMapping(p.key, p.value, "a mapping with script:") {
		return
	}
	script := false
	for _, q := range p.value.fields {
		switch q.key.name() {
		case "script":
			f.Script, script = l.place(q, "the path of a script or a resource"), true
		case "parameters":
			f.Parameters = l.texts(q, "a mapping of parameters to values", true)
		case "sources":
			f.Sources = l.texts(q, "a mapping of sources to paths", false)
		case "sinks":
			f.Sinks = l.texts(q, "a mapping of sinks to folders", false)
		default:
			l.unknownKey(q.key, flowKeys(), "")
		}
	}
	if !script {
		l.problems.Add(p.key.problem(diag.ProjectKey, "flow %s has no script", diag.Quote(f.Name)).Hinted("add script: flows/%s.dfs under it", f.Name))
	}
	l.project.Flows = append(l.project.Flows, f)
}

// texts reads a mapping of names to texts, which may be empty if they are values.
func (l *loader) texts(p pair, want string, values bool) map[string]string {
	out := map[string]string{}
	if !l.isMapping(p.key, p.value, want) {
		return out
	}
	for _, q := range p.value.fields {
		if values && q.value.scalar != nil {
			out[q.key.name()] = q.value.name()
			continue
		}
		out[q.key.name()] = l.text(q, "a text")
	}
	return out
}

// locations reads where linked services and containers are on this machine.
func (l *loader) locations(p pair) {
	if !l.isMapping(p.key, p.value, "a mapping of linked services to folders") {
		return
	}
	l.project.Locations = map[string]string{}
	for _, q := range p.value.fields {
		name := q.key.name()
		if strings.Count(name, "/") > 1 || strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.Contains(name, "://") {
			l.problems.Add(q.key.problem(diag.ProjectKey, "locations: found %s, want a linked service, a container, or SERVICE/CONTAINER", diag.Quote(name)).
				Hinted("as in locations: {Lake: lake, Lake/raw: landing}"))
		}
		l.project.Locations[name] = l.place(q, "a folder")
	}
}
