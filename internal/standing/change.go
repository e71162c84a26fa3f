// Package standing changes the rows that stand in a table: it takes those of a source
// out, writes files again under another schema, and lets rescued values into columns.
//
// Which files hold rows of an object is on record, for as long as these files are live
// as they were written; after other tools rewrote them, the rows themselves are asked
// by `_source_file`. Nothing is committed here: a [Change] says which files a commit
// takes out, and which it adds in their place.
package standing

import (
	"context"
	"maps"
	"path"
	"slices"
	"strconv"
	"time"

	"landfall/internal/datafile"
	"landfall/internal/parquetfile"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Change is what is to be known of a source and its table, and what comes of it. What
// one method takes out or adds, the next ones build on.
type Change struct {
	Table    table.Table
	Snapshot *table.Snapshot
	Data     store.Store
	State    *state.State
	// Files holds the source's objects. Roots are all roots that it had, UUIDs all
	// its names in the table's log, IDs all records of who it is.
	Files store.Store
	Roots []string
	UUIDs map[string]bool
	IDs   []state.Identity
	// Args is what names the source on a command line.
	Args string
	// Name returns the key of a data file from its last part, At is when the files
	// are written.
	Name func(suffix string) string
	At   time.Time
	// Parquet says how the files are encoded.
	Parquet parquetfile.Options

	// Removed are the files that go, Added those that hold what stays of their rows;
	// Rows is the number of rows that are gone.
	Removed, Added []table.File
	Rows           int64
	// Of names, for a file of Added that holds all live rows of one of Removed in
	// their order, that file.
	Of map[string]string

	written int
}

// Empty tells whether nothing of the table's files is left.
func (c *Change) Empty() bool {
	return len(c.Added) == 0 && len(c.Removed) == len(c.Snapshot.Files())
}

// options are those of the next data file, which lies beside another.
func (c *Change) options(what string, of table.File) datafile.Options {
	place, _ := path.Split(of.Path)
	return datafile.Options{Options: c.Parquet, Name: func() string {
		c.written++
		return place + c.Name(what+"-"+strconv.Itoa(c.written))
	}}
}

// rewriter writes a file again: nil if it stays as it is, and a file without a path
// if no row of it is left.
type rewriter func(context.Context, table.File) (*table.File, error)

// again writes files again that the change added, and live ones that it has not taken
// out. moved says that their rows stay as they are.
func (c *Change) again(ctx context.Context, live []table.File, moved bool, write rewriter) error {
	for i, f := range c.Added {
		now, err := write(ctx, f)
		if err != nil {
			return err
		}
		if now == nil {
			continue
		}
		if of, ok := c.Of[f.Path]; ok {
			c.Of[now.Path] = of
			delete(c.Of, f.Path)
		}
		now.Moved = f.Moved
		c.Added[i] = *now
	}
	c.Added = slices.DeleteFunc(c.Added, func(f table.File) bool { return f.Path == "" })
	gone := map[table.Key]bool{}
	for _, f := range c.Removed {
		gone[f.Key()] = true
	}
	for _, f := range live {
		if gone[f.Key()] {
			continue
		}
		now, err := write(ctx, f)
		if err != nil {
			return err
		}
		if now == nil {
			continue
		}
		f.Moved = moved
		c.Removed = append(c.Removed, f)
		if now.Path != "" {
			now.Moved = moved
			c.Added = append(c.Added, *now)
			c.follow(now.Path, f.Path)
		}
	}
	return nil
}

// follow notes that a file holds the rows of another.
func (c *Change) follow(path, of string) {
	if c.Of == nil {
		c.Of = map[string]string{}
	}
	c.Of[path] = of
}

// live are the files of the snapshot, by path.
func (c *Change) live() []table.File {
	var files []table.File
	for _, k := range slices.SortedFunc(maps.Keys(c.Snapshot.Files()), byKey) {
		files = append(files, c.Snapshot.Files()[k])
	}
	return files
}

// added is a file that takes the place of another.
func (c *Change) added(f *datafile.File, was table.File) *table.File {
	return &table.File{
		Path: f.Path, Size: f.Size, Rows: f.Rows, Stats: f.Stats, ModTime: c.At,
		Partition: was.Partition, Tags: was.Tags,
	}
}
