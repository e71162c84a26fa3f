package verdict

import "fmt"

// Counts accounts for the cells of some rows:
// Cells = Typed + Null + Rescued + Ignored.
type Counts struct {
	// Rows are those of the batch, malformed records that land as rows included.
	Rows int64
	// Cells of flat input is rows × fields of the header, and the fields past
	// the header. Of trees it is the scalars, the nulls, and the objects and
	// arrays with nothing in them, wherever they stand; a member that is not
	// there is none. Of typed input it is the entries of the leaves of its columns,
	// as a Parquet footer counts them: one for a row of a column without parts, and
	// for each leaf of a row, element or entry of one with parts; those without a
	// value are null, also that of an empty array or map. To all come rows × folders whose value no column takes,
	// and one for each malformed record that lands.
	Cells int64
	// Typed cells are in a column. A field that repeats the value of its
	// folder's key is.
	Typed int64
	// Null cells hold nothing, those that a short record lacks included.
	Null    int64
	Rescued int64
	// Ignored cells are dropped as the policy says.
	Ignored int64
	// RaggedShort and RaggedLong are records with fewer or more fields than
	// the header.
	RaggedShort, RaggedLong int64
	// Malformed are the malformed records among Rows, Dropped those that the
	// policy drops.
	Malformed, Dropped int64
}

// Check refuses counts that leave cells out, or count some twice: a value would
// be lost in silence.
func (c *Counts) Check() error {
	if c.Cells != c.Typed+c.Null+c.Rescued+c.Ignored {
		return fmt.Errorf("%d cells, but typed %d + null %d + rescued %d + ignored %d", c.Cells, c.Typed, c.Null, c.Rescued, c.Ignored)
	}
	return nil
}

// Add adds o to c.
func (c *Counts) Add(o Counts) {
	c.Rows += o.Rows
	c.Cells += o.Cells
	c.Typed += o.Typed
	c.Null += o.Null
	c.Rescued += o.Rescued
	c.Ignored += o.Ignored
	c.RaggedShort += o.RaggedShort
	c.RaggedLong += o.RaggedLong
	c.Malformed += o.Malformed
	c.Dropped += o.Dropped
}
