package contract_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

// stands is a version with columns "name: type", and the schema of its table.
func stands(t *testing.T, columns ...string) (contract.Version, *schema.Struct) {
	t.Helper()
	v := contract.Version{Number: 3}
	for _, text := range columns {
		name, typ, _ := strings.Cut(text, ": ")
		v.Columns = append(v.Columns, contract.Column{Name: schema.CleanName(name), Original: name, Type: typ})
	}
	return v, tableOf(t, v)
}

func tableOf(t *testing.T, v contract.Version) *schema.Struct {
	t.Helper()
	s, err := contract.TableSchema(v, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

// mapping is the decision "X is Y", with "ignore X" and "carry X" for others.
func decision(text string) contract.Decision {
	d := contract.Decision{Why: "a test", Who: "ann", At: time.Date(2026, 11, 30, 8, 30, 0, 0, time.UTC)}
	if column, to, ok := strings.Cut(text, " is "); ok {
		d.Column, d.To, d.Action = column, to, contract.Map
		return d
	}
	action, column, _ := strings.Cut(text, " ")
	d.Action, d.Column = contract.Action(action), column
	return d
}

func decide(t *testing.T, v contract.Version, table *schema.Struct, texts ...string) contract.Decided {
	t.Helper()
	var last contract.Decided
	for _, text := range texts {
		var err error
		if last, err = contract.Decide(v, decision(text), contract.Policy{}, table); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		v = last.Version
		if table != nil {
			table = tableOf(t, v)
		}
	}
	return last
}

func merges(d contract.Decided) string {
	var s []string
	for _, m := range d.Merges {
		s = append(s, m.From+"→"+m.To)
	}
	return strings.Join(s, " ")
}

// columns writes a version as "stored=original …", a folder's column with /.
func columns(v contract.Version) string {
	var s []string
	for _, c := range v.Columns {
		text, original := c.Name, c.Original
		if c.K > 0 {
			original += fmt.Sprintf("#%d", c.K)
		}
		if c.Name != original {
			text += "=" + original
		}
		if c.Type != "string" {
			text += ":" + c.Type
		}
		if c.Partition {
			text += "/"
		}
		s = append(s, text)
	}
	return strings.Join(s, " ")
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
	}
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name, stands, decided, columns, merges string
	}{
		{"two columns", "id: bigint; old: double; new: double", "old is new", "id:bigint new:double", "old→new"},
		{"the other way", "id: bigint; old: double; new: double", "new is old", "id:bigint old:double", "new→old"},
		{"by stored names", "ship region: string; Region Code: string", "ship_region is Region_Code", "Region_Code=Region Code", "ship_region→Region_Code"},
		{"a new name", "id: bigint; old: double", "old is new", "id:bigint new:double", "old→new"},
		{"a new name to clean", "old: string", "old is new name", "new_name=new name", "old→new_name"},
		{"the name that cleaning gave", "a b: string", "a b is a_b", "a_b", ""},
		{"it in another casing", "id: bigint; Order ID: string", "Order ID is order_id", "id:bigint Order_ID=order_id", ""},
		{"another name that cleans to it", "id: bigint; Order ID: string", "Order ID is order,id", "id:bigint Order_ID=order,id", ""},
		{"what never came", "id: bigint", "old is id", "id:bigint", ""},
		{"neither came", "id: bigint", "old is new", "id:bigint", ""},
		{"a type for both", "old: int; new: bigint", "old is new", "new:bigint", "old→new"},
		{"a wider type for both", "old: bigint; new: int", "old is new", "new:bigint", "old→new"},
		{"numbers that values fit", "old: bigint; new: double", "old is new", "new:double", "old→new"},
		{"text of a number", "old: bigint; new: string", "old is new", "new", "old→new"},
		{"nulls alone", "old: void; new: double", "old is new", "new:double", ""},
		{"into nulls alone", "old: double; new: void", "old is new", "new:double", "old→new"},
		{"carry", "old: double", "carry old", "old:double", ""},
		{"ignore", "old: double", "ignore old", "old:double", ""},
		{"a chain", "a: string; b: string; c: string", "a is b; b is c", "c", "b→c"},
		{"a carried one", "a: string; b: string", "carry a; a is b", "b", "a→b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, table := stands(t, strings.Split(c.stands, "; ")...)
			d := decide(t, v, table, strings.Split(c.decided, "; ")...)
			if got := columns(d.Version); got != c.columns || merges(d) != c.merges || d.Same {
				t.Errorf("got %q merging %q, want %q merging %q", got, merges(d), c.columns, c.merges)
			}
			if d.Version.Who != "ann" || d.Version.Number <= v.Number || len(d.Version.Cause) == 0 {
				t.Errorf("the version does not say who and why: %+v", d.Version)
			}
			again, err := contract.Decide(d.Version, d.Version.Decisions[len(d.Version.Decisions)-1], contract.Policy{}, tableOf(t, d.Version))
			if err != nil || !again.Same || again.Version.Number != d.Version.Number {
				t.Errorf("once more gives %+v, %v", again, err)
			}
		})
	}
}

