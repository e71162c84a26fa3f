package json

import (
	"bytes"

	"landfall/internal/format"
)

// overlap is how much text before the place where the search for the end of a
// record goes on is kept, and the widest column of a line that begins like it.
const overlap = 1 << 10

// search looks for the end of the lost record.
func (r *Reader) search() format.Progress {
	l := r.lost
	for {
		var end int
		var next means
		done := false
		switch l.means {
		case apart:
			if end, done = r.separators(); done {
				next, done = l.then, end > 0
			}
		case toLine:
			end, done = r.lineEnd(l)
		case lineAlike:
			end, next, done = r.lineThenAlike(l)
		case lineArray:
			end, next, done = r.lineInArray(l)
		case balanced:
			end, next, done = r.balances(l)
		case alike:
			end, done = r.likeness(l)
		}
		switch {
		case done:
			r.end(end)
			return format.Forward
		case next != 0:
			l.means, l.seen = next, 0
			if next == alike {
				l.seen = l.fault
			}
		case r.in.Final():
			r.end(len(bytes.TrimRight(r.in.Held[r.in.At:], " \t\r\n")))
			return format.Forward
		default:
			r.shed()
			return format.Hungry
		}
	}
}

// end sets the lost record aside, which ends at end, and goes on there.
func (r *Reader) end(end int) {
	l := r.lost
	b := l.bad
	b.Length += int64(end)
	if b.Length <= int64(r.o.MaxRecordBytes) {
		b.Bytes = r.in.Held[r.in.At : r.in.At+end : r.in.At+end]
	}
	r.setAside(b)
	r.in.Account.In += int64(end)
	r.in.Account.Bad += int64(end)
	switch {
	case r.place == document:
	case l.leaves:
		r.place = document
	case l.means == alike:
		r.place = either
	default:
		r.place = behind
	}
	r.leave(r.in.At + end)
	r.lost = nil
}

// shed drops what surely belongs to the record if it is too long to be kept.
func (r *Reader) shed() {
	l := r.lost
	certain := l.seen
	if l.means == balanced && l.limit > 0 || l.near(r) {
		certain = l.fault
	}
	if certain <= r.o.MaxRecordBytes+overlap {
		return
	}
	n := certain - overlap
	r.pass(r.in.Held[r.in.At : r.in.At+n])
	r.in.Account.In += int64(n)
	r.in.Account.Bad += int64(n)
	l.bad.Length += int64(n)
	l.seen -= n
	l.fault -= n
	if l.limit > 0 {
		l.limit -= n
	}
	r.in.At += n
}

// separators finds the end of commas and closing brackets that stand before a
// bracket that opens, or at the end of their line: they are a record by
// themselves. The end is 0 if there are none.
func (r *Reader) separators() (end int, known bool) {
	rest := r.in.Held[r.in.At:]
	at := 0
	for at < len(rest) && at < r.o.reach && bytes.IndexByte([]byte(",}] \t"), rest[at]) >= 0 {
		at++
	}
	switch {
	case at == len(rest) && at < r.o.reach && !r.in.Final():
		return 0, false
	case at == len(rest), at == r.o.reach, bytes.IndexByte([]byte("{[\r\n"), rest[at]) >= 0:
		return len(bytes.TrimRight(rest[:at], " \t")), true
	}
	return 0, true
}

// lineEnd finds the end of the record's line. A long line may have many records
// that ask for it: what was looked at once is not again.
func (r *Reader) lineEnd(l *lost) (end int, done bool) {
	rest := r.in.Held[r.in.At:]
	if l.near(r) {
		rest = rest[:min(len(rest), l.limit+len(r.o.LineSep))]
	}
	here := r.in.Offset()
	l.seen = min(max(l.seen, 1, int(r.clear-here)), len(rest))
	i := r.lineBreak(rest[l.seen:])
	if i >= 0 {
		l.seen += i
	} else {
		l.seen = max(l.seen, len(rest)-max(len(r.o.LineSep)-1, 0))
	}
	r.clear = max(r.clear, here+int64(l.seen))
	return l.seen, i >= 0
}

// lineBreak is the index of the first line end, -1 if there is none.
func (r *Reader) lineBreak(text []byte) int {
	if r.o.LineSep != "" {
		return bytes.Index(text, []byte(r.o.LineSep))
	}
	i := bytes.IndexByte(text, '\n')
	if i >= 0 {
		text = text[:i]
	}
	if j := bytes.IndexByte(text, '\r'); j >= 0 {
		return j
	}
	return i
}

// otherwise is how to go on if lines do not tell.
func (l *lost) otherwise(r *Reader) means {
	if r.place == document && l.balance.loose {
		return alike
	}
	return balanced
}

