package sqlpipe

import (
	"fmt"
	"regexp"
	"strings"

	"landfall/internal/diag"
)

var (
	pyDecorator = regexp.MustCompile(`^@(?:dlt|dp|sdp|pipelines)\.(\w+)`)
	pyCreate    = regexp.MustCompile(`(?m)^(?:dlt|dp|sdp|pipelines)\.(create_streaming_table|create_streaming_live_table|create_target_table)\(`)
	pyName      = regexp.MustCompile(`(?:^|[(,\s])name\s*=\s*["']([^"']+)["']`)
	pyTarget    = regexp.MustCompile(`target\s*=\s*["']([^"']+)["']`)
	pyComment   = regexp.MustCompile(`comment\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`)
	pyFirst     = regexp.MustCompile(`^\(\s*["']([^"']+)["']`)
	pyPair      = regexp.MustCompile(`("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*[:,]\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')`)
	pyDef       = regexp.MustCompile(`^(?:async\s+)?def\s+(\w+)\s*\(`)
	pyRead      = regexp.MustCompile(`(?:dlt|dp|spark)\.(read_stream|readStream\.table|read|read\.table|table)\(\s*f?["']([^"']+)["']`)
	// pySQL is a cell of SQL in a notebook of Python, pyMagic what begins its lines.
	pySQL    = regexp.MustCompile(`(?m)^# MAGIC %sql.*\n(?:# MAGIC.*\n?)+`)
	pyMagic  = regexp.MustCompile(`(?m)^# MAGIC ?`)
	pyFormat = regexp.MustCompile(`cloudFiles\.format["']\s*,\s*["'](\w+)["']`)
	pyLoad   = regexp.MustCompile(`\.load\(\s*f?["']([^"']+)["']`)
)

// pythonTable is a table of a file in Python, as far as its decorators say it.
type pythonTable struct {
	kind, name, target, comment string
	rules                       []string
	body                        strings.Builder
}

// pythonFile is the message for a pipeline in Python: the SQL that says the same, as far as
// the decorators say it.
func pythonFile(f Text) *diag.Diagnostic {
	d := diag.New(diag.SQLRefused, "found a pipeline in Python, want SQL").In(diag.Place{File: f.Name, Line: 1, Column: 1})
	var out strings.Builder
	for _, t := range pythonTables(f.Text) {
		out.WriteString(t.skeleton())
	}
	for _, m := range pySQL.FindAllString(f.Text, -1) {
		_, sql, _ := strings.Cut(m, "\n")
		out.WriteString(strings.TrimSpace(pyMagic.ReplaceAllString(sql, "")) + "\n")
	}
	d.Hint = "write its tables as SQL"
	if out.Len() > 0 {
		d.Hint += ":\n" + strings.TrimRight(out.String(), "\n")
	}
	return d
}

// pythonTables finds the functions with decorators, and the tables that calls create.
func pythonTables(text string) []*pythonTable {
	var out []*pythonTable
	var open, last *pythonTable
	for rest := text; rest != ""; {
		switch {
		case pyDecorator.MatchString(rest):
			if open == nil {
				open = &pythonTable{}
			}
			word := pyDecorator.FindStringSubmatch(rest)[1]
			args := arguments(rest[len(pyDecorator.FindString(rest)):])
			open.decorate(word, args)
			rest = rest[len(pyDecorator.FindString(rest))+len(args):]
			last = nil
		case pyDef.MatchString(rest):
			if open != nil && open.kind != "" {
				if open.name == "" {
					open.name = pyDef.FindStringSubmatch(rest)[1]
				}
				out = append(out, open)
			}
			last, open = open, nil
		case pyCreate.MatchString(rest) && pyCreate.FindStringIndex(rest)[0] == 0:
			args := arguments(rest[strings.IndexByte(rest, '('):])
			t := &pythonTable{kind: "create"}
			t.decorate("create", args)
			if strings.Contains(args, "expect_all") {
				t.createRules(args)
			}
			out = append(out, t)
			last = nil
		}
		line, after, _ := strings.Cut(rest, "\n")
		if last != nil {
			last.body.WriteString(line + "\n")
		}
		rest = after
	}
	return out
}

