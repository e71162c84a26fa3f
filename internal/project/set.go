package project

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/hint"
	"landfall/internal/inference"
	"landfall/internal/schema"
	"landfall/internal/value"
)

func setFormat(o *Options, s Setting) *diag.Diagnostic {
	switch f := strings.ToLower(s.Value.Text); f {
	case csv, json, parquet:
		o.Format = f
		return nil
	case "avro", "xml", "text", "orc", "binaryfile":
		return s.refused(f + " comes with a later release; this one lands csv, json and parquet")
	}
	return s.bad("csv, json or parquet")
}

func setMaxFiles(o *Options, s Setting) (d *diag.Diagnostic) {
	o.MaxFiles, d = s.count()
	return d
}

func setMaxBytes(o *Options, s Setting) (d *diag.Diagnostic) {
	o.MaxBytes, d = s.bytes()
	return d
}

func setMaxRewrite(o *Options, s Setting) (d *diag.Diagnostic) {
	o.MaxRewrite, d = s.bytes()
	return d
}

func setTargetSize(o *Options, s Setting) (d *diag.Diagnostic) {
	o.TargetSize, d = s.bytes()
	return d
}

func setCompression(o *Options, s Setting) *diag.Diagnostic {
	switch strings.ToLower(s.Value.Text) {
	case "zstd":
		o.Snappy = false
	case "snappy":
		o.Snappy = true
	default:
		return s.bad("zstd or snappy")
	}
	return nil
}

func setEncoding(o *Options, s Setting) *diag.Diagnostic {
	switch strings.ToLower(s.Value.Text) {
	case "delta":
		o.Plain = false
	case "plain":
		o.Plain = true
	default:
		return s.bad("delta or plain")
	}
	return nil
}

func setCopy(o *Options, s Setting) *diag.Diagnostic {
	if strings.EqualFold(s.Value.Text, "trusted") {
		o.Decode, o.Trust = false, true
		return nil
	}
	moves, d := s.truth()
	if d != nil {
		return s.bad("true, trusted or false")
	}
	o.Decode, o.Trust = !moves, false
	return nil
}

func setExisting(o *Options, s Setting) *diag.Diagnostic {
	existing, d := s.truth()
	o.NewOnly = d == nil && !existing
	return d
}

func setFolders(o *Options, s Setting) *diag.Diagnostic {
	o.Policy.Folders = s.list()
	return nil
}

func setMode(o *Options, s Setting) *diag.Diagnostic {
	modes := modes()
	for _, mode := range modes {
		if strings.EqualFold(mode, s.Value.Text) {
			o.Policy.Preset = mode
			return nil
		}
	}
	if near := diag.Nearest(s.Value.Text, modes); near != "" {
		return s.bad(strings.Join(modes, ", ")).Hinted("did you mean %s?", near)
	}
	return s.bad(strings.Join(modes, ", "))
}

// modes are Auto Loader's modes of schema evolution.
func modes() []string {
	return []string{
		contract.AddNewColumns, contract.TypeWidening, contract.RescueMode, contract.FailOnNewColumns, contract.NoEvolution,
	}
}

func setRescue(o *Options, s Setting) *diag.Diagnostic {
	name := s.Value.Text
	if name == "" {
		o.Policy.NoRescue = true
		return nil
	}
	if name != schema.CleanName(name) {
		return s.bad("a name that a table can have")
	}
	if f := schema.Fold(name); f == contract.SourceFile || f == contract.IngestedAt {
		return s.bad("another name than that of a metadata column")
	}
	o.Policy.Rescue = name
	return nil
}

func setCase(o *Options, s Setting) (d *diag.Diagnostic) {
	o.Policy.CaseSensitive, d = s.truth()
	return d
}

func setGlob(o *Options, s Setting) *diag.Diagnostic {
	g, err := ParseGlob(s.Value.Text)
	if err != nil {
		return s.bad("a pattern such as *.csv or {a,b}*.csv").Because(err)
	}
	o.fileGlob = &g
	return nil
}

func setRecursive(o *Options, s Setting) *diag.Diagnostic {
	recursive, d := s.truth()
	o.Flat = d == nil && !recursive
	return d
}

func setAfter(o *Options, s Setting) (d *diag.Diagnostic) {
	o.After, d = s.instant()
	return d
}

func setBefore(o *Options, s Setting) (d *diag.Diagnostic) {
	o.Before, d = s.instant()
	return d
}

func setInfer(o *Options, s Setting) *diag.Diagnostic {
	infer, d := s.truth()
	o.Policy.Rules.Strings = d == nil && !infer
	return d
}

func setPreferDate(o *Options, s Setting) *diag.Diagnostic {
	prefer, d := s.truth()
	o.Policy.Rules.NoDates = d == nil && !prefer
	return d
}

// rule sets one of the rules of inference.
func rule(of func(*inference.Rules) *bool) func(*Options, Setting) *diag.Diagnostic {
	return func(o *Options, s Setting) (d *diag.Diagnostic) {
		*of(&o.Policy.Rules), d = s.truth()
		return d
	}
}

func setHints(o *Options, s Setting) *diag.Diagnostic {
	hints, err := hint.Parse(s.Value.Text)
	var all diag.List
	if errors.As(err, &all) {
		for _, d := range all {
			o.problems.Add(s.wrong(d, ""))
		}
		return nil
	}
	if err != nil {
		return s.wrong(err, "")
	}
	o.Policy.Hints = hints
	if required := hints.Required(); len(required) > 0 {
		o.Notes = append(o.Notes, s.Name+": NOT NULL does not hold for "+strings.Join(required, ", ")+
			": columns of files may be null, as with the readers of Spark")
	}
	return nil
}

