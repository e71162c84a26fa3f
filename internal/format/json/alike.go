package json

import "bytes"

// likeness ends the record before what begins like it.
func (r *Reader) likeness(l *lost) (end int, done bool) {
	for {
		rest := r.in.Held[r.in.At:]
		if len(rest) < l.seen+2*r.o.reach && !r.in.Final() {
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
		case window == len(rest) && r.in.Final():
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
		p := &r.probe
		p.nodes, p.tail = p.nodes[:0], p.tail[:0]
		end, ok := p.value(text, at)
		if !ok {
			at = max(p.fault.at, at+1)
			continue
		}
		if ok, end = r.goesOn(text, end, false, len(text) == len(rest) && r.in.Final()); ok {
			return at
		}
		at = max(end, at+1)
	}
	return -1
}

// goesOn reports whether the array goes on at text[at], behind an element: with
// others and commas between, up to its end with nothing that may stand in an array
// behind it; or up to the end of the text or a fault, if one of them has the names
// of the array's first element. If not, it says where it stopped. trust takes any
// element where the first was none; final says that nothing follows the text.
func (r *Reader) goesOn(text []byte, at int, trust, final bool) (ok bool, end int) {
	p := &r.probe
	for named := false; ; {
		at = p.space(text, at)
		switch {
		case at >= len(text):
			return named && !final, len(text)
		case text[at] == ']':
			rest := bytes.TrimLeft(text[at+1:], " \t")
			return len(rest) == 0 || bytes.IndexByte([]byte("\r\n{["), rest[0]) >= 0, at
		case text[at] != ',':
			return false, at
		}
		p.nodes, p.tail = p.nodes[:0], p.tail[:0]
		end, ok := p.value(text, p.space(text, at+1))
		if !ok {
			return named && (!final || p.fault.at < len(text)), p.fault.at
		}
		named = named || trust && len(r.array.names) == 0 || sameNames(r.array.names, p, 0, text)
		at = end
	}
}
