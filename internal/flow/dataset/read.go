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
		r := &reader{flow: f, st: st, where: st.Verb.Text + " " + st.Output.Text, value: value, problems: &problems}
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
}

// source reads a source.
func (r *reader) source() Source {
	s := Source{Name: r.st.Output.Text, At: r.flow.File.Place(r.st.At)}
	r.describe()
	if s.Projection = r.declared(); s.Projection == nil {
		s.Projection = r.set.projection
	}
	s.Format = r.format()
	s.Location = r.location()
	s.Wildcards = r.texts("wildcardPaths")
	for i := range s.Wildcards {
		s.Wildcards[i] = r.below("wildcardPaths", s.Wildcards[i])
	}
	s.FileList = r.truth("fileList")
	s.PartitionRoot = r.below("partitionRootPath", r.text("partitionRootPath"))
	s.PathColumn = r.text("rowUrlColumn")
	s.After, s.Before = r.instant("modifiedAfter"), r.instant("modifiedBefore")
	s.NoneOK = r.truth("ignoreNoFilesFound")
	s.Skip = int(r.number("skipLines"))
	s.Drift, s.Infer = r.truth("allowSchemaDrift"), r.truth("inferDriftedColumnTypes")
	s.Validate, s.Stored = r.truth("validateSchema"), r.truth("useSchema")
	s.Integral, s.Fractional = r.kind("preferredIntegralType"), r.kind("preferredFractionalType")
	s.DateFormats, s.TimestampFormats = r.texts("dateFormats"), r.texts("timestampFormats")
	s.Text, s.Documents = r.dialect(), r.documents()
	s.Lenient = Lenient{
		UnquotedNames: r.truth("unquotedColumnNames"), Comments: r.truth("asComments"),
		SingleQuotes: r.truth("singleQuoted"), BackslashEscapes: r.truth("backslashEscape"),
	}
	s.Compression = r.compression()
	r.version(&s)
	r.after(&s)
	r.refuse("enableCdc", "read all files, or those of a time: modifiedAfter")
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

// version reads which state of a Delta table is asked for.
func (r *reader) version(s *Source) {
	if x := r.option("versionAsOf"); x != nil {
		n := r.number("versionAsOf")
		s.Version = &n
	}
	s.AsOf = r.instant("timestampAsOf")
	if s.Version != nil && !s.AsOf.IsZero() {
		r.add(diag.FlowInput, r.at("timestampAsOf"), "keep one of them", "found versionAsOf and timestampAsOf, want one (DF-DELTA-InvalidConfiguration)")
	}
}

// after reads what becomes of files that were read.
func (r *reader) after(s *Source) {
	s.Purge = r.truth("purgeFiles")
	move := r.texts("moveFiles")
	switch {
	case len(move) == 0:
	case len(move) != 2:
		r.add(diag.FlowType, r.at("moveFiles"), "as in moveFiles: ['in', 'done']", "found %d folders in moveFiles, want two: from and to", len(move))
	case s.Purge:
		r.add(diag.FlowInput, r.at("moveFiles"), "keep one of them", "found moveFiles and purgeFiles, want one")
	default:
		s.MoveFrom, s.MoveTo = r.below("moveFiles", move[0]), r.below("moveFiles", move[1])
	}
}

// sink reads a sink.
func (r *reader) sink() Sink {
	s := Sink{Name: r.st.Output.Text, At: r.flow.File.Place(r.st.At)}
	r.describe()
	s.Cache = r.text("store") == "cache"
	if s.Cache {
		return s
	}
	s.Format = r.format()
	s.Location = r.location()
	s.Truncate = r.truth("truncate")
	s.Partition = r.partition()
	s.Naming = r.naming(s.Partition)
	s.Text, s.Documents = r.dialect(), r.documents()
	s.QuoteAll = r.truth("quoteAll")
	s.HeaderLines = r.texts("header")
	s.EmptyLines = int(r.number("emptyLinesAsHeader"))
	s.Compression = r.compression()
	s.MergeSchema = r.truth("mergeSchema")
	r.change(&s)
	r.rowActions()
	for _, name := range []string{"umask", "vacuum", "autoCompact", "optimizedWrite"} {
		if r.option(name) != nil {
			s.Notes = append(s.Notes, *r.problem(diag.FlowRefused, r.at(name), "leave it: the service goes on to take it", "found %s, which has no effect here", name))
		}
	}
	for _, name := range []string{"preCommands", "postCommands"} {
		if len(r.texts(name)) > 0 {
			r.add(diag.FlowRefused, r.at(name), "run the commands before or after the flow", "found %s, which do not run here", name)
		}
	}
	return s
}

// change reads what a Delta sink does to its table.
func (r *reader) change(s *Sink) {
	over, cut := r.truth("overwrite"), r.truth("deltaTruncate")
	switch {
	case over && cut:
		r.add(diag.FlowInput, r.at("deltaTruncate"), "keep one of them", "found overwrite and deltaTruncate, want one (DF-DELTA-InvalidTableOperationSettings)")
	case over:
		s.Change = Overwrite
	case cut:
		s.Change = Truncate
	}
}

// rowActions refuses all but inserting.
func (r *reader) rowActions() {
	for _, name := range []string{"updateable", "upsertable", "deletable"} {
		if !r.truth(name) {
			continue
		}
		if len(r.texts("keys")) == 0 {
			r.add(diag.FlowInput, r.at(name), "say which columns tell rows apart: keys: ['id']", "found %s: true without keys (DF-DELTA-KeyColumnMissed)", name)
			continue
		}
		r.add(diag.FlowRefused, r.at(name), "insert rows alone: insertable: true", "found %s: true, and rows are only inserted here", name)
	}
}

// naming reads what files are called.
func (r *reader) naming(p Partition) Naming {
	n := Naming{Pattern: r.text("filePattern"), Files: r.texts("partitionFileNames"), FileColumn: r.text("rowUrlColumn"), FolderColumn: r.text("rowFolderUrlColumn")}
	var given []string
	for _, name := range []string{"filePattern", "partitionFileNames", "rowUrlColumn", "rowFolderUrlColumn"} {
		if r.option(name) != nil {
			given = append(given, name)
		}
	}
	if len(given) > 1 {
		r.add(diag.FlowInput, r.at(given[1]), "keep one of them", "found %s, want one way to name files", strings.Join(given, " and "))
	}
	if n.Pattern != "" && !strings.Contains(n.Pattern, "[n]") {
		r.add(diag.FlowInput, r.at("filePattern"), "as in filePattern: 'out[n].parquet'", "found filePattern %s without [n]", diag.Quote(n.Pattern))
	}
	n.Pattern = r.below("filePattern", n.Pattern)
	for i, name := range n.Files {
		if n.Files[i] = r.below("partitionFileNames", name); name == "" {
			r.add(diag.FlowInput, r.at("partitionFileNames"), "give each partition a name", "found an empty name in partitionFileNames (DF-Executor-InvalidPartitionFileNames)")
		}
	}
	if k := len(n.Files); k > 1 && p.Count != k {
		r.add(diag.FlowInput, r.at("partitionFileNames"), "as in partitionBy('roundRobin', 2)", "found %d names in partitionFileNames and %d partitions, want as many", k, p.Count)
	}
	return n
}
