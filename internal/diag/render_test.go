package diag_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
)

func option() *diag.Diagnostic {
	d := diag.New(diag.UnknownOption, "unknown option %q", "cloudFiles.pathGlobFilter")
	d.At = diag.Place{File: "landfall.yaml", Line: 9, Column: 7}
	d.Excerpt = `      cloudFiles.pathGlobFilter: "*.csv"`
	return d.Hinted("it has no prefix: write pathGlobFilter")
}

func TestRender(t *testing.T) {
	misfit := diag.New(diag.PolicyFail, "found %q, want decimal(10,2)", "12,50").
		In(diag.Place{File: "orders/1.csv", Line: 118, Column: 7}).Hinted("decimals here use a comma")
	misfit.Path, misfit.Rule = "amount", diag.Place{File: "orders.contract", Line: 14, Column: 3}
	escape := diag.New(diag.Usage, "found \x1b[2J").In(diag.Place{Line: 1, Column: 2})
	escape.Excerpt = "\té\x1b: x"
	long := diag.New(diag.ProjectKey, "far out").In(diag.Place{Line: 1, Column: 301})
	long.Excerpt = strings.Repeat("a", 299) + " bad" + strings.Repeat(" b", 100)

	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"an option", option(), `landfall.yaml:9:7: unknown option "cloudFiles.pathGlobFilter" [E0203]
    9 │       cloudFiles.pathGlobFilter: "*.csv"
      │       ^^^^^^^^^^^^^^^^^^^^^^^^^
    hint: it has no prefix: write pathGlobFilter
`},
		{"a value and its rule", misfit, `orders/1.csv:118:7: amount: found "12,50", want decimal(10,2) [E0701]
    wanted by orders.contract:14:3
    hint: decimals here use a comma
`},
		{"not a diagnostic", errors.New("out of memory"), "out of memory\n"},
		{
			"wrapped", fmt.Errorf("landing orders: %w", diag.New(diag.NoPermission, "no permission").Because(errors.New("EACCES"))),
			"landing orders: no permission [E0302]\n    because EACCES\n",
		},
		{"what a terminal obeys", escape, "1:2: found \uFFFD[2J [E0101]\n    1 │  é\uFFFD: x\n      │  ^^\n"},
		{"a long line", long, "1:301: far out [E0202]\n    1 │ …" + strings.Repeat("a", 59) + " bad" + strings.Repeat(" b", 18) + "…\n" +
			"      │ " + strings.Repeat(" ", 61) + "^^^\n"},
		{"joined", errors.Join(errors.New("a"), diag.New(diag.Usage, "b")), "a\nb [E0101]\n"},
		{"a join below", diag.New(diag.Usage, "b").Because(errors.Join(errors.New("a"), errors.New("c"))), "b [E0101]\n    because a\nc\n"},
		{"nothing", nil, ""},
	} {
		if got := diag.Render(c.err, false); got != c.want {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestRenderInColor(t *testing.T) {
	got := diag.Render(option(), true)
	if !strings.HasPrefix(got, "\x1b[31mlandfall.yaml:9:7:") || !strings.Contains(got, "\x1b[31m^^^") {
		t.Errorf("got %q", got)
	}
}

func TestRenderList(t *testing.T) {
	var l diag.List
	for i := range 13 {
		l.Add(diag.New(diag.ProjectKey, "key %d", i).In(diag.Place{Line: int64(20 - i)}))
	}
	got := diag.Render(fmt.Errorf("reading: %w", l.Err()), false)
	lines := strings.Split(got, "\n")
	if len(lines) != 12 || lines[0] != "8: key 12 [E0202]" || lines[10] != "and 3 more" {
		t.Errorf("got %q", lines)
	}
}

func TestEveryCodeIsExplained(t *testing.T) {
	for _, c := range []diag.Code{diag.Usage, diag.OptionRefused, diag.PolicyFail, diag.QueryFailed} {
		if e, ok := diag.Explain(c); !ok || e.Title == "" || e.Example == "" || e.Exit == 0 {
			t.Errorf("%s: %+v", c, e)
		}
	}
}
