package pipeline

import (
	"errors"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/translate"
	"landfall/internal/sqlpipe"
)

// catalog tells a translation what there is.
type catalog struct {
	*runner
	in *inputs
	// probes asks views for the casts that lost values, as their reader does.
	options translate.Options
}

// Table implements translate.Catalog.
func (c catalog) Table(t *sparksql.Table, name []string) (*translate.Source, *diag.Diagnostic) {
	if len(name) > 1 && strings.EqualFold(name[0], "live") {
		name = name[1:]
	}
	s := sqlpipe.Source{Name: name, Stream: t.Stream, At: t.Range}
	if d := c.Pipeline.Find(s.Last()); d != nil && d.Kind == sqlpipe.View {
		return c.view(d)
	}
	label := c.label(s)
	i := c.in.byName[inputKey(label, t.Stream)]
	if i == nil {
		return nil, diag.New(diag.SQLRefused, "table %s: a file is not read as a table", strings.Join(name, ".")).
			Hinted("land it as a source of landfall.yaml, and read that source by its name")
	}
	return i.source(c.in), nil
}

// Call implements translate.Catalog.
func (c catalog) Call(call *sparksql.TableCall, _ []translate.Constant) (*translate.Source, *diag.Diagnostic) {
	if i := c.in.byCall[call]; i != nil {
		return i.source(c.in), nil
	}
	name := strings.ToLower(call.Name.Name)
	switch name {
	case "read_kafka", "read_kinesis", "read_pubsub", "read_pulsar":
		return nil, diag.New(diag.SQLRefused, "%s() is not understood: it reads messages, and files are landed here", name).
			Hinted("let the messages be written to files, and land these")
	}
	return nil, diag.New(diag.SQLRefused, "%s() is not understood as a table", name).Hinted("read a table by its name")
}

// view is a view's query in the place of its name.
func (c catalog) view(d *sqlpipe.Dataset) (*translate.Source, *diag.Diagnostic) {
	f := d.Flows[0]
	q, err := translate.Query(f.File, f.Query, c, c.options)
	if err != nil {
		var one *diag.Diagnostic
		if errors.As(err, &one) {
			return nil, one
		}
		return nil, diag.New(diag.SQLRefused, "view %s: %v", d.Name, err)
	}
	s := &translate.Source{SQL: q.SQL, Stream: q.Stream, Stateful: q.Stateful, Hidden: q.Hidden}
	for _, col := range q.Columns {
		s.Columns = append(s.Columns, schema.Field{Name: col.Name, Type: col.Type, Nullable: true})
		s.Origins = append(s.Origins, col.Origins)
	}
	return s, nil
}

// source is a table as a query reads it. Rows of a stream say where they come from, and
// those of read_files(…) in which file they were.
func (i *input) source(in *inputs) *translate.Source {
	s := &translate.Source{Table: i.name, Stream: i.stream}
	origin, rescued := "CAST(NULL AS VARCHAR)", "CAST(NULL AS VARCHAR)"
	var texts []string
	for _, f := range i.snap.Schema.Fields {
		switch {
		case f.Name == "_source_file" && f.Type == schema.String:
			origin = quote(f.Name)
		case f.Name == "_rescued_data" && f.Type == schema.String:
			rescued = quote(f.Name)
		}
		if i.landed && (f.Name == "_source_file" || f.Name == "_ingested_at") {
			continue
		}
		texts = append(texts, quote(f.Name))
		s.Columns = append(s.Columns, f)
	}
	if i.landed {
		texts = append(texts, "{'file_path': "+origin+", 'file_name': parse_filename("+origin+")} AS _metadata")
		s.Beside = []schema.Field{{Name: "_metadata", Type: schema.Struct{Fields: []schema.Field{
			{Name: "file_path", Type: schema.String, Nullable: true}, {Name: "file_name", Type: schema.String, Nullable: true},
		}}}}
	}
	if i.stream {
		texts = append(texts, itoa(slices.Index(in.list, i))+" AS "+sourceColumn, quote(engine.FileNumber)+" AS "+engine.FileNumber,
			quote(engine.RowNumber)+" AS "+engine.RowNumber, origin+" AS "+originColumn, rescued+" AS "+rescuedColumn)
		s.Hidden = []schema.Field{
			{Name: sourceColumn, Type: schema.Integer},
			{Name: engine.FileNumber, Type: schema.Long},
			{Name: engine.RowNumber, Type: schema.Long},
			{Name: originColumn, Type: schema.String},
			{Name: rescuedColumn, Type: schema.String},
		}
	}
	s.SQL = "(SELECT " + strings.Join(texts, ", ") + " FROM " + quote(i.view) + ")"
	return s
}
