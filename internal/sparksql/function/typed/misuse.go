package typed

import "fmt"

// Misuse is what is wrong with a call. Whoever knows the place of the
// expression makes a diagnostic of it.
type Misuse struct {
	// Function is the name, or the operator's symbol.
	Function string
	// Argument counts from 0; -1 is the call as a whole.
	Argument int
	// Found and Want say what the argument is and what it should be; Hint what
	// to write, "" if that says all.
	Found, Want, Hint string
}

// Error says what was found and what is wanted.
func (m *Misuse) Error() string {
	text := m.Function
	if m.Argument >= 0 {
		text += fmt.Sprintf(", argument %d", m.Argument+1)
	}
	text += ": found " + m.Found + ", want " + m.Want
	if m.Hint != "" {
		text += "; " + m.Hint
	}
	return text
}
