package dataset

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/resource"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

// described is the dataset of a stream.
type described struct {
	service string
	// options are its properties under the names that a script has for them.
	options    map[string]syntax.Expr
	projection []schema.Field
}

// formats are the types of datasets of files.
func formats() map[string]string {
	return map[string]string{"Parquet": "parquet", "DelimitedText": "delimited", "Json": "json", "Avro": "avro", "Orc": "orc", "Xml": "xml", "Excel": "excel"}
}

// describe reads the dataset of the stream, if a resource names one.
func (r *reader) describe() {
	r.set.options = map[string]syntax.Expr{}
	for _, n := range slices.Concat(r.flow.Sources, r.flow.Sinks) {
		if n.Name == r.st.Output.Text {
			r.set.service = n.LinkedService
		}
	}
	d, ok := r.flow.Dataset(r.st.Output.Text)
	if !ok {
		return
	}
	r.set.service = d.LinkedService
	word, known := formats()[d.Type]
	if !known {
		r.add(diag.FlowRefused, r.st.Output.At, "read and write files: Parquet, delimited text, JSON", "found a dataset of type %s, which does not run here", diag.Quote(d.Type))
		return
	}
	r.set.options["format"] = quote(word)
	var properties map[string]json.RawMessage
	if err := json.Unmarshal(d.Properties, &properties); len(d.Properties) > 0 && err != nil {
		r.add(diag.FlowResource, r.st.Output.At, "export the factory again", "the properties of dataset %s cannot be read", diag.Quote(d.Name))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		r.property(d.Name, name, properties[name])
	}
	r.project(d.Schema)
}

// property takes over a property of a dataset.
func (r *reader) property(dataset, name string, raw json.RawMessage) {
	if name == "location" {
		var parts map[string]json.RawMessage
		if err := json.Unmarshal(raw, &parts); err == nil {
			for _, part := range slices.Sorted(maps.Keys(parts)) {
				if part != "type" {
					r.property(dataset, part, parts[part])
				}
			}
		}
		return
	}
	if renamed, ok := map[string]string{"firstRowAsHeader": "columnNamesAsHeader", "encodingName": "encoding", "compressionCodec": "compressionType"}[name]; ok {
		name = renamed
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return // json.Unmarshal of the whole has read it
	}
	switch v := v.(type) {
	case string:
		r.set.options[name] = quote(v)
	case bool:
		r.set.options[name] = word(map[bool]string{true: "true", false: "false"}[v])
	case map[string]any:
		if text, ok := v["value"].(string); ok {
			r.add(diag.FlowRefused, r.st.Output.At, "put the value into the script, or give the path: --source NAME=PATH, --sink NAME=PATH",
				"dataset %s: %s is computed by the pipeline: %s", diag.Quote(dataset), name, diag.Quote(text))
		}
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
		r.set.projection = append(r.set.projection, schema.Field{Name: c.Name, Type: stored(c.Type), Nullable: true})
	}
}

// stored is the type of a column of a dataset by the word of its store; text where the
// word says nothing.
func stored(word string) schema.Type {
	switch strings.ToUpper(word) {
	case "BOOLEAN":
		return schema.Boolean
	case "INT32", "INTEGER":
		return schema.Integer
	case "INT64", "LONG":
		return schema.Long
	case "FLOAT":
		return schema.Float
	case "DOUBLE":
		return schema.Double
	case "INT96", "TIMESTAMP_MILLIS", "TIMESTAMP_MICROS":
		return schema.Timestamp
	case "DATE":
		return schema.Date
	case "BINARY", "BYTE_ARRAY":
		return schema.Binary
	}
	return schema.String
}
