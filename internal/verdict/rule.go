// Package verdict decides what becomes of values that no column takes, and
// accounts for them.
//
// A policy gives each path and reason a Rule, once for an object; a Book applies
// the rules row by row, and counts.
package verdict

import (
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/rescue"
	"landfall/internal/schema"
)

// Action is what becomes of a value that no column takes.
type Action uint8

// The actions.
const (
	Rescues  Action = iota // goes to the rescue column
	Drops                  // is ignored, and its cell is null
	KeepsOut               // the row goes to quarantine
	Fails                  // the run stops
	Lands                  // it goes on as if nothing were
)

// actionOf reads an action of a policy on single values.
func actionOf(name string) Action {
	switch name {
	case "null", "ignore":
		return Drops
	case "quarantine":
		return KeepsOut
	case "fail":
		return Fails
	case "land":
		return Lands
	default:
		return Rescues
	}
}

// OnRecords reads an action of a policy on whole records.
func OnRecords(name string) Action {
	switch name {
	case "rescue":
		return Rescues
	case "drop":
		return Drops
	case "fail":
		return Fails
	default:
		return KeepsOut
	}
}

// Rule says what becomes of the values that no column takes, of one path and
// for one reason.
type Rule struct {
	Action Action
	tally  *tally
	// Reason is the JSON string that _why of the rescue column gives.
	Reason []byte
	// column, want and set are for messages: where a value stood, what was
	// wanted there, and what a person set to have it so.
	column, want, set string
	// kind is that of the policy that decided, if one did.
	kind contract.Kind
}

func (b *Book) newRule(path schema.Path, why, want string, a Action) *Rule {
	names := [...]string{Rescues: "rescue", Drops: "ignore", KeepsOut: "quarantine", Fails: "fail"}
	name := names[a]
	if a == Drops && strings.HasPrefix(why, contract.WhyType+":") {
		name = "null"
	}
	r := &Rule{Action: a, tally: b.tallies.of(path, why, name, false), column: path.String(), want: want}
	r.Reason = rescue.Quote(why)
	return r
}

// PolicyRule is a rule that a policy on a kind of drift decides.
func (b *Book) PolicyRule(kind contract.Kind, path schema.Path, why, want string) *Rule {
	name, by := b.policy.ActionOf(kind, path.String())
	r := b.newRule(path, why, want, actionOf(name))
	r.kind = kind
	if r.Action == Rescues && !b.rescues {
		r.Action = Drops
	}
	if by == "policy" {
		r.set = "policy " + string(kind) + ": " + name
	}
	return r
}

// RemarkRule is the rule for what is told as a remark where it goes on.
func (b *Book) RemarkRule(kind contract.Kind, path schema.Path, want string) *Rule {
	name, by := b.policy.ActionOf(kind, path.String())
	r := &Rule{Action: actionOf(name), column: path.String(), want: want, kind: kind}
	r.tally = b.tallies.of(path, string(kind), name, true)
	if by == "policy" {
		r.set = "policy " + string(kind) + ": " + name
	}
	return r
}

// SpillRule is a rule for what has no column: it is rescued. Without a rescue
// column its row is kept out; only the preset that has none drops it.
func (b *Book) SpillRule(path schema.Path, why string) *Rule {
	switch {
	case b.rescues:
		return b.newRule(path, why, "", Rescues)
	case b.policy.Preset == contract.NoEvolution:
		return b.newRule(path, why, "", Drops)
	}
	r := b.newRule(path, why, wanted(why), KeepsOut)
	r.set = "there is no rescue column"
	return r
}

// wanted is what messages say was wanted where there is no rescue column.
func wanted(why string) string {
	typ, misfit := strings.CutPrefix(why, contract.WhyType+":")
	switch {
	case misfit && typ != schema.Unknown.String():
		return typ
	case why == contract.WhyCase:
		return "one casing of the name"
	case why == contract.WhyPartition:
		return "the value of the folder"
	default:
		return "a column that takes it"
	}
}

// DropRule is a rule for what somebody decided to drop.
func (b *Book) DropRule(path schema.Path, why string) *Rule {
	return b.newRule(path, why, "", Drops)
}

// UnknownRule is the rule for a name that the contract does not know. It is
// ignored if somebody chose so: where there is no rescue column, what the policy
// makes of "rescue" is no such choice.
func (b *Book) UnknownRule(path schema.Path) *Rule {
	chosen := b.policy
	chosen.NoRescue, chosen.Rescue = false, contract.RescuedData
	if name, _ := chosen.ActionOf(event.ColumnAdded, path.String()); name == "ignore" {
		return b.newRule(path, contract.WhyUnknown, "", Drops)
	}
	return b.SpillRule(path, contract.WhyUnknown)
}

// Why is the reason, as Misfits have it.
func (r *Rule) Why() string { return r.tally.why }

// Note counts a case in the row at hand.
func (b *Book) Note(r *Rule) { r.tally.note(b.Record(), nil) }

// Recased says that the rule is for another casing, at the path, of the field
// that has that name.
func (r *Rule) Recased(path schema.Path, of string) {
	if r.tally.column == path.String() {
		r.tally.of = of
	}
}

// Apply accounts for a value of so many cells that no column takes. It reports
// whether the value is to be rescued.
func (b *Book) Apply(r *Rule, cells int64, found func() string) bool {
	switch r.Action {
	case Rescues:
		b.Counts.Rescued += cells
	case Drops:
		b.Counts.Ignored += cells
	case KeepsOut:
		b.Counts.Ignored += cells // of a row that will not stay
		what := found()
		b.keepOut(diag.ValueMisfit, r.column, what, r.message(what), r.tally)
		return false
	case Fails:
		b.Fail(r, found())
		return false
	}
	r.tally.note(b.Record(), found)
	return r.Action == Rescues
}

// message says what was found, and what was wanted.
func (r *Rule) message(found string) string {
	text := "found " + found + ", want " + r.want
	if r.set != "" {
		text += " (" + r.set + ")"
	}
	return text
}

// Fail stops the run at the row at hand.
func (b *Book) Fail(r *Rule, found string) {
	if b.Err != nil {
		return
	}
	d := diag.New(diag.PolicyFail, "%s", r.message(found)).In(b.where())
	d.Path = r.column
	b.Err = d.Hinted("set %s to rescue to land what fits", r.kind)
}

// where is the place of the row at hand.
func (b *Book) where() diag.Place {
	p := diag.Place{File: b.path, Record: b.Record()}
	if b.slab != nil && b.Row < len(b.slab.Where) {
		p.Line, p.Offset = b.slab.Where[b.Row].Line, b.slab.Where[b.Row].Offset
	}
	return p
}

// Record is that of the row at hand; 0 before there is one.
func (b *Book) Record() int64 {
	if b.slab == nil || b.Row >= len(b.slab.Records) {
		return 0
	}
	return b.slab.Records[b.Row]
}
