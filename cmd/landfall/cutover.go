package main

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/spf13/cobra"

	"landfall/internal/contract"
	"landfall/internal/cutover"
	"landfall/internal/definition"
	"landfall/internal/diag"
	"landfall/internal/repair"
	"landfall/internal/report"
	"landfall/internal/schema"
	"landfall/internal/store/local"
)

// cutoverFlags say which readers are led to a copy, and how.
type cutoverFlags struct {
	// at and swap are the folder of the copy: statements are printed for it, or it
	// changes names with its source.
	at, swap string
	// undo leads them back.
	undo bool
	// leftOut accepts that what is in files that nobody can read is in no copy.
	leftOut bool

	engine, table, expect, location, source, deltaCatalog string
}

func (f *cutoverFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.at, "cutover", "", "print the statements that lead readers of --table to the copy in this folder")
	c.Flags().StringVar(&f.swap, "swap", "", "let the copy in this folder and its source change names, in one step")
	c.Flags().BoolVar(&f.undo, "undo", false, "with --cutover or --swap: the way back")
	c.Flags().BoolVar(&f.leftOut, "accept-left-out", false, "accept that what is in files which nobody can read is not in the copy")
	c.Flags().StringVar(&f.engine, "engine", "", "with --cutover: spark, databricks, hive, trino, athena or glue")
	c.Flags().StringVar(&f.table, "table", "", "with --cutover: the table's name, such as sales.orders")
	c.Flags().StringVar(&f.expect, "expect", "", "with --cutover: the table as the catalog defines it, or a file with that; without it the table is made anew")
	c.Flags().StringVar(&f.location, "location", "", "with --cutover: the address under which the engine reads the copy, if it is another")
	c.Flags().StringVar(&f.source, "source-location", "", "with --cutover: the address under which it reads the source, if it is another")
	c.Flags().StringVar(&f.deltaCatalog, "delta-catalog", "", "with --engine trino: the catalog for Delta tables, if the copy is one")
}

// given reports whether one of these flags is there: none of them goes with those that
// say what a copy is to be.
func (f *cutoverFlags) given(c *cobra.Command) bool {
	return slices.ContainsFunc([]string{"cutover", "swap", "undo", "accept-left-out", "engine", "table", "expect", "location", "source-location", "delta-catalog"}, c.Flags().Changed)
}

// check refuses flags that do not go together.
func (f *cutoverFlags) check() error {
	switch {
	case f.at == "" && f.swap == "":
		return diag.New(diag.Usage, "found none of --cutover and --swap, want one").
			Hinted("--cutover is for readers of a table, --swap for those of a path")
	case f.at != "" && f.swap != "":
		return diag.New(diag.Usage, "found --cutover and --swap, want one").
			Hinted("--cutover is for readers of a table, --swap for those of a path")
	case f.at != "" && (f.engine == "" || f.table == ""):
		return diag.New(diag.Usage, "--cutover wants --engine and --table").
			Hinted("as in --cutover %s --engine spark --table sales.orders", quoted(f.at))
	case f.swap != "" && f.engine+f.table+f.expect+f.location+f.source+f.deltaCatalog != "":
		return diag.New(diag.Usage, "--swap has no flag but --undo").Hinted("for readers of a table: --cutover")
	}
	return nil
}

// leadReaders prints the statements for a table, or exchanges two folders.
func (a *app) leadReaders(ctx context.Context, f cutoverFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	place, err := a.placeOf(f.at + f.swap)
	if err != nil {
		return err
	}
	c, err := repair.Open(ctx, place, openStore)
	if err != nil {
		return err
	}
	if !f.undo {
		if err := standing(ctx, c, place); err != nil {
			return err
		}
		if err := accepted(c, place, f.leftOut); err != nil {
			return err
		}
	}
	if f.swap != "" {
		return a.swapFolders(ctx, c, place, f.undo)
	}
	return a.printCutover(c, place, f)
}

// standing refuses a copy that is not what was proven, or of a source that is not.
func standing(ctx context.Context, c *repair.Copy, place *copyPlace) error {
	since, strange, err := c.Standing(ctx)
	switch {
	case err != nil:
		return err
	case len(since) > 0:
		return diag.New(diag.CopyDiffers, "found %s of the source that the copy does not have, such as %s", report.Plural(int64(len(since)), "file"), report.Path(since[0], 60)).In(diag.Place{File: place.path}).
			Hinted("readers would miss them; make a copy of the source as it is now: landfall repair FOLDER --to OUT")
	case len(strange) > 0:
		return diag.New(diag.CopyDiffers, "found the copy other than it was proven: %s, such as %s", report.Plural(int64(len(strange)), "file"), report.Path(strange[0], 60)).In(diag.Place{File: place.path}).
			Hinted("see what differs: landfall repair --verify %s", quoted(shown(place.out.URL(""))))
	}
	return nil
}

