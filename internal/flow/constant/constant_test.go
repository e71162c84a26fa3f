package constant_test

import (
	"fmt"
	"testing"

	"landfall/internal/flow/constant"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// name is a function of which nothing but the name is asked.
type name string

func (n name) Name() string                         { return string(n) }
func (n name) SQL(string, []string) (string, error) { return "", nil }

func of(v any) plan.Expr {
	switch v := v.(type) {
	case plan.Expr:
		return v
	case int:
		return plan.Literal{Value: int64(v), Of: schema.Integer}
	case string:
		return plan.Literal{Value: v, Of: schema.String}
	case bool:
		return plan.Literal{Value: v, Of: schema.Boolean}
	}
	return plan.Literal{Of: schema.Unknown}
}

func call(fn string, args ...any) plan.Expr {
	c := plan.Call{Fn: name(fn)}
	for _, a := range args {
		c.Args = append(c.Args, of(a))
	}
	return c
}

// What functions make of constants; the values are those of the table's examples.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		e    plan.Expr
		want string
	}{
		{call("and", true, nil, false), "false"},
		{call("and", true, nil), "<nil>"},
		{call("or", nil, true), "true"},
		{call("not", call("isNull", nil)), "false"},
		{call("coalesce", nil, "a", "b"), "a"},
		{call("iif", nil, 1, 2), "2"},
		{call("iif", false, 1), "<nil>"},
		{call("case", false, "a", true, "b", "c"), "b"},
		{call("case", false, "a", "c"), "c"},
		{call("substring", "Cat in the hat", 5, 2), "in"},
		{call("substring", "Cat in the hat", 5), "in the hat"},
		{call("substring", "Cat in the hat", 100, 100), ""},
		{call("left", "bojjus", 20), "bojjus"},
		{call("left", "bojjus", -1), ""},
		{call("right", "bojjus", 2), "us"},
		{call("replace", "abc", "", "x"), "abc"},
		{call("replace", "doggie dog", "dog"), "gie "},
		{call("instr", "dumbo", "mbo"), "3"},
		{call("instr", "good", "bad"), "0"},
		{call("trim", "!--!du!mbo!", "-!"), "du!mbo"},
		{call("length", "a😀"), "2"},
		{call("regexReplace", "100 and 200", `(\d+)`, "x"), "x and x"},
		{call("regexMatch", "a1", `\d`), "true"},
		{call("in", plan.Items{Values: []plan.Expr{of("good"), of("kid")}}, "bad"), "false"},
		{call("greater", call("minus", 3, 1), call("negate", 5)), "true"},
		{call("split", "Player,Team,Salary", ","), "[Player Team Salary]"},
		{call("split", "ab", ""), "unknown"},
		{call("toInteger", "12"), "12"},
		{call("toInteger", "1.5"), "unknown"},
		{call("toInteger", 1<<40), "unknown"},
		{call("concat", "x", call("toString", 7)), "x7"},
		{call("toBoolean", "true"), "true"},
		{call("equals", call("rtrim", "a "), nil), "<nil>"},
		{call("===", "a", nil), "unknown"},
		{call("<=>", "a", nil), "unknown"},
		{call("regexReplace", "ab", `(?=b)`, "x"), "unknown"},
		{call("regexReplace", "ab", `(b)`, "$1"), "unknown"},
		{call("soundex", "ab"), "unknown"},
		{plan.Ref{ID: 1, Of: schema.String}, "unknown"},
		{plan.Convert{From: of("1"), To: schema.Integer}, "unknown"},
		{plan.Convert{From: of(1), To: schema.Long}, "1"},
	} {
		v, ok := constant.Of(c.e)
		got := fmt.Sprint(v)
		if !ok {
			got = "unknown"
		}
		if got != c.want {
			t.Errorf("%v\nfound %s, want %s", c.e, got, c.want)
		}
	}
}
