package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/hint"
	"landfall/internal/project"
	"landfall/internal/repair"
	"landfall/internal/report"
	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// repairFlags say what a copy is to be.
type repairFlags struct {
	to, schema, format, verify string
	partitionBy                []string
	readers                    cutoverFlags
}

func (a *app) repairCommand() *cobra.Command {
	var f repairFlags
	c := &cobra.Command{
		Use:   "repair FOLDER --to OUT",
		Short: "Write a clean copy of a mixed folder of Parquet files, and prove it",
		Long: `Copy the Parquet files of a folder into another one in which all have one schema:
the columns of all files, in types that hold their values, or those of --schema. What is
no value of its column is kept in _rescued_data, never null in silence. Columns that need
nothing are copied byte by byte. Partition folders are kept. The source is only read.

The copy is made in the folder _OUT.repair beside OUT, then read once more and compared
with its files value by value; only if nothing differs it becomes OUT, in one step. Kill
it at any moment and start it again: it goes on. The proof stays in _OUT.repair, as
repair-report.json and .html. Files that nobody can read are left out, and named.

With --verify, a copy is proven again. With --cutover, the statements are printed that
lead readers of a table to the copy, for the engine that reads it; with --swap, copy and
source change names, for readers of a path. --undo leads back.` + exitCodes,
		Example: `  landfall repair landing/orders --to curated/orders
  landfall repair landing/orders --to curated/orders --schema "order_id bigint, amount decimal(18,2)"
  landfall repair landing/orders --to curated/orders --format delta
  landfall repair --verify curated/orders
  landfall repair --cutover curated/orders --engine spark --table sales.orders
  landfall repair --swap curated/orders`,
		Args: args(0, 1, "FOLDER --to OUT, or one of --verify, --cutover and --swap with OUT"),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case f.readers.given(c) && len(args) == 0 && f.to+f.verify == "":
				return a.leadReaders(c.Context(), f.readers)
			case f.readers.given(c):
			case f.verify != "" && len(args) == 0 && f.to == "":
				return a.verifyCopy(c.Context(), f.verify)
			case f.verify == "" && len(args) == 1 && f.to != "":
				if !c.Flags().Changed("partition-by") {
					f.partitionBy = nil
				}
				return a.repair(c.Context(), args[0], f)
			}
			return diag.New(diag.Usage, "found neither FOLDER --to OUT nor --verify, --cutover or --swap with OUT alone").Hinted("see: %s --help", c.CommandPath())
		},
	}
	c.Flags().StringVar(&f.to, "to", "", "the folder of the copy, which must be empty or absent")
	c.Flags().StringVar(&f.schema, "schema", "widest", `columns with their types, or "widest": those that hold the values of all files`)
	c.Flags().StringVar(&f.format, "format", "parquet", "parquet (a folder of files) or delta (a table)")
	c.Flags().StringSliceVar(&f.partitionBy, "partition-by", nil, `folders (k=v) of the source that the copy has, or columns to divide it by, "" for none (default: folders that all files lie in)`)
	c.Flags().StringVar(&f.verify, "verify", "", "prove the copy in this folder again")
	f.readers.add(c)
	return c
}

// repair copies a folder.
func (a *app) repair(ctx context.Context, from string, f repairFlags) error {
	want, err := f.want()
	if err != nil {
		return err
	}
	files, err := openStore(from)
	if err != nil {
		return err
	}
	place, err := a.placeOf(f.to)
	if err != nil {
		return err
	}
	if err := separate(files, place.out); err != nil {
		return err
	}
	decode, err := decoder(project.Options{}, "parquet")
	if err != nil {
		return err
	}
	start, bar := a.now(), a.progress("copy")
	r, err := repair.Make(ctx, repair.Job{
		Args: quoted(from) + " --to " + quoted(f.to), Files: files, Place: place, Want: want,
		Table:  func(s store.Store) table.Table { return delta.Open(s, delta.Options{Now: a.now, Note: a.warn}) },
		Decode: decode, Now: a.now, NewID: a.newID, Progress: bar.update, Proving: bar.files("prove"),
	})
	bar.done()
	if err != nil {
		return err
	}
	if err := a.printRepair(repaired{r, a.now().Sub(start), place, ""}); err != nil {
		return err
	}
	if err := unproven(r, place); err != nil || r.Sound() {
		return err
	}
	return beside(r, place)
}

