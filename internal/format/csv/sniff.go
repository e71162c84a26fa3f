package csv

import (
	"bytes"
	"fmt"

	"landfall/internal/format"
)

const (
	// sniffRecords is how many records decide on a dialect.
	sniffRecords = 1000
	// titles is the most lines above a header that are noticed.
	titles = 5
)

// finding is a dialect and how well a sample fits it.
type finding struct {
	dialect
	first    int  // fields of the first record
	second   int  // fields of the next
	records  int  // records after the first
	exact    int  // of them as wide as the first
	wide     int  // of them with two fields or more
	alike    int  // of them as wide as the second
	bad      int  // records that cannot be cut
	lost     bool // the first among them
	quotes   int  // fields in quotes
	spaced   int  // of them after spaces
	escapes  int  // of them with an escape
	headings int  // fields in quotes of the first record

	widths [titles + 1]int // fields of the first records
	starts [titles + 1]int // where they begin in the sample
	counts map[int]int     // records by their fields
}

// agrees reports whether most records are as wide as the first.
func (f finding) agrees() bool { return f.exact*5 >= f.records*4 }

// banner returns how many of the first records look like titles above a table:
// they have fewer fields than nearly all of the rest.
func (f finding) banner() int {
	if f.first == 1 && f.records >= 2 && f.wide == f.records {
		return 1
	}
	width := 0
	for w, n := range f.counts {
		if n > f.counts[width] || n == f.counts[width] && w > width {
			width = w
		}
	}
	all := f.records + 1
	for i, w := range f.widths[:min(all, len(f.widths))] {
		switch rest := all - i; {
		case w > width:
			return 0
		case w == width && i > 0 && rest >= 3 && f.counts[width]*5 >= rest*4:
			return i
		case w == width:
			return 0
		}
	}
	return 0
}

// rank orders delimiters: one that the first record has comes before one that
// only the others have, in all of them alike, as under a banner line.
func (f finding) rank() int {
	switch {
	case f.first >= 2 && f.agrees():
		return 3
	case f.first >= 2:
		return 2
	case f.first == 1 && (f.banner() > 1 || f.banner() == 1 && f.alike*2 >= f.records):
		return 1
	}
	return 0
}

// order is the rank, behind that of all which can cut the beginning of the file.
func (f finding) order() int {
	const above = 4 // all ranks
	if r := f.rank(); r == 0 || f.lost {
		return r
	}
	return f.rank() + above
}

// better reports whether f fits clearly better than g.
func (f finding) better(g finding) bool {
	if f.order() != g.order() {
		return f.order() > g.order()
	}
	switch f.rank() {
	case 3:
		return f.first > g.first
	case 2:
		return f.exact*g.records > g.exact*f.records
	}
	return false
}

// sniff finds the dialect of text. last says that text is all of the file. What
// the options say is not questioned; the comma wins where nothing speaks against
// it.
func sniff(text []byte, last bool, o Options) finding {
	delims := []string{",", "\t", ";", "|"}
	if o.Delimiter != "" {
		delims = []string{o.Delimiter}
	}
	var best finding
	for i, delim := range delims {
		d := dialect{
			delim: delim, quote: o.Quote, escape: o.Escape, comment: o.Comment,
			sep: o.LineSep, header: !o.NoHeader, padded: o.TrimLeft && delim[0] != ' ',
		}
		if f := sniffQuotes(d, text, last, o); i == 0 || f.better(best) {
			best = f
		}
	}
	return best
}

// sniffQuotes finds how fields are quoted: as RFC 4180 says unless the sample
// cannot be cut that way but wholly in another.
func sniffQuotes(d dialect, text []byte, last bool, o Options) finding {
	if o.NoQuote || o.Quote != 0 && (o.Escape != 0 || o.NoEscape) {
		return sample(d, text, last)
	}
	asked := d.quote
	if asked == 0 {
		d.quote = '"'
	}
	best := sample(d, text, last)
	if best.bad > 0 && d.escape == 0 && !o.NoEscape {
		e := d
		e.escape = '\\'
		if f := sample(e, text, last); f.bad == 0 && f.escapes > 0 && f.agrees() {
			best = f
		}
	}
	if asked != 0 {
		return best
	}
	if d.delim[0] != ' ' {
		p := best.dialect
		p.padded = true
		if f := sample(p, text, last); f.bad == 0 && f.spaced >= 2 && f.exact >= best.exact {
			best = f
		}
	}
	return sniffOtherQuotes(d, best, text, last)
}

// sniffOtherQuotes tries apostrophes and no quotes at all where the sample has
// no field in quotes.
func sniffOtherQuotes(d dialect, best finding, text []byte, last bool) finding {
	if best.quotes > 0 {
		return best
	}
	if best.bad == 0 {
		d.quote = '\''
		f := sample(d, text, last)
		if f.bad == 0 && f.quotes >= 2 && f.agrees() && (f.headings == f.first || f.exact > best.exact) {
			return f
		}
		return best
	}
	d.quote, d.escape = 0, 0
	if f := sample(d, text, last); best.bad >= 3 && f.first >= 2 && f.exact == f.records {
		return f
	}
	return best
}

