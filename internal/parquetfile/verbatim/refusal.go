package verbatim

import (
	"fmt"

	"landfall/internal/schema"
)

// Refusal says why a column, or a file, is not copied. It is no fault of the file:
// what is refused can still be decoded.
type Refusal struct {
	Reason Reason
	// Path is the column or the part of one; empty for the whole file.
	Path schema.Path
	// Detail says what was found, for people.
	Detail string
}

// Error gives the reason with its details.
func (r *Refusal) Error() string {
	if len(r.Path) == 0 {
		return fmt.Sprintf("not copied (%s): %s", r.Reason, r.Detail)
	}
	return fmt.Sprintf("%s: not copied (%s): %s", r.Path, r.Reason, r.Detail)
}

// Reason is why something is not copied.
type Reason string

// The reasons.
const (
	// Encrypted: some of the data is.
	Encrypted Reason = "encrypted"
	// Elsewhere: data is in another file.
	Elsewhere Reason = "elsewhere"
	// LegacyCalendar: days must be rebased.
	LegacyCalendar Reason = "legacy_calendar"
	// Place: chunks or pages are not where the footer says, or overlap.
	Place Reason = "place"
	// Pages: the headers of pages contradict the footer, or cannot be read.
	Pages Reason = "pages"
	// Checksum: the bytes of a page are not those its writer summed up.
	Checksum Reason = "checksum"
	// Codec and Encoding: there are readers of tables that do not have it.
	Codec    Reason = "codec"
	Encoding Reason = "encoding"
	// Type: the values are not exactly those of the table's type, as it is written.
	Type Reason = "type"
	// Shape: the parts of a nested column are not those of the table's.
	Shape Reason = "shape"
	// Name: two parts have one name, or one that differs in its casing.
	Name Reason = "name"
	// Bounds: only statistics could tell that all values are of the type, and they
	// do not.
	Bounds Reason = "bounds"
	// Nulls: the table takes none, and there are or may be some.
	Nulls Reason = "nulls"
)

func refuse(r Reason, format string, args ...any) *Refusal {
	return &Refusal{Reason: r, Detail: fmt.Sprintf(format, args...)}
}

// on names the part that a refusal is about, unless one is named already.
func (r *Refusal) on(p schema.Path) *Refusal {
	if r != nil && len(r.Path) == 0 {
		r.Path = p
	}
	return r
}
