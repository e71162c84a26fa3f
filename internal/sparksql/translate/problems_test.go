package translate_test

import (
	"errors"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/translate"
)

// The place of the first problem is marked by ⟨ in the text.
func TestProblems(t *testing.T) {
	c := newCatalog(t)
	for _, p := range []struct {
		text, says, hint string
		code             diag.Code
	}{
		{"select ⟨fair from trips", "column fair: there is none", "did you mean fare?", diag.SQLName},
		{"select t.⟨id from trips x", "column t.id: there is none", "", diag.SQLName},
		{"select id from ⟨trip", "table trip: there is none", "", diag.SQLName},
		{"select ⟨vendor from trips join vendors on true", "found 2 columns", "its table", diag.SQLName},
		{"select pay.⟨kid from trips", "field kid", "field that is there", diag.SQLName},
		{"select id.⟨x from trips", "want a struct", "", diag.SQLType},
		{"select * except (⟨fair) from trips", "column fair", "did you mean fare?", diag.SQLName},
		{"select id from trips where ⟨fare", "found a value of type decimal(10,2), want a condition", "compare", diag.SQLType},
		{"select id from trips where ⟨sum(fare) > 1", "function of a group and stands in WHERE", "query of its own", diag.SQLRefused},
		{"select ⟨id, sum(fare) from trips group by vendor", "stands neither in GROUP BY", "any_value(id)", diag.SQLName},
		{"select ⟨row_number() from trips", "has no window", "OVER", diag.SQLSyntax},
		{"select ⟨uper(vendor) from trips", "function uper: there is none", "did you mean upper?", diag.SQLName},
		{"select id from trips where ⟨row_number() over (order by id) = 1", "a window stands in WHERE", "QUALIFY", diag.SQLRefused},
		{"select case when true then ⟨1 when false then tags end from trips", "", "", diag.SQLType},
		{"select id from trips union select id, vendor from ⟨trips", "found 1 and 2 columns", "BY NAME", diag.SQLType},
		{"select :⟨q from trips", "parameter q", "parameters:", diag.SQLName},
		{"select ⟨input_file_name() from trips", "not understood", "_metadata.file_path", diag.SQLRefused},
		{"select id from trips order by ⟨3", "column 3: there are 1", "", diag.SQLName},
		{"select (select id, vendor from trips) from trips", "query of 2 columns", "", diag.SQLType},
		{"select sum(id) over ⟨v from trips", "window v", "", diag.SQLName},
		{"select tags ⟨+ 1 from trips", "", "", diag.SQLType},
		{"with a (x, y) as (select 1) select * from a", "2 names for 1 columns", "", diag.SQLName},
		{"select ⟨tags['x'] from trips", "", "", ""},
	} {
		_, err := translated(t, c, strings.ReplaceAll(p.text, "⟨", ""))
		if p.code == "" {
			continue
		}
		var list diag.List
		var d *diag.Diagnostic
		switch {
		case errors.As(err, &list):
			d = list[0]
		case !errors.As(err, &d):
			t.Errorf("%s: found %v, want %s", p.text, err, p.code)
			continue
		}
		if d.Code != p.code || !strings.Contains(d.Message, p.says) || !strings.Contains(d.Hint, p.hint) || d.Hint == "" && p.code != diag.SQLName {
			t.Errorf("%s: found %v (hint %q), want %s %s (%s)", p.text, d, d.Hint, p.code, p.says, p.hint)
		}
		if d.At.Line != 1 {
			t.Errorf("%s: found no place", p.text)
		}
	}
}

// All problems of a query are told at once.
func TestAllProblems(t *testing.T) {
	_, err := translated(t, newCatalog(t), "select fair, uper(vendor), id.x from trips where dist")
	var list diag.List
	if !errors.As(err, &list) || len(list) != 4 {
		t.Errorf("found %v, want 4 problems", err)
	}
}

