// Package failure recognises known failures of readers in text that people paste.
//
// A failure is known by the words that a reader prints; the words, the cause and what
// to do about it stand in catalogue.txt. What a text does not say is left empty, and a
// text without known words is not guessed at. Nothing here opens a file.
package failure

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

//go:embed catalogue.txt
var catalogue string

// Failure is one thing that goes wrong when files are read.
type Failure struct {
	// Name says which it is, for ever.
	Name string
	// Readers are those that print it.
	Readers []string
	// Title says in a few words what happened, Cause in two sentences why.
	Title, Cause string
	// Fixes lead on, the best first.
	Fixes []Fix
	// Never are things that seem to help and lose or change values.
	Never []string
	// Partial says that the text names a file and no cause.
	Partial bool
	// Follows says that it is often what comes of another failure, such as an empty
	// folder of a job that did not write.
	Follows bool
	// Texts are what it is recognised by, with {file} and so on as places.
	Texts []Text
}

// Text is what a reader prints.
type Text struct {
	Words string
	// Quoted says that it was never provoked by a run of the reader, and stands as
	// documents and reports quote it.
	Quoted bool
}

// Fix is something to do: a sentence, and the option or command if there is one.
type Fix struct {
	Text    string `json:"text"`
	Command string `json:"command,omitempty"`
}

// Catalogue is what is recognised. It is safe for use by several at once.
type Catalogue struct {
	failures []*Failure
	patterns []pattern
	anchors  *anchors
}

// Load returns the catalogue; an error says where it is wrong.
func Load() (*Catalogue, error) { return parse(catalogue) }

// Failures returns all known failures in the order of the catalogue. They are shared.
func (c *Catalogue) Failures() []*Failure { return c.failures }

// parse reads a catalogue.
func parse(text string) (*Catalogue, error) {
	c := &Catalogue{}
	warnings := map[string]string{}
	var now *Failure
	for n, line := range strings.Split(text, "\n") {
		key, rest, ok := strings.Cut(line, ": ")
		switch {
		case line == "":
			now = nil
			continue
		case strings.HasPrefix(line, "#"):
			continue
		case !ok:
			return nil, fmt.Errorf("catalogue line %d: found %q, want a key", n+1, line)
		case key == "warning":
			name, words, _ := strings.Cut(rest, ": ")
			warnings[name] = words
			continue
		case key == "name":
			now = &Failure{Name: rest}
			c.failures = append(c.failures, now)
			continue
		case now == nil:
			return nil, fmt.Errorf("catalogue line %d: found %q outside an entry", n+1, key)
		}
		if err := c.take(now, key, rest); err != nil {
			return nil, fmt.Errorf("catalogue line %d: %w", n+1, err)
		}
	}
	a, err := index(c.patterns)
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", err)
	}
	c.anchors = a
	return c, c.warn(warnings)
}

// take sets what a line of the catalogue says of a failure.
func (c *Catalogue) take(f *Failure, key, text string) error {
	switch key {
	case "readers":
		f.Readers = strings.Split(text, ", ")
	case "title":
		f.Title = text
	case "cause":
		f.Cause = text
	case "follows":
		f.Follows = text == "often"
	case "never":
		f.Never = append(f.Never, text)
	case "fix":
		words, command, _ := strings.Cut(text, " => ")
		f.Fixes = append(f.Fixes, Fix{words, command})
	case "match":
		words, partial := strings.CutPrefix(text, "wrapper ")
		words, quoted := strings.CutPrefix(words, "quoted ")
		f.Partial = f.Partial || partial
		f.Texts = append(f.Texts, Text{words, quoted})
		p := compile(words)
		p.failure, p.wrapper = f, partial
		c.patterns = append(c.patterns, p)
	default:
		return fmt.Errorf("found key %q", key)
	}
	return nil
}

// warn puts the words of warnings in the place of their names.
func (c *Catalogue) warn(warnings map[string]string) error {
	for _, f := range c.failures {
		for i, name := range f.Never {
			words, ok := warnings[name]
			if !ok {
				return fmt.Errorf("catalogue: %s has the warning %q, which there is not", f.Name, name)
			}
			f.Never[i] = words
		}
	}
	return nil
}

// pattern finds one text.
type pattern struct {
	failure *Failure
	wrapper bool
	// anchor is the longest run of words without a place in it: where it is not, the
	// text is not. weight is how many bytes of words there are.
	anchor string
	weight int
	// line says that the text begins with a path, which may begin anywhere in a line.
	line bool
	// before and after are how far a message may begin before its anchor and end after it.
	before, after int
	// whole is compiled when the anchor is first met: most never are, and all together
	// take 100 MB.
	whole  func() *regexp.Regexp
	fields []string // names of the places, in order
}

// hole is a place in a text of the catalogue.
const hole = `\{(\w*)(?::(\w+))?\}`

// compile makes a pattern of a text with places.
func compile(words string) pattern {
	p := pattern{before: 2 << 10, after: 4 << 10}
	var b strings.Builder
	b.WriteString("(?s)")
	from := 0
	literal := func(s string) {
		p.weight += len(s)
		if len(s) > len(p.anchor) {
			p.anchor = s
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(s), " ", `[ \n]`))
	}
	for _, at := range regexp.MustCompile(hole).FindAllStringSubmatchIndex(words, -1) {
		literal(words[from:at[0]])
		from = at[1]
		field, kind := words[at[2]:at[3]], ""
		if at[4] >= 0 {
			kind = words[at[4]:at[5]]
		}
		last := from == len(words)
		switch {
		case field == "" && last:
			continue
		case kind == "trace": // frames of a stack trace
			b.WriteString(`.*?`)
			continue
		case field == "":
			b.WriteString(`.{0,400}?`)
			continue
		case kind == "any": // a schema, as long as a table is wide
			p.before, p.after = 16<<10, 16<<10
		case kind == "before":
			p.line = true
			b.WriteString(`[^\n]*(?:^|[\n "'(,])`)
		}
		p.fields = append(p.fields, field+":"+kind)
		b.WriteString(`(` + holeOf(kind, last) + `)`)
	}
	literal(words[from:])
	p.whole = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(b.String()) })
	return p
}

// holeOf returns the expression of a place.
func holeOf(kind string, last bool) string {
	switch kind {
	case "before":
		return `(?:[A-Za-z][A-Za-z0-9+.-]*:)?/[^\n]{1,900}?|[A-Za-z]:\\[^\n]{1,900}?`
	case "line":
		return `[^\n"]{1,400}?\.parquet|[^\n"]{1,900}`
	case "word":
		return `[^\s()\[\]{};,"]+`
	case "any":
		return `.*?`
	case "repetition":
		return `optional|required|repeated`
	case "ntz":
		return `timestamp_ntz`
	}
	if last {
		return `[^\n]{1,900}`
	}
	return `.{1,900}?`
}
