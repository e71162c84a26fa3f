package flow_test

import (
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/plan"
)

// lineage says of the columns that leave a step what it did to each, who did that, and
// where the values come from.
func lineage(p *plan.Plan, step string) string {
	var out []string
	for _, c := range p.Step(step).Visible() {
		mark := ""
		if c.Drifted {
			mark = "~"
		}
		out = append(out, fmt.Sprintf("%s%s %s by %s from %s.%s", c.Name, mark, c.Change, c.By, c.Origin.Stream, c.Origin.Name))
	}
	for _, c := range p.Dropped(step) {
		out = append(out, "-"+c.Name)
	}
	return strings.Join(out, "\n")
}

// What each kind of step does to columns is to be seen in the plan.
func TestLineage(t *testing.T) {
	const source = "source(output(a as integer, b as string, l as integer[]), allowSchemaDrift: true) ~> In\n"
	for script, want := range map[string]string{
		"In filter(a > 1) ~> Out": "a kept by In from In.a\nb kept by In from In.b\nl kept by In from In.l\nd~ kept by In from In.d",
		"In derive(a = a + 1, d = toString(byName('d')), e = 1, each(match(name == 'd'), $$ + '_x' = $$)) ~> Out":            "a changed by Out from Out.a\nb kept by In from In.b\nl kept by In from In.l\nd changed by Out from Out.d\ne added by Out from Out.e\nd_x~ added by Out from Out.d_x",
		"In select(mapColumn(x = a, each(match(name == 'd'), 'D_' + $$ = $$))) ~> Out":                                       "x renamed by Out from In.a\nD_d~ renamed by Out from In.d\n-b\n-l",
		"In aggregate(groupBy(b), a = sum(a), n = count()) ~> Out":                                                           "b kept by In from In.b\na changed by Out from Out.a\nn added by Out from Out.n\n-l\n-d",
		"In foldDown(unroll(l), mapColumn(a, l = l, x = b)) ~> Out":                                                          "a kept by In from In.a\nl changed by Out from Out.l\nx renamed by Out from In.b\n-d",
		"In derive(l = unfold(l)) ~> Out":                                                                                    "a kept by In from In.a\nb kept by In from In.b\nl changed by Out from Out.l\nd~ kept by In from In.d",
		"In cast(output(a as string)) ~> Out":                                                                                "a changed by Out from Out.a\nb kept by In from In.b\nl kept by In from In.l\nd~ kept by In from In.d",
		"In select(mapColumn(k = b, a)) ~> S\nS pivot(groupBy(k), pivotBy(a, [1]), n = count(), columnNaming: 'n$V') ~> Out": "k kept by S from In.b\nn1 added by Out from Out.n1\n-a",
		"In unpivot(output(k as string, v as string), ungroupBy(a, l)) ~> Out":                                               "a kept by In from In.a\nl kept by In from In.l\nk added by Out from Out.k\nv added by Out from Out.v\n-b\n-d",
		"In select(mapColumn(z = a)) ~> R\nIn, R lookup(a == z) ~> L\nL window(asc(z), b = rowNumber()) ~> Out":              "a kept by In from In.a\nb changed by Out from Out.b\nl kept by In from In.l\nd~ kept by In from In.d\nz kept by R from In.a",
		"In select(mapColumn(a, d = b)) ~> R\nIn, R union(byName: true) ~> Out":                                              "a kept by In from In.a\nb kept by In from In.b\nl kept by In from In.l\nd kept by In from In.d",
		"In sink(mapColumn(each(match(true()), upper($$) = $$))) ~> Out":                                                     "A~ renamed by Out from In.a\nB~ renamed by Out from In.b\nL~ renamed by Out from In.l\nD~ renamed by Out from In.d",
		"In rank(desc(a), output(b as long)) ~> R\nR keyGenerate(output(k as long), startAt: 1L) ~> Out":                     "a kept by In from In.a\nb kept by R from R.b\nl kept by In from In.l\nd~ kept by In from In.d\nk added by Out from Out.k",
	} {
		p, err := bind(t, source+script, "a int, b string, l array<int>, d string", nil)
		if err != nil {
			t.Errorf("%s\n%s", script, diag.Render(err, false))
			continue
		}
		if got := lineage(p, "Out"); got != want {
			t.Errorf("%s\nfound\n%s\nwant\n%s", script, got, want)
		}
	}
}

// An item of an array comes from the column of the array, also where it is deep in it.
func TestItemsComeFrom(t *testing.T) {
	p, err := bind(t, "source(output(a as integer, s as (l as (m as integer[])[]))) ~> In\nIn foldDown(unroll(s.l.m), mapColumn(a, m = s.l.m)) ~> Out", "a int, s struct<l:array<struct<m:array<int>>>>", nil)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	if from, want := p.Step("Out").Named("m")[0].From, p.Step("In").Named("s")[0].ID; len(from) != 1 || from[0] != want {
		t.Errorf("found %v, want %d", from, want)
	}
}
