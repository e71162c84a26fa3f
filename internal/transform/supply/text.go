package supply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/engine"
	"landfall/internal/event"
	"landfall/internal/flow/dataset"
	"landfall/internal/land"
	"landfall/internal/project"
	"landfall/internal/schema"
	"landfall/internal/state"
	"landfall/internal/store"
)

// stage lands the files in a table of the run's own: so a file is cut as it is anywhere
// else, columns are matched by name, types are those that all values have, and what fits
// no column is beside it, not gone.
func (s *Supply) stage(ctx context.Context, o Options) error {
	if err := s.undone(); err != nil {
		return err
	}
	if len(s.filled()) == 0 {
		return nil
	}
	stage, err := o.Stage(ctx)
	if err != nil {
		return err
	}
	src, err := s.landing(o, stage)
	if err != nil {
		return err
	}
	now := func() land.Env { return land.Env{Now: o.Clock, NewID: o.NewID, Workers: o.Workers} }
	r, err := land.Run(ctx, src, now())
	if err != nil {
		return err
	}
	if err := s.sound(r); err != nil {
		return err
	}
	if err := s.headers(ctx, src.Decode, o.Workers); err != nil {
		return err
	}
	return s.landed(ctx, src, r)
}

// base is the folder that holds all files, with a slash behind it; "" for the container.
// What it is called hides nothing. Partition folders lie below it.
func (s *Supply) base() string {
	all := s.filled()
	base := path.Dir(all[0].Path) + "/"
	if root := s.source.PartitionRoot; root != "" {
		base = root + "/"
	}
	for _, f := range all {
		for !strings.HasPrefix(f.Path, base) {
			if base = path.Dir(strings.TrimSuffix(base, "/")) + "/"; base == "./" {
				return ""
			}
		}
	}
	return base
}

// filled are the files that hold anything. Text of no bytes has no rows; what it lacks to
// be Parquet is told of it.
func (s *Supply) filled() []File {
	var out []File
	for _, f := range s.Files {
		if f.Size > 0 || s.source.Format == dataset.Parquet {
			out = append(out, f)
		}
	}
	return out
}

// landing says how the files are landed.
func (s *Supply) landing(o Options, stage store.Store) (land.Source, error) {
	format := map[dataset.Format]string{dataset.Delimited: "csv", dataset.JSON: "json", dataset.Parquet: "parquet"}[s.source.Format]
	options, err := s.options()
	if err != nil {
		return land.Source{}, err
	}
	values := map[string]project.Value{}
	for name, value := range options {
		values[name] = project.Value{Text: value, At: s.source.At}
	}
	parsed, err := project.ParseOptions(values, project.Ours)
	if err != nil {
		return land.Source{}, err
	}
	parsed.Policy.Rules.NullLikesVote = true // a flow has no column for what fits none
	decode, err := o.Decode(parsed, format)
	if err != nil {
		return land.Source{}, err
	}
	takes := map[string]bool{}
	base := s.base()
	for _, f := range s.filled() {
		takes[f.Path[len(base):]] = true
	}
	files := s.store
	if base != "" {
		files = store.Below(s.store, strings.TrimSuffix(base, "/"))
	}
	const stateFolder = "_landfall/source"
	return land.Source{
		Name: s.source.Name, Args: s.source.Name, Files: files, Data: stage, Table: o.Table(stage),
		State: state.New(store.Below(stage, stateFolder)), StateKey: stateFolder,
		Format: format, Tree: format == "json", Typed: format == "parquet", Decode: decode, Forms: parsed.Forms, Policy: parsed.Policy,
		Select: discovery.Selection{Match: func(path string) bool { return takes[path] }},
		Limits: land.Limits{Files: math.MaxInt}, Digest: parsed.Digest(),
	}, nil
}

