package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"landfall/internal/definition"
	"landfall/internal/diag"
)

// reportFormat is the version of the report's JSON, and of what a gate keeps.
const reportFormat = 1

// Gate is what a folder is held against: an earlier report, or a definition.
type Gate struct {
	name   string
	before *Report
	want   *definition.Table
}

// ParseGate reads what a folder is held against: a report that was printed as JSON,
// a record of [Report.Record], or a table definition. Its content tells which. name
// stands for it in messages. The error is a diagnostic.
func ParseGate(name string, data []byte) (Gate, error) {
	if r, ok, err := parseReport(data); ok {
		if err != nil {
			return Gate{}, diag.New(diag.Usage, "the report cannot be a gate: %v", err).In(diag.Place{File: name}).
				Hinted("write it again with this program: landfall inspect FOLDER --json > FILE").Because(err)
		}
		return Gate{name: name, before: r}, nil
	}
	t, err := definition.Parse(name, data)
	if err != nil {
		return Gate{}, err
	}
	return Gate{name: name, want: &t}, nil
}

// Report tells whether the gate is an earlier report, and not a definition.
func (g Gate) Report() bool { return g.before != nil }

// parseReport reads a report; ok says that the text means to be one.
func parseReport(data []byte) (r *Report, ok bool, err error) {
	data = bytes.TrimSpace(data)
	var keys map[string]json.RawMessage
	if json.Unmarshal(data, &keys) != nil || keys["groups"] == nil || keys["folder"] == nil {
		return nil, false, nil
	}
	r = &Report{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, true, err
	}
	if r.Format != reportFormat {
		return nil, true, fmt.Errorf("found format %d, want %d", r.Format, reportFormat)
	}
	for i, g := range r.Groups {
		if len(g.Schema) == 0 {
			return nil, true, fmt.Errorf("group %d has no schema", g.ID)
		}
		r.Groups[i].key = key(g.Schema)
	}
	return r, true, nil
}

// Record writes what a gate keeps of a report (docs/format/gate.md): the schemas and
// the files that cannot be read, with the time of the inspection.
func (r *Report) Record(at time.Time) ([]byte, error) {
	out, err := json.MarshalIndent(struct {
		Format     int          `json:"format"`
		Folder     string       `json:"folder"`
		At         time.Time    `json:"at"`
		Groups     []Group      `json:"groups"`
		Unreadable []Unreadable `json:"unreadable"`
	}{reportFormat, r.Folder, at.UTC().Truncate(time.Second), r.Groups, r.Unreadable}, "", " ")
	return append(out, '\n'), err
}

// Outcomes of a gate.
const (
	GatePassed   = "passed"
	GateClosed   = "closed"
	GateFirst    = "first"    // there was nothing to hold the folder against
	GateAccepted = "accepted" // it was closed, and a person opened it
)

// Verdict is what a gate says of a folder.
type Verdict struct {
	// Against names the report, record or definition.
	Against string `json:"against"`
	Outcome string `json:"outcome"`
	// Offences are what the gate does not let pass.
	Offences []Offence `json:"offences"`
}

// Offence is a thing that a gate does not let pass.
type Offence struct {
	// Files are those that have it, by path.
	Files []string `json:"files"`
	// Code is that of a file which cannot be read, else that of a closed gate.
	Code diag.Code `json:"code"`
	// Column, Found and Want are of a column that does not agree with a definition.
	Column string `json:"column,omitempty"`
	Found  string `json:"found,omitempty"`
	Want   string `json:"want,omitempty"`
	// Message says what the matter is.
	Message string `json:"message"`

	hint string
	// moving is said of files that changed while the folder was inspected.
	moving bool
}

// Text says what the matter is with the column, if it is one.
func (o Offence) Text() string {
	if o.Column == "" {
		return o.Message
	}
	return o.Column + ": " + o.Message
}

