package land

import (
	"context"

	"landfall/internal/contract"
	"landfall/internal/discovery"
	"landfall/internal/event"
	"landfall/internal/intake"
	"landfall/internal/schema"
	"landfall/internal/state"
)

// Report is what a run did. Its JSON keys are an interface (docs/json.md).
type Report struct {
	Source          string              `json:"source"`
	Table           string              `json:"table"`
	ContractVersion int                 `json:"contract_version"`
	Batches         []event.Batch       `json:"batches"`
	Drift           []event.Drift       `json:"drift"`
	Skipped         []discovery.Skip    `json:"files_skipped"`
	Quarantined     []event.Quarantined `json:"quarantined"`
	// Held is the number of entries that went to quarantine; Quarantined lists
	// the first of them.
	Held  int         `json:"quarantined_total"`
	Bytes event.Bytes `json:"bytes"`
	// Known is the number of files that had been settled before.
	Known int `json:"files_known"`
	// Deferred are files that changed while they were read.
	Deferred []string `json:"files_deferred"`
	// Notes are things a person should know that are not drift.
	Notes []string `json:"notes"`
	// Seconds says what the run spent its time on; zero without a clock.
	Seconds Seconds `json:"seconds,omitzero"`
	// Replayed is set by a replay alone.
	Replayed *Replayed `json:"replay,omitempty"`
	// Before and Contract are the contract before the run and after it; Before is
	// nil if the run did not come so far.
	Before   *contract.Version `json:"-"`
	Contract *contract.Version `json:"-"`
	// Schema is the table's schema after the run, nil without a table.
	Schema *schema.Struct `json:"-"`
	// Files are the keys of the data files with the rows that the run landed.
	Files []string `json:"-"`
}

// add adds a batch to the report.
func (l *landing) add(ctx context.Context, m state.Mark, a state.Attempt) error {
	r := &l.report
	r.Batches = append(r.Batches, m.Counts)
	r.Bytes.Add(m.Counts.Bytes)
	r.Drift = append(r.Drift, a.Drift...)
	for _, o := range m.Objects {
		if o.Fate == state.Deferred && o.Reason != intake.PutBack {
			r.Deferred = append(r.Deferred, o.Path)
		}
	}
	for q, err := range l.src.State.KeptOut(ctx, m) {
		if err != nil {
			return err
		}
		r.Held++
		if len(r.Quarantined) < maxReported {
			q.Bytes = nil
			r.Quarantined = append(r.Quarantined, q)
		}
	}
	return nil
}

// maxReported bounds the quarantined records that a report lists; the state
// keeps all of them.
const maxReported = 1000
