package datafile

import (
	"landfall/internal/parquetfile/encode"
	"landfall/internal/parquetfile/rowgroup"
)

// group is a row group with what a data file keeps of it.
type group struct {
	rowgroup.Group
	form  *form
	stats []rowgroup.ColumnStats
	parts []Part
}

// finished ends the row group of an encoder. It has no parts yet.
func finished(e *encode.Encoder) (group, error) {
	g, stats, err := e.Finish()
	return group{Group: g, stats: stats}, err
}
