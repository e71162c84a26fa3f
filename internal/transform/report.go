package transform

import (
	"strings"
	"time"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
	"landfall/internal/flow/lint"
	"landfall/internal/plan"
	"landfall/internal/transform/deliver"
	"landfall/internal/transform/supply"
)

// Report is what became of a run.
type Report struct {
	Flow    string    `json:"flow"`
	ID      string    `json:"run"`
	Began   time.Time `json:"began"`
	Seconds float64   `json:"seconds"`
	Sources []Source  `json:"sources"`
	Streams []Stream  `json:"streams"`
	// Stages say where the time of the engine went; none without a clock.
	Stages []Stage `json:"stages"`
	Sinks  []Sink  `json:"sinks"`
	// Notes are what else a person should know.
	Notes []Note `json:"notes"`
}

// Note is a diagnostic that stopped nothing.
type Note struct {
	Code    diag.Code  `json:"code,omitempty"`
	Message string     `json:"message"`
	At      diag.Place `json:"at"`
	Hint    string     `json:"hint,omitempty"`
}

// Source is what a source read.
type Source struct {
	Name  string `json:"name"`
	Files []File `json:"files"`
	// Drifted are the columns that no projection has.
	Drifted []string `json:"drifted"`
}

// File is a file that a source read.
type File struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	// Drift is how its columns differ from the projection, or the first file.
	Drift []supply.Drift `json:"drift"`
}

// Stream is how many rows left a transformation.
type Stream struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
}

// Stage is what the engine executed at one go.
type Stage struct {
	// Step is the last transformation of it; "" is the counting of rows.
	Step    string  `json:"step"`
	Seconds float64 `json:"seconds"`
}

// Sink is what a sink wrote.
type Sink struct {
	Name    string         `json:"name"`
	Folder  string         `json:"folder"`
	Rows    int64          `json:"rows"`
	Files   []deliver.File `json:"files"`
	Removed int            `json:"files_removed"`
	// Version is that of the Delta table; -1 for files.
	Version int64 `json:"table_version"`
}

// report begins the report of a run with what is known of the sources.
func (o *Opened) report() *Report {
	r := &Report{Flow: o.job.Flow.Name, ID: o.job.NewID(), Began: o.began, Streams: []Stream{}, Stages: []Stage{}, Notes: []Note{}}
	for _, s := range o.Sources {
		source := Source{Name: s.Input.Source, Files: []File{}, Drifted: []string{}}
		for _, f := range s.Files {
			source.Files = append(source.Files, File{Path: f.Path, Size: f.Size, Drift: append([]supply.Drift{}, f.Drift...)})
		}
		for _, c := range o.Plan.Step(source.Name).Visible() {
			if c.Drifted {
				source.Drifted = append(source.Drifted, c.Name)
			}
		}
		r.Sources = append(r.Sources, source)
	}
	for _, d := range o.Notes() {
		r.Notes = append(r.Notes, Note{d.Code, d.Message, d.At, d.Hint})
	}
	return r
}

// Notes are what a person should know of the flow before its rows are read: settings
// without effect, what the service would refuse, drifted columns that go no further than
// a transformation.
func (o *Opened) Notes() []diag.Diagnostic {
	out := o.unconverted()
	for _, s := range o.Sources {
		out = append(out, s.Notes...)
	}
	for _, s := range o.sinks {
		out = append(out, s.Notes...)
		if s.Format == dataset.Parquet && !s.Cache {
			out = append(out, badNames(o.Plan.Step(s.Name))...)
		}
	}
	for _, s := range o.Plan.Steps {
		switch s.Op.(type) {
		case plan.Select, plan.Flatten, plan.Sink:
		default:
			continue // what groups or pivots rows keeps only what it says
		}
		var names []string
		for _, c := range o.Plan.Dropped(s.Name) {
			if c.Drifted {
				names = append(names, diag.Quote(c.Name))
			}
		}
		if len(names) == 0 {
			continue
		}
		d := diag.New(diag.FlowLint, "%s drops drifted columns: %s", s.Name, joined(names)).In(s.At).
			Hinted("a rule that every column matches takes them: each(match(true())); of two columns that get one name it takes the first")
		out = append(out, *d)
	}
	return out
}

// unconverted are columns that are looked up by name and not converted, which the service
// does not take.
func (o *Opened) unconverted() []diag.Diagnostic {
	var out []diag.Diagnostic
	for _, f := range lint.Run(o.job.Flow, o.script) {
		if f.Name == "bare-byname" {
			d := diag.New(diag.FlowService, "%s", f.Message).In(f.At).Hinted("%s", f.Fix)
			d.Excerpt = f.Excerpt
			out = append(out, *d)
		}
	}
	return out
}

// badNames are the columns of a Parquet sink that the service refuses to write.
func badNames(sink *plan.Step) []diag.Diagnostic {
	var out []diag.Diagnostic
	for _, c := range sink.Visible() {
		if !strings.ContainsAny(c.Name, " ,;{}()\n\t=") {
			continue
		}
		d := diag.New(diag.FlowService, "sink %s: found column %s, and the service writes no Parquet column with white space or one of ,;{}()=", sink.Name, diag.Quote(c.Name)).
			In(sink.At).Hinted("put a select before the sink: each(match(true()), replace($$, ' ', '_') = $$)")
		out = append(out, *d)
	}
	return out
}

func (d *delivery) report(out deliver.Output) Sink {
	return Sink{Name: d.sink.Name, Folder: d.folder, Rows: out.Rows, Files: out.Files, Removed: out.Removed, Version: out.Version}
}

// tell adds an error that stops nothing.
func (r *Report) tell(err error) {
	if err != nil {
		r.Notes = append(r.Notes, Note{Message: err.Error()})
	}
}

func joined(names []string) string { return strings.Join(names, ", ") }
