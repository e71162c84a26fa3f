package sqlpipe_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/sparksql"
	"landfall/internal/sqlpipe"
)

func parse(files ...string) (*sqlpipe.Pipeline, error) {
	texts := make([]sqlpipe.Text, len(files))
	for i, f := range files {
		texts[i] = sqlpipe.Text{Name: fmt.Sprintf("%d.sql", i+1), Text: f}
	}
	return sqlpipe.Parse(texts, sqlpipe.Options{
		Params:  map[string]string{"env": "dev", "n": "3"},
		Outside: func(name []string) bool { return strings.HasPrefix(name[len(name)-1], "bronze") },
		Names:   []string{"bronze", "bronze_trips"},
	})
}

// summary is what was read, a line a part.
func summary(p *sqlpipe.Pipeline) string {
	var b strings.Builder
	for _, d := range p.Datasets {
		fmt.Fprintf(&b, "%s %s", d.Kind, d.Name)
		if d.Private {
			b.WriteString(" private")
		}
		if d.Comment != "" {
			fmt.Fprintf(&b, " %q", d.Comment)
		}
		for _, r := range d.Reads {
			b.WriteString(" <- " + r.Name)
		}
		b.WriteString("\n")
		for _, c := range d.Columns {
			fmt.Fprintf(&b, "  column %s %v %v %s\n", c.Name.Name, c.Type, c.NotNull, c.Comment)
		}
		for _, c := range d.Partitions {
			fmt.Fprintf(&b, "  partition %s\n", c.Name)
		}
		for _, k := range slices.Sorted(maps.Keys(d.Properties)) {
			fmt.Fprintf(&b, "  property %s = %s\n", k, d.Properties[k])
		}
		for _, r := range d.Rules {
			fmt.Fprintf(&b, "  %s %s: %s\n", r.Action, r.Name, r.Text)
		}
		for _, f := range d.Flows {
			once := ""
			if f.Once {
				once = " once"
			}
			fmt.Fprintf(&b, "  flow %s%s: %s\n", f.Name, once, sparksql.Print(f.Query))
		}
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "note %s: %s\n", n.At, n.Text)
	}
	return b.String()
}

// The files have files of pipelines and what is read of them, between lines of dashes:
// the parts of the grammar one by one, and the shapes that are seen in the open.
func TestParse(t *testing.T) {
	for name, least := range map[string]int{"testdata/parse.txt": 25, "testdata/shapes.txt": 60} {
		t.Run(name, func(t *testing.T) { golden(t, name, least) })
	}
}

