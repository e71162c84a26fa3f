package flow_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/flow"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

const typed = "source(output(a as integer, b as string), allowSchemaDrift: true) ~> In\n"

// A setting is bound, or refused by name.
func TestRefused(t *testing.T) {
	for script, want := range map[string]string{
		typed + "In derive(c = 1, partitionBy('range', 4, a)) ~> Out":                                   `E0907.*partitionBy: found kind "range"`,
		typed + "In filter(a > 1, partitionBy('hash', 0)) ~> Out":                                       `E0909.*no number of parts`,
		typed + "In sink(allowSchemaDrift: true, partitionBy('key', 0)) ~> Out":                         `E0909.*found no column`,
		typed + "In sink(partitionBy('key', 0, z)) ~> Out":                                              `E0908.*"z"`,
		typed + "In sink(partitionBy('external', 4)) ~> Out":                                            `E0907.*"external"`,
		typed + "In sort(asc(a), caseInsensitive: 'yes') ~> Out":                                        `E0909.*caseInsensitive: found "'yes'", want true or false`,
		typed + "In sort(asc(a, true, 1)) ~> Out":                                                       `E0901.*asc: found 3 values`,
		typed + "In filter(a > 1, a > 2) ~> Out":                                                        `E0901.*found 2 conditions`,
		typed + "In window(over(b), asc(a), startRangeOffset: -1L, s = sum(a)) ~> Out":                  `E0907.*a range of values`,
		typed + "In aggregate(groupBy(upper(b)), n = count()) ~> Out":                                   `E0901.*groupBy: found a value without a name`,
		typed + "In aggregate(groupBy(b), groupBy(a), n = count()) ~> Out":                              `E0901.*found groupBy a second time`,
		typed + "In select(mapColumn(a, x: 1)) ~> Out":                                                  `E0901.*a kind that does not belong here`,
		typed + "source(output(a as integer)) ~> B\nIn, B join(In@a == B@a, matchType: 'fuzzy') ~> Out": `E0907.*found matchType "fuzzy"`,
		typed + "source(output(a as integer)) ~> B\nIn, B join(In@a == B@a, ignoreSpaces: true) ~> Out": `E0907.*found ignoreSpaces`,
		typed + "source(output(a as integer)) ~> B\nIn, B lookup(In@a == B@a, pickup: 'some') ~> Out":   `E0902.*found pickup "some"`,
		"source(output(a as integer), limit: 0) ~> Out":                                                 `E0909.*limit: found 0`,
		"source(output(a as integer, a as string)) ~> Out":                                              `E0910.*found column "a" a second time`,
		"source(output(b as boolean 'yes')) ~> Out":                                                     `E0909.*toBoolean`,
		"source(allowSchemaDrift: false) ~> Out":                                                        `E0910.*no projection and no drift`,
		"source(output(a as integer), rowUrlColumn: 'A') ~> Out":                                        `E0910.*a name of its own`,
		"source(output(a as ({} as string))) ~> Out":                                                    `E0907.*found type`,
		typed + "In sink(partitionBy('key', 0, byName('z'))) ~> Out":                                    `E0908.*a column that is not there`,
		typed + "In derive(b.x = 1) ~> Out":                                                             `E0907.*a field of a struct`,
		typed + "In derive(c = md5([a])) ~> Out":                                                        `E0909.*md5: argument 1`,
		typed + "In aggregate(groupBy(b), r = rowNumber()) ~> Out":                                      `E0909.*of the rows of a window`,
		typed + "In aggregate(groupBy(b), r = max(sum(a))) ~> Out":                                      `E0909.*of several rows within max`,
		typed + "In keyGenerate(output(k as integer), startAt: 1L) ~> Out":                              `E0909.*numbers of integer, want long`,
		typed + "In rank(asc(a), output(r as long, s as long)) ~> Out":                                  `E0901.*no column for the numbers`,
		// What transformations ask for.
		typed + "In assert(expectTrue(a > 1, false, 'x'), expectTrue(a > 2, false, 'x')) ~> Out":                                   `E0903.*found rule "x" a second time`,
		typed + "In assert(expectExists(a > 1, false, 'x')) ~> Out":                                                                `E0903.*found one input`,
		typed + "In assert(abort: true) ~> Out":                                                                                    `E0901.*found no rule`,
		typed + "In filter(isMatch()) ~> Out":                                                                                      `E0908.*found 0 lookups`,
		typed + "In unpivot(output(k as string), ungroupBy(a)) ~> Out":                                                             `E0907.*found 1 columns`,
		typed + "In unpivot(output(k as string, v as string), ungroupBy(a, b)) ~> Out":                                             `E0910.*no column to make rows of`,
		typed + "In cast(output(a as integer[])) ~> Out":                                                                           `E0907.*a conversion of "a"`,
		typed + "In foldDown(unroll(b), mapColumn(b)) ~> Out":                                                                      `E0909.*found string, want an array`,
		typed + "In foldDown(unroll(b, a), mapColumn(b)) ~> Out":                                                                   `(?s)E0909.*found a root`,
		typed + "In foldDown(mapColumn(b)) ~> Out":                                                                                 `E0901.*no array`,
		typed + "In derive(c = cach#lookup(a)) ~> D\nD sink(store: 'cache') ~> cache":                                              `E0902.*found "cach", want a cached sink`,
		typed + "In derive(c = cache#lookup(a).b) ~> D\nD sink(store: 'cache', keys: ['a']) ~> cache":                              `E0903.*a cached sink, which this step fills`,
		typed + "In sink(store: 'cache') ~> cache\nIn derive(c = cache#lookup(a)) ~> Out":                                          `E0909.*found 1 values, want 0`,
		typed + "In sink(store: 'cache', keys: ['a']) ~> cache\nIn derive(c = cache#lookup(b)) ~> Out":                             `E0909.*DF-FN-002`,
		typed + "In sink(store: 'cache', keys: ['z']) ~> cache\nIn derive(c = cache#lookup(b)) ~> Out":                             `E0908.*"z"`,
		typed + "In sink(store: 'cache', keys: ['a']) ~> cache\nIn derive(c = cache#outputs()) ~> Out":                             `E0909.*a sink with keys`,
		typed + "In sink(allowSchemaDrift: true) ~> file\nIn derive(c = file#output()) ~> Out":                                     `E0909.*which is not cached`,
		typed + "In select(mapColumn(each(patternMatch(`(?=a)`)))) ~> Out":                                                         `E0907.*patternMatch`,
		typed + "In select(mapColumn(each(patternMatch(`[a&&b]`)))) ~> Out":                                                        `E0907.*patternMatch`,
		typed + "In select(mapColumn(each(a, match(true())))) ~> Out":                                                              `E0909.*want a struct`,
		typed + "In derive(c = columns()) ~> Out":                                                                                  `E0909.*several columns`,
		typed + "In derive(c = expr('a +')) ~> Out":                                                                                `E0901.*expression of derive Out.*DF-Executor-ExpressionParseError`,
		typed + "In derive(c = expr('z')) ~> Out":                                                                                  `E0908.*expression of derive Out:1:1.*"z"`,
		"parameters{ e as string ('expr($e)') }\n" + typed + "In derive(c = expr($e)) ~> Out":                                      `E0909.*holds itself`,
		"parameters{ e as integer ('x') }\n" + typed + "In derive(c = $e) ~> Out":                                                  `E0909.*DF-Executor-InvalidType`,
		typed + "source(output(a as integer)) ~> B\nIn, B join(In@a > B@a, joinType: 'inner') ~> Out":                              `E0909.*DF-Executor-SystemImplicitCartesian`,
		typed + "In derive(c = typeMatch('long', 'numbers')) ~> Out":                                                               `E0902.*a family`,
		typed + "In filter(unfold([1]) == 1) ~> Out":                                                                               `E0907.*unfold`,
		typed + "In pivot(groupBy(a), pivotBy(b, [true()]), n = count()) ~> Out":                                                   `E0909.*found a value of boolean, want one of the key, string`,
		typed + "In pivot(groupBy(a), pivotBy(b, ['x', 'y']), n = count(), columnNaming: '$N') ~> Out":                             `E0910.*found two columns "n"`,
		typed + "In select(mapColumn(c = a)) ~> L\nIn select(mapColumn(c = toTimestamp(b))) ~> R\nL, R union(byName: true) ~> Out": `E0909.*column c: found timestamp.*DF-UNI-001`,
		typed + "In sink(input(a as integer, c as string), validateSchema: true, allowSchemaDrift: true) ~> Out":                   `E0910.*found column "b" string`,
		typed + "In sink(input(a as long, b as string), validateSchema: true, allowSchemaDrift: true) ~> Out":                      `E0910.*column "a": found int, want bigint`,
	} {
		_, err := bind(t, script, "a int, b string", nil)
		if !regexp.MustCompile(want).MatchString(fmt.Sprint(diag.CodeOf(err), " ", err)) {
			t.Errorf("%s\nfound %v, want %s", script, err, want)
		}
	}
}

