package rescue

// Scraps are the members of one field of a slab, row by row: columns come one by
// one, and the rescue column row by row.
type Scraps struct {
	Members
	pieces []piece
	// at is where the row began, next the piece that Splice takes next.
	at   piece
	next int
}

// piece is what one row has.
type piece struct{ row, text, why, textEnd, whyEnd int }

// Reset prepares for a slab.
func (s *Scraps) Reset() {
	s.text, s.why, s.pieces, s.next = s.text[:0], s.why[:0], s.pieces[:0], 0
}

// Begin begins a row.
func (s *Scraps) Begin(row int) {
	s.begin()
	s.at = piece{row: row, text: len(s.text), why: len(s.why)}
}

// End ends a row.
func (s *Scraps) End() {
	if len(s.text) > s.at.text {
		s.at.textEnd, s.at.whyEnd = len(s.text), len(s.why)
		s.pieces = append(s.pieces, s.at)
	}
}

// Any reports whether any row has a member.
func (s *Scraps) Any() bool { return len(s.pieces) > 0 }

// Splice adds to the row at hand what a field has of that row. Rows come in
// order.
func (w *Writer) Splice(s *Scraps, row int) {
	if s.next == len(s.pieces) || s.pieces[s.next].row != row {
		return
	}
	p := s.pieces[s.next]
	s.next++
	w.text = append(w.text, s.text[p.text:p.textEnd]...)
	w.why = append(w.why, s.why[p.why:p.whyEnd]...)
}
