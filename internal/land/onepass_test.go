package land_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/format/csv"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	"landfall/internal/store/memory"
	"landfall/internal/table/delta"
)

// One pass under a guess gives what two passes over everything give, the first for
// the evidence and the second for the rows: whatever is guessed, in whatever order
// the files came, and however many workers there are.
func TestOnePass(t *testing.T) {
	for _, tree := range []bool{false, true} {
		t.Run(map[bool]string{false: "csv", true: "json"}[tree], func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				f := typedFeed(rt, tree)
				want, stops := f.land(t, way{guess: nobodys, workers: 1})
				found, stopped := f.land(t, way{workers: 1})
				if found += stopped; found != want+stops {
					rt.Fatalf("one pass, then two:\n%s\nfiles: %v", differing(found, want+stops), f.days)
				}
				w := way{workers: rapid.IntRange(2, 4).Draw(rt, "workers"), unit: rapid.SampledFrom([]int64{0, 1, 60}).Draw(rt, "unit"), backwards: true}
				if found, _ := f.land(t, w); found != want {
					rt.Fatalf("%d workers, then two passes:\n%s\nfiles: %v", w.workers, differing(found, want), f.days)
				}
				seed := rapid.Uint64().Draw(rt, "guess")
				w.guess = func(v contract.Version) contract.Version { return wrong(v, seed) }
				if found, _ := f.land(t, w); found != want {
					rt.Fatalf("a wrong guess (%d) and %d workers, then two passes:\n%s\nfiles: %v", seed, w.workers, differing(found, want), f.days)
				}
			})
		})
	}
}

// differing is the first line in which two texts differ, of both.
func differing(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\n" + y[i]
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// nobodys is a guess that fits nothing, so that a second pass takes all objects.
func nobodys(v contract.Version) contract.Version {
	v.Columns = append(slices.Clone(v.Columns), contract.Column{Name: "none's", Original: "none's", Type: "bigint"})
	return v
}

// types are what wrong guesses are made of.
func types() []string {
	return []string{
		"bigint", "string", "double", "boolean", "date", "timestamp", "decimal(4,1)", "void",
		"struct<p:bigint>", "struct<p:string,q:struct<p:date>>", "array<bigint>", "map<string,double>",
		"struct<q:void>", "struct<p:struct<q:void>>", "array<void>",
	}
}

// wrong makes another contract of one: columns go, come and have other types.
func wrong(v contract.Version, seed uint64) contract.Version {
	next := func(n int) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed >> 33 % uint64(n))
	}
	var columns []contract.Column
	has := map[string]bool{}
	for _, c := range v.Columns {
		switch next(4) {
		case 0:
			continue
		case 1:
			c.Type, c.Nested = types()[next(len(types()))], nil
		}
		columns, has[schema.Fold(c.Name)] = append(columns, c), true
	}
	for _, name := range []string{"a", "b", "c", "more"} {
		if !has[name] && next(3) == 0 {
			columns = append(columns, contract.Column{Name: name, Original: name, Type: types()[next(len(types()))]})
		}
	}
	v.Columns = columns
	return v
}

// wild is a feed of values of all types, and of a policy. A file's time is that of
// the day, and of times if it has one there.
type wild struct {
	scene
	days   []map[string]string
	times  map[string]int
	limits []int
}

// way is how a feed lands, which must not matter.
type way struct {
	guess     func(contract.Version) contract.Version
	workers   int
	unit      int64
	backwards bool
}

func typedFeed(rt *rapid.T, tree bool) wild {
	f := wild{times: map[string]int{}, scene: scene{tree: tree, policy: wildPolicy(rt), options: csv.Options{Delimiter: ",", Quote: '"'}}}
	for range rapid.IntRange(1, 3).Draw(rt, "days") {
		day := map[string]string{}
		for range rapid.IntRange(1, 4).Draw(rt, "files") {
			name := rapid.SampledFrom([]string{"f1", "f2", "f3", "k=1/f4", "a=2/f5"}).Draw(rt, "file")
			f.times[name] = rapid.IntRange(0, 2).Draw(rt, "time")
			if tree {
				day[name+".json"] = wildTree(rt)
			} else {
				day[name+".csv"] = wildTable(rt)
			}
		}
		f.days = append(f.days, day)
		f.limits = append(f.limits, rapid.IntRange(1, 4).Draw(rt, "files of a batch"))
	}
	return f
}

