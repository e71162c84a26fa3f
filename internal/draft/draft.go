// Package draft writes project files for people to go on from.
//
// A draft is read by package project as it stands: what an option cannot say
// yet is a comment, with the reason.
package draft

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/notebook"
	"landfall/internal/project"
)

// Draft is a project file in the making.
type Draft struct {
	Sources []Source
	// Notes are what a person should know, by their places in a notebook.
	Notes []notebook.Note
	// Head is a comment at the top, without marks.
	Head string
}

// Source is a source of a draft.
type Source struct {
	Name, Path, Table string
	// Remarks are comments above it, PathRemark and TableRemark beside its keys.
	Remarks                 []string
	PathRemark, TableRemark string
	// AutoLoader gives it Auto Loader's defaults.
	AutoLoader bool
	Options    []Option
	// Hints are comments at its end: what else could be said.
	Hints []string
}

// Option is an option of a source; one with a reason to leave it out is a
// comment.
type Option struct {
	Name, Value string
	// Out says why it is left out, Remark is a comment beside one that is not.
	Out, Remark string
}

// YAML is the text of the project file.
func (d Draft) YAML() string {
	var b strings.Builder
	for line := range strings.Lines(d.Head) {
		b.WriteString(strings.TrimRight("# "+line, " \n") + "\n")
	}
	b.WriteString("version: 1\nsources:\n")
	if len(d.Sources) == 0 {
		b.WriteString("  {}\n")
	}
	for _, s := range d.Sources {
		s.write(&b)
	}
	return b.String()
}

func (s Source) write(b *strings.Builder) {
	for _, r := range s.Remarks {
		fmt.Fprintf(b, "  # %s\n", flat(r))
	}
	fmt.Fprintf(b, "  %s:\n", plain(s.Name))
	line := func(indent, key, value, remark string) {
		text := indent + key + ": " + plain(value)
		if remark != "" {
			text += "  # " + flat(remark)
		}
		b.WriteString(text + "\n")
	}
	line("    ", "path", s.Path, s.PathRemark)
	line("    ", "table", s.Table, s.TableRemark)
	if s.AutoLoader {
		line("    ", "compat", string(project.AutoLoader), "")
	}
	opened := false
	for _, o := range s.Options {
		if o.Out != "" {
			continue
		}
		if !opened {
			b.WriteString("    options:\n")
			opened = true
		}
		line("      ", o.Name, o.Value, o.Remark)
	}
	for _, o := range s.Options {
		if o.Out != "" {
			line("      # ", o.Name, o.Value, "left out: "+o.Out)
		}
	}
	for _, h := range s.Hints {
		fmt.Fprintf(b, "    # %s\n", h)
	}
}

// flat is a text on one line.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// simple are texts that YAML reads as they are.
var simple = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_./=+:-]*$`)

// plain writes a value for YAML.
func plain(s string) string {
	if simple.MatchString(s) && !strings.HasSuffix(s, ":") && !strings.EqualFold(s, "null") {
		return s
	}
	if strings.Contains(s, "\n") && !strings.Contains(s, "`") {
		s = flat(s)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always has JSON
	return strings.TrimSpace(b.String())
}

// named gives every source a name of its own that a project takes.
func (d *Draft) named() {
	taken := map[string]bool{}
	for i := range d.Sources {
		s := &d.Sources[i]
		base := cleanName(s.Name)
		s.Name = base
		for n := 2; taken[strings.ToLower(s.Name)]; n++ {
			s.Name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[strings.ToLower(s.Name)] = true
	}
}

// cleanName makes a name that a source can have.
func cleanName(s string) string {
	const most = 80
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-':
			return r
		}
		return '_'
	}, s)
	s = strings.Trim(s, "_-")
	if s == "" {
		return "source"
	}
	return s[:min(len(s), most)]
}

// why is the reason for which an option is refused for files of a format, "" if
// it is not.
func why(format, name, value string) string {
	values := map[string]project.Value{name: {Text: value}}
	if _, err := project.ParseOptions(map[string]project.Value{"cloudFiles.format": {Text: format}}, project.AutoLoader); err == nil {
		values["cloudFiles.format"] = project.Value{Text: format}
		values[name] = project.Value{Text: value}
	}
	_, err := project.ParseOptions(values, project.AutoLoader)
	var d *diag.Diagnostic
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &d):
		return err.Error()
	case d.Hint == "":
		return strings.TrimPrefix(d.Message, name+": ")
	}
	return strings.TrimPrefix(d.Message, name+": ") + "; " + d.Hint
}
