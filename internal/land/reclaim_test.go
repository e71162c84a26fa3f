package land_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/format/csv"
	"landfall/internal/land"
	"landfall/internal/parquetfile"
	"landfall/internal/table/delta"
)

// keeping is a policy under which the contract stays as it is.
func keeping() contract.Policy {
	return contract.Policy{Kinds: map[contract.Kind]string{event.ColumnAdded: "rescue", event.TypeWider: "rescue"}}
}

// cellsOf are the rows of the table with all that they hold, sorted.
func (l *landed) cellsOf() []string {
	l.t.Helper()
	var rows []string
	tab := delta.Open(l.data, delta.Options{})
	for _, f := range l.snapshot().Files() {
		o, err := l.data.Open(l.t.Context(), f.Path)
		ok(l.t, err)
		deleted, err := tab.Deleted(l.t.Context(), f)
		ok(l.t, err)
		n := int64(0)
		for rec, err := range parquetfile.Read(l.t.Context(), o, f.Size, nil) {
			ok(l.t, err)
			for i := range int(rec.NumRows()) {
				if n++; slices.Contains(deleted, n-1) {
					continue
				}
				var row []string
				for c, field := range rec.Schema().Fields() {
					if rec.Column(c).IsValid(i) {
						row = append(row, field.Name+"="+rec.Column(c).ValueStr(i))
					}
				}
				slices.Sort(row)
				rows = append(rows, strings.Join(row, " "))
			}
		}
	}
	slices.Sort(rows)
	return rows
}

// rescuedThenKnown lands files of which values are rescued, and then one that makes
// room for them.
func rescuedThenKnown(t *testing.T) *landed {
	t.Helper()
	l := afterDays(t, 0, scene{})
	l.put("a.csv", "id,n\na1,1\n")
	l.lands()
	l.policy = keeping()
	l.put("b.csv", "id,n,city\nb1,3,Oslo\nb2,4,\nb3,x,Bern\n")
	l.put("c.csv", "id,city\nc1,Rome\nc2,\n")
	l.lands()
	l.policy = contract.Policy{}
	l.put("d.csv", "id,n,city\nd1,5,Riga\n")
	l.lands()
	return l
}

func (l *landed) loses(paths ...string) {
	l.t.Helper()
	for _, path := range paths {
		ok(l.t, l.files.Delete(l.t.Context(), path))
	}
}

// What was rescued of a file that is gone lands under the contract that took it up
// since, once; the file's entry stays as it was but for that.
func TestReclaim(t *testing.T) {
	l := rescuedThenKnown(t)
	before := l.entry("b.csv")
	l.loses("b.csv", "c.csv")
	r := l.replays(land.Choice{})
	if b := r.Batches; len(b) != 1 || b[0].RowsIn != 0 || b[0].RowsLanded != 0 || b[0].RowsRemoved != 0 {
		t.Errorf("found %+v, want no rows to come or go", b)
	}
	if want := (land.Replayed{Files: 2, RescuedBefore: 4, RescuedAfter: 1}); *r.Replayed != want {
		t.Errorf("found %+v, want %+v", *r.Replayed, want)
	}
	if d := drift(r, event.FileVanished, ""); d.Decision != "reclaim" || d.File != "b.csv" || d.Count != 2 {
		t.Errorf("found %+v, want two values of b.csv taken", d)
	}
	cities := l.values(t, "city")
	slices.Sort(cities)
	if got := strings.Join(cities, " "); got != "   Bern Oslo Riga Rome" {
		t.Errorf("found cities %q", got)
	}
	before.Rescued, before.Left = 1, []string{"n"}
	if e := l.entry("b.csv"); !reflect.DeepEqual(e, before) {
		t.Errorf("found %+v, want %+v", e, before)
	}
	if e := l.entry("c.csv"); e.Rescued != 0 {
		t.Errorf("found %+v, want nothing rescued", e)
	}
	cells := l.cellsOf()
	if r = l.replays(land.Choice{}); r.Replayed.Files != 1 || r.Replayed.RescuedAfter != 1 {
		t.Errorf("found %+v, want b.csv to be asked again for nothing", r.Replayed)
	}
	if again := l.cellsOf(); !slices.Equal(again, cells) {
		t.Errorf("found %q, want %q", again, cells)
	}
}

