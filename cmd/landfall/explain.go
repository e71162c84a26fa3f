package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/failure"
	"landfall/internal/inspect"
	"landfall/internal/report"
	"landfall/internal/store"
	"landfall/internal/store/local"
)

// explained is the document of `landfall explain --json` for a text.
type explained struct {
	Failures []explanation `json:"failures"`
	// More counts failures beyond those.
	More  int64 `json:"more"`
	Lines int64 `json:"lines"`
	// File is what was being read when something failed that is not known.
	File    string      `json:"file,omitempty"`
	Nearest []knownName `json:"nearest,omitempty"`
}

type knownName struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// explanation is a failure that was found.
type explanation struct {
	knownName
	Readers  []string      `json:"readers"`
	File     string        `json:"file,omitempty"`
	Column   string        `json:"column,omitempty"`
	Expected string        `json:"expected,omitempty"`
	Found    string        `json:"found,omitempty"`
	Line     int64         `json:"line,omitempty"`
	Count    int64         `json:"count"`
	Text     string        `json:"text"`
	Cause    string        `json:"cause"`
	Fixes    []failure.Fix `json:"fixes"`
	Never    []string      `json:"never"`
	AtHand   *atHand       `json:"at_hand,omitempty"`
}

// atHand is what is really in the file that a text names.
type atHand struct {
	Path    string         `json:"path"`
	Columns []inspect.Node `json:"columns,omitempty"`
	// Unreadable says why nothing can be said of its columns.
	Unreadable string `json:"unreadable,omitempty"`
}

func (a *app) explainCommand() *cobra.Command {
	var files string
	c := &cobra.Command{
		Use:   "explain TEXT | LOGFILE | - | CODE",
		Short: "Say what an error of a reader means, and what to do about it",
		Long: `Recognise known failures of Spark, DuckDB, Polars, PyArrow, pandas and others in text:
an argument, a log file of any size, or standard input (-). Printed are the file and
column that the text names, the cause, what to do, the best first, and what not to do.
A code of ours, such as E0402, is explained too.

With --file, a Parquet file or a folder where the named file may be, what is really in
it is printed. A text that is not known is not guessed at: it ends with 1.` + exitCodes,
		Example: `  landfall explain job.log --file landing/orders
  spark-submit job.py 2>&1 | landfall explain -
  landfall explain E0402`,
		Args: args(1, 1000, "a text, a log file, - or a code"),
		RunE: func(c *cobra.Command, words []string) error {
			if len(words) == 1 && regexp.MustCompile(`^\[?E\d{4}\]?$`).MatchString(words[0]) {
				return a.explainCode(diag.Code(strings.Trim(words[0], "[]")))
			}
			in, shut, err := explainable(words, c.InOrStdin())
			if err != nil {
				return err
			}
			defer shut()
			return a.explain(c.Context(), in, files)
		},
	}
	c.Flags().StringVar(&files, "file", "", "a Parquet file, or a folder in which the named file is looked for")
	return c
}

// explainable is the text that arguments mean.
func explainable(words []string, in io.Reader) (r io.Reader, shut func(), err error) {
	none := func() {}
	text := strings.Join(words, " ")
	if text == "-" {
		return in, none, nil
	}
	info, err := os.Stat(text)
	if err != nil || info.IsDir() {
		return strings.NewReader(text), none, nil
	}
	f, err := os.Open(text)
	if err != nil {
		return nil, none, diag.New(diag.NoPermission, "%v", err).In(diag.Place{File: text}).Hinted("let it be read, or pass its text: landfall explain - < FILE")
	}
	return f, func() { _ = f.Close() }, nil // it was only read
}

// explainCode prints what a code of ours means.
func (a *app) explainCode(code diag.Code) error {
	e, ok := diag.Explain(code)
	if !ok {
		codes := diag.Codes()
		all := make([]string, len(codes))
		for i, c := range codes {
			all[i] = string(c)
		}
		if near := diag.Nearest(string(code), all); near != "" {
			return fmt.Errorf("found %s, which is no code of this version; nearest: %s", code, near)
		}
		return fmt.Errorf("found %s, which is no code of this version", code)
	}
	if a.json {
		return a.print(struct {
			Code    diag.Code `json:"code"`
			Title   string    `json:"title"`
			Exit    diag.Exit `json:"exit"`
			Example string    `json:"example"`
			Remedy  string    `json:"remedy"`
		}{code, e.Title, e.Exit, e.Example, diag.Remedy(code)})
	}
	_, err := fmt.Fprintf(a.stdout, "%s: %s\nfor example: %s\nwhat to do: %s\na command that ends with it exits with %d\n", code, e.Title, e.Example, diag.Remedy(code), e.Exit)
	return err
}