// arguments is what stands in the parentheses that a text begins with, and these.
func arguments(text string) string {
	if text == "" || text[0] != '(' {
		return ""
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		case '"', '\'':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return text
}

// decorate takes over what one decorator says.
func (t *pythonTable) decorate(word, args string) {
	if strings.HasPrefix(word, "expect") {
		t.expect(word, args)
		return
	}
	t.kind = strings.TrimPrefix(word, "create_")
	if m := pyName.FindStringSubmatch(args); m != nil {
		t.name = m[1]
	} else if m := pyFirst.FindStringSubmatch(args); m != nil {
		t.name = m[1]
	}
	if m := pyTarget.FindStringSubmatch(args); m != nil {
		t.target = m[1]
	}
	if m := pyComment.FindStringSubmatch(args); m != nil {
		t.comment = pyText(m[1])
	}
}

// expect takes over the names and conditions that a decorator or an argument holds.
func (t *pythonTable) expect(word, args string) {
	action := ""
	switch {
	case strings.HasSuffix(word, "_or_drop"):
		action = " ON VIOLATION DROP ROW"
	case strings.HasSuffix(word, "_or_fail"):
		action = " ON VIOLATION FAIL UPDATE"
	}
	for _, m := range pyPair.FindAllStringSubmatch(args, -1) {
		t.rules = append(t.rules, fmt.Sprintf("  CONSTRAINT %s EXPECT (%s)%s", quoted(pyText(m[1])), pyText(m[2]), action))
	}
}

// createRules reads expect_all = {…} of a call.
func (t *pythonTable) createRules(args string) {
	for _, word := range []string{"expect_all_or_drop", "expect_all_or_fail", "expect_all"} {
		at := strings.Index(args, word)
		if at < 0 {
			continue
		}
		if body, _, ok := strings.Cut(args[at:], "}"); ok {
			t.expect(word, body[len(word):])
		}
		args = args[:at] + args[at+len(word):]
	}
}

// pyText is what a text of Python says.
func pyText(quoted string) string {
	return strings.NewReplacer(`\"`, `"`, `\'`, "'", `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}

// source is what the function reads, as it stands behind FROM, and whether it is a stream.
func (t *pythonTable) source() (from string, stream bool) {
	body := t.body.String()
	if m := pyRead.FindStringSubmatch(body); m != nil {
		name := strings.TrimPrefix(m[2], "LIVE.")
		if strings.Contains(strings.ToLower(m[1]), "stream") {
			return "STREAM(" + name + ")", true
		}
		return name, false
	}
	stream = strings.Contains(body, "readStream")
	format, load := pyFormat.FindStringSubmatch(body), pyLoad.FindStringSubmatch(body)
	switch {
	case load != nil && format != nil:
		return fmt.Sprintf("STREAM read_files('%s', format => '%s')", load[1], format[1]), true
	case stream:
		return "STREAM(…)", true
	}
	return "…", false
}

// skeleton is the statement of one function or call.
func (t *pythonTable) skeleton() string {
	from, stream := t.source()
	list := ""
	if len(t.rules) > 0 {
		list = " (\n" + strings.Join(t.rules, ",\n") + "\n)"
	}
	if t.comment != "" {
		list += " COMMENT '" + strings.ReplaceAll(t.comment, "'", "''") + "'"
	}
	head := "CREATE OR REFRESH MATERIALIZED VIEW "
	switch {
	case t.kind == "create":
		return "CREATE OR REFRESH STREAMING TABLE " + t.name + list + ";\n"
	case t.kind == "append_flow":
		return "CREATE FLOW " + t.name + " AS INSERT INTO " + t.target + " BY NAME\nSELECT * FROM " + from + ";\n"
	case t.kind == "view" || t.kind == "temporary_view":
		head = "CREATE TEMPORARY VIEW "
	case stream:
		head = "CREATE OR REFRESH STREAMING TABLE "
	}
	return head + t.name + list + " AS\nSELECT * FROM " + from + ";\n"
}
