package failure

import (
	"os"
	"strings"
	"testing"
)

// TestProvoked: a text that is not marked as quoted is in the output of a run.
func TestProvoked(t *testing.T) {
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("testdata/known.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for line := range strings.SplitAfterSeq(string(b), "\n") {
		all.WriteString(plain(line, false))
	}
	i := 0
	for _, f := range c.failures {
		for _, x := range f.Texts {
			if !x.Quoted && !c.patterns[i].whole.MatchString(all.String()) {
				t.Errorf("%s: no run printed %q: mark it as quoted", f.Name, x.Words)
			}
			i++
		}
	}
}
