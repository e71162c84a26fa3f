package project_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/project"
)

const decided = `# Reviewed by the shop team.
version: 1
decisions:
  - source: orders
    column: order_total
    action: map
    to: total_amount
    why: renamed by the shop in June   # a ticket says so
    who: ann
    at: 2026-06-02T08:30:00Z
  - {source: trips-2, column: junk, action: ignore, why: "nobody reads it"}
  - source: orders
    column: reading
    action: carry
    drift: "#0a1b2c"
    why: a broken sensor
`

func loaded(t testing.TB) *project.Project {
	t.Helper()
	p, err := project.Load("landfall.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func decisionsOf(p *project.Project) string {
	var lines []string
	for _, s := range p.Sources {
		for _, d := range s.Policy.Decisions {
			lines = append(lines, fmt.Sprintf("%s: %s %s (%s) %s @%s", s.Name, d, d.Drift, d.Why, d.Who, d.Place))
		}
	}
	return strings.Join(lines, "\n")
}

func TestDecisions(t *testing.T) {
	p := loaded(t)
	if err := p.Decide("decisions.yaml", []byte(decided)); err != nil {
		t.Fatal(err)
	}
	want := `orders: order_total is total_amount  (renamed by the shop in June) ann @decisions.yaml:5:13
orders: carry reading 0a1b2c (a broken sensor)  @decisions.yaml:13:13
trips-2: ignore junk  (nobody reads it)  @decisions.yaml:11:31`
	if got := decisionsOf(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if at := p.Sources[0].Policy.Decisions[0].At; !at.Equal(time.Date(2026, 6, 2, 8, 30, 0, 0, time.UTC)) {
		t.Errorf("taken at %s", at)
	}
	for _, empty := range []string{"", "# nothing yet\n", "version: 1\n", "version: 1\ndecisions:\n", "version: 1\ndecisions: []\n"} {
		if err := loaded(t).Decide("decisions.yaml", []byte(empty)); err != nil {
			t.Errorf("%q: %v", empty, err)
		}
	}
	if p.Sources[0].Digest() != loaded(t).Sources[0].Digest() {
		t.Error("a decision is an option of the source")
	}
}

func TestDecisionsRefused(t *testing.T) {
	list := "version: 1\ndecisions:\n"
	for _, c := range []struct{ name, text, want string }{
		{"no list", "[]", "decisions.yaml:1:1: found a list, want version"},
		{"version", "version: 2\n", "decisions.yaml:1:10: version: found \"2\", want 1"},
		{"no version", "decisions: []\n", "key \"version\" is missing"},
		{"key", "version: 1\ndecision: []\n", "did you mean decisions?"},
		{"a mapping", list + "  orders: {}\n", "found a mapping, want a list"},
		{"an item", list + "  - carry\n", "decisions.yaml:3:5: found \"carry\", want a decision"},
		{"its key", list + "  - {source: orders, colunm: a, action: carry, why: w}\n", "did you mean column?"},
		{"no reason", list + "  - {source: orders, column: a, action: carry}\n", "the decision has no why"},
		{"an empty one", list + "  - {source: orders, column: a, action: carry, why: \"\"}\n", "why: found \"\", want a text"},
		{"source", list + "  - {source: order, column: a, action: carry, why: w}\n", "did you mean orders?"},
		{"action", list + "  - {source: orders, column: a, action: keep, why: w}\n", "found the action \"keep\", want map, carry or ignore"},
		{"no target", list + "  - {source: orders, column: a, action: map, why: w}\n", "found no column that \"a\" is"},
		{"a target", list + "  - {source: orders, column: a, action: carry, to: b, why: w}\n", "decisions.yaml:3:48: key \"to\" goes with action: map"},
		{"an event", list + "  - {source: orders, column: a, action: ignore, drift: b, why: w}\n", "key \"drift\" goes with action: carry"},
		{"a time", list + "  - {source: orders, column: a, action: carry, why: w, at: noon}\n", "at: found \"noon\", want a time"},
		{"a circle", list + "  - {source: orders, column: a, action: map, to: b, why: w}\n  - {source: orders, column: b, action: map, to: a, why: w}\n", "decisions.yaml:4:30: b: \"a\" is \"b\" already"},
		{"the contrary", list + "  - {source: orders, column: a, action: map, to: b, why: w}\n  - {source: orders, column: A, action: map, to: c, why: w}\n", "wanted by decisions.yaml:3:30"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := loaded(t).Decide("decisions.yaml", []byte(c.text))
			if got := diag.Render(err, false); err == nil || !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %q", got, c.want)
			}
		})
	}
	// The same column of two sources is two columns.
	both := list + "  - {source: orders, column: a, action: map, to: b, why: w}\n  - {source: trips-2, column: a, action: map, to: c, why: w}\n"
	if err := loaded(t).Decide("decisions.yaml", []byte(both)); err != nil {
		t.Error(err)
	}
}

