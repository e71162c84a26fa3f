package land_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/land"
	"landfall/internal/parquetfile"
	"landfall/internal/store/memory"
)

// The replay law: however the files of a feed came and were cut into batches, a
// replay of all objects gives the table that landing them at once gives.
func TestReplayLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var f drifting
		switch as := rapid.SampledFrom([]string{"csv", "lines", "list", "parquet", "parquet", "wild csv", "wild json"}).Draw(rt, "as"); as {
		case "wild csv", "wild json":
			f = wildly(rt, as == "wild json")
		default:
			f = drawDrifting(rt, as, drawPolicy(rt))
		}
		f.replays(t, rt)
	})
}

// wildly is a feed without any plan.
func wildly(rt *rapid.T, tree bool) drifting {
	w := typedFeed(rt, tree)
	f := drifting{scene: w.scene, limits: w.limits}
	for kind, action := range f.policy.Kinds {
		if action == "fail" {
			delete(f.policy.Kinds, kind)
		}
	}
	for n, day := range w.days {
		for name, text := range day {
			base, _, _ := strings.Cut(name, ".")
			f.files = append(f.files, delivery{name: name, day: n, time: n*10 + w.times[base], text: text})
		}
	}
	// A file that comes again as nothing, or where policy keeps the old rows, is none
	// that can be landed from its object.
	rewrites, _ := f.policy.Action(event.FileRewritten)
	all := slices.Clone(f.files)
	f.files = slices.DeleteFunc(f.files, func(d delivery) bool {
		return d.day > 0 && (d.text == "" || rewrites != "replace") && slices.ContainsFunc(all, func(o delivery) bool { return o.name == d.name && o.day < d.day })
	})
	slices.SortFunc(f.files, func(a, b delivery) int { return strings.Compare(fmt.Sprint(a.day, a.name), fmt.Sprint(b.day, b.name)) })
	return f
}

func drawPolicy(rt *rapid.T) contract.Policy {
	p := contract.Policy{Kinds: map[contract.Kind]string{}}
	p.Preset = rapid.SampledFrom([]string{"", "", "", "", contract.AddNewColumns, contract.RescueMode}).Draw(rt, "preset")
	p.Rules.Agreement = rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(rt, "agreement")
	if rarely(rt, 5, "misfits kept out") {
		p.Kinds[event.ValueMisfit] = "quarantine"
	}
	if p.Preset == "" && rapid.Bool().Draw(rt, "types widen in place") {
		p.Kinds[event.TypeWider] = contract.ByFeature
	}
	return p
}

func (f drifting) replays(t *testing.T, rt *rapid.T) {
	cut, once := f.inDays(t, rt, func(*landed) error { return nil }), f.atOnce(t, rt)
	p := cut.next()
	r, err := land.Replay(t.Context(), p.source(), p.env(), land.Choice{All: true})
	if err != nil {
		rt.Fatalf("replay: %v\n%s", err, f)
	}
	if len(r.Notes) > 0 && len(r.Batches) == 0 {
		if len(once.paths()) > 0 {
			rt.Fatalf("nothing was replayed: %q\n%s", r.Notes, f)
		}
		return
	}
	if a, b := once.image(), cut.image(); a != b {
		rt.Fatalf("at once, then after a replay:\n%s\n%s", differing(a, b), f)
	}
	if r, err := cut.next().land(t.Context()); err != nil || len(r.Batches) > 0 {
		rt.Fatalf("afterwards found %+v, %v, want nothing new", r.Batches, err)
	}
}

// inDays lands the feed day by day, in its batches, and looks at it after each.
func (f drifting) inDays(t *testing.T, rt *rapid.T, after func(*landed) error) *landed {
	l := f.empty(t)
	for day, limit := range f.limits {
		for _, d := range f.files {
			if d.day == day {
				l.at = noon().Add(time.Duration(d.time) * time.Second)
				l.put(d.name, d.text, nil)
			}
		}
		p := l.next()
		p.limits.Files = limit
		if _, err := p.land(t.Context()); err != nil {
			rt.Fatalf("day %d: %v\n%s", day+1, err, f)
		}
		if err := after(l.landed); err != nil {
			rt.Fatalf("after day %d: %v\n%s", day+1, err, f)
		}
	}
	return l.landed
}

// atOnce lands all files in one batch, each as it came last.
func (f drifting) atOnce(t *testing.T, rt *rapid.T) *landed {
	l := f.empty(t)
	for _, d := range f.files {
		l.at = noon().Add(time.Duration(d.time) * time.Second)
		l.put(d.name, d.text, nil)
	}
	if _, err := l.next().land(t.Context()); err != nil {
		rt.Fatalf("at once: %v\n%s", err, f)
	}
	return l.landed
}

