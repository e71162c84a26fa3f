package typed

import (
	"fmt"
	"regexp"
	"strings"
)

// constant matches texts that are cheap to compute again, and short: names,
// fields, literals and casts of literals.
var constant = regexp.MustCompile(`^(?:[\w."]+|-?[0-9.]+|'[^']{0,40}'|CAST\((?:NULL|'[^']{0,40}'|-?[\w.+-]+) AS [\w (),"]+\))$`)

// simple reports whether a text may stand several times.
func simple(sql string) bool { return len(sql) < 120 && constant.MatchString(sql) }

// Once writes something that needs the values of texts several times, each of
// which is computed once: body gets the names they go by.
func Once(texts []string, body func(names []string) string) string {
	return OnceAmong(texts, strings.Join(texts, " "), body)
}

// OnceAmong is once with names that nothing in around refers to.
func OnceAmong(texts []string, around string, body func(names []string) string) string {
	bound := make([]string, 0, len(texts))
	names := make([]string, len(texts))
	v := freeName(around)
	for i, text := range texts {
		names[i] = text
		if !simple(text) {
			names[i] = fmt.Sprintf("%s.a%d", v, len(bound))
			bound = append(bound, fmt.Sprintf("'a%d': %s", len(bound), text))
		}
	}
	if len(bound) == 0 {
		return "(" + body(names) + ")"
	}
	return "list_transform([{" + strings.Join(bound, ", ") + "}], lambda " + v + ": " + body(names) + ")[1]"
}

// freeName is the name of a lambda's parameter that no text refers to.
func freeName(texts string) string {
	for n := 1; ; n++ {
		if v := fmt.Sprintf("_v%d", n); !strings.Contains(texts, v) {
			return v
		}
	}
}
