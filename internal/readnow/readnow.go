// Package readnow writes programs that read what can be read safely of a mixed folder.
//
// A program reads the files of one schema, named one by one, with that schema spelt
// out, so that nothing is guessed and nothing is cast. What it leaves out stands in its
// comments, each with the reason. It is text that runs as it is; nothing here runs it.
package readnow

import (
	"fmt"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/inspect"
	"landfall/internal/report"
	"landfall/internal/schema"
)

// MostPaths is how many paths stand in a program; more are read from a file.
const MostPaths = 200

// Readers are those that programs are written for.
func Readers() []string { return []string{"spark", "pyarrow", "duckdb", "polars"} }

// Options say which program is wanted.
type Options struct {
	// Reader is one of Readers.
	Reader string
	// Group is the ID of a group that is read, 0 for the one with the most rows.
	Group int
	// List is the name of the file that the program takes the paths from, "" if they
	// stand in the program.
	List string
}

// Program is a program, and the paths that it reads.
type Program struct {
	Text string
	// Paths are below the folder; "" is the folder itself. A path of Spark may be a folder
	// of partitions of which every file is read.
	Paths []string
}

// Write writes the program for a folder of Parquet files. What keeps it from being
// written is a diagnostic: a table's folder, text files, a group that is not there, more
// paths than a program holds.
func Write(r *inspect.Report, o Options) (Program, error) {
	if !slices.Contains(Readers(), o.Reader) {
		return Program{}, diag.New(diag.Usage, "found --read-now %s, want one of %s", diag.Quote(o.Reader), strings.Join(Readers(), ", "))
	}
	if err := readable(r); err != nil {
		return Program{}, err
	}
	c, err := choose(r, o.Group)
	if err != nil {
		return Program{}, err
	}
	root, err := rootOf(r.Folder)
	if err != nil {
		return Program{}, err
	}
	w := writer{r: r, o: o, choice: c, root: root, columns: columnsOf(c.group.Schema), keys: keysOf(c.files)}
	if err := w.twice(); err != nil {
		return Program{}, err
	}
	p := Program{Paths: c.paths(r, o.Reader == "spark")}
	if len(p.Paths) > MostPaths && o.List == "" {
		return Program{}, diag.New(diag.Usage, "the program would name %s, want %d at most", report.Plural(int64(len(p.Paths)), "path"), MostPaths).
			Hinted("let them be written to a file that the program reads: --files orders.json")
	}
	p.Text = w.program(p.Paths)
	return p, nil
}

// readable refuses folders whose files cannot be taken as they are.
func readable(r *inspect.Report) error {
	at := diag.Place{File: r.Folder}
	switch {
	case r.Layout.Message != "":
		return diag.New(diag.Usage, "%s", r.Layout.Message).In(at).Hinted("read the table with a reader of its format")
	case len(r.Groups) == 0:
		return diag.New(diag.Usage, "no file of the folder can be read").In(at).Hinted("landfall inspect names each with its reason")
	case r.Groups[0].Schema[0].Stored == "text":
		return diag.New(diag.Usage, "the folder holds CSV or JSON, and --read-now is about Parquet").In(at).
			Hinted("land it: landfall land")
	}
	return nil
}

// twice refuses columns that a reader would take for one another, and those that have
// one name, which no reader takes.
func (w writer) twice() error {
	exact, folded := map[string]bool{}, map[string]string{}
	for _, c := range w.columns {
		if exact[c.name] {
			return diag.New(diag.Usage, "column %s is there twice", diag.Quote(c.name)).In(diag.Place{File: w.group.Example}).
				Hinted("have the file written with other names: readers refuse it or take one column for both")
		}
		f := schema.Fold(c.name)
		if other := folded[f]; other != "" && (w.o.Reader == "spark" || w.o.Reader == "duckdb") {
			return diag.New(diag.Usage, "columns %s and %s differ in casing alone, which means nothing to %s", diag.Quote(other), diag.Quote(c.name), w.o.Reader).
				In(diag.Place{File: w.group.Example}).Hinted("--read-now pyarrow and polars tell them apart")
		}
		exact[c.name], folded[f] = true, c.name
	}
	return nil
}

