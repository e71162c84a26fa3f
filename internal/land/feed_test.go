package land_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/format/csv"
	"landfall/internal/land"
	"landfall/internal/parquetfile"
)

// feed is the landing of most sweeps. Each day brings something that the contract
// does not know: values of another type and a new column on the second day, a
// rewritten file with a new column on the third, no rows but another column on the
// fourth.
func feed() []day {
	return []day{
		{files: map[string]string{"a.csv": "id,name,n\na1,Ann,1\na2,Bo,2\n", "b.csv": "id,name,n\nb1,Cy,3\n"}},
		{files: map[string]string{"c.csv": "name,id,city,n\nDi,c1,Oslo,4.5\nEd,c2,,5\n"}},
		{files: map[string]string{
			"a.csv": "id,name,since\na1,Ann,2026-01-31\na3,Fay,2026-02-28\na4,Gil,\n",
			"d.csv": "id,name,n\nd1,\"Hal\nof two lines\",?\n",
		}},
		{files: map[string]string{"e.csv": "id,name,last\n"}},
	}
}

// trees is the same of JSON: types, fields of structs and elements of arrays come
// as the days go.
func trees() []day {
	return []day{
		{files: map[string]string{
			"a.json": `{"id":"a1","n":1,"o":{"x":1}}` + "\n" + `{"id":"a2","n":2,"o":null}` + "\n",
			"b.json": `{"id":"b1","n":3,"tags":[]}` + "\n",
		}},
		{files: map[string]string{"c.json": `{"o":{"y":true,"x":"?"},"id":"c1","city":"Oslo"}` + "\n" + `{"id":"c2","n":4.5,"tags":["t"]}` + "\n"}},
		{files: map[string]string{
			"a.json": `{"id":"a1","o":{"z":{"w":[1]}}}` + "\n" + `{"id":"a3"}` + "\n" + `{"id":"a4","n":"5"}` + "\n",
			"d.json": `{"id":"d1","list":[{"k":1},{"v":2.5}]}` + "\n",
		}},
		{files: map[string]string{"e.json": "[]\n"}},
	}
}

// decided is a feed with two names for one column and a name that people want
// otherwise, which decisions put right once types have widened.
func decided() []day {
	return []day{
		{files: map[string]string{"a.csv": "id,name,n\na1,Ann,1\na2,Bo,2\n", "b.csv": "id,full_name,n\nb1,Cy,3\n"}},
		{files: map[string]string{"c.csv": "full_name,id,n\nDi,c1,4.5\n"}},
		{
			decide: &contract.Decision{Column: "full_name", Action: contract.Map, To: "name", Why: "one thing", At: noon()},
			files:  map[string]string{"a.csv": "id,full_name,n\na1,Ann,1.25\na3,Fay,?\n", "d.csv": "id,name\nd1,Hal\n"},
		},
		{
			decide: &contract.Decision{Column: "n", Action: contract.Map, To: "amount", Why: "as all say", At: noon()},
			files:  map[string]string{"e.csv": "id,n,name\ne1,7,Ida\n", "c.csv": "id,amount\nc1,5\n"},
		},
	}
}

// typed is a feed of Parquet: integers widen twice, a text comes in their place, a
// casing is another, parts of structs widen, and a column is renamed before all of
// it is replayed.
func typed() []day {
	t := arrow.PrimitiveTypes
	id := form{name: "id", typ: arrow.BinaryTypes.String}
	n := func(name string, typ arrow.DataType) form { return form{name: name, typ: typ} }
	o := func(typ arrow.DataType) form { return form{name: "o", shape: "struct", parts: []form{n("x", typ)}} }
	cents := &arrow.Decimal128Type{Precision: 6, Scale: 2}
	return []day{
		{files: map[string]string{
			"a.parquet": parquetOf(nobody{}, []form{id, n("n", t.Int32), o(t.Int32)}, []string{`{"id":"a1","n":1,"o":{"x":1}}`, `{"id":"a2","n":2,"o":null}`}),
			"b.parquet": parquetOf(nobody{}, []form{id, n("n", t.Int16)}, []string{`{"id":"b1","n":3}`}),
		}},
		{files: map[string]string{
			"c.parquet": parquetOf(nobody{}, []form{n("N", t.Int64), id, o(t.Int64)}, []string{`{"N":5000000000,"id":"c1","o":{"x":7}}`, `{"N":null,"id":"c2","o":{"x":null}}`}),
		}},
		{files: map[string]string{
			"a.parquet": parquetOf(nobody{}, []form{id, n("n", cents), n("fee", t.Float32)}, []string{`{"id":"a1","n":"1.50","fee":0.5}`, `{"id":"a3","n":"2.25","fee":null}`}),
			"d.parquet": parquetOf(nobody{}, []form{n("n", arrow.BinaryTypes.String), id}, []string{`{"n":"?","id":"d1"}`}),
		}},
		{
			decide: &contract.Decision{Column: "fee", Action: contract.Map, To: "charge", Why: "as all say", At: noon()},
			replay: &land.Choice{All: true},
			files: map[string]string{
				"e.parquet": parquetOf(nobody{}, []form{id, n("charge", t.Float64)}, []string{`{"id":"e1","charge":0.1}`}),
			},
		},
	}
}

