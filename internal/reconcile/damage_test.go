package reconcile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/reconcile"
	"landfall/internal/rescue"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// damage does one thing to a copy that makes it another.
type damage func(t *rapid.T, w *world) harm

// harm is what the report must name: the file and the column, unless they are "", and the
// row from 1, unless it is 0. done is false if there was no place for it.
type harm struct {
	file, column string
	row          int
	done         bool
}

var damages = map[string]damage{
	"a value changes": func(t *rapid.T, w *world) harm {
		return w.cell(t, func(f schema.Field, v any) (any, bool) { return another(t, f.Type, v) })
	},
	"a value becomes null": func(t *rapid.T, w *world) harm {
		return w.cell(t, func(_ schema.Field, v any) (any, bool) { return nil, says(v) != "" })
	},
	"a null becomes a value": func(t *rapid.T, w *world) harm {
		return w.cell(t, func(f schema.Field, v any) (any, bool) {
			n := drawValue(t, f.Type, false)
			return n, v == nil && says(n) != ""
		})
	},
	"two rows of a column change places": func(t *rapid.T, w *world) harm {
		i, k := w.column(t)
		values := w.copies[i].values[k]
		x, y := row(t, values), row(t, values)
		values[x], values[y] = values[y], values[x]
		return harm{w.proof.Objects[i].Path, w.name(k), min(x, y) + 1, says(values[x]) != says(values[y])}
	},
	"rows of two files change places": func(t *rapid.T, w *world) harm {
		a, b := &w.copies[0], &w.copies[len(w.copies)-1]
		x, y := row(t, a.values[0]), row(t, b.values[0])
		differ := false
		for k := range w.rescueAt() + 1 {
			differ = differ || saysRescued(k == w.rescueAt(), a.values[k][x]) != saysRescued(k == w.rescueAt(), b.values[k][y])
			a.values[k][x], b.values[k][y] = b.values[k][y], a.values[k][x]
		}
		return harm{done: differ}
	},
	"a row is missing": func(t *rapid.T, w *world) harm {
		i, _ := w.column(t)
		x := row(t, w.copies[i].values[0])
		for k, values := range w.copies[i].values {
			w.copies[i].values[k] = slices.Delete(values, x, x+1)
		}
		w.proof.Files[i].Runs[0].Rows--
		return harm{file: w.proof.Objects[i].Path, done: true}
	},
	"a row is there twice": func(t *rapid.T, w *world) harm {
		i, _ := w.column(t)
		x := row(t, w.copies[i].values[0])
		for k, values := range w.copies[i].values {
			w.copies[i].values[k] = slices.Insert(values, x, values[x])
		}
		w.proof.Files[i].Runs[0].Rows++
		return harm{file: w.proof.Objects[i].Path, done: true}
	},
	"a rescued row is lost": func(t *rapid.T, w *world) harm {
		return w.rescued(t, func(values []any, x int) bool {
			lost := saysRescued(true, values[x])
			values[x] = nil
			return lost != ""
		})
	},
	"a rescued row is another's": func(t *rapid.T, w *world) harm {
		return w.rescued(t, func(values []any, x int) bool {
			y := row(t, values)
			values[x], values[y] = values[y], values[x]
			return saysRescued(true, values[x]) != saysRescued(true, values[y])
		})
	},
	"a rescued text changes": func(t *rapid.T, w *world) harm {
		return w.rescued(t, func(values []any, x int) bool {
			text, _ := values[x].(string)
			values[x] = strings.Replace(text, `":"`, `":"x`, 1)
			return strings.Contains(text, `":"`) && !strings.Contains(text[:strings.Index(text, `":"`)], "_file_path") &&
				!strings.Contains(text[:strings.Index(text, `":"`)], "$base64")
		})
	},
	"something is rescued that nobody wrote": func(t *rapid.T, w *world) harm {
		return w.rescued(t, func(values []any, x int) bool {
			text, _ := values[x].(string)
			if text == "" {
				text = `{"_file_path":"f","_record":1,"_why":{}}`
			}
			values[x] = strings.Replace(`{"nobody":1,`+text[1:], `"_why":{`, `"_why":{"nobody":"unknown",`, 1)
			values[x] = strings.Replace(values[x].(string), `",}`, `"}`, 1)
			return true
		})
	},
}

// column draws a file and a column of it that the proof compares.
func (w *world) column(t *rapid.T) (file, column int) {
	return rapid.IntRange(0, len(w.copies)-1).Draw(t, "file"), rapid.IntRange(0, len(w.proof.Columns)-1).Draw(t, "column")
}

func (w *world) rescueAt() int { return len(w.proof.Columns) }

func (w *world) name(column int) string { return schema.Fold(w.proof.Columns[column].Original) }

func row(t *rapid.T, values []any) int { return rapid.IntRange(0, len(values)-1).Draw(t, "row") }

// cell changes one cell.
func (w *world) cell(t *rapid.T, change func(schema.Field, any) (any, bool)) harm {
	i, k := w.column(t)
	values := w.copies[i].values[k]
	x := row(t, values)
	v, done := change(w.copies[i].fields[k], values[x])
	values[x] = v
	return harm{w.proof.Objects[i].Path, w.name(k), x + 1, done}
}

