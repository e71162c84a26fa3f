package column

// Kind is what a node of a [Tape] is.
type Kind uint8

// The kinds of nodes.
const (
	Null Kind = iota
	False
	True
	Number
	String
	Array
	Object
	// Member is the name of a member of an object; its value is the next node
	// behind it that is no Decoded.
	Member
	// Decoded follows a String or Member that has escapes: its text without them.
	Decoded
)

// Flag says more about a node.
type Flag uint8

// Flags of strings and member names.
const (
	// Escaped is set where a Decoded node follows.
	Escaped Flag = 1 << iota
	// Lone is set where an escape is half of a surrogate pair: the string is no
	// text, and no Decoded node follows.
	Lone
)

// Node is one value, or the name of a member, in the order of the text.
type Node struct {
	// Offset and Length locate its raw text in Data, with quotes and brackets.
	// Of a Decoded node they locate the text itself, without quotes.
	Offset, Length uint32
	// Next is the index of the first node behind this one and all below it; for
	// a Member behind its value.
	Next  uint32
	Kind  Kind
	Flags Flag
	// Hint is what the scanner saw on its way, 0 for nothing: of a Number its
	// Digits, of a String its Initial, of an Object its shape (see [Shapes]). It
	// says nothing that the text does not.
	Hint uint16
}

// Tape holds JSON values as nodes in the order of the text: a value is followed
// by what it consists of.
type Tape struct {
	// Data is the text, and behind it whatever was decoded. UTF8 says that the texts
	// of all rows are known to be UTF-8.
	Data  []byte
	UTF8  bool
	Nodes []Node
	// Roots are the values of the rows.
	Roots []uint32
	// Cells counts, for each of Roots, the scalars and the empty objects and arrays
	// from there on. Nil where nobody counted.
	Cells []uint32
	// Shapes are those that objects have as hints, nil for none.
	Shapes *Shapes
}

// Raw returns the raw text of node i.
func (t *Tape) Raw(i uint32) []byte {
	n := &t.Nodes[i]
	return t.Data[n.Offset : n.Offset+n.Length : n.Offset+n.Length]
}

// Text returns the text of a String or Member, without quotes and escapes. Of a
// Lone one that is its raw text between the quotes.
func (t *Tape) Text(i uint32) []byte {
	n := &t.Nodes[i]
	if n.Flags&Escaped != 0 {
		return t.Raw(i + 1)
	}
	raw := t.Raw(i)
	if len(raw) >= 2 && (raw[0] == '"' || raw[0] == '\'') {
		return raw[1 : len(raw)-1]
	}
	return raw // a name without quotes, where an option allows it
}

// Span locates Text(i) in Data.
func (t *Tape) Span(i uint32) Span {
	n := &t.Nodes[i]
	if n.Flags&Escaped != 0 {
		d := &t.Nodes[i+1]
		return NewSpan(int(d.Offset), int(d.Length), true)
	}
	if c := t.Data[n.Offset]; n.Length >= 2 && (c == '"' || c == '\'') {
		return NewSpan(int(n.Offset)+1, int(n.Length)-2, true)
	}
	return NewSpan(int(n.Offset), int(n.Length), false)
}

// First returns the first node below an Object or Array. The others are reached
// by Next, up to the Next of i.
func (t *Tape) First(i uint32) uint32 { return i + 1 }

// Next returns the node behind i and all below it.
func (t *Tape) Next(i uint32) uint32 { return t.Nodes[i].Next }

// Value returns the value of Member i.
func (t *Tape) Value(i uint32) uint32 {
	if t.Nodes[i].Flags&Escaped != 0 {
		return i + 2
	}
	return i + 1
}

// IsEmpty reports whether an Object or Array has nothing in it.
func (t *Tape) IsEmpty(i uint32) bool { return t.Nodes[i].Next == i+1 }

// CellsAt counts the scalars, nulls and empty objects and arrays from node i on, up to
// the node behind it.
func (t *Tape) CellsAt(i uint32) int64 {
	n := int64(0)
	for at, end := i, t.Nodes[i].Next; at < end; at++ {
		x := &t.Nodes[at]
		switch x.Kind {
		case Member, Decoded:
		case Object, Array:
			if x.Next == at+1 {
				n++
			}
		default:
			n++
		}
	}
	return n
}

// CellsOf counts the cells of a row.
func (t *Tape) CellsOf(row int) int64 {
	if t.Cells != nil {
		return int64(t.Cells[row])
	}
	return t.CellsAt(t.Roots[row])
}
