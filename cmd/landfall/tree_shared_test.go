//go:build shared

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/contract"
	"landfall/internal/schema"
)

// A tree is a JSON value as the standard library's tokens give it: nil, bool,
// json.Number, string, list or object, with members in order and none dropped.
type (
	list   []any
	object []member
	member struct {
		name  string
		value any
	}
)

// readTree reads the value that d stands before.
func readTree(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		values := list{}
		for d.More() {
			v, err := readTree(d)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		_, err = d.Token()
		return values, err
	case json.Delim('{'):
		members := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := readTree(d)
			if err != nil {
				return nil, err
			}
			members = append(members, member{name.(string), v})
		}
		_, err = d.Token()
		return members, err
	}
	return token, nil
}

// plainRecords reads the records of a text as the standard library does: values
// one after the other, and the elements of arrays instead of those.
func plainRecords(text []byte) ([]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var records []any
	for {
		v, err := readTree(d)
		switch {
		case errors.Is(err, io.EOF):
			return records, nil
		case err != nil:
			return records, err
		}
		if elements, ok := v.(list); ok {
			records = append(records, elements...)
		} else {
			records = append(records, v)
		}
	}
}

// treeOf reads the only value of a text.
func treeOf(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := readTree(d)
	if err == nil {
		if _, after := d.Token(); !errors.Is(after, io.EOF) {
			err = fmt.Errorf("found more behind the value: %w", after)
		}
	}
	return v, err
}

// treeRow is a row of a table: the values of its columns, and what was rescued.
type treeRow struct {
	cells, kept object
	why         map[string]string
}

// treeTable is a table as the program's own query shows it.
type treeTable struct {
	schema schema.Struct
	rows   map[string][]treeRow
}

// readTrees reads tables back.
func readTrees(t *testing.T, feeds ...landedFeed) []treeTable {
	t.Helper()
	tables := make([]treeTable, len(feeds))
	for i, f := range feeds {
		tables[i] = treeTable{schema: snapshot(t, f.table), rows: map[string][]treeRow{}}
	}
	eachRow(t, feeds, func(i int, file string, values map[string]jsontext.Value) {
		var r treeRow
		for _, f := range tables[i].schema.Fields {
			raw := values[f.Name]
			if raw == nil {
				continue
			}
			v, err := treeOf(raw)
			check(t, err)
			if f.Name != contract.RescuedData {
				r.cells = append(r.cells, member{f.Name, v})
				continue
			}
			r.rescued(t, v.(string))
		}
		tables[i].rows[file] = append(tables[i].rows[file], r)
	})
	return tables
}

// rescued reads the rescue column. A name of the source that is one of ours
// stands behind a prefix.
func (r *treeRow) rescued(t *testing.T, text string) {
	t.Helper()
	v, err := treeOf([]byte(text))
	check(t, err)
	for _, m := range v.(object) {
		switch m.name {
		case "_file_path", "_record":
		case "_why":
			r.why = map[string]string{}
			for _, w := range m.value.(object) {
				r.why[w.name] = w.value.(string)
			}
		default:
			m.name = strings.TrimPrefix(m.name, "_field:")
			r.kept = append(r.kept, m)
		}
	}
	if len(r.why) == 0 || len(r.kept) == 0 {
		t.Errorf("found %s, want values and reasons in it", text)
	}
}

// hunt looks for the values of files in a table. Its figures count scalars that
// are not null, and objects and arrays without members.
type hunt struct {
	typed, rescued int
	wrong          []string
	// path is where the hunt is.
	path []string
}

func (h *hunt) miss(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	h.wrong = append(h.wrong, strings.Join(h.path, ".")+": "+text)
}

// record looks for a record in a row. One that is no object is rescued whole.
func (h *hunt) record(s schema.Struct, r treeRow, want any) {
	if o, ok := want.(object); ok {
		h.object(s.Fields, r.cells, r.kept, o)
		return
	}
	if len(r.cells) > 0 {
		h.miss("found %v, want only nulls beside %v", r.cells, want)
	}
	h.rescue(object{{"_value", want}}, r.kept)
}