// One file is there and lands again, the other is not: both lay in one data file.
func TestReclaimBeside(t *testing.T) {
	l := rescuedThenKnown(t)
	l.loses("c.csv")
	r := l.replays(land.Choice{})
	if b := r.Batches[0]; b.RowsLanded != 3 || b.RowsRemoved != 3 || r.Replayed.RescuedAfter != 1 {
		t.Errorf("found %+v, %+v, want the rows of b.csv replaced", b, r.Replayed)
	}
	cities := l.values(t, "city")
	slices.Sort(cities)
	if got := strings.Join(cities, " "); got != "   Bern Oslo Riga Rome" {
		t.Errorf("found cities %q", got)
	}
}

// A file that comes back replaces its own rows, though these were written again, by
// us and by others.
func TestReclaimedComesBack(t *testing.T) {
	for name, meanwhile := range map[string]func(l *landed){
		"nothing":  func(*landed) {},
		"optimize": func(l *landed) { ok(t, l.other().optimize(t.Context())) },
		"replayed": func(l *landed) { l.replays(land.Choice{}) },
	} {
		t.Run(name, func(t *testing.T) {
			l := rescuedThenKnown(t)
			l.loses("b.csv", "c.csv")
			l.replays(land.Choice{})
			meanwhile(l)
			l.put("c.csv", "id,city\nc3,Paris\n")
			if r := l.lands(); r.Batches[0].RowsRemoved != 2 {
				t.Errorf("found %+v, want the two old rows gone", r.Batches)
			}
			l.put("b.csv", "id,city\nb1,Lima\n")
			if r := l.lands(); r.Batches[0].RowsRemoved != 3 {
				t.Errorf("found %+v, want the three old rows gone", r.Batches)
			}
			if r := l.replays(land.Choice{}); len(r.Batches) > 0 {
				t.Errorf("found %+v, want nothing left to replay", r.Batches)
			}
		})
	}
}

// Rows that others deleted stay away, and what was rescued of them with them.
func TestReclaimDeleted(t *testing.T) {
	l := rescuedThenKnown(t)
	l.loses("b.csv", "c.csv")
	ok(t, l.other().vector(t.Context(), l.fileOf("b.csv")))
	l.want["b.csv"] = []map[string]int{{"b2": 1, "b3": 1}}
	if r := l.replays(land.Choice{}); r.Replayed.RescuedAfter != 1 {
		t.Errorf("found %+v, want what does not fit", r.Replayed)
	}
}

// A table that allows appends only keeps what was rescued; so does one without
// evidence of the file.
func TestReclaimNothing(t *testing.T) {
	l := rescuedThenKnown(t)
	l.loses("b.csv", "c.csv")
	l.drop(func(key string) bool { return inState(key) && strings.HasSuffix(key, "evidence.ndjson") })
	cells := l.cellsOf()
	if r := l.replays(land.Choice{}); r.Replayed.RescuedAfter != 4 {
		t.Errorf("found %+v, want all rescued still", r.Replayed)
	}
	if again := l.cellsOf(); !slices.Equal(again, cells) {
		t.Errorf("found %q, want %q", again, cells)
	}
}

// What was rescued and then taken is what a replay of the files themselves gives,
// cell for cell, and as many values stay rescued.
func TestReclaimLaw(t *testing.T) {
	for _, tree := range []bool{false, true} {
		t.Run(fmt.Sprintf("tree=%v", tree), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { reclaimLaw(t, rt, tree) })
		})
	}
}

