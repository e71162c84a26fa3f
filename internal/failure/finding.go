package failure

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// quoted is how much of a message is shown.
const quoted = 240

// take puts a message to those of the same failure, or begins another.
func (s *scanner) take(h hit) {
	if n := len(s.event); n > 0 && (h.at-s.event[n-1].end > near || s.differs(h)) {
		s.close()
	}
	if begin, ok := s.another(h); ok {
		n := slices.IndexFunc(s.event, func(e hit) bool { return e.at >= begin })
		if n < 0 {
			n = len(s.event)
		}
		rest := slices.Clone(s.event[n:])
		s.event = s.event[:n]
		s.close()
		s.event = rest
	}
	s.event = append(s.event, h)
}

// another tells whether a message tells of another failure than those before it, in
// another record of the log, and where that begins.
func (s *scanner) another(h hit) (begin int64, ok bool) {
	if h.wrapper || !slices.ContainsFunc(s.event, func(e hit) bool { return !e.wrapper }) ||
		slices.ContainsFunc(s.event, func(e hit) bool { return e.failure == h.failure }) {
		return 0, false
	}
	from := max(s.event[0].end, s.base)
	if h.at <= from {
		return 0, false
	}
	between := s.text[from-s.base : h.at-s.base]
	for _, at := range record.FindAllStringIndex(between, -1) {
		if !chained.MatchString(between[:at[0]]) {
			begin, ok = from+int64(at[0]), true
		}
	}
	return begin, ok
}

// differs tells whether a message names another file or column than those before it, or
// tells of another failure where none of them is a part of it.
func (s *scanner) differs(h hit) bool {
	for _, e := range s.event {
		if h.end <= e.end {
			return false // it stands within the other
		}
	}
	for _, e := range s.event {
		if other(e.fields["file"], h.fields["file"]) || other(e.fields["column"], h.fields["column"]) {
			return true
		}
	}
	return false
}

// other tells whether two names are known and not the same. A path may be written with
// and without its scheme.
func other(a, b string) bool {
	if a == "" || b == "" || a == b {
		return false
	}
	return base(a) != base(b)
}

