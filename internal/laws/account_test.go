package laws_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/event"
)

// account finds what every file of a landing says again, by the reading of the
// standard library: each record as a row, in quarantine, or dropped as the policy
// says, and each value of a row in its column or rescued, or ignored as the policy
// says.
func (l *landing) account() error {
	for _, o := range l.objects {
		r, err := l.reading(o)
		if err != nil {
			return err
		}
		if err := l.accountFile(o, r); err != nil {
			return fmt.Errorf("%s: %w", o.path, err)
		}
	}
	return nil
}

func (l *landing) accountFile(o *object, r reading) error {
	switch {
	case o.foreign:
		return nil // whole in quarantine; Law 2 says when that may be
	case o.refused != "":
		if len(r.inputs) > 0 || len(r.header) > 0 {
			return fmt.Errorf("refused with %d records: %s", len(r.inputs), o.refused)
		}
		return nil
	case int(o.read) != len(r.inputs):
		return fmt.Errorf("%d records read, want %d", o.read, len(r.inputs))
	}
	rows := make(map[int64]*row)
	for i := range o.rows {
		rows[o.rows[i].record] = &o.rows[i]
	}
	f := &finder{landing: l, object: o, header: r.header}
	var dropped int64
	for i, in := range r.inputs {
		n := int64(i + 1)
		at := slices.IndexFunc(o.out, func(b column.Bad) bool { return b.Record == n })
		row := rows[n]
		var err error
		switch {
		case at >= 0 && row != nil:
			err = errors.New("is a row, and in quarantine")
		case at >= 0:
			err = f.aside(in, &o.out[at])
		case row != nil:
			err = f.row(in, row)
		case in.bad && l.does(event.RecordMalformed, "drop"):
			dropped++
		default:
			err = errors.New("is nowhere")
		}
		if err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
	}
	return f.totals(dropped)
}

func (l *landing) does(kind contract.Kind, action string) bool {
	does, _ := l.policy.Action(kind)
	return does == action
}

// finder looks for the values of one object.
type finder struct {
	*landing
	object *object
	header []string
	// nowhere counts the cells that were not found, cut the timestamps that lost
	// digits.
	nowhere, cut int64
	lost         string
}

func (f *finder) totals(dropped int64) error {
	c := f.object.counts
	switch {
	case f.nowhere > 0 && !f.mayIgnore():
		return fmt.Errorf("nowhere: %s", f.lost)
	case c.Ignored != f.nowhere && (c.Ignored < f.nowhere || !f.inFolder()):
		return fmt.Errorf("%d cells are nowhere (%s), but %d are told", f.nowhere, f.lost, c.Ignored)
	case c.Dropped != dropped:
		return fmt.Errorf("%d records were dropped, but %d are told", dropped, c.Dropped)
	case int(c.Rows) != len(f.object.rows):
		return fmt.Errorf("%d rows, but %d are told", len(f.object.rows), c.Rows)
	case f.cut > f.object.cut:
		return fmt.Errorf("%d timestamps lost digits, but %d are told", f.cut, f.object.cut)
	}
	return nil
}

// inFolder reports whether the file is in a folder of a name and value: a field
// that is ignored may say the same as that.
func (f *finder) inFolder() bool { return strings.Contains(f.object.path, "=") }

// mayIgnore reports whether the policy lets any value go.
func (f *finder) mayIgnore() bool {
	return f.policy.RescueColumn() == "" || f.does(event.ColumnAdded, "ignore") || f.does(event.ValueMisfit, "null")
}

// aside checks a record in quarantine.
func (f *finder) aside(in input, b *column.Bad) error {
	may := f.does(event.ValueMisfit, "quarantine") || f.does(event.RecordRagged, "quarantine") || f.policy.RescueColumn() == ""
	switch {
	case b.Reason == "" || b.Code == "":
		return errors.New("is in quarantine without a reason")
	case in.bad && string(b.Bytes) != in.text:
		return fmt.Errorf("is in quarantine as %q, want %q", b.Bytes, in.text)
	case in.tree != nil && string(b.Bytes) != in.tree.raw:
		return fmt.Errorf("is in quarantine as %q, want %q", b.Bytes, in.tree.raw)
	case !in.bad && !may:
		return fmt.Errorf("is in quarantine: %s", b.Reason)
	}
	return nil
}

// row looks for the values of a record that is a row.
func (f *finder) row(in input, r *row) error {
	rescued, why, err := f.rescued(r)
	if err != nil {
		return err
	}
	s := &scope{finder: f, cells: r.cells, claimed: make([]bool, len(r.cells)), rescued: rescued, why: why, taken: make(map[string]bool)}
	s.columns()
	switch {
	case in.bad:
		if !corrupt(rescued, in.text) {
			return fmt.Errorf("malformed, found %s", r.rescued)
		}
		s.taken["_corrupt_record"] = true
	case in.tree == nil:
		s.flat(in.fields)
	case in.tree.kind == '{':
		s.object(in.tree)
	default:
		s.other("_value", in.tree)
	}
	s.folders()
	return s.ended()
}

func corrupt(rescued *node, text string) bool {
	n := rescued.get("_corrupt_record")
	if raw := n.get("$base64"); raw != nil {
		decoded, err := base64.StdEncoding.DecodeString(raw.text)
		return err == nil && string(decoded) == text
	}
	return n != nil && n.text == text
}

// rescued reads the rescue column of a row, without our own keys, and the
// reasons.
func (f *finder) rescued(r *row) (rest, why *node, err error) {
	if r.rescued == "" {
		return nil, nil, nil
	}
	all, err := parse(r.rescued)
	if err != nil || len(all) != 1 || all[0].kind != '{' {
		return nil, nil, fmt.Errorf("rescued %q: %w", r.rescued, err)
	}
	n := all[0]
	rest = &node{kind: '{'}
	for i, name := range n.names {
		switch {
		case slices.Index(n.names, name) < i:
			return nil, nil, fmt.Errorf("%q is rescued twice: %s", name, r.rescued)
		case name == "_record" && n.items[i].raw != fmt.Sprint(r.record):
			return nil, nil, fmt.Errorf("record %s was rescued", n.items[i].raw)
		case !slices.Contains([]string{"_record", "_file_path", "_byte_offset", "_why"}, name):
			rest.names, rest.items = append(rest.names, name), append(rest.items, n.items[i])
		}
	}
	why = n.get("_why")
	if n.get("_record") == nil || n.get("_file_path") == nil || why == nil || len(why.items) == 0 {
		return nil, nil, fmt.Errorf("rescued without place or reason: %s", r.rescued)
	}
	return rest, why, nil
}
