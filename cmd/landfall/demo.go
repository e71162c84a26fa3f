package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/store/fault"
)

// demoDay is one delivery of a vendor of the demo.
type demoDay struct {
	title string
	files []demoFile
}

type demoFile struct{ name, text string }

// demoDevices are measurements of devices. On the second day one of them has a
// text where a number was, and a field that is new.
func demoDevices() []demoDay {
	return []demoDay{
		{"telemetry, day 1: readings of two devices", []demoFile{
			{"data_00.json", "{\"device_id\": 99, \"reading\": 21.5}\n{\"device_id\": 100, \"reading\": 19}\n"},
		}},
		{"telemetry, day 2: a reading that is no number, and a field that is new", []demoFile{
			{"data_01.json", "{\"device_id\": 101, \"reading\": \"INVALID_FLOAT\", \"new_sensor_val\": 42.8}\n"},
		}},
	}
}

// demoOrders is a feed of CSV that drifts the way real ones do.
func demoOrders() []demoDay {
	day1 := "order_id,customer,total\n1001,Ann,120.00\n1002,Bo,75.50\n1003,Chi,15.25\n"
	return []demoDay{
		{"orders, day 1: three orders", []demoFile{{"orders_1.csv", day1}}},
		{"orders, day 2: a new column, and the columns in another order", []demoFile{
			{"orders_2.csv", "total,order_id,customer,discount_code\n99.90,1004,Dee,AUTUMN10\n64.00,1005,\"Ed, Eve\",\n"},
		}},
		{"orders, day 3: orders_2 is rewritten, orders_1 comes again as it was, orders_3 is cut off inside a quote", []demoFile{
			{"orders_2.csv", "total,order_id,customer,discount_code\n89.90,1004,Dee,AUTUMN20\n64.00,1005,\"Ed, Eve\",\n10.00,1006,Flo,\n"},
			{"orders_1.csv", day1},
			{"orders_3.csv", "order_id,customer,total\n1007,Gus,42.00\n1008,\"Hal and 3 ot"},
		}},
		{"orders, day 4: two runs are killed in the middle, the third is left alone", []demoFile{
			{"orders_4.csv", "order_id,customer,total\n1009,Ida,1.00\n1010,Jo,2.00\n"},
			{"orders_5.csv", "order_id,Customer,total\n1011,Kim,3.00\n"},
		}},
	}
}

const demoProject = `version: 1
sources:
  raw_events:                 # the schema stands, what is new is rescued
    path: landing/telemetry
    table: lake/raw_events
    options:
      cloudFiles.format: json
      cloudFiles.schemaEvolutionMode: rescue
  evolved_events:             # the same files: the table grows
    path: landing/telemetry
    table: lake/evolved_events
    options:
      cloudFiles.format: json
  orders:
    path: landing/orders
    table: lake/orders
    options:
      cloudFiles.format: csv
`

const (
	demoRescued = `SELECT device_id, reading, _rescued_data FROM raw_events ORDER BY device_id`
	// demoOriginals is how the rescued values are asked for in Spark too.
	demoOriginals = `SELECT
  device_id,
  reading,
  get_json_object(_rescued_data, '$.reading') AS original_reading_str,
  get_json_object(_rescued_data, '$._file_path') AS source_file
FROM raw_events
WHERE _rescued_data IS NOT NULL`
	demoEvolved = `SELECT device_id, reading, new_sensor_val, get_json_object(_rescued_data, '$.reading') AS rescued FROM evolved_events ORDER BY device_id`
	demoSQL     = `SELECT * EXCLUDE (_ingested_at) REPLACE (parse_filename(_source_file) AS _source_file) FROM orders ORDER BY order_id`
	// demoEventsCheck and demoOrdersCheck fail if a promise was not kept.
	demoEventsCheck = `SELECT CASE WHEN
    (SELECT count(*) = 3 AND count(*) FILTER (reading IS NULL) = 1 AND count(_rescued_data) = 1 FROM raw_events)
    AND (SELECT get_json_object(_rescued_data, '$.reading') = 'INVALID_FLOAT' AND get_json_object(_rescued_data, '$.new_sensor_val') = '42.8'
           AND get_json_object(_rescued_data, '$._file_path') LIKE '%/data_01.json' FROM raw_events WHERE device_id = 101)
    AND (SELECT new_sensor_val = 42.8 AND reading IS NULL AND get_json_object(_rescued_data, '$.reading') = 'INVALID_FLOAT' FROM evolved_events WHERE device_id = 101)
  THEN 'every value is there' ELSE error('values are lost') END AS verdict`
	demoOrdersCheck = `SELECT count(*) AS rows, count(DISTINCT order_id) AS orders, CASE WHEN count(*) = 10 AND count(DISTINCT order_id) = 10 THEN 'every row is there once' ELSE error('rows are lost or doubled') END AS verdict FROM orders`
)