func setAgreement(o *Options, s Setting) *diag.Diagnostic {
	share, err := strconv.ParseFloat(s.Value.Text, 64)
	if err != nil || !(share > 0 && share <= 1) {
		return s.bad("a share above 0 and up to 1, such as 0.99")
	}
	o.Policy.Rules.Agreement = share
	return nil
}

// forms are the forms of values, made when the first one is set.
func (o *Options) forms() *value.Forms {
	if o.Forms == nil {
		o.Forms = &value.Forms{}
	}
	return o.Forms
}

// pattern compiles a pattern of dates or timestamps.
func (s Setting) pattern() (*value.Pattern, *diag.Diagnostic) {
	p, err := value.CompilePattern(s.Value.Text)
	if err != nil {
		return nil, s.wrong(err, "want a pattern of Spark, such as dd/MM/yyyy HH:mm:ss")
	}
	return p, nil
}

func setDate(o *Options, s Setting) (d *diag.Diagnostic) {
	o.forms().Date, d = s.pattern()
	return d
}

func setTimestamp(o *Options, s Setting) (d *diag.Diagnostic) {
	o.forms().Timestamp, d = s.pattern()
	return d
}

func setTimestampNTZ(o *Options, s Setting) (d *diag.Diagnostic) {
	o.forms().TimestampNTZ, d = s.pattern()
	return d
}

// setZone reads the name of a zone, or how far one is from UTC.
func setZone(o *Options, s Setting) *diag.Diagnostic {
	const want = "a zone such as UTC, Europe/Oslo or +02:00"
	name := s.Value.Text
	if offset := strings.TrimPrefix(strings.TrimPrefix(name, "GMT"), "UTC"); offset != "" && strings.ContainsAny(offset[:1], "+-") {
		t, err := time.Parse("-07:00", offset)
		if err != nil {
			return s.bad(want)
		}
		_, seconds := t.Zone()
		o.forms().Zone = time.FixedZone(offset, seconds)
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || strings.EqualFold(name, "local") {
		return s.bad(want)
	}
	o.forms().Zone = zone
	return nil
}

func setLocale(_ *Options, s Setting) *diag.Diagnostic {
	switch strings.ToLower(strings.ReplaceAll(s.Value.Text, "_", "-")) {
	case "us", "en", "en-us":
		return nil
	}
	return s.refused("names of months in other languages are not read; leave it out where patterns have none")
}

func setNaN(o *Options, s Setting) *diag.Diagnostic {
	o.forms().NaN = s.Value.Text
	return nil
}

func setPositiveInf(o *Options, s Setting) *diag.Diagnostic {
	o.forms().PositiveInf = s.Value.Text
	return nil
}

func setNegativeInf(o *Options, s Setting) *diag.Diagnostic {
	o.forms().NegativeInf = s.Value.Text
	return nil
}

// setParseMode is the policy on malformed records in Spark's words.
func setParseMode(o *Options, s Setting) *diag.Diagnostic {
	action, ok := map[string]string{"permissive": "rescue", "dropmalformed": "drop", "failfast": "fail"}[strings.ToLower(s.Value.Text)]
	if !ok {
		return s.bad("PERMISSIVE, DROPMALFORMED or FAILFAST")
	}
	o.choose(event.RecordMalformed, action)
	return nil
}

// failOn is an option that stops on a kind of drift.
func failOn(kind contract.Kind) func(*Options, Setting) *diag.Diagnostic {
	return func(o *Options, s Setting) *diag.Diagnostic {
		fail, d := s.truth()
		if fail {
			o.choose(kind, "fail")
		}
		return d
	}
}

// choose sets the action on a kind of drift.
func (o *Options) choose(kind contract.Kind, action string) {
	if o.Policy.Kinds == nil {
		o.Policy.Kinds = map[contract.Kind]string{}
	}
	o.Policy.Kinds[kind] = action
}

func isTruth(_ *Options, s Setting) *diag.Diagnostic {
	_, d := s.truth()
	return d
}

func isPlace(_ *Options, s Setting) *diag.Diagnostic {
	if strings.TrimSpace(s.Value.Text) == "" {
		return s.bad("a folder or URL")
	}
	return nil
}

// only takes one value and refuses all others.
func only(value, hint string) func(*Options, Setting) *diag.Diagnostic {
	return func(_ *Options, s Setting) *diag.Diagnostic {
		if strings.EqualFold(s.Value.Text, value) {
			return nil
		}
		return s.refused(hint)
	}
}

// wrong is the diagnostic for a text with a mistake at one character.
func (s Setting) wrong(err error, hint string) *diag.Diagnostic {
	var d *diag.Diagnostic
	if errors.As(err, &d) && d.Hint != "" {
		hint = d.Hint
	}
	var ddl *schema.DDLError
	var pattern *value.PatternError
	at, message := 0, err.Error()
	switch {
	case errors.As(err, &ddl):
		at, message = ddl.At, ddl.Message
	case errors.As(err, &pattern):
		at, message = pattern.At, pattern.Message
	}
	out := s.diagnose(diag.BadOption, s.Name+": "+message).Hinted("%s", hint)
	if at > 0 {
		out.At, out.Excerpt = s.Value.character(at)
	}
	return out
}
