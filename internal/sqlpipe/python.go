package sqlpipe

import (
	"fmt"
	"regexp"
	"strings"

	"landfall/internal/diag"
)

var (
	pyTable  = regexp.MustCompile(`(?m)^@(?:dlt|dp)\.(table|view|materialized_view|temporary_view)\b(?:\(([^)]*)\))?`)
	pyName   = regexp.MustCompile(`name\s*=\s*["']([^"']+)["']`)
	pyExpect = regexp.MustCompile(`(?m)^@(?:dlt|dp)\.expect(_or_drop|_or_fail)?\(\s*["']([^"']+)["']\s*,\s*["'](.+)["']\s*\)\s*$`)
	pyDef    = regexp.MustCompile(`(?m)^def\s+(\w+)\s*\(`)
	pyRead   = regexp.MustCompile(`(?:dlt\.|dp\.|spark\.)(read_stream|readStream\.table|read|read\.table|table)\(\s*["']([^"']+)["']`)
)

// pythonFile is the message for a pipeline in Python: the SQL that says the same, as far as
// the decorators say it.
func pythonFile(f Text) *diag.Diagnostic {
	d := diag.New(diag.SQLRefused, "found a pipeline in Python, want SQL").In(diag.Place{File: f.Name, Line: 1, Column: 1})
	var out strings.Builder
	for _, block := range pythonBlocks(f.Text) {
		out.WriteString(skeleton(block))
	}
	d.Hint = "write its tables as SQL"
	if out.Len() > 0 {
		d.Hint += ":\n" + strings.TrimRight(out.String(), "\n")
	}
	return d
}

// pythonBlocks cuts a file at the functions that make tables: decorators and body.
func pythonBlocks(text string) []string {
	starts := pyTable.FindAllStringIndex(text, -1)
	blocks := make([]string, len(starts))
	for i, s := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		blocks[i] = text[s[0]:end]
	}
	return blocks
}

// skeleton is the statement of one function.
func skeleton(block string) string {
	head := pyTable.FindStringSubmatch(block)
	name := ""
	if m := pyName.FindStringSubmatch(head[2]); m != nil {
		name = m[1]
	} else if m := pyDef.FindStringSubmatch(block); m != nil {
		name = m[1]
	}
	read := pyRead.FindStringSubmatch(block)
	source, stream := "…", head[1] == "table"
	if read != nil {
		source, stream = read[2], strings.Contains(strings.ToLower(read[1]), "stream")
	}
	kind, from := "MATERIALIZED VIEW", source
	if stream {
		kind, from = "STREAMING TABLE", "STREAM("+source+")"
	}
	if strings.Contains(head[1], "view") && head[1] != "materialized_view" {
		kind = "TEMPORARY VIEW"
	}
	rules := pyExpect.FindAllStringSubmatch(block, -1)
	lines := make([]string, len(rules))
	for i, r := range rules {
		action := map[string]string{"_or_drop": " ON VIOLATION DROP ROW", "_or_fail": " ON VIOLATION FAIL UPDATE"}[r[1]]
		lines[i] = fmt.Sprintf("  CONSTRAINT %s EXPECT (%s)%s", r[2], r[3], action)
	}
	list := ""
	if len(lines) > 0 {
		list = " (\n" + strings.Join(lines, ",\n") + "\n)"
	}
	create := "CREATE OR REFRESH " + kind
	if kind == "TEMPORARY VIEW" {
		create = "CREATE " + kind
	}
	return create + " " + name + list + " AS\nSELECT * FROM " + from + ";\n"
}
