package failure_test

import (
	"fmt"
	"html"
	"os"
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
