package project

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"landfall/internal/contract"
	"landfall/internal/diag"
)

// DecisionsFile is the name of the file of decisions, which lies beside the
// project file.
const DecisionsFile = "decisions.yaml"

// Decide reads the file of decisions, and gives each source its own, in the file's
// order. The error is a diagnostic or a [diag.List] of all that is wrong.
func (p *Project) Decide(path string, data []byte) error {
	root, err := parseYAML(path, bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return err
	}
	l := decisionLoader{loader: loader{project: p}, all: make(map[string][]contract.Decision)}
	l.top(root)
	if err := l.problems.Err(); err != nil {
		return err
	}
	for i := range p.Sources {
		s := &p.Sources[i]
		if err := contract.Agree(l.all[s.Name], s.Policy); err != nil {
			l.problems.Merge(l.excerpts(err, data))
		}
		s.Policy.Decisions = l.all[s.Name]
	}
	return l.problems.Err()
}

// decisionLoader collects decisions by source.
type decisionLoader struct {
	loader
	all map[string][]contract.Decision
}

// excerpts gives diagnostics the lines that they point at.
func (l *decisionLoader) excerpts(err error, data []byte) error {
	var list diag.List
	list.Merge(err)
	lines := strings.Split(string(data), "\n")
	for _, d := range list {
		if at := int(d.At.Line); at > 0 && at <= len(lines) {
			d.Excerpt = strings.TrimSuffix(lines[at-1], "\r")
		}
	}
	return list.Err()
}

// top reads the keys of the file. An empty one decides nothing.
func (l *decisionLoader) top(root tree) {
	if root.scalar == nil && !root.list && !root.mapping {
		return
	}
	if !root.mapping {
		l.problems.Add(root.problem(diag.ProjectSyntax, "found %s, want version: and decisions:", root.what()).Hinted("begin with version: 1"))
		return
	}
	version := false
	for _, p := range root.fields {
		switch p.key.name() {
		case "version":
			if version = true; p.value.name() != "1" {
				l.problems.Add(p.value.problem(diag.ProjectKey, "version: found %s, want 1", p.value.what()).
					Hinted("a newer version needs a newer release of landfall"))
			}
		case "decisions":
			l.decisions(p)
		default:
			l.unknownKey(p.key, []string{"version", "decisions"}, "")
		}
	}
	if !version {
		l.problems.Add(root.problem(diag.ProjectKey, "key \"version\" is missing").Hinted("begin with version: 1"))
	}
}

func (l *decisionLoader) decisions(p pair) {
	if !p.value.list {
		if p.value.scalar != nil || p.value.mapping {
			l.problems.Add(p.value.problem(diag.ProjectKey, "decisions: found %s, want a list of decisions", p.value.what()).
				Hinted("landfall drift decide writes one"))
		}
		return
	}
	for _, item := range p.value.items {
		l.decision(item)
	}
}

func decisionKeys() []string {
	return []string{"source", "column", "action", "to", "drift", "why", "who", "at"}
}

// decision reads one decision.
func (l *decisionLoader) decision(item tree) {
	if !item.mapping {
		l.problems.Add(item.problem(diag.ProjectKey, "found %s, want a decision", item.what()).
			Hinted("its keys are %s", strings.Join(decisionKeys(), ", ")))
		return
	}
	known := len(l.problems)
	values := make(map[string]pair, len(item.fields))
	for _, p := range item.fields {
		if name := p.key.name(); slices.Contains(decisionKeys(), name) {
			values[name] = p
			l.text(p, "a text")
		} else {
			l.unknownKey(p.key, decisionKeys(), "")
		}
	}
	for _, key := range []string{"source", "column", "action", "why"} {
		if _, ok := values[key]; !ok {
			l.problems.Add(item.problem(diag.ProjectKey, "the decision has no %s", key).Hinted("add %s: to it", key))
		}
	}
	if len(l.problems) > known {
		return
	}
	text := func(key string) string { return values[key].value.name() }
	d := contract.Decision{
		Column: text("column"), Action: contract.Action(text("action")), To: text("to"), Drift: strings.TrimPrefix(text("drift"), "#"),
		Why: text("why"), Who: text("who"), Place: values["column"].value.at,
	}
	if at, ok := values["at"]; ok {
		var problem *diag.Diagnostic
		if d.At, problem = (Setting{"at", at.located()}).instant(); problem != nil {
			l.problems.Add(problem)
			return
		}
	}
	l.check(values, d)
}

