package datafile

import (
	"context"
	"errors"

	"landfall/internal/schema"
	"landfall/internal/store"
)

// Packer puts the loads of many writers into data files, in the order in which
// they come: what lies in which file does not depend on who wrote it. One
// goroutine uses it at a time. After an error every call returns it: Abort is all
// that is left to do.
type Packer struct {
	s     store.Store
	table schema.Struct
	o     Options
	// streams are of the forms that row groups have, in the order in which these
	// were met.
	streams []*stream
	forms   map[string]*packing
	files   []File
	err     error
}

// packing is where the row groups of a form go.
type packing struct {
	form   *form
	stream *stream
}

// NewPacker returns a packer of data files with the columns of table.
func NewPacker(s store.Store, table schema.Struct, o Options) *Packer {
	return &Packer{s: s, table: table, o: o.filled(), forms: map[string]*packing{}}
}

// Add takes a load over. Its row groups follow those of the loads before.
func (p *Packer) Add(ctx context.Context, l Load) error {
	if p.err != nil {
		return p.err
	}
	p.files = append(p.files, l.Files...)
	for _, g := range l.groups {
		to := p.packing(g.form)
		g.form = to.form
		if p.err = to.stream.append(ctx, g); p.err != nil {
			return p.err
		}
		p.files, to.stream.done = append(p.files, to.stream.done...), nil
	}
	return nil
}

// packing finds where groups of a form go.
func (p *Packer) packing(f *form) *packing {
	key := ""
	if f != nil {
		key = f.key
	}
	to := p.forms[key]
	if to == nil {
		to = &packing{f, &stream{s: p.s, table: p.table, o: p.o}}
		p.forms[key], p.streams = to, append(p.streams, to.stream)
	}
	return to
}

// Close finishes the last files and returns all.
func (p *Packer) Close(ctx context.Context) ([]File, error) {
	if p.err != nil {
		return nil, p.err
	}
	for _, s := range p.streams {
		if p.err = s.roll(ctx); p.err != nil {
			return nil, p.err
		}
		p.files = append(p.files, s.done...)
	}
	p.err = errClosed
	return p.files, nil
}

// Abort drops what is not finished; after Close it does nothing, so it may be
// deferred. It deletes no finished file.
func (p *Packer) Abort(ctx context.Context) error {
	if p.err == nil {
		p.err = errClosed
	}
	var errs []error
	for _, s := range p.streams {
		if s.open != nil {
			errs = append(errs, s.open.abort(ctx))
		}
		s.open = nil
	}
	return errors.Join(errs...)
}
