package inference

import "landfall/internal/schema"

// Verdict is what the misfits of a column mean.
type Verdict int

// The verdicts, the gravest last.
const (
	// Single are values that are no more than that.
	Single Verdict = iota
	// Wider are values of a type that would hold them and all that the column
	// can have.
	Wider
	// Conflict are values of another type altogether.
	Conflict
)

// Weigh says what the misfits of a scalar column mean, by the type that its values
// would have had.
func (m Method) Weigh(t schema.Type, s *Sight) Verdict {
	if s.typed {
		return m.weigh(t, s)
	}
	switch t {
	case schema.Date, schema.Timestamp, schema.TimestampNTZ:
		m.Rules.Timestamps = true
	}
	found, votes := m.Infer(s, 0), count(&s.Own, m.Rules, m.Strict)
	switch {
	case found == schema.Unknown || found == t:
		return Single
	case found != schema.String && wider(t, found):
		return Wider
	case found == schema.Double && wider(t, votes.exact()):
		return Wider
	case votes.codes == 0 && votes.agrees(votes.belong(t)):
		return Single
	default:
		return Conflict
	}
}

// wider reports whether a type and another are exactly in one that is wider.
func wider(t, found schema.Type) bool {
	joined, lossless := schema.Join(t, found)
	return lossless && joined.String() != t.String()
}