// golden reads what stands before each line of pluses, and wants what stands behind it.
func golden(t *testing.T, name string, least int) {
	data, err := os.ReadFile(name) //nolint:gosec // a file of this test
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	statements := 0
	for block := range strings.SplitSeq(string(data), "========\n") {
		text, want, _ := strings.Cut(block, "++++++++\n")
		got := ""
		if p, err := parse(text); err != nil {
			got = "error " + diag.Render(err, false) + "\n"
		} else {
			got = summary(p)
		}
		statements += max(1, strings.Count(text, "CREATE "))
		if got != want {
			t.Errorf("%s\nfound\n%s\nwant\n%s", text, got, want)
		}
		out = append(out, text+"++++++++\n"+got)
	}
	if os.Getenv("LANDFALL_UPDATE") != "" {
		if err := os.WriteFile(name, []byte(strings.Join(out, "========\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if statements < least {
		t.Errorf("found %d statements, want %d at least", statements, least)
	}
}

// Comments of a file say which problems stand on the line before.
func TestProblems(t *testing.T) {
	data, err := os.ReadFile("testdata/problems.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, err = parse(string(data))
	var list diag.List
	if !errors.As(err, &list) {
		t.Fatalf("found %v, want problems", err)
	}
	found := map[int64][]*diag.Diagnostic{}
	for _, d := range list {
		found[d.At.Line] = append(found[d.At.Line], d)
	}
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		_, want, ok := strings.Cut(line, "-- ERROR ")
		if !ok {
			continue
		}
		code, says, _ := strings.Cut(want, " ")
		matched := false
		for n, d := range found[int64(i)] {
			if string(d.Code) == code && strings.Contains(d.Message, says) {
				matched = true
				if d.Hint == "" && d.Code != diag.SQLSyntax {
					t.Errorf("line %d: %s has no hint", i, d)
				}
				found[int64(i)] = append(found[int64(i)][:n], found[int64(i)][n+1:]...)
				break
			}
		}
		if !matched {
			t.Errorf("line %d: found %v, want %s %s", i, found[int64(i)], code, says)
		}
	}
	for line, left := range found {
		for _, d := range left {
			t.Errorf("line %d: found %s, want nothing", line, d)
		}
	}
}

// A pipeline in Python is answered with the SQL that says the same.
func TestPython(t *testing.T) {
	_, err := sqlpipe.Parse([]sqlpipe.Text{{Name: "trips.py", Text: `import dlt
@dlt.table(name="trips_silver")
@dlt.expect("nothing_rescued", "_rescued_data IS NULL")
@dlt.expect_or_drop("in_month", "pickup_ts >= '2025-06-01' AND pickup_ts < '2025-07-01'")
def trips_silver():
    df = dlt.read_stream("trips_bronze")
    return df
`}}, sqlpipe.Options{})
	var d *diag.Diagnostic
	if !errors.As(err, &d) {
		t.Fatalf("found %v", err)
	}
	want := `write its tables as SQL:
CREATE OR REFRESH STREAMING TABLE trips_silver (
  CONSTRAINT nothing_rescued EXPECT (_rescued_data IS NULL),
  CONSTRAINT in_month EXPECT (pickup_ts >= '2025-06-01' AND pickup_ts < '2025-07-01') ON VIOLATION DROP ROW
) AS
SELECT * FROM STREAM(trips_bronze);`
	if d.Hint != want {
		t.Errorf("found\n%s\nwant\n%s", d.Hint, want)
	}
}

// The same for the other forms: several rules at once, flows, files, and names of functions.
func TestPythonForms(t *testing.T) {
	_, err := sqlpipe.Parse([]sqlpipe.Text{{Name: "orders.py", Text: `# Databricks notebook source
from pyspark import pipelines as dp

rules = {"a": "b"}

@dp.table(
    comment="it's raw",
    table_properties={"quality": "bronze"},
)
def orders_bronze():
    return (spark.readStream.format("cloudFiles")
        .option("cloudFiles.format", "json")
        .load("/landing/orders"))

@dp.expect_all_or_drop({"valid id": "id IS NOT NULL", 'state': "state IN ('new', 'paid')"})
@dp.expect_or_fail("amount", 'amount > 0')
@dp.table
def orders_silver():
    return spark.readStream.table("LIVE.orders_bronze").where("id > 0")

def helper():
    return spark.read.table("nothing")

@dp.materialized_view(name="per_day")
def any_name():
    return spark.read.table("orders_silver").groupBy("day").count()

@dp.temporary_view()
def recent():
    return spark.table("per_day")

dp.create_streaming_table("target", expect_all={"one": "x > 1"}, expect_all_or_fail={"two": "y > (1)"})

@dp.append_flow(target="target", name="from_silver")
def flow():
    return spark.readStream.table("orders_silver")

# COMMAND ----------
# MAGIC %sql
# MAGIC CREATE OR REFRESH MATERIALIZED VIEW last AS
# MAGIC SELECT * FROM target;
`}}, sqlpipe.Options{})
	var d *diag.Diagnostic
	if !errors.As(err, &d) {
		t.Fatalf("found %v", err)
	}
	want := `write its tables as SQL:
CREATE OR REFRESH STREAMING TABLE orders_bronze COMMENT 'it''s raw' AS
SELECT * FROM STREAM read_files('/landing/orders', format => 'json');
CREATE OR REFRESH STREAMING TABLE orders_silver (
  CONSTRAINT ` + "`valid id`" + ` EXPECT (id IS NOT NULL) ON VIOLATION DROP ROW,
  CONSTRAINT state EXPECT (state IN ('new', 'paid')) ON VIOLATION DROP ROW,
  CONSTRAINT amount EXPECT (amount > 0) ON VIOLATION FAIL UPDATE
) AS
SELECT * FROM STREAM(orders_bronze);
CREATE OR REFRESH MATERIALIZED VIEW per_day AS
SELECT * FROM orders_silver;
CREATE TEMPORARY VIEW recent AS
SELECT * FROM per_day;
CREATE OR REFRESH STREAMING TABLE target (
  CONSTRAINT two EXPECT (y > (1)) ON VIOLATION FAIL UPDATE,
  CONSTRAINT one EXPECT (x > 1)
);
CREATE FLOW from_silver AS INSERT INTO target BY NAME
SELECT * FROM STREAM(orders_silver);
CREATE OR REFRESH MATERIALIZED VIEW last AS
SELECT * FROM target;`
	if d.Hint != want {
		t.Errorf("found\n%s\nwant\n%s", d.Hint, want)
	}
	_, sql, _ := strings.Cut(d.Hint, "\n")
	if p, err := parse(sql); err != nil || len(p.Datasets) != 6 {
		t.Errorf("what is to be written is not read: %v", err)
	}
}

// AUTO CDC is answered with a query that says the same, and that is read.
func TestChanges(t *testing.T) {
	for statement, want := range map[string]string{
		"APPLY CHANGES INTO LIVE.t FROM STREAM(LIVE.bronze_x) KEYS (a, `b c`) IGNORE NULL UPDATES APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq) STORED AS SCD TYPE 1": `IGNORE NULL UPDATES needs a query of its own; without it: write what the table shall hold as a materialized view:
CREATE OR REFRESH MATERIALIZED VIEW t AS
SELECT * EXCEPT (op, seq) FROM (
  SELECT * FROM bronze_x
  QUALIFY row_number() OVER (PARTITION BY a, ` + "`b c`" + ` ORDER BY seq DESC) = 1
)
WHERE NOT coalesce(op = 'D', false);`,
		"CREATE FLOW f AS AUTO CDC INTO t FROM STREAM bronze_x KEYS (id) SEQUENCE BY STRUCT(day, n) STORED AS SCD TYPE 2": `write what the table shall hold as a materialized view:
CREATE OR REFRESH MATERIALIZED VIEW t AS
SELECT * FROM (
  SELECT *, STRUCT(day, n) AS __START_AT,
    lead(STRUCT(day, n)) OVER (PARTITION BY id ORDER BY STRUCT(day, n)) AS __END_AT
  FROM bronze_x
);`,
		"CREATE STREAMING TABLE t FLOW AUTO CDC FROM STREAM(bronze_x) KEYS (id) WHERE n > 0 SEQUENCE BY ingested_at COLUMNS id, n TRACK HISTORY ON * EXCEPT (m) STORED AS SCD TYPE 2": `order by a time of the source: ingested_at is when a row was read, and says nothing of rows that come late.
TRACK HISTORY ON needs a query of its own; without it: write what the table shall hold as a materialized view:
CREATE OR REFRESH MATERIALIZED VIEW t AS
SELECT id, n, __START_AT, __END_AT FROM (
  SELECT *, ingested_at AS __START_AT,
    lead(ingested_at) OVER (PARTITION BY id ORDER BY ingested_at) AS __END_AT
  FROM bronze_x
  WHERE n > 0
);`,
		"CREATE FLOW f AS AUTO CDC INTO t FROM bronze_x KEYS (id) SEQUENCE BY s APPLY AS DELETE WHEN gone COLUMNS * EXCEPT (s, gone) STORED AS SCD TYPE 2": `write what the table shall hold as a materialized view:
CREATE OR REFRESH MATERIALIZED VIEW t AS
SELECT * EXCEPT (s, gone) FROM (
  SELECT *, s AS __START_AT,
    lead(s) OVER (PARTITION BY id ORDER BY s) AS __END_AT
  FROM bronze_x
)
WHERE NOT coalesce(gone, false);`,
	} {
		_, err := parse(statement)
		var d *diag.Diagnostic
		if !errors.As(err, &d) || d.Code != diag.SQLRefused {
			t.Errorf("%s: found %v", statement, err)
			continue
		}
		if d.Hint != want {
			t.Errorf("%s\nfound\n%s\nwant\n%s", statement, d.Hint, want)
		}
		if _, err := parse(d.Hint[strings.Index(d.Hint, "CREATE"):]); err != nil {
			t.Errorf("%s: the hint is not read: %v", statement, err)
		}
	}
}

// All files are read together: in any order, and with problems of each in their places.
func TestFiles(t *testing.T) {
	p, err := parse("CREATE MATERIALIZED VIEW c AS SELECT * FROM b", "CREATE MATERIALIZED VIEW z AS SELECT 1 AS x; CREATE MATERIALIZED VIEW b AS SELECT * FROM a", "CREATE STREAMING TABLE a AS SELECT * FROM STREAM(LIVE.v); CREATE TEMPORARY LIVE VIEW v AS SELECT * FROM STREAM(bronze)")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range p.Datasets {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != "v a b c z" {
		t.Errorf("found the order %s, want v a b c z", got)
	}
	if a := p.Find("A"); a == nil || a.Place().String() != "3.sql:1:24" {
		t.Errorf("found %v, want 3.sql:1:24", a)
	}
	_, err = parse("CREATE MATERIALIZED VIEW a AS SELECT * FROM b", "CREATE MATERIALIZED VIEW b AS SELECT * FROM c", "CREATE MATERIALIZED VIEW c AS SELECT * FROM a;\nCREATE MATERIALIZED VIEW B AS SELECT x FROM", "import dlt")
	want := `1.sql:1:26: a: reads itself: a ← b ← c ← a [E1005]
    1 │ CREATE MATERIALIZED VIEW a AS SELECT * FROM b
      │                          ^
    hint: take one of these reads out: a at 1.sql:1:26, b at 2.sql:1:26, c at 3.sql:1:26
3.sql:2:44: found the end of the text, want the name of a table [E1001]
    2 │ CREATE MATERIALIZED VIEW B AS SELECT x FROM
      │                                            ^
4.sql:1:1: found "import", want CREATE [E1001]
    1 │ import dlt
      │ ^^^^^^
    hint: this is Python: a file of its own, named .py, is answered with its tables as SQL
`
	if got := diag.Render(err, false); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
}

// Files of Windows begin with a mark and end their lines with two characters.
func TestWindows(t *testing.T) {
	text := "\ufeffCREATE STREAMING TABLE a AS SELECT *\r\nFROM STREAM(bronze)\r\n\r\n-- COMMAND ----------\r\nCREATE MATERIALIZED VIEW b AS SELECT * FROM a\r\n"
	p, err := parse(text)
	if err != nil || len(p.Datasets) != 2 {
		t.Errorf("found %v, want two datasets", err)
	}
}

// What cannot be read hides no other problem, and is followed by none that it causes.
func TestNoEchoes(t *testing.T) {
	for text, want := range map[string][]string{
		"CREATE STREAMING TABLE a LOCATION '/x' AS SELECT * FROM STREAM(bronze); CREATE MATERIALIZED VIEW b AS SELECT * FROM a; CREATE MATERIALIZED VIEW c AS SELECT * FROM nothing":   {"LOCATION", "table nothing"},
		"CREATE TABLE a AS SELECT 1; CREATE FLOW f AS INSERT INTO a BY NAME SELECT * FROM STREAM(bronze)":                                                                              {"found TABLE"},
		"CREATE MATERIALIZED VIEW a AS SELEC 1; CREATE MATERIALIZED VIEW b AS SELECT * FROM a WHERE x = 'open; CREATE MATERIALIZED VIEW c AS SELECT 1":                                 {"SELEC", "found no end"},
		"CREATE STREAMING TABLE a; AUTO CDC INTO a FROM STREAM(bronze) KEYS (k) SEQUENCE BY s; CREATE MATERIALIZED VIEW b AS SELECT * FROM a":                                          {"AUTO CDC"},
		"CREATE STREAMING TABLE a (CONSTRAINT x EXPECT (y >), CONSTRAINT z EXPECT (> 1)) AS SELECT * FROM STREAM(bronze); CREATE MATERIALIZED VIEW b AS SELECT * FROM a":               {"want an expression", "want an expression"},
		"CREATE MATERIALIZED VIEW ${no} AS SELECT * FROM ${none}.x; CREATE MATERIALIZED VIEW b AS SELECT * FROM ${no}":                                                                 {"parameter no", "parameter none", "parameter no"},
		"CREATE MATERIALIZED VIEW a AS SELECT 1 AS x; CREATE MATERIALIZED VIEW bronze_orders AS SELECT 1 AS x; CREATE MATERIALIZED VIEW b AS SELECT * FROM other.bronze_orders JOIN a": {"one in the pipeline and one outside"},
	} {
		_, err := parse(text)
		var list diag.List
		var d *diag.Diagnostic
		if !errors.As(err, &list) && errors.As(err, &d) {
			list = diag.List{d}
		}
		ok := len(list) == len(want)
		for i := range min(len(list), len(want)) {
			ok = ok && strings.Contains(list[i].Message, want[i])
		}
		if !ok {
			t.Errorf("%s\nfound %v\nwant %q", text, err, want)
		}
	}
}

// The SQL of the manual is read.
func TestManual(t *testing.T) {
	blocks := 0
	for _, name := range []string{"../../docs/pipeline.md", "../../docs/pipeline-files.md"} {
		data, err := os.ReadFile(name) //nolint:gosec // the manual
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range strings.Split(string(data), "```sql\n")[1:] {
			text, _, _ := strings.Cut(part, "```")
			if !strings.HasPrefix(text, "CREATE") {
				continue
			}
			blocks++
			if _, err := sqlpipe.Parse([]sqlpipe.Text{{Name: name, Text: text}}, sqlpipe.Options{
				Params: map[string]string{"env": "dev"}, Outside: func([]string) bool { return true },
			}); err != nil {
				t.Errorf("%s, block %d: %v", name, i+1, err)
			}
		}
	}
	if blocks < 3 {
		t.Errorf("found %d blocks, want 3", blocks)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/parse.txt", "testdata/shapes.txt", "testdata/problems.sql"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for block := range strings.SplitSeq(string(data), "========\n") {
			f.Add(block)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parse(text)
		if err == nil && len(p.Datasets) == 0 {
			t.Error("found nothing and no error")
		}
	})
}

func TestCodes(t *testing.T) {
	for text, code := range map[string]diag.Code{
		"CREATE MATERIALIZED VIEW a AS SELECT * FROM a":                                                                       diag.PipelineGraph,
		"CREATE STREAMING TABLE a AS SELECT * FROM bronze":                                                                    diag.PipelineStream,
		"CREATE STREAMING TABLE a (CONSTRAINT b EXPECT (x > 0), CONSTRAINT b EXPECT (x > 0)) AS SELECT * FROM STREAM(bronze)": diag.PipelineRule,
	} {
		if _, err := parse(text); !errors.Is(err, &diag.Diagnostic{Code: code}) {
			t.Errorf("%s: found %v, want %s", text, err, code)
		}
	}
}
