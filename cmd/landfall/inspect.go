package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/definition"
	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/inspect"
	"landfall/internal/intake"
	"landfall/internal/project"
	"landfall/internal/store"
)

func (a *app) inspectCommand() *cobra.Command {
	var f inspectFlags
	c := &cobra.Command{
		Use:   "inspect FOLDER",
		Short: "Show which schemas the files of a folder have",
		Long: `Read the end of every Parquet file of a folder, and nothing of its rows. Printed are
the schemas that there are, in what they differ, since when, in which partitions;
files that nobody can read, each with the reason; and what readers trip over.
Of a folder of CSV or JSON files every value is read, or of each file the first
records (--sample), and the types are what the values look like.

With --expect, the columns of a table definition or a file with one, each file that
disagrees is named. With --readers, what Spark, PyArrow, pandas, Polars, DuckDB and ADF
data flow make of the folder. With --dates, columns are named that have days before
1582-10-15 or instants before 1900, by the bounds that the files state.

With --gate the folder is held against an earlier report, a table definition or a
contract, or against the last inspection that passed (last): what is new, does not fit or
cannot be read ends with 3. --quarantine moves the files that are to blame to another
folder, each with a note; without a gate, those that nobody can read.

With --read-now a program is printed instead, for Spark, PyArrow, DuckDB or Polars: it reads
the files of one schema, and its comments say what it leaves out and why.

Nothing is written but what --html, --files, --gate last and --quarantine ask for.` + exitCodes,
		Example: `  landfall inspect landing/orders
  landfall inspect landing/orders --html orders.html --readers
  landfall inspect landing/orders --read-now spark > orders.py
  landfall inspect landing/orders --gate last
  landfall inspect landing/orders --gate last --accept
  landfall inspect landing/orders --gate last --alert
  landfall inspect landing/orders --gate contract.json --quarantine rejected/orders
  landfall inspect landing/orders --expect "order_id bigint, amount decimal(18,2)"
  landfall inspect landing/orders --expect orders.ddl`,
		Args: args(1, 1, "FOLDER"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := cmp.Or(f.check(c), f.now.check(c, a)); err != nil {
				return err
			}
			return a.inspectTold(c.Context(), args[0], f)
		},
	}
	c.Flags().StringVar(&f.expect, "expect", "", "columns with their types, as in a table definition, or a file with a definition")
	c.Flags().StringVar(&f.gate, "gate", "", "what the folder is held against: last, a report (--json), a contract or a definition")
	c.Flags().StringVar(&f.gateFile, "gate-file", "", "where --gate last keeps what passed (default: in .landfall/gates)")
	c.Flags().BoolVar(&f.accept, "accept", false, "with --gate last: let the folder pass as it is, and keep it")
	c.Flags().BoolVar(&f.alert, "alert", false, "with --gate: tell the people that the project's alerts name, too, what does not pass")
	c.Flags().StringVar(&f.quarantine, "quarantine", "", "move the files that are to blame to this folder, with notes")
	c.Flags().BoolVar(&f.copy, "copy", false, "with --quarantine: leave the files in FOLDER, too")
	c.Flags().StringVar(&f.html, "html", "", "write the report as a page to this file, too")
	c.Flags().Int64Var(&f.options.Sample, "sample", 0, "of CSV and JSON read about this many records of each file (default: all)")
	c.Flags().BoolVar(&f.options.Readers, "readers", false, "show what readers make of a folder of Parquet files")
	c.Flags().BoolVar(&f.options.Dates, "dates", false, "look for old dates too: reads all of each footer")
	f.now.register(c)
	return c
}

// inspectFlags are those of inspect.
type inspectFlags struct {
	options                                  inspect.Options
	expect, gate, gateFile, quarantine, html string
	accept, copy, alert                      bool
	now                                      readNowFlags
}