func (a *app) explain(ctx context.Context, in io.Reader, files string) error {
	c, err := failure.Load()
	if err != nil {
		return err
	}
	found, err := c.Scan(in)
	if err != nil {
		return fmt.Errorf("read the text: %w", err)
	}
	doc := explained{Failures: []explanation{}, More: found.More, Lines: found.Lines}
	for _, f := range found.Findings {
		e := explanation{
			knownName{f.Failure.Name, f.Failure.Title},
			f.Failure.Readers, f.File, f.Column, f.Expected, f.Found,
			f.Line, f.Count, f.Quote, f.Failure.Cause, f.Failure.Fixes, append([]string{}, f.Failure.Never...), nil,
		}
		if files != "" {
			if e.AtHand, err = lookAt(ctx, files, f.File, f.Column); err != nil {
				return err
			}
		}
		doc.Failures = append(doc.Failures, e)
	}
	if found.Partial != nil {
		doc.File = found.Partial.File
	}
	for _, f := range found.Nearest {
		doc.Nearest = append(doc.Nearest, knownName{f.Name, f.Title})
	}
	if a.json {
		err = a.print(doc)
	} else {
		err = a.tellExplained(doc)
	}
	if err == nil && len(doc.Failures) == 0 {
		err = errors.New("the text holds no failure that is known here")
	}
	return err
}

// tellExplained prints an explanation for people: the first failure in full, the rest
// in a line each.
func (a *app) tellExplained(doc explained) error {
	var b strings.Builder
	line := func(head, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-9s %s\n", head, report.Clean(text))
		}
	}
	for i, e := range doc.Failures {
		if i == 0 {
			line("failure", e.Title+" ("+strings.Join(e.Readers, ", ")+", "+e.Name+")")
			line("file", e.File)
			line("column", e.Column)
			line("expected", e.Expected)
			line("found", e.Found)
			line("where", fmt.Sprintf("line %d, %s", e.Line, report.Plural(e.Count, "time")))
			e.AtHand.lines(line)
			line("cause", e.Cause)
			for n, f := range e.Fixes {
				line(fmt.Sprintf("fix %d", n+1), f.Text)
				line("", f.Command)
			}
			for _, n := range e.Never {
				line("never", n)
			}
			continue
		}
		if i == 1 {
			b.WriteString("\nalso in the text:\n")
		}
		line("", fmt.Sprintf("line %d, %s: %s: %s", e.Line, report.Plural(e.Count, "time"), e.Name, strings.Trim(e.File+" "+e.Column, " ")))
	}
	if len(doc.Failures) == 0 && doc.File != "" {
		line("file", doc.File+" was being read; why it failed is not in the text, or not known")
	}
	for _, n := range doc.Nearest {
		line("nearest", n.Title+" ("+n.Name+")")
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

// lines prints what is in the file.
func (h *atHand) lines(line func(head, text string)) {
	if h == nil {
		return
	}
	line("at hand", h.Path)
	line("", h.Unreadable)
	for _, c := range h.Columns {
		line("", strings.TrimSpace(fmt.Sprintf("%s %s, stored as %s", c.Path, c.Type, c.Stored)))
	}
}

// lookAt finds the file that a text names below a folder and says what is in it; nil if
// it is not there. Of files with the name, the one is taken whose path agrees furthest.
func lookAt(ctx context.Context, root, file, column string) (*atHand, error) {
	best, agree := "", -1
	want := strings.ReplaceAll(file, `\`, "/")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || d.IsDir() {
			return err
		}
		if n := agreeing(filepath.ToSlash(path), want); path == root || n > max(agree, 0) {
			best, agree = path, n
		}
		return nil
	})
	if err != nil {
		return nil, diag.New(diag.FolderMissing, "%v", err).In(diag.Place{File: root}).Hinted("pass a Parquet file or a folder: --file FOLDER")
	}
	if best == "" {
		return nil, nil //nolint:nilnil // nothing at hand is no error
	}
	s, err := local.Open(filepath.Dir(best))
	if err != nil {
		return nil, err
	}
	r, err := inspect.Run(ctx, oneFile{s, filepath.Base(best)}, inspect.Options{Workers: 1})
	if err != nil {
		return nil, err
	}
	h := &atHand{Path: best}
	for _, u := range r.Unreadable {
		h.Unreadable = u.Message
	}
	for _, g := range r.Groups {
		for _, n := range g.Schema {
			if column == "" || strings.EqualFold(n.Path, column) || strings.HasPrefix(strings.ToLower(n.Path), strings.ToLower(column)+".") {
				h.Columns = append(h.Columns, n)
			}
		}
	}
	return h, nil
}

// agreeing counts the names at the end that two paths share.
func agreeing(a, b string) (n int) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// oneFile is a folder of which one file is seen.
type oneFile struct {
	store.Store
	name string
}

// List yields the file.
func (s oneFile) List(ctx context.Context, prefix, after string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		for info, err := range s.Store.List(ctx, prefix, after) {
			if err != nil || info.Key == s.name {
				if !yield(info, err) {
					return
				}
			}
		}
	}
}
