//go:build interop

package interop

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// maker is who writes a file, or what is done to it.
type maker string

const (
	sparkMade maker = "spark"
	arrowMade maker = "arrow"
	// cut is the first half of what Arrow writes, text no Parquet at all.
	cut   maker = "cut"
	empty maker = "empty"
	text  maker = "text"
)

// part is a kind of file, by the rows that it holds: columns k, order_id, amount,
// order_ts and more, in SQL. The two engines read the same text.
type part struct {
	by  maker
	sql string
	// options are those of Arrow's writer, timestamps is the type that Spark writes.
	options    args
	timestamps string
}

// parts are the kinds of files that folders of these tests are made of. Those that end
// in + have values that take all that their type holds, the others small ones.
func parts() map[string]part {
	const ts = ", timestamptz '2026-11-01 06:00:00+00' order_ts"
	number := 0
	one := func(columns string) part {
		number++
		return part{by: arrowMade, sql: fmt.Sprintf("select %d::int k, %s", number, columns), options: args{"compression": "snappy"}}
	}
	old := one("5::bigint order_id, 5.0::double amount, timestamp_ns '2026-11-01 06:00:00.123456789' order_ts")
	old.options["use_deprecated_int96_timestamps"] = true
	return map[string]part{
		"double":   one("1::bigint order_id, 5.0::double amount" + ts),
		"double+":  one("9007199254740993::bigint order_id, 1e300::double amount" + ts),
		"decimal":  one("3::bigint order_id, 7::decimal(18,2) amount" + ts),
		"decimal+": one("4::bigint order_id, 9999999999999999.99::decimal(18,2) amount" + ts),
		"added":    one("7::bigint order_id, 7.25::decimal(18,2) amount" + ts + ", 'web' channel"),
		"int96+":   old,
		"int96":    {by: sparkMade, timestamps: "INT96", sql: "select 50 k, 5L order_id, 5.0D amount, timestamp '2026-11-01 06:00:00' order_ts"},
		"string":   {by: sparkMade, timestamps: "TIMESTAMP_MICROS", sql: "select 60 k, 'A-17' order_id, cast(6.5 as decimal(18,2)) amount, timestamp '2026-11-01 06:00:00' order_ts"},
		"cut":      {by: cut},
		"empty":    {by: empty},
		"text":     {by: text},
		"i8":       one("42::tinyint v"),
		"i8+":      one("(-128)::tinyint v"),
		"i32":      one("42::int v"),
		"i64":      one("42::bigint v"),
		"i64+":     one("9007199254740993::bigint v"),
		"u64":      one("42::ubigint v"),
		"u64+":     one("18446744073709551615::ubigint v"),
		"nested":   one("{'a': 1::int, 'b': 'x'} v"),
		"nested2":  one("{'a': 2::int, 'b': 'y', 'd': 3::int} v"),
		"nested64": one("{'a': 9007199254740993::bigint, 'b': 'y'} v"),
		"list":     one("[1, 2]::int[] v"),
		"list64":   one("[9007199254740993]::bigint[] v"),
		"upper":    one("42::int V"),
		"digits":   one("'42' v"),
		"words":    one("'A-17' v"),
		"f64":      one("42::double v"),
		"f64+":     one("1e300::double v"),
		"date":     one("date '2026-11-01' v"),
		"ts":       one("timestamp '2026-11-01 06:00:00' v"),
		"tz":       one("timestamptz '2026-11-01 06:00:00+00' v"),
	}
}

// mixed is a folder: its files by path, and what they are.
type mixed struct {
	name  string
	files map[string]string
	// mild says that all values are small, orders that columns are those of explicitSchema.
	mild, orders bool
}

// seed is the folder in which everything goes wrong at once, and those that are left
// as it is cleaned up.
func seed() []mixed {
	whole := map[string]string{
		"dt=2026-11-01/part-00000.parquet": "double+", "dt=2026-11-01/part-00001.parquet": "int96",
		"dt=2026-11-01/part-00002.parquet": "cut", "dt=2026-11-01/part-00003.parquet": "empty",
		"dt=2026-11-02/part-00000.parquet": "decimal+", "dt=2026-11-02/part-00001.parquet": "string",
		"dt=2026-11-02/part-00002.parquet": "added", "dt=2026-11-02/part-00003.parquet": "text",
	}
	without := func(kinds ...string) map[string]string {
		out := map[string]string{}
		for path, kind := range whole {
			if !slices.Contains(kinds, kind) {
				out[path] = kind
			}
		}
		return out
	}
	out := []mixed{
		{name: "whole", files: whole},
		{name: "no truncated", files: without("cut")},
		{name: "no empty", files: without("empty")},
		{name: "no text", files: without("text")},
		{name: "readable", files: without("cut", "empty", "text")},
		{name: "numbers", files: without("cut", "empty", "text", "string", "int96")},
		{name: "second day", files: without("cut", "empty", "text", "string", "double+", "int96")},
		{name: "empty", files: without("cut", "text", "string", "decimal+", "added", "int96")},
		daily("old timestamps", false, "double+", "int96+"),
		daily("old timestamps first", true, "int96", "double"),
		daily("old timestamps of Spark", true, "double", "int96"),
		daily("text", false, "decimal", "string"),
	}
	for i := range out {
		out[i].orders = true
	}
	return out
}

