package land

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/state"
	"landfall/internal/store"
)

// Selection says which files of the folder belong to the feed.
type Selection struct {
	// Match tells whether the glob filters take a path; nil takes all.
	Match func(path string) bool
	// Takes tells whether a file is of the feed's format; reason says why not.
	Takes func(path string) (ok bool, reason string)
	// Flat leaves sub-folders out.
	Flat bool
	// After and Before bound the modification time, exclusively; zero: no bound.
	After, Before time.Time
	// NewOnly settles the files that are there at the first run unread.
	NewOnly bool
}

// pending are the new objects of a run, in landing order.
type pending struct {
	objects []state.Object
}

// cut returns the objects of the next batch.
func (p *pending) cut(lim Limits) []state.Object {
	most := lim.Files
	if most <= 0 {
		most = 1000
	}
	var size int64
	n := 0
	for _, o := range p.objects {
		if n == most || (n > 0 && lim.Bytes > 0 && size >= lim.Bytes) {
			break
		}
		size += o.Size
		n++
	}
	return p.objects[:n:n]
}

// settle takes objects off that a mark speaks of, whoever landed them. Of an
// object in another version than the mark's, it learns what the table holds of
// its path now. reset tells that the mark is the first after one (keptRows).
func (p *pending) settle(m state.Mark, reset bool) {
	marked := make(map[string]state.Outcome, len(m.Objects))
	for _, o := range m.Objects {
		marked[o.Path] = o
	}
	kept := p.objects[:0]
	for _, o := range p.objects {
		was, ok := marked[o.Path]
		if ok && was.Version == o.Version && was.Reason != putBack {
			continue
		}
		if ok && was.Fate == state.Landed {
			o.Landed, o.Hash = m.Batch, was.Bytes
		}
		if ok && reset && was.Fate == state.Skipped && o.Landed == 0 {
			o.Landed = m.Batch
		}
		kept = append(kept, o)
	}
	p.objects = kept
}

// absorb brings the pending objects up to the last mark: other runs may have
// landed some of them since they were listed.
func (l *landing) absorb(ctx context.Context) error {
	if l.pending == nil {
		return nil
	}
	for l.absorbed < l.batch() {
		m, ok, err := l.src.State.Mark(ctx, l.absorbed+1)
		if err != nil {
			return err
		}
		if !ok || m.Kind == state.KindReprocess {
			return l.discover(ctx) // what was known is known no more
		}
		l.pending.settle(m, l.resets(m.Batch))
		l.absorbed++
	}
	return nil
}

// discover lists the source and takes off what is known, by one merge of two
// sorted sequences.
func (l *landing) discover(ctx context.Context) error {
	if err := l.checkFolder(ctx); err != nil {
		return err
	}
	l.pending, l.absorbed = &pending{}, l.batch()
	l.report.Known, l.report.Skipped = 0, []Skip{}
	l.missing = missing{}
	known := newCursor(l.src.State.Known(ctx), l.miss)
	defer known.stop()
	files := 0
	for info, err := range l.src.Files.List(ctx, "", "") {
		if err != nil {
			return listFault(l.src.Files.URL(""), err)
		}
		if !l.selects(info) {
			continue
		}
		files++
		entry, found, err := known.find(info.Key)
		if err != nil {
			return err
		}
		again := found && l.again(entry)
		if found && entry.Version == info.Version && !again {
			l.report.Known++
			continue
		}
		o := state.Object{Path: info.Key, Size: info.Size, ModTime: info.ModTime.UTC(), Version: info.Version}
		if found {
			o.Landed, o.Hash, o.Again = entry.Landed, entry.Hash, again
			if l.keptRows(entry) {
				o.Landed = entry.Batch
			}
		}
		l.pending.objects = append(l.pending.objects, o)
	}
	if err := known.drain(); err != nil {
		return err
	}
	if files == 0 {
		l.report.Notes = append(l.report.Notes, "no files to land in "+l.src.Files.URL(""))
	}
	slices.SortFunc(l.pending.objects, func(a, b state.Object) int {
		return cmp.Or(a.ModTime.Compare(b.ModTime), cmp.Compare(a.Path, b.Path))
	})
	return nil
}

// cursor walks the known entries beside a listing in the same order.
type cursor struct {
	next   func() (state.Entry, error, bool)
	stop   func()
	missed func(state.Entry)
	entry  state.Entry
	err    error
	more   bool
}

func newCursor(known iter.Seq2[state.Entry, error], missed func(state.Entry)) *cursor {
	c := &cursor{missed: missed}
	c.next, c.stop = iter.Pull2(known)
	c.entry, c.err, c.more = c.next()
	return c
}

// find returns the entry of a path that comes after all paths asked for before.
func (c *cursor) find(path string) (state.Entry, bool, error) {
	for c.err == nil && c.more && c.entry.Path < path {
		c.missed(c.entry)
		c.entry, c.err, c.more = c.next()
	}
	if c.err != nil || !c.more || c.entry.Path != path {
		return state.Entry{}, false, c.err
	}
	found := c.entry
	c.entry, c.err, c.more = c.next()
	return found, true, nil
}

