package conform_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// agreed makes a version and its table of "name type, …".
func agreed(t tb, p contract.Policy, columns ...string) (contract.Version, schema.Struct) {
	t.Helper()
	v := contract.Version{Number: 1}
	for _, c := range columns {
		name, ddl, ok := strings.Cut(c, ": ")
		if !ok {
			t.Fatalf("no type: %s", c)
		}
		v.Columns = append(v.Columns, contract.Column{Name: schema.CleanName(name), Original: name, Type: ddl})
	}
	table, err := contract.TableSchema(v, p)
	if err != nil {
		t.Fatal(err)
	}
	return v, table
}

func treeObject(path string) conform.Object {
	o := object(path)
	o.Tree, o.Header = true, nil
	return o
}

const tail = `,"_file_path":"file:///a.json","_record":`

func TestTrees(t *testing.T) {
	for _, c := range []struct {
		name    string
		policy  contract.Policy
		columns []string
		records []string
		rows    string
		counts  conform.Counts
	}{
		{
			"the matrix of rescue",
			contract.Policy{Preset: contract.RescueMode},
			[]string{"device_id: bigint", "reading: double"},
			[]string{
				`{"device_id": 101, "reading": "INVALID_FLOAT", "new_sensor_val": 42.8}`,
				`{"device_id": 102, "reading": 1.5}`,
				`{"device_id": 103, "Reading": 2, "reading": 2.5}`,
			},
			`101 | ∅ | {"reading":"INVALID_FLOAT","new_sensor_val":42.8` + tail + `1,"_why":{"reading":"type:double","new_sensor_val":"unknown"}}` + "\n" +
				"102 | 1.5 | ∅\n" +
				`103 | 2.5 | {"Reading":2` + tail + `3,"_why":{"Reading":"case"}}`,
			conform.Counts{Rows: 3, Cells: 8, Typed: 5, Rescued: 3},
		},
		{
			"O4: keys that differ by case",
			contract.Policy{},
			[]string{"Id: string", "UserUPN: string"},
			[]string{`{"Id":"1"}`, `{"Id":"2","UserUPN":"abc"}`, `{"Id":"3","UserUpn":"efg"}`, `{"Id":"4","UserUpn":"y","UserUPN":"x"}`},
			"1 | ∅ | ∅\n2 | abc | ∅\n3 | efg | ∅\n" + `4 | x | {"UserUpn":"y"` + tail + `4,"_why":{"UserUpn":"case"}}`,
			conform.Counts{Rows: 4, Cells: 8, Typed: 7, Rescued: 1},
		},
		{
			"O5: null first, object later",
			contract.Policy{},
			[]string{"obj: struct<foo:bigint>"},
			[]string{`{"obj":null}`, `{"obj":{"foo":1}}`, `{"obj":{}}`, `{}`, `{"obj":{"foo":null}}`},
			"∅ | ∅\n{foo:1} | ∅\n{foo:∅} | ∅\n∅ | ∅\n{foo:∅} | ∅",
			conform.Counts{Rows: 5, Cells: 5, Typed: 3, Null: 2},
		},
		{
			"O15: empty objects and arrays",
			contract.Policy{},
			[]string{"a: bigint", "m: void", "n: struct<k:bigint>"},
			[]string{`{"a":1,"m":{}}`, `{"a":2,"m":null,"n":{"k":5}}`, `{"a":3,"n":[]}`},
			`1 | ∅ | {"m":{}` + tail + `1,"_why":{"m":"type:void"}}` + "\n" +
				"2 | {k:5} | ∅\n" +
				`3 | ∅ | {"n":[]` + tail + `3,"_why":{"n":"type:struct<k:bigint>"}}`,
			conform.Counts{Rows: 3, Cells: 7, Typed: 4, Null: 1, Rescued: 2},
		},
		{
			"O17: an outlier",
			contract.Policy{},
			[]string{"c: bigint"},
			[]string{`{"c":1}`, `{"c":2.5}`, `{"c":"n/a"}`, `{"c":"3"}`, `{"c":4.0}`},
			"1 | ∅\n" + `∅ | {"c":2.5` + tail + `2,"_why":{"c":"type:bigint"}}` + "\n" +
				`∅ | {"c":"n/a"` + tail + `3,"_why":{"c":"type:bigint"}}` + "\n3 | ∅\n4 | ∅",
			conform.Counts{Rows: 5, Cells: 5, Typed: 3, Rescued: 2},
		},
		{
			"nested misfits and names",
			contract.Policy{Preset: contract.RescueMode},
			[]string{"address: struct<zip:bigint,geo:struct<lat:double>>"},
			[]string{`{"address":{"zip":"x","zip2":"x","geo":{"lat":[1],"a.b":{"c":1}},"ZIP":7}}`},
			`{zip:∅ geo:{lat:∅}} | {"address":{"zip":"x","zip2":"x","geo":{"lat":[1],"a.b":{"c":1}},"ZIP":7}` + tail + `1,"_why":{` +
				`"address.zip":"type:bigint","address.zip2":"unknown","address.geo.lat":"type:double","address.geo.` + "`a.b`" + `":"unknown","address.ZIP":"case"}}`,
			conform.Counts{Rows: 1, Cells: 5, Rescued: 5},
		},
		{
			"an array with a misfit is rescued whole",
			contract.Policy{},
			[]string{"tags: array<bigint>", "items: array<struct<sku:string,sizes:array<int>>>"},
			[]string{
				`{"tags":[1,null,"x"],"items":[{"sku":"a","sizes":[1]},{"sku":"b","new":7,"sizes":[2,"XL"]}]}`,
				`{"tags":[1,null,3],"items":[{"sku":"a","sizes":[]},null,{"sku":"b","sizes":[2,3]}]}`,
				`{"tags":[],"items":[{}]}`,
				`{"tags":1,"items":{}}`,
			},
			`∅ | ∅ | {"tags":[1,null,"x"],"items":[{"sku":"a","sizes":[1]},{"sku":"b","new":7,"sizes":[2,"XL"]}]` + tail +
				`1,"_why":{"tags":"type:array<bigint>","items":"type:array<struct<sku:string,sizes:array<int>>>"}}` + "\n" +
				"[1 ∅ 3] | [{sku:a sizes:[]} ∅ {sku:b sizes:[2 3]}] | ∅\n" +
				"[] | [{sku:∅ sizes:∅}] | ∅\n" +
				`∅ | ∅ | {"tags":1,"items":{}` + tail + `4,"_why":{"tags":"type:array<bigint>","items":"type:array<struct<sku:string,sizes:array<int>>>"}}`,
			conform.Counts{Rows: 4, Cells: 22, Typed: 9, Null: 2, Rescued: 11},
		},
		{
			"names that are new within arrays keep their place",
			contract.Policy{},
			[]string{"items: array<struct<sku:string>>", "deep: array<array<struct<a:int>>>"},
			[]string{
				`{"items":[{"sku":"a"},{"sku":"b","new":7},null,{"sku":"c","new":8,"old":9}]}`,
				`{"deep":[[],[{"a":1},{"a":2,"b":{"c":3}}],[]]}`,
			},
			`[{sku:a} {sku:b} ∅ {sku:c}] | ∅ | {"items":[null,{"new":7},null,{"new":8,"old":9}]` + tail +
				`1,"_why":{"items.element.new":"unknown","items.element.old":"unknown"}}` + "\n" +
				`∅ | [[] [{a:1} {a:2}] []] | {"deep":[null,[null,{"b":{"c":3}}]]` + tail + `2,"_why":{"deep.element.element.b":"unknown"}}`,
			conform.Counts{Rows: 2, Cells: 12, Typed: 7, Null: 1, Rescued: 4},
		},
		{
			"maps",
			contract.Policy{},
			[]string{"m: map<string,bigint>", "n: map<int,string>"},
			[]string{
				`{"m":{"a":1,"b":"x","c":null,"a.b":2},"n":{"1":"x","01":"y","z":"q","2":[1]}}`,
				`{"m":{},"n":{"k":null}}`,
				`{"m":{"k":1,"l":2,"k":3,"l":"x"}}`,
			},
			`<a:1 b:∅ c:∅ a.b:2> | <1:x 2:[1]> | {"m":{"b":"x"},"n":{"01":"y","z":"q"}` + tail +
				`1,"_why":{"m.b":"type:bigint","n.01":"type:int","n.z":"type:int"}}` + "\n" +
				"<> | <> | ∅\n" +
				`<k:3 l:∅> | ∅ | {"m":{"k":1,"l":[2,"x"]}` + tail + `3,"_why":{"m.k":"duplicate","m.l":"duplicate"}}`,
			conform.Counts{Rows: 3, Cells: 14, Typed: 6, Null: 2, Rescued: 6},
		},
		{
			"a struct in a map keeps its fields",
			contract.Policy{},
			[]string{"m: map<string,struct<a:bigint,v:void>>"},
			[]string{`{"m":{"k":{"a":1,"b":2,"v":null},"l":{"v":"x"}}}`},
			`<k:{a:1} l:{a:∅}> | {"m":{"k":{"b":2},"l":{"v":"x"}}` + tail + `1,"_why":{"m.k.b":"unknown","m.l.v":"type:void"}}`,
			conform.Counts{Rows: 1, Cells: 4, Typed: 1, Null: 1, Rescued: 2},
		},
		{
			"a name twice",
			contract.Policy{},
			[]string{"a: bigint", "s: struct<x:bigint>"},
			[]string{
				`{"a":1,"a":2}`, `{"a":1,"a":null,"a":3,"b":1,"b":[2]}`, `{"a":1,"a":"x"}`, `{"a":null,"a":4}`,
				`{"s":{"x":1},"s":{"x":2}}`, `{"s":{"x":1},"s":{"x":2,"y":3}}`, `{"A":1,"a":2,"A":3}`,
			},
			`2 | ∅ | {"a":1` + tail + `1,"_why":{"a":"duplicate"}}` + "\n" +
				`3 | ∅ | {"a":1,"b":[1,[2]]` + tail + `2,"_why":{"a":"duplicate","b":"duplicate"}}` + "\n" +
				`∅ | ∅ | {"a":[1,"x"]` + tail + `3,"_why":{"a":"duplicate"}}` + "\n" +
				"4 | ∅ | ∅\n" +
				`∅ | {x:2} | {"s":{"x":1}` + tail + `5,"_why":{"s":"duplicate"}}` + "\n" +
				`∅ | ∅ | {"s":[{"x":1},{"x":2,"y":3}]` + tail + `6,"_why":{"s":"duplicate"}}` + "\n" +
				`2 | ∅ | {"A":[1,3]` + tail + `7,"_why":{"A":"duplicate"}}`,
			conform.Counts{Rows: 7, Cells: 19, Typed: 5, Null: 2, Rescued: 12},
		},
		{
			"raw text in string columns",
			contract.Policy{},
			[]string{"s: string", "b: binary"},
			[]string{`{"s":{"a": [1.0 ,null]},"b":"\u00fcñ"}`, `{"s":1.50,"b":1}`, `{"s":true}`, `{"s":"q\"\n"}`, `{"s":[]}`, `{"s":"\ud800"}`},
			`{"a": [1.0 ,null]} | üñ | ∅` + "\n" +
				`1.50 | ∅ | {"b":1` + tail + `2,"_why":{"b":"type:binary"}}` + "\n" +
				"true | ∅ | ∅\nq\"\n | ∅ | ∅\n[] | ∅ | ∅\n" +
				`∅ | ∅ | {"s":"\ud800"` + tail + `6,"_why":{"s":"type:string"}}`,
			conform.Counts{Rows: 6, Cells: 9, Typed: 7, Rescued: 2},
		},
		{
			"a name that is no text",
			contract.Policy{Kinds: map[event.Kind]string{event.ValueMisfit: "null"}},
			[]string{"a: bigint", "m: map<string,int>"},
			[]string{`{"\ud800":1,"a":2}`, `{"m":{"\ud800":1,"k":2}}`},
			`2 | ∅ | {"\ud800":1` + tail + `1,"_why":{"\\ud800":"unknown"}}` + "\n∅ | <k:2> | ∅",
			conform.Counts{Rows: 2, Cells: 4, Typed: 2, Rescued: 1, Ignored: 1},
		},
		{
			"records that are no objects",
			contract.Policy{},
			[]string{"a: bigint"},
			[]string{`[1, {"a":2}]`, `7`, `{}`, `{"_value":1,"a":3}`},
			`∅ | {"_value":[1, {"a":2}]` + tail + `1,"_why":{"_value":"type:struct"}}` + "\n" +
				`∅ | {"_value":7` + tail + `2,"_why":{"_value":"type:struct"}}` + "\n∅ | ∅\n" +
				`3 | {"_field:_value":1` + tail + `4,"_why":{"_field:_value":"unknown"}}`,
			conform.Counts{Rows: 4, Cells: 6, Typed: 2, Rescued: 4},
		},
		{
			"under a mode of Auto Loader strings are no numbers",
			contract.Policy{Preset: contract.AddNewColumns},
			[]string{"a: bigint", "b: boolean", "d: date"},
			[]string{`{"a":"1","b":"true","d":"2026-11-30"}`, `{"a":1,"b":true}`},
			`∅ | ∅ | 2026-11-30 | {"a":"1","b":"true"` + tail + `1,"_why":{"a":"type:bigint","b":"type:boolean"}}` + "\n1 | true | ∅ | ∅",
			conform.Counts{Rows: 2, Cells: 5, Typed: 3, Rescued: 2},
		},
		{
			"a case-sensitive source",
			contract.Policy{CaseSensitive: true},
			[]string{"a: bigint", "s: struct<x:bigint>"},
			[]string{`{"A":1,"s":{"X":2,"x":3}}`},
			`∅ | {x:3} | {"A":1,"s":{"X":2}` + tail + `1,"_why":{"A":"case","s.X":"case"}}`,
			conform.Counts{Rows: 1, Cells: 3, Typed: 1, Rescued: 2},
		},
		{
			"misfits that are null",
			contract.Policy{Kinds: map[event.Kind]string{event.ValueMisfit: "null", event.ColumnAdded: "ignore"}},
			[]string{"a: bigint", "l: array<int>"},
			[]string{`{"a":"x","b":{"c":[1,2]},"l":[1,{"x":3},2]}`},
			"∅ | [1 ∅ 2] | ∅",
			conform.Counts{Rows: 1, Cells: 6, Typed: 2, Ignored: 4},
		},
		{
			"no rescue column under none",
			contract.Policy{Preset: contract.NoEvolution},
			[]string{"a: bigint"},
			[]string{`{"a":"x","A":1,"b":{"c":[1,2]},"a":2}`, `7`},
			"2\n∅",
			conform.Counts{Rows: 2, Cells: 6, Typed: 1, Ignored: 5},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, table := agreed(t, c.policy, c.columns...)
			f, err := conform.New(v, c.policy, table, treeObject("a.json"))
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := f.Fit(trees(t, c.records...))
			if err != nil {
				t.Fatal(err)
			}
			check(t, c.name, rows(t, table, fitted.Batch), c.rows)
			if fitted.Counts != c.counts {
				t.Errorf("got %+v, want %+v", fitted.Counts, c.counts)
			}
			if len(fitted.Out) > 0 {
				t.Errorf("kept out: %+v", fitted.Out)
			}
		})
	}
}