// options are those of a landing that cut text as the source says.
func (s *Supply) options() (map[string]string, error) {
	o := map[string]string{"cloudFiles.partitionColumns": "", "parquet.compression": "snappy", "parquet.encoding": "plain"}
	if s.source.PartitionRoot != "" {
		delete(o, "cloudFiles.partitionColumns")
	}
	if s.source.Format == dataset.Parquet {
		return o, nil
	}
	o["typeAgreement"] = "1"
	if !s.source.Infer {
		o["cloudFiles.inferColumnTypes"] = "false"
	}
	var problems diag.List
	one := func(setting, option string, formats []string) {
		switch len(formats) {
		case 0:
		case 1:
			o[option] = formats[0]
		default:
			problems.Add(diag.New(diag.FlowRefused, "source %s: found %d %s, and one runs here", s.source.Name, len(formats), setting).In(s.source.At).
				Hinted("keep one, and convert the others in a derive: toTimestamp(byName('x'), 'dd.MM.yyyy')"))
		}
	}
	one("dateFormats", "dateFormat", s.source.DateFormats)
	one("timestampFormats", "timestampFormat", s.source.TimestampFormats)
	if s.source.Text.Encoding != "" {
		o["encoding"] = s.source.Text.Encoding
	}
	if s.source.Format == dataset.JSON {
		s.jsonOptions(o)
	} else {
		s.csvOptions(o)
	}
	if hints := s.asWritten(); hints != "" {
		o["cloudFiles.schemaHints"] = hints
	}
	return o, problems.Err()
}

// asWritten are hints by which columns of the projection stay the text that they are: it
// is the flow that converts them.
func (s *Supply) asWritten() string {
	var hints []string
	for i, c := range s.source.Projection {
		name := c.Name
		if s.headerless() {
			name = s.numbered(i)
		}
		if schema.Scalar(c.Type) {
			hints = append(hints, "`"+strings.ReplaceAll(name, "`", "``")+"` STRING")
		}
	}
	return strings.Join(hints, ", ")
}

// jsonOptions are those of JSON. Any form of documents is recognised.
func (s *Supply) jsonOptions(o map[string]string) {
	l := s.source.Lenient
	for option, on := range map[string]bool{
		"allowUnquotedFieldNames": l.UnquotedNames, "allowComments": l.Comments, "allowSingleQuotes": l.SingleQuotes,
		"allowBackslashEscapingAnyCharacter": l.BackslashEscapes,
	} {
		if on {
			o[option] = "true"
		}
	}
}

// csvOptions are those of delimited text.
func (s *Supply) csvOptions(o map[string]string) {
	t := s.source.Text
	o["sep"], o["quote"], o["escape"] = t.Delimiter, t.Quote, t.Escape
	o["header"] = fmt.Sprint(t.Header)
	if t.Null != "" {
		o["nullValue"] = t.Null
	}
	if t.RowDelimiter != "" {
		o["lineSep"] = t.RowDelimiter
	}
	if s.source.Skip > 0 {
		o["skipRows"] = fmt.Sprint(s.source.Skip)
	}
	if t.MaxColumns > 0 {
		o["maxColumns"] = fmt.Sprint(t.MaxColumns)
	}
}

// sound fails if not every record landed: the service would fail too, or lose it.
func (s *Supply) sound(r land.Report) error {
	var problems diag.List
	for _, q := range r.Quarantined {
		problems.Add(diag.New(diag.FileUnreadable, "source %s: %s", s.source.Name, q.Reason).
			In(diag.Place{File: s.base() + q.Path, Line: q.Line, Record: q.Record}).
			Hinted("mend the file, or leave it out of the source's wildcards"))
	}
	for _, d := range r.Drift {
		if d.From == "reserved" {
			problems.Add(diag.New(diag.FlowInput, "source %s: found column %s, a name that is kept for columns of landfall's own", s.source.Name, diag.Quote(d.Column)).
				In(diag.Place{File: s.base() + d.File}).Hinted("rename the column where the file is made, or read the rows as Parquet"))
		}
	}
	for _, path := range r.Deferred {
		problems.Add(diag.New(diag.FlowInput, "source %s: the file changed while it was read", s.source.Name).In(diag.Place{File: s.base() + path}).
			Hinted("run again when nobody writes to it"))
	}
	for _, skip := range r.Skipped {
		problems.Add(diag.New(diag.FileUnreadable, "source %s: the file is not read: %s", s.source.Name, skip.Reason).In(diag.Place{File: s.base() + skip.Path}).
			Hinted("mend it, or leave it out of the source's wildcards"))
	}
	return problems.Err()
}

