// Package alert tells people what a run met and decided.
//
// A [Message] is about one cause and has an id that follows from it, so that the
// same cause, derived again by a later run, is the same message. Rules say which
// messages go to which targets. An [Outbox] keeps each of them durably before it is
// sent, and that it was sent after: nothing is lost when a target is down or a
// process dies, and at most the message that was on its way then arrives twice, with
// the same id.
package alert

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kind is what a message is about. Rules choose by it.
type Kind string

// The kinds of message.
const (
	// Rescued: values that no column took are in the rescue column.
	Rescued Kind = "rescued"
	// Quarantined: records or files are kept outside the table.
	Quarantined Kind = "quarantined"
	// Held: a policy "fail" stopped the source.
	Held Kind = "held"
	// Rewritten: a file that had landed has other bytes.
	Rewritten Kind = "rewritten"
	// RunFailed: a run ended with an error.
	RunFailed Kind = "run_failed"
	// ExpectationFailed: rows broke an expectation of a dataset.
	ExpectationFailed Kind = "expectation_failed"
	// GateFailed: a folder did not pass its gate.
	GateFailed Kind = "gate_failed"
	// Delayed: messages reached their target late.
	Delayed Kind = "delayed"
	// ColumnAdded: a table grew. It is a line of digests and never an alert.
	ColumnAdded Kind = "column_added"
	// Test: somebody tries whether messages arrive.
	Test Kind = "test"
)

// Kinds are those that rules may name.
func Kinds() []Kind {
	return []Kind{Rescued, Quarantined, Held, Rewritten, RunFailed, ExpectationFailed, GateFailed, Delayed}
}

