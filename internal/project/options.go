package project

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/inference"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Defaults name a set of defaults of the options.
type Defaults string

// The sets of defaults.
const (
	Ours Defaults = ""
	// AutoLoader takes all defaults of Auto Loader: strings unless
	// inferColumnTypes is set, one value of another type makes a column string,
	// casings are told apart, files that were rewritten are skipped, and JSON may
	// have single quotes and NaN.
	AutoLoader Defaults = "autoloader"
)

// Options are the options of a source. The zero value is ready: our defaults.
type Options struct {
	// Format is the format of the files, "" to find it out.
	Format string
	// MaxFiles and MaxBytes bound a batch; 0 means the default.
	MaxFiles int
	MaxBytes int64
	// MaxRewrite bounds the bytes that a batch writes again for types that widen; 0
	// means the default.
	MaxRewrite int64
	// TargetSize is the size of the table's data files; 0 means the default.
	TargetSize int64
	// Snappy compresses them with snappy instead of zstd, Plain stores integers as
	// readers know them that do not have DELTA_BINARY_PACKED.
	Snappy, Plain bool
	// Decode says that no column of Parquet files is moved as it is, Trust that their
	// values are not looked at before.
	Decode, Trust bool
	// NewOnly leaves out the files that are there before the first run.
	NewOnly bool
	// State names the place of the state; zero for the table's folder.
	State Setting
	// Flat leaves sub-folders out.
	Flat bool
	// After and Before bound the time at which a file was modified, zero: not.
	After, Before time.Time
	// Policy is the preset, the rescue column, the folders, the rules of types
	// and the hints of the source.
	Policy contract.Policy
	// Forms are the forms of values, nil for ours.
	Forms *value.Forms
	// Decoder holds the settings for the decoder of a format, sorted by name:
	// [Options.DecoderOf] checks that they are those of the files' format.
	Decoder []Setting
	// Notes say what was accepted and has another effect than its author may
	// think.
	Notes []string

	fileGlob *Glob
	defaults Defaults
	// given are all settings under their documented names.
	given []Setting
	// problems are what is wrong within single values.
	problems diag.List
}

// Match reports whether the filters on names take the file at a path.
func (o Options) Match(file string) bool {
	return o.fileGlob == nil || o.fileGlob.Match(path.Base(file))
}

// Digest identifies what decides how the bytes of a file become rows: the
// settings of its decoder, the forms of its values and the policy. Which files
// are taken, and how many at a time, is not part of it.
func (o Options) Digest() string {
	var b strings.Builder
	for _, s := range o.Decoder {
		fmt.Fprintf(&b, "%q=%q\n", s.Name, s.Value.Text)
	}
	fmt.Fprintf(&b, "%q %q %q\n", o.Policy.Preset, o.Policy.Rescue, o.Policy.Folders)
	if o.defaults != Ours {
		fmt.Fprintf(&b, "defaults %q\n", o.defaults)
	}
	if o.Policy.NoRescue {
		b.WriteString("no rescue\n")
	}
	decide := make(map[string]bool)
	for _, k := range OptionTable() {
		decide[k.Name] = k.decides
	}
	for _, s := range o.given {
		if decide[s.Name] && !slices.ContainsFunc(o.Decoder, func(d Setting) bool { return d.Name == s.Name }) {
			fmt.Fprintf(&b, "%q: %q\n", s.Name, s.Value.Text)
		}
	}
	return strconv.FormatUint(xxh3.HashString(b.String()), 16)
}

// DecoderOf returns the settings for the decoder of a format, in the order in
// which they apply. The error is a
// diagnostic or a [diag.List] of the options that are those of other formats.
func (o Options) DecoderOf(format string) ([]Setting, error) {
	var problems diag.List
	table := OptionTable()
	for _, s := range o.given {
		i := slices.IndexFunc(table, func(k Option) bool { return k.Name == s.Name })
		if !table[i].isFor(format) {
			problems.Add(atKey(s.Value, diag.OptionRefused, "%s is an option of %s, and the files are %s", s.Name, strings.Join(table[i].Formats, ", "), format).
				Hinted("leave it out; or say which format the files have: cloudFiles.format"))
		}
	}
	if format == csv {
		o.flatHints(&problems)
	}
	return slices.Concat(o.defaults.decoder(format), o.Decoder), problems.Err()
}

