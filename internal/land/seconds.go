package land

import (
	"landfall/internal/intake"
)

// Seconds says what a run spent its time on, as seconds of wall time. Its JSON
// keys are an interface (docs/json.md).
type Seconds struct {
	// Discover is listing the source and taking off what is known, Settle looking at
	// each new object.
	Discover float64 `json:"discover"`
	Settle   float64 `json:"settle"`
	// Guess is looking at the beginnings of objects of which nothing is known.
	Guess float64 `json:"guess"`
	// Read is the first pass over the objects, Evolve what the contract makes of
	// them, Again the second pass over those that it makes others of.
	Read   float64 `json:"read"`
	Evolve float64 `json:"evolve"`
	Again  float64 `json:"again"`
	// Standing is what was done to rows that stood.
	Standing float64 `json:"standing"`
	// Record is writing down what the attempt came to, Commit the table's commit,
	// Mark remembering it.
	Record float64 `json:"record"`
	Commit float64 `json:"commit"`
	Mark   float64 `json:"mark"`
	// Workers is where the time of Read and Again went, of all workers together.
	Workers intake.Spent `json:"workers"`
}

// lap measures until the function that it returns is called.
func (l *landing) lap(stage *float64) (stop func()) {
	if l.env.Elapsed == nil {
		return func() {}
	}
	began := l.env.Elapsed()
	return func() { *stage += (l.env.Elapsed() - began).Seconds() }
}

// spent adds up what an intake took.
func (s *Seconds) spent(a *intake.Intake) {
	s.Read += a.First.Seconds()
	s.Again += a.Second.Seconds()
	s.Workers.Add(a.Spent())
}