// clocked is a world whose files get the times that a test says.
type clocked struct {
	*landed
	at time.Time
}

func (f drifting) empty(t *testing.T) *clocked {
	c := &clocked{afterDays(t, 0, f.scene), noon()}
	c.files = memory.New(func() time.Time { return c.at })
	return c
}

// String writes the feed down.
func (f drifting) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "policy %+v, files of a batch %v\n", f.policy, f.limits)
	for _, d := range f.files {
		text := d.text
		if strings.HasPrefix(text, "PAR1") {
			text = fmt.Sprint(schemaOf(text), strings.Join(d.rows, "\n"))
		}
		fmt.Fprintf(&b, "day %d, time %d: %s\n%s\n", d.day+1, d.time, d.name, text)
	}
	return b.String()
}

func schemaOf(text string) string {
	f, err := parquetfile.Open(strings.NewReader(text), int64(len(text)))
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintln(f.Fields())
}

// paths are the files that are known.
func (l *landed) paths() []string {
	var all []string
	for e, err := range l.process("").state().Known(l.t.Context()) {
		ok(l.t, err)
		all = append(all, e.Path)
	}
	return all
}

// current is the contract in force.
func (l *landed) current() (v contract.Version) {
	l.t.Helper()
	for agreed, err := range l.process("").state().Contracts(l.t.Context()) {
		ok(l.t, err)
		v = agreed.Contract
	}
	return v
}

// image is all that the law is about: the table's schema and rows, the columns of
// the contract, what is known of each file and what is in quarantine.
func (l *landed) image() string {
	l.t.Helper()
	var out strings.Builder
	for _, c := range l.current().Columns {
		fmt.Fprintf(&out, "column %+v\n", c)
	}
	var held []event.Quarantined
	for q, err := range l.process("").state().Held(l.t.Context()) {
		ok(l.t, err)
		held = append(held, q)
	}
	slices.SortFunc(held, byRecord)
	for _, q := range held {
		fmt.Fprintf(&out, "held %+v\n", q)
	}
	var known []string
	for e, err := range l.process("").state().Known(l.t.Context()) {
		ok(l.t, err)
		known = append(known, fmt.Sprintf("known %s %v landed %v: %s %s %q rows %d rescued %d held %d", e.Path, e.ModTime, e.Landed > 0, e.Fate, e.Code, e.Reason, e.Rows, e.Rescued, e.Held))
	}
	slices.Sort(known)
	out.WriteString(strings.Join(known, "\n") + "\n")
	fmt.Fprintf(&out, "schema %s\n%s", l.snapshot().Schema, sorted(l.rows()))
	return out.String()
}

// rows are the rows of the table, without the time of landing.
func (l *landed) rows() []string {
	l.t.Helper()
	var rows []string
	l.each(func(rec arrow.RecordBatch, i int) {
		var row []string
		for c, field := range rec.Schema().Fields() {
			if field.Name != contract.IngestedAt && rec.Column(c).IsValid(i) {
				row = append(row, field.Name+"="+spelled(rec.Column(c), i))
			}
		}
		slices.Sort(row)
		rows = append(rows, strings.Join(row, " "))
	})
	return rows
}

// spelled is a value as text; of structs without the fields that are null: a file that
// lacks them says the same.
func spelled(c arrow.Array, row int) string {
	text := c.ValueStr(row)
	if _, nested := c.DataType().(arrow.NestedType); !nested {
		return text
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return text
	}
	short, err := json.Marshal(withoutNulls(v))
	if err != nil {
		return text
	}
	return string(short)
}

func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, of := range v {
			if of == nil {
				delete(v, name)
			}
			withoutNulls(of)
		}
	case []any:
		for _, of := range v {
			withoutNulls(of)
		}
	}
	return v
}

// each visits the rows of the table, none of which may be deleted by a vector.
func (l *landed) each(visit func(rec arrow.RecordBatch, i int)) {
	l.t.Helper()
	for _, f := range l.snapshot().Files() {
		o, err := l.data.Open(l.t.Context(), f.Path)
		ok(l.t, err)
		for rec, err := range parquetfile.Read(l.t.Context(), o, f.Size, nil) {
			ok(l.t, err)
			for i := range int(rec.NumRows()) {
				visit(rec, i)
			}
		}
	}
}