// sample cuts text as d says. What the end of text cuts is no evidence.
func sample(d dialect, text []byte, last bool) finding {
	f := finding{dialect: d, counts: map[int]int{}}
	c := newCutter(d, defaultColumns+1)
	for pos := 0; pos < len(text) && f.records < sniffRecords; {
		out := c.pass(text, pos, last)
		if out == whole && c.next == pos {
			if out = c.cut(text, pos, last); out == whole && !c.empty {
				f.add(c, text, pos)
			}
		}
		pos = c.next
		switch out {
		case more:
			if f.first == 0 {
				f.first = c.fields + 1
			}
			return f
		case stray, open:
			f.bad++
			f.lost = f.lost || f.first == 0
			_, pos, _ = c.findLineEnd(text, c.at, last)
		}
	}
	return f
}

// add takes the record that was cut into account.
func (f *finding) add(c *cutter, text []byte, pos int) {
	quotes := 0
	for _, s := range c.spans[:min(c.fields, len(c.spans))] {
		if s.Quoted() {
			quotes++
			if at := s.Offset() - 2; at >= 0 && text[at] == ' ' {
				f.spaced++
			}
		}
	}
	f.quotes += quotes
	f.escapes += len(c.escaped)
	f.counts[c.fields]++
	if f.first == 0 {
		f.first, f.headings = c.fields, quotes
		f.widths[0], f.starts[0] = c.fields, pos
		return
	}
	f.records++
	if f.records < len(f.widths) {
		f.widths[f.records], f.starts[f.records] = c.fields, pos
	}
	if f.records == 1 {
		f.second = c.fields
	}
	if c.fields == f.first {
		f.exact++
	}
	if c.fields >= 2 {
		f.wide++
	}
	if c.fields == f.second {
		f.alike++
	}
}

// notes says what looks odd about the first records. The sample begins on the
// given line.
func (f finding) notes(text []byte, line int64) []format.Note {
	n := format.Note{Line: line, Count: 1}
	k := f.banner()
	skip := format.CountLines(text[:f.starts[k]])
	switch {
	case !f.header:
		return nil
	case f.first >= 2 && f.records >= 2 && f.exact == 0 && f.alike == f.records:
		n.Kind = "header_width"
		n.Message = fmt.Sprintf("header: found %d fields, the first %d records have %d", f.first, f.records, f.second)
		n.Hint = "give every column a name"
	case k == 1 && f.first == 1:
		n.Kind = "banner_line"
		n.Message = fmt.Sprintf("header: first line has 1 field, the next has %d", f.second)
		n.Hint = fmt.Sprintf("if the first line is a title, set the option skipRows to %d", line-1+skip)
	case k > 1 && skip <= titles:
		n.Kind = "banner_line"
		n.Message = fmt.Sprintf("header: the first %d lines have fewer fields than the rest, which has %d", skip, f.widths[k])
		n.Hint = fmt.Sprintf("if the first lines are titles, set the option skipRows to %d", line-1+skip)
	default:
		return nil
	}
	return []format.Note{n}
}

// guesses says which rules of quoting the sample spoke for that nobody set.
func (f finding) guesses(o Options) []format.Note {
	var all []format.Note
	guess := func(message, hint string) {
		all = append(all, format.Note{Kind: "dialect_guessed", Count: 1, Message: message, Hint: hint})
	}
	switch {
	case o.Quote != 0 || o.NoQuote || f.quote == '"':
	case f.quote == 0:
		guess("quote: found quotes that are not closed, taken for data", `set the option quote to " if they enclose fields`)
	default:
		guess(fmt.Sprintf("quote: found fields in %c, taken for quotes", f.quote), `set the option quote to " if they are data`)
	}
	if o.Escape == 0 && !o.NoEscape && f.escape != 0 {
		guess(fmt.Sprintf("escape: found %c before quotes, taken away", f.escape), "set the option escape to \\0 if it is data")
	}
	if f.padded && !o.TrimLeft {
		guess("quote: found spaces before quotes, taken away; spaces before other fields are kept", `set the option quote to " if they are data`)
	}
	return all
}

// declaredDelimiter reads the line sep=X that spreadsheets put first. n is the
// length of the line, 0 if there is none.
func declaredDelimiter(text []byte, d dialect, last bool) (delim string, n int) {
	if !bytes.HasPrefix(text, []byte("sep=")) {
		return "", 0
	}
	end, next, ok := d.findLineEnd(text, 4, last)
	if !ok || end != 5 || text[4] == '"' {
		return "", 0
	}
	return string(text[4:5]), next
}