func base(path string) string {
	path = strings.ReplaceAll(path, `\\`, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// close makes a finding of the messages of a failure: of those that name a cause the
// one with most words, with what the others know besides.
func (s *scanner) close() {
	if len(s.event) == 0 {
		return
	}
	event := s.event
	s.event = nil
	best := event[0]
	for _, h := range event[1:] {
		if h.score() > best.score() {
			best = h
		}
	}
	f := Finding{Failure: best.failure, Line: event[0].line, Quote: best.quote, Count: 0}
	for _, h := range event {
		if h.pattern == best.pattern {
			f.Count++
		}
	}
	slices.SortStableFunc(event, func(a, b hit) int { return rank(a, best) - rank(b, best) })
	for _, h := range event {
		f.fill(h)
	}
	if best.wrapper {
		if s.report.Partial == nil {
			s.report.Partial = &f
		}
		return
	}
	k := key{f.Failure.Name, f.File, f.Column}
	if i, ok := s.seen[k]; ok {
		s.report.Findings[i].Count += f.Count
		return
	}
	if len(s.report.Findings) == mostKept {
		s.report.More += f.Count
		return
	}
	s.seen[k] = len(s.report.Findings)
	s.report.Findings = append(s.report.Findings, f)
}

// score orders the messages of an event.
func (h hit) score() int {
	if h.wrapper {
		return 0
	}
	return h.weight
}

// rank orders messages by how much they may say of the best one's failure.
func rank(h, best hit) int {
	switch {
	case h.pattern == best.pattern:
		return 0
	case h.failure == best.failure:
		return 1
	}
	return 2
}

// fill sets what is not known yet. Types come from messages of the same failure alone.
func (f *Finding) fill(h hit) {
	if f.File == "" {
		f.File = h.fields["file"]
	}
	if f.Column == "" {
		f.Column = h.fields["column"]
	}
	if h.failure != f.Failure {
		return
	}
	if f.Expected == "" && f.Found == "" {
		f.Expected, f.Found = h.fields["expected"], h.fields["found"]
	}
	if f.Column == "" && h.fields["merged"] != "" {
		f.Column, f.Expected, f.Found = merged(h.fields["merged"], h.fields["merging"])
	}
}

// tidy makes a value of what stood in a place of a message.
func tidy(name, kind, text string) string {
	if name == "file" {
		text = decoded(strings.ReplaceAll(text, "\n", ""))
		if text == "<Buffer>" || strings.Contains(text, "@") && !strings.ContainsAny(text, `/\`) {
			return "" // bytes in memory, or an object of a program
		}
		return text
	}
	text = strings.ReplaceAll(text, "\n", " ")
	switch kind {
	case "path":
		// A name may have a comma of its own: then nobody can tell it from a path.
		if strings.ContainsAny(strings.ReplaceAll(text, ", ", ""), " ()") {
			return text
		}
		return strings.ReplaceAll(text, ", ", ".")
	case "type":
		text = text[:ends(text)]
	}
	return strings.Trim(text, " .,;:")
}

// decoded is a file as its owner knows it.
func decoded(path string) string {
	path, _, _ = strings.Cut(path, " SQLSTATE")
	path = strings.TrimRight(strings.TrimSpace(path), ".;,'\"")
	if i := strings.Index(path, ":/"); i > 0 && !strings.Contains(path, " ") {
		if plain, err := url.PathUnescape(path); err == nil {
			return plain
		}
	}
	return path
}

// ends returns where a type ends: at a blank or a mark outside of its brackets.
func ends(text string) int {
	depth := 0
	for i, ch := range text {
		switch {
		case strings.ContainsRune("(<[{", ch):
			depth++
		case strings.ContainsRune(")>]}", ch):
			depth--
			if depth < 0 {
				return i
			}
		case depth > 0:
		case ch == ' ' && strings.HasPrefix(text[i:], " ("):
		case strings.ContainsRune(" ,;\"", ch), ch == '.' && (i+1 == len(text) || text[i+1] == ' '):
			return i
		}
	}
	return len(text)
}

// quote is a message on one line, cut.
func quote(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > quoted {
		text = strings.ToValidUTF8(text[:quoted], "") + "…"
	}
	return text
}

// merged finds the first column of two structs in Spark's DDL that has two types.
func merged(a, b string) (column, expected, found string) {
	types := map[string]string{}
	for _, f := range fields(a) {
		types[f[0]] = f[1]
	}
	for _, f := range fields(b) {
		if t, ok := types[f[0]]; ok && t != f[1] {
			if inner, e, g := merged(t, f[1]); inner != "" {
				return f[0] + "." + inner, e, g
			}
			return f[0], t, f[1]
		}
	}
	return "", "", ""
}

// fields are the names and types of STRUCT<a: INT, …>.
func fields(ddl string) (all [][2]string) {
	ddl, ok := strings.CutPrefix(strings.Join(strings.Fields(ddl), " "), "STRUCT<")
	if !ok {
		return nil
	}
	depth, from, quoted := 0, 0, false
	put := func(to int) {
		if name, t, ok := cutName(strings.TrimSpace(ddl[from:to])); ok {
			all = append(all, [2]string{name, t})
		}
		from = to + 1
	}
	for i, ch := range ddl {
		switch {
		case ch == '`':
			quoted = !quoted
		case quoted:
		case ch == '<', ch == '(':
			depth++
		case ch == ')', ch == '>':
			depth--
			if depth < 0 {
				put(i)
				return all
			}
		case ch == ',' && depth == 0:
			put(i)
		}
	}
	return all
}

// cutName cuts a field into its name, which may stand between backquotes, and its type.
func cutName(field string) (name, t string, ok bool) {
	if name, t, ok = strings.Cut(field, "`: "); ok && name[0] == '`' {
		return strings.ReplaceAll(name[1:], "``", "`"), t, true
	}
	return strings.Cut(field, ": ")
}

// nearest are the failures that share most of their words with a text, if they share
// more than a few.
func (c *Catalogue) nearest(text string) []*Failure {
	have := map[string]bool{}
	for _, w := range words(text) {
		have[w] = true
	}
	type scored struct {
		f     *Failure
		score float64
	}
	in := map[string]int{} // failures that have the word
	each := make([]map[string]bool, len(c.failures))
	for i, f := range c.failures {
		each[i] = map[string]bool{}
		for _, t := range f.Texts {
			for _, w := range words(t.Words) {
				each[i][w] = true
			}
		}
		for w := range each[i] {
			in[w]++
		}
	}
	var all []scored
	for i, f := range c.failures {
		score := 0.0
		for w := range each[i] {
			if have[w] {
				score += 1 / float64(in[w])
			}
		}
		if score >= 0.5 {
			all = append(all, scored{f, score})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	var out []*Failure
	for _, s := range all[:min(3, len(all))] {
		out = append(out, s.f)
	}
	return out
}

// words are the words of a text that may say something, in lower case.
func words(text string) []string {
	all := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '_' })
	return slices.DeleteFunc(all, func(w string) bool { return len(w) < 5 })
}
