package column_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/value"
)

// The JSON values of these tests. A string holds its raw text between quotes.
type (
	number string
	text   string
	list   []any
	object []pair
	pair   struct {
		name  string
		value any
	}
)

// tape writes values as a scanner would find them.
func tape(rows []any) *column.Tape {
	t := &column.Tape{}
	for _, row := range rows {
		t.Roots = append(t.Roots, uint32(len(t.Nodes)))
		put(t, row)
	}
	return t
}

func put(t *column.Tape, v any) {
	switch v := v.(type) {
	case nil:
		leaf(t, column.Null, "null")
	case bool:
		leaf(t, map[bool]column.Kind{false: column.False, true: column.True}[v], strconv.FormatBool(v))
	case number:
		leaf(t, column.Number, string(v))
	case text:
		quoted(t, column.String, string(v))
	case list:
		i := open(t, column.Array, "[")
		for k, element := range v {
			if k > 0 {
				t.Data = append(t.Data, ',')
			}
			put(t, element)
		}
		shut(t, i, "]")
	case object:
		i := open(t, column.Object, "{")
		for k, p := range v {
			if k > 0 {
				t.Data = append(t.Data, ',')
			}
			m := len(t.Nodes)
			quoted(t, column.Member, p.name)
			t.Data = append(t.Data, ':')
			put(t, p.value)
			t.Nodes[m].Next = uint32(len(t.Nodes))
		}
		shut(t, i, "}")
	}
}

func leaf(t *column.Tape, kind column.Kind, raw string) {
	open(t, kind, raw)
	shut(t, len(t.Nodes)-1, "")
}

