//go:build shared

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
