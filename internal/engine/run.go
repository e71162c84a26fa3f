package engine

import (
	"context"
	"time"

	"landfall/internal/plan"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// Input is what a source of a plan reads.
type Input struct {
	// Source names the step.
	Source string
	// Groups are files, in the order in which their rows come.
	Groups []Group
	// Store holds the files.
	Store store.Store
	// Table is read in place of Groups; nil reads them. Its name does not
	// matter.
	Table *View
	// PathField names the field of Table that holds the URL of a row's file, below
	// PathRoot, for a column of paths; "" leaves that null.
	PathField, PathRoot string
}

// Group is files that one reader reads in one way: of one format and of equal
// columns. A column of the source that they lack is null in their rows, one
// that has another type there is converted as Spark's cast does.
type Group struct {
	Format Format
	Files  []InputFile
	// Columns are those of the files, with the types to read them as. Names of
	// text without a header are the caller's. Columns that differ in casing
	// alone are refused.
	Columns []schema.Field
	// Text says how delimited text is cut.
	Text Dialect
	// Documents says how JSON files are cut.
	Documents Documents
	// Longest is the most bytes that a JSON document may have, for which a
	// reader keeps room twice; 0 is 16 MiB.
	Longest int64
}

// InputFile is one file of a group.
type InputFile struct {
	// Key is that of the input's store.
	Key string
	// Shown is the path that a column of paths has.
	Shown string
	// Partition holds values of columns that its path tells, by name; nil is
	// null.
	Partition map[string]*string
}

// Format is how the rows of a file are written down.
type Format int

// The formats.
const (
	Parquet Format = iota
	Delimited
	JSON
)

// Dialect is how to cut delimited text. All values of it are strings.
type Dialect struct {
	// Delimiter between values, by default a comma.
	Delimiter string
	// Quote and Escape are "" for none.
	Quote, Escape string
	// Null is the value that means null; "" means that an empty one does,
	// unless it is quoted.
	Null string
	// Header says that the first row holds names.
	Header bool
	// Skip counts lines before the header or the first row.
	Skip int
	// Encoding is "" for UTF-8, else a name that the engine knows: latin-1,
	// utf-16.
	Encoding string
}

// Documents is how JSON files hold their rows.
type Documents int

// How JSON files hold their rows.
const (
	Lines  Documents = iota // a document a line
	Array                   // one array of documents
	Single                  // documents one after another, over several lines
)

// Job is a plan to run up to one of its steps.
type Job struct {
	Plan *plan.Plan
	// Step names the sink or stream whose rows are wanted.
	Step   string
	Inputs []Input
	// Limit is the most rows wanted; 0 is all.
	Limit int64
	// Now is when the run began, for functions of the current time.
	Now time.Time
	// Progress is told from time to time how much is done, from a goroutine of
	// the run's own; nil if nobody asks.
	Progress func(Progress)
	// Counts asks WriteAll for the rows of each step. What cannot be told from what is
	// written is counted once more, by way of the columns that this takes.
	Counts bool
	// Clock tells the time, to measure stages; nil measures none.
	Clock func() time.Time
}

// Progress is how far a job has come.
type Progress struct {
	// Step is that of the stage that is executed.
	Step string
	// Percent is 0 to 100, and below zero while it is not known.
	Percent float64
	// Done and Total count rows of sources.
	Done, Total uint64
}

// Target is where rows are written: files in a folder that exists and is empty.
type Target struct {
	// Folder is on this machine. What it holds after an error is rubbish.
	Folder string
	Format Format
	Text   Dialect
	// Documents as one array, or a document a line.
	Documents Documents
	// Compression is a codec by the engine's name ("snappy", "zstd", "gzip"),
	// "" for the usual one of the format.
	Compression string
	// Files is how many files the rows go to; 0 and 1 are one.
	Files int
	// By are the columns, by name, that rows of one file have in common, if
	// there are several files; rows are dealt in turn without them.
	By []string
	// Keys are the columns, by name, of each of whose values there is a folder
	// key=value; files lack these columns.
	Keys []string
	// KeysStay says that files have these columns all the same, if there are Keys. Rows
	// are not dealt to several files then.
	KeysStay bool
	// QuoteAll quotes every value of delimited text that is not null.
	QuoteAll bool
	// Top are lines above the header or the first row of each delimited file.
	Top []string
}

// Output is a step whose rows are written.
type Output struct {
	Step string
	To   Target
}

// Account is what became of a job that wrote its outputs.
type Account struct {
	// Files are those of each output, in the order of the outputs.
	Files [][]Written
	// Streams are the steps that the outputs were made of, in the order of the
	// plan; nil if the job does not ask for them.
	Streams []Stream
	// Stages are what was executed, in order.
	Stages []Stage
}

// Stream is how many rows left a step.
type Stream struct {
	Name string
	Rows int64
}

// Stage is what was executed at one go: the steps up to one of them, less those of
// earlier stages.
type Stage struct {
	// Step is the last one: an output, or one whose rows were kept for several; "" is
	// the counting of rows.
	Step string
	// Took is 0 if the job has no clock.
	Took time.Duration
}

// Written is a file that was written.
type Written struct {
	// Path is relative to the folder, with slashes.
	Path string
	// Rows is -1 when it cannot be known: of one of several text files, if no value is
	// quoted and some hold line ends.
	Rows int64
	Size int64
	// Number is that of the file among Target.Files, from 0.
	Number int
}

// Runner runs plans. Timestamps of results are instants.
type Runner interface {
	// Program returns the text that Run would have the engine execute.
	Program(job Job) (string, error)
	// Run lends the rows of a step to use.
	Run(ctx context.Context, job Job, use func(Result) error) error
	// Write writes the rows of a step to files. A step with no rows makes one
	// file without rows.
	Write(ctx context.Context, job Job, to Target) ([]Written, error)
	// WriteAll writes the rows of several steps, of which no folder is another's; the
	// job's own step does not count. All of them are made of the same rows: whatever
	// might come out otherwise a second time is made once.
	WriteAll(ctx context.Context, job Job, outputs []Output) (*Account, error)
}
