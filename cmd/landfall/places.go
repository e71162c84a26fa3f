package main

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/project"
)

// divide splits the path of a source into the folder to list and a pattern for
// what is below it. A folder of exactly that name is one, whatever characters
// its name has.
func divide(from string) (folder, pattern string) {
	at := from
	if p, ok := localPath(from); ok {
		at = p
	}
	if _, err := os.Stat(at); err == nil {
		return from, ""
	}
	return project.SplitGlob(from)
}

// baseName is the name of a folder, from its URL.
func baseName(at string) string {
	if p, ok := localPath(at); ok {
		at = filepath.ToSlash(p)
	}
	return path.Base(strings.TrimSuffix(at, "/"))
}

// within tells whether a place is another one or lies in it; below is its path
// from there, "" if it is the same.
func within(outer, inner string) (below string, ok bool) {
	o, i := strings.TrimSuffix(resolved(outer), "/")+"/", resolved(inner)+"/"
	if !strings.HasPrefix(i, o) {
		return "", false
	}
	return strings.TrimSuffix(i[len(o):], "/"), true
}

// resolved is the path of a place without links, as far as it is there; that
// of another machine is its URL.
func resolved(at string) string {
	p, ok := localPath(at)
	if !ok {
		return strings.TrimSuffix(at, "/")
	}
	rest := ""
	for dir := filepath.Clean(p); ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.ToSlash(filepath.Join(real, rest))
		}
		if dir == filepath.Dir(dir) {
			return filepath.ToSlash(p)
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// apart refuses a table within the source's folder if its data files would be
// taken for the feed's.
func (f feed) apart(files, data string) error {
	below, inside := within(files, data)
	// As we and others name data files: also under a folder of a partition.
	names := []string{
		"part-00000-00000000-0000-4000-8000-000000000000.c000.snappy.parquet", "k=v/part-00000.parquet",
		"00000000-0000-4000-8000-000000000000.parquet", "a.parquet", "deletion_vector_0.bin",
	}
	if !inside || !f.mayTake(below, names) {
		return nil
	}
	return diag.New(diag.Usage, "the table lies in the source's folder").In(diag.Place{File: data}).
		Hinted("give the table a folder of its own, beside that of the files")
}

// mayTake tells whether the source takes one of the names in a folder below its
// own for files of the feed.
func (f feed) mayTake(below string, names []string) bool {
	return f.takes == nil || slices.ContainsFunc(names, func(name string) bool {
		return f.takes.MatchUnder(path.Join(below, name))
	})
}

// stateApart refuses a place for the state that others take for theirs: the
// feed, the table's readers, or those who clean the table up.
func (f feed) stateApart(kept, files, data string) error {
	names := []string{"identities/00000001.json", "batches/00000001.json", "attempts/00000001-a/attempt.json", "marks/00000001.json", "known/00000001.ledger"}
	option := f.options.State
	refuse := func(why string) error {
		return option.Value.Locate(diag.New(diag.BadOption, "%s: found %s, %s", option.Name, diag.Quote(option.Value.Text), why).
			Hinted("leave it out, and the state is kept beside the table; or name a folder that nothing else uses"))
	}
	if below, inside := within(files, kept); files != "" && inside && f.mayTake(below, names) {
		return refuse("which lies in the source's folder")
	}
	below, inside := within(data, kept)
	first, _, _ := strings.Cut(below, "/")
	switch {
	case !inside:
		return nil
	case below == "":
		return refuse("which is the table's folder")
	case first == "_delta_log":
		return refuse("which is the table's log")
	case first[0] != '_' && first[0] != '.':
		return refuse("which lies among the table's files, where VACUUM removes what the table does not know")
	}
	return nil
}

// unmatched is what to tell of a source that has no files where a pattern is to
// blame.
func (f feed) unmatched() string {
	return quoted(f.from) + " was taken as a pattern, since no folder has that name, and no file matches it; \\ before a character takes it as it is"
}

// localPath is the path of a file:// URL.
func localPath(at string) (string, bool) {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	return u.Path, true
}
