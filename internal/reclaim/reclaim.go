// Package reclaim takes values out of the rescue column of standing rows, for files
// that are not there any more to be read again.
//
// A value that was rescued whole goes into its column if the contract of today has
// one, and the row nothing there: it is fitted as a record of its file is that has
// nothing but what was rescued. What does not fit stays rescued, with the reason of
// today. A part of a value, whose column has the rest of it, stays where it is; so
// does what came under a name that its record had twice, past the header, or in
// another casing of a record's own, since a record that is gone cannot say which of
// its values is the column's. So do values of Parquet files that are base 64 there.
// Nulls are not rescued: a member in another casing goes into its column also where
// the record had a null under the column's own name.
//
// Nothing is committed here: a data file whose rows change is written again, its
// rows in their order and with all else that they hold.
package reclaim

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/value"
)

// Object is a file that is gone and whose rows stand in the table.
type Object struct {
	// Path names it in what a reclamation counts, URLs are those under which its
	// rows say that they come from it.
	Path string
	URLs []string
	// Header holds the names of its fields as it spelled them. Tree says that its
	// records were trees, Typed that it declared types.
	Header      []string
	Tree, Typed bool
}

// Rules are what values are fitted to.
type Rules struct {
	Version contract.Version
	Policy  contract.Policy
	// Table is what rows are fitted to (conform.New), File the columns of data
	// files, which are at the positions Held of Table.
	Table, File schema.Struct
	Held        []int
	// Forms are those in which the files wrote values; nil means the default.
	Forms *value.Forms
}

// Reclaimer takes values of some objects out of the rescue column. It is not safe
// for concurrent use.
type Reclaimer struct {
	rules Rules
	// rescue is the name of the rescue column, rescueAt its position in the table.
	rescue   string
	rescueAt int
	// at finds the columns of files by their folded names.
	at map[string]int
	// objects and fits are by URL; kinds are the fits by what they follow from.
	objects map[string]string
	fits    map[string]*fit
	kinds   map[string]*fit
}

// Counts are those of an object's rows in a data file.
type Counts struct {
	// Changed is the number of rows that changed. Before is the number of values
	// that were rescued, Left that of those that are rescued still.
	Changed, Before, Left int64
	// Names are those, as the file spells them, under which values are left; ""
	// where the text is not ours.
	Names map[string]bool
}

// Add adds the counts of other rows.
func (n *Counts) Add(more Counts) {
	n.Changed, n.Before, n.Left = n.Changed+more.Changed, n.Before+more.Before, n.Left+more.Left
	if n.Names == nil && len(more.Names) > 0 {
		n.Names = map[string]bool{}
	}
	maps.Copy(n.Names, more.Names)
}

// Result is what became of a data file.
type Result struct {
	// File is the file that takes its place, nil if none of its rows changed.
	File *datafile.File
	// Refused is why rows that would change cannot be written again, nil if they can.
	Refused *diag.Diagnostic
	// Counts are by the path of the object.
	Counts map[string]Counts
}

// New returns a reclaimer. The policy must have a rescue column.
func New(r Rules) (*Reclaimer, error) {
	c := &Reclaimer{
		rules: r, rescueAt: r.Table.Lookup(r.Policy.RescueColumn()),
		at: map[string]int{}, objects: map[string]string{}, fits: map[string]*fit{}, kinds: map[string]*fit{},
	}
	if c.rescueAt < 0 {
		return nil, fmt.Errorf("the table has no rescue column %q", r.Policy.RescueColumn())
	}
	c.rules.Policy, c.rules.Table = lenient(r.Policy), loose(r.Table)
	for i, f := range r.File.Fields {
		c.at[schema.Fold(f.Name)] = i
		if r.Held[i] == c.rescueAt {
			c.rescue = f.Name
		}
	}
	if c.rescue == "" {
		return nil, fmt.Errorf("data files have no rescue column %q", r.Policy.RescueColumn())
	}
	return c, nil
}

// Add adds an object.
func (c *Reclaimer) Add(o Object) error {
	f, err := c.fitOf(o)
	if err != nil {
		return fmt.Errorf("%s: %w", o.Path, err)
	}
	for _, url := range o.URLs {
		c.objects[url], c.fits[url] = o.Path, f
	}
	return nil
}

// File takes values of the objects' rows in a data file, whose deleted rows are at
// those positions, and writes it again if rows change. Whether they do is found out
// first, from the two columns that tell.
func (c *Reclaimer) File(ctx context.Context, s store.Store, path string, deleted []int64, o datafile.Options) (Result, error) {
	b := c.batch(nil)
	for values, err := range datafile.Texts(ctx, s, path, deleted, []string{contract.SourceFile, c.rescue}) {
		if err != nil {
			return Result{}, err
		}
		b.add(len(b.rows), values[0], values[1])
		if len(b.rows) < surveyed {
			continue
		}
		if err := b.fit(); err != nil {
			return Result{}, at(path, err)
		}
		b.rows = b.rows[:0]
	}
	if err := b.fit(); err != nil {
		return Result{}, at(path, err)
	}
	if !changes(b.counts) {
		return Result{Counts: b.counts}, nil
	}
	res, err := c.rewrite(ctx, s, path, deleted, o)
	if errors.As(err, &res.Refused) && res.Refused.Path != "" {
		for path, n := range b.counts {
			b.counts[path] = Counts{Before: n.Before, Left: n.Before, Names: map[string]bool{"": true}}
		}
		return Result{Refused: res.Refused, Counts: b.counts}, nil
	}
	return res, err
}

// surveyed is how many rows are looked at together.
const surveyed = 4096

func at(path string, err error) error { return fmt.Errorf("rescued values of %s: %w", path, err) }

func changes(counts map[string]Counts) bool {
	for _, n := range counts {
		if n.Changed > 0 {
			return true
		}
	}
	return false
}

// rewrite writes the file again. A row may have a value where another was to go:
// then nothing may change after all.
func (c *Reclaimer) rewrite(ctx context.Context, s store.Store, path string, deleted []int64, o datafile.Options) (Result, error) {
	counts := map[string]Counts{}
	source, rescued := c.at[contract.SourceFile], c.at[schema.Fold(c.rescue)]
	res, err := datafile.Reshape(ctx, s, path, deleted, datafile.Shape{
		Schema: c.rules.File,
		Edit: func(in column.Batch) ([]datafile.Edit, error) {
			b := c.batch(&in)
			b.counts = counts
			sources, texts := textsOf(in.Columns[source], in.Rows), textsOf(in.Columns[rescued], in.Rows)
			for row := range in.Rows {
				b.add(row, sources[row], texts[row])
			}
			err := b.fit()
			return b.edits, err
		},
	}, o)
	if err != nil || !changes(counts) {
		return Result{Counts: counts}, err
	}
	return Result{File: res.File, Counts: counts}, nil
}

// textsOf returns the texts of a column, "" for null.
func textsOf(c column.Column, rows int) []string {
	out := make([]string, rows)
	nulls := c.Nulls(rows)
	for row, n := 0, 0; row < rows; row++ {
		if !nulls[row] {
			out[row] = string(c.Leaves[0].Text.Value(n))
			n++
		}
	}
	return out
}

// loose is a table without NOT NULL: rows have what they have.
func loose(table schema.Struct) schema.Struct {
	out := schema.Struct{Fields: make([]schema.Field, len(table.Fields))}
	for i, f := range table.Fields {
		f.Nullable = true
		out.Fields[i] = f
	}
	return out
}
