package conform

import "slices"

// Turn makes f the fitter of another object: what [New] returns for the same
// version, policy and table, if that differs in nothing but where the object lies
// and when it is read. Else it reports false, and f is of no further use, as it is
// after an error of Fit.
//
// What was learned of names stays while they need no rules: an object's own rules are
// in the order in which it asks for them.
func (f *Fitter) Turn(o Object) bool {
	is := &f.object
	if o.Tree != is.Tree || is.Types != nil || o.Types != nil || o.Forms != is.Forms ||
		!slices.Equal(o.Header, is.Header) || !slices.Equal(o.Partitions, is.Partitions) {
		return false
	}
	f.object = o
	f.writer.Turn(o.URL)
	if f.book.Turn(o.Path) && f.root != nil {
		f.root.forget()
	}
	if t := f.source; t != nil {
		t.constant = o.URL
	}
	if t := f.ingested; t != nil {
		t.constant = o.IngestedAt.UnixMicro()
	}
	return true
}

// forget forgets the names that were learned, and those of all structs below.
func (ns *names) forget() {
	ns.known, ns.order, ns.shapes = nil, nil, nil
	for i := range ns.slots {
		ns.slots[i].node.forget()
	}
}

func (n *node) forget() {
	if n == nil {
		return
	}
	n.twice, n.remark = nil, nil
	if n.names != nil {
		n.names.forget()
	}
	n.key.forget()
	n.element.forget()
}
