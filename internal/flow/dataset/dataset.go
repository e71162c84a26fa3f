// Package dataset says where the sources of a data flow read and its sinks write,
// and in which form: the settings of a script and of the datasets that a resource
// names for its streams, put together. Nothing here looks at a file.
package dataset

import (
	"time"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Format is how rows are written down.
type Format int

// The formats.
const (
	Parquet Format = iota
	Delimited
	JSON
	Delta
)

// String is the word of a script.
func (f Format) String() string {
	return [...]string{"parquet", "delimited", "json", "delta"}[f]
}

// Location is a place in a store that a linked service reaches.
type Location struct {
	// Service is the name of a linked service; "" in scripts without a resource.
	Service string
	// Container is that of a blob store, or a file system of ADLS; "" for none.
	Container string
	// Folder and File are below it, with slashes and none at either end; "" for none.
	Folder, File string
}

// Text is how delimited text is cut.
type Text struct {
	// Delimiter between values; "" takes a line as one value.
	Delimiter string
	// RowDelimiter between rows; "" is any line end for a source, a line feed for a sink.
	RowDelimiter  string
	Quote, Escape string
	// Null is the text that means null; "" means that an empty one does.
	Null      string
	Header    bool
	MultiLine bool
	// Encoding as the service names it; "" is UTF-8.
	Encoding string
	// MaxColumns is the most that a row may have; 0 is the service's limit.
	MaxColumns int
}

// Documents is how JSON holds rows.
type Documents int

// How JSON holds rows.
const (
	Lines  Documents = iota // a document a line
	Array                   // one array of documents
	Single                  // one document a file
)

// Lenient is what JSON of a source may have beyond the standard.
type Lenient struct {
	UnquotedNames, Comments, SingleQuotes, BackslashEscapes bool
}

// Source is what a source reads.
type Source struct {
	Name string
	At   diag.Place
	Location
	Format Format
	// Wildcards are patterns below the container, which take the place of Folder and
	// File: *, ** over folders, ?, [ab], {a,b}.
	Wildcards []string
	// FileList says that the place is a text of relative paths.
	FileList bool
	// PartitionRoot is the folder, below the container, whose key=value folders are columns.
	PartitionRoot string
	// PathColumn gets the path of a row's file; "" for none.
	PathColumn string
	// After and Before bound the time of a file's last change: from, and up to but not
	// at; zero for none.
	After, Before time.Time
	// NoneOK says that no file at all is no error.
	NoneOK bool
	// Skip counts lines of text before the header or the first row.
	Skip int
	// Drift, Infer, Validate and Stored are allowSchemaDrift, inferDriftedColumnTypes,
	// validateSchema and useSchema.
	Drift, Infer, Validate, Stored bool
	// Integral and Fractional are the types that inferred numbers have; nil for the
	// narrowest.
	Integral, Fractional schema.Type
	// DateFormats and TimestampFormats are patterns of texts that are inferred to be
	// dates and timestamps; none is the usual ones.
	DateFormats, TimestampFormats []string
	// Projection are the columns that the script lists, else those of the dataset.
	Projection  []schema.Field
	Text        Text
	Documents   Documents
	Lenient     Lenient
	Compression string
	// Version and AsOf are those of a Delta table; nil and zero for the newest.
	Version *int64
	AsOf    time.Time
	// MoveFrom and MoveTo are folders below the container: files that were read are
	// moved from one to the other after success; "" for none.
	MoveFrom, MoveTo string
	// Purge says that files are deleted after success.
	Purge bool
	// Notes are settings without effect here, each with the reason.
	Notes []diag.Diagnostic
}

// PartitionKind is how rows are dealt to files.
type PartitionKind int

// How rows are dealt to files.
const (
	Current    PartitionKind = iota // as they come
	Hash                            // rows with equal columns go together
	RoundRobin                      // in turn
	ByKey                           // a folder key=value for each value
)

// Partition is the partitioning of a sink.
type Partition struct {
	Kind PartitionKind
	// Count is how many files; 0 leaves it open.
	Count int
	// Columns are those of Hash and ByKey.
	Columns []string
}

// Naming says what the files of a sink are called; at most one of its fields is set,
// and none leaves the names to the engine.
type Naming struct {
	// Pattern has [n] for the number of the file, from 1: out[n].parquet.
	Pattern string
	// Files has a name for each partition.
	Files []string
	// FileColumn holds the path below the container that a row goes to.
	FileColumn string
	// FolderColumn holds the folder below the container that a row goes to.
	FolderColumn string
}

// Change is what a Delta sink does to the table.
type Change int

// What a Delta sink does to the table.
const (
	Append    Change = iota
	Overwrite        // definition and rows are replaced
	Truncate         // rows are replaced, the definition stays
)

// Sink is where and how a sink writes.
type Sink struct {
	Name string
	At   diag.Place
	Location
	Format Format
	// Cache says that nothing is written.
	Cache bool
	// Truncate says that the folder is cleared first.
	Truncate  bool
	Partition Partition
	Naming    Naming
	Text      Text
	// QuoteAll quotes every value of text.
	QuoteAll bool
	// HeaderLines take the place of the names of the columns; nil for none.
	HeaderLines []string
	// EmptyLines is how many empty lines come first.
	EmptyLines  int
	Documents   Documents
	Compression string
	// Change, MergeSchema are those of a Delta table.
	Change      Change
	MergeSchema bool
	// Notes are settings without effect here, each with the reason.
	Notes []diag.Diagnostic
}