func (a *app) demoCommand() *cobra.Command {
	var killAt string
	c := &cobra.Command{
		Use:   "demo [FOLDER]",
		Short: "Land small feeds that drift, and survive a kill in the middle",
		Long: `Make a project with small feeds that change from day to day, and land them day by
day through the real code: telemetry in JSON, once with a schema that stands and
once with one that grows; and orders in CSV, with the process killed in the
middle of the fourth day. The folder is kept; without FOLDER it is a new
temporary one.` + exitCodes,
		Example: "  landfall demo\n  landfall demo /tmp/orders-demo",
		Args:    args(0, 1, "at most a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			if killAt != "" {
				return a.landAndDie(c.Context(), killAt)
			}
			folder := ""
			if len(args) == 1 {
				folder = args[0]
			}
			return a.demo(c.Context(), folder)
		},
	}
	c.Flags().StringVar(&killAt, "kill-at", "", "land the project and kill this process there")
	if err := c.Flags().MarkHidden("kill-at"); err != nil {
		c.PrintErrln(err)
	}
	return c
}

// demo plays both feeds.
func (a *app) demo(ctx context.Context, folder string) error {
	folder, err := demoFolder(folder)
	if err != nil {
		return err
	}
	a.project, a.program = filepath.Join(folder, "landfall.yaml"), program()
	if err := os.WriteFile(a.project, []byte(demoProject), 0o644); err != nil {
		return err
	}
	if err := a.playDevices(ctx, filepath.Join(folder, "landing", "telemetry")); err != nil {
		return err
	}
	if err := a.playOrders(ctx, filepath.Join(folder, "landing", "orders")); err != nil {
		return err
	}
	return a.demoEnd(ctx, folder)
}

// playDevices lands the telemetry under two policies.
func (a *app) playDevices(ctx context.Context, landing string) error {
	for _, day := range demoDevices() {
		a.say("\n== %s\n\n", day.title)
		if err := deliver(landing, day, a.now()); err != nil {
			return err
		}
		for _, f := range day.files {
			a.say("%s", f.text)
		}
		a.say("\n")
		if err := a.demoLand(ctx, "raw_events", "evolved_events"); err != nil {
			return err
		}
	}
	for _, q := range []struct{ told, sql string }{
		{"Mode rescue: the schema stands. What it has no place for is in _rescued_data.", demoRescued},
		{"What was there, with the JSON functions of Spark:", demoOriginals},
		{"Our default: the new field is a column, and the odd value is rescued.", demoEvolved},
		{"", demoEventsCheck},
	} {
		a.say("\n")
		if q.told != "" {
			a.say("%s\n\n", q.told)
		}
		if err := a.demoQuery(ctx, q.sql); err != nil {
			return err
		}
	}
	return nil
}

// playOrders lands the four days of orders.
func (a *app) playOrders(ctx context.Context, landing string) error {
	for i, day := range demoOrders() {
		a.say("\n== %s\n\n", day.title)
		if err := deliver(landing, day, a.now()); err != nil {
			return err
		}
		if i == 3 {
			if err := a.dieTwice(ctx); err != nil {
				return err
			}
		}
		if err := a.demoLand(ctx, "orders"); err != nil {
			return err
		}
		a.say("\n")
		if err := a.demoQuery(ctx, demoSQL); err != nil {
			return err
		}
	}
	a.say("\nRun 3 found batch 4 in the table and wrote down that it had landed: nothing was\nlost, nothing landed twice.\n")
	return nil
}