// Message tells of one cause. Its JSON keys are an interface (docs/json.md).
type Message struct {
	// ID follows from the cause: see [ID].
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	// Source is the source, flow, dataset or folder that it is about.
	Source string `json:"source"`
	// Table is where its rows land.
	Table string `json:"table,omitempty"`
	// What is the kind of drift, the code of the error, or the expectation.
	What   string `json:"what,omitempty"`
	Column string `json:"column,omitempty"`
	// File, Record and Line (1-based) say where it was met first; MoreFiles counts the
	// other files that had it.
	File      string `json:"file,omitempty"`
	Record    int64  `json:"record,omitempty"`
	Line      int64  `json:"line,omitempty"`
	MoreFiles int    `json:"more_files,omitempty"`
	// Sample is the value, or the beginning of the record, that was met first, and
	// Reason what was found; both may hold data.
	Sample string `json:"sample,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Wanted is the type of the column.
	Wanted string `json:"wanted,omitempty"`
	// Redacted says that Sample and Reason were taken out.
	Redacted bool `json:"redacted,omitempty"`
	// Count is the number of values, records or rows concerned.
	Count int64 `json:"count,omitempty"`
	// Decision is what was done.
	Decision string `json:"decision,omitempty"`
	// Command is what to type to look at it and to decide otherwise.
	Command string `json:"command,omitempty"`
	// Time is when the batch or the run was.
	Time time.Time `json:"time"`
	// Text is all of it as a few lines for people; [Message.Told] sets it.
	Text string `json:"text"`
}

// ID is the id of a message: of the same parts always the same, whichever attempt,
// batch or run meets the cause.
func ID(kind Kind, source string, parts ...string) string {
	h := sha256.New()
	for _, p := range append([]string{string(kind), source}, parts...) {
		h.Write([]byte(strconv.Itoa(len(p)) + ":" + p)) // never returns an error
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// rank puts what is no alert behind what is one.
func (m Message) rank() int {
	if m.Kind == ColumnAdded {
		return 1
	}
	return 0
}

// order is that of messages of the same time.
func (m Message) order(o Message) int {
	return cmp.Or(m.Time.Compare(o.Time), m.rank()-o.rank(), strings.Compare(m.Source, o.Source), strings.Compare(m.File, o.File),
		cmp.Compare(m.Record, o.Record), strings.Compare(m.ID, o.ID))
}

// redacted takes out what may hold data.
func (m Message) redacted() Message {
	if m.Kind == Delayed {
		return m // it has no data
	}
	if m.Sample == "" && m.Reason == "" {
		return m
	}
	m.Sample, m.Reason, m.Redacted = "", "", true
	return m
}

// Told returns the message with its text.
func (m Message) Told() Message {
	var b strings.Builder
	b.WriteString(m.headline())
	if place := m.place(); place != "" {
		b.WriteString("\nfirst in " + place)
		if m.Sample != "" {
			b.WriteString(": " + strconv.Quote(m.Sample))
		}
		switch {
		case m.MoreFiles == 1:
			b.WriteString(", and in 1 more file")
		case m.MoreFiles > 1:
			fmt.Fprintf(&b, ", and in %d more files", m.MoreFiles)
		}
	} else if m.Sample != "" {
		b.WriteString("\nfound " + strconv.Quote(m.Sample))
	}
	if m.Reason != "" && m.Kind != Delayed {
		b.WriteString("\n" + line(m.Reason))
	}
	if m.Redacted {
		b.WriteString("\nvalues are left out")
	}
	if m.Decision != "" {
		b.WriteString("\ndecided: " + line(m.Decision) + m.by())
	}
	if m.Command != "" {
		b.WriteString(m.leads() + m.Command)
	}
	m.Text = b.String()
	return m
}

// by names the policy that decided, where one did.
func (m Message) by() string {
	switch m.Kind {
	case Rescued, Quarantined, Rewritten:
		if m.What != "" && m.What != others && !strings.HasPrefix(m.What, "E") {
			return ", by policy " + line(m.What)
		}
	}
	return ""
}

// leads says what the command is for.
func (m Message) leads() string {
	switch m.Kind {
	case Rescued, Quarantined, Rewritten, ColumnAdded:
		return "\nto decide otherwise: "
	default:
		return "\nwhat to do: "
	}
}

// headline says what happened in one line.
func (m Message) headline() string {
	return line(m.Source) + ": " + m.happened()
}

func (m Message) happened() string {
	what := strings.ReplaceAll(line(m.What), "_", " ")
	switch m.Kind {
	case Rescued:
		text := plural(m.Count, "value")
		if m.Column != "" {
			text += " of column " + line(m.Column)
		}
		is := " are "
		if m.Count == 1 {
			is = " is "
		}
		if m.Wanted != "" {
			return text + is + "no " + line(m.Wanted) + ": rescued (" + what + ")"
		}
		return text + is + "rescued (" + what + ")"
	case Quarantined:
		text := "kept out of the table: " + plural(max(m.Count, 1), "record")
		if m.Record == 0 && m.Line == 0 {
			text = "kept out of the table: " + plural(int64(m.MoreFiles)+1, "file")
		}
		if m.Column != "" {
			text += ", for column " + line(m.Column)
		}
		return text + " (" + what + ")"
	case Held:
		text := "stopped by a policy, nothing of the batch landed"
		if m.Column != "" {
			text += ": column " + line(m.Column)
		}
		return text
	case Rewritten:
		return plural(int64(m.MoreFiles)+1, "file") + " rewritten after landing"
	case ExpectationFailed:
		return plural(m.Count, "row") + " broke expectation " + line(m.What)
	case GateFailed:
		text := "the folder did not pass its gate"
		if m.Column != "" {
			text += ", for column " + line(m.Column)
		}
		return text
	case ColumnAdded:
		return m.added()
	case Delayed:
		return line(m.Reason)
	case Test:
		return "a test of alerts, nothing happened"
	default:
		text := "the run failed"
		if m.What != "" {
			text += " [" + line(m.What) + "]"
		}
		if m.Count > 1 {
			text += ", of " + plural(m.Count, "error") + " the first"
		}
		return text
	}
}

// added says which column is new.
func (m Message) added() string {
	switch {
	case m.What == others && m.Count == 1:
		return "1 more column is new"
	case m.What == others:
		return plural(m.Count, "more column") + " are new"
	case m.Wanted != "":
		return "new column " + line(m.Column) + " " + line(m.Wanted)
	}
	return "new column " + line(m.Column)
}

// place is where it was met first.
func (m Message) place() string {
	switch {
	case m.File == "":
		return ""
	case m.Record > 0 && m.Line > 0:
		return fmt.Sprintf("%s record %d (line %d)", line(m.File), m.Record, m.Line)
	case m.Record > 0:
		return fmt.Sprintf("%s record %d", line(m.File), m.Record)
	case m.Line > 0:
		return fmt.Sprintf("%s line %d", line(m.File), m.Line)
	}
	return line(m.File)
}

// line makes one line of a text that files may have a hand in.
func line(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, cut(text, longest))
}

// longest bounds what of a name or a value stands in a message, in bytes.
const longest = 300

// cut shortens a text to most bytes, before a character that would be cut in two.
func cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && text[end]&0xc0 == 0x80 {
		end--
	}
	return text[:end] + "…"
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatInt(n, 10) + " " + noun + "s"
}
