package dataset

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/expression"
	"landfall/internal/flow/resource"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

// Read returns what the sources and sinks of a flow are. Settings of the script win over
// those of a dataset. value works out settings that are expressions: it returns a
// string, bool, int64, float64, time.Time or []any. The error holds all problems.
func Read(f *resource.Flow, s *syntax.Script, value func(x syntax.Expr) (any, error)) (sources []Source, sinks []Sink, err error) {
	var problems diag.List
	for _, st := range s.Statements {
		r := &reader{
			flow: f, st: st, where: st.Verb.Text + " " + st.Output.Text, value: value, problems: &problems,
			values: map[string]any{}, read: map[string]bool{}, told: map[string]bool{}, set: described{options: map[string]syntax.Expr{}},
		}
		switch st.Verb.Text {
		case "source":
			sources = append(sources, r.source())
		case "sink":
			sinks = append(sinks, r.sink())
		}
	}
	return sources, sinks, problems.Err()
}

// reader reads the settings of one stream.
type reader struct {
	flow     *resource.Flow
	st       *syntax.Statement
	where    string
	value    func(x syntax.Expr) (any, error)
	problems *diag.List
	// set is the dataset of the stream, in the words of a script.
	set described
	// values are those of settings, nil where there is none; read are the settings that
	// somebody asked for.
	values map[string]any
	read   map[string]bool
	// told are the settings of another kind than is wanted: a word about each is enough.
	told map[string]bool
}

// source reads a source. One of a form that is refused is left at that: its other
// settings are those of its form.
func (r *reader) source() Source {
	s := Source{Name: r.st.Output.Text, At: r.flow.File.Place(r.st.At)}
	if !r.describe() {
		return s
	}
	if s.Projection = r.declared(); s.Projection == nil {
		s.Projection = r.set.projection
	}
	var known bool
	if s.Format, known = r.format(); !known {
		return s
	}
	s.Location = r.location(s.Format)
	s.PathColumn = r.text("rowUrlColumn")
	s.NoneOK = r.truth("ignoreNoFilesFound")
	s.Drift, s.Infer = r.truth("allowSchemaDrift"), r.truth("inferDriftedColumnTypes")
	s.Validate, s.Stored = r.truth("validateSchema"), r.truth("useSchema")
	r.form(&s)
	if s.Format == Delta {
		r.version(&s)
	} else {
		r.files(&s)
	}
	r.numbers(&s)
	r.refused(true)
	s.Notes = append(s.Notes, r.rest(s.Format.String())...)
	return s
}

// declared are the columns that the script lists for a source; nil for none. Those of
// types that there are not are left out: who binds the script tells of them.
func (r *reader) declared() []schema.Field {
	var out []schema.Field
	for _, a := range r.st.Args.List {
		list, ok := a.Node.(*syntax.Schema)
		if !ok {
			continue
		}
		for _, f := range list.Columns {
			if t, ok := expression.TypeOf(f.Type); ok {
				out = append(out, schema.Field{Name: f.Name.Text, Type: t, Nullable: true})
			}
		}
	}
	return out
}

// form reads how rows are written down.
func (r *reader) form(s *Source) {
	s.Compression = r.compression()
	switch s.Format {
	case Delimited:
		s.Text = r.dialect()
		s.Skip = r.number("skipLines")
	case JSON:
		s.Documents = r.documents()
		s.Text.Encoding = r.text("encoding")
		s.Lenient = Lenient{
			UnquotedNames: r.truth("unquotedColumnNames"), Comments: r.truth("asComments"),
			SingleQuotes: r.truth("singleQuoted"), BackslashEscapes: r.truth("backslashEscape"),
		}
	case Parquet, Delta:
		return
	}
	s.DateFormats, s.TimestampFormats = r.texts("dateFormats"), r.texts("timestampFormats")
}

// files reads which files a source takes, and what becomes of them.
func (r *reader) files(s *Source) {
	s.Wildcards = r.texts("wildcardPaths")
	for i := range s.Wildcards {
		s.Wildcards[i] = r.below("wildcardPaths", s.Wildcards[i])
		if _, err := Glob(s.Wildcards[i]); err != nil {
			r.tell(diag.FlowInput, "wildcardPaths", "patterns are * and ? within a name, ** over folders, [abc], {a,b}", "wildcardPaths: found the pattern %s: %v", diag.Quote(s.Wildcards[i]), err)
		}
	}
	s.FileList = r.truth("fileList")
	if s.FileList && s.File == "" && s.Folder == "" && len(s.Wildcards) == 0 {
		r.tell(diag.FlowPlace, "fileList", "name the text that has the list: fileName: 'list.txt'", "found fileList: true and no file, want the one that lists the others")
	}
	s.PartitionRoot = r.below("partitionRootPath", r.text("partitionRootPath"))
	s.After, s.Before = r.instant("modifiedAfter"), r.instant("modifiedBefore")
	if !s.After.IsZero() && !s.Before.IsZero() && !s.After.Before(s.Before) {
		r.tell(diag.FlowInput, "modifiedBefore", "let modifiedBefore be the later one", "found modifiedBefore %s, want a time after modifiedAfter %s", r.shown("modifiedBefore"), r.shown("modifiedAfter"))
	}
	r.after(s)
}

// version reads which state of a Delta table is asked for.
func (r *reader) version(s *Source) {
	if r.option("versionAsOf") != nil {
		n := int64(r.number("versionAsOf"))
		s.Version = &n
	}
	s.AsOf = r.instant("timestampAsOf")
	if s.Version != nil && r.option("timestampAsOf") != nil {
		r.tell(diag.FlowInput, "timestampAsOf", "keep one of them", "found versionAsOf and timestampAsOf, want one (DF-DELTA-InvalidConfiguration)")
	}
}

// after reads what becomes of files that were read.
func (r *reader) after(s *Source) {
	s.Purge = r.truth("purgeFiles")
	move := r.texts("moveFiles")
	switch {
	case len(move) == 0:
	case len(move) != 2:
		r.tell(diag.FlowType, "moveFiles", "as in moveFiles: ['in', 'done']", "found %d folders in moveFiles, want two: from and to", len(move))
	case s.Purge:
		r.tell(diag.FlowInput, "moveFiles", "keep one of them", "found moveFiles and purgeFiles, want one")
	default:
		s.MoveFrom, s.MoveTo = r.below("moveFiles", move[0]), r.below("moveFiles", move[1])
	}
}

// numbers reads the types that are preferred for numbers, which change the columns only
// where types are inferred.
func (r *reader) numbers(s *Source) {
	s.Integral = r.kind("preferredIntegralType", map[string]schema.Type{"short": schema.Short, "integer": schema.Integer, "long": schema.Long})
	s.Fractional = r.kind("preferredFractionalType", map[string]schema.Type{
		"float": schema.Float, "double": schema.Double, "decimal": schema.Decimal{Precision: 38, Scale: 18},
	})
	if !s.Drift || !s.Infer {
		return
	}
	if s.Integral != nil {
		s.Notes = append(s.Notes, *r.preferred("preferredIntegralType", "integral"))
	}
	if s.Fractional != nil {
		s.Notes = append(s.Notes, *r.preferred("preferredFractionalType", "fractional"))
	}
}

func (r *reader) preferred(name, family string) *diag.Diagnostic {
	word := r.text(name)
	return r.about(diag.FlowRefused, name, "convert in a derive: each(match(typeMatch(type, '"+family+"')), $$ = to"+strings.ToUpper(word[:1])+word[1:]+"($$))",
		"found %s %s, which has no effect here: types are those that hold all values", name, diag.Quote(word))
}