// rescue compares a value that is not in the table with what was rescued.
func (h *hunt) rescue(want, kept any) {
	if !sameTree(want, kept) {
		h.miss("found %v in the rescue column, want %v", kept, want)
		return
	}
	h.rescued += leaves(want)
}

// object looks for the members of an object: under a name may be several, of
// which the table has the last and the rescue column the others.
func (h *hunt) object(fields []schema.Field, got, kept, want object) {
	if len(want) == 0 {
		h.typed++
	}
	groups, names := map[string]object{}, []string{}
	for _, m := range want {
		name := schema.Fold(m.name)
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], m)
	}
	cells, left := map[string]any{}, map[string]any{}
	for _, m := range got {
		cells[m.name] = m.value
	}
	for _, m := range kept {
		left[m.name] = m.value
	}
	for _, name := range names {
		field, cell := schema.Field{}, any(nil)
		for _, f := range fields {
			if original, _ := schema.Original(f); schema.Fold(original) == name {
				field, cell = f, cells[f.Name]
				delete(cells, f.Name)
			}
		}
		h.path = append(h.path, name)
		h.group(field.Type, cell, left, groups[name])
		h.path = h.path[:len(h.path)-1]
	}
	for name, cell := range cells {
		if cell != nil {
			h.miss("found %v in %s, want null", cell, name)
		}
	}
	for name, value := range left {
		h.miss("found %v of %s in the rescue column, want nothing", value, name)
	}
}

// group looks for the values of one name, and takes from left what was rescued
// of them.
func (h *hunt) group(typ schema.Type, cell any, left map[string]any, members object) {
	kept, spelt := map[string]any{}, false
	for _, m := range members {
		if value, ok := left[m.name]; ok {
			kept[m.name], spelt = value, true
			delete(left, m.name)
		}
	}
	members = slices.DeleteFunc(slices.Clone(members), func(m member) bool { return m.value == nil })
	switch {
	case len(members) == 0:
		if cell != nil || spelt {
			h.miss("found %v and rescued %v, want null", cell, kept)
		}
		return
	case len(members) == 1:
		h.value(typ, cell, kept[members[0].name], members[0].value)
		return
	}
	for i := len(members) - 1; i >= -1; i-- { // none may have landed
		try := hunt{}
		var rest object
		for k, m := range members {
			if k != i {
				rest = append(rest, m)
			}
		}
		if i < 0 && cell != nil {
			break
		}
		if i >= 0 {
			try.value(typ, cell, nil, members[i].value)
		}
		if len(try.wrong) == 0 && sameTwice(rest, kept) {
			h.typed += try.typed
			for _, m := range rest {
				h.rescued += leaves(m.value)
			}
			return
		}
	}
	h.miss("found %v and rescued %v, want %v", cell, kept, members)
}

// sameTwice compares values, some of one spelling, with what was rescued under
// their spellings: one as it is, several as an array.
func sameTwice(values object, kept map[string]any) bool {
	bySpelling := map[string]list{}
	for _, m := range values {
		bySpelling[m.name] = append(bySpelling[m.name], m.value)
	}
	for name, of := range bySpelling {
		if !sameTree(kept[name], of) && (len(of) > 1 || !sameTree(kept[name], of[0])) {
			return false
		}
	}
	return len(bySpelling) == len(kept)
}

// value looks for a value in its cell, or in what was rescued of it.
func (h *hunt) value(typ schema.Type, got, kept, want any) {
	if got == nil && kept != nil {
		h.rescue(want, kept)
		return
	}
	switch typ := typ.(type) {
	case schema.Struct:
		g, isStruct := got.(object)
		w, isObject := want.(object)
		k, _ := kept.(object)
		if isStruct && isObject {
			h.object(typ.Fields, g, k, w)
			return
		}
	case schema.Array:
		g, isArray := got.(list)
		w, isList := want.(list)
		if isArray && isList && len(g) == len(w) {
			h.elements(typ, g, kept, w)
			return
		}
	default:
		if kept == nil && typ != nil && sameScalar(typ, got, want) {
			h.typed += leaves(want)
			return
		}
	}
	h.miss("found %v and rescued %v under the type %v, want %v", got, kept, typ, want)
}

