// Package forecast says what readers make of a folder of files, before they try.
//
// A folder is its files in the order of a listing, with their columns as their footers
// have them. For each reader, version and way of reading, the package says whether it
// works, works with wrong values or fails; on which file and column; with which
// message; and what the smallest fix is. What was measured stands in a table that is
// part of the package, and is looked up by type. Rules answer for types and versions
// of types that were not measured: what Spark infers, what its vectorised reader
// takes, what it merges, and which decimals hold which.
//
// Nothing here reads a file. The forecast is about values that may be anything that
// their type holds; where small values fare better, Mild says so.
package forecast

// Outcome is what comes of reading. Greater is worse.
type Outcome uint8

// The outcomes. Retyped values are all there, as another type than they were written.
const (
	Works Outcome = iota
	Retyped
	Wrong
	Fails
)

// String names an outcome: works, retyped, wrong values or fails.
func (o Outcome) String() string {
	switch o {
	case Works:
		return "works"
	case Retyped:
		return "retyped"
	case Wrong:
		return "wrong values"
	}
	return "fails"
}

// Mode is a reader at a version, and how it is called.
type Mode struct {
	// Reader is its name for people: Spark, PyArrow, Polars, DuckDB, pandas, ADF data flow.
	Reader string
	// Version is the one that was measured.
	Version string
	// Call is the function, Options what it is given, "" for nothing.
	Call, Options string
}

// Result is what a reader did, or will do, on two files or on one.
type Result struct {
	Outcome Outcome
	// How says what is wrong with the values: nulled, wrapped, unscaled, rounded,
	// dropped_rows and others, joined by "+". Of a reader that fails it is what is
	// wrong where small values let it through.
	How string
	// Class is the class of the error, with its condition before it if it has one.
	Class string
	// Message is a regular expression that the error's message matches; of wrong
	// values it is an example, "written -> read".
	Message string
}

// Prediction is what one mode makes of one thing in the folder.
type Prediction struct {
	Mode
	Result
	// Mild is the outcome if all values are small: integers below 128, decimals and
	// floats that all types hold, digits as text. Mild is never worse than Outcome.
	Mild Outcome
	// File is the one to blame, Against the one that set what was expected of it, ""
	// where none did. Column is the path of the column, with dots; "" for all.
	File, Against, Column string
	// Files are all that have the same trouble, File among them, in the order of the
	// folder. A reader that reads in another order may stop at any of them.
	Files []string
	// Found and Wanted are types in words, "" where types are not the matter.
	Found, Wanted string
	// Measured says that exactly this was executed, and is not concluded by a rule.
	Measured bool
	// Fix is the smallest thing that helps, with the option or command; "" if none is
	// needed.
	Fix string
}

// Folder is what a forecast is made of.
type Folder struct {
	// Files are in the order of their full paths.
	Files []File
	// Schema is the DDL type of Spark for each column that a table definition or a
	// schema in code fixes; nil leaves the explicit schema out of the forecast.
	Schema map[string]string
}

// File is a file of a folder.
type File struct {
	// Path is relative to the folder, with slashes.
	Path string
	// Columns are those of its footer. Files of one schema should share one slice: it
	// is looked at once then. nil where Condition says that there is no footer.
	Columns []Column
	// Groups is the number of row groups: without one no value is ever read.
	Groups int
	// Condition is what is odd about the file as such.
	Condition Condition
}

// Column is a column of a file, or a field of one.
type Column struct {
	Name string
	Type Type
}

// Condition is what is odd about a file, by its first and last bytes and its footer.
type Condition uint8

// The conditions.
const (
	Sound Condition = iota
	// ZeroBytes and Tiny files are below 12 bytes, the least that a Parquet file has.
	ZeroBytes
	Tiny
	// Truncated files begin as Parquet and do not end so.
	Truncated
	// FooterTooLong says that the footer would begin before the file does.
	FooterTooLong
	// TextCSV, TextJSON, ORC and Gzip files are no Parquet files.
	TextCSV
	TextJSON
	ORC
	Gzip
	// EncryptedFooter and EncryptedColumns files need a key.
	EncryptedFooter
	EncryptedColumns
	// OddArrowSchema files have a key ARROW:schema that does not decode.
	OddArrowSchema
)
