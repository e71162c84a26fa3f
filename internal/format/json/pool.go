package json

import (
	"context"
	"iter"
	"sync"

	"landfall/internal/column"
	"landfall/internal/format"
)

// Pool keeps the memory of readers that are at their end for those that begin: most
// files are small. The zero value is empty. Readers on any goroutine may share one.
type Pool struct {
	mu sync.Mutex
	// spare is no sync.Pool: what such a one holds counts as live until the second
	// collection, so that a program with many of them grows without bound.
	spare []*memory
}

// mostSpare is for how many readers a pool keeps memory.
const mostSpare = 16

// memory is what a reader fills with one file after the other.
type memory struct {
	room          format.Room
	scan, probe   *column.Shapes
	nodes, probed []column.Node
	tail          []byte
	records       []int64
	where         []column.Where
	roots, cells  []uint32
}

// mostNodes is how many nodes a pool keeps space for.
const mostNodes = 1 << 18

// take returns memory that nobody uses.
func (p *Pool) take() *memory {
	if p == nil {
		return &memory{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.spare) - 1
	if last < 0 {
		return &memory{}
	}
	m := p.spare[last]
	p.spare = p.spare[:last]
	return m
}

// put keeps memory that nobody uses any more.
func (p *Pool) put(m *memory) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.spare) < mostSpare {
		p.spare = append(p.spare, m)
	}
}

// use begins to fill m.
func (r *Reader) use(m *memory) {
	r.memory = m
	if m.scan == nil || m.scan.Full() {
		m.scan = column.NewShapes()
	}
	if m.probe == nil || m.probe.Full() {
		m.probe = column.NewShapes()
	}
	r.scan.shapes, r.probe.shapes = m.scan, m.probe
	r.scan.nodes, r.probe.nodes, r.scan.tail = m.nodes, m.probed, m.tail
	r.slab.Records, r.slab.Where = m.records, m.where
	r.tape.Roots, r.tape.Cells = m.roots, m.cells
}

// giveBack gives the memory to the pool, if there is one. The last slab is void then, as
// it would be if another had been asked for.
func (r *Reader) giveBack() {
	m := r.memory
	if r.o.Pool == nil || m == nil || cap(r.scan.nodes) > mostNodes || cap(r.probe.nodes) > mostNodes {
		return
	}
	m.nodes, m.probed, m.tail = r.scan.nodes[:0], r.probe.nodes[:0], r.scan.tail[:0]
	m.records, m.where = r.slab.Records[:0], r.slab.Where[:0]
	m.roots, m.cells = r.tape.Roots[:0], r.tape.Cells[:0]
	r.in.Leave()
	r.memory, r.slab, r.tape = nil, column.Slab{}, column.Tape{}
	r.scan, r.probe = scanner{}, scanner{}
	r.o.Pool.put(m)
}

// Slabs yields the records in order (see format.Reader). The buffers of a slab
// are used again for the next, and with a pool for the next file.
func (r *Reader) Slabs(ctx context.Context) iter.Seq2[*column.Slab, error] {
	return func(yield func(*column.Slab, error) bool) {
		for slab, err := range r.in.Slabs(ctx, r.next) {
			if !yield(slab, err) {
				return
			}
		}
		r.giveBack()
	}
}