// decoder are the settings of a decoder that nobody set.
func (d Defaults) decoder(format string) []Setting {
	switch {
	case d == AutoLoader && format == json:
		return []Setting{{"allowNonNumericNumbers", Value{Text: "true"}}, {"allowSingleQuotes", Value{Text: "true"}}}
	case d == AutoLoader && format == parquet:
		return []Setting{{"datetimeRebaseMode", Value{Text: "LEGACY"}}, {"int96RebaseMode", Value{Text: "LEGACY"}}}
	}
	return nil
}

// NotesOf are the notes on options whose files have a format: those of Notes, and
// what changes nothing for files of that one.
func (o Options) NotesOf(format string) []string {
	notes := slices.Clone(o.Notes)
	for _, k := range OptionTable() {
		if _, set := o.setting(k.Name); !set || k.idle == nil {
			continue
		}
		if why := k.idle(format); why != "" {
			notes = append(notes, k.Name+": it changes nothing, since "+why)
		}
	}
	return notes
}

// ownHints refuses hints on columns that are not the files'.
func (o *Options) ownHints() {
	own := []string{contract.RescuedData, contract.SourceFile, contract.IngestedAt, schema.Fold(o.Policy.RescueColumn())}
	for _, n := range o.Policy.Hints.Columns() {
		if !slices.Contains(own, schema.Fold(n.Name)) {
			continue
		}
		s, _ := o.setting("cloudFiles.schemaHints")
		err := &schema.DDLError{At: n.At, Message: "found a hint for " + diag.Quote(n.Name) + ", want one for a column of the files: landfall fills this one"}
		o.problems.Add(s.wrong(err, "leave it out; a field of the files that has this name is rescued"))
	}
}

// flatHints collects hints that the columns of flat files cannot follow.
func (o Options) flatHints(problems *diag.List) {
	for _, n := range o.Policy.Hints.Columns() {
		found := "a hint for parts of " + diag.Quote(n.Name)
		switch n.Type.(type) {
		case schema.Primitive, schema.Decimal:
			continue
		case nil:
		default:
			found = diag.Quote(n.Type.String())
		}
		s, _ := o.setting("cloudFiles.schemaHints")
		err := &schema.DDLError{At: n.At, Message: "found " + found + ", want a type without parts: files of csv have no nesting"}
		problems.Add(s.wrong(err, "hint a type without parts; a name that has a dot stands in backticks"))
	}
}

// ParseOptions reads the options of a source, in Auto Loader's own names. The
// error is a diagnostic or a [diag.List] of all that is wrong.
func ParseOptions(values map[string]Value, defaults Defaults) (Options, error) {
	table := OptionTable()
	byName := make(map[string]*Option, 2*len(table))
	for i := range table {
		for _, name := range table[i].spellings() {
			byName[strings.ToLower(name)] = &table[i]
		}
	}
	o := defaults.options()
	var problems diag.List
	seen := make(map[string]string, len(values))
	for _, spelt := range slices.SortedFunc(maps.Keys(values), inOrder(values)) {
		known, ok := byName[strings.ToLower(spelt)]
		if !ok {
			problems.Add(unknownOption(spelt, values[spelt], byName))
			continue
		}
		s := Setting{known.Name, values[spelt]}
		if first, twice := seen[known.Name]; twice {
			problems.Add(atKey(s.Value, diag.UnknownOption, "option %s stands here as %s too", diag.Quote(spelt), diag.Quote(first)).
				Hinted("keep one of them"))
			continue
		}
		seen[known.Name] = spelt
		o.given = append(o.given, s)
		if d := known.apply(&o, s); d != nil {
			problems.Add(d)
		}
	}
	o.agree()
	o.ownHints()
	problems = append(problems, o.problems...)
	if o.Format != "" {
		_, err := o.DecoderOf(o.Format)
		problems.Merge(err)
	}
	byOptionName := func(a, b Setting) int { return cmp.Compare(a.Name, b.Name) }
	slices.SortFunc(o.Decoder, byOptionName)
	slices.SortFunc(o.given, byOptionName)
	return o, problems.Err()
}

