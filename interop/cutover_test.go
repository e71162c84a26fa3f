//go:build interop

package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"landfall/internal/cutover"
	"landfall/internal/schema"
)

// catalog is a Spark with Hive's catalog.
type catalog struct {
	*peer
}

func openCatalog(t *testing.T, env string, more ...string) catalog {
	t.Helper()
	folder := t.TempDir()
	p, err := start(folder, env, "catalog.py", append([]string{folder}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	})
	return catalog{p}
}

// run runs a statement and returns its rows, null as "-".
func (c catalog) run(t *testing.T, text string) [][]string {
	t.Helper()
	var found [][]*string
	c.do(t, "run", args{"text": text}, &found)
	out := make([][]string, len(found))
	for i, row := range found {
		for _, cell := range row {
			if cell == nil {
				out[i] = append(out[i], "-")
				continue
			}
			out[i] = append(out[i], *cell)
		}
	}
	return out
}

func (c catalog) steps(t *testing.T, steps []cutover.Step) {
	t.Helper()
	for _, s := range steps {
		c.run(t, s.Text)
	}
}

// checks reports whether the check of a script finds nothing.
func (c catalog) checks(t *testing.T, steps []cutover.Step) bool {
	t.Helper()
	elsewhere := c.run(t, steps[0].Text)
	counts := c.run(t, steps[1].Text)
	return reflect.DeepEqual(elsewhere, [][]string{{"0"}}) && len(counts) == 0
}

// strange is a partition's value with all that a literal and a folder must escape.
const strange = "it's 50%: \"x\" `y` \\z ${hiveconf:a}; --"

func fields(t *testing.T, ddl string) []schema.Field {
	t.Helper()
	declared, err := schema.ParseColumns(ddl)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]schema.Field, len(declared))
	for i, d := range declared {
		out[i] = schema.Field{Name: d.Path[0], Type: d.Type, Nullable: true}
	}
	return out
}

func partition(rows int64, values ...string) cutover.Partition {
	p := cutover.Partition{Rows: rows}
	for _, v := range values {
		p.Values = append(p.Values, cutover.Value{Text: v, Null: v == ""})
	}
	return p
}

// moving is a table and its copy: with a strange partition in both, one that the
// copy alone has, and one of a null that the old folder alone has. A column has
// come to the copy, of a struct with such fields.
func moving(t *testing.T, base string, late ...string) cutover.Table {
	t.Helper()
	return cutover.Table{
		Name: []string{"sales", "orders"},
		Old:  "file://" + base + "/old", New: "file://" + base + "/it's new; é [x]",
		Format:  cutover.Parquet,
		Columns: fields(t, fmt.Sprintf("id bigint, amount decimal(18,2), made string, `late-column` struct<`%s`:int,`%s`:array<date>>", late[0], late[1])),
		Defined: fields(t, "id bigint, amount decimal(18,2), made string"),
		WasBy:   fields(t, "dt date, region string"),
		By:      fields(t, "dt date, region string"),
		Was:     []cutover.Partition{partition(0, "2026-11-01", "north"), partition(0, "2026-11-01", strange), partition(0, "2026-11-03", "")},
		Copy:    []cutover.Partition{partition(2, "2026-11-01", "north"), partition(1, "2026-11-01", strange), partition(1, "2026-11-02", "new")},
		Rows:    4,
	}
}

// typed is a table of which the amounts were double, and whose copy has a column
// that cannot be added to such a table.
func typed(t *testing.T, base string) cutover.Table {
	o := moving(t, base, "a", "b c")
	o.Defined[1].Type = schema.Double
	return o
}

func named(o cutover.Table, name string) cutover.Table {
	o.Name = []string{"sales", name}
	return o
}

// filling writes the files of both folders: a row of the old folder says old, one
// of the copy says clean.
func filling(o cutover.Table) []string {
	var out []string
	write := func(location string, p cutover.Partition, amount schema.Type, made string, rows int64, more string) {
		folder := cutover.FolderOf([]string{o.By[0].Name, o.By[1].Name}, p.Values)
		out = append(out, fmt.Sprintf("INSERT OVERWRITE DIRECTORY %s USING parquet SELECT id, CAST(id AS %s) AS amount, '%s' AS made%s FROM range(%d)",
			sparkText(location+"/"+folder), amount, made, more, rows))
	}
	late := o.Columns[3].Type.(schema.Struct)
	for _, p := range o.Was {
		write(o.Old, p, o.Defined[1].Type, "old", 1, "")
	}
	for _, p := range o.Copy {
		write(o.New, p, o.Columns[1].Type, "clean", p.Rows, fmt.Sprintf(", named_struct('%s', 1, '%s', array(DATE '2026-01-01')) AS `late-column`", late.Fields[0].Name, late.Fields[1].Name))
	}
	return out
}

