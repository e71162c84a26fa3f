package syntax_test

import (
	"testing"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
)

// FuzzParse: no text breaks the parser, its problems are in the text, and what it reads
// without problems prints as something that reads the same.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"*.dfs", "*.bad"} {
		for _, text := range scripts(f, pattern) {
			f.Add(text)
		}
	}
	for _, text := range []string{`source("{"{"{`, "a @(((((", "a(b:-!-!-1 ? (a as (b as [c,d])[])[]) ~> c", "parameters{", "a(each(each(match(", "{{{}", "a('", "#", "$", "\xff(`", "a(//\n/**/b/*\n*/,//\n)~>c//"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := syntax.Read(syntax.NewFile("fuzz.dfs", text))
		if err != nil {
			everyProblem(t, err, text)
			_ = diag.Render(err, false)
			_ = syntax.Format(s)
			return
		}
		printed := syntax.Format(s)
		again, err := syntax.Read(syntax.NewFile("fuzz.dfs", printed))
		if err != nil {
			t.Fatalf("%v\n%q\nprinted from\n%q", err, printed, text)
		}
		same(t, s, again)
		if _, err := syntax.Parse(syntax.NewFile("fuzz.dfs", text)); err != nil {
			everyProblem(t, err, text)
		}
	})
}
