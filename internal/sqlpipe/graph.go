package sqlpipe

import (
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

// attach gives flows that were written apart to their tables, and looks for what stands
// twice or lacks.
func (l *loader) attach() {
	seen := map[string]*Dataset{}
	var kept []*Dataset
	for _, d := range l.pipeline.Datasets {
		if first, ok := seen[schema.Fold(d.Name)]; ok {
			l.problems.Add(d.File.Problem(diag.PipelineGraph, d.At.At, "%s: is created twice, first at %s", d.Name, first.Place()).
				Hinted("give one of them another name; to feed one table from several queries write CREATE FLOW … AS INSERT INTO %s BY NAME SELECT …", d.Name))
			continue
		}
		seen[schema.Fold(d.Name)] = d
		kept = append(kept, d)
	}
	l.pipeline.Datasets = kept
	flows := map[string]bool{}
	for _, d := range kept {
		if len(d.Flows) > 0 {
			flows[schema.Fold(d.Name)] = true
		}
	}
	for _, f := range l.flows {
		last := f.table[len(f.table)-1]
		d := seen[schema.Fold(last.Name)]
		switch {
		case d == nil && l.broken[schema.Fold(last.Name)]:
		case d == nil:
			l.problems.Add(f.File.Problem(diag.SQLName, last.At, "table %s: the pipeline makes none of that name", last.Name).Hinted("%s", near(last.Name, l.names())))
		case d.Kind != StreamingTable:
			l.problems.Add(f.File.Problem(diag.PipelineGraph, last.At, "%s: is a %s, want a streaming table to insert into", d.Name, d.Kind).Hinted("create it as a STREAMING TABLE"))
		case flows[schema.Fold(f.Name)] || seen[schema.Fold(f.Name)] != nil && seen[schema.Fold(f.Name)] != d:
			l.problems.Add(f.File.Problem(diag.PipelineGraph, f.At.At, "flow %s: the name is taken", f.Name).Hinted("give each flow a name of its own; the query of a table is a flow of the table's name"))
		default:
			d.Flows = append(d.Flows, f.Flow)
		}
		flows[schema.Fold(f.Name)] = true
	}
}

func (l *loader) names() []string {
	var out []string
	for _, d := range l.pipeline.Datasets {
		out = append(out, d.Name)
	}
	return out
}

func near(name string, names []string) string {
	if n := diag.Nearest(name, names); n != "" {
		return "did you mean " + n + "?"
	}
	if len(names) == 0 {
		return "create it in a file of the pipeline, or land it: sources: in landfall.yaml"
	}
	return "there are " + strings.Join(names[:min(len(names), 10)], ", ")
}

// order checks what each dataset reads, and puts them in order.
func (l *loader) order() {
	for _, d := range l.pipeline.Datasets {
		if len(d.Flows) == 0 && !l.fed[schema.Fold(d.Name)] {
			l.problems.Add(d.File.Problem(diag.PipelineGraph, d.At.At, "%s: has no query", d.Name).Hinted("add AS SELECT …, or CREATE FLOW … AS INSERT INTO %s BY NAME SELECT …", d.Name))
		}
		for _, f := range d.Flows {
			l.reads(d, f)
			l.lint(d, f)
		}
		for _, r := range d.Rules {
			if r.Kind == References {
				l.resolve(d, Source{Name: identNames(r.Table), At: r.Table[0].Range}, d.File)
			}
		}
	}
	state := map[*Dataset]int{}
	var order []*Dataset
	for _, d := range l.pipeline.Datasets {
		l.visit(d, state, nil, &order)
	}
	l.pipeline.Datasets = order
}

func identNames(list []sparksql.Ident) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = n.Name
	}
	return out
}

// reads resolves what a flow reads, and whether it has the streams that its dataset wants.
func (l *loader) reads(d *Dataset, f Flow) {
	tables, stream := Sources(f.Query)
	for _, s := range tables {
		l.resolve(d, s, f.File)
		l.noteLive(f.File, s)
	}
	view := l.streamView(tables)
	switch {
	case d.Kind == StreamingTable && f.Once && stream:
		l.problems.Add(f.File.Problem(diag.PipelineStream, f.At.At, "flow %s: runs once and reads a stream", f.Name).Hinted("take STREAM out of the query, or ONCE out of the flow"))
	case d.Kind == StreamingTable && f.Once && view != "":
		l.problems.Add(f.File.Problem(diag.PipelineStream, f.At.At, "flow %s: runs once and reads a stream, in the view %s", f.Name, view).Hinted("take STREAM out of the view, or ONCE out of the flow"))
	case d.Kind == StreamingTable && !f.Once && !stream && view == "":
		place, hint := streamless(f, tables)
		l.problems.Add(f.File.Problem(diag.PipelineStream, place, "%s: a streaming table reads no stream", d.Name).Hinted("%s", hint))
	case d.Kind == MaterializedView && view != "":
		l.problems.Add(f.File.Problem(diag.PipelineStream, f.At.At, "%s: a materialized view reads a stream, in the view %s", d.Name, view).Hinted("take STREAM out of the view, or create a STREAMING TABLE"))
	case d.Kind == MaterializedView && stream:
		l.problems.Add(f.File.Problem(diag.PipelineStream, f.At.At, "%s: a materialized view reads a stream", d.Name).Hinted("take STREAM out of the query, or create a STREAMING TABLE"))
	}
}

