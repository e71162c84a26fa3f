package provenance

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// counted are the kinds of values that evidence tells of, with their numbers.
func counted(e *column.Evidence) []string {
	var order []string
	nouns := map[string]bool{"objects": true, "arrays": true, "maps": true, "nulls": true}
	counts := map[string]int64{}
	add := func(noun string, n int64) {
		if n > 0 && !slices.Contains(order, noun) {
			order = append(order, noun)
		}
		counts[noun] += n
	}
	for _, d := range e.Types {
		add(d.Type, d.Count)
	}
	for _, s := range slices.Concat(e.Bare, e.Strings) {
		nouns[noun(s.Class)] = true
		add(noun(s.Class), s.Count)
	}
	add("objects", e.Objects.Count)
	add("arrays", e.Arrays.Count)
	add("maps", e.Maps.Count)
	add("nulls", e.Nulls)
	out := make([]string, len(order))
	for i, n := range order {
		if counts[n] == 1 && nouns[n] {
			n = strings.TrimSuffix(n, "s")
		}
		out[i] = fmt.Sprintf("%d %s", counts[order[i]], n)
	}
	return out
}

// noun is what people call the values of a class.
func noun(c value.Class) string {
	switch c {
	case value.IntegerExact, value.IntegerLong, value.IntegerBig:
		return "integers"
	case value.DecimalExact, value.DecimalInexact:
		return "decimals"
	case value.Float, value.Special:
		return "floats"
	case value.Boolean:
		return "booleans"
	case value.Date:
		return "dates"
	case value.TimestampZoned, value.TimestampLocal:
		return "timestamps"
	case value.Code:
		return "codes"
	case value.NullLike:
		return "null-like tokens"
	case value.Empty:
		return "empty texts"
	default:
		return "texts"
	}
}

// rescued is what the rescue column of a row says.
type rescued struct {
	Record int64             `json:"_record"`
	Why    map[string]string `json:"_why"`
	values map[string]json.RawMessage
}

// rescuedOf reads a rescue column, which the table gives as a JSON string.
func rescuedOf(cell json.RawMessage) (rescued, error) {
	var r rescued
	var text *string
	if err := json.Unmarshal(orNull(cell), &text); err != nil || text == nil {
		return r, err
	}
	if err := json.Unmarshal([]byte(*text), &r.values); err != nil {
		return rescued{}, nil // another tool wrote it
	}
	for key, to := range map[string]any{"_record": &r.Record, "_why": &r.Why} {
		if raw, ok := r.values[key]; ok {
			if err := json.Unmarshal(raw, to); err != nil {
				return rescued{}, nil
			}
		}
	}
	return r, nil
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

// kept lists what is kept beside a row, by path.
func (e *Explainer) kept(p *pending) ([]Kept, error) {
	r, err := rescuedOf(p.place.Values[e.Objects.Policy.RescueColumn()])
	if err != nil {
		return nil, err
	}
	var out []Kept
	for path, why := range r.Why {
		out = append(out, Kept{Path: path, Value: r.at(path), Why: why, Policy: e.policy(p, path, why)})
	}
	slices.SortFunc(out, func(a, b Kept) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return out, nil
}

// at returns the value at a path, nil if it does not lead to one.
func (r rescued) at(path string) json.RawMessage {
	pieces, err := schema.ParsePath(path)
	if err != nil {
		return r.values[path]
	}
	object := r.values
	for i, name := range pieces {
		v, ok := object[name]
		if !ok || i == len(pieces)-1 {
			return v
		}
		object = nil
		if json.Unmarshal(v, &object) != nil {
			return nil
		}
	}
	return nil
}

// policy is the rule by which a value was kept: as the batch noted it, or else as
// the policies say now.
func (e *Explainer) policy(p *pending, path, why string) string {
	for _, d := range p.attempt.Drift {
		if d.Column == titled(path) && (d.File == p.object.Path || d.File == "") && d.Decision == "rescue" {
			return d.Policy
		}
	}
	_, rule := e.Objects.Policy.ActionOf(kindOf(why), path)
	return rule
}

// titled is how events name a column.
func titled(path string) string {
	if p, err := schema.ParsePath(path); err == nil && len(p) == 1 {
		return p[0]
	}
	return path
}

// kindOf is the kind of drift that a reason belongs to.
func kindOf(why string) event.Kind {
	switch why {
	case contract.WhyUnknown:
		return event.ColumnAdded
	case contract.WhyCase:
		return event.ColumnRecased
	case contract.WhyRagged:
		return event.RecordRagged
	case contract.WhyPartition:
		return event.PartitionClash
	case contract.WhyDuplicate:
		return event.KeyDuplicate
	default:
		return event.ValueMisfit
	}
}

// isKept tells whether a field is among what is kept beside the row.
func isKept(kept []Kept, name string) bool {
	return slices.ContainsFunc(kept, func(k Kept) bool { return topOf(k.Path) == name })
}

// quoteRaw makes JSON of what a file has.
func quoteRaw(raw string, tree bool) json.RawMessage {
	if tree && json.Valid([]byte(raw)) {
		return json.RawMessage(raw)
	}
	b, err := json.Marshal(raw)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