// lineThenAlike ends the record with its line if what comes next begins like it.
func (r *Reader) lineThenAlike(l *lost) (end int, next means, done bool) {
	end, done = r.lineEnd(l)
	switch {
	case !done && r.in.Final(), l.near(r) && max(end, l.seen) >= l.limit:
		return 0, l.otherwise(r), false
	case !done || l.bad.Length > 0 || end > r.o.MaxRecordBytes:
		return end, 0, done
	}
	l.seen = end
	rest := r.in.Held[r.in.At:]
	at := min(end+len(r.o.LineSep), len(rest))
	begin, most := at, at+r.o.reach
	for at < len(rest) && at < most && bytes.IndexByte([]byte(" \t\r\n"), rest[at]) >= 0 {
		if at++; rest[at-1] == '\n' || rest[at-1] == '\r' {
			begin = at
		}
	}
	switch {
	case at == most:
		return 0, l.otherwise(r), false
	case at == len(rest) && !r.in.Final():
		return 0, 0, false
	case at < len(rest) && (rest[at] != '{' && rest[at] != '[' || int64(at-begin) != l.next),
		at == len(rest) && (r.place != document || !r.docs.line):
		return 0, l.otherwise(r), false
	case r.place != document:
		return 0, lineArray, false
	}
	return end, 0, true
}

// near reports whether the end of the line is only sought in reach: nothing says
// yet that lines matter.
func (l *lost) near(r *Reader) bool {
	return l.means == lineAlike && (r.place != document || !r.docs.line)
}

// lineInArray ends an element of an array that should stand on one line where it
// balances within the line, else with the line, and the array too.
func (r *Reader) lineInArray(l *lost) (end int, next means, done bool) {
	if end, done = r.lineEnd(l); !done {
		if !r.in.Final() {
			return 0, 0, false
		}
		end = len(r.in.Held) - r.in.At
	}
	if l.bad.Length == 0 && end <= r.o.MaxRecordBytes {
		line := r.in.Held[r.in.At : r.in.At+end]
		b := newBalance(l.begins, &r.o)
		if n, state := b.run(line); state == closed {
			rest := bytes.TrimLeft(line[n:], " \t")
			if len(rest) > 0 && (rest[0] == ',' || rest[0] == ']') {
				return len(bytes.TrimRight(line[:n], " \t")), 0, true
			}
		}
	}
	l.leaves = true
	return end, 0, true
}

// balances ends the record where its brackets balance if what may follow does.
func (r *Reader) balances(l *lost) (end int, next means, done bool) {
	rest := r.in.Held[r.in.At:]
	if !l.closed {
		text := rest[l.seen:]
		if l.limit > 0 {
			text = rest[l.seen:min(len(rest), l.limit)]
		}
		n, state := l.balance.run(text)
		l.seen += n
		switch {
		case state == closed:
			l.closed = true
		case state == broken, r.in.Final(), l.limit > 0 && l.seen == l.limit:
			return 0, l.give(), false
		default:
			return 0, 0, false
		}
	}
	if l.balance.loose {
		return len(bytes.TrimRight(rest[:l.seen], " \t\r\n")), 0, true
	}
	switch good, known := r.mayEnd(l); {
	case !known:
		return 0, 0, false
	case good:
		return l.seen, 0, true
	}
	return 0, l.give(), false
}

// mayEnd reports whether the record may end where its brackets balance: in an
// array if the array goes on behind it, else before anything but commas, colons and
// closing brackets, and if a document comes next, so may that.
func (r *Reader) mayEnd(l *lost) (good, known bool) {
	text := r.in.Held[r.in.At:min(len(r.in.Held), r.in.At+l.seen+r.o.reach)]
	all := len(text) == len(r.in.Held)-r.in.At
	if all && len(text) < l.seen+r.o.reach && !r.in.Final() {
		return false, false
	}
	if r.place != document {
		whole, _ := r.goesOn(text, l.seen, true, all && r.in.Final())
		return whole, true
	}
	p := &r.probe
	at := p.space(text, l.seen)
	if at < len(text) && (text[at] == '{' || text[at] == '[') {
		p.nodes, p.tail = p.nodes[:0], p.tail[:0]
		end, ok := p.value(text, at)
		if !ok {
			return true, true
		}
		at = p.space(text, end)
	}
	return at == len(text) || bytes.IndexByte([]byte(",:]}"), text[at]) < 0, true
}

// give gives balancing up. A record that is too long is sought from here on.
func (l *lost) give() means {
	if l.limit == 0 {
		l.fault = l.seen
	}
	return alike
}