func TestDecisionRefused(t *testing.T) {
	for _, c := range []struct{ name, stands, decided, want string }{
		{"itself", "a: string", "a is A", "one column"},
		{"a circle", "a: string; b: string", "a is b; b is a", "circle"},
		{"a long circle", "a: string; b: string; c: string", "a is b; b is c; c is a", "circle"},
		{"another column", "a: string; b: string; c: string", "a is b; a is c", "decided by ann since 2026-11-30: a is b (a test)"},
		{"part of another", "a: string; b: string", "a is b; ignore a", "a is b"},
		{"ignored", "a: string; b: string", "ignore a; a is b", "ignore a"},
		{"into an ignored one", "a: string; b: string", "ignore b; a is b", "ignored by decision"},
		{"another family", "a: string; b: bigint", "a is b", "no type holds"},
		{"shapes", "a: array<string>; b: bigint", "a is b", "no type holds"},
		{"our own", "a: string", "_source_file is a", "landfall itself"},
		{"no column", "a: string", "a is ", "no column that"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, table := stands(t, strings.Split(c.stands, "; ")...)
			texts := strings.Split(c.decided, "; ")
			last := len(texts) - 1
			if last > 0 {
				v = decide(t, v, table, texts[:last]...).Version
			}
			d := decision(texts[last])
			d.Place = diag.Place{File: "decisions.yaml", Line: 3, Column: 5}
			got, err := contract.Decide(v, d, contract.Policy{}, table)
			var problem *diag.Diagnostic
			if !errors.As(err, &problem) || problem.Code != diag.BadDecision || problem.At != d.Place || problem.Hint == "" ||
				!strings.Contains(problem.Message, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if got.Version.Number != v.Number || len(got.Version.Columns) != len(v.Columns) {
				t.Errorf("a refused decision made %+v", got.Version)
			}
		})
	}
}

// A column of equal names stands beside its twin, and what may not be null cannot
// be left null.
func TestDecisionRefusedByTable(t *testing.T) {
	v := version(contract.Column{Name: "a", Type: "string"}, contract.Column{Name: "a#2", Original: "a", K: 2, Type: "string"}, contract.Column{Name: "b", Type: "string"})
	if _, err := contract.Decide(v, decision("a#2 is b"), contract.Policy{}, nil); err == nil || !strings.Contains(err.Error(), "side by side") {
		t.Errorf("got %v", err)
	}
	v, table := stands(t, "a: string")
	table.Fields[0].Nullable = false
	if _, err := contract.Decide(v, decision("ignore a"), contract.Policy{}, table); err == nil || !strings.Contains(err.Error(), "may not be null") {
		t.Errorf("got %v", err)
	}
	d := decision("carry a")
	d.Why = ""
	if _, err := contract.Decide(v, d, contract.Policy{}, table); err == nil || !strings.Contains(err.Error(), "no reason") {
		t.Errorf("got %v", err)
	}
	retired := v
	retired.Columns = append([]contract.Column{}, v.Columns...)
	retired.Columns[0].Retired = true
	if _, err := contract.Decide(retired, decision("a is b"), contract.Policy{}, nil); err == nil || !strings.Contains(err.Error(), "retired") {
		t.Errorf("got %v", err)
	}
}

// A file that maps a name to itself in another casing says what holds anyway: it stops
// no source.
func TestAgreeOntoItself(t *testing.T) {
	d := contract.Decision{Column: "Order_ID", Action: contract.Map, To: "order_id", Why: "its name"}
	p := contract.Policy{Decisions: []contract.Decision{d}}
	if err := contract.Agree(p.Decisions, p); err != nil {
		t.Error(err)
	}
	v := contract.Version{Columns: []contract.Column{{Name: "Order_ID", Original: "Order ID", Type: "string"}}}
	if found := contract.Pending(v, p); len(found) > 0 {
		t.Errorf("found %v", found)
	}
	if found := contract.InForce(contract.Version{}, p); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}