func demoFolder(folder string) (string, error) {
	if folder == "" {
		return os.MkdirTemp("", "landfall-demo-")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
		return "", diag.New(diag.Usage, "the folder is not empty").
			In(diag.Place{File: folder}).Hinted("name a new folder")
	}
	return folder, os.MkdirAll(folder, 0o755)
}

// deliver writes a day's files, some of them over yesterday's.
func deliver(landing string, day demoDay, now time.Time) error {
	if err := os.MkdirAll(landing, 0o755); err != nil {
		return err
	}
	for i, f := range day.files {
		path := filepath.Join(landing, f.name)
		if err := os.WriteFile(path, []byte(f.text), 0o644); err != nil {
			return err
		}
		at := now.Add(time.Duration(i) * time.Millisecond)
		if err := os.Chtimes(path, at, at); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) say(format string, args ...any) {
	if !a.json {
		_, _ = fmt.Fprintf(a.stdout, format, args...) // the table that follows fails on the same stream
	}
}

// demoLand lands what is new of some sources.
func (a *app) demoLand(ctx context.Context, names ...string) error {
	feeds, err := a.feeds(landFlags{}, names)
	if err != nil {
		return err
	}
	return a.landAll(ctx, feeds)
}

func (a *app) demoQuery(ctx context.Context, sql string) error {
	in, err := a.queryTables(ctx, nil)
	if err != nil {
		return err
	}
	return a.query(ctx, sql, in, 0)
}

// dieTwice runs the landing in processes that kill themselves: once when the
// data is written but not committed, once when it is committed but not marked.
func (a *app) dieTwice(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, at := range []struct{ point, told string }{
		{"commit", "run 1 killed before its commit: data files are written, but the table does not know them"},
		{"mark", "run 2 killed after its commit: the table holds batch 4, the source's own record does not say so yet"},
	} {
		out, err := exec.CommandContext(ctx, self, "demo", "--kill-at", at.point, "--project", a.project, "--json").CombinedOutput() //nolint:gosec // it is this program
		var died *exec.ExitError
		if !errors.As(err, &died) || died.ExitCode() != -1 {
			return errors.Join(fmt.Errorf("the process was not killed at the %s: %s", at.point, out), err)
		}
		a.say("  %s\n", at.told)
	}
	a.say("\n")
	return nil
}

// landAndDie lands the project and kills this process before the table's next
// commit, or before the mark that follows it.
func (a *app) landAndDie(ctx context.Context, at string) error {
	folder := map[string]string{"commit": "_delta_log/", "mark": "/marks/"}[at]
	a.wrap = func(s store.Store) (store.Store, error) {
		return fault.New(s, fault.Plan{
			Match: func(c fault.Call) bool {
				return c.Op == fault.Create && strings.Contains(c.Key, folder)
			},
			Before: func() {
				syscall.Kill(os.Getpid(), syscall.SIGKILL) //nolint:errcheck // what follows says that it failed
				select {}
			},
		}), nil
	}
	return a.demoLand(ctx, "orders")
}

// demoEnd checks what the demo promised and says where to go on.
func (a *app) demoEnd(ctx context.Context, folder string) error {
	a.say("\n")
	if err := a.demoQuery(ctx, demoOrdersCheck); err != nil {
		return err
	}
	a.say(`
Order 1008 is in quarantine: its file ended inside a quote. It lands by itself
when a whole orders_3.csv arrives. Everything is kept in
  %[1]s
Try next:
  %[2]s files  --table %[3]s --quarantined --bytes
  %[2]s events --table %[3]s
  %[2]s query  --table %[3]s "SELECT * FROM t"
`, folder, a.program, quoted(filepath.Join(folder, "lake", "orders")))
	return nil
}

// program is what to type here to run this program once more.
func program() string {
	typed := os.Args[0]
	if _, err := os.Stat(filepath.Join("cmd", "landfall", "main.go")); err == nil && filepath.IsAbs(typed) {
		return "go run ./cmd/landfall" // which ran it from a folder of its own
	}
	return typed
}