// want reads what a person wants of the copy.
func (f repairFlags) want() (w repair.Want, err error) {
	if w.Form = repair.Form(f.format); !slices.Contains([]repair.Form{repair.Folder, repair.Delta}, w.Form) {
		return w, diag.New(diag.Usage, "found --format %s, want parquet or delta", diag.Quote(f.format))
	}
	w.PartitionBy = f.partitionBy
	if f.schema == "widest" {
		return w, nil
	}
	w.Schema = f.schema
	if w.Hints, err = hint.Parse(f.schema); err != nil {
		return w, diag.New(diag.Usage, "--schema: %v", err).Hinted(`as in --schema "order_id bigint, amount decimal(18,2)"`).Because(err)
	}
	if required := w.Hints.Required(); len(required) > 0 {
		return w, diag.New(diag.Usage, "--schema: found NOT NULL for %s, and a copy keeps nulls", diag.Quote(required[0])).Hinted("leave NOT NULL out")
	}
	if w.Hints.IsZero() {
		return w, diag.New(diag.Usage, "--schema names no column").Hinted(`as in --schema "order_id bigint, amount decimal(18,2)"`)
	}
	return w, nil
}

// separate refuses a copy in its own source, and a source in its copy.
func separate(files, out store.Store) error {
	from, to := files.URL(""), out.URL("")
	if _, inside := within(from, to); inside {
		return diag.New(diag.Usage, "--to lies in the folder that is copied").In(diag.Place{File: to}).
			Hinted("name a folder beside it: the source is never written to")
	}
	if _, inside := within(to, from); inside {
		return diag.New(diag.Usage, "the folder that is copied lies in that of the copy").In(diag.Place{File: from}).
			Hinted("name an empty folder for the copy")
	}
	return nil
}

// copyPlace is a local folder, which a copy becomes in one step.
type copyPlace struct {
	records, out store.Store
	// path is that of the copy, work that of the records.
	path, work string
}

// placeOf returns the place of a copy: a folder beside it, hidden from readers, holds
// what is written down of it, and the copy itself while it is made.
func (a *app) placeOf(to string) (*copyPlace, error) {
	out, err := openStore(to)
	if err != nil {
		return nil, err
	}
	at, ok := localPath(out.URL(""))
	if !ok {
		return nil, diag.New(diag.Usage, "found --to %s, want a local folder", diag.Quote(to))
	}
	p := &copyPlace{out: out, path: at, work: filepath.Join(filepath.Dir(at), "_"+filepath.Base(at)+".repair")}
	p.records, err = a.openTable(p.work)
	return p, err
}

// Records implements repair.Place.
func (p *copyPlace) Records() store.Store { return p.records }

// Out implements repair.Place.
func (p *copyPlace) Out() store.Store { return p.out }

// Alone implements repair.Place.
func (p *copyPlace) Alone(ctx context.Context, do func() error) error {
	if err := os.MkdirAll(p.work, 0o777); err != nil { //nolint:gosec // as the copy itself
		return diag.New(diag.Usage, "--to: %v", err).Hinted("name a folder that can be made").Because(err)
	}
	return alone(ctx, p.work, do)
}

// Publish implements repair.Place.
func (p *copyPlace) Publish(ctx context.Context, stage string) error {
	made, err := local.Open(filepath.Join(p.work, stage))
	if err != nil {
		return err
	}
	return made.Publish(ctx, p.path)
}

// repaired is a copy as people read of it.
type repaired struct {
	*repair.Report
	took  time.Duration
	place *copyPlace
	// word says what was done, "" if it was made.
	word string
}

func (a *app) printRepair(r repaired) error {
	if a.json {
		return a.print(r.Report)
	}
	if a.quiet && r.Sound() && (r.word != "" || len(r.LeftOut) == 0) {
		return nil
	}
	_, err := fmt.Fprint(a.stdout, r.text())
	return err
}

// proof is where the report of a copy is.
func (p *copyPlace) proof() string { return shown(p.records.URL("repair-report.html")) }

// unproven is what is wrong with a copy, nil for nothing.
func unproven(r *repair.Report, p *copyPlace) error {
	if r.Reconciled {
		return nil
	}
	return diag.New(diag.CopyDiffers, "found %s between the copy and its files", report.Plural(r.Total, "difference")).In(diag.Place{File: p.path}).
		Hinted("do not use it; if this was the copy being made, report what %s says as an error of landfall", p.proof())
}
