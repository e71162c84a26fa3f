package repair

import (
	"context"
	"errors"

	"landfall/internal/diag"
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
	if errors.Is(err, store.ErrNotExist) {
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
	r, err := c.prove(ctx, c.Source, c.Home, workers, told)
	if err != nil {
		return nil, err
	}
	if r.Since, err = c.since(ctx, c.Source); err != nil {
		return nil, err
	}
	if c.Form == Folder {
		r.Strange, err = c.strange(ctx, c.Home)
	}
	return r, err
}
