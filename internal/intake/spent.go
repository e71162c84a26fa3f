package intake

import "time"

// Spent is where workers spent their time, in seconds: cutting records out of
// objects, gathering evidence, fitting them to the shape, writing them to data
// files.
type Spent struct {
	Decode  float64 `json:"decode"`
	Observe float64 `json:"observe"`
	Fit     float64 `json:"fit"`
	Write   float64 `json:"write"`
}

// Add adds o to s.
func (s *Spent) Add(o Spent) {
	s.Decode += o.Decode
	s.Observe += o.Observe
	s.Fit += o.Fit
	s.Write += o.Write
}

// Spent is what all workers together spent so far.
func (a *Intake) Spent() Spent {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.spent
}

func (a *Intake) add(s Spent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.spent.Add(s)
}

// lap adds the time since began to a stage, and returns the time.
func (a *Intake) lap(stage *float64, began time.Duration) time.Duration {
	now := a.elapsed()
	*stage += (now - began).Seconds()
	return now
}
