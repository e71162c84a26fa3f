package alert

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Rule says which messages go to which targets.
type Rule struct {
	// On are the kinds that the rule takes, Sources the sources; none means all.
	On      []Kind
	Sources []string
	// Redact takes values of the data out of the messages.
	Redact bool
	// Digest, if set, has the messages wait for a time of day.
	Digest  *Digest
	Targets []Target
}

// Target is where messages go.
type Target struct {
	// Name is what records, reports and errors call it: it holds no secret.
	Name   string
	Sender Sender
}

// Sender brings a letter to its target. It returns when the target has taken it.
// Its errors hold no secret. A letter may come twice, with the same id.
type Sender interface {
	Send(ctx context.Context, l Letter) error
}

// refusal is the error of a target that works, and does not take this letter.
type refusal string

func (r refusal) Error() string { return string(r) }

// Letter is what a target gets at once.
type Letter struct {
	// ID is that of the message, or of the digest.
	ID string
	// Messages is one message, or those of a digest.
	Messages []Message
	Digest   bool
	// Delay is how long it waited for its target, beyond what its rule wants.
	Delay time.Duration
	// Now is the time at which it is sent.
	Now time.Time
}

// Digest is a time of day.
type Digest struct {
	Hour, Minute int
	// Zone is whose day it is, nil for UTC.
	Zone *time.Location
}

// After is the first such time after t.
func (d Digest) After(t time.Time) time.Time {
	zone := d.Zone
	if zone == nil {
		zone = time.UTC
	}
	day := t.In(zone)
	for i := 0; ; i++ {
		at := time.Date(day.Year(), day.Month(), day.Day()+i, d.Hour, d.Minute, 0, 0, zone)
		if at.After(t) {
			return at
		}
	}
}

// Try is a letter that tries a target of the rule.
func (r Rule) Try(id string, now time.Time) Letter {
	m := Message{
		ID: id, Kind: Test, Source: "landfall", What: "test", Column: "column", File: "folder/file.csv", Record: 1, Line: 2,
		Sample: "value", Wanted: "bigint", Count: 1, Decision: "none", Command: "landfall alert list", Time: now.UTC(),
	}
	if r.Redact {
		m = m.redacted()
	}
	return Letter{ID: id, Messages: []Message{m.Told()}, Now: now.UTC()}
}

// takes tells whether a message goes to the targets of the rule. Columns that were
// added are lines of digests, whatever kinds these take.
func (r Rule) takes(m Message) bool {
	if len(r.Sources) > 0 && m.Kind != Delayed && !slices.Contains(r.Sources, m.Source) {
		return false
	}
	switch m.Kind {
	case ColumnAdded:
		return r.Digest != nil
	case Delayed:
		return slices.Contains(r.On, m.Kind) // late messages say so themselves
	}
	return len(r.On) == 0 || slices.Contains(r.On, m.Kind)
}

// due is when a message that was queued at a time may be sent.
func (r Rule) due(queued time.Time) time.Time {
	if r.Digest == nil {
		return queued
	}
	return r.Digest.After(queued)
}

// subject says in one line what a letter is about.
func (l Letter) subject() string {
	if !l.Digest {
		return l.Messages[0].headline()
	}
	alerts := 0
	for _, m := range l.Messages {
		if m.Kind != ColumnAdded {
			alerts++
		}
	}
	text := plural(int64(alerts), "alert")
	if n := len(l.Messages) - alerts; n > 0 {
		text += ", " + plural(int64(n), "new column")
	}
	return text
}

// text is all of a letter for people.
func (l Letter) text() string {
	text := ""
	if l.Digest {
		text = l.subject() + "\n\n"
	}
	for i, m := range l.Messages {
		if i > 0 {
			text += "\n\n"
		}
		text += m.Text
	}
	if l.Delay > 0 {
		text += "\n\n" + l.delayed()
	}
	return text
}

func (l Letter) delayed() string {
	return "delivered after " + Span(l.Delay)
}

// Span writes a time span for people: 45 s, 12 m, 1 h 02 m, 3 d 04 h.
func Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d m", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h %02d m", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %02d h", int(d.Hours())/24, int(d.Hours())%24)
}