// check takes a decision if its source is known and its keys go together.
func (l *decisionLoader) check(values map[string]pair, d contract.Decision) {
	source := values["source"].value
	if _, ok := l.project.Source(source.name()); !ok {
		problem := source.problem(diag.ProjectKey, "found source %s, which the project has not", diag.Quote(source.name()))
		hint := "the sources are " + strings.Join(l.project.Names(), ", ")
		if near := diag.Nearest(source.name(), l.project.Names()); near != "" {
			hint = "did you mean " + near + "?"
		}
		l.problems.Add(problem.Hinted("%s", hint))
		return
	}
	if to, ok := values["to"]; ok && d.Action != contract.Map {
		l.problems.Add(to.key.problem(diag.ProjectKey, "key \"to\" goes with action: map").Hinted("leave it out"))
		return
	}
	if key, ok := values["drift"]; ok && d.Action != contract.Carry {
		l.problems.Add(key.key.problem(diag.ProjectKey, "key \"drift\" goes with action: carry").Hinted("leave it out"))
		return
	}
	l.all[source.name()] = append(l.all[source.name()], d)
}

// AddDecision returns the text of a file of decisions with one more at its end; all
// that stands in it stays, but for the brackets of a list that holds nothing. The
// error is a diagnostic: the file is wrong, or what stands there contradicts the
// decision, or it is written in a way that has no room there; then it says what to
// add.
func (p *Project) AddDecision(path string, data []byte, source string, d contract.Decision) ([]byte, error) {
	before := *p
	before.Sources = slices.Clone(p.Sources)
	if err := before.Decide(path, data); err != nil {
		return nil, err
	}
	if err := before.contradiction(path, source, d); err != nil {
		return nil, err
	}
	empty := regexp.MustCompile(`(?m)^decisions:[ \t]*\[[ \t]*\]`)
	text := empty.ReplaceAllString(string(data), "decisions:")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if !strings.Contains("\n"+text, "\nversion:") {
		text += "version: 1\n"
	}
	if !strings.Contains("\n"+text, "\ndecisions:") {
		text += "decisions:\n"
	}
	text += entryOf(source, d, indentOf(text))
	after := *p
	after.Sources = slices.Clone(p.Sources)
	if err := after.Decide(path, []byte(text)); err != nil || !before.has(after, source, d) {
		return nil, diag.New(diag.ProjectSyntax, "found no place for a decision at the end of the file").In(diag.Place{File: path}).
			Hinted("add to decisions: yourself:\n%s", entryOf(source, d, "  "))
	}
	return []byte(text), nil
}

// contradiction refuses a decision that does not go with those of the file, which
// no run would read with it.
func (p *Project) contradiction(path, source string, d contract.Decision) error {
	s, ok := p.Source(source)
	if !ok {
		return nil
	}
	d.Place = diag.Place{File: path}
	var problems diag.List
	problems.Merge(contract.Agree(append(slices.Clone(s.Policy.Decisions), d), s.Policy))
	for _, x := range problems {
		if x.Rule.Line > 0 {
			_ = x.Hinted("the decision contradicts the entry at line %d: take it out of the file first", x.Rule.Line)
		}
	}
	return problems.Err()
}

// entryOf writes a decision as an item of the list.
func entryOf(source string, d contract.Decision, indent string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s- source: %s\n", indent, scalar(source))
	for _, kv := range [][2]string{
		{"column", d.Column},
		{"action", string(d.Action)},
		{"to", d.To},
		{"drift", d.Drift},
		{"why", d.Why},
		{"who", d.Who},
		{"at", d.At.UTC().Format(time.RFC3339)},
	} {
		if kv[1] != "" {
			fmt.Fprintf(&b, "%s  %s: %s\n", indent, kv[0], scalar(kv[1]))
		}
	}
	return b.String()
}

// indentOf is how far the last item of the list is indented.
func indentOf(text string) string {
	indent := "  "
	for line := range strings.SplitSeq(text, "\n") {
		if item := strings.TrimLeft(line, " "); strings.HasPrefix(item, "- ") {
			indent = line[:len(line)-len(item)]
		}
	}
	return indent
}

// has reports whether another project has one decision more, and all others as
// they are.
func (p *Project) has(after Project, source string, d contract.Decision) bool {
	for i, s := range p.Sources {
		want := s.Policy.Decisions
		if s.Name == source {
			want = append(slices.Clone(want), d)
		}
		if !slices.EqualFunc(want, after.Sources[i].Policy.Decisions, func(a, b contract.Decision) bool {
			return a.Says(b) && a.Why == b.Why && a.Who == b.Who
		}) {
			return false
		}
	}
	return true
}

// scalar writes a text such that YAML reads it as that text.
func scalar(text string) string {
	plain := text != "" && strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0 && (text[0] >= 'a' && text[0] <= 'z' || text[0] >= 'A' && text[0] <= 'Z')
	switch strings.ToLower(text) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		plain = false
	}
	if plain {
		return text
	}
	return quotedText(text)
}

// quotedText writes a text in the double quotes of YAML.
func quotedText(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
