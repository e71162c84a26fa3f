package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The cases are reports of people who do this job: what they met, and what is
// right. Each lands the least input that shows it.

// caseFeed is a folder and a table of one case.
type caseFeed struct {
	t         *testing.T
	in, table string
	at        time.Time
}

func newCase(t *testing.T) *caseFeed {
	t.Helper()
	dir := t.TempDir()
	c := &caseFeed{t, filepath.Join(dir, "in"), filepath.Join(dir, "table"), time.Now().Add(-time.Hour)}
	if err := os.Mkdir(c.in, 0o755); err != nil {
		t.Fatal(err)
	}
	return c
}

// file writes a file, later than the ones before it.
func (c *caseFeed) file(name, text string) {
	c.t.Helper()
	path := filepath.Join(c.in, name)
	c.at = c.at.Add(time.Second)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
	if err := os.Chtimes(path, c.at, c.at); err != nil {
		c.t.Fatal(err)
	}
}

// land lands what is new and returns the report.
func (c *caseFeed) land(flags ...string) string {
	c.t.Helper()
	return c.run(append([]string{"land", c.in, c.table, "--json"}, flags...)...)
}

func (c *caseFeed) run(args ...string) string {
	c.t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(args, &stdout, &stderr); code != 0 {
		c.t.Fatalf("%v: status %d\n%s%s", args, code, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// rows compares the answer of a query with lines of JSON.
func (c *caseFeed) rows(sql string, want ...string) {
	c.t.Helper()
	got := strings.TrimSpace(c.run("query", "--table", c.table, "--json", sql))
	if got != strings.Join(want, "\n") {
		c.t.Errorf("%s\ngot\n%s\nwant\n%s", sql, got, strings.Join(want, "\n"))
	}
}

// schema compares the columns that files gave with their types.
func (c *caseFeed) schema(want string) {
	c.t.Helper()
	got := strings.ReplaceAll(strings.TrimSpace(c.run("schema", "show", "--table", c.table, "--format", "ddl")), ",\n", ", ")
	if got != want {
		c.t.Errorf("schema: got %s, want %s", got, want)
	}
}

// told compares how often a report has words.
func (c *caseFeed) told(report, words string, want int) {
	c.t.Helper()
	if got := strings.Count(report, words); got != want {
		c.t.Errorf("found %s %d times, want %d:\n%s", words, got, want, report)
	}
}

// O1: the same columns in another order in the second file.
func TestO01(t *testing.T) {
	c := newCase(t)
	c.file("a.csv", "NAME,AGE\nBob,31\nAlice,45\n")
	c.file("b.csv", "AGE,NAME\n54,Sam\n")
	r := c.land()
	c.schema("NAME STRING, AGE BIGINT")
	c.rows("SELECT NAME, AGE FROM t ORDER BY AGE", `{"NAME":"Bob","AGE":31}`, `{"NAME":"Alice","AGE":45}`, `{"NAME":"Sam","AGE":54}`)
	c.told(r, `"kind":"column_order","file":"b.csv"`, 1)
}

// O2: a byte order mark before the first header, and one in the middle.
func TestO02(t *testing.T) {
	c := newCase(t)
	c.file("a.csv", "\ufeff\"id\",name\n1,Alice\n")
	c.file("b.csv", "id,name\n2,Bob\n")
	r := c.land()
	c.schema("id BIGINT, name STRING")
	c.rows("SELECT id, name FROM t ORDER BY id", `{"id":1,"name":"Alice"}`, `{"id":2,"name":"Bob"}`)
	c.told(r, `"kind"`, 2) // the two columns
	c.file("c.csv", "id,name\n3,Cy\n\ufeff4,Di\n")
	r = c.land()
	c.told(r, `"kind":"bom_inside"`, 1)
	c.rows("SELECT _rescued_data->>'$.id' AS id FROM t WHERE name = 'Di'", "{\"id\":\"\ufeff4\"}")
}

// O3: codes with zeros in front.
func TestO03(t *testing.T) {
	c := newCase(t)
	c.file("a.csv", "id,zip\n1,02134\n2,90210\n3,0\n")
	c.land()
	c.schema("id BIGINT, zip STRING")
	c.rows("SELECT zip FROM t ORDER BY id", `{"zip":"02134"}`, `{"zip":"90210"}`, `{"zip":"0"}`)

	late := newCase(t)
	late.file("a.csv", "id,zip\n1,90210\n2,0\n")
	late.land()
	late.file("b.csv", "id,zip\n3,02134\n")
	late.land()
	late.schema("id BIGINT, zip BIGINT")
	late.rows("SELECT zip, _rescued_data->>'$.zip' AS kept FROM t ORDER BY id",
		`{"zip":90210,"kept":null}`, `{"zip":0,"kept":null}`, `{"zip":null,"kept":"02134"}`)
}

// O4: keys that differ in casing from record to record, and in one.
func TestO04(t *testing.T) {
	c := newCase(t)
	c.file("a.json", `{"Id":"1"}
{"Id":"2","UserUPN":"abc"}
{"Id":"3","UserUpn":"efg"}
{"Id":"4","UserUPN":"x","UserUpn":"y"}
`)
	r := c.land()
	c.schema("Id STRING, UserUPN STRING")
	c.rows("SELECT Id, UserUPN, _rescued_data->>'$.UserUpn' AS lost FROM t ORDER BY Id",
		`{"Id":"1","UserUPN":null,"lost":null}`, `{"Id":"2","UserUPN":"abc","lost":null}`,
		`{"Id":"3","UserUPN":"efg","lost":null}`, `{"Id":"4","UserUPN":"x","lost":"y"}`)
	// Once that the file has another casing, once that its value lost in record 4.
	c.told(r, `"from":"UserUPN","to":"UserUpn","count":1,"decision":"fold"`, 1)
	c.told(r, `"record":4,"from":"UserUPN","to":"UserUpn","count":1,"sample":"y","decision":"rescue"`, 1)
}

// O5: null first, an object later.
func TestO05(t *testing.T) {
	const null, object = "{\"obj\":null}\n", "{\"obj\":{\"foo\":1}}\n"
	for _, files := range [][]string{{null + object}, {null, object}, {object, null}} {
		c := newCase(t)
		for i, text := range files {
			c.file(fmt.Sprintf("%d.json", i), text)
		}
		c.land()
		c.schema("obj STRUCT<foo: BIGINT>")
		c.rows("SELECT obj FROM t ORDER BY obj.foo", `{"obj":{"foo":1}}`, `{"obj":null}`)
	}
	c := newCase(t)
	c.file("a.json", null)
	c.land()
	c.schema("")
	c.file("b.json", object)
	r := c.land()
	c.schema("obj STRUCT<foo: BIGINT>")
	c.told(r, "type_", 0)
}

// O8: doubles after longs, one of which no double holds.
func TestO08(t *testing.T) {
	c := newCase(t)
	c.file("a.csv", "amount\n1\n2\n9007199254740993\n")
	c.land()
	c.file("b.csv", "amount\n2.5\n3.0\n")
	r := c.land("--option", "cloudFiles.schemaEvolutionMode=addNewColumns")
	c.schema("amount BIGINT")
	c.rows("SELECT amount, _rescued_data->>'$.amount' AS kept FROM t ORDER BY amount NULLS LAST",
		`{"amount":1,"kept":null}`, `{"amount":2,"kept":null}`, `{"amount":3,"kept":null}`,
		`{"amount":9007199254740993,"kept":null}`, `{"amount":null,"kept":"2.5"}`)
	c.told(r, `"kind":"type_wider"`, 1)

	wide := newCase(t)
	wide.file("a.csv", "amount\n1\n2\n9007199254740993\n")
	wide.land()
	wide.file("b.csv", "amount\n2.5\n3.0\n")
	wide.told(wide.land(), `"kind":"type_wider","column":"amount","file":"b.csv"`, 1)
	wide.schema("amount DECIMAL(17,1)")
	wide.rows("SELECT amount, _rescued_data AS kept FROM t ORDER BY amount",
		`{"amount":1.0,"kept":null}`, `{"amount":2.0,"kept":null}`, `{"amount":2.5,"kept":null}`,
		`{"amount":3.0,"kept":null}`, `{"amount":9007199254740993.0,"kept":null}`)

	once := newCase(t)
	once.file("a.csv", "amount\n1\n2\n9007199254740993\n")
	once.file("b.csv", "amount\n2.5\n3.0\n")
	once.land()
	once.schema("amount DECIMAL(17,1)")
	once.rows("SELECT max(amount) AS most, sum(amount) AS sum FROM t", `{"most":9007199254740993.0,"sum":9007199254741001.5}`)
}

// O11: a name twice, where a name made of it is there already.
func TestO11(t *testing.T) {
	for _, f := range []struct {
		text, want string
	}{
		{"a,a_1,a\n1,2,3\n", "[1, 2, 3]"},
		{"x,x,x_2,x\n1,2,3,4\n", "[1, 2, 3, 4]"},
	} {
		c := newCase(t)
		c.file("a.csv", f.text)
		c.land()
		head, _, _ := strings.Cut(f.text, "\n")
		before := c.run("schema", "show", "--table", c.table, "--format", "ddl")
		if got := strings.Count(before, "BIGINT"); got != len(strings.Split(head, ",")) {
			t.Errorf("%s: %s", head, before)
		}
		for _, name := range strings.Split(head, ",") {
			if !strings.Contains(before, name+" BIGINT") {
				t.Errorf("%s is not there: %s", name, before)
			}
		}
		c.file("b.csv", f.text)
		c.land()
		if after := c.run("schema", "show", "--table", c.table, "--format", "ddl"); after != before {
			t.Errorf("the second file has other names: %s, then %s", before, after)
		}
		if f.want == "[1, 2, 3]" {
			c.rows("SELECT DISTINCT a, a_1, COLUMNS('a#2.*') AS second FROM t", `{"a":1,"a_1":2,"second":3}`)
		} else {
			c.rows("SELECT DISTINCT x, x_2 FROM t", `{"x":1,"x_2":3}`)
		}
	}
}

// O15: an object without members.
func TestO15(t *testing.T) {
	c := newCase(t)
	c.file("1.json", "{\"a\":1,\"m\":{}}\n")
	c.land()
	c.schema("a BIGINT")
	c.rows("SELECT a, _rescued_data->>'$.m' AS m FROM t", `{"a":1,"m":"{}"}`)
	c.file("2.json", "{\"a\":2,\"m\":{\"k\":5}}\n")
	c.land()
	c.schema("a BIGINT, m STRUCT<k: BIGINT>")
	c.file("3.json", "{\"a\":3,\"m\":[]}\n")
	c.land()
	c.rows("SELECT a, m, _rescued_data->>'$.m' AS kept FROM t ORDER BY a",
		`{"a":1,"m":null,"kept":"{}"}`, `{"a":2,"m":{"k":5},"kept":null}`, `{"a":3,"m":null,"kept":"[]"}`)
}

// O16: a column of nulls that gets its type later.
func TestO16(t *testing.T) {
	c := newCase(t)
	c.file("1.json", "{\"id\":1,\"note\":null}\n{\"id\":2,\"note\":null}\n{\"id\":3,\"note\":null}\n")
	c.land()
	c.schema("id BIGINT")
	c.file("2.json", "{\"id\":4,\"note\":\"x\"}\n")
	r := c.land()
	c.schema("id BIGINT, note STRING")
	c.told(r, "type_", 0)
	c.rows("SELECT count(*) AS n, count(note) AS notes FROM t", `{"n":4,"notes":1}`)
}

// O17: one odd value among many, first or last.
func TestO17(t *testing.T) {
	ones := strings.Repeat("1\n", 99_999)
	for _, o := range []struct{ odd, schema, want string }{
		{"2.5\n", "c DOUBLE", `{"n":100000,"sum":100001.5,"kept":null,"record":null}`},
		{"n/a\n", "c BIGINT", `{"n":99999,"sum":99999,"kept":"n/a","record":"%d"}`},
	} {
		for record, text := range map[int]string{100_000: ones + o.odd, 1: o.odd + ones} {
			c := newCase(t)
			c.file("a.csv", "c\n"+text)
			c.land()
			c.schema(o.schema)
			want := o.want
			if strings.Contains(want, "%d") {
				want = fmt.Sprintf(want, record)
			}
			c.rows("SELECT count(c) AS n, sum(c) AS sum, max(_rescued_data->>'$.c') AS kept, max(_rescued_data->>'$._record') AS record FROM t", want)
		}
	}
}

// O18: ids that look like numbers with an exponent.
func TestO18(t *testing.T) {
	c := newCase(t)
	c.file("a.csv", "id,v\n0047583311587DD90005,1\n0047583311587E590003,2\n39e1804,3\n1e5,4\n")
	c.land()
	c.schema("id STRING, v BIGINT")
	c.rows("SELECT id FROM t ORDER BY v", `{"id":"0047583311587DD90005"}`, `{"id":"0047583311587E590003"}`, `{"id":"39e1804"}`, `{"id":"1e5"}`)
	only := newCase(t)
	only.file("a.csv", "id\n1e5\n2e3\n")
	only.land()
	only.rows("SELECT id FROM t ORDER BY id", `{"id":"1e5"}`, `{"id":"2e3"}`)
}

// O19: names that Delta refuses.
func TestO19(t *testing.T) {
	c := newCase(t)
	const text = "Order ID,Order/ID,Order_ID,Code région\n1,2,3,4\n"
	c.file("a.csv", text)
	c.land()
	before := c.run("schema", "show", "--table", c.table, "--format", "ddl")
	c.rows(`SELECT "Order/ID" AS slash, Order_ID, "Code_région", COLUMNS('Order_ID_.*') AS space FROM t`, `{"slash":2,"Order_ID":3,"Code_région":4,"space":1}`)
	c.file("b.csv", text)
	c.land()
	if after := c.run("schema", "show", "--table", c.table, "--format", "ddl"); after != before {
		t.Errorf("the second file has other names: %s, then %s", before, after)
	}
	shown := c.run("schema", "show", "--table", c.table, "--json")
	c.told(shown, `"original":"Order ID"`, 1)
	c.told(shown, `"original":"Code région"`, 1)
}

// O22: NA is Namibia.
func TestO22(t *testing.T) {
	c := newCase(t)
	c.file("a.csv", "name,iso2\nNamibia,NA\nNorway,NO\nNowhere,\n\"Quoted\",\"NA\"\n")
	c.land()
	c.schema("name STRING, iso2 STRING")
	c.rows("SELECT iso2 FROM t ORDER BY name", `{"iso2":"NA"}`, `{"iso2":"NO"}`, `{"iso2":null}`, `{"iso2":"NA"}`)
}

// O24: line breaks of every kind within quotes.
func TestO24(t *testing.T) {
	var text strings.Builder
	text.WriteString("n,v\n")
	for i := range 1040 {
		fmt.Fprintf(&text, "%d,\"ABCDE FGHIJ\nKLMNOP\"\n", i)
	}
	const odd = "a\u2028b\vc\rd"
	text.WriteString("1040,\"" + odd + "\"")
	c := newCase(t)
	c.file("a.csv", text.String())
	c.land()
	c.schema("n BIGINT, v STRING")
	c.rows("SELECT count(*) AS n, count(DISTINCT v) AS v, sum(n) AS sum FROM t", `{"n":1041,"v":2,"sum":541320}`)
	c.rows("SELECT encode(v) = encode('a' || chr(8232) || 'b' || chr(11) || 'c' || chr(13) || 'd') AS same FROM t WHERE n = 1040", `{"same":true}`)
}

// O25: rows with more or fewer fields than the header.
func TestO25(t *testing.T) {
	c := newCase(t)
	c.file("a.csv", "name,age,city\nAlice,25,Rome\nBob,30,Milan,EXTRA\nCarl,41\n")
	r := c.land()
	c.schema("name STRING, age BIGINT, city STRING")
	c.rows("SELECT name, age, city, _rescued_data->>'$._c3' AS extra FROM t ORDER BY name",
		`{"name":"Alice","age":25,"city":"Rome","extra":null}`, `{"name":"Bob","age":30,"city":"Milan","extra":"EXTRA"}`, `{"name":"Carl","age":41,"city":null,"extra":null}`)
	c.told(r, `"kind":"record_ragged"`, 2)

	banner := newCase(t)
	banner.file("a.csv", "Generated by X\nname,age,city\nAlice,25,Rome\n")
	if r := banner.land(); !strings.Contains(r, "skipRows") && !strings.Contains(r, "banner_line") {
		t.Errorf("nobody is told of the banner: %s", r)
	}
}
