package laws_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/format/csv"
	formatjson "landfall/internal/format/json"
	"landfall/internal/schema"
)

// parts are steps of a landing that a planted bug replaces.
type parts struct {
	// text is what a reader gets of a file.
	text func(string) string
	// options are those of tables.
	options csv.Options
	// observes tells whether slab i of an object is looked at.
	observes func(i int) bool
	// sorts puts the evidence, which comes in the order of the work, in that of
	// the objects.
	sorts func([]*object)
	stale func(before, after contract.Version, o contract.ObjectEvidence, p contract.Policy) bool
	// before is the contract that a batch begins with.
	before func(contract.Version) contract.Version
	// row changes a row on its way to the table.
	row func(*row)
}

func sound() parts {
	return parts{
		text:     func(text string) string { return text },
		options:  csv.Options{Delimiter: ",", Quote: '"', NoEscape: true, Encoding: "UTF-8"},
		observes: func(int) bool { return true },
		sorts:    func(all []*object) { slices.SortFunc(all, byTime) },
		stale:    evolution.Stale,
		before:   func(v contract.Version) contract.Version { return v },
		row:      func(*row) {},
	}
}

func byTime(a, b *object) int {
	return cmp.Or(cmp.Compare(a.mtime, b.mtime), cmp.Compare(a.path, b.path))
}

// inOrder returns files in the order that decides what is first.
func inOrder(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int {
		return cmp.Or(cmp.Compare(a.mtime, b.mtime), cmp.Compare(a.path, b.path))
	})
}

// landing is a table after some batches, and the contract.
type landing struct {
	*source
	parts
	version contract.Version
	table   *schema.Struct
	drift   []event.Drift
	objects []*object
	// history holds the contract after each batch.
	history []contract.Version
	// known remembers the readings of files, for all landings of a feed.
	known map[string]reading
	// pool is the memory of all readers.
	pool formatjson.Pool
}

// reading is what the standard library reads of an object.
func (l *landing) reading(o *object) (r reading, err error) {
	r, ok := l.known[o.path]
	if !ok {
		r, err = read(o.file, l.tree)
		l.known[o.path] = r
	}
	return r, err
}

// object is a file on its way, and what became of it.
type object struct {
	file
	n    int // position in the batch
	seen *contract.ObjectEvidence
	read int64 // records
	// refused says why nothing of it landed: unreadable, or of another feed.
	refused string
	foreign bool
	// misfit is set while only the guess does not take it.
	misfit bool
	rows   []row
	out    []column.Bad
	counts conform.Counts
	cut    int64 // values told as truncated
}

// row is a row of the table: its data columns, and what was rescued.
type row struct {
	record  int64
	cells   []cell
	rescued string
}

// batch lands some files.
func (l *landing) batch(files []file, h how) error {
	all := make([]*object, len(files))
	for i, f := range inOrder(files) {
		all[i] = &object{file: f, n: i}
	}
	l.version = l.before(l.version)
	guess, err := l.guess(all, h)
	if err != nil {
		return err
	}
	done, err := l.work(all, h, func(o *object) error { return l.decode(o, h, guess, true) })
	if err != nil {
		return err
	}
	l.sorts(done)
	r, err := evolution.Evolve(l.version, evidence(done), l.policy, l.table)
	l.drift = append(l.drift, r.Drift...)
	if err != nil {
		return err
	}
	again := slices.DeleteFunc(slices.Clone(all), func(o *object) bool {
		if why, foreign := r.Foreign[o.path]; foreign {
			o.refused, o.foreign = why, true
		}
		return o.refused != "" || guess != nil && !o.misfit && !l.stale(*guess, r.Version, *o.seen, l.policy)
	})
	if l.version = r.Version; h.guess == nil {
		h.workers = 1 + h.workers%3
	}
	_, err = l.work(again, h, func(o *object) error { return l.decode(o, h, &l.version, false) })
	table, err2 := l.schemaFor(l.version)
	l.table, l.objects, l.history = &table, append(l.objects, all...), append(l.history, l.version)
	return errors.Join(err, err2)
}

// guess is the contract under which objects are read first, nil for none.
func (l *landing) guess(all []*object, h how) (*contract.Version, error) {
	if h.guess == nil {
		return nil, nil //nolint:nilnil // none
	}
	if v := l.version; len(v.Columns) > 0 {
		return &v, nil
	}
	var some []*object
	for _, i := range h.guess {
		if i < len(all) {
			some = append(some, &object{file: all[i].file})
		}
	}
	slices.SortFunc(some, byTime)
	first := &landing{source: l.source, parts: l.parts}
	first.observes = func(i int) bool { return i == 0 }
	for _, o := range some {
		if err := first.decode(o, h, nil, true); err != nil {
			return nil, err
		}
	}
	r, err := evolution.Evolve(l.version, evidence(some), l.policy, l.table)
	if err != nil {
		return &contract.Version{}, nil //nolint:nilerr // the evidence of all will tell
	}
	return &r.Version, nil
}

func evidence(objects []*object) evolution.Evidence {
	var ev evolution.Evidence
	for _, o := range objects {
		if o.seen != nil && o.refused == "" {
			ev.Objects = append(ev.Objects, *o.seen)
		}
	}
	return ev
}

// work deals objects to workers, and returns them as they were done.
func (l *landing) work(all []*object, h how, do func(*object) error) ([]*object, error) {
	var dealt []*object
	for _, i := range h.order {
		if at := slices.IndexFunc(all, func(o *object) bool { return o.n == i }); at >= 0 {
			dealt = append(dealt, all[at])
		}
	}
	var g sync.WaitGroup
	faults := make([]error, h.workers)
	for w := range h.workers {
		g.Go(func() {
			for i := w; i < len(dealt); i += h.workers {
				faults[w] = errors.Join(faults[w], do(dealt[i]))
			}
		})
	}
	g.Wait()
	return dealt, errors.Join(faults...)
}

// schemaFor is the schema of the table under a version.
func (l *landing) schemaFor(v contract.Version) (schema.Struct, error) {
	if l.table == nil {
		return contract.TableSchema(v, l.policy)
	}
	s, _, err := contract.Extend(*l.table, v, l.policy)
	return s, err
}

// String writes down all that a landing came to.
func (l *landing) String() string {
	var b strings.Builder
	for _, v := range l.history {
		text, err := json.Marshal(v)
		fmt.Fprintf(&b, "%s %v\n", text, err)
	}
	text, err := json.Marshal(l.drift)
	fmt.Fprintf(&b, "%s %v\n", text, err)
	if l.table != nil {
		fmt.Fprintf(&b, "%s\n", l.table)
	}
	for _, o := range l.objects {
		fmt.Fprintf(&b, "%s: %d records, %q, %+v\n", o.path, o.read, o.refused, o.counts)
		if o.refused != "" {
			continue
		}
		for _, r := range o.rows {
			fmt.Fprintf(&b, "%s %d: %s rescued %s\n", o.path, r.record, show(r.cells), r.rescued)
		}
		for _, out := range o.out {
			fmt.Fprintf(&b, "%s %d: out %s %s %q\n", o.path, out.Record, out.Code, out.Reason, out.Bytes)
		}
	}
	return b.String()
}
