package conform_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// search looks for the cells of one record in a row and its rescue JSON.
type search struct {
	*rapid.T
	policy contract.Policy
	record string
	counts conform.Counts
	// taken are the keys of the rescue JSON that folders have.
	taken []string
}

func (s *search) failf(format string, args ...any) {
	s.Fatalf("%s: %s", s.record, fmt.Sprintf(format, args...))
}

// open reads the rescue JSON of a row; its own keys are checked and removed.
func (s *search) open(table schema.Struct, cells []any, record int) (rescued jsonObject, why jsonObject) {
	at := table.Lookup(s.policy.RescueColumn())
	if at < 0 || cells[at] == nil {
		return nil, nil
	}
	all := parse(s.T, cells[at].(string)).(jsonObject)
	names := map[string]bool{}
	for _, m := range all {
		if names[m.name] {
			s.failf("%s holds %q twice", cells[at], m.name)
		}
		names[m.name] = true
	}
	number, _ := all.member("_record")
	reasons, _ := all.member("_why")
	if fmt.Sprint(number) != fmt.Sprint(record) || reasons == nil {
		s.failf("no record or reasons: %s", cells[at])
	}
	why = reasons.(jsonObject)
	rescued = all.without("_file_path", "_record", "_why")
	for i, m := range why {
		if slices.ContainsFunc(why[:i], func(o member) bool { return o.name == m.name }) {
			s.failf("a reason twice: %s", cells[at])
		}
		path, err := schema.ParsePath(m.name)
		if _, ok := rescued.member(m.name); err != nil && !ok {
			s.failf("%s: %v", m.name, err)
		}
		if len(path) > 0 && rescued.without(path[0]) != nil && len(rescued.without(path[0])) == len(rescued) && m.name != "" {
			s.failf("%s is no path of %s", m.name, cells[at])
		}
	}
	return rescued, why
}

// folders takes from the rescued values those of the path.
func (s *search) folders(table schema.Struct, cells []any, path string, rescued, _ jsonObject) {
	_, folders := contract.Folders(path)
	for i, f := range folders {
		outer := slices.ContainsFunc(folders[i+1:], func(o contract.Folder) bool { return o.Key == f.Key })
		if at := s.find(table.Fields[:len(table.Fields)-2], f.Key, false); !outer && at >= 0 && sameAs(cells[at], f.Value) {
			continue
		}
		at := slices.IndexFunc(rescued, func(m member) bool {
			return strings.HasPrefix(m.name, f.Key+"#") && m.value == any(f.Value) && !slices.Contains(s.taken, m.name)
		})
		if v, ok := rescued.member(f.Key); at < 0 && ok && v == any(f.Value) && !slices.Contains(s.taken, f.Key) {
			at = slices.IndexFunc(rescued, func(m member) bool { return m.name == f.Key })
		}
		if at >= 0 {
			s.taken = append(s.taken, rescued[at].name)
			s.counts.Rescued++
		} else {
			s.ignore(1, "folder "+f.Key)
		}
	}
}

// ignore counts cells that are nowhere, if that may be.
func (s *search) ignore(n int64, what string) {
	p := s.policy
	if p.Preset != contract.NoEvolution && p.Kinds[event.ColumnAdded] != "ignore" && p.Kinds[event.ValueMisfit] != "null" {
		s.failf("%s is nowhere", what)
	}
	s.counts.Ignored += n
}

func (s *search) find(all []schema.Field, name string, exact bool) int {
	return slices.IndexFunc(all, func(f schema.Field) bool {
		return f.Name == name || !exact && schema.Fold(f.Name) == schema.Fold(name)
	})
}

