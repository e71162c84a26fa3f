package checkpoint

import (
	"fmt"
	"io"

	"landfall/internal/parquetfile"
	"landfall/internal/table/delta/action"
)

// Write writes actions as one Parquet file, a row each, in their order. It
// keeps everything but remove.stats and remove.tags, which no checkpoint has.
func Write(w io.Writer, acts []*action.Action) (parquetfile.Footer, error) {
	f, err := parquetfile.WriteArrow(w, layout(), records(acts), parquetfile.Options{Compression: parquetfile.Snappy})
	if err != nil {
		return f, fmt.Errorf("encode the checkpoint: %w", err)
	}
	return f, nil
}