// check refuses flags that mean nothing together, and reads the definition.
func (f *inspectFlags) check(c *cobra.Command) error {
	if f.options.Sample < 0 {
		return diag.New(diag.Usage, "found --sample %d, want 0 or more", f.options.Sample)
	}
	for _, flag := range []struct {
		name, with string
		lone       bool
	}{
		{"gate-file", "--gate last", f.gateFile != "" && f.gate != gateLast},
		{"accept", "--gate last", f.accept && f.gate != gateLast},
		{"copy", "--quarantine DIR", f.copy && f.quarantine == ""},
		{"alert", "--gate", f.alert && f.gate == ""},
	} {
		if flag.lone {
			return diag.New(diag.Usage, "found --%s without %s", flag.name, flag.with).Hinted("give both, or neither")
		}
	}
	if f.accept && f.quarantine != "" {
		return diag.New(diag.Usage, "found --accept and --quarantine, want one").Hinted("files that are accepted stay")
	}
	f.options.Open = openText
	if !c.Flags().Changed("expect") {
		return nil
	}
	var err error
	f.options.Expect, err = expected(f.expect)
	return err
}

// expected reads a definition: that of a file of the name, else the text itself.
func expected(given string) (*definition.Table, error) {
	name, data := "--expect", []byte(given)
	if info, err := os.Stat(given); err == nil && !info.IsDir() {
		text, err := os.ReadFile(given) //nolint:gosec // a file that was named
		if err != nil {
			return nil, diag.New(diag.Usage, "--expect: %v", err).Hinted("name a file that can be read").Because(err)
		}
		name, data = given, text
	}
	t, err := definition.Parse(name, data)
	var d *diag.Diagnostic
	if errors.As(err, &d) && name != given {
		d.Hint = `as in --expect "order_id bigint, amount decimal(18,2)"; or name a file that is there`
	}
	return &t, err
}

// openText reads a text file whose dialect is found out.
func openText(ctx context.Context, as, name string, r *store.Reading) (format.Reader, error) {
	d, err := decoder(project.Options{}, as)
	if err != nil {
		return nil, err
	}
	return d(ctx, name, r)
}

// inspect prints what a folder holds.
func (a *app) inspect(ctx context.Context, folder string, f inspectFlags) (*inspect.Report, error) {
	files, err := openStore(folder)
	if err != nil {
		return nil, err
	}
	g, err := a.openGate(f, files)
	if err != nil {
		return nil, err
	}
	aside, err := f.quarantined(files)
	if err != nil {
		return nil, err
	}
	bar := a.progress(folder)
	f.options.Progress = func(p inspect.Progress) {
		bar.update(intake.Progress{Files: p.Files, FilesDone: p.Done, Bytes: p.Bytes, BytesDone: p.BytesDone})
	}
	r, err := inspect.Run(ctx, files, f.options)
	bar.done()
	if err != nil {
		return nil, err
	}
	g.hold(r)
	var moved error
	if aside != nil {
		aside.Gate, aside.Now = g.name, a.now
		moved = aside.Put(ctx, r, g.offences(r))
	}
	if err := writePage(ctx, r, f.html); err != nil {
		return r, errors.Join(err, moved)
	}
	switch {
	case f.now.options.Reader != "":
		err = a.readNow(ctx, r, f.now)
	case a.json:
		err = a.print(r)
	case !a.quiet || r.Odd():
		_, err = fmt.Fprint(a.stdout, inspected{r}.text())
	}
	if err = cmp.Or(err, moved); err != nil {
		return r, err
	}
	return r, g.settle(ctx, r, a.now())
}

// writePage writes a report as a page, in one step.
func writePage(ctx context.Context, r *inspect.Report, path string) error {
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := r.Page(&b, time.Local); err != nil {
		return err
	}
	if err := outsideOf(r.Folder, path, "--html"); err != nil {
		return err
	}
	if err := writeWhole(ctx, path, b.Bytes()); err != nil {
		return diag.New(diag.Usage, "--html: %v", err).Hinted("name a file in a folder that is there").Because(err)
	}
	return nil
}

// outsideOf refuses to write a file into the folder that is inspected, or through a link
// to one of its files.
func outsideOf(folder, path, flag string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return diag.New(diag.Usage, "%s: %v", flag, err)
	}
	if _, inside := within(folder, abs); inside {
		return diag.New(diag.Usage, "%s: the file lies in the folder that is inspected", flag).In(diag.Place{File: abs}).
			Hinted("name a file elsewhere: the folder is never written to")
	}
	return nil
}