func TestAddDecision(t *testing.T) {
	d := contract.Decision{Column: "total", Action: contract.Map, To: "sum: all", Why: "it's \"one\"", Who: "bob", At: time.Date(2026, 6, 3, 0, 0, 0, 0, time.UTC)}
	for _, text := range []string{
		"", "# ours\n", "version: 1", "version: 1\ndecisions:\n", decided, strings.TrimSuffix(decided, "\n"),
		"version: 1\ndecisions:\n- {source: orders, column: a, action: carry, why: w}\n",
		"version: 1\n\ndecisions:\n      -   source: orders\n          column: a\n          action: carry\n          why: w\n# the end\n",
	} {
		p := loaded(t)
		got, err := p.AddDecision("decisions.yaml", []byte(text), "orders", d)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if !strings.HasPrefix(string(got), text) {
			t.Errorf("%q became %q", text, got)
		}
		if err := p.Decide("decisions.yaml", got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
		last := p.Sources[0].Policy.Decisions
		if x := last[len(last)-1]; !x.Says(d) || x.Why != d.Why || x.Who != d.Who || !x.At.Equal(d.At) {
			t.Errorf("read back as %+v", x)
		}
	}
	for _, text := range []string{"version: 1\ndecisions: []\n", "version: 1\r\ndecisions:  [ ]  # none yet"} {
		p := loaded(t)
		got, err := p.AddDecision("decisions.yaml", []byte(text), "orders", d)
		if err != nil || strings.Contains(string(got), "[") {
			t.Errorf("%q became %q, %v", text, got, err)
		} else if err := p.Decide("decisions.yaml", got); err != nil || len(p.Sources[0].Policy.Decisions) != 1 {
			t.Errorf("%s: %v", got, err)
		}
	}
	_, err := loaded(t).AddDecision("decisions.yaml", []byte("version: 1\ndecisions: [{source: orders, column: a, action: carry, why: w}]\n"), "orders", d)
	var problem *diag.Diagnostic
	if !errors.As(err, &problem) || problem.Code != diag.ProjectSyntax || !strings.Contains(problem.Hint, `column: total`) {
		t.Errorf("a list in brackets: %v", err)
	}
}

// What stands in the file against a decision is named by its line.
func TestAddDecisionContradicts(t *testing.T) {
	const ignored = "version: 1\ndecisions:\n  - {source: trips-2, column: b, action: carry, why: w}\n  - source: orders\n    column: b\n    action: ignore\n    why: w\n"
	for _, c := range []struct {
		name, source string
		d            contract.Decision
		line         string
	}{
		{"the contrary", "orders", contract.Decision{Column: "B", Action: contract.Carry}, "line 5"},
		{"a map of it", "orders", contract.Decision{Column: "b", Action: contract.Map, To: "a"}, "line 5"},
		{"a map to it", "orders", contract.Decision{Column: "a", Action: contract.Map, To: "b"}, "line 5"},
		{"the same", "orders", contract.Decision{Column: "b", Action: contract.Ignore}, ""},
		{"another source", "trips-2", contract.Decision{Column: "b", Action: contract.Ignore}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.d.Why = "a test"
			_, err := loaded(t).AddDecision("decisions.yaml", []byte(ignored), c.source, c.d)
			if c.line == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var problem *diag.Diagnostic
			if !errors.As(err, &problem) || problem.Code != diag.BadDecision || problem.At.File != "decisions.yaml" || !strings.Contains(problem.Hint, "the entry at "+c.line+":") {
				t.Errorf("got %s", diag.Render(err, false))
			}
		})
	}
}

// Whatever names and reasons say, they are read back as they were.
func TestAddedDecisionsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &project.Project{Sources: []project.Source{{Name: "orders"}}}
		var text []byte
		texts := rapid.StringN(1, 12, -1).Filter(func(s string) bool { return strings.TrimSpace(s) == s })
		var all []contract.Decision
		for i := range rapid.IntRange(1, 4).Draw(t, "decisions") {
			d := contract.Decision{
				Column: fmt.Sprintf("%d%s", i, texts.Draw(t, "column")), Action: contract.Carry,
				Why: texts.Draw(t, "why"), Who: texts.Draw(t, "who"),
			}
			next, err := p.AddDecision("decisions.yaml", text, "orders", d)
			if err != nil {
				t.Fatalf("%+v after %s: %v", d, text, err)
			}
			text, all = next, append(all, d)
		}
		if err := p.Decide("decisions.yaml", text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i, d := range p.Sources[0].Policy.Decisions {
			if d.Column != all[i].Column || d.Why != all[i].Why || d.Who != all[i].Who {
				t.Fatalf("%+v is read back as %+v from\n%s", all[i], d, text)
			}
		}
	})
}
