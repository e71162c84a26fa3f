package reconcile

import (
	"context"
	"slices"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/reconcile/datum"
	"landfall/internal/schema"
)

// sink takes the rows of data files: teller is that of an object, done is called when
// n rows of it were told.
type sink struct {
	teller func(object int) *teller
	done   func(t *teller, object, n int)
}

// readFile adds the values of a data file to the objects that its rows come from.
func (r *run) readFile(ctx context.Context, i, worker int) error {
	w, f := &r.workers[worker], &r.Files[i]
	for _, s := range f.Runs {
		r.accounts[s.Object].ran(s)
	}
	all := sink{
		teller: func(object int) *teller { return w.teller(w.after, r.accounts[object].plan) },
		done: func(t *teller, object, n int) {
			a := &r.accounts[object]
			a.mu.Lock()
			defer a.mu.Unlock()
			a.rows.After += int64(n)
			t.end(a.after)
		},
	}
	var err error
	r.broken[i], err = r.readRows(ctx, f, all)
	return err
}

// readRows reads a data file; what is wrong with it becomes a difference.
func (r *run) readRows(ctx context.Context, f *DataFile, to sink) (*Difference, error) {
	obj, err := r.Copy.Open(ctx, f.Path)
	if err != nil {
		return excuse(f.Path, err)
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	p, err := open(obj, nil)
	if err == nil {
		err = r.tellFile(ctx, f, p, to)
	}
	if err != nil {
		return excuse(f.Path, err)
	}
	return nil, nil
}

// copied is a data file of the copy as it is being read.
type copied struct {
	*DataFile
	proof  *Proof
	fields []*field
	types  []schema.Type
	// at are the positions of the proof's columns in the file, −1 for none; rescue is
	// that of the rescue column.
	at     []int
	rescue int
	// links are those of the columns of the proof, by plan.
	links map[*plan][]*link
	// next is the run at hand, done how many of its rows are read.
	next int
	done int64
	// kept is the position of the next value of the rescue column.
	kept    int
	watched []bool
}

func newCopied(p *Proof, f *DataFile, fields []schema.Field) *copied {
	c := &copied{DataFile: f, proof: p, rescue: -1, links: map[*plan][]*link{}}
	at := map[string]int{}
	for i, g := range fields {
		c.types = append(c.types, g.Type)
		c.fields = append(c.fields, newField(g.Type))
		at[schema.Fold(g.Name)] = i
	}
	for i := range p.Columns {
		c.at = append(c.at, -1)
		if k, ok := at[schema.Fold(p.Columns[i].Name)]; ok {
			c.at[i] = k
		}
	}
	if k, ok := at[schema.Fold(p.Rescue)]; ok && c.types[k] == schema.Type(schema.String) {
		c.rescue = k
	}
	return c
}

// left says which columns of the file are not read.
func (c *copied) left() []bool {
	left := make([]bool, len(c.fields))
	for i := range left {
		left[i] = i != c.rescue && !slices.Contains(c.at, i)
	}
	return left
}

// linksOf links the columns of the proof with the nodes of a plan; no plan has none.
func (c *copied) linksOf(p *plan) []*link {
	links, ok := c.links[p]
	if !ok {
		links = make([]*link, len(c.at))
		for i, at := range c.at {
			t := c.proof.Columns[i].Type
			if at >= 0 {
				t = c.types[at]
			}
			if p != nil {
				links[i] = p.places[i].link(t)
			}
		}
		c.links[p] = links
	}
	return links
}

func (r *run) tellFile(ctx context.Context, f *DataFile, p *parquetfile.File, to sink) error {
	c := newCopied(r.Proof, f, p.Fields())
	rows, want := int64(0), int64(0)
	for _, s := range f.Runs {
		want += s.Rows
	}
	left := c.left()
	for b, err := range p.Without(ctx, left) {
		if err != nil {
			return err
		}
		if rows += int64(b.Rows); rows > want {
			break
		}
		for i := range c.fields {
			if !left[i] {
				c.fields[i].reset(b.Columns[i])
			}
		}
		c.kept = 0
		for from := 0; from < b.Rows; {
			from += r.tellRun(c, b, from, to)
		}
	}
	if rows != want {
		return diag.New(diag.FileCorrupt, "found %d rows, want the %d that were written", rows, want)
	}
	return nil
}

// tellRun adds the rows of a batch from one on that are of the run at hand, and
// returns how many these are.
func (r *run) tellRun(c *copied, b column.Batch, from int, to sink) int {
	for c.done == c.Runs[c.next].Rows {
		c.next, c.done = c.next+1, 0
	}
	at := c.Runs[c.next]
	n := int(min(int64(b.Rows-from), at.Rows-c.done))
	t := to.teller(at.Object)
	s := stretch{from: from, first: at.First + c.done, places: t.placesOf(at.First+c.done, n)}
	c.done += int64(n)
	t.begin(at.Object, r.accounts[at.Object].folders)
	c.tell(t, b, s)
	to.done(t, at.Object, n)
	return n
}

// tell adds the values of a stretch.
func (c *copied) tell(t *teller, b column.Batch, s stretch) {
	var texts []int
	if c.rescue >= 0 {
		texts = c.kepts(&b.Columns[c.rescue].Leaves[0], s)
		s.watched = c.watched
	}
	links := c.linksOf(t.plan)
	for i, at := range c.at {
		k := links[i]
		switch value, ok := c.Partition[c.proof.Columns[i].Name]; {
		case at >= 0:
			c.fields[at].tell(t, b.Columns[at], k, s)
		case ok && value != nil && k != nil && k.node.scalar():
			d, ok := datum.ReadForms(c.proof.Columns[i].Type, nil)([]byte(*value))
			if !ok {
				d = datum.Value{Kind: datum.Text, Text: []byte(*value)}
			}
			t.repeat(k.node, d, s, k.how)
		}
	}
	if t.plan == nil {
		return
	}
	for i, value := range texts {
		if value >= 0 {
			t.row = s.first + int64(i)
			t.watch = true
			t.rescued(b.Columns[c.rescue].Leaves[0].Text.Value(value), s.places[i])
		}
	}
	t.watch = false
	clear(t.seen)
}

// kepts finds the values of the rescue column of a stretch, −1 for none.
func (c *copied) kepts(l *column.Leaf, s stretch) []int {
	texts := make([]int, len(s.places))
	c.watched = c.watched[:0]
	for i := range texts {
		texts[i] = -1
		if l.Defs == nil || l.Defs[s.from+i] > 0 {
			texts[i] = c.kept
			c.kept++
		}
		c.watched = append(c.watched, texts[i] >= 0)
	}
	return texts
}

// ran notes where rows of an object are.
func (a *account) ran(s Run) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs = append(a.runs, s)
}
