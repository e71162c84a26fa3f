package repair

import (
	"strconv"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/recode"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// misfits are the folders whose value is none of the type that a schema gives their
// column: the copy has the folders under the same names.
func (l *look) misfits(key string, w Want) (problems diag.List) {
	node := w.Hints.For(key)
	if node == nil || node.Type == nil {
		return nil
	}
	for _, f := range l.values[schema.Fold(key)] {
		if f.Null() || canonical(f.Value, node.Type) {
			continue
		}
		d := diag.New(diag.Usage, "the folder %s is no %s as it is written", diag.Quote(f.Key+"="+f.Value), node.Type).
			In(diag.Place{File: l.url + "/" + f.file}).
			Hinted("declare the column: --schema \"… %s string …\"", node.Name)
		d.Path = key
		problems.Add(d)
	}
	return problems
}

// canonical tells whether a text is how a value of a type is written in the name of a
// folder, so that it is one value to all readers.
func canonical(text string, t schema.Type) bool {
	var forms value.Forms
	switch t {
	case schema.Type(schema.String):
		return true
	case schema.Type(schema.Byte), schema.Type(schema.Short), schema.Type(schema.Integer), schema.Type(schema.Long):
		bits := map[schema.Type]int{schema.Byte: 8, schema.Short: 16, schema.Integer: 32, schema.Long: 64}[t]
		n, err := strconv.ParseInt(text, 10, bits)
		return err == nil && strconv.FormatInt(n, 10) == text
	case schema.Type(schema.Date):
		day, ok := forms.Day([]byte(text))
		if !ok {
			return false
		}
		written, ok := recode.AppendText(nil, t, &column.Leaf{Ints: []int64{day}}, 0)
		return ok && string(written) == text
	}
	return false
}
