package inspect

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"landfall/internal/diag"
	"landfall/internal/parquetfile/footer"
	"landfall/internal/store"
)

// seen is what came of one file.
type seen struct {
	file    File
	nodes   *shape
	bad     *Unreadable
	changed bool
	gone    bool
}

// shape is a schema as a worker met it.
type shape struct {
	nodes []Node
	key   string
	// dated says that it has days or instants.
	dated bool
	// elements are what nodes are of.
	elements []footer.Element
}

// scan reads the ends of the files. What it returns is in the order of the files.
func scan(ctx context.Context, files store.Store, of []store.Info, o Options) ([]seen, error) {
	out := make([]seen, len(of))
	var next atomic.Int64
	told := teller{o: o, p: Progress{Files: len(of)}}
	for _, f := range of {
		told.p.Bytes += f.Size
	}
	workers := o.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	g, ctx := errgroup.WithContext(ctx)
	for range min(workers, len(of)) {
		g.Go(func() error {
			w := worker{files: files, dates: o.Dates, text: reader{o.Open, o.text, o.Sample}, shapes: map[*footer.Schema]*shape{}, writers: map[string]string{}}
			for {
				i := int(next.Add(1) - 1)
				if i >= len(of) {
					return nil
				}
				var err error
				if out[i], err = w.file(ctx, of[i]); err != nil {
					return err
				}
				told.tell(of[i].Size)
			}
		})
	}
	return out, g.Wait()
}

// teller tells how far the workers are.
type teller struct {
	o  Options
	mu sync.Mutex
	p  Progress
}

// every is after how many files there is news.
const every = 64

func (t *teller) tell(bytes int64) {
	if t.o.Progress == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.p.Done++
	t.p.BytesDone += bytes
	if t.p.Done%every == 0 || t.p.Done == t.p.Files {
		t.o.Progress(t.p)
	}
}

// worker reads files one after another.
type worker struct {
	files   store.Store
	dates   bool
	text    reader
	scan    footer.Scanner
	shapes  map[*footer.Schema]*shape
	writers map[string]string
}

// file reads the end of a file. The error is the store's; what the file is to
// blame for is in what is returned.
func (w *worker) file(ctx context.Context, listed store.Info) (seen, error) {
	o, err := w.files.Open(ctx, listed.Key)
	if errors.Is(err, store.ErrNotExist) {
		return seen{file: File{Path: listed.Key}, changed: true, gone: true}, nil
	}
	if errors.Is(err, store.ErrPermission) {
		bad := Unreadable{Path: listed.Key, Code: diag.NoPermission, Message: "no permission: it may not be read", Bytes: listed.Size}
		return seen{file: File{Path: listed.Key, Bytes: listed.Size, Modified: listed.ModTime, version: listed.Version}, bad: &bad}, nil
	}
	if err != nil {
		return seen{}, err
	}
	defer o.Close() //nolint:errcheck // nothing was written
	now := o.Info()
	if now.Version != listed.Version {
		return seen{file: File{Path: listed.Key}, changed: true}, nil
	}
	if w.text.format != "" {
		return w.text.file(ctx, o)
	}
	out := seen{file: File{Path: now.Key, Bytes: now.Size, Modified: now.ModTime, version: now.Version}}
	sum, err := w.scan.Scan(o, now.Size)
	if err != nil {
		bad, err := unreadable(o, now.Size, err)
		bad.Path = now.Key
		out.bad = &bad
		return out, err
	}
	out.file.Rows = sum.Rows
	out.file.Writer = w.writer(sum.Writer())
	out.nodes = w.shape(sum.Schema)
	out.file.Legacy = out.nodes.dated && sum.Mentions("org.apache.spark.legacy")
	if w.dates && out.nodes.dated {
		return w.bounds(o, out)
	}
	return out, nil
}

// bounds adds what the bounds of a file say. A footer may be broken behind its
// schema.
func (w *worker) bounds(o store.Object, s seen) (seen, error) {
	var err error
	if s.file.Ancient, err = ancient(o, s.file.Bytes, s.nodes.nodes); err == nil {
		return s, nil
	}
	bad, err := unreadable(o, s.file.Bytes, err)
	bad.Path = s.file.Path
	s.bad = &bad
	return s, err
}

// writer returns one text for all equal names.
func (w *worker) writer(name []byte) string {
	if s, ok := w.writers[string(name)]; ok {
		return s
	}
	s := string(name)
	w.writers[s] = s
	return s
}

func (w *worker) shape(s *footer.Schema) *shape {
	if known := w.shapes[s]; known != nil {
		return known
	}
	nodes := nodesOf(s.Elements)
	dated := slices.ContainsFunc(nodes, func(n Node) bool {
		return n.Type == "date" || n.Type == typeTimestamp || n.Type == "timestamp_ntz"
	})
	out := &shape{nodes, key(nodes), dated, s.Elements}
	w.shapes[s] = out
	return out
}

// gather makes groups of what the workers saw.
func (r *Report) gather(found []seen) {
	r.Unreadable, r.Changed, r.Groups = []Unreadable{}, []string{}, []Group{}
	slices.SortStableFunc(found, func(a, b seen) int {
		return cmp.Or(a.file.Modified.Compare(b.file.Modified), cmp.Compare(a.file.Path, b.file.Path))
	})
	r.Read = make([]File, 0, len(found))
	ids := map[string]int{}
	counts := []map[string]int{}
	for _, s := range found {
		switch {
		case s.changed:
			r.Changed = append(r.Changed, s.file.Path)
			if !s.gone {
				r.moving = append(r.moving, s.file.Path)
			}
			continue
		case s.bad != nil:
			s.bad.version = s.file.version
			r.Unreadable = append(r.Unreadable, *s.bad)
			continue
		}
		id, ok := ids[s.nodes.key]
		if !ok {
			id = len(r.Groups) + 1
			ids[s.nodes.key] = id
			r.Groups = append(r.Groups, Group{ID: id, First: s.file.Modified, Schema: s.nodes.nodes, Example: s.file.Path, key: s.nodes.key, elements: s.nodes.elements})
			counts = append(counts, map[string]int{})
		}
		g := &r.Groups[id-1]
		g.Files++
		g.Rows += s.file.Rows
		g.Bytes += s.file.Bytes
		g.Last = s.file.Modified
		counts[id-1][s.file.Writer]++
		s.file.Group = id
		r.Files++
		r.Rows += s.file.Rows
		r.Bytes += s.file.Bytes
		r.Read = append(r.Read, s.file)
	}
	for i, names := range counts {
		r.Groups[i].Writers = byCount(names)
	}
	slices.SortFunc(r.Unreadable, func(a, b Unreadable) int { return cmp.Compare(a.Path, b.Path) })
	slices.Sort(r.Changed)
	slices.Sort(r.moving)
}

func byCount(names map[string]int) []Writer {
	out := make([]Writer, 0, len(names))
	for name, n := range names {
		out = append(out, Writer{name, n})
	}
	slices.SortFunc(out, func(a, b Writer) int { return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Name, b.Name)) })
	return out
}