// landed makes the table what the source reads. Its columns are those of the files; one of
// values that fit none of them is there only if there are any.
func (s *Supply) landed(ctx context.Context, src land.Source, r land.Report) error {
	snap, err := src.Table.Snapshot(ctx)
	if err != nil {
		return err
	}
	if r.Contract == nil {
		return errors.New("a landing without a contract")
	}
	view, err := viewOf(ctx, src.Table, snap, src.Data)
	if err != nil {
		return err
	}
	slices.SortStableFunc(view.Files, func(a, b engine.File) int {
		return slices.Index(r.Files, a.Path) - slices.Index(r.Files, b.Path)
	})
	order := map[string]int{}
	for i, path := range r.Files {
		order[path] = i
	}
	slices.SortStableFunc(view.Files, func(a, b engine.File) int { return cmp.Compare(order[a.Path], order[b.Path]) })
	rescued := int64(0)
	for _, b := range r.Batches {
		rescued += b.ValuesRescued
	}
	columns := s.seen(r.Contract, snap.Schema)
	if at := snap.Schema.Lookup(contract.RescuedData); rescued > 0 && at >= 0 {
		columns = append(columns, snap.Schema.Fields[at])
	}
	if rescued > 0 {
		s.Notes = append(s.Notes, *diag.New(diag.FlowInput, "source %s: %d values fit no column, and are in the column %s", s.source.Name, rescued, contract.RescuedData).In(s.source.At).
			Hinted("look at it: landfall flow preview FLOW --at %s", s.source.Name))
	}
	s.Columns, s.Input.Table = s.named(original(columns)), &view
	view.Schema.Fields = s.named(original(view.Schema.Fields))
	s.noRows(&view)
	s.Input.PathField, s.Input.PathRoot = contract.SourceFile, strings.TrimSuffix(s.store.URL(""), "/")+"/"
	if s.source.Format != dataset.Parquet {
		s.told(r.Drift)
	}
	if s.headed() {
		s.compareHeaders()
	}
	return nil
}

// seen are the columns that files have, in the table's order. One without any value is
// text; one of which a hint alone knows is none.
func (s *Supply) seen(v *contract.Version, table schema.Struct) []schema.Field {
	var out []schema.Field
	for _, c := range v.Columns {
		if c.Hinted && c.File == "" {
			continue
		}
		at := table.Lookup(c.Name)
		if at < 0 {
			out = append(out, schema.Field{Name: c.Name, Type: schema.String, Nullable: true}.WithOriginal(c.Original, c.K))
			continue
		}
		out = append(out, table.Fields[at])
	}
	return out
}

// told puts the drift that the landing met down to the files where it met it first.
func (s *Supply) told(all []event.Drift) {
	kinds := map[event.Kind]Kind{
		event.ColumnAdded: Added, event.ColumnMissing: Missing, event.ColumnRecased: Recased,
		event.TypeWider: Retyped, event.TypeConflict: Retyped, event.TypeAltered: Retyped,
	}
	byPath, projected := map[string]*File{}, schema.Struct{Fields: s.source.Projection}
	for i := range s.Files {
		s.Files[i].Drift = []Drift{}
		byPath[s.Files[i].Path] = &s.Files[i]
	}
	base := ""
	if len(s.filled()) > 0 {
		base = s.base()
	}
	for _, d := range all {
		if projected.Lookup(d.Column) >= 0 && d.Kind != event.ColumnMissing {
			continue // it is as the projection has it: text that the flow converts
		}
		f, ok := byPath[base+d.File]
		if ok && f == &s.Files[0] && s.source.Projection == nil && d.Kind == event.ColumnAdded {
			continue // the others are compared with it
		}
		if ok && kinds[d.Kind] != "" && d.Decision != "hint" {
			f.Drift = append(f.Drift, Drift{Kind: kinds[d.Kind], Column: d.Column, From: d.From, To: d.To})
		}
	}
}

// original gives columns, and fields in them, the names that they have in the files: those
// of the table are clean ones where it takes no other.
func original(fields []schema.Field) []schema.Field {
	out := slices.Clone(fields)
	for i, f := range out {
		out[i].Type = originalIn(f.Type)
		name, k := schema.Original(f)
		if name == f.Name || k > 0 {
			continue
		}
		out[i] = schema.WithPhysicalName(out[i], f.Name)
		out[i].Name = name
	}
	return out
}

func originalIn(t schema.Type) schema.Type {
	switch t := t.(type) {
	case schema.Struct:
		t.Fields = original(t.Fields)
		return t
	case schema.Array:
		t.Element = originalIn(t.Element)
		return t
	case schema.Map:
		t.Key, t.Value = originalIn(t.Key), originalIn(t.Value)
		return t
	}
	return t
}