// ParseDefaults reads the name of a set of defaults.
func ParseDefaults(v Value) (Defaults, error) {
	if strings.EqualFold(v.Text, string(AutoLoader)) {
		return AutoLoader, nil
	}
	return Ours, Setting{"compat", v}.bad(string(AutoLoader)).Hinted("leave it out for the defaults of landfall")
}

// options are the options that nobody set.
func (d Defaults) options() Options {
	if d == Ours {
		return Options{}
	}
	return Options{defaults: d, Policy: contract.Policy{
		Preset: contract.AddNewColumns, CaseSensitive: true,
		Rules: inference.Rules{Strings: true, Agreement: 1, NullLikesVote: true},
	}}
}

// inOrder sorts names by where they stand.
func inOrder(values map[string]Value) func(a, b string) int {
	return func(a, b string) int {
		return cmp.Or(cmp.Compare(values[a].Key.Line, values[b].Key.Line), cmp.Compare(a, b))
	}
}

// apply sets an option.
func (k *Option) apply(o *Options, s Setting) *diag.Diagnostic {
	if k.Status == Refused && k.set == nil {
		d := atKey(s.Value, diag.OptionRefused, "option %s is not supported: %s", diag.Quote(k.Name), k.Doc)
		return d.Hinted("%s", cmp.Or(k.hint, "leave it out"))
	}
	if k.set != nil {
		if d := k.set(o, s); d != nil {
			return d
		}
	}
	if k.Status == Accepted {
		o.Notes = append(o.Notes, fmt.Sprintf("%s: %s", k.Name, k.Doc))
	}
	return nil
}

// agree sets what several options decide together.
func (o *Options) agree() {
	if s, ok := o.setting("cloudFiles.allowOverwrites"); ok {
		action := "skip"
		if again, d := s.truth(); d == nil && again {
			// Auto Loader reads such a file again beside its old rows; ours,
			// without a mode of Auto Loader's, replaces them.
			action = "replace"
			if o.Policy.Preset != "" {
				action = "append"
			}
		}
		o.choose(event.FileRewritten, action)
	}
	schemas, hasSchemas := o.setting("cloudFiles.schemaLocation")
	checkpoints, hasCheckpoints := o.setting("checkpointLocation")
	if hasSchemas && hasCheckpoints && schemas.Value.Text != checkpoints.Value.Text {
		o.Notes = append(o.Notes, "cloudFiles.schemaLocation: the contract is kept with the rest of the state, at checkpointLocation")
	}
	if hasCheckpoints {
		o.State = checkpoints
	} else if hasSchemas {
		o.State = schemas
	}
}

func (o *Options) setting(name string) (Setting, bool) {
	i := slices.IndexFunc(o.given, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return Setting{}, false
	}
	return o.given[i], true
}

// unknownOption names the option that was probably meant.
func unknownOption(spelt string, v Value, byName map[string]*Option) *diag.Diagnostic {
	d := atKey(v, diag.UnknownOption, "unknown option %s", diag.Quote(spelt))
	if bare, ok := cutPrefix(spelt); ok {
		if known, ok := byName[strings.ToLower(bare)]; ok {
			return d.Hinted("it has no prefix: write %s", known.spelling(bare))
		}
		if strings.HasPrefix(strings.ToLower(bare), "resourcetag.") {
			d.Code, d.Message = diag.OptionRefused, "option "+diag.Quote(spelt)+" is not supported: no cloud resources are made"
			return d.Hinted("leave it out")
		}
	}
	var names []string
	for _, known := range byName {
		names = append(names, known.spellings()...)
	}
	slices.Sort(names)
	if near := diag.Nearest(spelt, slices.Compact(names)); near != "" {
		return d.Hinted("did you mean %s?", near)
	}
	return d.Hinted("options are those of Auto Loader and of its readers, in their own names")
}

func cutPrefix(name string) (bare string, ok bool) {
	if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
		return name[len(prefix):], true
	}
	return name, false
}

// atKey is a diagnostic at the key of a value.
func atKey(v Value, code diag.Code, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, format, args...).In(v.Key)
	d.Excerpt = v.KeyExcerpt
	return d
}
