package failure

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
)

// Bounds of what is held of a text.
const (
	window   = 256 << 10 // text that is searched at once
	overlap  = 32 << 10  // what is searched again with the next: no message is longer
	near     = 16 << 10  // messages so near tell of one failure, if they do not differ
	mostKept = 1000      // findings that differ
)

// Finding is a known failure in a text.
type Finding struct {
	Failure *Failure
	// File, Column, Expected and Found are what the text says; "" where it does not.
	// A file that is a URL is decoded.
	File, Column, Expected, Found string
	// Line is where it stands first, from 1; Count how often its message stands there
	// with the same file and column.
	Line, Count int64
	// Quote is the message, cut.
	Quote string
}

// Report is what there is in a text.
type Report struct {
	// Findings begin with the likeliest: failures that do not often come of others, then
	// those whose message stands most often, then in the order of the text.
	Findings []Finding
	// More counts findings that were not kept.
	More int64
	// Partial is what was read when something failed, where the text does not say what:
	// the first such message. It is nil where there are findings.
	Partial *Finding
	// Nearest are known failures with words of the text, if none was found: the nearest
	// first, three at most.
	Nearest []*Failure
	// Lines is the number of lines that were read.
	Lines int64
}

// Scan searches a text of any length. It holds a bounded part of it. Errors are the
// reader's.
func (c *Catalogue) Scan(r io.Reader) (Report, error) {
	s := &scanner{catalogue: c, peel: newPeeler(), seen: map[key]int{}}
	if err := s.read(r); err != nil {
		return Report{}, err
	}
	s.close()
	if len(s.report.Findings) == 0 && len(s.first) < window {
		// A terminal may have cut the message within a word.
		s.text, s.lines = strings.ReplaceAll(s.first, "\n", ""), nil
		s.search(true)
		s.close()
	}
	if len(s.report.Findings) > 0 {
		s.report.Partial = nil
		slices.SortStableFunc(s.report.Findings, likelier)
	} else {
		s.report.Nearest = c.nearest(s.first)
	}
	return s.report, nil
}

// likelier orders findings.
func likelier(a, b Finding) int {
	if a.Failure.Follows != b.Failure.Follows {
		if b.Failure.Follows {
			return -1
		}
		return 1
	}
	return cmp.Compare(b.Count, a.Count)
}

// key tells findings apart.
type key struct{ name, file, column string }

// mark says which line begins where in the searched text.
type mark struct {
	at   int
	line int64
}

// hit is a pattern that was found.
type hit struct {
	*pattern
	at, end int64
	line    int64
	fields  map[string]string
	quote   string
}

// scanner searches a text window by window.
type scanner struct {
	catalogue *Catalogue
	peel      peeler
	report    Report
	seen      map[key]int
	text      string // the window
	base      int64  // bytes before it
	lines     []mark
	first     string // the beginning of the text
	event     []hit  // messages of one failure, so far
}

// read feeds the text to the search.
func (s *scanner) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var b strings.Builder
	b.WriteString(s.text)
	whole, json := true, false
	for {
		line, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		text := string(line)
		if whole && text != "" {
			s.report.Lines++
			s.lines = append(s.lines, mark{b.Len(), s.report.Lines})
			json = strings.IndexByte(text, '"') >= 0 && packed.MatchString(text)
		}
		whole = !errors.Is(err, bufio.ErrBufferFull)
		b.WriteString(s.peel.plain(text, json))
		done := errors.Is(err, io.EOF)
		if b.Len() < window && !done {
			continue
		}
		s.text = b.String()
		if s.base == 0 && s.first == "" {
			s.first = s.text
		}
		s.search(done)
		if done {
			return nil
		}
		b.Reset()
		b.WriteString(s.text)
	}
}

// search finds all messages of the window. Those that begin in its last part wait for
// what follows, unless the text is done.
func (s *scanner) search(done bool) {
	cut := len(s.text)
	if !done {
		cut = max(0, len(s.text)-overlap)
		if i := strings.LastIndexByte(s.text[:cut], '\n'); i >= 0 {
			cut = i + 1
		}
	}
	flat := strings.ReplaceAll(s.text, "\n", " ")
	var hits []hit
	for i, at := range s.catalogue.anchors.in(flat, s.catalogue.patterns) {
		hits = append(hits, s.find(&s.catalogue.patterns[i], at, cut)...)
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.at, b.at) })
	for _, h := range hits {
		s.take(h)
	}
	s.text, s.base = s.text[cut:], s.base+int64(cut)
	rest := s.lines[:0]
	for i, m := range s.lines {
		if m.at >= cut || i+1 == len(s.lines) || s.lines[i+1].at > cut {
			rest = append(rest, mark{max(0, m.at-cut), m.line})
		}
	}
	s.lines = rest
}

// find returns where a pattern is in the window, before cut; its anchor is at the
// places.
func (s *scanner) find(p *pattern, places []int, cut int) (hits []hit) {
	done := 0
	for _, i := range places {
		if i < done {
			continue
		}
		from := i + len(p.anchor)
		start := max(done, i-p.before)
		if p.line {
			start = max(start, strings.LastIndexByte(s.text[:i], '\n')+1)
		}
		part := s.text[start:min(len(s.text), from+p.after)]
		at := p.whole().FindStringSubmatchIndex(part)
		if at == nil || start+at[0] > i {
			continue
		}
		done = start + at[1]
		if start+at[0] >= cut {
			return hits
		}
		fields := map[string]string{}
		for n, field := range p.fields {
			name, kind, _ := strings.Cut(field, ":")
			text := part[at[2*n+2]:at[2*n+3]]
			if n == len(p.fields)-1 && at[2*n+3] == at[1] {
				kind = cmp.Or(kind, "type")
			}
			fields[name] = tidy(name, kind, text)
		}
		hits = append(hits, hit{p, s.base + int64(start+at[0]), s.base + int64(done), s.lineOf(start + at[0]), fields, quote(part[at[0]:at[1]])})
	}
	return hits
}

// lineOf returns the number of the line that a place of the window is in, 0 if it is
// not known.
func (s *scanner) lineOf(at int) (line int64) {
	i, ok := slices.BinarySearchFunc(s.lines, at, func(m mark, at int) int { return cmp.Compare(m.at, at) })
	if !ok {
		i--
	}
	if i < 0 {
		return 0
	}
	return s.lines[i].line
}