// Hold holds the folder against a gate, and returns the verdict, which is passed or
// closed, for the report to keep. Against a report, what is new since is an offence:
// a schema, or a file that cannot be read; schemas that went are none. Against a
// definition it is each column that has no place there, or whose values may not be
// exactly of the wanted type, and each file that cannot be read. Files that changed
// while the folder was inspected were not looked at, which is one, too.
func (r *Report) Hold(g Gate) *Verdict {
	v := &Verdict{Against: g.name, Outcome: GatePassed, Offences: []Offence{}}
	if g.before != nil {
		v.Offences = append(v.Offences, r.since(g.before)...)
	} else if g.want != nil {
		v.Offences = append(v.Offences, r.against(*g.want)...)
		v.Offences = append(v.Offences, r.Broken()...)
	}
	for _, path := range r.moving {
		v.Offences = append(v.Offences, Offence{
			Files: []string{path}, Code: diag.GateClosed, moving: true,
			Message: "it changed while the folder was inspected", hint: "inspect again when nobody writes to the folder",
		})
	}
	if len(v.Offences) > 0 {
		v.Outcome = GateClosed
	}
	return v
}

// Err is a list of diagnostics of code GateClosed, one for each offence, if the gate
// is closed.
func (v *Verdict) Err() error {
	if v.Outcome != GateClosed {
		return nil
	}
	var problems diag.List
	for _, o := range v.Offences {
		d := diag.New(diag.GateClosed, "%s", o.Message).In(diag.Place{File: o.Files[0]}).Hinted("%s", o.hint)
		d.Path = o.Column
		problems.Add(d)
	}
	return problems.Err()
}

// Broken lists the files that nobody can read, as offences.
func (r *Report) Broken() []Offence {
	out := make([]Offence, 0, len(r.Unreadable))
	for _, u := range r.Unreadable {
		hint := "ask the sender for the file again, or move it out of the folder (--quarantine)"
		if u.Code == diag.NoPermission {
			hint = "let it be read, or inspect as a user who may"
		}
		out = append(out, Offence{Files: []string{u.Path}, Code: u.Code, Message: "unreadable: " + u.Message, hint: hint})
	}
	return out
}

// since lists what is new in comparison with an earlier report.
func (r *Report) since(before *Report) []Offence {
	var out []Offence
	known := map[string]bool{}
	for _, g := range before.Groups {
		known[g.key] = true
	}
	for _, g := range r.Groups {
		if known[g.key] {
			continue
		}
		what := nearest(g, before.Groups)
		if what == "" {
			what = "there was none before"
		}
		out = append(out, Offence{
			Files: r.filesOf(g.ID), Code: diag.GateClosed, Message: fmt.Sprintf("a new schema in %d of %d files: %s", g.Files, r.Files, what),
			hint: "let the sender write the schema of before, put the files aside (--quarantine), or make today's report the gate (--gate last --accept)",
		})
	}
	bad := map[string]string{}
	for _, u := range before.Unreadable {
		bad[u.Path] = u.Message
	}
	return append(out, slices.DeleteFunc(r.Broken(), func(o Offence) bool {
		message, was := bad[o.Files[0]]
		return was && "unreadable: "+message == o.Message
	})...)
}

// filesOf lists the files of a group, by path, its first file before the others.
func (r *Report) filesOf(group int) []string {
	var out []string
	for _, f := range r.Read {
		if f.Group == group {
			out = append(out, f.Path)
		}
	}
	slices.Sort(out)
	first := r.Groups[group-1].Example
	at := slices.Index(out, first)
	return append([]string{first}, slices.Delete(out, at, at+1)...)
}

// nearest says in what a group differs from that of others which is most like it.
func nearest(g Group, others []Group) string {
	var best []Difference
	for i, o := range others {
		if d := differences([]Group{o, g}); i == 0 || len(d) < len(best) {
			best = d
		}
	}
	texts := make([]string, 0, len(best))
	for _, d := range best {
		texts = append(texts, d.step())
	}
	return strings.Join(texts, "; ")
}

// step says a difference of two groups as what became of the first.
func (d Difference) step() string {
	first, last := d.Types[0].Type, d.Types[len(d.Types)-1].Type
	switch d.Kind {
	case "added":
		return "+ " + d.Column + " " + last
	case "missing":
		return "- " + d.Column + " " + first
	case "order":
		return "the order of columns"
	}
	return fmt.Sprintf("%s: %s → %s", d.Column, first, last)
}