func (h *hunt) elements(typ schema.Array, got list, kept any, want list) {
	k, _ := kept.(list)
	if len(want) == 0 {
		h.typed++
	}
	for i, w := range want {
		var ke any
		if i < len(k) {
			ke = k[i]
		}
		h.path = append(h.path, "element")
		if w == nil && got[i] == nil && ke == nil {
			h.path = h.path[:len(h.path)-1]
			continue
		}
		h.value(typ.Element, got[i], ke, w)
		h.path = h.path[:len(h.path)-1]
	}
}

// sameScalar tells whether a cell of a type is a value: numbers have the same
// digits, and in a column of strings all else is its JSON.
func sameScalar(typ schema.Type, got, want any) bool {
	text, isText := want.(string)
	switch {
	case typ == schema.String && isText:
		return sameTree(got, want)
	case typ == schema.String:
		raw, _ := got.(string)
		v, err := treeOf([]byte(raw))
		return err == nil && sameTree(v, want)
	case !isText:
		return sameTree(got, want)
	case typ == schema.Boolean:
		b, ok := got.(bool)
		return ok && fmt.Sprint(b) == strings.ToLower(text)
	case typ == schema.Timestamp, typ == schema.Date:
		cell, ok := got.(string)
		return ok && form(typ.String(), cell) == form(typ.String(), text)
	}
	n, ok := got.(json.Number)
	return ok && form(typ.String(), n.String()) == form(typ.String(), text)
}

// sameTree compares values: numbers by their digits, objects by their members
// in order.
func sameTree(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && sameNumber(a.String(), b.String())
	case string:
		b, ok := b.(string)
		return ok && strings.ToValidUTF8(a, "\ufffd") == strings.ToValidUTF8(b, "\ufffd")
	case list:
		b, ok := b.(list)
		return ok && slices.EqualFunc(a, b, sameTree)
	case object:
		b, ok := b.(object)
		return ok && slices.EqualFunc(a, b, func(a, b member) bool { return a.name == b.name && sameTree(a.value, b.value) })
	}
	return reflect.DeepEqual(a, b)
}

// sameNumber compares the digits of numbers. A zero has a sign.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > 400 || len(b) > 400 || strings.Contains(a+b, "e+1000") || strings.HasPrefix(a, "-") != strings.HasPrefix(b, "-") {
		return false
	}
	x, ok1 := new(big.Rat).SetString(a)
	y, ok2 := new(big.Rat).SetString(b)
	return ok1 && ok2 && x.Cmp(y) == 0
}

// leaves counts scalars that are not null, and objects and arrays without
// members.
func leaves(v any) int {
	n := 0
	switch v := v.(type) {
	case nil:
	case list:
		for _, e := range v {
			n += leaves(e)
		}
		if len(v) == 0 {
			n = 1
		}
	case object:
		for _, m := range v {
			n += leaves(m.value)
		}
		if len(v) == 0 {
			n = 1
		}
	default:
		n = 1
	}
	return n
}

// changed returns a value with its n-th leaf changed, or away.
func changed(v any, n *int, away bool) any {
	switch v := v.(type) {
	case nil:
		return v
	case list:
		out := slices.Clone(v)
		for i := range out {
			out[i] = changed(out[i], n, away)
		}
		if len(v) > 0 {
			return out
		}
	case object:
		out := slices.Clone(v)
		for i := range out {
			out[i].value = changed(out[i].value, n, away)
		}
		if len(v) > 0 {
			return out
		}
	}
	if *n--; *n != 0 {
		return v
	}
	switch v := v.(type) {
	case json.Number:
		if !away {
			return json.Number("1" + strings.TrimPrefix(v.String(), "-"))
		}
	case string:
		if !away {
			return v + "\u00b4"
		}
	case bool:
		if !away {
			return !v
		}
	}
	return nil
}