// A bare number that is no more than a float lands as one: what is written has 32
// bits.
func TestBareNumbersAsFloats(t *testing.T) {
	v, table := agreed(t, contract.Policy{}, "x: float")
	for json, want := range map[string]float64{
		"1e11": float64(float32(1e11)), "100000000000000000000": float64(float32(1e20)), "1.5E+3": 1500, "0.1": float64(float32(0.1)),
		"-1e-7": float64(float32(-1e-7)), "16777217": 0, "1e39": 0, "1e-60": 0, "0.1000000001": 0,
	} {
		f, err := conform.New(v, contract.Policy{}, table, treeObject("a.json"))
		if err != nil {
			t.Fatal(err)
		}
		fitted, err := f.Fit(trees(t, `{"x":`+json+`}`))
		if err != nil {
			t.Fatal(err)
		}
		leaf := fitted.Batch.Columns[0].Leaves[0]
		if want == 0 {
			if fitted.Counts.Rescued != 1 || len(leaf.Floats) != 0 {
				t.Errorf("%s became %v", json, leaf.Floats)
			}
		} else if len(leaf.Floats) != 1 || leaf.Floats[0] != want {
			t.Errorf("%s became %v, want %v", json, leaf.Floats, want)
		}
	}
}

func TestMisfitsAndRemarks(t *testing.T) {
	v, table := agreed(t, contract.Policy{}, "a: bigint", "l: array<struct<x:timestamp>>", "m: map<string,int>")
	f, err := conform.New(v, contract.Policy{}, table, treeObject("a.json"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := f.Fit(trees(t, `{"a":1}`, `{"a":"x","a b":1,"l":[{"x":true}],"m":{"k":"y"}}`,
			`{"a":"x","a":2,"l":[{"x":"2026-11-30T10:00:00.123456789Z"}]}`)); err != nil {
			t.Fatal(err)
		}
	}
	check(t, "misfits", misfits(f), "[{a type:bigint rescue 2 2} {l.element.x type:timestamp rescue 2 2} {m.value type:int rescue 2 2} "+
		"{`a b` unknown rescue 2 2} {a duplicate rescue 3 2}]")
	check(t, "remarks", fmt.Sprint(f.Remarks()), "[{value_truncated l.element.x 3 2} {key_duplicate a 3 2}]")
}

// What an option lets pass is rescued as JSON that every reader takes.
func TestLenientJSON(t *testing.T) {
	v, table := agreed(t, contract.Policy{}, "a: bigint", "m: map<string,int>")
	f, err := conform.New(v, contract.Policy{}, table, treeObject("a.json"))
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := f.Fit(trees(t, `{'a':NaN,b:{'c':['x"',007,{}],d:-1.50e1,"e":[]},m:{k:1,l:'x','q"':'\ud800'}}`))
	if err != nil {
		t.Fatal(err)
	}
	check(t, "rows", rows(t, table, fitted.Batch), `∅ | <k:1 l:∅ q":∅> | {"a":"NaN","b":{"c":["x\"","007",{}],"d":-1.50e1,"e":[]},"m":{"l":"x","q\"":"\\ud800"}`+tail+
		`1,"_why":{"a":"type:bigint","b":"unknown","m.l":"type:int","m.q\"":"type:int"}}`)
}

// Names without end cost no memory without end.
func TestNamesWithoutEnd(t *testing.T) {
	v, table := agreed(t, contract.Policy{}, "a: bigint", "s: struct<x:int>")
	f, err := conform.New(v, contract.Policy{}, table, treeObject("a.json"))
	if err != nil {
		t.Fatal(err)
	}
	const slabs, each = 4, 4000
	for i := range slabs {
		var b strings.Builder
		for k := range each {
			fmt.Fprintf(&b, `,"n%d":%d`, i*each+k, k)
		}
		fitted, err := f.Fit(trees(t, `{"a":1`+b.String()+`,"n0":[]}`, `{"s":{"x":1`+b.String()+`},"A":2}`, `{"a":3,"n1":1,"n1":2}`))
		if err != nil {
			t.Fatal(err)
		}
		got := read(t, table.Fields[2], fitted.Batch.Columns[2], 3)
		check(t, "the last", show(got[2]), `{"n1":[1,2]`+tail+`3,"_why":{"n1":"duplicate"}}`)
		var all map[string]any
		for row := range 2 {
			if err := json.Unmarshal([]byte(got[row].(string)), &all); err != nil {
				t.Fatal(err)
			}
		}
		if want := int64(2*each + 1 + 2); fitted.Counts.Rescued != want {
			t.Errorf("%d rescued, want %d", fitted.Counts.Rescued, want)
		}
	}
	count := int64(0)
	for _, m := range f.Misfits() {
		count += m.Count
	}
	// Of a name that comes twice one value counts as that, the last as unknown.
	if got := len(f.Misfits()); got > 10_010 || count != slabs*(2*each+3) {
		t.Errorf("%d paths and %d values", got, count)
	}
}