// choice is what is read of a folder.
type choice struct {
	group inspect.Group
	// alike are the IDs of the groups that are read: their files have the same columns,
	// written in the same way, in any order and nullable or not.
	alike []int
	files []inspect.File
	rows  int64
	// asked says that a person named the group.
	asked bool
}

// choose takes the groups that have most rows together, the newest of those that have
// as many; or the one that is asked for and those like it.
func choose(r *inspect.Report, asked int) (choice, error) {
	classes := map[string]*choice{}
	var order []*choice
	byID := map[int]*choice{}
	for _, g := range r.Groups {
		key := alike(g.Schema)
		c := classes[key]
		if c == nil {
			c = &choice{asked: asked != 0}
			classes[key] = c
			order = append(order, c)
		}
		c.group = g // the newest of those alike tells the order of columns
		c.alike = append(c.alike, g.ID)
		c.rows += g.Rows
		byID[g.ID] = c
	}
	for _, f := range r.Read {
		c := byID[f.Group]
		c.files = append(c.files, f)
	}
	best := order[0]
	for _, c := range order[1:] {
		if c.rows >= best.rows {
			best = c
		}
	}
	if asked != 0 {
		if best = byID[asked]; best == nil {
			return choice{}, diag.New(diag.Usage, "found --group %d, want 1 to %d", asked, len(r.Groups)).Hinted("landfall inspect lists the groups")
		}
	}
	slices.SortFunc(best.files, func(a, b inspect.File) int { return strings.Compare(a.Path, b.Path) })
	return *best, nil
}

// alike is the same for schemas that differ in the order of their columns or in what
// may be null alone, which no reader minds.
func alike(nodes []inspect.Node) string {
	var columns []string
	for at := 0; at < len(nodes); {
		_, next := columnAt(nodes, at)
		var b strings.Builder
		for _, n := range nodes[at:next] {
			fmt.Fprintf(&b, "%q %s %s\n", n.Path, n.Type, n.Stored)
		}
		columns = append(columns, b.String())
		at = next
	}
	slices.Sort(columns)
	return strings.Join(columns, "\n")
}

// paths are the files that are read, or where whole is allowed the partition folders in
// which there are no others.
func (c choice) paths(r *inspect.Report, whole bool) []string {
	mixed := map[string]bool{}
	if whole {
		mixed = c.mixed(r)
	}
	var out []string
	for _, f := range c.files {
		path := f.Path
		folder := path[:max(strings.LastIndexByte(path, '/'), 0)]
		if base := folder[strings.LastIndexByte(folder, '/')+1:]; whole && strings.Index(base, "=") > 0 && !mixed[folder] {
			path = folder
		}
		if len(out) == 0 || out[len(out)-1] != path {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mixed are the folders in which there is a file that is not read, or a folder, and
// those above.
func (c choice) mixed(r *inspect.Report) map[string]bool {
	out := map[string]bool{}
	mark := func(path string) {
		for at := strings.LastIndexByte(path, '/'); at >= 0; at = strings.LastIndexByte(path, '/') {
			path = path[:at]
			out[path] = true
		}
	}
	for _, f := range r.Read {
		if slices.Contains(c.alike, f.Group) {
			mark(f.Path[:max(strings.LastIndexByte(f.Path, '/'), 0)])
		} else {
			mark(f.Path)
		}
	}
	for _, u := range r.Unreadable {
		mark(u.Path)
	}
	for _, path := range r.Changed {
		mark(path)
	}
	for _, o := range r.Others {
		if o.Kind != "hidden" && o.Kind != "marker" { // which Spark leaves out
			mark(o.Path)
		}
	}
	return out
}

// keysOf are the names of the partition columns of files: those of all of them.
func keysOf(files []inspect.File) []string {
	var keys []string
	for i, f := range files {
		var own []string
		for part := range strings.SplitSeq(f.Path[:strings.LastIndexByte(f.Path, '/')+1], "/") {
			if name, _, ok := strings.Cut(part, "="); ok && name != "" {
				own = append(own, name)
			}
		}
		if i > 0 && !slices.Equal(keys, own) {
			return nil
		}
		keys = own
	}
	return keys
}