// accepted refuses a copy without some files that nobody can read, until a person
// accepts that: readers would not fail at them any more, and miss what is in them.
func accepted(c *repair.Copy, place *copyPlace, accept bool) error {
	lost := c.Report().Lost()
	if len(lost) == 0 || accept {
		return nil
	}
	return diag.New(diag.CopyDiffers, "found %s of the source that nobody can read, such as %s (%s): what is in them is not in the copy", report.Plural(int64(len(lost)), "file"), diag.Quote(lost[0].Path), lost[0].Reason).In(diag.Place{File: place.path}).
		Hinted("have them delivered again and make the copy anew; or accept it: --accept-left-out")
}

// swapFolders lets a copy and its source change names.
func (a *app) swapFolders(ctx context.Context, c *repair.Copy, place *copyPlace, undo bool) error {
	source := c.Source
	if c.Swapped {
		source = c.Home // it has the source's name
	}
	at, ok := localPath(source.URL(""))
	switch {
	case !ok:
		return diag.New(diag.Usage, "found a source at %s, want a local folder", source.URL("")).
			Hinted("an object store has no folders that change names: see --cutover")
	case c.Swapped != undo && undo:
		return diag.New(diag.Usage, "the copy has its own name: there is nothing to undo").In(diag.Place{File: place.path}).
			Hinted("leave out --undo")
	case c.Swapped != undo:
		return diag.New(diag.Usage, "the copy has the name of its source already").In(diag.Place{File: at}).
			Hinted("go back with --undo")
	}
	if undo && c.Form == repair.Folder {
		if err := leavesNothing(ctx, c, at); err != nil {
			return err
		}
	}
	if err := local.Exchange(ctx, at, place.path); err != nil {
		return err
	}
	return a.printSwap(swapped{Folder: shown(source.URL("")), Other: shown(place.out.URL("")), Clean: !undo})
}

// leavesNothing refuses to take a copy away from readers with files that came into it
// since: they would miss these.
func leavesNothing(ctx context.Context, c *repair.Copy, at string) error {
	came, err := c.Came(ctx)
	if err != nil || len(came) == 0 {
		return err
	}
	return diag.New(diag.CopyDiffers, "found %s that came into the folder since, such as %s: readers of it would miss them", report.Plural(int64(len(came)), "file"), diag.Quote(came[0])).In(diag.Place{File: at}).
		Hinted("move them out of it first, and into the old folder afterwards")
}

// swapped is what two folders hold after they changed names.
type swapped struct {
	// Folder is the one that readers know, Other the one that the copy was made in.
	Folder string `json:"folder"`
	Other  string `json:"other"`
	// Clean says that Folder holds the copy now.
	Clean bool `json:"clean"`
}

func (a *app) printSwap(s swapped) error {
	switch {
	case a.json:
		return a.print(s)
	case a.quiet:
		return nil
	}
	text := fmt.Sprintf("swapped     %s holds the copy, %s its source\n  back: landfall repair --swap %s --undo\n", s.Folder, s.Other, quoted(s.Other))
	if !s.Clean {
		text = fmt.Sprintf("swapped     %s holds the source again, %s the copy\n", s.Folder, s.Other)
	}
	_, err := fmt.Fprint(a.stdout, text)
	return err
}

// printCutover prints the statements for a table.
func (a *app) printCutover(c *repair.Copy, place *copyPlace, f cutoverFlags) error {
	if c.Swapped {
		return diag.New(diag.Usage, "the copy has the name of its source: readers of a table find it there").In(diag.Place{File: place.path}).
			Hinted("refresh what engines remember, or undo: landfall repair --swap %s --undo", quoted(shown(place.out.URL(""))))
	}
	engine, err := cutover.ParseEngine(f.engine)
	if err != nil {
		return err
	}
	t, err := tableOf(c, f)
	if err != nil {
		return err
	}
	s, err := cutover.Write(engine, t)
	switch {
	case err != nil:
		return err
	case a.json:
		return a.print(s)
	case f.undo:
		_, err = fmt.Fprint(a.stdout, s.Back())
	default:
		_, err = fmt.Fprint(a.stdout, s)
	}
	return err
}

// tableOf is a table over the source of a copy.
func tableOf(c *repair.Copy, f cutoverFlags) (t cutover.Table, err error) {
	t = cutover.Table{
		Old: cutover.Address(c.Source.URL("")), New: cutover.Address(c.Home.URL("")), Format: cutover.Format(c.Form),
		Rows: c.Report().Rows.After, DeltaCatalog: f.deltaCatalog,
	}
	if f.location != "" {
		t.New = f.location
	}
	if f.source != "" {
		t.Old = f.source
	}
	if t.Name, err = cutover.ParseName(f.table); err != nil {
		return t, err
	}
	if err := columnsOf(c, &t); err != nil {
		return t, err
	}
	if f.expect != "" {
		d, err := expected(f.expect)
		if err != nil {
			return t, err
		}
		defined(d, &t)
	}
	known(&t)
	t.Was = oldPartitions(c, t.WasBy)
	partitionsOf(c, &t)
	return t, nil
}