// late is a feed of which each day brings a column that is in one file alone, a
// rewritten one at last.
func late() []day {
	return []day{
		{files: map[string]string{
			"a.csv": "id,n\na1,1\na2,2\n", "b.csv": "id,n\nb1,3\n", "c.csv": "id,n,late\nc1,4,x\n",
			"d.csv": "id,n\nd1,5\n", "e.csv": "id,n\ne1,6\n", "f.csv": "id,n\nf1,?\nout1,\"7\"8\n",
		}},
		{files: map[string]string{
			"a.csv": "id,later,n\na1,y,1\na3,,2.5\n", "b.csv": "id,n\nb2,3\n", "d.csv": "id,n\nd1,5\n",
			"g.csv": "id,n\ng1,8\n", "h.csv": "id,n\nh1,9\n", "i.csv": "id,later\ni1,z\n",
		}},
	}
}

// large is a feed of files of many slabs, of which each has something in its midst: a
// line break in quotes, a malformed record, a value that no number is.
func large() []day {
	file := func(id string, rows int) string {
		text := "id,n\n"
		for i := range rows {
			switch i {
			case 6:
				text += fmt.Sprintf("%s%d,\"6\nof\"\n", id, i)
			case 7:
				text += fmt.Sprintf("out%s,\"7\"8\n", id)
			default:
				text += fmt.Sprintf("%s%d,%d\n", id, i, i)
			}
		}
		return text
	}
	return []day{
		{files: map[string]string{"a.csv": file("a", 14), "b.csv": "id,n\nb1,1\n"}},
		{files: map[string]string{"a.csv": file("x", 12), "c.csv": file("c", 9)}},
	}
}

// unready is a guess that does not know the columns that come late.
func unready(v contract.Version) contract.Version {
	v.Columns = slices.DeleteFunc(slices.Clone(v.Columns), func(c contract.Column) bool { return strings.HasPrefix(c.Name, "late") })
	return v
}

// misfits is a feed of Parquet of which some rows are kept out, in files whose other
// columns are moved.
func misfits() []day {
	id := form{name: "id", typ: arrow.BinaryTypes.String}
	n := func(typ arrow.DataType) form { return form{name: "n", typ: typ} }
	x := form{name: "x", typ: arrow.PrimitiveTypes.Float64}
	return []day{
		{files: map[string]string{
			"a.parquet": parquetOf(nobody{}, []form{id, n(arrow.PrimitiveTypes.Int64), x}, []string{`{"id":"a1","n":1,"x":0.5}`, `{"id":"a2","n":2,"x":null}`, `{"id":"a3","n":null,"x":1.5}`}),
			"b.parquet": parquetOf(nobody{}, []form{id, n(arrow.PrimitiveTypes.Int64)}, []string{`{"id":"b1","n":3}`}),
		}},
		{files: map[string]string{
			"c.parquet": parquetOf(nobody{}, []form{id, x, n(arrow.BinaryTypes.String)}, []string{`{"id":"c1","x":1,"n":"4"}`, `{"id":"c2","x":2,"n":"5"}`, `{"id":"out1","x":3,"n":"?"}`, `{"id":"c3","x":null,"n":"6"}`}),
			"a.parquet": parquetOf(nobody{}, []form{id, n(arrow.BinaryTypes.String)}, []string{`{"id":"out2","n":"?"}`, `{"id":"a1","n":"7"}`, `{"id":"a4","n":null}`}),
			"d.parquet": parquetOf(nobody{}, []form{id, n(arrow.PrimitiveTypes.Int64), x}, []string{`{"id":"d1","n":8,"x":0}`}),
		}},
	}
}

