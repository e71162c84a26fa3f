package audit

import (
	"fmt"
	"slices"

	"landfall/internal/conform"
	"landfall/internal/state"
)

// Report is what an audit found. Its JSON keys are an interface (docs/json.md).
type Report struct {
	Source       string `json:"source"`
	Table        string `json:"table"`
	TableVersion int64  `json:"table_version"`
	Objects      Counts `json:"objects"`
	// Bytes, Rows and Cells are those of the objects that are proven.
	Bytes int64 `json:"bytes"`
	Rows  Rows  `json:"rows"`
	Cells Cells `json:"cells"`
	// Unprovable are objects of which something cannot be told any more.
	Unprovable []Unprovable `json:"unprovable"`
	// Differences are the first of what is not as the files say.
	Differences []Difference `json:"differences"`
	// Total is the number of differences, Statistics that of those among them which
	// are about statistics of data files and no object.
	Total      int64 `json:"differences_total"`
	Statistics int64 `json:"statistics_differing"`
	// Unknown is the number of batches that the table holds and the state does not
	// know.
	Unknown int64 `json:"batches_unknown"`
	// Elsewhere counts rows of the table that are of no object of the source.
	Elsewhere int64    `json:"rows_elsewhere"`
	Notes     []string `json:"notes"`
}

// Counts are numbers of objects.
type Counts struct {
	Landed     int64 `json:"landed"`
	Proven     int64 `json:"proven"`
	Unprovable int64 `json:"unprovable"`
	Differing  int64 `json:"differing"`
}

// Rows are numbers of records: In = Landed + Quarantined + Dropped.
type Rows struct {
	In          int64 `json:"in"`
	Landed      int64 `json:"landed"`
	Quarantined int64 `json:"quarantined"`
	Dropped     int64 `json:"dropped"`
}

func (r Rows) String() string {
	return fmt.Sprintf("%d records = landed %d + quarantined %d + dropped %d", r.In, r.Landed, r.Quarantined, r.Dropped)
}

// Cells are numbers of cells, as conform counts them.
type Cells struct {
	Typed   int64 `json:"typed"`
	Null    int64 `json:"null"`
	Rescued int64 `json:"rescued"`
	Ignored int64 `json:"ignored"`
}

// Unprovable is an object of which something cannot be told.
type Unprovable struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Changes are what others did to its rows.
	Changes []Op `json:"changes,omitempty"`
}

// Op is a version of the table that another tool made.
type Op struct {
	Version   int64  `json:"table_version"`
	Operation string `json:"operation"`
}

// Difference is something that is not as a file says.
type Difference struct {
	Path string `json:"path"`
	// Kind is "bytes", "records", "row_missing", "row_extra", "cell", "data_file",
	// "quarantine", "statistics"; these are of no object.
	Kind string `json:"kind"`
	// Record is the one of the file, DataFile and Row (from 0) are the place in the
	// table, where they are known.
	Record   int64  `json:"record,omitempty"`
	Column   string `json:"column,omitempty"`
	DataFile string `json:"data_file,omitempty"`
	Row      *int64 `json:"row,omitempty"`
	Found    string `json:"found,omitempty"`
	Want     string `json:"want,omitempty"`
}

// The kinds of differences.
const (
	BytesDiffer   = "bytes"
	RecordsDiffer = "records"
	RowMissing    = "row_missing"
	RowExtra      = "row_extra"
	CellDiffers   = "cell"
	FileBroken    = "data_file"
	// KeptDiffers is what is in quarantine.
	KeptDiffers = "quarantine"
	// StatisticsDiffer is what the table's log says of a data file.
	StatisticsDiffer = "statistics"
)

// mostListed bounds what is listed of each kind of finding.
const mostListed = 1000

// prove counts an object that is as its file says.
func (a *Auditor) prove(e state.Entry, rows Rows, cells conform.Counts) {
	if a.nAside > 0 {
		a.differs(e, nil, 0)
		return
	}
	r := a.report
	r.Objects.Proven++
	r.Bytes += e.Size
	r.Rows.In += rows.In
	r.Rows.Landed += rows.Landed
	r.Rows.Quarantined += rows.Quarantined
	r.Rows.Dropped += rows.Dropped
	r.Cells.Typed += cells.Typed
	r.Cells.Null += cells.Null
	r.Cells.Rescued += cells.Rescued
	r.Cells.Ignored += cells.Ignored
}

func (a *Auditor) unprovable(e state.Entry, reason string, ops ...Op) {
	if a.nAside > 0 {
		a.differs(e, nil, 0) // that can be told
		return
	}
	a.report.Objects.Unprovable++
	if len(a.report.Unprovable) < mostListed {
		a.report.Unprovable = append(a.report.Unprovable, Unprovable{e.Path, reason, ops})
	}
}

// differs counts an object that is not as its file says; total is the number of
// differences, of which some are given.
func (a *Auditor) differs(e state.Entry, some []Difference, total int64) {
	a.report.Objects.Differing++
	a.report.Total += total + a.nAside
	for _, d := range slices.Concat(some, a.aside) {
		if len(a.report.Differences) < mostListed {
			d.Path = e.Path
			a.report.Differences = append(a.report.Differences, d)
		}
	}
}

// describe says in a few words what is other than expected.
func describe(some []Difference, total int64) string {
	if len(some) == 0 {
		return fmt.Sprintf("%d differences", total)
	}
	d := some[0]
	text := d.Kind
	if d.Record > 0 {
		text += fmt.Sprintf(" of record %d", d.Record)
	}
	if d.Column != "" {
		text += ", column " + d.Column
	}
	if d.Found != "" {
		text += ": found " + d.Found
	}
	if total > 1 {
		text += fmt.Sprintf(" (and %d more)", total-1)
	}
	return text
}