func wildPolicy(rt *rapid.T) contract.Policy {
	p := contract.Policy{Kinds: map[contract.Kind]string{}}
	p.Preset = rapid.SampledFrom([]string{"", "", "", contract.AddNewColumns, contract.RescueMode, contract.NoEvolution}).Draw(rt, "preset")
	p.Rules.Agreement = rapid.SampledFrom([]float64{0, 0.5, 0.5}).Draw(rt, "agreement")
	for _, kind := range []contract.Kind{
		event.ValueMisfit, event.TypeConflict, event.TypeWider, event.RecordRagged, event.RecordMalformed,
		event.ColumnAdded, event.KeyDuplicate, event.ZoneAssumed,
	} {
		if choices := contract.Choices(kind); rapid.IntRange(0, 4).Draw(rt, string(kind)) == 0 {
			p.Kinds[kind] = rapid.SampledFrom(choices).Draw(rt, "action")
		}
	}
	return p
}

// scalars are values by kind, as CSV and JSON write them.
func scalars() map[string][]string {
	return map[string][]string{
		"integer": {"0", "1", "-7", "9007199254740993", "92233720368547758070"},
		"decimal": {"0.5", "2.50", "-1.25", "12345678901234567.89"},
		"float":   {"1.5E-7", "2e+10", "-0"},
		"boolean": {"true", "false"},
		"date":    {"2026-01-31", "2024-02-29"},
		"clock":   {"2026-01-31 10:00:00", "2026-01-31T10:00:00.123456"},
		"instant": {"2026-01-31T10:00:00Z", "2026-01-31 10:00:00+02:00"},
		"code":    {"007", "+5", "1e5"},
		"nothing": {"N/A", "-", "null"},
		"text":    {"x", "long text", "2026-02-30"},
	}
}

// draw draws one value, mostly of its column's kind.
func draw(rt *rapid.T, kind string) (value, of string) {
	all := scalars()
	names := []string{"integer", "decimal", "float", "boolean", "date", "clock", "instant", "code", "nothing", "text"}
	if rapid.IntRange(0, 9).Draw(rt, "other kind") == 0 {
		kind = rapid.SampledFrom(names).Draw(rt, "kind")
	}
	return rapid.SampledFrom(all[kind]).Draw(rt, kind), kind
}

func drawKind(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"integer", "decimal", "float", "boolean", "date", "clock", "instant", "code", "text"}).Draw(rt, "kind of column")
}

func wildTable(rt *rapid.T) string {
	header := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "b", "c", "c", "more", "x y"}), 1, 4).Draw(rt, "header")
	header = append(header, "id")
	kinds := make([]string, len(header))
	for i := range kinds {
		kinds[i] = drawKind(rt)
	}
	var b strings.Builder
	b.WriteString(strings.Join(header, ",") + "\n")
	for range rapid.IntRange(0, 6).Draw(rt, "records") {
		var row []string
		for _, kind := range kinds {
			v, _ := draw(rt, kind)
			switch rapid.IntRange(0, 8).Draw(rt, "how") {
			case 0:
				v = ""
			case 1:
				v = `"` + v + `"`
			}
			row = append(row, v)
		}
		switch rapid.IntRange(0, 9).Draw(rt, "record") {
		case 0:
			row = row[:rapid.IntRange(1, len(row)).Draw(rt, "width")]
		case 1:
			row = append(row, "extra")
		case 2:
			row[0] = `"bad"x`
		}
		b.WriteString(strings.Join(row, ",") + "\n")
	}
	return b.String()
}

func wildTree(rt *rapid.T) string {
	var b strings.Builder
	for range rapid.IntRange(0, 6).Draw(rt, "records") {
		if rapid.IntRange(0, 12).Draw(rt, "bad") == 0 {
			b.WriteString(`{"a":` + "\n")
			continue
		}
		b.WriteString(wildObject(rt, 0) + "\n")
	}
	return b.String()
}

