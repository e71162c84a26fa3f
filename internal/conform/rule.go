package conform

import (
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/rescue"
	"landfall/internal/schema"
)

// Kinds of drift whose policy is asked for here.
const (
	columnAdded     contract.Kind = "column_added"
	keyDuplicate    contract.Kind = "key_duplicate"
	recordMalformed contract.Kind = "record_malformed"
	recordRagged    contract.Kind = "record_ragged"
	valueMisfit     contract.Kind = "value_misfit"
	valueTruncated  contract.Kind = "value_truncated"
)

// action is what becomes of a value that no column takes.
type action uint8

const (
	rescues  action = iota
	drops           // is ignored, and its cell is null
	keepsOut        // the row goes to quarantine
	fails           // the run stops
	lands           // it goes on as if nothing were
)

// actionOf reads an action of a policy on single values.
func actionOf(name string) action {
	switch name {
	case "null", "ignore":
		return drops
	case "quarantine":
		return keepsOut
	case "fail":
		return fails
	case "land":
		return lands
	default:
		return rescues
	}
}

// rule says what becomes of the values that no column takes, of one path and
// for one reason.
type rule struct {
	action action
	tally  *tally
	// reason is the JSON string that _why of the rescue column gives.
	reason []byte
	// column, want and set are for messages: where a value stood, what was
	// wanted there, and what a person set to have it so.
	column, want, set string
	// kind is that of the policy that decided, if one did.
	kind contract.Kind
}

func (f *Fitter) newRule(path schema.Path, why, want string, a action) *rule {
	names := [...]string{rescues: "rescue", drops: "ignore", keepsOut: "quarantine", fails: "fail"}
	name := names[a]
	if a == drops && strings.HasPrefix(why, contract.WhyType+":") {
		name = "null"
	}
	r := &rule{action: a, tally: f.tallies.of(path, why, name, false), column: path.String(), want: want}
	r.reason = rescue.Quote(why)
	return r
}

// policyRule is a rule that a policy on a kind of drift decides.
func (f *Fitter) policyRule(kind contract.Kind, path schema.Path, why, want string) *rule {
	name, by := f.policy.ActionOf(kind, path.String())
	r := f.newRule(path, why, want, actionOf(name))
	r.kind = kind
	if r.action == rescues && f.rescue < 0 {
		r.action = drops
	}
	if by == "policy" {
		r.set = "policy " + string(kind) + ": " + name
	}
	return r
}

// remarkRule is the rule for what is told as a remark where it goes on.
func (f *Fitter) remarkRule(kind contract.Kind, path schema.Path, want string) *rule {
	name, by := f.policy.ActionOf(kind, path.String())
	r := &rule{action: actionOf(name), column: path.String(), want: want, kind: kind}
	r.tally = f.tallies.of(path, string(kind), name, true)
	if by == "policy" {
		r.set = "policy " + string(kind) + ": " + name
	}
	return r
}

// spillRule is a rule for what has no column: it is rescued. Without a rescue
// column its row is kept out; only the preset that has none drops it.
func (f *Fitter) spillRule(path schema.Path, why string) *rule {
	switch {
	case f.rescue >= 0:
		return f.newRule(path, why, "", rescues)
	case f.policy.Preset == contract.NoEvolution:
		return f.newRule(path, why, "", drops)
	}
	r := f.newRule(path, why, wanted(why), keepsOut)
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

// unknownRule is the rule for a name that the contract does not know. It is
// ignored if somebody chose so: where there is no rescue column, what the policy
// makes of "rescue" is no such choice.
func (f *Fitter) unknownRule(path schema.Path) *rule {
	chosen := f.policy
	chosen.NoRescue, chosen.Rescue = false, contract.RescuedData
	if name, _ := chosen.ActionOf(columnAdded, path.String()); name == "ignore" {
		return f.newRule(path, contract.WhyUnknown, "", drops)
	}
	return f.spillRule(path, contract.WhyUnknown)
}

// apply accounts for a value of so many cells that no column takes. It reports
// whether the value is to be rescued.
func (f *Fitter) apply(r *rule, cells int64, found func() string) bool {
	switch r.action {
	case rescues:
		f.counts.Rescued += cells
	case drops:
		f.counts.Ignored += cells
	case keepsOut:
		f.counts.Ignored += cells // of a row that will not stay
		f.keepOut(diag.ValueMisfit, r.column, r.message(found()), r.tally)
		return false
	case fails:
		f.fail(r, found())
		return false
	}
	r.tally.note(f.recordNumber())
	return r.action == rescues
}

// message says what was found, and what was wanted.
func (r *rule) message(found string) string {
	text := "found " + found + ", want " + r.want
	if r.set != "" {
		text += " (" + r.set + ")"
	}
	return text
}

// fail stops the run at the row at hand.
func (f *Fitter) fail(r *rule, found string) {
	if f.err != nil {
		return
	}
	d := diag.New(diag.PolicyFail, "%s", r.message(found)).In(f.where())
	d.Path = r.column
	f.err = d.Hinted("set %s to rescue to land what fits", r.kind)
}

// where is the place of the row at hand.
func (f *Fitter) where() diag.Place {
	p := diag.Place{File: f.object.Path, Record: f.recordNumber()}
	if f.slab != nil && f.row < len(f.slab.Where) {
		p.Line, p.Offset = f.slab.Where[f.row].Line, f.slab.Where[f.row].Offset
	}
	return p
}

// recordNumber is that of the row at hand; 0 before there is one.
func (f *Fitter) recordNumber() int64 {
	if f.slab == nil || f.row >= len(f.slab.Records) {
		return 0
	}
	return f.slab.Records[f.row]
}