// sparkText is a literal of Spark.
func sparkText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, `$`, `\u0024`, `;`, `\u003B`).Replace(s) + "'"
}

// registering makes the table over its old folder as people do.
func registering(o cutover.Table, form string) []string {
	table := strings.Join(o.Name, ".")
	columns := fmt.Sprintf("id bigint, amount %s, made string", o.Defined[1].Type)
	create := fmt.Sprintf("CREATE TABLE %s (%s, dt date, region string) USING parquet PARTITIONED BY (dt, region) LOCATION %s", table, columns, sparkText(o.Old))
	if form == "hive" {
		create = fmt.Sprintf("CREATE EXTERNAL TABLE %s (%s) PARTITIONED BY (dt date, region string) STORED AS PARQUET LOCATION %s", table, columns, sparkText(o.Old))
	}
	return []string{create, "MSCK REPAIR TABLE " + table}
}

func (c catalog) all(t *testing.T, statements []string) {
	t.Helper()
	for _, s := range statements {
		c.run(t, s)
	}
}

// seeing is the query for who made the rows of which partition.
func seeing(o cutover.Table) string {
	return fmt.Sprintf("SELECT made, CAST(dt AS string), region, count(*), CAST(sum(amount) AS decimal(20,2)) FROM %s GROUP BY made, dt, region ORDER BY made, dt, region", strings.Join(o.Name, "."))
}

// seen is what a reader finds: who made the rows, of which partitions.
func (c catalog) seen(t *testing.T, o cutover.Table) [][]string {
	t.Helper()
	rows := c.run(t, seeing(o))
	slices.SortFunc(rows, slices.Compare)
	return rows
}

// What stands in the two folders.
func oldRows() [][]string {
	return [][]string{{"old", "2026-11-01", strange, "1", "0.00"}, {"old", "2026-11-01", "north", "1", "0.00"}, {"old", "2026-11-03", "-", "1", "0.00"}}
}

func cleanRows() [][]string {
	return [][]string{{"clean", "2026-11-01", strange, "1", "0.00"}, {"clean", "2026-11-01", "north", "2", "1.00"}, {"clean", "2026-11-02", "new", "1", "0.00"}}
}

// TestCutover runs the statements for Spark: readers find the old rows, then those
// of the copy in every partition, then the old ones again.
func TestCutover(t *testing.T) {
	jars, err := filepath.Abs(filepath.Join(cache(), "jars41"))
	if err != nil {
		t.Fatal(err)
	}
	for env, more := range map[string][]string{"spark35": nil, "spark41": {jars}} {
		t.Run(env, func(t *testing.T) {
			c := openCatalog(t, env, more...)
			c.run(t, "CREATE DATABASE sales")
			base := filepath.Join(t.TempDir(), "a b%20c")
			plain, other := moving(t, base+"/plain", "a", "b"), typed(t, base+"/typed")
			c.all(t, slices.Concat(filling(plain), filling(other)))
			for _, form := range []string{"spark", "hive"} {
				t.Run(form, func(t *testing.T) {
					o := named(plain, form)
					naive(t, c, form, o)
					cutOver(t, c, o, "SET LOCATION")
				})
				t.Run(form+"-typed", func(t *testing.T) {
					o := named(other, form+"_typed")
					c.all(t, registering(o, form))
					if found := c.seen(t, o); !reflect.DeepEqual(found, oldRows()) {
						t.Errorf("found %q, wanted %q", found, oldRows())
					}
					cutOver(t, c, o, "RENAME TO")
				})
			}
			t.Run("seven", func(t *testing.T) { seven(t, c) })
			t.Run("repaired", func(t *testing.T) { repaired(t, c) })
			if more != nil {
				t.Run("delta", func(t *testing.T) { toDelta(t, c, named(plain, "delta")) })
			}
		})
	}
}

// cutOver leads readers of a table there and back.
func cutOver(t *testing.T, c catalog, o cutover.Table, way string) {
	t.Helper()
	s, err := cutover.Write(cutover.Spark, o)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.String(), way) {
		t.Errorf("found no %s in\n%s", way, s)
	}
	expect := func(when string, wanted [][]string, checks bool) {
		t.Helper()
		if found := c.seen(t, o); !reflect.DeepEqual(found, wanted) {
			t.Errorf("%s: found %q, wanted %q", when, found, wanted)
		}
		if found := c.checks(t, s.Check); found != checks {
			t.Errorf("%s: the check says %t, wanted %t", when, found, checks)
		}
	}
	if c.checks(t, s.Check) {
		t.Error("before: the check finds nothing")
	}
	c.steps(t, s.Before)
	c.steps(t, s.Move)
	expect("after", cleanRows(), true)
	second := o.Columns[3].Type.(schema.Struct).Fields[1].Name
	if late := c.run(t, fmt.Sprintf("SELECT count(*) FROM %s WHERE `late-column`.`%s`[0] = DATE '2026-01-01'", strings.Join(o.Name, "."), second)); late[0][0] != "4" {
		t.Errorf("found %s values in the column that came, wanted 4", late[0][0])
	}
	c.steps(t, s.Undo)
	expect("undone", oldRows(), false)
}

