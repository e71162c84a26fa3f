package csv

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"landfall/internal/diag"
	"landfall/internal/format"
)

// reference reads a whole text the slow way, one character after another, as the
// package documentation says. The scanner must come to the same result however
// its text arrives.
type reference struct {
	delim, sep             string
	quote, escape, comment string
	nullValue, emptyValue  string
	loose                  bool
	trimLeft, trimRight    bool
	header                 bool
	limit, columns         int

	text    string
	width   int
	number  int
	failed  bool
	names   []string
	rows    []string
	bad     []string
	account format.Account
	counts  Counts
}

// framing returns the length of the blank or comment line at the start of s.
func (f *reference) framing(s string) (n int, comment bool) {
	if e := f.lineEnd(s); e != "" {
		return len(e), false
	}
	if f.comment != "" && strings.HasPrefix(s, f.comment) {
		_, next, _ := f.line(s)
		return next, true
	}
	return 0, false
}

// line returns where the first line of s ends and the next begins.
func (f *reference) line(s string) (end, next int, ok bool) {
	for i := range len(s) {
		if e := f.lineEnd(s[i:]); e != "" {
			return i, i + len(e), true
		}
	}
	return len(s), len(s), false
}

func (r refRecord) allNull() bool {
	for _, f := range r.fields {
		if !f.null() {
			return false
		}
	}
	return true
}

func (f *reference) setAside(pos, end, next int, code diag.Code, withBytes bool) {
	f.number++
	line := f.lineOf(pos)
	kept := ""
	if withBytes {
		kept = f.text[pos:end]
	}
	f.bad = append(f.bad, fmt.Sprintf("%d:%d@%d+%d %s %q", f.number, line, pos, end-pos, code, kept))
	f.account.Bad += int64(end - pos)
	f.account.Framing += int64(next - end)
}

// lineOf is the number of the line on which pos stands.
func (f *reference) lineOf(pos int) int {
	line := 1
	for i := range pos {
		if f.text[i] == '\n' || f.text[i] == '\r' && (i+1 == len(f.text) || f.text[i+1] != '\n') {
			line++
		}
	}
	return line
}

// read reads the whole text.
func (f *reference) read(text string) {
	f.text = text
	f.account.In = int64(len(text))
	pos := 0
	if strings.HasPrefix(text, "\xef\xbb\xbf") {
		pos = 3
	}
	f.account.Framing += int64(pos)
	for pos < len(text) && !f.failed {
		next := f.step(pos)
		if next <= pos {
			panic("no progress")
		}
		pos = next
	}
}

// step takes what stands at pos and returns where to go on.
func (f *reference) step(pos int) int {
	rest := f.text[pos:]
	if n, comment := f.framing(rest); n > 0 {
		f.account.Framing += int64(n)
		if comment && f.lineEnd(rest[n-1:]) != "" || comment && n >= 2 && f.lineEnd(rest[n-2:]) != "" ||
			comment && len(f.sep) > 2 && strings.HasSuffix(rest[:n], f.sep) {
			f.counts.Comments++
		} else if !comment {
			f.counts.Blank++
		}
		return pos + n
	}
	r := f.parse(rest, true)
	if f.width == 0 && (r.state != whole || r.end > f.limit || !r.allNull()) {
		blank := len(r.fields) == 1 && strings.Trim(rest[:r.end], " \t") == ""
		if r.state != whole && f.header || r.end > f.limit {
			f.failed = true
			return len(f.text)
		}
		if !blank || !f.header || r.state != whole {
			return f.first(pos, r)
		}
		f.counts.Blank++
		f.account.Framing += int64(r.next)
		return pos + r.next
	}
	return f.record(pos, r)
}

// first takes the record that tells the width.
func (f *reference) first(pos int, r refRecord) int {
	f.width = len(r.fields)
	if r.state != whole {
		f.failed = true // the scanner takes the width from its sample
		return len(f.text)
	}
	for i, v := range r.fields {
		name := v.value
		if !v.quoted && f.header {
			name = (&reference{trimLeft: f.trimLeft, trimRight: f.trimRight}).adapt(v).value
		}
		if strings.TrimSpace(name) == "" || !f.header {
			name = fmt.Sprintf("_c%d", i)
		}
		f.names = append(f.names, name)
	}
	if !f.header {
		return f.record(pos, r)
	}
	if !utf8.ValidString(f.text[pos : pos+r.end]) {
		f.failed = true
	}
	f.countEnd(f.text[pos+r.end : pos+r.next])
	f.account.Framing += int64(r.next)
	return pos + r.next
}

func (f *reference) countEnd(e string) {
	switch {
	case e == "\r\n" && f.sep == "":
		f.counts.CRLF++
	case strings.HasPrefix(e, "\n"):
		f.counts.LF++
	case strings.HasPrefix(e, "\r"):
		f.counts.CR++
	}
}

