package flow

import (
	"slices"
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/expression"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// flatten binds a flatten: of one array, by unroll(path, root), or of several whose items
// are combined, by unrollMultiple(path, …). Arrays on the way to an array are unrolled too.
func (sc *scope) flatten(st *syntax.Statement) plan.Op {
	mapping := clauseOf(st, "mapColumn")
	op := plan.Flatten{}
	before := len(sc.b.Problems)
	if c := clauseOf(st, "unroll"); c != nil {
		paths := sc.clauseValues(c)
		if len(paths) < 1 || len(paths) > 2 {
			sc.b.Add(diag.FlowSyntax, c.Name.At, "as in: unroll(order.items) or unroll(order.items, order)", "%s: unroll: found %d arrays, want one, and perhaps the root", sc.Where, len(paths))
			return nil
		}
		sc.unroll(&op, paths[0], sc.root(paths))
	}
	for _, path := range sc.clauseValues(clauseOf(st, "unrollMultiple")) {
		sc.unroll(&op, path, "")
	}
	if len(sc.b.Problems) > before {
		return nil
	}
	if mapping == nil || len(op.Unroll) == 0 {
		sc.b.Add(diag.FlowSyntax, st.Verb.At, "as in: foldDown(unroll(items), mapColumn(id, item = items))", "%s: found no array or no mapping, want both", sc.Where)
		return nil
	}
	op.Take = append(sc.mapping(st, mapping.Args), sc.hidden()...)
	return op
}

// root is the path of the array whose rows are dropped where it has no items.
func (sc *scope) root(paths []syntax.Expr) string {
	if len(paths) < 2 {
		return ""
	}
	of, root := expression.PathOf(paths[0]), expression.PathOf(paths[1])
	if root != "" && (of == root || strings.HasPrefix(of, root+"\x00")) {
		return root
	}
	sc.b.Add(diag.FlowType, paths[1].Pos(), "name the array itself, or one that holds it", "%s: unroll: found a root that does not hold the array, want one that does", sc.Where)
	return ""
}

// unroll adds the arrays of a path, outer ones first. Those up to the root are required.
func (sc *scope) unroll(op *plan.Flatten, x syntax.Expr, root string) {
	before := len(op.Unroll)
	for _, part := range prefixes(x) {
		of, ok := sc.Expr(part)
		if !ok {
			return
		}
		list, isList := of.Type().(schema.Array)
		if !isList {
			continue
		}
		path := expression.PathOf(part)
		item := plan.Local{Name: "_unrolled" + strconv.Itoa(len(op.Unroll)+1), Of: list.Element}
		op.Unroll = append(op.Unroll, plan.Unroll{Of: of, Required: root != "" && len(path) <= len(root), Bind: item.Name})
		sc.Unrolled = append(sc.Unrolled, expression.Unrolled{Path: path, Item: item})
	}
	if len(op.Unroll) == before || sc.Unrolled[len(sc.Unrolled)-1].Path != expression.PathOf(x) {
		e, _ := sc.Expr(x)
		found := "a value"
		if e != nil {
			found = e.Type().String()
		}
		sc.b.Add(diag.FlowType, x.Pos(), "name an array, once", "%s: found %s, want an array", sc.Where, found)
	}
}

// prefixes are a path and what it is a part of, the column first.
func prefixes(x syntax.Expr) []syntax.Expr {
	var out []syntax.Expr
	for at := x; ; {
		switch n := at.(type) {
		case *syntax.Member:
			out, at = append(out, n), n.X
			continue
		case *syntax.Noted:
			at = n.X
			continue
		case *syntax.Paren:
			at = n.X
			continue
		}
		out = append(out, at)
		slices.Reverse(out)
		return out
	}
}

// unpivot binds an unpivot: all columns but those that are ungrouped by become rows.
func (sc *scope) unpivot(st *syntax.Statement) plan.Op {
	var out []declared
	for _, a := range st.Args.List {
		if s, ok := a.Node.(*syntax.Schema); ok {
			out = sc.declarations(s)
		}
	}
	if len(out) != 2 {
		sc.b.Add(diag.FlowRefused, st.Verb.At, "as in: unpivot(output(month as string, sales as double), ungroupBy(shop))", "%s: found %d columns for names and values, want one for each", sc.Where, len(out))
		return nil
	}
	op := plan.Unpivot{Key: out[0].name, KeyType: out[0].kind, Value: out[1].name, ValueType: out[1].kind, IgnoreNullValues: sc.flag(st, "ignoreNullPivots")}
	sc.flag(st, "lateral") // the arrangement of several values: here is one
	kept := map[plan.ID]bool{}
	for _, x := range sc.clauseValues(clauseOf(st, "ungroupBy")) {
		e, ok := sc.Expr(x)
		ref, isColumn := e.(plan.Ref)
		if ok && !isColumn {
			sc.b.Add(diag.FlowType, x.Pos(), "derive it before, and name the column", "%s: ungroupBy: found a value, want a column", sc.Where)
		}
		if !ok || !isColumn {
			return nil
		}
		kept[ref.ID] = true
		op.Keep = append(op.Keep, ref.ID)
	}
	sc.becomeRows(st, &op, kept)
	if len(op.Columns) == 0 {
		sc.b.Add(diag.FlowInput, st.Verb.At, "name fewer columns in ungroupBy", "%s: found no column to make rows of, want one", sc.Where)
		return nil
	}
	return op
}

// becomeRows picks the columns that an unpivot makes rows of.
func (sc *scope) becomeRows(st *syntax.Statement, op *plan.Unpivot, kept map[plan.ID]bool) {
	if op.KeyType == nil {
		op.KeyType = schema.String
	}
	of := schema.Type(schema.Unknown)
	for _, c := range sc.In[0].Columns {
		switch {
		case c.Hidden:
			op.Keep = append(op.Keep, c.ID)
		case !kept[c.ID]:
			op.Columns = append(op.Columns, c.ID)
			joined, lossless := schema.Join(of, c.Type)
			if of = joined; !lossless {
				of = schema.String
			}
		}
	}
	if op.ValueType == nil {
		op.ValueType = of
	}
	for _, id := range op.Columns {
		c := sc.In[0].Column(id)
		if nested(c.Type) && !plan.Same(c.Type, op.ValueType) {
			sc.b.Add(diag.FlowType, st.Verb.At, "ungroup by it, or drop it before", "%s: found column %s of %s, want values of %s", sc.Where, diag.Quote(c.Name), c.Type, op.ValueType)
		}
	}
}

// union binds a union. By position there is no place for hidden columns: they go before.
func (sc *scope) union(st *syntax.Statement) plan.Op {
	op := plan.Union{ByName: sc.flag(st, "byName")}
	if op.ByName {
		return op
	}
	for i, in := range sc.In {
		visible := in.Visible()
		if len(visible) == len(in.Columns) {
			continue
		}
		plain := plan.Select{}
		for _, c := range visible {
			plain.Take = append(plain.Take, plan.Assignment{Name: c.Name, Value: plan.Ref{ID: c.ID, Of: c.Type}})
		}
		made, err := sc.b.Builder.Add(st.Output.Text+"@"+strconv.Itoa(i+1), sc.b.File.Place(st.At), plain, in.Name)
		if err != nil {
			sc.unfit(st, err)
			return nil
		}
		sc.In[i] = made
	}
	return op
}