// quoted puts a name or string; a backslash makes it one that needed decoding,
// and \u one that is no text.
func quoted(t *column.Tape, kind column.Kind, s string) {
	i := len(t.Nodes)
	leaf(t, kind, `"`+s+`"`)
	switch {
	case strings.Contains(s, `\u`):
		t.Nodes[i].Flags = column.Lone
	case strings.Contains(s, `\`):
		t.Nodes[i].Flags = column.Escaped
		leaf(t, column.Decoded, strings.ReplaceAll(s, `\`, ""))
		t.Nodes[i].Next = uint32(len(t.Nodes))
	}
}

func open(t *column.Tape, kind column.Kind, raw string) int {
	t.Nodes = append(t.Nodes, column.Node{Offset: uint32(len(t.Data)), Kind: kind})
	t.Data = append(t.Data, raw...)
	return len(t.Nodes) - 1
}

func shut(t *column.Tape, i int, raw string) {
	t.Data = append(t.Data, raw...)
	t.Nodes[i].Length = uint32(len(t.Data)) - t.Nodes[i].Offset
	t.Nodes[i].Next = uint32(len(t.Nodes))
}

func records(n int, first int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = first + int64(i)
	}
	return out
}

// observe returns the evidence of rows that begin at a record.
func observe(rows []any, first int64) column.Evidence {
	o := column.NewObserver(nil, 0)
	o.Add(&column.Slab{Records: records(len(rows), first), Tape: tape(rows)})
	return o.Evidence(nil)
}

// at is a value and the record it stands in.
type at struct {
	value  any
	record int64
}

// gather counts values the slow way: all of one path at a time.
func gather(values []at) column.Evidence {
	var e column.Evidence
	var elements []at
	members := map[string][]at{}
	f := new(value.Forms)
	for _, v := range values {
		switch x := v.value.(type) {
		case nil:
			e.Nulls++
		case bool:
			see(&e.Bare, value.Boolean, v.record)
		case number:
			s := f.Number([]byte(x))
			see(&e.Bare, s.Class, v.record)
			e.Whole, e.Scale = max(e.Whole, s.Whole), max(e.Scale, s.Scale)
		case text:
			s := value.Shape{Class: value.Text}
			if !strings.Contains(string(x), `\u`) {
				s = f.Text([]byte(strings.ReplaceAll(string(x), `\`, "")))
			}
			see(&e.Strings, s.Class, v.record)
			e.StringWhole, e.StringScale = max(e.StringWhole, s.Whole), max(e.StringScale, s.Scale)
		case list:
			count(&e.Arrays, v.record)
			if len(x) == 0 {
				count(&e.EmptyArrays, v.record)
			}
			for _, element := range x {
				elements = append(elements, at{element, v.record})
			}
		case object:
			count(&e.Objects, v.record)
			if len(x) == 0 {
				count(&e.EmptyObjects, v.record)
			}
			e.Fields = gatherMembers(e.Fields, members, x, v.record)
		}
	}
	for i := range e.Fields {
		e.Fields[i].Evidence = gather(members[e.Fields[i].Name])
	}
	if elements != nil {
		element := gather(elements)
		e.Element = &element
	}
	return e
}

func gatherMembers(fields []column.FieldEvidence, members map[string][]at, x object, record int64) []column.FieldEvidence {
	last := map[string]any{}
	times := map[string]int{}
	var order []string
	for _, p := range x {
		name := p.name
		if !strings.Contains(name, `\u`) {
			name = strings.ReplaceAll(name, `\`, "")
		}
		if times[name]++; times[name] == 1 {
			order = append(order, name)
		}
		last[name] = p.value
	}
	for _, name := range order {
		i := slices.IndexFunc(fields, func(f column.FieldEvidence) bool { return f.Name == name })
		if i < 0 {
			i = len(fields)
			fields = append(fields, column.FieldEvidence{Name: name, First: record})
		}
		if times[name] > 1 {
			fields[i].Twice++
		}
		members[name] = append(members[name], at{last[name], record})
	}
	return fields
}

func count(s *column.Seen, record int64) {
	if s.Count++; s.Count == 1 {
		s.First = record
	}
}

func see(list *[]column.Seen, c value.Class, record int64) {
	i, ok := slices.BinarySearchFunc(*list, c, func(s column.Seen, c value.Class) int { return int(s.Class) - int(c) })
	if !ok {
		*list = slices.Insert(*list, i, column.Seen{Class: c})
	}
	count(&(*list)[i], record)
}

// anyValue draws a JSON value of some depth.
func anyValue(t *rapid.T, depth int) any {
	kinds := 4
	if depth > 0 {
		kinds = 7
	}
	switch rapid.IntRange(0, kinds).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2, 3:
		return number(rapid.SampledFrom([]string{"0", "12", "-7", "2.50", "1e5", "1e400", "12345678901234567.89", "9223372036854775808"}).Draw(t, "number"))
	case 4:
		return text(rapid.SampledFrom([]string{"", "5", "x", `\n\a`, `\ud800`, "2026-11-30", "N/A", "123.456", "007"}).Draw(t, "text"))
	case 5:
		n := rapid.IntRange(0, 3).Draw(t, "elements")
		out := make(list, n)
		for i := range out {
			out[i] = anyValue(t, depth-1)
		}
		return out
	}
	return anyObject(t, depth)
}

func anyObject(t *rapid.T, depth int) object {
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "A", "é", `\a`, `\ud800`, "", "d"}), 0, 5).Draw(t, "names")
	out := make(object, len(names))
	for i, name := range names {
		out[i] = pair{name, anyValue(t, depth-1)}
	}
	return out
}

func anyRows(t *rapid.T) []any {
	n := rapid.IntRange(0, 8).Draw(t, "rows")
	out := make([]any, n)
	for i := range out {
		if out[i] = anyValue(t, 3); rapid.IntRange(0, 3).Draw(t, "object") > 0 {
			out[i] = anyObject(t, 3)
		}
	}
	return out
}

func TestTreesProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := anyRows(t)
		values := make([]at, len(rows))
		for i, row := range rows {
			values[i] = at{row, int64(i + 1)}
		}
		all := observe(rows, 1)
		if want := gather(values); !reflect.DeepEqual(all, want) {
			t.Fatalf("got %s\nwant %s", show(all), show(want))
		}

		// Slab by slab, and object by object, from either end.
		i := rapid.IntRange(0, len(rows)).Draw(t, "i")
		j := rapid.IntRange(i, len(rows)).Draw(t, "j")
		o := column.NewObserver(nil, 0)
		for _, part := range [][2]int{{0, i}, {i, j}, {j, len(rows)}} {
			o.Add(&column.Slab{Records: records(part[1]-part[0], int64(part[0]+1)), Tape: tape(rows[part[0]:part[1]])})
		}
		if got := o.Evidence(nil); !reflect.DeepEqual(got, all) {
			t.Fatalf("in three slabs: got %s\nwant %s", show(got), show(all))
		}
		a, b, c := observe(rows[:i], 1), observe(rows[i:j], int64(i+1)), observe(rows[j:], int64(j+1))
		left := a.Clone()
		left.Merge(&b)
		left.Merge(&c)
		right := b.Clone()
		right.Merge(&c)
		front := a.Clone()
		front.Merge(&right)
		if !reflect.DeepEqual(left, all) || !reflect.DeepEqual(front, all) {
			t.Fatalf("merged: got %s\nand %s\nwant %s", show(left), show(front), show(all))
		}
		if again := observe(rows[:i], 1); !reflect.DeepEqual(a, again) {
			t.Fatal("merging into a copy changed the original")
		}

		shuffled := rapid.Permutation(rows).Draw(t, "order")
		if !o.Turn() {
			t.Fatal("the observer is of no further use")
		}
		o.Add(&column.Slab{Records: records(len(rows), 1), Tape: tape(shuffled)})
		if got, want := o.Evidence(nil), observe(shuffled, 1); !reflect.DeepEqual(got, want) {
			t.Fatalf("of another object: got %s\nwant %s", show(got), show(want))
		}
		if got, want := counts(observe(shuffled, 1)), counts(all); !reflect.DeepEqual(got, want) {
			t.Fatalf("in another order: got %s\nwant %s", show(got), show(want))
		}

		var back column.Evidence
		if err := json.Unmarshal([]byte(show(all)), &back); err != nil || show(back) != show(all) {
			t.Fatalf("%s came back as %s, %v", show(all), show(back), err)
		}
	})
}

func show(e column.Evidence) string {
	out, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// counts takes out of evidence what depends on the order of records.
func counts(e column.Evidence) column.Evidence {
	e = e.Clone()
	var strip func(*column.Evidence)
	strip = func(e *column.Evidence) {
		for _, list := range [][]column.Seen{e.Bare, e.Strings} {
			for i := range list {
				list[i].First = 0
			}
		}
		for _, s := range []*column.Seen{&e.Objects, &e.Arrays, &e.EmptyObjects, &e.EmptyArrays, &e.Maps} {
			s.First = 0
		}
		for i := range e.Types {
			e.Types[i].First = 0
		}
		for i := range e.Fields {
			e.Fields[i].First = 0
			strip(&e.Fields[i].Evidence)
		}
		slices.SortFunc(e.Fields, func(a, b column.FieldEvidence) int { return strings.Compare(a.Name, b.Name) })
		for _, part := range []*column.Evidence{e.Element, e.Key} {
			if part != nil {
				strip(part)
			}
		}
	}
	strip(&e)
	return e
}

func TestTreeEvidence(t *testing.T) {
	got := observe([]any{
		object{{"id", number("1")}, {"a", object{}}, {"tags", list{text("x"), number("2.50")}}},
		object{{"a", object{{"k", nil}}}, {"id", text("007")}, {"id", number("12")}, {"id", number("13")}},
		nil,
		list{},
	}, 5)
	want := `{"nulls":1,"objects":{"count":2,"first":5},"arrays":{"count":1,"first":8},"empty_arrays":{"count":1,"first":8},"fields":[` +
		`{"name":"id","first":5,"twice":1,"bare":[{"class":"integer","count":2,"first":5}],"whole":2},` +
		`{"name":"a","first":5,"objects":{"count":2,"first":5},"empty_objects":{"count":1,"first":5},"fields":[{"name":"k","first":6,"nulls":1}]},` +
		`{"name":"tags","first":5,"arrays":{"count":1,"first":5},"element":{` +
		`"bare":[{"class":"decimal","count":1,"first":5}],"strings":[{"class":"text","count":1,"first":5}],"whole":1,"scale":1}}]}`
	if show(got) != want {
		t.Errorf("got  %s\nwant %s", show(got), want)
	}
}

// flat returns a slab of columns of text; "∅" is a null.
func flat(first int64, columns ...[]string) *column.Slab {
	s := &column.Slab{Records: records(len(columns[0]), first)}
	for _, values := range columns {
		var c column.Text
		for _, v := range values {
			if v == "∅" {
				c.AppendNull()
			} else {
				c.AppendValue([]byte(v))
			}
		}
		s.Fields = append(s.Fields, c)
	}
	return s
}

func TestFlatEvidence(t *testing.T) {
	o := column.NewObserver(nil, 3)
	o.Add(flat(1, []string{"1", "∅"}, []string{"", "N/A"}, []string{"∅", "∅"}))
	o.Add(flat(4, []string{"12.50"}, []string{"02134"}, []string{"∅"}))
	got := o.Evidence([]string{"a", "b", "a"})
	want := `{"objects":{"count":3,"first":1},"fields":[` +
		`{"name":"a","nulls":1,"bare":[{"class":"integer","count":1,"first":1},{"class":"decimal","count":1,"first":4}],"whole":2,"scale":1},` +
		`{"name":"b","bare":[{"count":1,"first":1},{"class":"null_like","count":1,"first":2},{"class":"code","count":1,"first":4}]},` +
		`{"name":"a","nulls":3}]}`
	if show(got) != want {
		t.Errorf("got  %s\nwant %s", show(got), want)
	}
	empty := column.NewObserver(nil, 2)
	if got, want := show(empty.Evidence([]string{"a", "b"})), `{"fields":[{"name":"a"},{"name":"b"}]}`; got != want {
		t.Errorf("a header alone: got %s, want %s", got, want)
	}
}

// TestMergeOfHeaders merges headers that name a field twice, in other orders.
func TestMergeOfHeaders(t *testing.T) {
	of := func(first int64, header string, values ...string) column.Evidence {
		columns := make([][]string, len(values))
		for i, v := range values {
			columns[i] = []string{v}
		}
		o := column.NewObserver(nil, len(values))
		o.Add(flat(first, columns...))
		return o.Evidence(strings.Fields(header))
	}
	var all column.Evidence
	for _, e := range []column.Evidence{
		of(1, "a a b", "1", "true", "x"),
		of(1, "b a a", "y", "2", "false"),
		of(1, "a c a a", "3", "z", "true", "2026-11-30"),
	} {
		all.Merge(&e)
	}
	want := `{"objects":{"count":3,"first":1},"fields":[` +
		`{"name":"a","bare":[{"class":"integer","count":3,"first":1}],"whole":1},` +
		`{"name":"a","bare":[{"class":"boolean","count":3,"first":1}]},` +
		`{"name":"b","bare":[{"class":"text","count":2,"first":1}]},` +
		`{"name":"c","bare":[{"class":"text","count":1,"first":1}]},` +
		`{"name":"a","bare":[{"class":"date","count":1,"first":1}]}]}`
	if show(all) != want {
		t.Errorf("got  %s\nwant %s", show(all), want)
	}
}

func TestFlatProperty(t *testing.T) {
	cell := rapid.SampledFrom([]string{"∅", "", "1", "2.5", "x", "N/A", "2026-11-30", "007", "true", "9223372036854775808"})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 10).Draw(t, "rows")
		header := []string{"a", "b", "a"}
		columns := make([][]string, len(header))
		for i := range columns {
			columns[i] = rapid.SliceOfN(cell, n, n).Draw(t, "column")
		}
		of := func(from, to int) column.Evidence {
			o := column.NewObserver(&value.Forms{}, len(header))
			o.Add(flat(int64(from+1), columns[0][from:to], columns[1][from:to], columns[2][from:to]))
			return o.Evidence(header)
		}
		want := column.Evidence{Fields: []column.FieldEvidence{{Name: "a"}, {Name: "b"}, {Name: "a"}}}
		f := new(value.Forms)
		for row := range n {
			count(&want.Objects, int64(row+1))
			for i := range columns {
				e := &want.Fields[i].Evidence
				if v := columns[i][row]; v == "∅" {
					e.Nulls++
				} else {
					s := f.Text([]byte(v))
					see(&e.Bare, s.Class, int64(row+1))
					e.Whole, e.Scale = max(e.Whole, s.Whole), max(e.Scale, s.Scale)
				}
			}
		}
		if got := of(0, n); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %s\nwant %s", show(got), show(want))
		}
		i := rapid.IntRange(0, n).Draw(t, "i")
		merged, rest := of(0, i), of(i, n)
		merged.Merge(&rest)
		if !reflect.DeepEqual(merged, want) {
			t.Fatalf("merged: got %s\nwant %s", show(merged), show(want))
		}
	})
}

// TestNamesThatAreData lands ids as names: memory stays bounded, and every
// member is counted.
func TestNamesThatAreData(t *testing.T) {
	ids := func(from, to int) object {
		out := make(object, 0, to-from)
		for i := from; i < to; i++ {
			out = append(out, pair{fmt.Sprintf("id%d", i), number("1")})
		}
		return out
	}
	const most = column.MaxNames
	e := observe([]any{ids(0, most+10), ids(5, most+20)}, 1)
	if len(e.Fields) != most || e.Overflow != 30 {
		t.Errorf("got %d names and %d members beyond, want %d and 30", len(e.Fields), e.Overflow, most)
	}
	if got := e.Fields[5].Bare[0].Count; got != 2 {
		t.Errorf("a name that is known: got %d values, want 2", got)
	}
	a, b := observe([]any{ids(0, most)}, 1), observe([]any{ids(5, most+7)}, 2)
	a.Merge(&b)
	if len(a.Fields) != most || a.Overflow != 7 {
		t.Errorf("merged: got %d names and %d members beyond, want %d and 7", len(a.Fields), a.Overflow, most)
	}

	// Names of data within names of data.
	var rows []any
	for i := range 5 {
		rows = append(rows, object{{fmt.Sprintf("outer%d", i), ids(0, most)}})
	}
	e = observe(rows, 1)
	names, beyond := len(e.Fields), e.Overflow
	for _, f := range e.Fields {
		names += len(f.Fields)
		beyond += f.Overflow
	}
	// The last of the five is beyond, with all that is in it.
	if names != 1<<16 || int64(names)+beyond != 4*(most+1)+1 {
		t.Errorf("nested: got %d names and %d members beyond, want %d of %d", names, beyond, 1<<16, 4*(most+1)+1)
	}
}

func TestEvidenceIsSmall(t *testing.T) {
	columns := make([][]string, 20)
	header := make([]string, len(columns))
	for i := range columns {
		columns[i] = []string{"123456", "∅", "2.5", "some text"}
		header[i] = fmt.Sprintf("column_%02d", i)
	}
	o := column.NewObserver(nil, len(columns))
	for n := range int64(100) {
		o.Add(flat(n*4+1, columns...))
	}
	if got := show(o.Evidence(header)); len(got) > 4<<10 {
		t.Errorf("evidence of 20 columns takes %d bytes, want 4,096 at most", len(got))
	}
}

func TestNothingIsAllocatedForValues(t *testing.T) {
	o := column.NewObserver(nil, 2)
	slab := flat(1, []string{"1", "2.5", "0.30000000000000004"}, []string{"x", "∅", "2026-11-30"})
	o.Add(slab)
	if n := testing.AllocsPerRun(10, func() { o.Add(slab) }); n > 0 {
		t.Errorf("flat: %v allocations", n)
	}
	trees := column.NewObserver(nil, 0)
	row := object{{"a", number("1")}, {"b", list{text("x"), object{{"c", true}}}}, {"a", nil}}
	tree := &column.Slab{Records: records(2, 1), Tape: tape([]any{row, object{row[1], row[0]}})}
	trees.Add(tree)
	if n := testing.AllocsPerRun(10, func() { trees.Add(tree) }); n > 0 {
		t.Errorf("trees: %v allocations", n)
	}
}
