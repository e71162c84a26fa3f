package flow

import (
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow/expression"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// declared is a column of a projection.
type declared struct {
	at   syntax.Pos
	name string
	// kind is nil where the projection leaves the type to the files.
	kind schema.Type
	// format is how text is read as the type, nil for as usual.
	format syntax.Expr
}

// projection is what the script declares of a source or sink; without that, what its
// dataset does. known is false where neither says anything.
func (sc *scope) projection(st *syntax.Statement, clause string) (list []declared, known bool) {
	for _, a := range st.Args.List {
		if s, ok := a.Node.(*syntax.Schema); ok && s.Name.Text == clause {
			known = known || len(s.Columns) > 0
			list = append(list, sc.declarations(s)...)
		}
	}
	if !known {
		for _, f := range sc.b.options.Projections[st.Output.Text] {
			list, known = append(list, declared{at: st.Output.At, name: f.Name, kind: f.Type}), true
		}
	}
	return list, known
}

// declarations are the columns that a group of the script declares, each name once.
func (sc *scope) declarations(s *syntax.Schema) []declared {
	var list []declared
	seen := map[string]bool{}
	for _, f := range s.Columns {
		one := declared{at: f.At, name: f.Name.Text, format: f.Format}
		if f.Type != nil {
			kind, ok := expression.TypeOf(f.Type)
			if !ok {
				sc.b.Add(diag.FlowRefused, f.At, "give the column another type", "%s: found type %s, which does not run here", sc.Where, f.Type)
				continue
			}
			one.kind = kind
		}
		if seen[schema.Fold(one.name)] {
			sc.b.Add(diag.FlowInput, f.At, "take it away", "%s: found column %s a second time, want each name once", sc.Where, diag.Quote(one.name))
			continue
		}
		seen[schema.Fold(one.name)] = true
		list = append(list, one)
	}
	return list
}

// source settles the columns of a source: the projection, then what drifts in.
func (sc *scope) source(st *syntax.Statement) plan.Op {
	files, known := sc.b.options.Inputs[st.Output.Text]
	if !known {
		sc.b.Add(diag.FlowInput, st.Output.At, "name the files of the source", "%s: found no files, want the columns of some", sc.Where)
		return nil
	}
	op := plan.Source{Limit: sc.limit(st)}
	wanted, _ := sc.projection(st, "output")
	named := map[string]bool{}
	for _, d := range wanted {
		sc.projected(&op, d, files)
		named[schema.Fold(d.name)] = true
	}
	drift, infer := sc.flag(st, "allowSchemaDrift"), sc.flag(st, "inferDriftedColumnTypes")
	if sc.flag(st, "validateSchema") {
		sc.validate(st, wanted, files)
	}
	if sc.flag(st, "useSchema") {
		drift = false
	}
	for _, f := range files {
		if named[schema.Fold(f.Name)] || !drift {
			continue
		}
		t := schema.Type(schema.String)
		switch {
		case infer && f.Type != schema.Unknown: // of nulls alone nothing is known
			t = f.Type
		case plan.Same(f.Type, schema.Binary): // bytes need not be text, and would be lost
			t = f.Type
		}
		op.Columns = append(op.Columns, plan.Column{Name: f.Name, Type: t, Drifted: true})
	}
	sc.pathColumn(st, &op)
	if len(op.Columns) == 0 && len(files) > 0 && len(wanted) == 0 {
		sc.b.Add(diag.FlowInput, st.Output.At, "check Allow schema drift (allowSchemaDrift: true), or import a projection: output(a as string)",
			"%s: found no projection and no drift, which leaves no column (DF-Executor-InvalidInputColumns)", sc.Where)
	}
	return op
}

// limit is how many rows a source reads, 0 for all.
func (sc *scope) limit(st *syntax.Statement) int64 {
	n := sc.whole(st, "limit", 0)
	if x := optionOf(st, "limit"); x != nil && n < 1 {
		sc.b.Add(diag.FlowType, x.Pos(), "write a number from 1 on, or take the setting away", "%s: limit: found %d, want a number of rows", sc.Where, n)
	}
	return n
}

func (sc *scope) pathColumn(st *syntax.Statement, op *plan.Source) {
	name, ok := sc.textOption(st, "rowUrlColumn")
	if !ok || name == "" {
		return
	}
	if slices.ContainsFunc(op.Columns, func(c plan.Column) bool { return schema.Fold(c.Name) == schema.Fold(name) }) {
		sc.b.Add(diag.FlowInput, optionOf(st, "rowUrlColumn").Pos(), "give it another name", "%s: rowUrlColumn: found column %s in the files, want a name of its own", sc.Where, diag.Quote(name))
		return
	}
	op.PathColumn = name
	op.Columns = append(op.Columns, plan.Column{Name: name, Type: schema.String})
}

// projected adds a column of the projection, which has to be in the files. A format says
// how text is read; it has no meaning for files that have types.
func (sc *scope) projected(op *plan.Source, d declared, files []schema.Field) {
	at := (schema.Struct{Fields: files}).Lookup(d.name)
	if at < 0 && len(files) > 0 {
		sc.b.Add(diag.FlowInput, d.at, "import the projection anew, and leave the rest to drift: allowSchemaDrift: true",
			"%s: found column %s in the projection, which no file has (DF-Executor-InvalidInputColumns)", sc.Where, diag.Quote(d.name))
	}
	c := plan.Column{Name: d.name, Type: d.kind}
	if c.Type == nil {
		c.Type = schema.String
		if at >= 0 && files[at].Type != schema.Unknown {
			c.Type = files[at].Type
		}
	}
	op.Columns = append(op.Columns, c)
	untyped := at >= 0 && files[at].Type == schema.String || sc.b.options.Untyped[sc.Name]
	if d.format == nil || c.Type == schema.String || !untyped {
		return
	}
	if e, ok := sc.formatted(d, plan.Local{Name: c.Name, Of: schema.String}, c.Type); ok {
		op.Parse = append(op.Parse, plan.Parsing{Column: c.Name, By: e})
	}
}

// validate tells of every column of the files that the defined schema does not have, or
// has with another type. One that the files lack is told of anyway.
func (sc *scope) validate(st *syntax.Statement, wanted []declared, files []schema.Field) {
	at := optionOf(st, "validateSchema").Pos()
	untyped := sc.b.options.Untyped[st.Output.Text]
	if format, ok := sc.textOption(st, "format"); ok && format == "delimited" {
		untyped = true
	}
	for _, f := range files {
		i := slices.IndexFunc(wanted, func(d declared) bool { return schema.Fold(d.name) == schema.Fold(f.Name) })
		switch {
		case i < 0:
			sc.b.Add(diag.FlowInput, at, "clear Validate schema, or add the column to the projection",
				"%s: the files do not match the defined schema: found column %s %s, which it does not have, and validateSchema is true", sc.Where, diag.Quote(f.Name), f.Type)
		case !untyped && wanted[i].kind != nil && !plan.Same(wanted[i].kind, f.Type):
			sc.b.Add(diag.FlowInput, wanted[i].at, "clear Validate schema, or import the projection anew",
				"%s: the files do not match the defined schema: column %s: found %s, want %s, and validateSchema is true", sc.Where, diag.Quote(f.Name), f.Type, wanted[i].kind)
		}
	}
}
