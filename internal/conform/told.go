package conform

import "landfall/internal/verdict"

// Counts accounts for the cells of some rows.
type Counts = verdict.Counts

// Misfits sums up the values of one path that no column took for one reason.
type Misfits = verdict.Misfits

// Remark sums up what a policy lets pass, but not without saying so.
type Remark = verdict.Remark

// Misfits returns what no column took so far, in the order of the header and of
// folders, and of trees as it was met.
func (f *Fitter) Misfits() []Misfits { return f.book.Misfits() }

// Remarks returns what else there is to tell.
func (f *Fitter) Remarks() []Remark { return f.book.Remarks() }
