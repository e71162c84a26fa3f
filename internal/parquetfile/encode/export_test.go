package encode

// LimitPages makes pages smaller.
func (e *Encoder) LimitPages(rows, bytes int) { e.pages.limits = limits{rows, bytes} }