// rescued changes the rescue column.
func (w *world) rescued(t *rapid.T, change func(values []any, x int) bool) harm {
	i, _ := w.column(t)
	values := w.copies[i].values[w.rescueAt()]
	done := change(values, row(t, values))
	return harm{file: w.proof.Objects[i].Path, done: done}
}

// another is a value with another scalar somewhere in it.
func another(t *rapid.T, typ schema.Type, v any) (any, bool) {
	switch v := v.(type) {
	case parquetfiletest.Struct:
		out := slices.Clone(v)
		for i := range rapid.Permutation(indexes(len(v))).Draw(t, "field") {
			if n, ok := another(t, typ.(schema.Struct).Fields[i].Type, v[i]); ok {
				out[i] = n
				return out, true
			}
		}
	case parquetfiletest.List:
		out := slices.Clone(v)
		for i := range v {
			if n, ok := another(t, typ.(schema.Array).Element, v[i]); ok {
				out[i] = n
				return out, true
			}
		}
		return append(out, nil), true
	case parquetfiletest.Map:
		out := slices.Clone(v)
		for i := range v {
			if n, ok := another(t, typ.(schema.Map).Value, v[i].Value); ok {
				out[i].Value = n
				return out, true
			}
		}
	case bool:
		return !v, true
	case int64:
		if v == 9999 || v == math.MaxInt8 || v == math.MaxInt16 || v == math.MaxInt32 {
			return v - 1, true
		}
		return v + 1, true
	case value.Int128:
		v.Low ^= 1
		return v, true
	case float64:
		if v != v {
			return 1.0, true
		}
		if typ == schema.Type(schema.Float) {
			return float64(math.Nextafter32(float32(v), 3)), true
		}
		return math.Nextafter(v, 3), true
	case string:
		return v + "x", true
	}
	return v, false
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// says spells what a value says: nothing of nulls, and of structs without values.
func says(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case parquetfiletest.Struct:
		out := ""
		for i, f := range v {
			if s := says(f); s != "" {
				out += fmt.Sprint(i, ":", s, ",")
			}
		}
		return out
	case parquetfiletest.List:
		out := "["
		for _, e := range v {
			out += says(e) + ","
		}
		return out + "]"
	case parquetfiletest.Map:
		var out []string
		for _, e := range v {
			out = append(out, says(e.Key)+"="+says(e.Value))
		}
		slices.Sort(out)
		return fmt.Sprint("{", out, "}")
	}
	if text, ok := v.(string); ok && hollow(text) {
		return ""
	}
	return fmt.Sprintf("%T %v", v, v)
}

// hollow reports whether a text is that of a struct of nulls, which counts as null where
// the file has a struct.
func hollow(text string) bool {
	var v any
	return strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &v) == nil && saysNothing(v)
}

func saysNothing(v any) bool {
	fields, ok := v.(map[string]any)
	for _, f := range fields {
		ok = ok && saysNothing(f)
	}
	return v == nil || ok
}

// saysRescued spells what a row of the rescue column says, but for where it is from.
func saysRescued(rescued bool, v any) string {
	text, ok := v.(string)
	if !rescued || !ok {
		return says(v)
	}
	r, err := rescue.ParseRow([]byte(text))
	if err != nil {
		return text
	}
	var out []string
	for _, m := range r.Members {
		if why, whole := m.Whole(); whole && why == contract.WhyPartition {
			continue // which may say what the folder says: then it is one value
		}
		d := json.NewDecoder(bytes.NewReader(m.Value))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			return text
		}
		if s := saysJSON(v); s != "" {
			// the number of a folder depends on what columns its file has
			name, _, _ := strings.Cut(string(m.Key), "#")
			out = append(out, name+":"+s)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

// saysJSON is says for JSON.
func saysJSON(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case map[string]any:
		var out []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if s := saysJSON(v[k]); s != "" {
				out = append(out, k+":"+s)
			}
		}
		return strings.Join(out, ",")
	case []any:
		out := "["
		for _, e := range v {
			out += saysJSON(e) + ","
		}
		return out + "]"
	}
	return fmt.Sprintf("%T %v", v, v)
}

// Whatever is done to a copy is found, and told by file, column and row.
func TestDamageIsFound(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(damages)) {
		t.Run(name, func(t *testing.T) {
			found := 0
			rapid.Check(t, func(t *rapid.T) {
				w := drawWorld(t)
				h := damages[name](t, w)
				if !h.done {
					return
				}
				found++
				for i := range w.copies {
					w.write(t, i)
				}
				r := run(t, w.proof)
				named := func(d reconcile.Difference) bool {
					p, err := schema.ParsePath(d.Column)
					return (h.file == "" || d.File == h.file) && (h.column == "" || err == nil && len(p) > 0 && p[0] == h.column) &&
						(h.row == 0 || d.Row == int64(h.row))
				}
				if r.Reconciled || !slices.ContainsFunc(r.Differences, named) {
					t.Fatalf("%s\nwant %+v, found %+v", w, h, r.Differences)
				}
			})
			if found == 0 {
				t.Error("nothing was damaged")
			}
		})
	}
}
