package conform

import (
	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/leaf"
	"landfall/internal/verdict"
)

// text adds the value that text is, but not its levels. It reports false, and
// adds nothing, if the node's type does not hold it. span locates text in the
// leaf's data.
func (f *Fitter) text(n *node, text []byte, span column.Span) bool {
	fit := n.scalar.Text(n.leaves[0], text, span)
	return fit == leaf.Yes || fit == leaf.Cut && f.cut(n, text)
}

// scalar adds the value of a node of the tape to a leaf without parts.
func (f *Fitter) scalar(n *node, v uint32) bool {
	fit := n.scalar.Node(n.leaves[0], f.tape, v)
	return fit == leaf.Yes || fit == leaf.Cut && f.cut(n, f.tape.Text(v))
}

// cut reports whether a value stays that lost its digits beyond the microsecond:
// these go only where the policy lets them.
func (f *Fitter) cut(n *node, text []byte) bool {
	switch n.cut.Action {
	case verdict.Lands:
		f.book.Note(n.cut)
		return true
	case verdict.Fails:
		f.book.Fail(n.cut, diag.Quote(string(text)))
	}
	n.leaves[0].DropCut()
	return false
}

// null adds entries without a value to all leaves of a node. Where the table
// does not allow it the row is kept out.
func (f *Fitter) null(n *node, rep uint8) {
	def := n.def
	if n.nullable {
		def--
	} else {
		f.book.Missing(n.path)
	}
	for _, l := range n.leaves {
		l.Null(rep, def)
	}
}