// naive shows what the pair of statements that is handed down does: nothing to the
// partitions that are registered.
func naive(t *testing.T, c catalog, form string, o cutover.Table) {
	t.Helper()
	c.all(t, registering(o, form))
	if found := c.seen(t, o); !reflect.DeepEqual(found, oldRows()) {
		t.Errorf("found %q, wanted %q", found, oldRows())
	}
	table := strings.Join(o.Name, ".")
	for _, text := range []string{"ALTER TABLE " + table + " SET LOCATION " + sparkText(o.New), "MSCK REPAIR TABLE " + table, "REFRESH TABLE " + table} {
		c.run(t, text)
	}
	// The partition that is new comes from the copy, and all others stay.
	wanted := slices.Concat([][]string{{"clean", "2026-11-02", "new", "1", "0.00"}}, oldRows())
	if found := c.seen(t, o); !reflect.DeepEqual(found, wanted) {
		t.Errorf("found %q, wanted %q", found, wanted)
	}
	c.run(t, "MSCK REPAIR TABLE "+table+" SYNC PARTITIONS")
	if found := c.seen(t, o); !reflect.DeepEqual(found, wanted) {
		t.Errorf("after SYNC: found %q, wanted %q", found, wanted)
	}
}

// seven has a partition that is registered as 07 of an integer, which statements
// do not find.
func seven(t *testing.T, c catalog) {
	t.Helper()
	base := t.TempDir()
	o := cutover.Table{
		Name: []string{"sales", "seven"}, Old: "file://" + base + "/old", New: "file://" + base + "/new", Format: cutover.Parquet,
		Columns: fields(t, "made string"), Defined: fields(t, "made string"), WasBy: fields(t, "hh int"), By: fields(t, "hh int"),
		Was: []cutover.Partition{partition(0, "07")}, Copy: []cutover.Partition{partition(1, "07")}, Rows: 1,
	}
	for folder, made := range map[string]string{"old": "old", "new": "clean"} {
		c.run(t, fmt.Sprintf("INSERT OVERWRITE DIRECTORY '%s/%s/hh=07' USING parquet SELECT '%s' AS made", base, folder, made))
	}
	c.run(t, "CREATE TABLE sales.seven (made string, hh int) USING parquet PARTITIONED BY (hh) LOCATION '"+o.Old+"'")
	c.run(t, "MSCK REPAIR TABLE sales.seven")
	s, err := cutover.Write(cutover.Spark, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		steps []cutover.Step
		made  string
	}{{nil, "old"}, {s.Move, "clean"}, {s.Undo, "old"}} {
		c.steps(t, step.steps)
		if found, wanted := c.run(t, "SELECT * FROM sales.seven"), [][]string{{step.made, "7"}}; !reflect.DeepEqual(found, wanted) {
			t.Errorf("found %q, wanted %q", found, wanted)
		}
	}
}

// repaired goes the whole way: a table that Spark cannot read, since its folder has
// two types for a column, is repaired by the program, and the statements that it
// prints lead Spark to the copy.
func repaired(t *testing.T, c catalog) {
	t.Helper()
	program := must(t, shared.binary)
	base := t.TempDir()
	source, out := filepath.Join(base, "orders"), filepath.Join(base, "orders_v2")
	const definition = "CREATE TABLE sales.mixed (id bigint, amount decimal(18,2), dt date) USING parquet PARTITIONED BY (dt)"
	c.all(t, []string{
		"INSERT OVERWRITE DIRECTORY '" + source + "/dt=2026-11-01' USING parquet SELECT id, CAST(id + 0.5D AS double) AS amount FROM range(3)",
		"INSERT OVERWRITE DIRECTORY '" + source + "/dt=2026-11-02' USING parquet SELECT id, CAST(id AS decimal(18,2)) AS amount FROM range(2)",
		definition + " LOCATION '" + source + "'", "MSCK REPAIR TABLE sales.mixed",
	})
	const query = "SELECT CAST(sum(amount) AS string), count(*) FROM sales.mixed"
	if err := c.try("run", args{"text": query}, nil); err == nil {
		t.Error("the folder was read before it was repaired")
	}
	run := func(arguments ...string) []byte {
		t.Helper()
		text, err := exec.Command(program, arguments...).Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", arguments, err, text)
		}
		return text
	}
	run("repair", source, "--to", out, "--schema", "id bigint, amount decimal(18,2)")
	var s cutover.Script
	if err := json.Unmarshal(run("repair", "--cutover", out, "--engine", "spark", "--table", "sales.mixed", "--expect", definition, "--json"), &s); err != nil {
		t.Fatal(err)
	}
	c.steps(t, s.Before)
	c.steps(t, s.Move)
	if found, wanted := c.run(t, query), [][]string{{"5.50", "5"}}; !reflect.DeepEqual(found, wanted) || !c.checks(t, s.Check) {
		t.Errorf("found %q, wanted %q", found, wanted)
	}
	c.steps(t, s.Undo)
	if err := c.try("run", args{"text": query}, nil); err == nil {
		t.Error("the folder was read after the way back")
	}
}