// columnsOf takes the columns of a copy, and those that it and its source are
// partitioned by.
func columnsOf(c *repair.Copy, t *cutover.Table) error {
	var all schema.Struct
	for _, column := range c.Columns {
		typ, err := schema.ParseDDL(column.Type)
		if err != nil {
			return fmt.Errorf("column %s of the copy: %w", column.Name, err)
		}
		all.Fields = append(all.Fields, schema.Field{Name: column.Name, Type: typ, Nullable: true})
	}
	named := func(keys []string) (out []schema.Field) {
		for _, key := range keys {
			k := slices.IndexFunc(c.Columns, func(x repair.Column) bool {
				return schema.Fold(x.Name) == schema.Fold(key) || schema.Fold(x.Original) == schema.Fold(key)
			})
			if k < 0 { // all of its values are null
				out = append(out, schema.Field{Name: key, Type: schema.String, Nullable: true})
				continue
			}
			out = append(out, all.Fields[k])
		}
		return out
	}
	t.By, t.WasBy = named(c.PartitionBy), named(c.Folders)
	t.Columns = slices.DeleteFunc(all.Fields, func(f schema.Field) bool { return schema.Struct{Fields: t.By}.Lookup(f.Name) >= 0 })
	if c.Rescue != "" {
		t.Columns = append(t.Columns, schema.Field{Name: c.Rescue, Type: schema.String, Nullable: true})
	}
	return nil
}

// defined takes a table as the catalog defines it.
func defined(d *definition.Table, t *cutover.Table) {
	fields := func(declared []schema.Declared) []schema.Field {
		var out []schema.Field
		for _, c := range declared {
			out = append(out, schema.Field{Name: c.Path[0], Type: c.Type, Nullable: true})
		}
		return out
	}
	t.Defined = fields(d.Columns)
	if d.Partitions != nil {
		t.WasBy = fields(d.Partitions)
		return
	}
	// A list of columns does not say which are those of folders.
	t.Defined = slices.DeleteFunc(t.Defined, func(f schema.Field) bool {
		return schema.Struct{Fields: t.WasBy}.Lookup(f.Name) >= 0
	})
}

// known gives the columns of a folder's partitions the types that readers know: no file
// has them.
func known(t *cutover.Table) {
	same := slices.EqualFunc(t.WasBy, t.By, func(a, b schema.Field) bool { return schema.Fold(a.Name) == schema.Fold(b.Name) })
	if t.Format != cutover.Parquet || !same {
		return
	}
	t.By = slices.Clone(t.By)
	for i := range t.By {
		t.By[i].Type = t.WasBy[i].Type
	}
}

// oldPartitions are the partitions of the source, also those of which nobody can read
// a file: a catalog knows them.
func oldPartitions(c *repair.Copy, by []schema.Field) []cutover.Partition {
	var out []cutover.Partition
	seen := map[string]bool{}
	take := func(key string) {
		folder := path.Dir(key)
		if p, ok := partitionAt(key, by); ok && !seen[folder] {
			p.Folder, seen[folder] = folder, true
			out = append(out, p)
		}
	}
	for _, o := range c.Objects {
		take(o.Path)
	}
	for _, l := range c.LeftOut {
		take(l.Path)
	}
	return out
}

// partitionAt is the partition that an object lies in.
func partitionAt(key string, by []schema.Field) (p cutover.Partition, ok bool) {
	_, folders := contract.Folders(key)
	for _, f := range by {
		k := slices.IndexFunc(folders, func(x contract.Folder) bool { return schema.Fold(x.Key) == schema.Fold(f.Name) })
		if k < 0 {
			return p, false
		}
		p.Values = append(p.Values, cutover.Value{Text: folders[k].Value, Null: folders[k].Null()})
	}
	return p, len(by) > 0
}

// partitionsOf takes the partitions of a copy, with how many rows were proven to be in
// each.
func partitionsOf(c *repair.Copy, t *cutover.Table) {
	if len(t.By) == 0 {
		return
	}
	at := map[string]int{}
	for _, f := range c.Files {
		folder := path.Dir(f.Path)
		k, ok := at[folder]
		if !ok {
			k = len(t.Copy)
			at[folder] = k
			p := cutover.Partition{Folder: folder}
			for _, by := range t.By {
				v := cutover.Value{Null: true}
				if text := f.Partition[by.Name]; text != nil {
					v = cutover.Value{Text: *text}
				}
				p.Values = append(p.Values, v)
			}
			t.Copy = append(t.Copy, p)
		}
		t.Copy[k].Rows += f.Rows
	}
}