// All that does not match the defined schema is told at once.
func TestValidateSchema(t *testing.T) {
	script := "source(output(a as integer, b as double), validateSchema: true, allowSchemaDrift: true) ~> Out"
	_, err := bind(t, script, "a bigint, b double, c int, d int", nil)
	text := fmt.Sprint(err)
	for _, want := range []string{`column "a": found bigint, want int`, `found column "c" int`, `found column "d" int`} {
		if !strings.Contains(text, want) {
			t.Errorf("found %s, want %s", text, want)
		}
	}
	if strings.Contains(text, `"b"`) {
		t.Errorf("found %s, want nothing of b", text)
	}
	_, err = bindWith(t, script, "a string, b string", func(o *flow.Options) { o.Untyped = map[string]bool{"Out": true} })
	if err != nil {
		t.Errorf("text: found %v, want names compared alone", err)
	}
}

// What settings say reaches the plan.
func TestSettings(t *testing.T) {
	p, err := bind(t, typed+"In derive(c = a) ~> D\nD sink(saveOrder: 2, allowSchemaDrift: true, partitionBy('hash', 1 + 2, b)) ~> Two\nD sink(saveOrder: 1, mapColumn(k = a, b), partitionBy('key', 0, k)) ~> One\n"+
		"source(output(a as integer), limit: 5, partitionBy('external', 2)) ~> Few\nFew sink() ~> Three", "a int, b string", nil)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	if got := fmt.Sprint(p.Sinks()); got != "[Three One Two]" {
		t.Errorf("found sinks %s", got)
	}
	if got := p.Step("Few").Op.(plan.Source).Limit; got != 5 {
		t.Errorf("found limit %d", got)
	}
	two, one := p.Step("Two").Op.(plan.Sink).Partition, p.Step("One").Op.(plan.Sink).Partition
	if got := fmt.Sprintf("%s %d %v, %s %v", two.Kind, two.Count, two.By, one.Kind, one.By); got != "hash 3 [b], key [k]" {
		t.Errorf("found %s", got)
	}
	if text := p.String(); !strings.Contains(text, "partition hash 3 b") || !strings.Contains(text, "order 2") {
		t.Errorf("found %s", text)
	}
}