// root looks for the cells of a record.
func (s *search) root(table schema.Struct, cells []any, v any, rescued jsonObject, path string) {
	o, isObject := v.(jsonObject)
	if !isObject {
		if r, ok := rescued.member("_value"); ok && text(r) == text(v) {
			s.counts.Rescued += size(v)
		} else {
			s.ignore(size(v), "the record")
		}
		return
	}
	named := jsonObject{}
	for _, m := range rescued { // our own names undone
		named = append(named, member{strings.TrimPrefix(m.name, "_field:"), m.value})
	}
	var known []schema.Field
	var values []any
	_, folders := contract.Folders(path)
	for i, f := range table.Fields {
		switch {
		case f.Name == s.policy.RescueColumn(), f.Name == contract.SourceFile, f.Name == contract.IngestedAt:
			continue
		case slices.ContainsFunc(folders, func(o contract.Folder) bool { return schema.Fold(o.Key) == schema.Fold(f.Name) }):
			f.Metadata = map[string]json.RawMessage{"folder": nil}
		}
		known, values = append(known, f), append(values, cells[i])
	}
	s.object(known, values, o, named, s.policy.CaseSensitive)
}

// object looks for the members of an object.
func (s *search) object(known []schema.Field, values []any, o, rescued jsonObject, exact bool) {
	if len(o) == 0 {
		s.counts.Typed++
	}
	winners := map[int]string{} // field → spelling
	for _, m := range o {
		at := s.find(known, m.name, exact)
		if _, won := winners[at]; at >= 0 && (!won || known[at].Name == m.name) {
			winners[at] = m.name
		}
	}
	done := map[string]bool{}
	for _, m := range o {
		if done[m.name] {
			continue
		}
		done[m.name] = true
		var all list
		for _, n := range o {
			if n.name == m.name {
				all = append(all, n.value)
			}
		}
		r, isRescued := rescued.member(m.name)
		rescued = rescued.without(m.name)
		if at := s.find(known, m.name, exact); at >= 0 && winners[at] == m.name {
			s.several(all, r, isRescued, func(v, r any, isRescued bool) { s.value(known[at], values[at], v, r, isRescued) })
		} else {
			s.several(all, r, isRescued, s.nowhere)
		}
	}
	for i, f := range known {
		if _, won := winners[i]; !won && values[i] != nil && f.Metadata == nil {
			s.failf("%s is %s, but no member is", f.Name, show(values[i]))
		}
	}
	if len(rescued) > 0 {
		s.failf("rescued, but not in the input: %s", text(rescued))
	}
}

// several deals with a name that comes more than once: the last is the value,
// the others were rescued, and with them the last if any of it was.
func (s *search) several(all list, r any, isRescued bool, last func(v, r any, isRescued bool)) {
	value := all[len(all)-1]
	var early list
	for _, v := range all[:len(all)-1] {
		if v == nil {
			s.counts.Null++
		} else {
			early = append(early, v)
		}
	}
	switch {
	case len(early) == 0:
		last(value, r, isRescued)
	case isRescued && text(r) == text(append(slices.Clone(early), value)):
		s.counts.Rescued += size(early)
		last(value, value, true)
	case isRescued && (len(early) == 1 && text(r) == text(early[0]) || text(r) == text(early)):
		s.counts.Rescued += size(early)
		last(value, nil, false)
	default:
		s.ignoreDuplicates(size(early))
		last(value, r, isRescued)
	}
}

func (s *search) ignoreDuplicates(n int64) {
	if s.policy.Preset != contract.NoEvolution {
		s.failf("a value that came twice is nowhere")
	}
	s.counts.Ignored += n
}

// nowhere looks for a value that no field takes.
func (s *search) nowhere(v, r any, isRescued bool) {
	switch {
	case v == nil:
		s.counts.Null++
	case isRescued && text(v) == text(r):
		s.counts.Rescued += size(v)
	default:
		s.ignore(size(v), text(v))
	}
}

