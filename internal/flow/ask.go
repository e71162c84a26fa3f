package flow

import (
	"fmt"

	"landfall/internal/plan"
)

// NeedsValues is the error of Bind where columns depend on values that only the data can
// tell: a pivot that lists none, a name that a cached lookup gives. The caller runs Step
// of Plan, whose rows have one column of text, puts those texts in their order into
// Options.Values under Key, null as "", and calls Bind again with all other options as
// they were. A script may need several such rounds; nothing is asked twice.
type NeedsValues struct {
	Plan *plan.Plan
	Step string
	Key  string
}

// Error says what is asked.
func (e *NeedsValues) Error() string {
	return fmt.Sprintf("found columns of %s that depend on values of the data, want them first", e.Key)
}

// ask remembers the first question that has no answer yet.
func (b *binder) ask(key, step string) {
	if b.needs == nil {
		b.needs = &NeedsValues{Step: step, Key: key}
	}
}
