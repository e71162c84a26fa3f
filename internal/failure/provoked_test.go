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
	var all strings.Builder
	peel := newPeeler()
	for _, file := range []string{"known.txt", "heldout.txt"} {
		b, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitAfterSeq(string(b), "\n") {
			all.WriteString(peel.plain(line, false))
		}
	}
	i := 0
	for _, f := range c.failures {
		for _, x := range f.Texts {
			whole := c.patterns[i].whole() // each compiles
			if !x.Quoted && !whole.MatchString(all.String()) {
				t.Errorf("%s: no run printed %q: mark it as quoted", f.Name, x.Words)
			}
			i++
		}
	}
}