// Which columns a sink without a mapping writes, and a source without a projection reads.
func TestDriftSettings(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{drifts + "In derive(c = 1) ~> D\nD sink() ~> Out", "c int"},
		{drifts + "In sink(allowSchemaDrift: true) ~> Out", "a int~, b string~"},
		{drifts + "In sink(store: 'cache') ~> Out", "a int~, b string~"},
		{drifts + "In sink(allowSchemaDrift: false, input(b as string)) ~> Out", "b string~"},
		{drifts + "In sink(allowSchemaDrift: true, input(b as string)) ~> Out", "a int~, b string~"},
		{drifts + "In derive(a = toInteger(byName('a'))) ~> D\nD sink(input(a as integer, z as string)) ~> Out", "a int"},
		{"source(output(a as integer), useSchema: true, allowSchemaDrift: true) ~> Out", "a int"},
		{"source(output(a as integer, b)) ~> Out", "a int, b string"},
		{typed + "In derive(c = 1) ~> D\nIn, D join(In@a == D@a) ~> J\nJ select() ~> Out", "a int, b string, c int"},
		{typed + "In derive(c = 1) ~> D\nIn, D join(In@a == D@a) ~> J\nJ select(skipDuplicateMapOutputs: false) ~> Out", "a int, b string, a int, b string, c int"},
		{typed + "In derive(c = 1) ~> D\nIn, D join(In@a == D@a) ~> J\nJ sink() ~> Out", "a int, b string, c int"},
	} {
		p, err := bind(t, c.script, "a int, b string", nil)
		if err != nil {
			t.Errorf("%s\n%s", c.script, diag.Render(err, false))
			continue
		}
		if got := leaves(p, "Out"); got != c.want {
			t.Errorf("%s\nfound %s, want %s", c.script, got, c.want)
		}
	}
	p, err := bindWith(t, "source(allowSchemaDrift: true) ~> Out", "a int, b string", func(o *flow.Options) {
		o.Projections = map[string][]schema.Field{"Out": columns(t, "b string")}
	})
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	if got := leaves(p, "Out"); got != "b string, a string~" {
		t.Errorf("found %s", got)
	}
}

// Problems of a transformation do not hide those of the ones behind it, nor make any.
func TestAllProblems(t *testing.T) {
	_, err := bind(t, "source(output(a as integer, zz as string)) ~> In\n"+
		"In derive(c = uper(b), d = a + true(), e = 1) ~> D\n"+
		"D filter(nope > 1) ~> F\n"+
		"F select(mapColumn(a, c, x = d, y = missing, zz)) ~> S\n"+
		"S aggregate(groupBy(c, g = upper(a)), n = sum(x), m = uppr(y)) ~> A\n"+
		"A, S join(A@c == S@c && A@zzz == 1, joinType: 'inner') ~> J\n"+
		"J sink(mapColumn(n, m, gone)) ~> Out", "a int, b string", nil)
	var list diag.List
	if !errors.As(err, &list) {
		t.Fatalf("found %v", err)
	}
	var got []string
	for _, d := range list {
		got = append(got, fmt.Sprintf("%d:%d %s", d.At.Line, d.At.Column, d.Code))
	}
	want := []string{"1:29 E0910", "2:15 E0902", "2:20 E0908", "2:32 E0909", "3:10 E0908", "4:37 E0908", "5:34 E0909", "5:55 E0902", "6:25 E0908", "7:24 E0908"}
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v\n%s", got, want, diag.Render(err, false))
	}
}
