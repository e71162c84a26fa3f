package inspect

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"landfall/internal/diag"
)

// Parse reads a report that was printed as JSON. Of its files it has what is printed.
func Parse(data []byte) (*Report, error) {
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if len(r.Groups) == 0 {
		return nil, errors.New("it has no groups")
	}
	for i, g := range r.Groups {
		if len(g.Schema) == 0 {
			return nil, fmt.Errorf("group %d has no schema", g.ID)
		}
		r.Groups[i].key = key(g.Schema)
	}
	return &r, nil
}

// Gate holds a report against an earlier one of the same folder. The error is a
// list of diagnostics of code GateClosed: one for each group whose schema was not
// there, with the difference to the schema most like it, and one for each
// file that cannot be read and was not named so before. Groups that went are none.
func (r *Report) Gate(before *Report) error {
	var problems diag.List
	known := map[string]bool{}
	for _, g := range before.Groups {
		known[g.key] = true
	}
	for _, g := range r.Groups {
		if known[g.key] {
			continue
		}
		problems.Add(diag.New(diag.GateClosed, "a new schema in %d of %d files: %s", g.Files, r.Files, nearest(g, before.Groups)).
			In(diag.Place{File: g.Example}).
			Hinted("let the sender write the schema of before, or keep the report of today as the gate"))
	}
	bad := map[string]string{}
	for _, u := range before.Unreadable {
		bad[u.Path] = u.Message
	}
	for _, u := range r.Unreadable {
		if bad[u.Path] == u.Message {
			continue
		}
		problems.Add(diag.New(diag.GateClosed, "unreadable: %s", u.Message).In(diag.Place{File: u.Path}).
			Hinted("ask the sender for the file again, or move it out of the folder"))
	}
	return problems.Err()
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
