package provenance

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/reread"
	"landfall/internal/schema"
)

// history is what the contracts of a source say of its columns.
type history struct {
	now      contract.Version
	versions []contract.Version
	life     []contract.ObjectEvidence
}

func (e *Explainer) history(ctx context.Context) (*history, error) {
	h := &history{}
	for v, err := range e.State.Contracts(ctx) {
		if err != nil {
			return nil, err
		}
		h.versions = append(h.versions, v.Contract)
	}
	var err error
	if h.now, err = e.contractNow(ctx); err != nil {
		return nil, err
	}
	h.life, err = e.State.Life(ctx, nil)
	return h, err
}

// bound is a field of a record, or a folder of its path, and the column of today's
// contract that it belongs to, −1 for none.
type bound struct {
	field
	column int
	folder bool
	// ignored says that a decision keeps its values from the column.
	ignored bool
}

// cells explains the columns of a row.
func (e *Explainer) cells(ctx context.Context, h *history, p *pending) error {
	p.row.Contract.Now = h.now.Number
	if err := e.named(ctx, p); err != nil {
		return err
	}
	kept, err := e.kept(p)
	if err != nil {
		return err
	}
	p.row.Rescued = append(p.row.Rescued, kept...)
	fields := e.bind(h, p)
	for _, f := range e.Snapshot.Schema.Fields {
		if e.Column != "" && !e.means(h, f) {
			continue
		}
		c := e.cell(h, p, f, fields)
		if len(e.Part) > 0 {
			c = e.narrow(p, c, f)
		}
		p.row.Columns = append(p.row.Columns, c)
	}
	if e.Column != "" {
		return nil
	}
	for _, b := range fields {
		if (b.column < 0 || b.ignored) && filled(b.raw) && !isKept(kept, b.name) {
			p.row.Ignored = append(p.row.Ignored, Kept{Path: b.name, Value: quoteRaw(*b.raw, e.Objects.Tree), Why: contract.WhyIgnored})
		}
	}
	return nil
}

// named takes the names of fields from the evidence, where the record was not read.
func (e *Explainer) named(ctx context.Context, p *pending) error {
	if p.fields != nil {
		return nil
	}
	for o, err := range e.State.Evidence(ctx, p.mark.Batch, p.mark.Attempt) {
		if err != nil {
			return err
		}
		if o.Path != p.object.Path {
			continue
		}
		for _, name := range o.Header {
			p.fields = append(p.fields, field{name: name})
		}
	}
	return nil
}

// means tells whether a column of the table is the one asked for, by its name or by
// one that files give it.
func (e *Explainer) means(h *history, f schema.Field) bool {
	names := []string{f.Name}
	if at := columnOf(h.now, f.Name); at >= 0 {
		c := h.now.Columns[at]
		names = append(append(names, c.Original), h.now.Aliases(c)...)
	}
	return slices.ContainsFunc(names, func(n string) bool { return schema.Fold(n) == schema.Fold(e.Column) })
}

func columnOf(v contract.Version, name string) int {
	return slices.IndexFunc(v.Columns, func(c contract.Column) bool { return schema.Fold(c.Name) == schema.Fold(name) })
}

// bind finds the columns of a record's fields: by the contract under which it
// landed, and what became of those columns since.
func (e *Explainer) bind(h *history, p *pending) []bound {
	v := p.attempt.Contract
	target := func(at int) int {
		if at < 0 {
			return -1
		}
		return reread.Target(h.now, v.Columns[at])
	}
	keys, folders := contract.Folders(p.object.Path)
	names := make([]string, len(p.fields))
	for i, f := range p.fields {
		names[i] = f.name
	}
	var out []bound
	binding := contract.Bind(v, e.Objects.Policy, names, keys)
	tree := contract.NamesOf(v, e.Objects.Policy)
	for i, f := range p.fields {
		at, why := binding.Fields[i].Column, binding.Fields[i].Why
		if e.Objects.Tree {
			at, why = tree.Find(f.name)
		}
		ignored := why == contract.WhyIgnored
		if ignored {
			at = named(v, f.name)
		}
		out = append(out, bound{f, target(at), false, ignored})
	}
	for i, k := range binding.Folders {
		value := folders[i].Value
		out = append(out, bound{field{k.Name, &value}, target(k.Column), true, false})
	}
	return out
}

// named finds the column that has a name in files, −1 for none.
func named(v contract.Version, name string) int {
	folded := schema.Fold(schema.TrimName(name))
	return slices.IndexFunc(v.Columns, func(c contract.Column) bool {
		return c.K < 2 && (schema.Fold(c.Original) == folded ||
			slices.ContainsFunc(v.Aliases(c), func(alias string) bool { return schema.Fold(alias) == folded }))
	})
}