// nobody is told of what cannot be.
type nobody struct{}

func (nobody) Fatal(args ...any) { panic(args) }

// grown is the feed of trees with more to widen in what is nested, replayed at last.
func grown() []day {
	days := trees()
	days[2].files["c.json"] = `{"id":"c1","o":{"x":1.5,"z":{"w":[2]}}}` + "\n"
	days[3].files["f.json"] = `{"id":"f1","list":[{"k":0.5,"v":1}],"o":{"z":{"w":[2.5]}}}` + "\n"
	return append(days, day{replay: &land.Choice{All: true}, files: map[string]string{"g.json": `{"id":"g1","n":1}` + "\n"}})
}

// scenes are what the sweeps play.
func scenes() map[string]scene {
	one := land.Limits{Files: 1}
	reprocess := feed()
	reprocess[2].reset = land.ResetReprocess
	// c is kept unread, so when it is rewritten nothing is there to replace; a
	// had landed, so it is replaced.
	keep := append(feed()[:3], day{files: map[string]string{"c.csv": "id,city\nc3,Rome\nc4,Bern\n"}})
	keep[1].reset = land.ResetKeep
	// Values and records of earlier days land as they would today, and then what
	// came with it.
	replay, anew := feed(), feed()
	replay[2].replay, anew[3].replay = &land.Choice{}, &land.Choice{All: true}
	inPlace := contract.Policy{Kinds: map[contract.Kind]string{event.TypeWider: contract.ByFeature}}
	aside := contract.Policy{Kinds: map[contract.Kind]string{event.ValueMisfit: "quarantine", event.TypeConflict: "quarantine"}}
	return map[string]scene{
		"given up":     {days: late(), guess: unready, unit: 40, workers: 2, long: true},
		"large":        {days: large(), workers: 4, unit: 40, options: csv.Options{SlabBytes: 1}, long: true},
		"kept out":     {days: misfits(), parquet: true, moving: true, target: 1, policy: aside, long: true},
		"in place":     {days: typed(), parquet: true, moving: true, limits: land.Limits{Files: 2}, long: true, policy: inPlace},
		"replay":       {days: replay, limits: one},
		"replay all":   {days: anew, limits: one},
		"whole days":   {days: feed()},
		"single files": {days: feed(), limits: one},
		"new only":     {days: feed(), limits: one, newOnly: true},
		"reprocess":    {days: reprocess, limits: one},
		"keep":         {days: keep, limits: one},
		"trees":        {days: trees(), tree: true, limits: land.Limits{Files: 2}},
		"trees anew":   {days: grown(), tree: true, limits: land.Limits{Files: 2}, long: true},
		"decided":      {days: decided(), limits: land.Limits{Files: 2}, long: true},
		"parquet":      {days: typed(), parquet: true, limits: land.Limits{Files: 2}, long: true},
		"moved":        {days: typed(), parquet: true, moving: true, unit: 1, target: 1, limits: land.Limits{Files: 2}, long: true},
	}
}

// step is the distance between the calls that a sweep of the scene strikes.
func (s scene) step() int {
	if s.long && stride > 1 {
		return 2 * stride
	}
	return stride
}

// ids counts the ids of a file. Quoted line breaks are only known as "\nof".
func ids(text string) map[string]int {
	if strings.HasPrefix(text, "PAR1") {
		return parquetIDs(text)
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\nof", " of"), "\n"), "\n")
	at := slices.Index(strings.Split(lines[0], ","), "id")
	found := map[string]int{}
	if at < 0 {
		return treeIDs(lines)
	}
	for _, line := range lines[1:] {
		found[strings.Split(line, ",")[at]]++
	}
	return found
}

// treeIDs counts the ids of a file of one object a line.
func treeIDs(lines []string) map[string]int {
	found := map[string]int{}
	for _, line := range lines {
		var record struct{ ID string }
		if err := json.Unmarshal([]byte(line), &record); err == nil {
			found[record.ID]++
		}
	}
	return found
}

// parquetIDs counts the ids of a Parquet file.
func parquetIDs(content string) map[string]int {
	found := map[string]int{}
	for rec, err := range parquetfile.Read(context.Background(), strings.NewReader(content), int64(len(content)), nil) {
		if err != nil {
			panic(err)
		}
		for i := range int(rec.NumRows()) {
			found[text(rec, "id", i)]++
		}
	}
	return found
}
