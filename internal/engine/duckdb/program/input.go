package program

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// pathColumn is the path of a row's file as DuckDB tells it.
const pathColumn = "_landfall_path"

// source reads an input: a SELECT for each group of files, all with the columns
// of the step.
func (p *program) source(step *plan.Step, op plan.Source) (string, error) {
	if len(op.Parse) > 0 {
		return p.parsed(step, op)
	}
	in, ok := p.inputs[step.Name]
	if !ok {
		return "", fmt.Errorf("lower plan: no input for the source %q", step.Name)
	}
	var parts []string
	if in.Table != nil {
		parts = []string{p.fromTable(step, op, in)}
	}
	for _, g := range in.Groups {
		if in.Table != nil || len(g.Files) == 0 {
			continue
		}
		texts, err := p.fromGroup(step, op, in, g)
		if err != nil {
			return "", err
		}
		parts = append(parts, texts...)
	}
	if len(parts) == 0 {
		parts = []string{p.nothing(step)}
	}
	text := strings.Join(parts, "\nUNION ALL\n")
	if op.Limit > 0 {
		text += "\nLIMIT " + strconv.FormatInt(op.Limit, 10)
	}
	return text, nil
}

// parsed is a source some of whose columns are read as text, and made values of by a
// format.
func (p *program) parsed(step *plan.Step, op plan.Source) (string, error) {
	by := map[string]plan.Expr{}
	for _, one := range op.Parse {
		by[one.Column] = one.By
	}
	raw := *step
	raw.Columns = slices.Clone(step.Columns)
	list := make([]string, len(step.Columns))
	for i, c := range step.Columns {
		list[i] = p.columns[c.ID]
		if e := by[c.Name]; e != nil {
			raw.Columns[i].Type = schema.String
			text, err := p.scope(nil).typed(e)
			if err != nil {
				return "", err
			}
			list[i] = text + " AS " + list[i]
		}
	}
	op.Parse = nil
	text, err := p.source(&raw, op)
	return selection(list) + "\nFROM (\n" + indent(text) + "\n)", err
}

// nothing is a source without files.
func (p *program) nothing(step *plan.Step) string {
	var list []string
	for _, c := range step.Columns {
		list = append(list, "CAST(NULL AS "+innerSQL(c.Type)+") AS "+p.columns[c.ID])
	}
	return selection(list) + "\nWHERE false"
}

// fromTable reads a table, whose view has its types already.
func (p *program) fromTable(step *plan.Step, op plan.Source, in engine.Input) string {
	var list []string
	for _, c := range step.Columns {
		text := "CAST(NULL AS " + innerSQL(c.Type) + ")"
		name := c.Name
		if op.PathColumn != "" && name == op.PathColumn {
			name = in.PathField
		}
		if at := fieldAt(in.Table.Schema.Fields, name); at >= 0 {
			f := in.Table.Schema.Fields[at]
			text = dialect.Name(f.Name)
			if zoned(f.Type) {
				text = wall(text, f.Type)
			}
			text = convertSQL(text, f.Type, c.Type, 0)
			if c.Name == op.PathColumn && name == in.PathField {
				text = "url_decode(replace(" + text + ", " + dialect.Text(in.PathRoot) + ", ''))"
			}
		}
		list = append(list, as(text, p.columns[c.ID]))
	}
	return selection(list) + "\nFROM " + p.at.Tables[step.Name]
}

// fieldAt finds a field by name: one spelt so, else one that differs in casing.
func fieldAt(fields []schema.Field, name string) int {
	at := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Name == name })
	if at >= 0 {
		return at
	}
	return slices.IndexFunc(fields, func(f schema.Field) bool { return schema.Fold(f.Name) == schema.Fold(name) })
}

// fromGroup reads a group of files: in one SELECT, or in one for each set of
// partition values.
func (p *program) fromGroup(step *plan.Step, op plan.Source, in engine.Input, g engine.Group) ([]string, error) {
	seen := map[string]string{}
	for _, f := range g.Columns {
		if other, ok := seen[schema.Fold(f.Name)]; ok {
			return nil, diag.New(diag.FileUnreadable, "found the columns %s and %s, want names that differ in more than casing", other, f.Name).
				In(diag.Place{File: g.Files[0].Key}).Hinted("rename one of them where the file is made")
		}
		seen[schema.Fold(f.Name)] = f.Name
	}
	var parts []string
	for _, run := range runs(g.Files) {
		list := make([]string, len(step.Columns))
		for i, c := range step.Columns {
			list[i] = as(p.fileColumn(c, op, in, g, run), p.columns[c.ID])
		}
		parts = append(parts, selection(list)+"\nFROM "+p.reader(in, g, run, op.PathColumn != ""))
	}
	return parts, nil
}