func wildObject(rt *rapid.T, depth int) string {
	names := []string{"a", "A", "b", "c", "more", "x y"}
	if depth > 0 {
		names = []string{"p", "P", "q"}
	}
	var members []string
	for _, name := range rapid.SliceOfN(rapid.SampledFrom(names), 0, 3).Draw(rt, "members") {
		members = append(members, fmt.Sprintf("%q:%s", name, wildValue(rt, depth)))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func wildValue(rt *rapid.T, depth int) string {
	shape := rapid.SampledFrom([]string{"scalar", "scalar", "scalar", "null", "object", "array"}).Draw(rt, "shape")
	switch {
	case shape == "null":
		return "null"
	case shape == "object" && depth < 2:
		return wildObject(rt, depth+1)
	case shape == "array" && depth < 2:
		var all []string
		for range rapid.IntRange(0, 3).Draw(rt, "elements") {
			all = append(all, wildValue(rt, depth+1))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	v, kind := draw(rt, drawKind(rt))
	bare := kind == "integer" || kind == "decimal" || kind == "float" || kind == "boolean" || v == "null"
	if bare && rapid.IntRange(0, 4).Draw(rt, "as text") > 0 {
		return v
	}
	return fmt.Sprintf("%q", v)
}

// land lands the feed in some way and writes down all that can be seen of it, and
// apart from it what stopped days: of several files that a policy stops at, one
// worker meets the first, and of several workers each its own.
func (f wild) land(t *testing.T, w way) (all, stops string) {
	t.Helper()
	s := f.scene
	s.guess, s.workers, s.unit = w.guess, w.workers, w.unit
	l := afterDays(t, 0, s)
	at := noon()
	l.files = memory.New(func() time.Time { return at })
	var out, stopped strings.Builder
	for n, day := range f.days {
		names := make([]string, 0, len(day))
		for name := range day {
			names = append(names, name)
		}
		slices.Sort(names)
		if w.backwards {
			slices.Reverse(names)
		}
		for _, name := range names {
			of, _, _ := strings.Cut(name, ".")
			at = noon().Add(time.Duration(n*10+f.times[of]) * time.Second)
			l.put(name, day[name], nil)
		}
		p := l.next()
		p.limits.Files = f.limits[n]
		r, err := p.land(t.Context())
		slices.SortFunc(r.Quarantined, byRecord)
		text, fault := json.Marshal(r)
		ok(t, fault)
		if err != nil {
			fmt.Fprintf(&out, "day %d: %v\n", n+1, diag.CodeOf(err))
			fmt.Fprintf(&stopped, "day %d: %s\n%v\n", n+1, text, err)
			continue
		}
		fmt.Fprintf(&out, "day %d: %s\n", n+1, text)
	}
	l.dump(&out)
	return out.String(), stopped.String()
}

func byRecord(a, b event.Quarantined) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Record, b.Record))
}

// dump writes down the table, the contract, what became of each file and what is
// in quarantine.
func (l *landed) dump(out *strings.Builder) {
	l.t.Helper()
	for v, err := range l.process("").state().Contracts(l.t.Context()) {
		ok(l.t, err)
		text, err := json.Marshal(v)
		ok(l.t, err)
		fmt.Fprintf(out, "%s\n", text)
	}
	for m, err := range l.process("").state().Marks(l.t.Context()) {
		ok(l.t, err)
		for i := range m.Objects {
			m.Objects[i].Part, m.Objects[i].Version = 0, ""
		}
		m.Attempt = ""
		fmt.Fprintf(out, "%+v\n", m)
	}
	var held []event.Quarantined
	for q, err := range l.process("").state().Held(l.t.Context()) {
		ok(l.t, err)
		held = append(held, q)
	}
	slices.SortFunc(held, byRecord)
	fmt.Fprintf(out, "%+v\n", held)
	snap, err := delta.Open(l.data, delta.Options{}).Snapshot(l.t.Context())
	if err != nil {
		fmt.Fprintf(out, "%v\n", err)
		return
	}
	fmt.Fprintf(out, "%s\n", snap.Schema)
	var rows []string
	for _, f := range snap.Files() {
		o, err := l.data.Open(l.t.Context(), f.Path)
		ok(l.t, err)
		for rec, err := range parquetfile.Read(l.t.Context(), o, f.Size, nil) {
			ok(l.t, err)
			for i := range int(rec.NumRows()) {
				var row []string
				for c, field := range rec.Schema().Fields() {
					if rec.Column(c).IsValid(i) {
						row = append(row, field.Name+"="+spelled(rec.Column(c), i))
					}
				}
				slices.Sort(row) // columns of files go by name
				rows = append(rows, strings.Join(row, " "))
			}
		}
	}
	slices.Sort(rows)
	out.WriteString(strings.Join(rows, "\n"))
}