func reclaimLaw(t *testing.T, rt *rapid.T, tree bool) {
	name, draw := func(n int) string { return fmt.Sprintf("k=1/f%d.csv", n) }, wildTable
	if tree {
		name, draw = func(n int) string { return fmt.Sprintf("k=1/f%d.json", n) }, treeToReclaim
	}
	l := afterDays(t, 0, scene{tree: tree, options: csv.Options{Delimiter: ",", Quote: '"'}})
	put := func(n int, text string) { ok(t, l.files.Replace(t.Context(), name(n), []byte(text))) }
	run := func(p process, do func(process) error) {
		if err := do(p); err != nil {
			rt.Fatal(err)
		}
	}
	lands := func(p process) error { _, err := p.land(t.Context()); return err }
	replays := func(p process) error {
		_, err := land.Replay(t.Context(), p.source(), p.env(), land.Choice{})
		return err
	}
	kinds := map[contract.Kind]string{
		event.RecordMalformed: rapid.SampledFrom([]string{"rescue", "quarantine"}).Draw(rt, "malformed"),
		event.FileForeign:     "land",
	}
	l.policy = contract.Policy{Kinds: kinds}
	put(1, draw(rt))
	run(l.next(), lands)
	l.policy = keeping()
	maps.Copy(l.policy.Kinds, kinds)
	files := []string{}
	for n := range rapid.IntRange(1, 2).Draw(rt, "files") {
		put(2+n, draw(rt))
		files = append(files, name(2+n))
	}
	run(l.next(), lands)
	l.policy = contract.Policy{Kinds: kinds}
	put(4, draw(rt))
	run(l.next(), lands)

	whole := &landed{world: l.clone(), t: t}
	l.loses(files...)
	run(l.process("gone-"), replays)
	run(whole.process("there-"), replays)
	got, want := l.cellsOf(), whole.cellsOf()
	if !slices.Equal(got, want) {
		rt.Fatalf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, file := range files {
		if e, o := l.entry(file), whole.entry(file); e.Rescued != o.Rescued {
			rt.Fatalf("%s: found %d values rescued, want %d", file, e.Rescued, o.Rescued)
		}
	}
}

// treeToReclaim draws records in which no name comes twice, and objects that have all
// of their members: what of others was rescued below its parent, or twice under a
// name, stays where it is.
func treeToReclaim(rt *rapid.T) string {
	var b strings.Builder
	names := []string{`"a"`, `"A"`, `"b"`, `"c"`, `"n\u0061me"`, `"x.y"`, `"_record"`, `"_source_file"`, `"k"`, `"\ud800"`}
	for range rapid.IntRange(0, 5).Draw(rt, "records") {
		var members []string
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 5, rapid.ID).Draw(rt, "members") {
			value := valueToReclaim(rt, 0)
			if value == "null" && strings.EqualFold(name, `"a"`) {
				value = "0" // nothing tells later that it stood for the other casing
			}
			members = append(members, name+" : "+value)
		}
		b.WriteString("{" + strings.Join(members, " ,") + "}\n")
	}
	return b.String()
}

func valueToReclaim(rt *rapid.T, depth int) string {
	switch shape := rapid.SampledFrom([]string{"scalar", "scalar", "scalar", "escaped", "null", "object", "array"}).Draw(rt, "shape"); {
	case shape == "null":
		return "null"
	case shape == "escaped":
		return `"t\u00e9\n\"\\\/"`
	case shape == "object":
		return fmt.Sprintf(`{ "p" : %d,"q":"t\\u0041" }`, rapid.IntRange(0, 9).Draw(rt, "p"))
	case shape == "array" && depth < 2:
		var all []string
		for range rapid.IntRange(0, 3).Draw(rt, "elements") {
			all = append(all, valueToReclaim(rt, depth+1))
		}
		return "[ " + strings.Join(all, ", ") + "]"
	}
	return wildValue(rt, 2)
}
