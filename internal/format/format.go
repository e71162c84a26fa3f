// Package format recognises and decodes the files of a feed.
//
// Each subpackage decodes one format: it reads an object's bytes once, from
// start to end, and yields slabs of records. Decoding accounts for every byte.
package format

import (
	"context"
	"iter"

	"landfall/internal/column"
)

// Account says where every byte of an object's text went, counted after
// decompression and in UTF-8: In = Records + Framing + Bad.
type Account struct {
	In int64
	// Records is the text of good records with their separators and quotes.
	Records int64
	// Framing is the rest that carries no values: byte order mark, header, line
	// ends, blank lines, comments.
	Framing int64
	// Bad is the text of records that could not be parsed.
	Bad int64
}

// Reader yields the records of one object.
type Reader interface {
	// Header returns the field names as the file spells them, in file order.
	// A file without any bytes or records may have none.
	Header() []string
	// Dialect describes how the file is written, for events: "comma, UTF-8".
	Dialect() string
	// Slabs yields the records in order. A slab is valid until the next is
	// asked for. An error ends it: *diag.Diagnostic if the file is at fault,
	// anything else is the store's. Slabs before the error hold, unless its code
	// is diag.FileCorrupt: a checksum that comes after the data is wrong then,
	// nothing says where the damage is, and none of the slabs may be kept.
	Slabs(ctx context.Context) iter.Seq2[*column.Slab, error]
	// Records is the number of records cut so far, the bad ones included.
	Records() int64
	// Account accounts for the text read so far.
	Account() Account
}
