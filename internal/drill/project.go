package drill

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// Places are where the parts of a project lie in the sandbox.
type Places struct {
	// Source gives the path of a source's files and of its table.
	Source func(name, path string) (files, table string)
	// Target is the folder of a pipeline's tables, SQL the pattern of its files.
	Target func(name string) string
	SQL    func(pattern string) string
	// Alerts is the file that every rule of alerts tells.
	Alerts string
}

// Project is a project file with all places in the sandbox. Options, policies, pipelines and
// rules of alerts stay; what names other places of a state, flows and locations go, and so
// do times of digests: in a drill everything is told at once.
func Project(data []byte, at Places) ([]byte, error) {
	var top yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(data, &top, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("read the project file: %w", err)
	}
	out := yaml.MapSlice{}
	for _, item := range top {
		switch item.Key {
		case "flows", "locations":
			continue
		case "sources":
			each(item.Value, func(name string, source yaml.MapSlice) { sourceAt(name, source, at) })
		case "pipelines":
			each(item.Value, func(name string, p yaml.MapSlice) { pipelineAt(name, p, at) })
		case "alerts":
			item.Value = alertsAt(item.Value, at)
		}
		out = append(out, item)
	}
	return yaml.Marshal(out)
}

// each hands over the entries of a mapping that are mappings.
func each(v any, use func(string, yaml.MapSlice)) {
	entries, _ := v.(yaml.MapSlice)
	for _, e := range entries {
		if m, ok := e.Value.(yaml.MapSlice); ok {
			use(fmt.Sprint(e.Key), m)
		}
	}
}

func text(m yaml.MapSlice, key string) string {
	for _, e := range m {
		if e.Key == key {
			return fmt.Sprint(e.Value)
		}
	}
	return ""
}

// PlacesState reports whether an option, in any spelling, says where a state lies: one of the
// real project would be written.
func PlacesState(option string) bool {
	switch strings.TrimPrefix(strings.ToLower(strings.TrimSpace(option)), "cloudfiles.") {
	case "checkpointlocation", "schemalocation", "schematrackinglocation":
		return true
	}
	return false
}

func sourceAt(name string, source yaml.MapSlice, at Places) {
	files, table := at.Source(name, text(source, "path"))
	for i, e := range source {
		switch e.Key {
		case "path":
			source[i].Value = files
		case "table":
			source[i].Value = table
		case "options":
			options, _ := e.Value.(yaml.MapSlice)
			var kept yaml.MapSlice
			for _, o := range options {
				if !PlacesState(fmt.Sprint(o.Key)) {
					kept = append(kept, o)
				}
			}
			source[i].Value = kept
		}
	}
}

func pipelineAt(name string, p yaml.MapSlice, at Places) {
	for i, e := range p {
		switch e.Key {
		case "target":
			p[i].Value = at.Target(name)
		case "files":
			list, ok := e.Value.([]any)
			if !ok {
				list = []any{e.Value}
			}
			for n, pattern := range list {
				list[n] = at.SQL(fmt.Sprint(pattern))
			}
			p[i].Value = list
		}
	}
}

// alertsAt lets every rule tell the one file.
func alertsAt(v any, at Places) any {
	rules, _ := v.([]any)
	for i, r := range rules {
		rule, ok := r.(yaml.MapSlice)
		if !ok {
			continue
		}
		var kept yaml.MapSlice
		for _, e := range rule {
			switch e.Key {
			case "to":
				e.Value = yaml.MapSlice{{Key: "file", Value: at.Alerts}}
			case "digest":
				continue
			}
			kept = append(kept, e)
		}
		rules[i] = kept
	}
	return rules
}