func TestCondition(t *testing.T) {
	columns := []schema.Field{{Name: "a", Type: schema.Integer}, {Name: "B", Type: schema.String}}
	condition := func(text string) (string, []string, error) {
		f := sparksql.NewFile("q.sql", text)
		tokens, err := sparksql.Lex(f)
		if err != nil {
			t.Fatal(err)
		}
		x, err := sparksql.ParseExpression(f, tokens)
		if err != nil {
			t.Fatal(err)
		}
		return translate.Condition(f, x, columns, translate.Options{})
	}
	sql, names, err := condition("a > 1 and b is not null")
	if err != nil || strings.Join(names, " ") != "B a" || !strings.Contains(sql, `"B" IS NOT NULL`) {
		t.Errorf("found %s, %v, %v", sql, names, err)
	}
	for _, text := range []string{"a + 1", "c > 1", "sum(a) > 1", "a in (select 1)", "row_number() over (order by a) = 1"} {
		if sql, _, err := condition(text); err == nil {
			t.Errorf("%s: found %s, want a problem", text, sql)
		}
	}
}

// Rows keep the hidden columns of their stream as long as each comes from one row.
func TestStreams(t *testing.T) {
	c := newCatalog(t)
	for text, want := range map[string]string{
		"select id from stream(trips)":                                                   "row",
		"select id, try_cast(note as int) as n from stream(trips)":                       "row lost1",
		"select id from (select * from stream trips where id > 1) where id < 3":          "row",
		"select t.id from stream(trips) t left join vendors v on t.vendor = v.vendor":    "row",
		"select id, explode(tags) as tag from stream(trips)":                             "row",
		"with s as (select * from stream(trips)) select id from s":                       "row",
		"select id from stream(trips) union all select since from stream(vendors)":       "row",
		"select id from stream(trips) union all select since from vendors":               "",
		"select distinct id from stream(trips)":                                          "! DISTINCT",
		"select vendor, count(*) as n from stream(trips) group by vendor":                "! GROUP BY",
		"select count(*) as n from stream(trips)":                                        "! count()",
		"select a.id from stream(trips) a join stream(trips) b on a.id = b.id":           "row ! join of two streams",
		"select v.name from vendors v left join stream(trips) t on t.vendor = v.vendor":  "row ! LEFT JOIN whose other side is the stream",
		"select id, row_number() over (order by id) as n from stream(trips)":             "row ! OVER",
		"select id from stream(trips) limit 2":                                           "! LIMIT",
		"select id from trips where vendor in (select vendor from vendors)":              "batch",
		"select n from (select count(*) as n from trips) c cross join stream(vendors)":   "row",
		"select try_cast(note as int) as n, count(*) as c from stream(trips) group by 1": "! GROUP BY",
	} {
		r, err := translated(t, c, text)
		if err != nil {
			if !strings.Contains(err.Error(), "explode") {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		var got []string
		if !r.Stream {
			got = append(got, "batch")
		}
		for _, h := range r.Hidden {
			got = append(got, strings.TrimPrefix(h.Name, "_landfall_"))
		}
		for _, s := range r.Stateful {
			got = append(got, "! "+s.What)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: found %q, want %q", text, strings.Join(got, " "), want)
		}
	}
}

// Columns know where they come from.
func TestOrigins(t *testing.T) {
	r, err := translated(t, newCatalog(t), "with a as (select id, fare * dist as cost, vendor from trips) select a.cost, coalesce(name, a.vendor) as who, count(*) over (partition by id) as n from a join vendors v using (vendor)")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"cost": "trips.dist trips.fare", "who": "trips.vendor vendors.name", "n": "trips.id"}
	for _, c := range r.Columns {
		var got []string
		for _, o := range c.Origins {
			got = append(got, o.Table+"."+o.Column)
		}
		if strings.Join(got, " ") != want[c.Name] {
			t.Errorf("%s: found %v, want %s", c.Name, got, want[c.Name])
		}
	}
	if strings.Join(r.Tables, " ") != "trips vendors" {
		t.Errorf("found the tables %v", r.Tables)
	}
}
