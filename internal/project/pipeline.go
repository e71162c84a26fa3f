package project

import (
	"path"
	"slices"
	"strconv"

	"landfall/internal/diag"
)

// Pipeline is a pipeline of a project.
type Pipeline struct {
	Name string
	// Files are paths or patterns of SQL files, and Target the folder of its tables, as
	// they are written: relative to the project file's folder.
	Files  []string
	Target string
	// Parameters are values by name.
	Parameters map[string]string
	// MaxDropRate is the greatest part of the rows of a batch that rules may drop.
	MaxDropRate float64
	// RedactSamples keeps the values of rows that break rules out of what is told and
	// recorded.
	RedactSamples bool
	// At is where the pipeline stands in the project file.
	At diag.Place
}

// Pipeline returns the pipeline of that name.
func (p *Project) Pipeline(name string) (Pipeline, bool) {
	i := slices.IndexFunc(p.Pipelines, func(x Pipeline) bool { return x.Name == name })
	if i < 0 {
		return Pipeline{}, false
	}
	return p.Pipelines[i], true
}

// defaultDropRate is half of the rows.
const defaultDropRate = 0.5

// pipelines reads the pipelines.
func (l *loader) pipelines(p pair) {
	if !l.isMapping(p.key, p.value, "a mapping of names to pipelines") {
		return
	}
	for _, q := range p.value.fields {
		l.pipeline(q)
	}
}

func (l *loader) pipeline(p pair) {
	x := Pipeline{Name: p.key.name(), At: p.key.at, MaxDropRate: defaultDropRate}
	l.name(p.key)
	if !l.isMapping(p.key, p.value, "a mapping with files: and target:") {
		return
	}
	for _, q := range p.value.fields {
		switch q.key.name() {
		case "files":
			x.Files = l.patterns(q)
		case "target":
			x.Target = l.place(q, "the folder of its tables")
		case "parameters":
			x.Parameters = l.texts(q, "a mapping of parameters to values", true)
		case "max_drop_rate":
			rate, err := strconv.ParseFloat(q.value.name(), 64)
			if err != nil || rate < 0 || rate > 1 {
				l.problems.Add(q.value.problem(diag.ProjectKey, "max_drop_rate: found %s, want a number from 0 to 1", q.value.what()).Hinted("0.5 is half of the rows of a batch; 1 sets no limit"))
			}
			x.MaxDropRate = rate
		case "redact_samples":
			x.RedactSamples = l.truth(q)
		default:
			l.unknownKey(q.key, []string{"files", "target", "parameters", "max_drop_rate", "redact_samples"}, "")
		}
	}
	if len(x.Files) == 0 {
		l.problems.Add(p.key.problem(diag.ProjectKey, "pipeline %s has no files", diag.Quote(x.Name)).Hinted("add files: [pipelines/*.sql] under it"))
	}
	if x.Target == "" {
		l.problems.Add(p.key.problem(diag.ProjectKey, "pipeline %s has no target", diag.Quote(x.Name)).Hinted("add target: lake/silver under it"))
	}
	l.project.Pipelines = append(l.project.Pipelines, x)
}

// patterns reads one pattern, or a list of them.
func (l *loader) patterns(p pair) []string {
	if p.value.scalar != nil {
		return []string{l.text(p, "a path or a pattern")}
	}
	out := make([]string, 0, len(p.value.items))
	for _, item := range p.value.items {
		if name := item.name(); name != "" {
			out = append(out, path.Clean(name))
			continue
		}
		l.problems.Add(item.problem(diag.ProjectKey, "files: found %s, want a path or a pattern", item.what()).Hinted("as in files: [pipelines/*.sql]"))
	}
	return out
}