// pathsOf counts the values at every path below a record, the record's own
// included.
func pathsOf(v any, path string, into map[string]int) {
	into[path]++
	switch v := v.(type) {
	case list:
		for _, e := range v {
			pathsOf(e, path+"[]", into)
		}
	case object:
		for _, m := range v {
			pathsOf(m.value, path+"."+m.name, into)
		}
	}
}

// typesAsked is what the values of a path ask for: the kinds of them that were
// seen, where null, and objects and arrays that hold nothing else, are none.
// Paths are those of [pathsOf].
func typesAsked(records []any) map[string]string {
	kinds := map[string]map[string]bool{}
	for _, r := range records {
		kindsOf(r, "", kinds)
	}
	asked := map[string]string{}
	for path, of := range kinds {
		asked[path] = strings.Join(slices.Sorted(maps.Keys(of)), "|")
		if asked[path] == "bigint|double" {
			asked[path] = "double"
		}
	}
	return asked
}

// kindsOf notes the kinds of a value and of those below it, and returns whether
// there are any.
func kindsOf(v any, path string, into map[string]map[string]bool) bool {
	kind := ""
	switch v := v.(type) {
	case list:
		for _, e := range v {
			if kindsOf(e, path+"[]", into) {
				kind = "array"
			}
		}
	case object:
		for _, m := range v {
			if kindsOf(m.value, path+"."+m.name, into) {
				kind = "struct"
			}
		}
	case json.Number:
		kind = "bigint"
		if strings.ContainsAny(v.String(), ".eE") {
			kind = "double"
		}
	case string:
		kind = "string"
	case bool:
		kind = "boolean"
	}
	if kind == "" {
		return false
	}
	if into[path] == nil {
		into[path] = map[string]bool{}
	}
	into[path][kind] = true
	return true
}

// typesStored are the types of a table by the same paths.
func typesStored(s schema.Struct) map[string]string {
	types := map[string]string{}
	var look func(typ schema.Type, path string)
	look = func(typ schema.Type, path string) {
		switch typ := typ.(type) {
		case schema.Struct:
			types[path] = "struct"
			for _, f := range typ.Fields {
				if path == "" && (f.Name == contract.RescuedData || f.Name == contract.SourceFile || f.Name == contract.IngestedAt) {
					continue
				}
				name, _ := schema.Original(f)
				look(f.Type, path+"."+name)
			}
		case schema.Array:
			types[path] = "array"
			look(typ.Element, path+"[]")
		default:
			types[path] = typ.String()
		}
	}
	look(s, "")
	return types
}

// sameTypes compares types by path, but for those of which a list says what they
// are.
func sameTypes(t *testing.T, got, want, but map[string]string) {
	t.Helper()
	want = maps.Clone(want)
	maps.Copy(want, but)
	for path, typ := range want {
		if got[path] != typ {
			t.Errorf("%s: found the type %q, want %q", path, got[path], typ)
		}
	}
	for path, typ := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s: found the type %q, want no such path", path, typ)
		}
	}
}

// file looks for each record of a file in its row, in order.
func (h *hunt) file(t *testing.T, file string, table treeTable, want []any) {
	t.Helper()
	rows := table.rows[file]
	if len(rows) != len(want) {
		t.Errorf("%s: found %d rows, want %d", file, len(rows), len(want))
		return
	}
	for i, record := range want {
		one := hunt{path: []string{fmt.Sprintf("record %d", i+1)}}
		one.record(table.schema, rows[i], record)
		h.typed += one.typed
		h.rescued += one.rescued
		if n := leaves(record); len(one.wrong) == 0 && one.typed+one.rescued != n {
			one.miss("found %d values in columns and %d rescued, want %d", one.typed, one.rescued, n)
		}
		for k, w := range one.wrong {
			if k == 3 {
				t.Errorf("%s: … and %d more in this record", file, len(one.wrong)-3)
				break
			}
			t.Errorf("%s: %s", file, w)
		}
	}
}
