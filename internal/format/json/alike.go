package json

import "bytes"

// likeness ends the record before what begins like it.
func (r *Reader) likeness(l *lost) (end int, done bool) {
	for {
		rest := r.buf[r.pos:]
		if len(rest) < l.seen+2*r.o.reach && !r.final() {
			return 0, false
		}
		window := min(l.seen+r.o.reach, len(rest))
		at := r.lineLike(l, rest, window)
		if at < 0 && r.place != document && (l.begins == '{' || l.begins == '[') {
			at = r.listLike(l, rest, window)
		}
		switch {
		case at >= 0 && r.place == document:
			return len(bytes.TrimRight(rest[:at], " \t\r\n")), true
		case at >= 0:
			return len(bytes.TrimRight(rest[:at], " \t\r\n,")), true
		case window == len(rest) && r.final():
			return 0, false
		}
		l.seen = window
		r.shed()
	}
}

// lineLike finds the next line that begins like the record did: before the column
// where it stood are only characters that may stand between records.
func (r *Reader) lineLike(l *lost, rest []byte, window int) int {
	if l.column >= overlap {
		return -1
	}
	column := int(l.column)
	between := " \t"
	if r.place != document {
		between = " \t,[]}"
	}
	for at := max(l.seen-column-1, 0); ; at++ {
		i := bytes.IndexAny(rest[min(at, len(rest)):], "\r\n")
		if at += i; i < 0 || at+1+column >= window {
			return -1
		}
		if q := at + 1 + column; q >= l.seen && rest[q] == l.begins && len(bytes.TrimLeft(rest[at+1:q], between)) == 0 {
			return q
		}
	}
}

// listLike finds the next value behind a comma that begins like the record and
// with which the list goes on.
func (r *Reader) listLike(l *lost, rest []byte, window int) int {
	text := rest[:min(len(rest), l.seen+2*r.o.reach)]
	for at := l.seen; at < window; {
		i := bytes.IndexByte(rest[at:window], l.begins)
		if i < 0 {
			return -1
		}
		at += i
		if before := bytes.TrimRight(rest[:at], " \t\r\n"); len(before) == 0 || before[len(before)-1] != ',' {
			at++
			continue
		}
		whole, end := r.goesOn(text, at, len(text) == len(rest) && r.final())
		if whole {
			return at
		}
		at = max(end, at+1)
	}
	return -1
}

// goesOn reports whether text[at:] is values with commas between, up to the end
// of the array and nothing behind it on its line; or up to the end of the text,
// where more would follow, and one has the names of the array's first element.
// If not, it says where to go on.
func (r *Reader) goesOn(text []byte, at int, final bool) (whole bool, end int) {
	named := false
	for {
		p := &r.probe
		p.nodes, p.tail = p.nodes[:0], p.tail[:0]
		end, ok := p.value(text, at)
		if !ok {
			if p.fault.at < len(text) || final {
				return false, p.fault.at
			}
			return named, len(text)
		}
		named = named || sameNames(r.array.names, p, 0, text)
		at = p.space(text, end)
		switch {
		case at >= len(text):
			return named && !final, len(text)
		case text[at] == ',':
			at = p.space(text, at+1)
			continue
		case text[at] != ']':
			return false, at
		}
		rest := bytes.TrimLeft(text[at+1:], " \t")
		switch {
		case len(rest) == 0:
			return named || final, at
		default:
			return rest[0] == '\n' || rest[0] == '\r', at
		}
	}
}
