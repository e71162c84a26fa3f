// Package event says what happened: drift, batches, quarantined records, runs.
//
// Events are written with the attempt that met them, before its commit, so that
// a landed batch always has its events. Their JSON keys are an interface
// (docs/json.md): only ever added to.
package event

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Kind is a kind of drift, by its name in policies.
type Kind string

// The kinds of drift (design §6).
const (
	ColumnAdded     Kind = "column_added"
	ColumnMissing   Kind = "column_missing"
	ColumnRenamed   Kind = "column_renamed?"
	ColumnOverflow  Kind = "column_overflow"
	ColumnRecased   Kind = "column_recased"
	ColumnOrder     Kind = "column_order"
	NameCleaned     Kind = "name_cleaned"
	NameDuplicate   Kind = "name_duplicate"
	TypeWider       Kind = "type_wider"
	TypeConflict    Kind = "type_conflict"
	TypeAltered     Kind = "type_altered"
	Decided         Kind = "decided"
	ValueMisfit     Kind = "value_misfit"
	ValueTruncated  Kind = "value_truncated"
	ZoneAssumed     Kind = "zone_assumed"
	CalendarRebased Kind = "calendar_rebased"
	HintHeld        Kind = "hint_held"
	KeyDuplicate    Kind = "key_duplicate"
	RecordMalformed Kind = "record_malformed"
	RecordRagged    Kind = "record_ragged"
	FileUnreadable  Kind = "file_unreadable"
	FileEmpty       Kind = "file_empty"
	FileForeign     Kind = "file_foreign"
	FileRewritten   Kind = "file_rewritten"
	FileReread      Kind = "file_reread"
	FileVanished    Kind = "file_vanished"
	DialectChanged  Kind = "dialect_changed"
	PartitionClash  Kind = "partition_conflict"
	FolderPadded    Kind = "folder_padded"
)

// Drift is a difference between an object and the contract, and what was done.
type Drift struct {
	Kind Kind `json:"kind"`
	// Column is the original name of the column, empty for a file or record.
	Column string `json:"column,omitempty"`
	// File and Record (1-based) say where it was met first.
	File   string `json:"file,omitempty"`
	Record int64  `json:"record,omitempty"`
	// Line is the physical line of Record, where known.
	Line int64 `json:"line,omitempty"`
	// From and To are the old and the new state: names, types, dialects.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Count is the number of values, records or files concerned.
	Count int64 `json:"count,omitempty"`
	// Sample is the value that was met first, as far as it is known.
	Sample string `json:"sample,omitempty"`
	// Decision is what was done: add, null, fold, clean, rescue, quarantine, …
	Decision string `json:"decision"`
	// Hint names an action, where one leads on.
	Hint string `json:"hint,omitempty"`
	// Policy names the rule that decided: "evolve", "policy", "decision".
	Policy string `json:"policy"`
}

// Event is one line of `landfall events`.
type Event struct {
	Time    time.Time `json:"time"`
	Source  string    `json:"source"`
	Batch   int64     `json:"batch"`
	Attempt string    `json:"attempt"`
	// Type tells which of the parts below is set: "batch", "drift", "quarantined", "run",
	// "dataset".
	Type        string       `json:"type"`
	Landed      *Batch       `json:"landed,omitempty"`
	Drift       *Drift       `json:"drift,omitempty"`
	Quarantined *Quarantined `json:"quarantined,omitempty"`
	// Dataset is a batch of a dataset of a pipeline, of which Source is the name.
	Dataset *Dataset `json:"dataset,omitempty"`
	// Ran is a run of a data flow, of which Source is the name and Attempt the run's.
	Ran *Run `json:"ran,omitempty"`
}

// Run is what a run of a data flow wrote to one folder.
type Run struct {
	Sink  string `json:"sink"`
	Rows  int64  `json:"rows"`
	Files int    `json:"files"`
	// Bytes is the size of the files.
	Bytes int64 `json:"bytes"`
	// Sources and Streams are how many files sources read, and how many rows left
	// transformations, by name.
	Sources map[string]int   `json:"sources"`
	Streams map[string]int64 `json:"streams"`
	Seconds float64          `json:"seconds"`
}

// Batch counts one batch. RowsIn = RowsLanded + RowsQuarantined + RowsDropped.
type Batch struct {
	Batch           int64 `json:"batch"`
	TableVersion    int64 `json:"table_version"`
	Files           int64 `json:"files"`
	RowsIn          int64 `json:"rows_in"`
	RowsLanded      int64 `json:"rows_landed"`
	RowsQuarantined int64 `json:"rows_quarantined"`
	RowsDropped     int64 `json:"rows_dropped"`
	ValuesRescued   int64 `json:"values_rescued"`
	// ValuesIgnored are values that a policy says to drop.
	ValuesIgnored int64 `json:"values_ignored"`
	// RowsRemoved are rows of earlier batches that this one took out of the
	// table: replaced by those of a rewritten file, or to be landed again.
	RowsRemoved int64 `json:"rows_removed"`
	// Bytes of text: In = Records + Framing + Bad.
	Bytes Bytes `json:"bytes"`
}

