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

// The file has files of pipelines and what is read of them, between lines of dashes.
func TestParse(t *testing.T) {
	data, err := os.ReadFile("testdata/parse.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cases := 0
	for block := range strings.SplitSeq(string(data), "========\n") {
		text, want, _ := strings.Cut(block, "++++++++\n")
		cases++
		got := ""
		if p, err := parse(text); err != nil {
			got = "error " + err.Error() + "\n"
		} else {
			got = summary(p)
		}
		if got != want {
			t.Errorf("%s\nfound\n%s\nwant\n%s", text, got, want)
		}
		if cases > 1 {
			out.WriteString("========\n")
		}
		out.WriteString(text + "++++++++\n" + got)
	}
	if os.Getenv("LANDFALL_UPDATE") != "" {
		if err := os.WriteFile("testdata/parse.txt", []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if cases < 25 {
		t.Errorf("found %d files, want 25 at least", cases)
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

func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/parse.txt", "testdata/problems.sql"} {
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
