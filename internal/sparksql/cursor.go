package sparksql

// Cursor is a place among tokens, for readers of statements.
type Cursor struct {
	Tokens []Token
	// At is the position of the next token; behind the last one there is but End.
	At int
}

// PeekAt is the token so many places behind the next one.
func (c *Cursor) PeekAt(n int) Token {
	if c.At+n < len(c.Tokens) {
		return c.Tokens[c.At+n]
	}
	if len(c.Tokens) == 0 {
		return Token{Kind: End}
	}
	last := c.Tokens[len(c.Tokens)-1]
	return Token{Range: Range{last.End, last.End}, Kind: End}
}

// Peek is the next token.
func (c *Cursor) Peek() Token { return c.PeekAt(0) }

// Next passes over the next token.
func (c *Cursor) Next() Token {
	t := c.Peek()
	if c.At < len(c.Tokens) {
		c.At++
	}
	return t
}

// Is reports whether the next tokens are keywords or marks in a row.
func (c *Cursor) Is(words ...string) bool {
	for i, w := range words {
		if !c.PeekAt(i).Is(w) {
			return false
		}
	}
	return true
}

// Take passes over keywords or marks in a row, if they are there.
func (c *Cursor) Take(words ...string) bool {
	if !c.Is(words...) {
		return false
	}
	c.At += len(words)
	return true
}
