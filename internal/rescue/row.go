package rescue

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/schema"
)

// Row is what the rescue column holds in one row, taken apart.
type Row struct {
	Members []Member
	// place is the text of the members that say where the row comes from, each
	// with a comma behind it.
	place []byte
}

// Member is a value, or what is left of one, that no column took.
type Member struct {
	// Name is the name of the source. It is empty if Ours is set: then the value
	// is a record that could not be parsed, or that is no object.
	Name string
	Ours bool
	// Key and Value are JSON, as they stand in the column.
	Key, Value []byte
	// Reasons are those of the value, or of what is left of it.
	Reasons []Reason
	// prefixed says that the name stands behind a prefix in the column.
	prefixed bool
}

// Reason says why a value was rescued.
type Reason struct {
	// Path is the place of the value in the row, the member's key included.
	Path schema.Path
	Why  string
	// key is the path as it stands in the column.
	key []byte
}

// Whole returns the reason of a member that holds a value as its file had it; ok is
// false if only parts of the value are there, or if nothing says why.
func (m *Member) Whole() (why string, ok bool) {
	if len(m.Reasons) != 1 || len(m.Reasons[0].Path) != 1 {
		return "", false
	}
	return m.Reasons[0].Why, true
}

// Source returns the name as JSON, as the record had it.
func (m *Member) Source() []byte {
	if m.prefixed {
		return Quote(m.Name)
	}
	return m.Key
}

// errNotOurs is the error of a text that no writer of ours made.
var errNotOurs = errors.New("found something else than a rescued row")

// ParseRow takes the text of a row apart. It keeps nothing of it.
func ParseRow(text []byte) (Row, error) {
	var r Row
	at := map[string]int{}
	var why []byte
	for m, err := range members(text) {
		if err != nil {
			return Row{}, err
		}
		switch name := m.Name; name {
		case filePathKey, recordKey, byteOffsetKey:
			r.place = append(append(append(append(r.place, m.Key...), ':'), m.Value...), ',')
			continue
		case whyKey:
			why = m.Value
			continue
		case CorruptRecord, Value:
			m.Ours = true
		}
		if _, twice := at[m.Name]; twice {
			return Row{}, fmt.Errorf("%w: the member %q twice", errNotOurs, m.Name)
		}
		at[m.Name] = len(r.Members)
		r.Members = append(r.Members, m)
	}
	if why == nil || len(r.place) == 0 {
		return Row{}, fmt.Errorf("%w: no %s, or no place", errNotOurs, whyKey)
	}
	if err := r.addReasons(why, at); err != nil {
		return Row{}, err
	}
	for i := range r.Members {
		m := &r.Members[i]
		if m.Ours {
			m.Name = ""
		} else {
			m.Name, m.prefixed = strings.CutPrefix(m.Name, fieldPrefix)
		}
	}
	return r, nil
}

// addReasons gives the members their reasons; at finds these by their keys.
func (r *Row) addReasons(why []byte, at map[string]int) error {
	for w, err := range members(why) {
		if err != nil {
			return err
		}
		path, err := schema.ParsePath(w.Name)
		if err != nil {
			return fmt.Errorf("%w: %w", errNotOurs, err)
		}
		i, known := at[path[0]]
		text, err := jsontext.AppendUnquote(nil, w.Value)
		if !known || err != nil {
			return fmt.Errorf("%w: a reason for %q", errNotOurs, w.Name)
		}
		r.Members[i].Reasons = append(r.Members[i].Reasons, Reason{path, string(text), w.Key})
	}
	return nil
}

// Without returns the row without its members: they are for the caller to add.
func (r *Row) Without() Row { return Row{place: r.place} }

// Append adds the row as the column holds it. A row without members is null: it
// adds nothing.
func (r *Row) Append(b []byte) []byte {
	if len(r.Members) == 0 {
		return b
	}
	b = append(b, '{')
	for i := range r.Members {
		m := &r.Members[i]
		b = append(append(append(append(b, m.Key...), ':'), m.Value...), ',')
	}
	b = append(append(b, r.place...), `"`+whyKey+`":{`...)
	for i := range r.Members {
		for _, w := range r.Members[i].Reasons {
			b = append(append(b, w.key...), ':')
			b = append(append(b, Quote(w.Why)...), ',')
		}
	}
	return append(closeWith(b, '}'), '}')
}
