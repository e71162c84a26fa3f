package feed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/table"
)

// line is what the log says of one logical file.
type line struct {
	// file is as its last add describes it, or its first remove without one.
	file table.File
	// added says that the log of the range describes it whole.
	added bool
	// net is how often its rows came, less how often they went.
	net int
	// was says whether it was in the table at From, live whether it is after the versions
	// that were read.
	was, live bool
}

// book adds up versions.
type book struct {
	t     table.Table
	r     Range
	feed  *Feed
	files map[table.Key]*line
	// order are the keys of files as they were first named.
	order []table.Key
	moves []*move
	// past are the files at From, once they were asked for.
	past map[table.Key]table.File
}

// read enters the versions of the range.
func (b *book) read(ctx context.Context) error {
	journal, ok := b.t.(table.Journal)
	if !ok {
		return errors.New("the table does not tell what its versions did")
	}
	id := b.r.ID
	next := b.r.From + 1
	for e, err := range journal.Entries(ctx, next, b.feed.To) {
		switch {
		case errors.Is(err, table.ErrCleaned):
			return cleaned(next)
		case err != nil:
			return err
		case e.Operation == "RESTORE":
			return broken(Restored, e.Version, diag.TableRestored, "version %d restored the table to an older one", e.Version)
		}
		next = e.Version + 1
		if e.ID != "" && id == "" {
			if id, err = b.idBefore(ctx, e.ID); err != nil {
				return err
			}
		}
		if e.ID != "" && e.ID != id {
			return broken(Recreated, e.Version, diag.TableRecreated, "version %d made another table: found the id %s, want %s", e.Version, e.ID, id)
		}
		b.enter(e)
	}
	return nil
}

// idBefore is the id of the table at From, or the one that is seen if the log does not
// reach back so far.
func (b *book) idBefore(ctx context.Context, seen string) (string, error) {
	past, ok := b.t.(table.Past)
	if !ok {
		return seen, nil
	}
	s, err := past.SnapshotAt(ctx, b.r.From)
	switch {
	case errors.Is(err, table.ErrNoVersion):
		return seen, nil
	case err != nil:
		return "", err
	}
	return s.ID, nil
}

// enter adds one version. Removes come first: a version may put a file in the place of
// itself.
func (b *book) enter(e table.Entry) {
	var gone, come []table.File
	for _, f := range e.Removes {
		l := b.line(f, true)
		l.live = false
		if f.Moved {
			gone = append(gone, l.file)
		} else {
			l.net--
		}
	}
	for _, f := range e.Adds {
		l := b.line(f, false)
		l.file, l.added, l.live = f, true, true
		if f.Moved {
			come = append(come, f)
		} else {
			l.net++
		}
	}
	for _, m := range b.moved(gone, come) {
		b.moves = append(b.moves, m)
		if b.all(m.before, func(net int) bool { return net > 0 }) {
			b.count(m)
		}
	}
}

// count lets a move take part in the sum, which it does not change: rows that went count
// for those that came.
func (b *book) count(m *move) {
	m.counted = true
	for _, f := range m.before {
		b.files[f.Key()].net--
	}
	for _, f := range m.after {
		b.files[f.Key()].net++
	}
}

// countMore lets moves take part whose files count as come or gone without being there,
// and reports whether there was one.
func (b *book) countMore() (more bool) {
	for _, m := range b.moves {
		came := func(f table.File) bool { return b.files[f.Key()].net > 0 }
		went := func(f table.File) bool { return b.files[f.Key()].net < 0 }
		if !m.counted && (slices.ContainsFunc(m.before, came) || slices.ContainsFunc(m.after, went)) {
			b.count(m)
			more = true
		}
	}
	return more
}

func (b *book) all(files []table.File, holds func(net int) bool) bool {
	for _, f := range files {
		if !holds(b.files[f.Key()].net) {
			return false
		}
	}
	return len(files) > 0
}

// line is that of a file, which went if it is named for the first time.
func (b *book) line(f table.File, went bool) *line {
	key := f.Key()
	l, ok := b.files[key]
	if !ok {
		l = &line{file: f, was: went}
		b.files[key] = l
		b.order = append(b.order, key)
	}
	return l
}

