//go:build shared

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"landfall/internal/schema"
)

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