// daily is a folder with one file a day.
func daily(name string, mild bool, kinds ...string) mixed {
	m := mixed{name: name, mild: mild, files: map[string]string{}}
	for i, kind := range kinds {
		m.files[fmt.Sprintf("dt=2026-11-%02d/part-00000.parquet", i+1)] = kind
	}
	return m
}

// flat is a folder without partitions.
func flat(mild bool, kinds ...string) mixed {
	m := mixed{name: strings.Join(kinds, " then "), mild: mild, files: map[string]string{}}
	for i, kind := range kinds {
		m.files[fmt.Sprintf("part-%05d.parquet", i)] = kind
	}
	return m
}

// mixes are folders whose files can all be read.
func mixes() []mixed {
	return []mixed{
		flat(true, "double", "decimal"),
		flat(true, "decimal", "double"),
		flat(false, "decimal+", "double+"),
		flat(true, "i8", "u64"),
		flat(false, "i64+", "u64+"),
		flat(true, "i32", "i64"),
		flat(false, "i32", "i64+"),
		flat(true, "i64", "i32"),
		flat(false, "nested", "nested2"),
		flat(false, "nested2", "nested"),
		flat(false, "nested", "nested64"),
		flat(false, "list", "list64"),
		flat(true, "i32", "upper"),
		flat(false, "date", "ts"),
		flat(false, "ts", "tz"),
		flat(false, "i32", "list"),
		flat(true, "u64", "i8"),
		flat(false, "i8", "u64+"),
		flat(false, "u64+", "i8+"),
		flat(true, "upper", "i32"),
		flat(true, "i32", "digits"),
		flat(true, "digits", "i32"),
		flat(false, "i32", "words"),
		flat(false, "words", "i64+"),
		flat(false, "i64+", "f64+"),
		flat(true, "f64", "i64"),
		flat(false, "date", "words"),
		flat(false, "i64", "words"),
		flat(false, "tz", "words"),
	}
}

// said is a prediction as inspect prints it.
type said struct {
	Version, Call, Outcome, How, Mild, Against, Column, Class, Message string
	Files                                                              []string
	Also                                                               []said
}

// was is what a reader did.
type was struct{ Call, Options, Version, Outcome, Class, Message, Whole string }

// folders are the processes that read folders, each started once for all tests.
func folders(t *testing.T) []*peer {
	t.Helper()
	out := make([]*peer, len(shared.folders))
	var wait sync.WaitGroup
	for i, start := range shared.folders {
		wait.Go(func() {
			p, err := start()
			if err != nil {
				t.Error(err)
			}
			out[i] = p
		})
	}
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return out
}