// record takes the record at pos.
func (f *reference) record(pos int, r refRecord) int {
	rest := f.text[pos:]
	switch r.state {
	case open:
		if len(rest) > f.limit {
			return f.tooLong(pos)
		}
		return f.settle(pos, len(rest), len(rest))
	case stray:
		end, next, _ := f.line(rest[r.at:])
		if r.at+end > f.limit {
			return f.tooLong(pos)
		}
		return f.settle(pos, r.at+end, r.at+next)
	}
	switch {
	case r.end > f.limit:
		return f.tooLong(pos)
	case r.allNull():
		f.counts.Empty++
		f.countEnd(rest[r.end:r.next])
		f.account.Framing += int64(r.next)
	case len(r.fields) == 1 && f.width > 1 && strings.Trim(rest[:r.end], " \t") == "":
		f.counts.Blank++
		f.account.Framing += int64(r.next)
	case strings.Contains(rest[:r.end], strings.Repeat("\x00", 64)):
		f.setAside(pos, pos+r.end, pos+r.next, diag.RecordMalformed, true)
	case len(r.fields) > f.columns:
		f.setAside(pos, pos+r.end, pos+r.next, diag.TooManyColumns, true)
	case !utf8.ValidString(rest[:r.end]):
		f.setAside(pos, pos+r.end, pos+r.next, diag.Encoding, true)
	default:
		f.number++
		for i, v := range r.fields {
			r.fields[i] = f.adapt(v)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%d", f.number)
		for i := range max(f.width, len(r.fields)) {
			switch {
			case i >= len(r.fields):
				b.WriteString("|∅")
			case i >= f.width && r.fields[i].quoted:
				b.WriteString("|+" + r.fields[i].value)
			case i >= f.width:
				b.WriteString("|+" + r.fields[i].String())
			default:
				b.WriteString("|" + r.fields[i].String())
			}
		}
		fmt.Fprintf(&b, " (%d) %d@%d %q", len(r.fields), f.lineOf(pos), pos, rest[:r.end])
		f.rows = append(f.rows, b.String())
		f.countEnd(rest[r.end:r.next])
		f.account.Records += int64(r.end)
		f.account.Framing += int64(r.next - r.end)
	}
	return pos + r.next
}

// settle sets the first line of the record at pos aside if what follows up to
// end are records, else all of it.
func (f *reference) settle(pos, end, next int) int {
	first, second, ok := f.line(f.text[pos:])
	if ok && second < end && f.try(pos, second, end) {
		end, next = first, second
	}
	f.setAside(pos, pos+end, pos+next, diag.RecordMalformed, true)
	return pos + next
}

func (f *reference) try(pos, from, end int) bool {
	if f.width < 2 {
		return false
	}
	s, last := f.text[pos:], true
	if len(s) > f.limit {
		s, last = s[:f.limit], false
	}
	good := false
	for from < end {
		rest := s[from:]
		if n, comment := f.framing(rest); n > 0 {
			if !last && n == len(rest) && (!comment && rest == "\r" && f.sep == "" || comment && !f.ends(rest)) {
				return good
			}
			from += n
			continue
		}
		r := f.parse(rest, last)
		switch {
		case r.state != whole:
			return good
		case r.allNull(), len(r.fields) == 1 && strings.Trim(rest[:r.end], " \t") == "":
		case len(r.fields) != f.width:
			return false
		default:
			good = true
		}
		from += r.next
	}
	return good
}

// ends reports whether s surely ends with a line end, whatever follows.
func (f *reference) ends(s string) bool {
	if f.sep != "" {
		return strings.HasSuffix(s, f.sep)
	}
	return strings.HasSuffix(s, "\n")
}

func (f *reference) tooLong(pos int) int {
	first, second, ok := f.line(f.text[pos:])
	if ok && second < f.limit && f.try(pos, second, f.limit) {
		f.setAside(pos, pos+first, pos+second, diag.RecordTooLong, true)
		return pos + second
	}
	at := pos + f.limit
	if f.text[at-1] == '\r' {
		at--
	}
	for {
		end, next, ok := f.line(f.text[at:])
		end, next = at+end, at+next
		if ok && next < len(f.text) {
			s, last := f.text[next:], true
			if len(s) > resyncBytes {
				s, last = s[:resyncBytes], false
			}
			if r := f.parse(s, last); r.state != whole || len(r.fields) != f.width || r.allNull() {
				at = next
				continue
			}
		}
		f.setAside(pos, end, next, diag.RecordTooLong, false)
		return next
	}
}

// String spells the result as [spell] spells the scanner's.
func (f *reference) String() string {
	if f.failed {
		return "refused"
	}
	return fmt.Sprintf("%q\n%s\n%s\n%+v\n%+v", f.names, strings.Join(f.rows, "\n"), strings.Join(f.bad, "\n"), f.account, f.counts)
}

// spell spells a result for comparison with the reference.
func spell(o *outline) string {
	if o.r == nil {
		return "refused"
	}
	var rows []string
	for _, w := range o.rows {
		rows = append(rows, fmt.Sprintf("%d|%s (%d) %s", w.number, strings.Join(w.fields, "|"), w.have, w.where))
	}
	s := fmt.Sprintf("%q\n%s\n%s\n%+v\n%+v", o.header, strings.Join(rows, "\n"), strings.Join(o.bad, "\n"), o.r.in.Account, o.r.counts)
	if o.err != nil {
		s += o.err.Error()
	}
	return s
}
