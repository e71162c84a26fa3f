package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/land"
	"landfall/internal/report"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/overlay"
)

func (a *app) previewCommand() *cobra.Command {
	var f landFlags
	var look previewFlags
	c := &cobra.Command{
		Use:   "preview [SOURCE…] | preview FOLDER [TABLE]",
		Short: "Show what land would do, and write nothing",
		Long: `Land what is new for show: what is written goes to a temporary folder, and the
table and its state stay as they are. Printed is what land would print, and each
column with its type, where it is from, and its first values. Without TABLE the
table is a new one.

With --readers also who can read the table as it would be, and which readers the
change would shut out: none, unless a hint or the table asks for more.` + exitCodes,
		Example: `  landfall preview landing/orders
  landfall preview landing/orders lake/orders --option cloudFiles.schemaHints="amount DECIMAL(18,2)"
  landfall preview orders --rows 10 --json
  landfall preview orders --readers`,
		RunE: func(c *cobra.Command, args []string) error {
			if look.rows < 0 {
				return diag.New(diag.Usage, "found --rows %d, want 0 or more", look.rows)
			}
			dir, err := os.MkdirTemp("", "landfall-preview-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir) //nolint:errcheck // it holds nothing of worth
			feeds, err := a.previewFeeds(f, args, dir)
			if err != nil {
				return err
			}
			return a.each(c.Context(), feeds, func(ctx context.Context, f feed) error {
				return a.preview(ctx, f, dir, look)
			})
		},
	}
	f.flags(c)
	c.Flags().IntVar(&look.rows, "rows", 3, "show at most this many rows")
	c.Flags().BoolVar(&look.readers, "readers", false, "show which readers can read the table then")
	return c
}

// previewFlags say what is shown.
type previewFlags struct {
	rows    int
	readers bool
}

// previewFeeds describes the sources that the arguments name. A folder alone is
// previewed as if it landed in a new table.
func (a *app) previewFeeds(f landFlags, args []string, dir string) ([]feed, error) {
	if len(args) != 1 {
		return a.feeds(f, args)
	}
	named, err := a.inProject(args)
	if err != nil {
		return nil, err
	}
	folder, pattern := divide(args[0])
	if p, ok := localPath(folder); ok {
		folder = p
	}
	if info, err := os.Stat(folder); named || (err != nil || !info.IsDir()) && pattern == "" {
		return a.feeds(f, args)
	}
	one, err := fromArgs(f, args[0], filepath.Join(dir, "table"))
	one.args, one.unnamed = f.args(args[0], "TABLE"), true
	return []feed{one}, err
}

// previewed is what a preview found.
type previewed struct {
	land.Report
	Schema []previewColumn   `json:"schema"`
	Rows   []json.RawMessage `json:"rows"`
	*previewReaders

	feed feed
}

// previewColumn is a column of the table as it would be.
type previewColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Original is the name in the files, where it is another.
	Original string `json:"original,omitempty"`
	New      bool   `json:"new"`

	from   string
	values []string
}

// preview lands a source in stores that are laid over its own.
func (a *app) preview(ctx context.Context, f feed, dir string, look previewFlags) error {
	start := a.now()
	over := *a
	layers := 0
	over.wrap = func(base store.Store) (store.Store, error) {
		layers++
		upper, err := openStore(filepath.Join(dir, f.name, strconv.Itoa(layers)))
		if err != nil {
			return nil, err
		}
		return overlay.New(base, upper), nil
	}
	s, err := over.build(ctx, f)
	if err != nil {
		return err
	}
	compare := comparing(ctx, s.Table, look)
	bar := a.progress(s.Name)
	r, err := land.Run(ctx, s, land.Env{Now: a.now, NewID: a.newID, Progress: bar.update})
	bar.done()
	p := previewed{Report: r, Rows: []json.RawMessage{}, feed: f}
	p.columns()
	if err != nil {
		return p.failed(a, err)
	}
	if err := p.firstRows(ctx, s, look.rows); err != nil {
		return err
	}
	if p.previewReaders, err = compare(); err != nil {
		return err
	}
	if a.json {
		return a.print(p)
	}
	_, err = fmt.Fprint(a.stdout, p.text(a.now().Sub(start), a.paste))
	return err
}

// failed prints what is known of a run that failed, where a program reads it, as
// land does. People are told the error.
func (p *previewed) failed(a *app, err error) error {
	if !a.json {
		return err
	}
	if perr := a.print(p); perr != nil {
		return errors.Join(err, perr)
	}
	return err
}

