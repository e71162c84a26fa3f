// Package reread reads objects that landed once more.
//
// An object is decoded and fitted again as on the day it landed, so that what it
// says can be laid beside the rows that the table has of it. [Cells] writes both
// in one form: as text, in the types that the table has now. Nothing is written.
package reread

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/format"
	"landfall/internal/part"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/value"
)

// Decoder begins to decode an object. A file at fault is a *diag.Diagnostic.
type Decoder func(ctx context.Context, path string, in Input) (format.Reader, error)

// Input is an object's bytes, to be read once from start to end; ReadAt gives a
// second look at a part.
type Input interface {
	io.Reader
	io.ReaderAt
	// Size is the number of bytes.
	Size() int64
}

// Source says where objects are and how they are read.
type Source struct {
	Files  store.Store
	Decode Decoder
	// Tree says that records are trees, Forms in which forms values are written;
	// nil means the default.
	Tree   bool
	Forms  *value.Forms
	Policy contract.Policy
}

// Object is an object that landed.
type Object struct {
	Path string
	// URL names it in the table.
	URL string
	// Version is the contract under which it landed, At the time that its rows
	// bear.
	Version contract.Version
	At      time.Time
	// Evidence is what its values look like, which the policies on misfits ask for;
	// nil if that is not known, or none of them asks ([part.TellsApart]).
	Evidence *contract.ObjectEvidence
}

// Piece is a stretch of an object as it is fitted again. It is valid until the
// next.
type Piece struct {
	Header []string
	// Slab is what was read; rows that do not land are in it too.
	Slab  *column.Slab
	Batch column.Batch
	// Records has the number of the record of each row of the batch, counted from
	// 1 over all records of the object.
	Records []int64
	// Out are the records that are held.
	Out []column.Bad
}

// Sum is what reading an object came to.
type Sum struct {
	// Hash is the xxh3 of its bytes.
	Hash string
	// Rows would land, Held go to quarantine, and Dropped be dropped by a rule.
	Rows, Held, Dropped int64
	Cells               conform.Counts
	// Rest is the one among the held where the file breaks off; nil if it does not.
	Rest *column.Bad
}

// Schema returns the columns that batches of a version have.
func (s Source) Schema(v contract.Version) (schema.Struct, error) {
	return contract.TableSchema(v, s.Policy)
}

// Hash returns the xxh3 of an object's bytes, and what the store says of it; its
// error may be store.ErrNotExist.
func (s Source) Hash(ctx context.Context, path string) (string, store.Info, error) {
	obj, err := s.Files.Open(ctx, path)
	if err != nil {
		return "", store.Info{}, err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	sum, err := store.NewReading(obj).Sum()
	return sum, obj.Info(), err
}

// Read decodes an object and fits it. A file that breaks off keeps its whole
// records, and the rest counts as one that is held. The error is a
// *diag.Diagnostic if the file cannot be read as it was.
func (s Source) Read(ctx context.Context, o Object, use func(Piece) error) (Sum, error) {
	obj, err := s.Files.Open(ctx, o.Path)
	if err != nil {
		return Sum{}, fmt.Errorf("open %s: %w", s.Files.URL(o.Path), err)
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	in := store.NewReading(obj)
	r, err := s.Decode(ctx, o.Path, in)
	if err != nil {
		return Sum{}, err
	}
	fit, err := s.fitter(o, r)
	if err != nil {
		return Sum{}, err
	}
	var sum Sum
	for slab, err := range r.Slabs(ctx) {
		if err != nil {
			var why *diag.Diagnostic
			if !errors.As(err, &why) || why.Code == diag.FileCorrupt || sum.Rows+sum.Held+sum.Dropped == 0 {
				return sum, err
			}
			sum.Held++
			sum.Rest = &column.Bad{Record: why.At.Record, Line: why.At.Line, Offset: why.At.Offset, Code: string(why.Code)}
			break
		}
		if err := sum.add(r.Header(), fit, slab, use); err != nil {
			return sum, err
		}
	}
	sum.Hash, err = in.Sum()
	return sum, err
}

// fitter fits an object to the version under which it landed.
func (s Source) fitter(o Object, r format.Reader) (*conform.Fitter, error) {
	table, err := s.Schema(o.Version)
	if err != nil {
		return nil, err
	}
	_, folders := contract.Folders(o.Path)
	object := conform.Object{
		Path: o.Path, URL: o.URL, Header: r.Header(), Tree: s.Tree, Partitions: folders, IngestedAt: o.At, Forms: s.Forms,
	}
	if typed, ok := r.(interface{ Types() []schema.Type }); ok {
		object.Types = typed.Types()
	}
	policy := s.Policy
	if o.Evidence != nil {
		policy, _ = part.Judged(o.Version, policy, *o.Evidence)
	}
	return conform.New(o.Version, policy, table, object)
}

// add fits a slab and hands it over.
func (s *Sum) add(header []string, fit *conform.Fitter, slab *column.Slab, use func(Piece) error) error {
	fitted, err := fit.Fit(slab)
	if err != nil {
		return err
	}
	s.Rows += int64(fitted.Batch.Rows)
	s.Held += int64(len(fitted.Out))
	s.Dropped += fitted.Counts.Dropped
	s.Cells.Add(fitted.Counts)
	records, err := recordsOf(slab, fitted)
	if err != nil {
		return err
	}
	return use(Piece{header, slab, fitted.Batch, records, fitted.Out})
}

// recordsOf numbers the rows of a batch by their records: those of the slab that
// were not kept out, then malformed ones that land all the same.
func recordsOf(slab *column.Slab, fitted conform.Fitted) ([]int64, error) {
	out := make(map[int64]bool, len(fitted.Out))
	for i := range fitted.Out {
		out[fitted.Out[i].Record] = true
	}
	records := make([]int64, 0, fitted.Batch.Rows)
	for _, r := range slab.Records {
		if !out[r] {
			records = append(records, r)
		}
	}
	for i := range slab.Bad {
		if r := slab.Bad[i].Record; len(records) < fitted.Batch.Rows && !out[r] {
			records = append(records, r)
		}
	}
	if len(records) != fitted.Batch.Rows {
		return nil, fmt.Errorf("found %d records for %d rows", len(records), fitted.Batch.Rows)
	}
	return records, nil
}
