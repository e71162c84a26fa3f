package dataset

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/resource"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

// described is the dataset of a stream.
type described struct {
	service string
	// missing is the dataset that the resource names and that is not there.
	missing string
	// at is where the dataset stands.
	at diag.Place
	// options are its properties under the names that a script has for them.
	options    map[string]syntax.Expr
	projection []schema.Field
}

// kinds are the types of datasets of files, as formats of a script.
func kinds() map[string]string {
	return map[string]string{"Parquet": "parquet", "DelimitedText": "delimited", "Json": "json", "Avro": "avro", "Orc": "orc", "Xml": "xml", "Excel": "excel"}
}

// describe reads the dataset of the stream, if a resource names one. It returns false for
// a stream that does not run, whatever else is said of it.
func (r *reader) describe() bool {
	var node resource.Node
	for _, n := range slices.Concat(r.flow.Sources, r.flow.Sinks) {
		if n.Name == r.st.Output.Text {
			node = n
		}
	}
	r.set.service = node.LinkedService
	if node.Flowlet != "" {
		r.add(diag.FlowRefused, r.st.Output.At, "put the transformations of the flowlet into the flow", "found flowlet %s, which does not run here", diag.Quote(node.Flowlet))
		return false
	}
	d, ok := r.flow.Dataset(r.st.Output.Text)
	if !ok {
		r.set.missing = node.Dataset
		return true
	}
	r.set.service, r.set.at = d.LinkedService, d.At
	word, known := kinds()[d.Type]
	if !known {
		r.add(diag.FlowRefused, r.st.Output.At, "read and write files: Parquet, delimited text, JSON", "found dataset %s of type %s, which does not run here", diag.Quote(d.Name), diag.Quote(d.Type))
		return false
	}
	r.set.options["format"] = quote(word)
	r.project(d.Schema)
	return r.properties(d, node)
}

// properties takes over those of a dataset. Those that the script states itself are not
// even looked at.
func (r *reader) properties(d resource.Dataset, n resource.Node) bool {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(d.Properties, &all); len(d.Properties) > 0 && err != nil {
		r.add(diag.FlowResource, r.st.Output.At, "export the factory again", "the properties of dataset %s cannot be read", diag.Quote(d.Name))
		return false
	}
	values := given(d, n)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != "location" {
			r.property(d, name, all[name], values)
			continue
		}
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(all[name], &parts); err != nil {
			r.add(diag.FlowResource, r.st.Output.At, "export the factory again", "the location of dataset %s cannot be read", diag.Quote(d.Name))
			return false
		}
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			if part != "type" {
				r.property(d, part, parts[part], values)
			}
		}
	}
	return true
}

// property takes over a property of a dataset under the name that a script has for it.
func (r *reader) property(d resource.Dataset, property string, raw json.RawMessage, given map[string]json.RawMessage) {
	name := property
	if renamed, ok := map[string]string{"firstRowAsHeader": "columnNamesAsHeader", "encodingName": "encoding", "compressionCodec": "compressionType"}[property]; ok {
		name = renamed
	}
	if r.stated(name) != nil {
		return
	}
	v, err := computed(raw, given)
	if err != nil {
		r.set.options[name] = quote("")
		r.told[name] = true
		r.tell(diag.FlowRefused, name, "put the value into the script, as in "+name+": 'value', or give the parameter one in the resource", "dataset %s: %s is computed, and not here: %v", diag.Quote(d.Name), property, err)
		return
	}
	switch v := v.(type) {
	case nil:
	case string:
		r.set.options[name] = quote(v)
	case bool:
		r.set.options[name] = word(strconv.FormatBool(v))
	case json.Number:
		r.set.options[name] = &syntax.Number{Text: v.String()}
	default:
		r.set.options[name] = &syntax.Array{} // nothing that a setting may be: who asks for it tells
	}
}

// quote and word are a text and a constant, as the script would have them.
func quote(text string) syntax.Expr {
	return &syntax.Text{Quote: '\'', Raw: strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text)}
}

func word(text string) syntax.Expr { return &syntax.Column{Name: syntax.Name{Text: text}} }

// project reads the columns that a dataset lists.
func (r *reader) project(columns []resource.Column) {
	for _, c := range columns {
		r.set.projection = append(r.set.projection, schema.Field{Name: c.Name, Type: stored(c), Nullable: true})
	}
}

// stored is the type of a column of a dataset by the word of its store; text, which
// holds all values, where the word says nothing.
func stored(c resource.Column) schema.Type {
	switch strings.ToUpper(c.Type) {
	case "BOOLEAN":
		return schema.Boolean
	case "INT_8":
		return schema.Byte
	case "INT_16", "UINT_8":
		return schema.Short
	case "INT32", "INT_32", "UINT_16", "INTEGER":
		return schema.Integer
	case "INT64", "INT_64", "UINT_32", "LONG":
		return schema.Long
	case "FLOAT":
		return schema.Float
	case "DOUBLE":
		return schema.Double
	case "DECIMAL":
		if c.Precision > 0 && c.Precision <= 38 && c.Scale >= 0 && c.Scale <= c.Precision {
			return schema.Decimal{Precision: c.Precision, Scale: c.Scale}
		}
	case "INT96", "TIMESTAMP_MILLIS", "TIMESTAMP_MICROS":
		return schema.Timestamp
	case "DATE":
		return schema.Date
	case "BINARY", "BYTE_ARRAY":
		return schema.Binary
	}
	return schema.String
}