// streamless is what to write where STREAM was forgotten, and where.
func streamless(f Flow, tables []Source) (sparksql.Pos, string) {
	place, hint := f.At.At, "write STREAM before the table whose new rows it takes, or create a MATERIALIZED VIEW"
	if len(tables) > 0 {
		return tables[0].At.At, "write FROM STREAM(" + strings.Join(tables[0].Name, ".") + ") to take its new rows, or create a MATERIALIZED VIEW"
	}
	sparksql.Walk(f.Query, func(node any) bool {
		if c, ok := node.(*sparksql.TableCall); ok && strings.EqualFold(c.Name.Name, "read_files") {
			place, hint = c.At, "write FROM STREAM "+f.File.Slice(sparksql.Range{At: c.At, End: c.Name.End})+"(…) to take each file once, or create a MATERIALIZED VIEW"
		}
		return true
	})
	return place, hint
}

// streamView is the first of some tables that is a view on a stream, "" if none is.
func (l *loader) streamView(tables []Source) string {
	return l.streamViews(tables, map[*Dataset]bool{})
}

func (l *loader) streamViews(tables []Source, seen map[*Dataset]bool) string {
	for _, s := range tables {
		d := l.pipeline.Find(s.Last())
		if d == nil || d.Kind != View || seen[d] {
			continue
		}
		seen[d] = true
		for _, f := range d.Flows {
			if inner, stream := Sources(f.Query); stream || l.streamViews(inner, seen) != "" {
				return d.Name
			}
		}
	}
	return ""
}

// resolve finds a table in the pipeline first, then outside.
func (l *loader) resolve(d *Dataset, s Source, f *sparksql.File) {
	found := l.pipeline.Find(s.Last())
	if found != nil && found != d && len(s.Name) > 1 && !s.Live && l.outside(s) && !sameQualifier(found.path, s.Name) {
		l.problems.Add(f.Problem(diag.SQLName, s.At.At, "table %s: there is one in the pipeline and one outside of it", strings.Join(s.Name, ".")).
			Hinted("write %s for that of the pipeline; to read the other, give that of the pipeline another name", found.Name))
		return
	}
	if found != nil && found != d || found == d && !l.outside(s) {
		if !slices.Contains(d.Reads, found) {
			d.Reads = append(d.Reads, found)
		}
		return
	}
	if !s.Live && l.outside(s) || l.unread || l.broken[schema.Fold(s.Last())] || l.fed[schema.Fold(s.Last())] || strings.Contains(strings.Join(s.Name, "."), unknownValue) {
		return
	}
	where := "there is none of that name"
	if s.Live {
		where = "the pipeline makes none of that name"
	}
	l.problems.Add(f.Problem(diag.SQLName, s.At.At, "table %s: %s", strings.Join(s.Name, "."), where).
		Hinted("%s", near(s.Last(), append(l.names(), l.options.Names...))))
}

// sameQualifier reports whether a dataset that was created with a qualified name is the one
// that another qualified name says.
func sameQualifier(created, read []string) bool {
	for i := 1; i <= min(len(created), len(read)); i++ {
		if schema.Fold(created[len(created)-i]) != schema.Fold(read[len(read)-i]) {
			return false
		}
	}
	return len(created) > 1
}

func (l *loader) outside(s Source) bool {
	return l.options.Outside != nil && l.options.Outside(s.Name)
}

// visit puts a dataset behind those that it reads. path are those on the way, for circles.
func (l *loader) visit(d *Dataset, state map[*Dataset]int, path []*Dataset, order *[]*Dataset) {
	switch state[d] {
	case 2:
		return
	case 1:
		circle := path[slices.Index(path, d):]
		names, places := make([]string, 0, len(circle)+1), make([]string, len(circle))
		for i, c := range circle {
			names, places[i] = append(names, c.Name), c.Name+" at "+c.Place().String()
		}
		l.problems.Add(d.File.Problem(diag.PipelineGraph, d.At.At, "%s: reads itself: %s", d.Name, strings.Join(append(names, d.Name), " ← ")).
			Hinted("take one of these reads out: %s", strings.Join(places, ", ")))
		return
	}
	state[d] = 1
	for _, r := range d.Reads {
		l.visit(r, state, append(path[:len(path):len(path)], d), order)
	}
	state[d] = 2
	*order = append(*order, d)
}
