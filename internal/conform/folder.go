package conform

import (
	"strings"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/leaf"
	"landfall/internal/schema"
	"landfall/internal/verdict"
)

// folderValue is the value that a folder gives to a column. Fields of the same
// name repeat it, or are rescued.
type folderValue struct {
	// text is the value; fits is false if it is null, or none of the column's.
	text string
	fits bool
	// node holds the value in its leaf, probe is another of the same type.
	node, probe *node
	rule        *verdict.Rule
}

// planFolders finds the folder that each column of the contract has its value
// from, and keeps the values of the others.
func (f *Fitter) planFolders(keys []contract.Key) error {
	inner := make(map[string]string) // folded key → value of the innermost folder
	for i, k := range keys {
		if !k.Outer {
			inner[schema.Fold(k.Name)] = f.object.Partitions[i].Value
		}
	}
	for i, k := range keys {
		folder := f.object.Partitions[i]
		switch {
		case k.Column >= 0 && !k.Outer:
			if err := f.takeFolder(&f.slots[k.Column], folder); err != nil {
				return err
			}
		case k.Why != "" && (!k.Outer || inner[schema.Fold(k.Name)] != folder.Value):
			f.folders.Keep(folder, f.folderRule(k))
		}
	}
	return nil
}

func (f *Fitter) folderRule(k contract.Key) *verdict.Rule {
	path := schema.Path{k.Name}
	if k.Why == contract.WhyUnknown && !k.Reserved && !f.retired[schema.Fold(k.Name)] {
		return f.book.UnknownRule(path)
	}
	if k.Why == contract.WhyIgnored {
		return f.book.DropRule(path, k.Why)
	}
	return f.book.SpillRule(path, k.Why)
}

// takeFolder gives a folder's value to a column, by the rules for fields of CSV.
func (f *Fitter) takeFolder(s *slot, from contract.Folder) error {
	path := schema.Path{from.Key}
	if s.target == nil {
		f.folders.Keep(from, f.book.SpillRule(path, s.rule.Why()))
		return nil
	}
	n, t := s.node, s.target
	s.folder = &folderValue{text: from.Value, node: n, rule: f.book.SpillRule(path, contract.WhyPartition)}
	if from.Null() {
		return nil
	}
	text := []byte(from.Value)
	if n.kind >= asStruct || !utf8.Valid(text) || !f.put(n, text) && !f.putPadded(n, path, from.Value) {
		f.folders.Keep(from, f.book.SpillRule(path, contract.WhyType+":"+n.typ.String()))
		return f.book.Err
	}
	n.leaves[0].There(0)
	s.folder.fits, t.fixed = true, true
	s.folder.probe = f.compile(t.Type, t.Nullable, t.path, nil)
	switch t.Type {
	case schema.String:
		t.constant = from.Value
	case schema.Long, schema.Timestamp:
		t.constant = n.leaves[0].Int(0)
	}
	return f.book.Err
}

// put adds a text that stands alone to an empty leaf.
func (f *Fitter) put(n *node, text []byte) bool {
	n.leaves[0].Reset(text, false)
	return f.text(n, text, column.NewSpan(0, len(text), false))
}

// putPadded adds the integer that a hint wants of a text with zeros in front of it,
// which only the path of the file keeps.
func (f *Fitter) putPadded(n *node, path schema.Path, text string) bool {
	bare := strings.TrimLeft(text, "0")
	if bare == "" {
		bare = "0"
	}
	hinted := f.policy.Hints.For(path[0]) != nil && n.scalar.Kind == leaf.Integer
	if !hinted || bare == text || !f.put(n, []byte(bare)) {
		return false
	}
	f.folders.Tell(f.book.RemarkRule(event.FolderPadded, path, ""))
	return true
}

// sameText reports whether a field of CSV says what the folder says.
func (f *Fitter) sameText(v *folderValue, text []byte) bool {
	switch {
	case !v.fits:
		return false
	case v.node.scalar.Kind == leaf.Text:
		return string(text) == v.text
	}
	return f.put(v.probe, text) && v.probe.leaves[0].Same(v.node.leaves[0])
}

// repeats deals with a member of a record whose column a folder's value has.
func (f *Fitter) repeats(v *folderValue, at uint32) outcome {
	t := f.tape
	switch {
	case t.Nodes[at].Kind == column.Null:
		f.book.Counts.Null++
	case f.sameNode(v, at):
		f.book.Counts.Typed += t.CellsAt(at)
	case f.book.Apply(v.rule, t.CellsAt(at), func() string { return diag.Excerpt(t.Raw(at)) }):
		return spilled
	}
	return landed
}

func (f *Fitter) sameNode(v *folderValue, at uint32) bool {
	if !v.fits {
		return false
	}
	l := v.probe.leaves[0]
	l.Reset(f.tape.Data, f.tape.UTF8)
	if !f.scalar(v.probe, at) {
		return false
	}
	if v.node.scalar.Kind == leaf.Text {
		return string(l.Text(0)) == v.text
	}
	return l.Same(v.node.leaves[0])
}

// putFolders rescues what no column takes of folders, with the row at hand.
func (f *Fitter) putFolders() {
	f.folders.Put(f.writer, func(name string) bool {
		if f.root == nil {
			return false // of flat input all names are known beforehand
		}
		sp := f.root.known[name]
		return sp != nil && f.writer.Kept(&sp.Key)
	})
}