// toDelta leads readers of a Parquet table to a Delta table.
func toDelta(t *testing.T, c catalog, o cutover.Table) {
	t.Helper()
	c.all(t, registering(o, "spark"))
	path := strings.TrimPrefix(o.New, "file://")
	c.run(t, "CONVERT TO DELTA parquet.`"+path+"` PARTITIONED BY (dt date, region string)")
	o.Format = cutover.Delta
	s, err := cutover.Write(cutover.Spark, o)
	if err != nil {
		t.Fatal(err)
	}
	c.steps(t, s.Move)
	if found := c.seen(t, o); !reflect.DeepEqual(found, cleanRows()) || !c.checks(t, s.Check) {
		t.Errorf("after: found %q, wanted %q", found, cleanRows())
	}
	c.steps(t, s.Undo)
	if found := c.seen(t, o); !reflect.DeepEqual(found, oldRows()) {
		t.Errorf("undone: found %q, wanted %q", found, oldRows())
	}
}

// TestCutoverShell gives a script as it is printed to Spark's shell, which looks
// for quotes, semicolons, comments and variables itself.
func TestCutoverShell(t *testing.T) {
	o := moving(t, filepath.Join(t.TempDir(), "a b%20c"), "a", "b")
	s, err := cutover.Write(cutover.Spark, o)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	script := filepath.Join(folder, "script.sql")
	content := strings.Join(slices.Concat([]string{"CREATE DATABASE sales"}, filling(o), registering(o, "spark")), ";\n") + ";\n" +
		s.String() + seeing(o) + ";\n" + s.Back() + seeing(o) + ";\n"
	if err := os.WriteFile(script, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	shell, err := filepath.Abs(filepath.Join(cache(), "spark41", "bin", "spark-sql"))
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(shell, "--master", "local[2]", "-f", script, "--conf", "spark.ui.enabled=false", "--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.driver.bindAddress=127.0.0.1",
		"--conf", "spark.sql.shuffle.partitions=1", "--conf", "spark.driver.extraJavaOptions=-Djava.io.tmpdir="+folder)
	c.Dir = folder // its catalog goes there
	python, err := filepath.Abs(filepath.Join(cache(), "spark41", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	c.Env = append(os.Environ(), "PATH="+python+":"+os.Getenv("PATH"))
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, stderr.String())
	}
	var wanted, found []string
	for _, row := range slices.Concat(cleanRows(), oldRows()) {
		wanted = append(wanted, strings.ReplaceAll(strings.Join(row, "\t"), "\t-\t", "\tNULL\t"))
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "clean\t") || strings.HasPrefix(line, "old\t") {
			found = append(found, strings.TrimSuffix(line, "\n"))
		}
	}
	slices.Sort(wanted[:3])
	slices.Sort(wanted[3:])
	if len(found) == 6 {
		slices.Sort(found[:3])
		slices.Sort(found[3:])
	}
	if !slices.Equal(found, wanted) {
		t.Errorf("found %q, wanted %q in\n%s\n%s", found, wanted, out, stderr.String())
	}
}

// TestCutoverInMemory has the one catalog in which the pair of statements moves
// readers: it does not remember where partitions are.
func TestCutoverInMemory(t *testing.T) {
	base := t.TempDir()
	for folder, made := range map[string]string{"old": "old", "new": "clean"} {
		spark(t).sql(t, "", fmt.Sprintf("INSERT OVERWRITE DIRECTORY '%s/%s/dt=1' USING parquet SELECT '%s' AS made", base, folder, made))
	}
	for _, statement := range []string{
		"CREATE TABLE remembered (made string, dt int) USING parquet PARTITIONED BY (dt) LOCATION '" + base + "/old'",
		"MSCK REPAIR TABLE remembered", "ALTER TABLE remembered SET LOCATION '" + base + "/new'", "MSCK REPAIR TABLE remembered",
	} {
		spark(t).sql(t, "", statement)
	}
	same(t, "spark", spark(t).sql(t, "", "SELECT made FROM remembered"), cells([]string{"made"}, []string{"clean"}))
}
