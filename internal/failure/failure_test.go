package failure_test

import (
	"fmt"
	"html"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"landfall/internal/failure"
)

// text is a case of testdata: how it came to be, what it says, the text.
type text struct {
	how, name, file, column, body string
}

func texts(t *testing.T, file string) (all []text) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n"+string(b), "\n=== ")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		f := strings.Split(head+" | | |", "|")
		all = append(all, text{
			strings.TrimSpace(f[0]), strings.TrimSpace(f[1]), strings.TrimSpace(f[2]),
			strings.TrimSpace(f[3]), body,
		})
	}
	return all
}

func load(t testing.TB) *failure.Catalogue {
	t.Helper()
	c, err := failure.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// same tells whether two paths are one, with or without the scheme of local files.
func same(a, b string) bool {
	local := func(s string) string {
		if rest, ok := strings.CutPrefix(s, "file:"); ok {
			return "/" + strings.TrimLeft(rest, "/")
		}
		return s
	}
	return local(a) == local(b)
}

func (c text) check(t *testing.T, how string, r failure.Report) {
	t.Helper()
	if len(r.Findings) != 1 {
		var names []string
		for _, f := range r.Findings {
			names = append(names, fmt.Sprintf("%s(%s, %s)", f.Failure.Name, f.File, f.Column))
		}
		t.Errorf("%s, %s: found %d failures %v, want %s", c.how, how, len(names), names, c.name)
		return
	}
	f := r.Findings[0]
	if f.Failure.Name != c.name || !same(f.File, c.file) || f.Column != c.column {
		t.Errorf("%s, %s: found %s, file %q, column %q, want %s, %q, %q", c.how, how, f.Failure.Name, f.File, f.Column, c.name, c.file, c.column)
	}
}

// TestKnown: each text is recognised, alone and as logs hold it. The patterns were made
// on known.txt and quoted.txt; heldout.txt and reports.txt were looked at once they stood.
func TestKnown(t *testing.T) {
	c := load(t)
	var all []text
	for _, file := range []string{"known.txt", "quoted.txt", "heldout.txt", "reports.txt"} {
		all = append(all, texts(t, file)...)
	}
	distinct := map[string]bool{}
	for _, x := range all {
		distinct[x.body] = true
		for how, body := range dressed(x.body) {
			r, err := c.Scan(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			x.check(t, how, r)
		}
	}
	if len(distinct) < 500 {
		t.Errorf("found %d texts, want 500", len(distinct))
	}
}

// dressed is a text in the forms in which people meet it.
func dressed(body string) map[string]string {
	esc := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
	line := "[2026-11-02, 06:14:07 UTC] {subprocess.py:93} INFO - "
	once := esc.Replace(body)
	return map[string]string{
		"alone":   body,
		"Airflow": line + strings.ReplaceAll(strings.TrimSuffix(body, "\n"), "\n", "\n"+line) + "\n",
		"colours": "\x1b[1m\x1b[31m" + strings.ReplaceAll(body, "\n", "\x1b[0m\n\x1b[31m") + "\x1b[0m\n",
		"HTML":    "<pre>" + html.EscapeString(body) + "</pre>\n",
		"twice":   `{"run": {"state": {"state_message": "` + esc.Replace(`{"error": "`+once+`"}`) + `"}}}` + "\n",
		"pretty":  "{\n    \"errorCode\": \"DFExecutorUserError\",\n    \"message\": \"" + once + "\",\n    \"failureType\": \"UserError\"\n}\n",
		"CRLF":    strings.ReplaceAll(body, "\n", "\r\n"),
		"driver":  "26/11/02 06:14:07 ERROR TaskSetManager: Task 3 in stage 7.0 failed 4 times; aborting job\n" + body + "\n26/11/02 06:14:08 INFO SparkContext: Invoking stop() from shutdown hook\n",
		"JSON":    `{"ts":"2026-11-02T06:14:07Z","level":"ERROR","msg":"` + esc.Replace(body) + `","pod":"orders-7"}` + "\n",
	}
}

// TestUnrelated: what is no failure of reading files is not taken for one.
func TestUnrelated(t *testing.T) {
	c := load(t)
	var all []text
	for _, file := range []string{"unrelated.txt", "others.txt", "strangers.txt"} {
		all = append(all, texts(t, file)...)
	}
	for _, x := range all {
		for how, body := range dressed(x.body) {
			r, err := c.Scan(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				t.Errorf("%s, %s: found %s, want nothing", x.how, how, f.Failure.Name)
			}
		}
	}
	if len(all) < 150 {
		t.Errorf("found %d texts, want 150", len(all))
	}
}

// TestReaderFails: an error of the input is not taken for its end.
func TestReaderFails(t *testing.T) {
	if _, err := load(t).Scan(iotest.ErrReader(os.ErrPermission)); err == nil {
		t.Error("found no error")
	}
}

// TestLong: in a log of many windows the first is found, repeats are counted and lines
// too, wherever windows end.
func TestLong(t *testing.T) {
	c := load(t)
	noise := strings.Repeat("26/11/02 06:14:07 INFO BlockManager: nothing of note in this line\n", 997)
	var b strings.Builder
	const times = 40
	for range times {
		b.WriteString(noise)
		b.WriteString("Caused by: java.lang.RuntimeException: file:/data/a b.parquet is not a Parquet file (length is too low: 0)\n")
	}
	for name, r := range map[string]func() (failure.Report, error){
		"whole": func() (failure.Report, error) { return c.Scan(strings.NewReader(b.String())) },
		"bytes": func() (failure.Report, error) {
			return c.Scan(iotest.HalfReader(strings.NewReader(b.String())))
		},
	} {
		got, err := r()
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Findings) != 1 || got.Findings[0].Count != times || got.Findings[0].Line != 998 || got.Lines != times*998 {
			t.Errorf("%s: found %+v, want one of %d times from line 998", name, got, times)
		}
	}
	r, err := c.Scan(strings.NewReader("{\"a\":\"" + strings.Repeat("x", 1<<20) + " Invalid UTF8 payload"))
	if err != nil || len(r.Findings) != 0 {
		t.Errorf("found %v, %v, want nothing in a long line", r.Findings, err)
	}
}

// TestNearest: what is not known has its neighbours named, and what has none has none.
func TestNearest(t *testing.T) {
	c := load(t)
	r, err := c.Scan(strings.NewReader("SparkUnsupportedOperationException: encoding BYTE_STREAM is not supported"))
	if err != nil || len(r.Nearest) == 0 || r.Nearest[0].Name != "encoding" {
		t.Errorf("found %v, %v, want encoding first", r.Nearest, err)
	}
	if r, err = c.Scan(strings.NewReader("zzz")); err != nil || len(r.Nearest) != 0 {
		t.Errorf("found %v, %v, want none", r.Nearest, err)
	}
}

// TestSeveral: of a log with several failures each is found once, with its own file, and
// of a trace within a trace the cause alone.
func TestSeveral(t *testing.T) {
	const (
		polars = "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\npolars.exceptions.ComputeError: schema lengths differ\n"
		duckdb = "Traceback (most recent call last):\n  File \"b.py\", line 3, in <module>\n_duckdb.IOException: IO Error: No files found that match the pattern \"/in/*.parquet\"\n"
		spark  = "26/11/02 03:00:0%d ERROR Executor: Exception in task 0.0\norg.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file s3://b/%s.parquet.  SQLSTATE: KD001\n\tat org.apache.spark.x(Y.scala:1)\nCaused by: %s\n"
		page   = "java.io.IOException: can not read class org.apache.parquet.format.PageHeader: don't know what type: 15"
		ids    = "java.lang.RuntimeException: Spark read schema expects field Ids, but Parquet file schema doesn't contain any field Ids."
	)
	c := load(t)
	for name, x := range map[string]struct {
		text string
		want []string
	}{
		"two programs":  {polars + duckdb, []string{"polars-csv-columns ", "duckdb-none /in/*.parquet"}},
		"follows first": {duckdb + polars, []string{"polars-csv-columns ", "duckdb-none /in/*.parquet"}},
		"chained": {
			duckdb + "\nThe above exception was the direct cause of the following exception:\n\n" + strings.Replace(polars, "schema lengths differ", "the load broke", 1),
			[]string{"duckdb-none /in/*.parquet"},
		},
		"records": {
			fmt.Sprintf(spark, 1, "a", page) + fmt.Sprintf(spark, 2, "b", ids),
			[]string{"page-damaged s3://b/a.parquet", "field-ids s3://b/b.parquet"},
		},
		"same file, two failures": {
			fmt.Sprintf(spark, 1, "a", page) + fmt.Sprintf(spark, 2, "a", ids),
			[]string{"page-damaged s3://b/a.parquet", "field-ids s3://b/a.parquet"},
		},
		"tried again": {
			strings.Repeat(fmt.Sprintf(spark, 1, "a", page), 4) + "org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times\n" + fmt.Sprintf(spark, 2, "b", ids),
			[]string{"page-damaged s3://b/a.parquet", "field-ids s3://b/b.parquet"},
		},
		"containers": {
			"Container: container_1_0001_01_000002 on worker-7_8041\nLogType:stderr\n" + fmt.Sprintf(spark, 1, "a", page) + "End of LogType:stderr\n\nContainer: container_1_0001_01_000003 on worker-8_8041\nLogType:stderr\n" + fmt.Sprintf(spark, 1, "a", page) + "End of LogType:stderr\n",
			[]string{"page-damaged s3://b/a.parquet"},
		},
	} {
		r, err := c.Scan(strings.NewReader(x.text))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, f := range r.Findings {
			found = append(found, f.Failure.Name+" "+f.File)
		}
		if !slices.Equal(found, x.want) {
			t.Errorf("%s: found %q, want %q", name, found, x.want)
		}
	}
}

// TestCut: a message that was cut in its middle is recognised by what is left of it.
func TestCut(t *testing.T) {
	c := load(t)
	for text, want := range map[string]string{
		"Parquet column cannot be converted in file s3://b/part-1.parquet. Column: [amo":                                     "column-type s3://b/part-1.parquet",
		"Encountered error while reading file s3://b/pa... (truncated) Data type mismatches when reading Parquet column [a]": "column-type ",
		"… part-1.parquet is not a Parquet file. Expected magic number at tail, but found [49, 4":                            "not-parquet ",
		"[DELTA_FAILED_TO_MERGE_FIELDS] Failed to merge fields 'amo":                                                         "delta-merge ",
		"schema mismatch in glob: column \"amount\" was read from the original file \"/in/a.par":                             "duckdb-column-missing ",
		"data type mismatch for column amount: incoming: String !=":                                                          "polars-type ",
	} {
		r, err := c.Scan(strings.NewReader(text))
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Failure.Name+" "+r.Findings[0].File != want {
			t.Errorf("%q: found %+v, %v, want %s", text, r.Findings, err, want)
		}
	}
}

// TestFlowCodes: each documented code of a data flow is known, as an activity reports it.
func TestFlowCodes(t *testing.T) {
	c := load(t)
	b, err := os.ReadFile("testdata/flowcodes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		code, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		r, err := c.Scan(strings.NewReader(`{"errorCode":"` + code + `","message":"Job failed due to reason: ` + code + ` at Source 'orders'(Line 3/Col 0): as documented\n","failureType":"UserError","target":"Flow1"}`))
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Failure.Name != want {
			t.Errorf("%s: found %+v, %v, want %s", code, r.Findings, err, want)
		}
	}
}
