package syntax_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// golden compares text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: found\n%s\nwant\n%s", name, got, want)
	}
}

func scripts(t testing.TB, pattern string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	out := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(text)
	}
	return out
}

func parse(t testing.TB, name, text string) *syntax.Script {
	t.Helper()
	s, err := syntax.Parse(syntax.NewFile(name, text))
	if err != nil {
		t.Fatalf("%s\n%s", diag.Render(err, false), text)
	}
	return s
}

// Every script reads, prints as its golden, and what is printed prints the same.
func TestFormat(t *testing.T) {
	for name, text := range scripts(t, "*.dfs") {
		s := parse(t, name, text)
		printed := syntax.Format(s)
		golden(t, strings.TrimSuffix(name, ".dfs")+".want", printed)
		again := parse(t, name+" as printed", printed)
		if twice := syntax.Format(again); twice != printed {
			t.Errorf("%s: printed twice\n%s\nonce\n%s", name, twice, printed)
		}
		same(t, s, again)
	}
}

// Every transformation is in the script that has them all.
func TestAllVerbs(t *testing.T) {
	seen := map[string]bool{"input": true, "output": true} // those of flowlets are below
	for _, st := range parse(t, "all", scripts(t, "all.dfs")["testdata/all.dfs"]).Statements {
		seen[st.Verb.Text] = true
	}
	for _, verb := range syntax.Verbs() {
		if !seen[verb] {
			t.Errorf("no script has %s", verb)
		}
	}
	parse(t, "flowlet", "input(output(a as string), allowSchemaDrift: true) ~> input1\ninput1 derive(b = a) ~> d\nd output() ~> output1\n")
}

// What is wrong is told of all at once, each with its place, line and hint.
func TestProblems(t *testing.T) {
	for name, text := range scripts(t, "*.bad") {
		s, err := syntax.Parse(syntax.NewFile(filepath.Base(name), text))
		if s == nil || err == nil {
			t.Fatalf("%s: found %v and no error", name, s)
		}
		golden(t, strings.TrimSuffix(name, ".bad")+".told", diag.Render(err, false))
		everyProblem(t, err, text)
	}
}

// everyProblem checks what holds for each: a code, a place in the text, a hint.
func everyProblem(t *testing.T, err error, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	var list diag.List
	if !errors.As(err, &list) {
		var d *diag.Diagnostic
		if !errors.As(err, &d) {
			t.Fatalf("found %T, want diagnostics", err)
		}
		list = diag.List{d}
	}
	for _, d := range list {
		if d.Code == "" || d.Hint == "" || d.Message == "" {
			t.Errorf("found %#v, want a code, a message and a hint", d)
		}
		if d.At.Line < 1 || int(d.At.Line) > len(lines) || d.At.Column < 1 || d.At.Column > len(lines[d.At.Line-1])+1 {
			t.Errorf("found %s, which is not in the text", d.At)
		}
	}
}

// A code of each kind.
func TestCodes(t *testing.T) {
	for text, want := range map[string]diag.Code{
		"source(a: 'x":                                    diag.FlowSyntax,
		"source() ~> a\na derived(x = 1) ~> b":            diag.FlowName,
		"source() ~> a\nb sink() ~> c":                    diag.FlowGraph,
		"source() ~> a\na select(mapColumns(x)) ~> b":     diag.FlowName,
		"source(allowSchemaDrfit: true) ~> a":             diag.FlowName,
		"source(output(a as strng)) ~> a":                 diag.FlowName,
		"source() ~> a\na, c union() ~> c\nc sink() ~> d": diag.FlowGraph,
	} {
		_, err := syntax.Parse(syntax.NewFile("a.dfs", text))
		if got := diag.CodeOf(err); got != want {
			t.Errorf("%q: found %s (%v), want %s", text, got, err, want)
		}
	}
}

// Settings of connectors that no list has are let through, since there are many.
func TestConnectorSettings(t *testing.T) {
	parse(t, "a.dfs", "source(databaseType: 'x', somethingOfItsOwn: 1) ~> a\na sink(another: true) ~> b\n")
}
