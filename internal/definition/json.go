package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// most bounds the nesting of JSON, so that no input can exhaust the stack.
const most = 200

// value is a value of JSON, at bytes of the text.
type value struct {
	start, end int
	// kind is { or [, s of a text, 0 of a number, t, f or n of true, false and null;
	// none of a value that is not there.
	kind byte
	// text is that of a text.
	text string
	// keys are those of an object, parallel to its members.
	keys []string
	list []value
}

// member returns a member of an object, without a kind if there is none.
func (v value) member(key string) value {
	for i, k := range v.keys {
		if k == key {
			return v.list[i]
		}
	}
	return value{start: v.start}
}

// values reads all documents of a text.
func values(text []byte) ([]value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out []value
	for {
		v, err := next(d, text, 0)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		var m *mistake
		switch {
		case errors.As(err, &m):
			return nil, err
		case err != nil:
			return nil, wrong(start(d, text), "no JSON: %v", err)
		}
		out = append(out, v)
	}
}

// start is where what a decoder reads next begins.
func start(d *json.Decoder, text []byte) int {
	at := int(d.InputOffset())
	for at < len(text) && bytes.IndexByte([]byte(" \t\r\n,:"), text[at]) >= 0 {
		at++
	}
	return at
}

// next reads a value.
func next(d *json.Decoder, text []byte, depth int) (value, error) {
	v := value{start: start(d, text), kind: 'n'}
	if depth > most {
		return v, wrong(v.start, "no definition: nested too deep")
	}
	token, err := d.Token()
	if err != nil {
		return v, err
	}
	switch token := token.(type) {
	case string:
		v.kind, v.text = 's', token
	case bool:
		v.kind = map[bool]byte{true: 't', false: 'f'}[token]
	case json.Number:
		v.kind = '0'
	case json.Delim:
		v.kind = byte(token)
		if err := v.inside(d, text, depth); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return v, err
		}
	}
	v.end = int(d.InputOffset())
	return v, nil
}

// inside reads what an object or array has.
func (v *value) inside(d *json.Decoder, text []byte, depth int) error {
	for d.More() {
		if v.kind == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			v.keys = append(v.keys, name)
		}
		inner, err := next(d, text, depth+1)
		if err != nil {
			return err
		}
		v.list = append(v.list, inner)
	}
	_, err := d.Token()
	return err
}

// parseJSON tells the forms of JSON apart.
func parseJSON(text []byte) (Table, error) {
	all, err := values(text)
	if err != nil {
		return Table{}, err
	}
	if len(all) == 1 && all[0].kind == '[' {
		all = all[0].list
	}
	if len(all) == 1 {
		if list := all[0].member("TableList"); list.kind == '[' {
			all = list.list
		}
	}
	if len(all) != 1 {
		m := wrong(0, "found %d tables, want one", len(all))
		m.hint = "leave one table in the text"
		return Table{}, m
	}
	return tableOf(all[0], text)
}

func tableOf(v value, text []byte) (Table, error) {
	for _, wrapper := range []string{"Table", "TableMetadata"} {
		if inner := v.member(wrapper); inner.kind == '{' {
			v = inner
		}
	}
	columns := v.member("Columns")
	if d := v.member("StorageDescriptor"); d.kind == '{' {
		columns = d.member("Columns")
	}
	switch {
	case v.member("fields").kind == '[':
		return sparkJSON(v.member("fields"), text)
	case columns.kind == '[':
		return glue(columns, v.member("PartitionKeys"))
	case v.member("columns").kind == '[':
		return catalogued(v.member("columns"))
	}
	m := wrong(v.start, "found JSON that is no table definition: it has no fields, columns or StorageDescriptor")
	if v.member("version").kind != 0 && v.member("cause").kind != 0 {
		m.hint = "give the columns of a version of the contract: landfall schema show SOURCE --json"
	}
	return Table{}, m
}

// sparkJSON reads the fields of a StructType as Spark writes it.
func sparkJSON(fields value, text []byte) (Table, error) {
	t := Table{Form: SparkJSON}
	for _, f := range fields.list {
		s, err := schema.ParseJSON([]byte(`{"type":"struct","fields":[` + string(text[f.start:f.end]) + `]}`))
		var d *diag.Diagnostic
		switch {
		case errors.As(err, &d):
			return t, wrong(f.start, "%s: %s", d.Path, d.Message)
		case err != nil:
			return t, wrong(f.start, "%v", err)
		case s.Fields[0].Name == "":
			return t, wrong(f.start, "found a field without a name")
		}
		field := s.Fields[0]
		t.Columns = append(t.Columns, schema.Declared{Path: schema.Path{field.Name}, Type: field.Type, NotNull: !field.Nullable, At: f.start})
	}
	return t, nil
}

// glue reads columns as the API of Glue and Athena has them.
func glue(columns, keys value) (Table, error) {
	t := Table{Form: Glue}
	var err error
	if t.Columns, err = typed(columns, "Name", "Type"); err != nil {
		return t, err
	}
	t.Partitions, err = typed(keys, "Name", "Type")
	return t, err
}

// typed reads columns whose names and types stand under keys.
func typed(list value, name, typ string) ([]schema.Declared, error) {
	var out []schema.Declared
	for _, v := range list.list {
		c, err := column(v, v.member(name), v.member(typ))
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// column reads a column of its name and its type in DDL.
func column(v, name, typ value) (schema.Declared, error) {
	if name.kind != 's' || name.text == "" {
		return schema.Declared{}, wrong(v.start, "found a column without a name")
	}
	if typ.kind != 's' {
		return schema.Declared{}, wrong(v.start, "found column %q without a type", name.text)
	}
	t, err := typeOf(typ.text, typ.start+1)
	return schema.Declared{Path: schema.Path{name.text}, Type: t, At: v.start}, err
}

// catalogued reads the columns of a table of Unity Catalog or of a contract, under
// the names that files have. Columns that a contract has retired are none.
func catalogued(list value) (Table, error) {
	t := Table{Form: Contract}
	met := map[string]bool{}
	for _, v := range list.list {
		name, typ := v.member("name"), v.member("type")
		if text := v.member("type_text"); text.kind == 's' {
			t.Form, typ = UnityCatalog, text
		}
		if original := v.member("original"); original.text != "" && !met[schema.Fold(original.text)] {
			name = original // of equal names of one header the first has it
		}
		met[schema.Fold(name.text)] = true
		if v.member("retired").kind == 't' {
			continue
		}
		c, err := column(v, name, typ)
		if err != nil {
			return t, err
		}
		c.NotNull = v.member("nullable").kind == 'f'
		if v.member("partition_index").kind == '0' || v.member("partition").kind == 't' {
			t.Partitions = append(t.Partitions, c)
			continue
		}
		t.Columns = append(t.Columns, c)
	}
	return t, nil
}
