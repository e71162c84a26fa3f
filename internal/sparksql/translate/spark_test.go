//go:build interop

package translate_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/sparksql/translate"
	"landfall/internal/sparktest"
)

// instead are queries that stock Spark cannot read, as it can read them.
func instead() map[string]string {
	return map[string]string{
		// QUALIFY
		"select id, vendor from trips qualify row_number() over (partition by vendor order by id desc) = 1":      "select id, vendor from (select *, row_number() over (partition by vendor order by id desc) as n from trips) where n = 1",
		"select id, vendor from trips qualify count(*) over (partition by vendor) > 1":                           "select id, vendor from (select *, count(*) over (partition by vendor) as n from trips) where n > 1",
		"select vendor, sum(id) as s from trips group by vendor qualify rank() over (order by sum(id) desc) = 1": "select vendor, s from (select vendor, sum(id) as s, rank() over (order by sum(id) desc) as r from trips group by vendor) where r = 1",
		// A window that begins with the name of another
		"select id, sum(id) over w as s, avg(id) over (w rows between 1 preceding and current row) as a from trips window w as (order by id)": "select id, sum(id) over w as s, avg(id) over (order by id rows between 1 preceding and current row) as a from trips window w as (order by id)",
		// A path into a text: stock Spark has it for values of type VARIANT alone
		"select note:a.b as ab, note:l[1]::int as l from trips where id = 1":                                                "select get_json_object(note, '$.a.b') as ab, cast(get_json_object(note, '$.l[1]') as int) as l from trips where id = 1",
		"select note:a as a, note:a.b::int as b, note:l[0] as l, note:l[9] as n, note:['a'].b as q from trips where id = 1": "select get_json_object(note, '$.a') as a, cast(get_json_object(note, '$.a.b') as int) as b, get_json_object(note, '$.l[0]') as l, get_json_object(note, '$.l[9]') as n, get_json_object(note, '$.a.b') as q from trips where id = 1",
		// LATERAL VIEW without names
		"select id, pos, col from trips lateral view posexplode(tags)": "select id, pos, col from trips lateral view posexplode(tags) as pos, col",
		// * REPLACE
		"select * replace (id + 10 as id) from (select id, vendor from trips) where id < 2": "select id + 10 as id, vendor from (select id, vendor from trips) where id < 2",
		// UNION BY NAME
		"select id as a, vendor as b from trips where id = 1 union all by name select 'z' as b, 9 as c": "select id as a, vendor as b, null as c from trips where id = 1 union all select null, 'z', 9",
		"select vendor, id from trips union by name select 9 as id, 'q' as vendor":                      "select vendor, id from trips union select 'q', 9",
	}
}

// answer is what an engine says to a query.
type answer struct {
	Columns [][2]string
	Rows    [][]string
	Error   string
}

// lines are the rows as texts, in order of their texts unless the query has one.
func (a answer) lines(ordered bool) string {
	out := make([]string, len(a.Rows))
	for i, r := range a.Rows {
		out[i] = strings.Join(r, " | ")
	}
	if !ordered {
		slices.Sort(out)
	}
	return strings.Join(out, "\n")
}

// TestSpark holds queries against Spark: those of the tests, and queries drawn at random.
// Two seeds are fixed; LANDFALL_SEED is one more.
func TestSpark(t *testing.T) {
	texts := queries(t)
	known := len(texts)
	seeds := []int{20261201, 9}
	if s := os.Getenv("LANDFALL_SEED"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, n)
	}
	for _, seed := range seeds {
		texts = append(texts, drawQueries(seed, 60)...)
	}
	answers := askSpark(t, texts)
	conn, c := filled(t), newCatalog(t)
	failed := 0
	for i, text := range texts {
		theirs := answers[i]
		r, err := translated(t, c, text)
		if err != nil {
			t.Errorf("%s\n%v\nSpark: %s", text, err, theirs.Error)
			continue
		}
		ours := ask(t.Context(), conn, r)
		ordered := i < known && inOrder(text)
		switch {
		case ours.Error != "" && theirs.Error != "" && i >= known:
			failed++
		case ours.Error != "" || theirs.Error != "":
			t.Errorf("%s\nfound error %s\nSpark: error %s\nby %s", text, ours.Error, theirs.Error, r.SQL)
		case differ(r, theirs.Columns) != "":
			t.Errorf("%s\n%s", text, differ(r, theirs.Columns))
		case ours.lines(ordered) != theirs.lines(ordered):
			t.Errorf("%s\nfound\n%s\nSpark\n%s\nby %s", text, ours.lines(ordered), theirs.lines(ordered), r.SQL)
		}
	}
	t.Logf("%d queries of the tests, %d drawn, of which %d fail on both sides", known, len(texts)-known, failed)
}

// inOrder reports whether a query says in which order its rows are.
func inOrder(text string) bool {
	depth := 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], "order by"):
			return true
		}
	}
	return false
}

// differ tells which column is not as Spark has it. The names that Spark gives to
// expressions are its own.
func differ(r *translate.Result, columns [][2]string) string {
	if len(r.Columns) != len(columns) {
		return fmt.Sprintf("found %d columns, Spark has %d", len(r.Columns), len(columns))
	}
	for i, c := range r.Columns {
		if c.Named && c.Name != columns[i][0] || c.Type.String() != columns[i][1] {
			return fmt.Sprintf("found %s %s, Spark has %s %s", c.Name, c.Type, columns[i][0], columns[i][1])
		}
	}
	return ""
}

func ask(ctx context.Context, conn *sql.Conn, r *translate.Result) (a answer) {
	rows, err := conn.QueryContext(ctx, r.SQL)
	if err != nil {
		return answer{Error: err.Error()}
	}
	defer func() {
		if err := rows.Close(); err != nil && a.Error == "" {
			a.Error = err.Error()
		}
	}()
	values := make([]any, len(r.Columns)+len(r.Hidden))
	targets := make([]any, len(values))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return answer{Error: err.Error()}
		}
		line := make([]string, len(r.Columns))
		for i, c := range r.Columns {
			line[i] = shown(values[i], c.Type)
		}
		a.Rows = append(a.Rows, line)
	}
	if err := rows.Err(); err != nil {
		return answer{Error: err.Error()}
	}
	return a
}

// askSpark returns what Spark says to each query.
func askSpark(t *testing.T, texts []string) []answer {
	t.Helper()
	task := struct {
		Tables  map[string]string `json:"tables"`
		Params  map[string]string `json:"params"`
		Queries []string          `json:"queries"`
	}{Tables: map[string]string{}, Params: params(), Queries: slices.Clone(texts)}
	for _, table := range tables() {
		task.Tables[table.name] = table.spark
	}
	for i, text := range texts {
		if other, ok := instead()[text]; ok {
			task.Queries[i] = other
		}
	}
	var answers []answer
	sparktest.Ask(t, filepath.Join("testdata", "spark.py"), task, &answers)
	if len(answers) != len(texts) {
		t.Fatalf("Spark answered %d of %d queries", len(answers), len(texts))
	}
	return answers
}

// queries are those of the tests.
func queries(t *testing.T) []string {
	t.Helper()
	all := blocks(t)
	for i, b := range all {
		all[i], _, _ = strings.Cut(b, "\n")
	}
	return all
}