// columns lists the columns of the table as it would be.
func (p *previewed) columns() {
	p.Schema = []previewColumn{}
	if p.Report.Schema == nil {
		return
	}
	before := map[string]bool{}
	if p.Before != nil {
		for _, c := range p.Before.Columns {
			before[c.Name] = c.Type != schema.Unknown.String()
		}
	}
	fresh := p.Before == nil || p.Before.Number == 0
	for _, f := range p.Report.Schema.Fields {
		c := previewColumn{Name: f.Name, Type: f.Type.String(), from: "landfall", New: fresh}
		if i := slices.IndexFunc(p.Contract.Columns, func(c contract.Column) bool { return c.Name == f.Name }); i >= 0 {
			of := p.Contract.Columns[i]
			c.New = !before[f.Name]
			c.from = origin(of, c.New)
			if of.Original != f.Name {
				c.Original = of.Original
			}
		}
		p.Schema = append(p.Schema, c)
	}
}

// origin says where a column is from.
func origin(c contract.Column, fresh bool) string {
	var parts []string
	if !fresh {
		parts = append(parts, "the contract")
	} else if c.File != "" {
		parts = append(parts, c.File)
	}
	if c.Partition {
		parts = append(parts, "a folder")
	}
	if c.Hinted {
		parts = append(parts, "a hint")
	}
	if c.Original != c.Name {
		parts = append(parts, strconv.Quote(brief(c.Original)))
	}
	return strings.Join(parts, ", ")
}

// firstRows reads the first of the rows that would land.
func (p *previewed) firstRows(ctx context.Context, s land.Source, most int) error {
	if len(p.Files) == 0 || most == 0 {
		return nil
	}
	v, err := openView(ctx, namedTable{"t", s.Data})
	if err != nil {
		return err
	}
	v.Files = slices.DeleteFunc(v.Files, func(f engine.File) bool { return !slices.Contains(p.Files, f.Path) })
	e, err := duckdb.Open(ctx, duckdb.Options{})
	if err != nil {
		return err
	}
	sql := fmt.Sprintf("SELECT * FROM t LIMIT %d", most)
	if err := e.Query(ctx, sql, []engine.View{v}, nil, p.takeText); err != nil {
		return err
	}
	var lines bytes.Buffer
	err = e.Query(ctx, sql, []engine.View{v}, nil, func(r engine.Result) error {
		_, err := engine.WriteNDJSON(&lines, r)
		return err
	})
	for line := range bytes.Lines(lines.Bytes()) {
		p.Rows = append(p.Rows, bytes.TrimSpace(bytes.Clone(line)))
	}
	return err
}

// takeText keeps the values of a result as text, column by column.
func (p *previewed) takeText(r engine.Result) error {
	for row, err := range r.Rows {
		if err != nil {
			return err
		}
		for i, v := range row {
			p.Schema[i].values = append(p.Schema[i].values, report.Cut(engine.Text(v), widestValue))
		}
	}
	return nil
}

// widestValue is the width of the longest value that is shown.
const widestValue = 24

// text is the preview for people.
func (p *previewed) text(took time.Duration, paste func(string) string) string {
	var b strings.Builder
	r := summary{Report: p.Report, took: took, preview: true, unnamed: p.feed.unnamed}
	pad := strings.Repeat(" ", max(len([]rune(r.Source)), 10)+2)
	total := r.total()
	r.head(&b, pad, total)
	notes(&b, pad, r.Report)
	head := paste(b.String())
	b.Reset()
	p.columnText(&b) // values of files, which stay as they are
	head += b.String()
	b.Reset()
	driftText(&b, r.Report)
	heldText(&b, p.Report)
	p.readersText(&b)
	fmt.Fprintf(&b, "\n  nothing was written. Land it:  landfall land %s\n", p.feed.args)
	return head + paste(b.String())
}

// columnText prints the columns with their first values.
func (p *previewed) columnText(b *strings.Builder) {
	if len(p.Schema) == 0 || len(p.Batches) == 0 {
		return
	}
	rows := 0
	lines := make([][]string, 0, len(p.Schema))
	for _, c := range p.Schema {
		if c.Name == contract.SourceFile || c.Name == contract.IngestedAt {
			continue // every table has them, and every row says the same
		}
		sign := ""
		if c.New {
			sign = "+"
		}
		rows = max(rows, len(c.values))
		lines = append(lines, append([]string{sign, brief(c.Name), report.Cut(c.Type, 2*widestValue), c.from}, c.values...))
	}
	head := []string{"", "column", "type", "from"}
	for i := range rows {
		head = append(head, fmt.Sprintf("row %d", i+1))
	}
	b.WriteString("\n")
	b.WriteString(report.Table(head, lines, report.Layout{Indent: 2}))
}

// heldText prints what would go to quarantine.
func heldText(b *strings.Builder, r land.Report) {
	if len(r.Quarantined) == 0 {
		return
	}
	const most = 10
	fmt.Fprintf(b, "\n  to quarantine: %s\n", report.Count(int64(r.Held)))
	for i, q := range r.Quarantined {
		if i == most {
			fmt.Fprintf(b, "    … and %s more\n", report.Count(int64(r.Held-most)))
			return
		}
		fmt.Fprintf(b, "    %s  %s\n", place(q.Path, q.Line, q.Record), report.Cut(q.Reason, longest))
	}
}