// pool writes one file of each kind, and returns where.
func pool(t *testing.T, spark *peer) map[string]string {
	t.Helper()
	dir := t.TempDir()
	out := map[string]string{}
	for kind, p := range parts() {
		name := filepath.Join(dir, kind)
		out[kind] = name
		switch p.by {
		case arrowMade:
			a := args{"path": name, "sql": p.sql}
			for k, v := range p.options {
				a[k] = v
			}
			lake(t).do(t, "parquet", a, nil)
		case sparkMade:
			spark.do(t, "sql", args{"text": "set spark.sql.parquet.outputTimestampType=" + p.timestamps}, nil)
			spark.do(t, "sql", args{"text": fmt.Sprintf("insert overwrite directory '%s' using parquet %s", name, p.sql)}, nil)
			found, err := filepath.Glob(filepath.Join(name, "part-*.parquet"))
			if err != nil || len(found) != 1 {
				t.Fatalf("Spark wrote %v, %v", found, err)
			}
			out[kind] = found[0]
		}
	}
	whole, err := os.ReadFile(out["double"])
	if err != nil {
		t.Fatal(err)
	}
	for kind, data := range map[string][]byte{"cut": whole[:len(whole)/2], "empty": nil, "text": []byte("order_id,amount\n8,1.50\n9,2.75\n")} {
		if err := os.WriteFile(out[kind], data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// lay makes the folder, and returns it and the files of it that can be read.
func (m mixed) lay(t *testing.T, pool map[string]string) (folder string, readable []string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "orders")
	for path, kind := range m.files {
		to := filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(pool[kind])
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if by := parts()[kind].by; by == sparkMade || by == arrowMade {
			readable = append(readable, path)
		}
	}
	slices.Sort(readable)
	return folder, readable
}

const explicitSchema = "order_id bigint, amount decimal(18,2), order_ts timestamp"

// predictions runs the program on a folder.
func predictions(t *testing.T, folder string) []said {
	t.Helper()
	binary := must(t, shared.binary)
	out, err := exec.Command(binary, "inspect", folder, "--readers", "--json", "--expect", explicitSchema).Output()
	if err != nil {
		t.Fatalf("inspect: %v", err)
	}
	var r struct{ Predictions []said }
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	return r.Predictions
}

// TestSeed holds every prediction on mixed folders against what the readers do.
func TestSeed(t *testing.T) {
	peers := folders(t)
	files := pool(t, peers[0])
	for _, m := range slices.Concat(seed(), mixes()) {
		t.Run(m.name, func(t *testing.T) {
			folder, readable := m.lay(t, files)
			told := predictions(t, folder)
			var modes [][2]string
			for _, p := range told {
				call, options, _ := strings.Cut(p.Call, " ")
				mode := [2]string{call, options}
				if !slices.Contains(modes, mode) && (m.orders || options != "explicit schema") {
					modes = append(modes, mode)
				}
			}
			results := make([][]was, len(peers))
			var wait sync.WaitGroup
			for i, p := range peers {
				wait.Go(func() {
					if err := p.try("judge", args{"folder": folder, "files": readable, "modes": modes, "schema": explicitSchema}, &results[i]); err != nil {
						t.Error(err)
					}
				})
			}
			wait.Wait()
			held := map[string]bool{}
			for _, w := range slices.Concat(results...) {
				held[m.hold(t, told, w)] = true
			}
			for _, p := range told {
				if !held[p.Call+" "+p.Version] && !absent(p) && (m.orders || !strings.HasSuffix(p.Call, "explicit schema")) {
					t.Errorf("nobody tried %s %s", p.Call, p.Version)
				}
			}
		})
	}
}

// absent reports whether a prediction is about a reader that is not installed here.
func absent(p said) bool {
	return p.Version == "" || p.Version == "1.20.0" || p.Version == "2.0.1"
}

// hold compares what a reader did with what was predicted, and returns what it was.
func (m mixed) hold(t *testing.T, told []said, w was) string {
	t.Helper()
	at := nearest(measurement{Call: w.Call, Version: w.Version})
	for _, p := range told {
		if p.Call != strings.TrimSuffix(w.Call+" "+w.Options, " ") || p.Version != at {
			continue
		}
		if why := m.differs(p, w); why != "" {
			t.Errorf("%s %s: %s; was %s: %s: %s", p.Call, p.Version, why, w.Outcome, w.Class, w.Message)
		}
		return p.Call + " " + p.Version
	}
	t.Errorf("%s %s %s: not predicted", w.Call, w.Options, w.Version)
	return ""
}

// differs says in what a prediction is not what came; "" if it is.
func (m mixed) differs(p said, w was) string {
	outcome, how, _ := strings.Cut(w.Outcome, ":")
	found := map[string]string{"ok": "works", "ok_retyped": "retyped", "silent": "wrong values", "error": "fails"}[outcome]
	want := p.Outcome
	if m.mild {
		want = p.Mild
	}
	all := append([]said{p}, p.Also...)
	if found != want {
		return fmt.Sprintf("said %s: %s", want, tell(all))
	}
	switch found {
	case "fails":
		for _, p := range all {
			if p.foresaw(w) {
				return ""
			}
		}
		return "said other errors: " + tell(all)
	case "wrong values":
		for _, kind := range strings.Split(how, "+") {
			if !slices.ContainsFunc(all, func(p said) bool { return slices.Contains(strings.Split(p.How, "+"), kind) }) {
				return fmt.Sprintf("said nothing of %s: %s", kind, tell(all))
			}
		}
	}
	return ""
}

// foresaw reports whether an error is the one that is predicted: by its class, its
// words and, where it names a file, one of the files with that trouble or the one
// that they were held against.
func (p said) foresaw(w was) bool {
	words, err := regexp.MatchString("(?s)"+p.Message, w.Message)
	place := w.Whole // of Spark, with what wraps the error
	if !strings.HasPrefix(w.Call, "spark") {
		place, _, _ = strings.Cut(w.Message, "\n")
	}
	named := func(f string) bool { return f != "" && strings.Contains(place, f) }
	return err == nil && p.Outcome == "fails" && words && p.Class == w.Class &&
		(!strings.Contains(place, "/orders/") || slices.ContainsFunc(append(p.Files, p.Against), named))
}

func tell(all []said) string {
	var out strings.Builder
	for _, p := range all {
		fmt.Fprintf(&out, "\n\t%s %s (small %s): %s %q, column %q, files %q", p.Outcome, p.How, p.Mild, p.Class, p.Message, p.Column, p.Files)
	}
	return out.String()
}
