package land_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
	"landfall/internal/state"
)

// The widening law: whatever types become as batches come, rows and columns are
// those of landing at once, each value can be found, in its column or rescued, no
// row has one that it never had, and no type gets narrower.
func TestWideningLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var p contract.Policy
		p.Rules.Agreement = rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(rt, "agreement")
		p.Kinds = map[contract.Kind]string{event.TypeWider: rapid.SampledFrom([]string{"widen", contract.ByFeature}).Draw(rt, "types widen by")}
		f := drawDrifting(rt, rapid.SampledFrom([]string{"csv", "lines", "parquet"}).Draw(rt, "as"), p)
		if err := f.widens(t, rt); err != nil {
			rt.Fatalf("%v\n%s", err, f)
		}
	})
}

func (f drifting) widens(t *testing.T, rt *rapid.T) error {
	var before schema.Struct
	cut := f.inDays(t, rt, func(l *landed) error {
		if len(l.paths()) == 0 {
			return nil
		}
		now := l.snapshot().Schema
		if err := wider(before, now); err != nil {
			return fmt.Errorf("%s became %s: %w", before, now, err)
		}
		before = now
		return fits(t.Context(), l.data)
	})
	once := f.atOnce(t, rt)
	if len(once.paths()) == 0 {
		return nil
	}
	foreign := false
	last := map[string]delivery{}
	for _, d := range f.files {
		last[d.name] = d
		foreign = foreign || cut.entry(d.name).Fate == state.Quarantined && len(d.rows) > 0
	}
	a, b := once.names(), cut.names()
	if len(last) < len(f.files) { // columns of what was replaced stay
		b = slices.DeleteFunc(b, func(name string) bool { return !slices.Contains(a, name) })
	}
	if !slices.Equal(a, b) && !foreign {
		return fmt.Errorf("columns %s, in batches %s", a, b)
	}
	want := map[string]map[string]bool{}
	for _, d := range last {
		if cut.entry(d.name).Fate == state.Quarantined {
			continue
		}
		for _, row := range d.rows {
			leaves := leavesOfRow(row)
			want[leaves["id"].of] = leaves.set()
		}
	}
	return cut.holds(want)
}

// names are the columns of the contract, in no order and casing: what came first is
// another in batches. Some have no type that tables have, yet.
func (l *landed) names() []string {
	var all []string
	for _, c := range l.current().Columns {
		all = append(all, schema.Fold(c.Name))
	}
	slices.Sort(all)
	return all
}

// holds compares the values of each row, by id, with what should be there.
func (l *landed) holds(want map[string]map[string]bool) (err error) {
	met := map[string]bool{}
	l.each(func(rec arrow.RecordBatch, i int) {
		found := leaves{}
		for c, field := range rec.Schema().Fields() {
			switch v := rec.Column(c).GetOneForMarshal(i); {
			case field.Name == contract.IngestedAt || field.Name == contract.SourceFile || v == nil:
			case field.Name == contract.RescuedData:
				rescued := leavesOfRow(rec.Column(c).ValueStr(i))
				maps.DeleteFunc(rescued, func(path string, _ leafText) bool {
					return strings.HasPrefix(path, "_why") || strings.HasPrefix(path, "_file_path") || strings.HasPrefix(path, "_record")
				})
				for path, v := range rescued {
					found[path+" rescued"] = v
				}
			default:
				text, fault := json.Marshal(v)
				ok(l.t, fault)
				found.add(pathOf(field.Name), parsed(string(text)))
			}
		}
		id := text(rec, "id", i)
		switch has := found.set(); {
		case err != nil:
		case met[id] || want[id] == nil:
			err = fmt.Errorf("row %q is there, and should not be", id)
		case !maps.Equal(has, want[id]):
			err = fmt.Errorf("row %q has %v, want %v", id, slices.Sorted(maps.Keys(has)), slices.Sorted(maps.Keys(want[id])))
		}
		met[id] = true
	})
	if err == nil && len(met) != len(want) {
		err = fmt.Errorf("found %d rows, want %d", len(met), len(want))
	}
	return err
}

// leaves are the scalars of a row by where they stand.
type leaves map[string]leafText

// leafText is a scalar: its place without what tells rescued ones apart, and what
// it says.
type leafText struct{ at, of string }

// set are the leaves without where they are kept.
func (l leaves) set() map[string]bool {
	all := map[string]bool{}
	for _, v := range l {
		all[v.at+"="+v.of] = true
	}
	return all
}

func leavesOfRow(text string) leaves {
	l := leaves{}
	for name, v := range parsed(text).(map[string]any) {
		l.add(pathOf(name), v)
	}
	return l
}

func parsed(text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

func pathOf(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "_") }

// add adds what is in a value. A map is a list of keys and values, or an object; a
// column of text has objects and lists as JSON.
func (l leaves) add(at string, v any) {
	if text, is := v.(string); is && strings.IndexAny(text, "{[") == 0 {
		v = parsed(text)
	}
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for name, part := range v {
			l.add(at+"."+pathOf(name), part)
		}
	case []any:
		for i, part := range v {
			if entry, is := part.(map[string]any); is && entry["key"] != nil {
				l.add(at+"."+fmt.Sprint(entry["key"]), entry["value"])
				continue
			}
			l.add(fmt.Sprintf("%s.%d", at, i), part)
		}
	default:
		l[at] = leafText{at, meaning(fmt.Sprint(v))}
	}
}

var (
	number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	dated  = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}`)
)

// meaning is a number, or an instant, written in one way; other text as it is.
func meaning(text string) string {
	if number.MatchString(text) {
		if n, ok := new(big.Rat).SetString(text); ok {
			return n.RatString()
		}
	}
	if dated.MatchString(text) {
		for _, form := range []string{time.DateOnly, time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z0700", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999"} {
			if at, err := time.Parse(form, text); err == nil {
				return at.UTC().Format(time.RFC3339Nano)
			}
		}
	}
	return text
}

// wider refuses a type that is no wider one, at any place.
func wider(before, now schema.Type) error {
	switch b := before.(type) {
	case schema.Struct:
		n, same := now.(schema.Struct)
		if !same {
			return fmt.Errorf("%s is no struct any more", before)
		}
		for _, f := range b.Fields {
			at := n.Lookup(f.Name)
			if at < 0 || n.Fields[at].Name != f.Name {
				return fmt.Errorf("%s is gone", f.Name)
			}
			if err := wider(f.Type, n.Fields[at].Type); err != nil {
				return err
			}
		}
		return nil
	case schema.Array:
		if n, same := now.(schema.Array); same {
			return wider(b.Element, n.Element)
		}
	case schema.Map:
		if n, same := now.(schema.Map); same {
			return wider(b.Value, n.Value)
		}
	}
	if before == now || schema.Widens(before, now) || mayHold(before, now) {
		return nil
	}
	return fmt.Errorf("%s is no wider %s", now, before)
}

// mayHold tells whether a type has room for the fractions or the size that another
// has none for, so that it depends on the values whether it holds them; whether it
// does, the comparison of values finds out.
func mayHold(before, now schema.Type) bool {
	_, decimal := now.(schema.Decimal)
	switch b := before.(type) {
	case schema.Decimal:
		return now == schema.Type(schema.Double)
	case schema.Primitive:
		switch b {
		case schema.Byte, schema.Short, schema.Integer, schema.Long:
			return decimal || now == schema.Type(schema.Double) || now == schema.Type(schema.Float)
		}
	}
	return false
}
