package verdict

import (
	"strconv"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/schema"
)

// Misfits sums up the values of one path that no column took for one reason.
type Misfits struct {
	// Column is the path as schema.Path writes it: original names of the
	// contract, or the file's own spelling of what the contract does not know.
	// It is "" for fields past the header, and _value for records that are no
	// objects.
	Column string
	// Of is the field's own name, where the last name of Column is another casing
	// that lost against it.
	Of string
	// Why is the reason, as in the rescue column.
	Why string
	// Action is what became of them: rescue, quarantine; null for misfits that
	// are dropped, ignore for what else is.
	Action string
	// Record is the first record concerned, Count how many values are; of an
	// array that is rescued whole the first value that does not fit counts.
	Record, Count int64
	// Sample is the value of that record, cut, "" if it is not known.
	Sample string
}

// Remark sums up what a policy lets pass, but not without saying so.
type Remark struct {
	// Kind is value_truncated, key_duplicate or folder_padded.
	Kind contract.Kind
	// Column is a path as in Misfits.
	Column string
	// Record is the first record concerned, Count how many values are.
	Record, Count int64
}

// tally counts the cases of one path and reason.
type tally struct {
	column, why, action string
	of                  string
	remark              bool
	record, count       int64
	// first and more are of the slab at hand, which may be fitted twice.
	first, more int64
	// sample is the value in the first record, fresh that in first.
	sample, fresh string
}

// maxTallies bounds the memory that names without end can take: beyond it, what
// is new counts for its parent.
const maxTallies = 10_000

// tallies are all of an object, in the order in which they were made.
type tallies struct {
	all   []*tally
	known map[tallyKey]*tally
	// planned are the first of all as they were when all objects had been planned
	// for, asked tells that rules were asked for after that.
	planned []tally
	asked   bool
}

type tallyKey struct {
	column, why, action string
	remark              bool
}

// of returns the tally of a path.
func (t *tallies) of(path schema.Path, why, action string, remark bool) *tally {
	t.asked = true
	k := tallyKey{path.String(), why, action, remark}
	if len(t.all) >= maxTallies && t.known[k] == nil {
		k.column = path.Parent().String()
	}
	if found := t.known[k]; found != nil {
		return found
	}
	made := &tally{column: k.column, why: why, action: action, remark: remark}
	if t.known == nil {
		t.known = make(map[tallyKey]*tally)
	}
	t.known[k] = made
	t.all = append(t.all, made)
	return made
}

// turn forgets what was made or counted since all was planned, and tells whether
// rules were asked for.
func (t *tallies) turn() (asked bool) {
	for i := range t.planned {
		*t.all[i] = t.planned[i]
	}
	for _, x := range t.all[len(t.planned):] {
		delete(t.known, tallyKey{x.column, x.why, x.action, x.remark})
	}
	t.all = t.all[:len(t.planned)]
	asked, t.asked = t.asked, false
	return asked
}

// forget forgets what was counted of the slab at hand.
func (t *tallies) forget() {
	for _, x := range t.all {
		x.more = 0
	}
}

// keep adds what was counted of the slab at hand.
func (t *tallies) keep() {
	for _, x := range t.all {
		if x.more > 0 && x.count == 0 {
			x.record, x.sample = x.first, x.fresh
		}
		x.count += x.more
		x.more = 0
	}
}

// note counts a case in a record. Records come in any order, since fields are
// fitted one by one. found, if set, is the value as messages show it: it is asked for
// the first alone.
func (t *tally) note(record int64, found func() string) {
	if t.more == 0 || record < t.first {
		t.first, t.fresh = record, ""
		if found != nil {
			t.fresh = plain(found())
		}
	}
	t.more++
}

// plain is a value without the quotes that messages put around text.
func plain(found string) string {
	text, cut := strings.CutSuffix(found, "…")
	if value, err := strconv.Unquote(text); err == nil && text[0] == '"' {
		text = value
	}
	if cut {
		text += "…"
	}
	return text
}

// Misfits returns what no column took so far, in the order of the header and of
// folders, and of trees as it was met.
func (b *Book) Misfits() []Misfits {
	var all []Misfits
	for _, t := range b.tallies.all {
		if t.count > 0 && !t.remark {
			all = append(all, Misfits{t.column, t.of, t.why, t.action, t.record, t.count, t.sample})
		}
	}
	return all
}

// Remarks returns what else there is to tell.
func (b *Book) Remarks() []Remark {
	var all []Remark
	for _, t := range b.tallies.all {
		if t.count > 0 && t.remark {
			all = append(all, Remark{contract.Kind(t.why), t.column, t.record, t.count})
		}
	}
	return all
}
