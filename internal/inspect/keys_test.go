package inspect

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// keysOf lists the JSON keys of a struct, in order.
func keysOf(t reflect.Type) []string {
	var out []string
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			out = append(out, name)
		}
	}
	return out
}

// element is the struct that a field is, points to or lists; nil if it is none.
func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() == "time" {
		return nil
	}
	return t
}

// The keys of a report are an interface: each stands in docs/json.md, with the keys of
// what it holds, and no other does.
func TestKeys(t *testing.T) {
	page, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## inspect\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(section, -1) {
		for _, key := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			documented = append(documented, key[1])
		}
	}
	report := keysOf(reflect.TypeFor[Report]())
	slices.Sort(documented)
	slices.Sort(report)
	if !slices.Equal(documented, report) {
		t.Errorf("docs/json.md has %q, a report %q", documented, report)
	}
	met := map[reflect.Type]bool{}
	var check func(of reflect.Type)
	check = func(of reflect.Type) {
		for f := range of.Fields() {
			inner := element(f.Type)
			if inner == nil || met[inner] || f.Tag.Get("json") == "" || f.Tag.Get("json") == "-" {
				continue
			}
			met[inner] = true
			if list := "{" + strings.Join(keysOf(inner), ", ") + "}"; !strings.Contains(section, list) {
				t.Errorf("docs/json.md does not have %s of %s", list, f.Name)
			}
			check(inner)
		}
	}
	check(reflect.TypeFor[Report]())
	if len(met) < 12 {
		t.Errorf("only %d kinds of objects were looked at", len(met))
	}
}
