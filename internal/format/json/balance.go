package json

// balance passes a malformed value by its brackets and quotes alone.
type balance struct {
	stack            []byte // the brackets that close what is open
	quote            byte
	escaped          bool
	singles, control bool // as the options say
	// loose is set for what does not begin with a bracket: it ends before the next
	// comma or closing bracket of the array that it is in.
	loose bool
}

// state is what a balance came to.
type state uint8

const (
	inside state = iota // it is not at its end
	closed              // it is
	broken              // there is none: brackets do not match, or a line ends in a string
)

// deepest is where we stop to count brackets.
const deepest = 1 << 20

func newBalance(begins byte, o *Options) balance {
	return balance{
		singles: o.AllowSingleQuotes, control: o.AllowUnquotedControlChars,
		loose: begins != '{' && begins != '[',
	}
}

// run goes on with text and says how much of it was passed.
func (b *balance) run(text []byte) (n int, s state) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if b.quote != 0 {
			switch {
			case b.escaped:
				b.escaped = false
			case c == '\\':
				b.escaped = true
			case c == b.quote:
				b.quote = 0
			}
			if (c == '\n' || c == '\r') && !b.control {
				return i, broken
			}
			continue
		}
		switch c {
		case '"':
			b.quote = c
		case '\'':
			if b.singles {
				b.quote = c
			}
		case '{', '[':
			if len(b.stack) == deepest {
				return i, broken
			}
			b.stack = append(b.stack, c+2) // the bracket that closes it
		case '}', ']':
			depth := len(b.stack)
			switch {
			case depth == 0 && c == '}':
				continue
			case depth == 0:
				return i, closed
			case b.stack[depth-1] != c:
				return i, broken
			}
			if b.stack = b.stack[:depth-1]; depth == 1 && !b.loose {
				return i + 1, closed
			}
		case ',':
			if len(b.stack) == 0 && b.loose {
				return i, closed
			}
		}
	}
	return len(text), inside
}