// drain passes the rest to missed.
func (c *cursor) drain() error {
	for c.err == nil && c.more {
		c.missed(c.entry)
		c.entry, c.err, c.more = c.next()
	}
	return c.err
}

// again tells whether a file is read anew although its bytes were read before:
// not all of them landed, and the options are others now, or the table is.
func (l *landing) again(e state.Entry) bool {
	refused := e.Code == string(diag.AppendOnly) || e.Code == string(diag.UnknownFeature)
	if _, _, keeps := l.keepsRows(); refused && e.Fate == state.Quarantined && e.Landed > 0 && !keeps {
		return true // the table lets its old rows go now
	}
	return (e.Fate == state.Quarantined || e.Held > 0) && e.Options != l.src.Digest
}

// missing are files whose rows stand in the table and that are not listed.
type missing struct {
	files, rows, held int64
	first             string
}

func (l *landing) miss(e state.Entry) {
	if e.Landed == 0 || e.Rows+e.Held == 0 {
		return
	}
	if l.missing.files == 0 {
		l.missing.first = e.Path
	}
	l.missing.files++
	l.missing.rows += e.Rows
	l.missing.held += e.Held
}

// keptRows tells whether a file was settled unread by a reset that kept the
// rows of the table. Rows of it may stand there that no batch accounts for.
func (l *landing) keptRows(e state.Entry) bool {
	return e.Fate == state.Skipped && e.Landed == 0 && l.resets(e.Batch)
}

// resets tells whether a batch is the first after a reset.
func (l *landing) resets(batch int64) bool {
	return slices.ContainsFunc(l.ids, func(id state.Identity) bool {
		return id.Cause == "reset" && id.After+1 == batch
	})
}

// selects tells whether a file is part of the feed, and reports those that are
// left out for a reason a person may not expect.
func (l *landing) selects(info store.Info) bool {
	sel := l.src.Select
	switch {
	case hidden(info.Key):
		return false
	case sel.Flat && strings.Contains(info.Key, "/"):
		return false
	case !sel.After.IsZero() && !info.ModTime.After(sel.After),
		!sel.Before.IsZero() && !info.ModTime.Before(sel.Before):
		return false
	case sel.Match != nil && !sel.Match(info.Key):
		return false
	case !utf8.ValidString(info.Key):
		l.skip(strings.ToValidUTF8(info.Key, "\uFFFD"), "its name is not UTF-8; rename it")
		return false
	}
	if sel.Takes != nil {
		if ok, reason := sel.Takes(info.Key); !ok {
			l.skip(info.Key, reason)
			return false
		}
	}
	return true
}

func (l *landing) skip(path, reason string) {
	l.report.Skipped = append(l.report.Skipped, Skip{path, reason})
}

// hidden tells whether a part of the key begins with "_" or ".", as Spark and
// Auto Loader leave such files out. Partition folders such as _k=v are data.
func hidden(key string) bool {
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || (part[0] == '_' && !strings.Contains(part, "=")) {
			return true
		}
	}
	return false
}

// checkFolder tells a missing folder, which is an error, from an empty one.
func (l *landing) checkFolder(ctx context.Context) error {
	f, ok := l.src.Files.(store.Folder)
	if !ok {
		return nil
	}
	if err := f.CheckRoot(ctx); err != nil {
		return listFault(l.src.Files.URL(""), err)
	}
	return nil
}

func listFault(url string, err error) error {
	at := diag.Place{File: url}
	switch {
	case errors.Is(err, store.ErrNotExist):
		return diag.New(diag.FolderMissing, "source folder does not exist").In(at).
			Hinted("check the path; an empty folder would be fine").Because(err)
	case errors.Is(err, store.ErrPermission):
		return diag.New(diag.NoPermission, "source folder may not be listed").In(at).
			Hinted("give this user the right to read it").Because(err)
	case errors.Is(err, store.ErrTransient):
		return diag.New(diag.StoreUnreachable, "the store did not answer while the source was listed").In(at).
			Hinted("nothing was lost; run again").Because(err)
	}
	return fmt.Errorf("list %s: %w", url, err)
}

// ChooseFormat returns the most frequent data format among a source's files by
// their names; the alphabet decides a tie. "" means that no file tells one.
func ChooseFormat(ctx context.Context, files store.Store, sel Selection) (string, error) {
	l := &landing{src: Source{Files: files, Select: sel}}
	if err := l.checkFolder(ctx); err != nil {
		return "", err
	}
	counts := map[string]int{}
	for info, err := range files.List(ctx, "", "") {
		if err != nil {
			return "", listFault(files.URL(""), err)
		}
		if name := format.ByName(info.Key); name != "" && l.selects(info) {
			counts[name]++
		}
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] > counts[best] {
			best = name
		}
	}
	return best, nil
}
