package repair

import (
	"context"
	"errors"

	"landfall/internal/diag"
	"landfall/internal/reconcile"
	"landfall/internal/store"
)

// Copy is a finished copy.
type Copy struct {
	*proof
	// Home is where it is, Source where its files are: the one may have taken the place
	// of the other.
	Home, Source store.Store
	// Swapped says that it did.
	Swapped bool
}

// Open finds the copy that was published at a place, in its home or in that of its
// source, which open opens by its URL. One that is in neither, or not whole, is the last
// that was.
func Open(ctx context.Context, p Place, open func(url string) (store.Store, error)) (*Copy, error) {
	r := &Report{}
	err := readRecord(ctx, p.Records(), jsonFile, r)
	if errors.Is(err, store.ErrNotExist) { // a process died right after it published
		found, err := proofIn(ctx, p.Records(), p.Out())
		if err == nil && found != nil {
			source, err := open(found.Source)
			return &Copy{proof: found, Home: p.Out(), Source: source}, err
		}
		return nil, diag.New(diag.Usage, "there is no record of a copy that was finished").In(diag.Place{File: p.Records().URL("")}).
			Hinted("name the folder of a copy; make one: landfall repair FOLDER --to OUT")
	}
	if err != nil {
		return nil, err
	}
	if !r.Reconciled {
		return nil, diag.New(diag.CopyDiffers, "the copy does not hold what its files do").In(diag.Place{File: p.Records().URL(htmlFile)}).
			Hinted("make it again: landfall repair FOLDER --to OUT")
	}
	source, err := open(r.Source)
	if err != nil {
		return nil, err
	}
	c := &Copy{Home: p.Out(), Source: source}
	if c.proof, err = readProof(ctx, p.Records(), r.ID); err != nil {
		return nil, err
	}
	here, err := c.in(ctx, c.Home)
	if err != nil || here {
		return c, err
	}
	if c.Swapped, err = c.in(ctx, source); c.Swapped {
		c.Home, c.Source = c.Source, c.Home
	}
	return c, err
}

// Report is what was proven when the copy was made.
func (c *Copy) Report() *Report { return c.report }

// Verify proves the copy again: that it holds what its files do, that these are all of
// the source's, and that nothing else is in it.
func (c *Copy) Verify(ctx context.Context, workers int, told func(files, done int)) (*Report, error) {
	r, err := c.again(ctx, workers, told)
	if err != nil {
		return nil, err
	}
	r.Since, r.Strange, err = c.Standing(ctx)
	return r, err
}

// again proves the values of the copy again. One that was divided was proven before that:
// its rows are still those, and its files those that they were proven of, by their bytes.
func (c *Copy) again(ctx context.Context, workers int, told func(files, done int)) (*Report, error) {
	if c.Sums == nil {
		return c.prove(ctx, c.Source, c.Home, workers, told)
	}
	r := *c.report
	d, err := c.dividing()
	if err != nil {
		return nil, err
	}
	now := *c.manifest
	if now.Sums, err = d.sums(ctx, c.Home, c.Files); err != nil {
		if d := broken(err); d != nil {
			r.differs(*d)
			return &r, nil
		}
		return nil, err
	}
	now.differ(&r, c.Sums)
	for i, o := range c.Objects {
		if err := c.unchanged(ctx, &r, o); err != nil {
			return nil, err
		}
		if told != nil {
			told(len(c.Objects), i+1)
		}
	}
	return &r, nil
}

// broken is the difference that an error of reading the copy is, nil if it is none.
func broken(err error) *reconcile.Difference {
	var why *diag.Diagnostic
	switch {
	case errors.Is(err, store.ErrNotExist):
		return &reconcile.Difference{What: reconcile.Gone, After: err.Error()}
	case errors.As(err, &why):
		return &reconcile.Difference{What: reconcile.Unreadable, After: err.Error()}
	}
	return nil
}

// unchanged looks whether a file of the source has the bytes that it had.
func (c *Copy) unchanged(ctx context.Context, r *Report, o object) error {
	sum, err := hashOf(ctx, c.Source, o.Path)
	if errors.Is(err, store.ErrNotExist) {
		r.differs(reconcile.Difference{File: o.Path, What: reconcile.Gone})
		return nil
	}
	if err == nil && sum != o.Hash {
		r.differs(reconcile.Difference{File: o.Path, What: reconcile.Changed, Before: "xxh3 " + o.Hash, After: "xxh3 " + sum})
	}
	return err
}