// cell explains one column of a row.
func (e *Explainer) cell(h *history, p *pending, f schema.Field, fields []bound) Cell {
	c := Cell{Column: f.Name, Type: f.Type.String(), Value: p.place.Values[f.Name]}
	if c.Value == nil {
		c.Value = json.RawMessage("null")
	}
	at := columnOf(h.now, f.Name)
	if at < 0 {
		if reserved(f.Name, e.Objects.Policy) {
			c.State = Ours
			return c
		}
		c.Rule = &Rule{By: "table"}
		c.State = Typed
		if string(c.Value) == "null" {
			c.State = Missing
		}
		return c
	}
	c.Rule = h.rule(e.Objects.Policy, at)
	var mine []bound
	for _, b := range fields {
		if b.column == at {
			mine = append(mine, b)
		}
	}
	e.explainValue(p, &c, mine)
	return c
}

func reserved(name string, p contract.Policy) bool {
	return slices.Contains([]string{schema.Fold(p.RescueColumn()), contract.SourceFile, contract.IngestedAt}, schema.Fold(name))
}

// explainValue says which field a value came from, or why there is none.
func (e *Explainer) explainValue(p *pending, c *Cell, mine []bound) {
	slices.SortStableFunc(mine, func(a, b bound) int { return cmp.Compare(rank(b), rank(a)) })
	if len(mine) > 0 {
		c.Field, c.Raw = mine[0].name, mine[0].raw
		if mine[0].folder && c.Rule != nil {
			c.Rule.By = "folder"
		}
	}
	if string(c.Value) != "null" {
		c.State = Typed
		return
	}
	for _, k := range p.row.Rescued {
		for _, b := range mine {
			if topOf(k.Path) == b.name {
				c.State, c.Why, c.Policy, c.Field, c.Raw = Rescued, k.Why, k.Policy, b.name, b.raw
				var text string
				if c.Raw == nil && topOf(k.Path) == k.Path && json.Unmarshal(orNull(k.Value), &text) == nil {
					c.Raw = &text
				}
				return
			}
		}
	}
	switch {
	case p.fields == nil && len(mine) == 0:
		c.State = Null
	case len(mine) == 0:
		c.State = Missing
	case filled(mine[0].raw) && !mine[0].folder:
		c.State, c.Why = Ignored, contract.WhyIgnored
		_, c.Policy = e.Objects.Policy.ActionOf(event.ValueMisfit, schema.Path{mine[0].name}.String())
		if p.attempt.Contract.Ignored(mine[0].name) {
			c.Policy = "decision"
		}
	default:
		c.State = Null
	}
}

// rank orders the fields of one column: folders win, then fields with a value, and
// ignored ones come last.
func rank(b bound) int {
	switch {
	case b.ignored:
		return -1
	case b.folder:
		return 2
	case filled(b.raw):
		return 1
	}
	return 0
}

// filled tells whether a field has something in it.
func filled(raw *string) bool { return raw != nil && *raw != "" && *raw != "null" }

// rule says how a column of the contract came to its type.
func (h *history) rule(p contract.Policy, at int) *Rule {
	c := h.now.Columns[at]
	r := &Rule{By: "inferred", File: c.File, Record: c.Record, Evidence: h.evidence(p, at)}
	switch {
	case c.Partition:
		r.By = "folder"
	case c.Hinted:
		r.By = "hint"
	}
	var before contract.Version
	for _, v := range h.versions {
		if r.Version == 0 && columnOf(v, c.Name) >= 0 {
			r.Version = v.Number
		} else if r.Version > 0 {
			r.Changes = append(r.Changes, changes(before, v, c.Original)...)
		}
		before = v
	}
	for _, d := range h.now.Decisions {
		if schema.Fold(d.Column) == schema.Fold(c.Original) || schema.Fold(d.To) == schema.Fold(c.Original) {
			r.Decided = append(r.Decided, d)
		}
	}
	return r
}

// changes are those of one column between two versions.
func changes(before, after contract.Version, original string) []Change {
	var out []Change
	for _, d := range contract.Diff(before, after) {
		if schema.Fold(topOf(d.Path)) == schema.Fold(original) {
			out = append(out, Change{after.Number, after.At, d.Kind, d.From, d.To})
		}
	}
	return out
}

// topOf is the first name of a path.
func topOf(path string) string {
	p, err := schema.ParsePath(path)
	if err != nil || len(p) == 0 {
		return path
	}
	return p[0]
}

// evidence says what the values of a column look like.
func (h *history) evidence(p contract.Policy, at int) string {
	var sum column.Evidence
	for _, o := range h.life {
		names := contract.NamesOf(h.now, p)
		bound := contract.Bind(h.now, p, o.Header, o.Partitions)
		for i := range o.Evidence.Fields {
			to := -1
			if o.Tree {
				to, _ = names.Find(o.Evidence.Fields[i].Name)
			} else if i < len(bound.Fields) {
				to = bound.Fields[i].Column
			}
			if to == at {
				sum.Merge(&o.Evidence.Fields[i].Evidence)
			}
		}
	}
	return strings.Join(counted(&sum), ", ")
}