// runs cuts files where partition values change.
func runs(files []engine.InputFile) [][]engine.InputFile {
	var out [][]engine.InputFile
	for i, f := range files {
		if i == 0 || partitionOf(f) != partitionOf(files[i-1]) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], f)
	}
	return out
}

func partitionOf(f engine.InputFile) string {
	var names []string
	for name, v := range f.Partition {
		text := "-"
		if v != nil {
			text = strconv.Quote(*v)
		}
		names = append(names, strconv.Quote(name)+"="+text)
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// fileColumn is a column of a source as files of a group have it.
func (p *program) fileColumn(c plan.Column, op plan.Source, in engine.Input, g engine.Group, run []engine.InputFile) string {
	if c.Name == op.PathColumn {
		return shownPaths(p.at.Files[in.Source], run)
	}
	if at := fieldAt(g.Columns, c.Name); at >= 0 {
		f := g.Columns[at]
		if g.Format == engine.Delimited {
			return convertSQL("c"+strconv.Itoa(at+1), schema.String, c.Type, 0)
		}
		text := dialect.Name(f.Name)
		if g.Format == engine.Parquet || zoned(f.Type) { // of JSON, the reader makes the types that it is told
			text = wall(text, f.Type)
		}
		return convertSQL(text, f.Type, c.Type, 0)
	}
	for name, v := range run[0].Partition {
		if schema.Fold(name) == schema.Fold(c.Name) && v != nil {
			return convertSQL(dialect.Text(*v), schema.String, c.Type, 0)
		}
	}
	return "CAST(NULL AS " + innerSQL(c.Type) + ")"
}

// shownPaths is the path of a row's file as the caller wants it shown.
func shownPaths(paths map[string]string, run []engine.InputFile) string {
	if len(run) == 1 {
		return dialect.Text(run[0].Shown)
	}
	same := true
	keys, values := make([]string, len(run)), make([]string, len(run))
	for i, f := range run {
		keys[i], values[i] = paths[f.Key], f.Shown
		same = same && keys[i] == values[i]
	}
	if same {
		return pathColumn
	}
	return "map(" + dialect.List(keys) + ", " + dialect.List(values) + ")[" + pathColumn + "]"
}

// reader is the table function that reads files of a group.
func (p *program) reader(in engine.Input, g engine.Group, run []engine.InputFile, path bool) string {
	files := make([]string, len(run))
	for i, f := range run {
		files[i] = p.at.Files[in.Source][f.Key]
	}
	var name string
	var options []string
	switch g.Format {
	case engine.Delimited:
		name, options = "read_csv", textOptions(g)
	case engine.JSON:
		name, options = "read_json", documentOptions(g)
	default:
		name, options = "read_parquet", []string{"union_by_name = false"}
	}
	options = append(options, "hive_partitioning = false")
	if path && len(run) > 1 {
		options = append(options, "filename = "+dialect.Quote(pathColumn))
	}
	if len(files) == 1 {
		return name + "(" + dialect.Quote(files[0]) + ", " + strings.Join(options, ", ") + ")"
	}
	return name + "(" + dialect.List(files) + ", " + strings.Join(options, ", ") + ")"
}

// textOptions reads every value of delimited text as a string.
func textOptions(g engine.Group) []string {
	columns := make([]string, len(g.Columns))
	for i := range columns {
		columns[i] = fmt.Sprintf("'c%d': 'VARCHAR'", i+1)
	}
	delimiter := g.Text.Delimiter
	if delimiter == "" {
		delimiter = ","
	}
	options := []string{
		"auto_detect = false", "columns = {" + strings.Join(columns, ", ") + "}",
		"header = " + strconv.FormatBool(g.Text.Header), "delim = " + dialect.Quote(delimiter),
		"quote = " + dialect.Quote(g.Text.Quote), "escape = " + dialect.Quote(g.Text.Escape), "nullstr = " + dialect.Quote(g.Text.Null),
		"null_padding = true", "allow_quoted_nulls = false",
	}
	if g.Text.Skip > 0 {
		options = append(options, "skip = "+strconv.Itoa(g.Text.Skip))
	}
	if g.Text.Encoding != "" {
		options = append(options, "encoding = "+dialect.Quote(g.Text.Encoding))
	}
	return options
}

// documentOptions reads JSON with the types that the caller found in it.
func documentOptions(g engine.Group) []string {
	columns := make([]string, len(g.Columns))
	for i, f := range g.Columns {
		columns[i] = dialect.Quote(f.Name) + ": " + dialect.Quote(outerSQL(f.Type))
	}
	form := map[engine.Documents]string{
		engine.Lines: "newline_delimited", engine.Array: "array", engine.Single: "unstructured",
	}[g.Documents]
	options := []string{"auto_detect = false", "format = " + dialect.Quote(form), "columns = {" + strings.Join(columns, ", ") + "}"}
	if g.Longest > 0 {
		options = append(options, "maximum_object_size = "+strconv.FormatInt(g.Longest, 10))
	}
	return options
}