// value looks for a value in its cell and in what was rescued under its name.
func (s *search) value(f schema.Field, cell, v, r any, isRescued bool) {
	switch {
	case f.Metadata != nil: // a folder's
		_, isText := v.(string)
		odd := f.Type == schema.Binary && !isText || s.policy.Preset != "" && isText && number(cell) != nil
		if v != nil && !isRescued && sameAs(cell, v) && !odd {
			s.counts.Typed += size(v)
			return
		}
		s.nowhere(v, r, isRescued)
	case cell == nil:
		s.nowhere(v, r, isRescued)
	case v == nil:
		s.failf("%s is %s, want null", f.Name, show(cell))
	default:
		s.typed(f.Type, cell, v, r, isRescued)
	}
}

func (s *search) typed(t schema.Type, cell, v, r any, isRescued bool) {
	some, _ := r.(jsonObject)
	o, _ := v.(jsonObject)
	switch t := t.(type) {
	case schema.Struct:
		var values []any
		for _, x := range cell.(fields) {
			values = append(values, x.value)
		}
		s.object(t.Fields, values, o, some, s.policy.CaseSensitive)
		return
	case schema.Map:
		if odd, ok := v.(list); ok {
			s.oddMap(t, cell.(entries), odd, isRescued)
			return
		}
		var known []schema.Field
		var values []any
		for _, e := range cell.(entries) {
			known, values = append(known, schema.Field{Name: e.name, Type: t.Value}), append(values, e.value)
		}
		s.object(known, values, o, some, true)
		return
	case schema.Array:
		in, out := v.(list), cell.(list)
		if len(in) == 0 {
			s.counts.Typed++
		}
		if len(in) != len(out) {
			s.failf("%s became %s", text(v), show(cell))
		}
		parts, _ := r.(list)
		for i := range in {
			var part any
			if i < len(parts) {
				part = parts[i]
			}
			s.value(schema.Field{Type: t.Element}, out[i], in[i], part, part != nil)
		}
		return
	}
	if isRescued || !sameAs(cell, v) {
		s.failf("%s became %s, rescued %v", text(v), show(cell), isRescued)
	}
	s.counts.Typed += size(v)
}

// sameAs reports whether a cell says what a value of JSON, or a text, says.
func sameAs(cell, v any) bool {
	if cell == nil || v == nil {
		return cell == nil && v == nil
	}
	if o, ok := v.(jsonObject); ok && len(o) == 1 && o[0].name == "$base64" {
		raw, err := base64.StdEncoding.DecodeString(o[0].value.(string))
		return err == nil && show(cell) == string(raw)
	}
	if s, ok := v.(string); ok && show(cell) == s {
		return true
	}
	if f, ok := cell.(float32); ok && number(v) != nil && number(v).Cmp(new(big.Rat).SetFloat64(float64(f))) == 0 {
		return true // the very value, where its shortest digits are others
	}
	if n := number(v); n != nil && number(cell) != nil {
		return n.Cmp(number(cell)) == 0
	}
	if micros, ok := cell.(int64); ok {
		cell = time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.999999")
	}
	at := func(x any) string {
		s := strings.TrimSuffix(strings.Trim(fmt.Sprint(x), `"`), "Z")
		return strings.TrimSuffix(s, "T00:00:00")
	}
	return at(cell) == at(v) || show(cell) == text(v)
}

// oddMap looks for a map that no object can be: all of it lands, or none.
func (s *search) oddMap(t schema.Map, cell entries, v list, isRescued bool) {
	if len(cell) < len(v) && !isRescued { // entries whose keys do not fit are dropped
		s.ignore(1, text(v))
		return
	}
	if len(cell) != len(v) || isRescued {
		s.failf("%s became %s", text(v), show(cell))
	}
	for i, e := range v {
		key, _ := e.(jsonObject).member("key")
		below, _ := e.(jsonObject).member("value")
		if !sameAs(cell[i].name, key) {
			s.failf("%s became %s", text(v), show(cell))
		}
		s.value(schema.Field{Type: t.Value}, cell[i].value, below, nil, false)
	}
}