// close makes the feed of what was entered. Rows that moved and are all gone since count
// as gone from where they were before.
func (b *book) close(ctx context.Context) error {
	for _, m := range slices.Backward(b.moves) {
		if !m.counted && b.all(m.after, func(net int) bool { return net < 0 }) {
			b.count(m)
		}
	}
	for b.r.Present && b.countMore() {
		continue
	}
	for _, m := range b.moves {
		if !m.counted {
			b.feed.Moves = append(b.feed.Moves, Move{Before: plain(m.before), After: plain(m.after)})
		}
	}
	came, went := map[string][]table.File{}, map[string][]table.File{}
	var paths []string
	for _, key := range b.order {
		l := b.files[key]
		if l.net == 0 {
			continue
		}
		file, err := b.whole(ctx, l)
		if err != nil {
			return err
		}
		if len(came[key.Path])+len(went[key.Path]) == 0 {
			paths = append(paths, key.Path)
		}
		for range max(l.net, -l.net) {
			if l.net > 0 {
				came[key.Path] = append(came[key.Path], file)
			} else {
				went[key.Path] = append(went[key.Path], file)
			}
		}
	}
	for _, path := range paths {
		if err := b.settle(ctx, came[path], went[path]); err != nil {
			return err
		}
	}
	return nil
}

// settle enters the files of one path into the feed: one that came in the place of one
// that went is the same file with other rows deleted.
func (b *book) settle(ctx context.Context, came, went []table.File) error {
	for len(came) > 0 && len(went) > 0 {
		part, err := b.between(ctx, went[0], came[0])
		if err != nil {
			return err
		}
		if len(part.Removed)+len(part.Added) > 0 {
			b.feed.Partly = append(b.feed.Partly, part)
		}
		came, went = came[1:], went[1:]
	}
	b.feed.Added = append(b.feed.Added, came...)
	b.feed.Removed = append(b.feed.Removed, went...)
	return nil
}

// between is what one deletion vector of a file deletes and another does not.
func (b *book) between(ctx context.Context, before, after table.File) (Part, error) {
	old, err := b.t.Deleted(ctx, before)
	if err != nil {
		return Part{}, fmt.Errorf("rows deleted of %s: %w", before.Path, err)
	}
	now, err := b.t.Deleted(ctx, after)
	if err != nil {
		return Part{}, fmt.Errorf("rows deleted of %s: %w", after.Path, err)
	}
	return Part{File: after, Removed: without(now, old), Added: without(old, now)}, nil
}

// without are the numbers of a that b lacks; both ascend.
func without(a, b []int64) []int64 {
	var out []int64
	for _, n := range a {
		for len(b) > 0 && b[0] < n {
			b = b[1:]
		}
		if len(b) == 0 || b[0] != n {
			out = append(out, n)
		}
	}
	return out
}

// told reports whether the log repeats what there is to know of a file that it removes.
func (b *book) told(f table.File) bool {
	return f.Size >= 0 && (f.Partition != nil || len(b.feed.Snapshot.Partitions) == 0)
}

// whole is the file of a line with all that there is to know of it, and whether its rows
// moved on: a file that came and is there no more without that rows went with it, and one
// that went with rows that others had at From.
func (b *book) whole(ctx context.Context, l *line) (table.File, error) {
	f := l.file
	f.Moved = l.net > 0 && !l.live || l.net < 0 && !l.was
	if l.added || b.told(f) {
		return f, nil
	}
	if b.past == nil {
		past, ok := b.t.(table.Past)
		if !ok {
			return f, errors.New("the table tells nothing of older versions")
		}
		s, err := past.SnapshotAt(ctx, b.r.From)
		switch {
		case errors.Is(err, table.ErrCleaned):
			return f, cleaned(b.r.From)
		case err != nil:
			return f, err
		}
		b.past = s.Files()
	}
	known, ok := b.past[f.Key()]
	if !ok {
		return f, diag.New(diag.LogBroken, "found a remove of %s, want an add of it before", diag.Quote(f.Path)).
			Hinted("the log was edited; restore it from a backup")
	}
	known.Moved = f.Moved
	return known, nil
}

// plain leaves out what a version says of files that it moved.
func plain(files []table.File) []table.File {
	files = slices.Clone(files)
	for i := range files {
		files[i].Moved = false
	}
	return files
}