// Bytes accounts for every byte of text read, after decompression and in UTF-8.
type Bytes struct {
	In      int64 `json:"in"`
	Records int64 `json:"records"`
	Framing int64 `json:"framing"`
	Bad     int64 `json:"bad"`
}

// Add adds o to b.
func (b *Bytes) Add(o Bytes) {
	b.In += o.In
	b.Records += o.Records
	b.Framing += o.Framing
	b.Bad += o.Bad
}

// Quarantined is a record or file kept outside the table.
type Quarantined struct {
	Path string `json:"path"`
	// Record is 1-based; 0 means the whole file.
	Record int64 `json:"record,omitempty"`
	Line   int64 `json:"line,omitempty"`
	Offset int64 `json:"offset,omitempty"`
	Length int64 `json:"length,omitempty"`
	// Code and Reason are those of the diagnostic.
	Code   string `json:"code"`
	Reason string `json:"reason"`
	// Bytes are the raw bytes, absent for whole files and oversized records.
	Bytes []byte `json:"bytes,omitempty"`
}

// Dataset is a batch of a dataset of a pipeline: final, additive, never cumulative.
// RowsIn = RowsWritten + RowsDropped.
type Dataset struct {
	Pipeline string `json:"pipeline"`
	Dataset  string `json:"dataset"`
	// Kind is streaming_table or materialized_view.
	Kind  string `json:"kind"`
	Flow  string `json:"flow"`
	Batch int64  `json:"batch"`
	// Run names the run of the pipeline, which may have batches of many datasets.
	Run string `json:"run"`
	// Status is COMPLETED, or FAILED if nothing was written; Reason says why.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// How says how it was computed: "new rows", "recomputed", "full refresh"; of a
	// look at the whole table, which is no batch, "looked at".
	How          string `json:"how"`
	TableVersion int64  `json:"table_version"`
	RowsIn       int64  `json:"rows_in"`
	RowsWritten  int64  `json:"rows_written"`
	RowsDropped  int64  `json:"rows_dropped"`
	// RowsRemoved are rows of earlier batches that were taken back, because what they
	// were made of is gone.
	RowsRemoved  int64         `json:"rows_removed"`
	Inputs       []Input       `json:"inputs"`
	Expectations []Expectation `json:"expectations"`
	// Casts are the TRY_CASTs that made values null, and Columns where columns come from.
	Casts   []Cast    `json:"casts,omitempty"`
	Columns []Lineage `json:"columns,omitempty"`
	// Added are columns that the table gained, Widened those whose type grew.
	Added   []string `json:"columns_added,omitempty"`
	Widened []string `json:"columns_widened,omitempty"`
	Changed bool     `json:"query_changed,omitempty"`
	Seconds float64  `json:"seconds"`
}

// Input is what a batch read of a table: the versions after From, up to To. Of a table that
// was read whole From is -1.
type Input struct {
	Table string `json:"table"`
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	Files int    `json:"files"`
}

// Expectation is how the rows of a batch met a rule. True + False + Null = the rows in.
type Expectation struct {
	Name      string `json:"name"`
	Action    string `json:"action"`
	Condition string `json:"condition"`
	True      int64  `json:"true"`
	False     int64  `json:"false"`
	Null      int64  `json:"null"`
	// Columns are those that the condition names.
	Columns []string `json:"columns,omitempty"`
	// Files are the source files with rows that are not true, the most first.
	Files []FileCount `json:"files,omitempty"`
	// Samples are rows that are not true.
	Samples []Sample `json:"samples,omitempty"`
}

// FileCount is how the rows of one source file met a rule.
type FileCount struct {
	File  string `json:"file"`
	True  int64  `json:"true"`
	False int64  `json:"false"`
	Null  int64  `json:"null"`
}

// Sample is a row that broke a rule: the values of the columns that the rule names.
type Sample struct {
	File   string            `json:"file,omitempty"`
	Values map[string]string `json:"values"`
	// Rescued are the names of the values in _rescued_data, where the rule looks at that.
	Rescued []string `json:"rescued,omitempty"`
}

// Text is the values for people, in order of their names.
func (s Sample) Text() string {
	parts := make([]string, 0, len(s.Values))
	for _, name := range slices.Sorted(maps.Keys(s.Values)) {
		parts = append(parts, name+" = "+s.Values[name])
	}
	return strings.Join(parts, ", ")
}

// Add counts the rows of a source file.
func (e *Expectation) Add(c FileCount) {
	e.True, e.False, e.Null = e.True+c.True, e.False+c.False, e.Null+c.Null
	if c.File != "" && c.False+c.Null > 0 {
		e.Files = append(e.Files, c)
	}
}

// Cast is a TRY_CAST that made values null.
type Cast struct {
	Column string `json:"column"`
	To     string `json:"to"`
	Count  int64  `json:"count"`
}

// Lineage is a column and the columns of other tables that it is made of, as TABLE.COLUMN.
type Lineage struct {
	Column string   `json:"column"`
	From   []string `json:"from,omitempty"`
}
