package project

import (
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Status says what is made of an option.
type Status string

// What is made of an option.
const (
	Implemented Status = "implemented"
	Accepted    Status = "accepted with a note"
	Refused     Status = "refused"
)

// Option is a row of the table of options.
type Option struct {
	// Name is the documented name, with its prefix where it has one.
	Name   string
	Status Status
	// Default is the value that changes nothing, "" if there is none to write.
	Default string
	// Takes says which values it takes, "" for none.
	Takes string
	// Doc says what it does, or why it does not.
	Doc string

	aliases []string
	// set takes the value over and refuses those that are not supported. A
	// refused option without it has no value that is.
	set  func(*Options, Setting) *diag.Diagnostic
	hint string
}

// prefix is that of Auto Loader's own options. They may be written without it,
// as read_files does; options without it may not have it.
const prefix = "cloudFiles."

// spellings are all names of the option.
func (k *Option) spellings() []string {
	names := append([]string{k.Name}, k.aliases...)
	if bare, ok := cutPrefix(k.Name); ok {
		names = append(names, bare)
	}
	return names
}

// spelling is the one of the option's names that is written like text.
func (k *Option) spelling(text string) string {
	for _, name := range k.spellings() {
		if strings.EqualFold(name, text) {
			return name
		}
	}
	return k.Name
}

// OptionTable lists every option that is known: Auto Loader's, its readers',
// and those of the sink.
func OptionTable() []Option {
	return slices.Concat(commonOptions(), fileOptions(), listingOptions(), csvOptions(), sinkOptions(), otherReaders())
}

func commonOptions() []Option {
	return []Option{
		{Name: "cloudFiles.format", Status: Implemented, Takes: "`csv`", Doc: "format of the files; by default that of most names in the folder", set: setFormat},
		{Name: "cloudFiles.maxFilesPerTrigger", Status: Implemented, Default: "1000", Takes: "a whole number from 1 on", Doc: "most files of a batch", set: setMaxFiles},
		{Name: "cloudFiles.maxBytesPerTrigger", Status: Implemented, Takes: "a size: `1000`, `512k`, `64m`, `10g`", Doc: "bytes after which a batch is full, in whole files; no limit by default", set: setMaxBytes},
		{Name: "cloudFiles.includeExistingFiles", Status: Implemented, Default: "true", Takes: "`true`, `false`", Doc: "land the files that are there before the first run", set: setExisting},
		{Name: "cloudFiles.allowOverwrites", Status: Implemented, Takes: "`true`, `false`", Doc: "what becomes of a file that was rewritten. `true`: its rows are replaced (under a schemaEvolutionMode: its new rows are added to the old ones); `false`: its new version is skipped for good. By default replaced, under a schemaEvolutionMode skipped. The policy file_rewritten comes first", set: isTruth},
		{Name: "cloudFiles.schemaLocation", Status: Implemented, Takes: "a folder or `file://` URL", Doc: "place of the state, if checkpointLocation names none; by default `_landfall/` in the table's folder", set: isPlace},
		{Name: "cloudFiles.partitionColumns", Status: Implemented, Takes: "names between commas; empty for none", Doc: "keys of k=v folders that become columns; all by default", set: setFolders},
		{Name: "cloudFiles.inferColumnTypes", Status: Implemented, Default: "false", Takes: "only `false`", Doc: "all columns are strings", set: only("false", "types come with a later release: all columns of text files are strings")},
		{Name: "cloudFiles.schemaHints", Status: Refused, Takes: "only an empty value", Doc: "types of columns: all are strings", set: only("", "types come with a later release: all columns of text files are strings")},
		{Name: "cloudFiles.schemaEvolutionMode", Status: Implemented, Takes: "`addNewColumns`, `rescue`, `failOnNewColumns`, `none`", Doc: "what becomes of new columns, and of rewritten files: [project.md](project.md#schema-evolution-modes)", set: setMode},
		{Name: "rescuedDataColumn", Status: Implemented, Default: "_rescued_data", Takes: "a name that a table can have; empty for none, under mode none", Doc: "name of the rescue column", aliases: []string{"cloudFiles.rescuedDataColumn"}, set: setRescue},
		{Name: "readerCaseSensitive", Status: Implemented, Default: "false", Takes: "only `false`", Doc: "casings of a name are one column", aliases: []string{"parserCaseSensitive"}, set: only("false", "casings of a name are one column, as in the table; set false")},
		{Name: "cloudFiles.maxFileAge", Status: Refused, Doc: "files are remembered for ever, since forgetting them lands them twice"},
		{Name: "cloudFiles.backfillInterval", Status: Accepted, Takes: "any", Doc: "every run lists the whole folder, so nothing is missed between listings"},
		{Name: "cloudFiles.cleanSource", Status: Refused, Default: "OFF", Takes: "only `OFF`", Doc: "files of the source are never touched", set: only("OFF", "remove files by other means; those that have landed stay known")},
		{Name: "cloudFiles.cleanSource.retentionDuration", Status: Refused, Doc: "files of the source are never touched"},
		{Name: "cloudFiles.cleanSource.moveDestination", Status: Refused, Doc: "files of the source are never touched"},
		{Name: "cloudFiles.useStrictGlobber", Status: Accepted, Takes: "`true`, `false`", Doc: "patterns always follow Hadoop's rules", set: isTruth},
		{Name: "cloudFiles.validateOptions", Status: Accepted, Takes: "`true`, `false`", Doc: "options are always checked", set: isTruth},
	}
}

func fileOptions() []Option {
	return []Option{
		{Name: "pathGlobFilter", Status: Implemented, Takes: "a pattern: `*.csv`, `{a,b}[0-9]?.csv`", Doc: "what names of files must match, without their folders", aliases: []string{"fileNamePattern"}, set: setGlob},
		{Name: "recursiveFileLookup", Status: Implemented, Default: "true", Takes: "`true`, `false`", Doc: "take files of sub-folders too", set: setRecursive},
		{Name: "modifiedAfter", Status: Implemented, Takes: "a time: `2026-10-02`, `2026-10-02 08:30:00`, `2026-10-02T08:30:00+02:00`", Doc: "only files modified after this time; UTC without a zone", set: setAfter},
		{Name: "modifiedBefore", Status: Implemented, Takes: "a time", Doc: "only files modified before this time", set: setBefore},
		{Name: "ignoreMissingFiles", Status: Accepted, Takes: "`true`, `false`", Doc: "a file that vanishes before it is read is skipped, with an event", set: isTruth},
		{Name: "ignoreCorruptFiles", Status: Accepted, Takes: "`true`, `false`", Doc: "a file that is cut off lands its whole records, a damaged one none; the rest is quarantined with the reason, never skipped in silence", set: isTruth},
	}
}

func listingOptions() []Option {
	var all []Option
	for _, name := range []string{"useIncrementalListing", "fetchParallelism"} {
		all = append(all, Option{Name: prefix + name, Status: Accepted, Takes: "any", Doc: "every run lists the whole folder"})
	}
	for _, name := range []string{"useNotifications", "useManagedFileEvents"} {
		all = append(all, Option{
			Name: prefix + name, Status: Refused, Default: "false", Takes: "only `false`", Doc: "queues of file events: every run lists the whole folder",
			set: only("false", "every run lists the whole folder, no queue is needed; leave it out"),
		})
	}
	for name := range strings.FieldsSeq(`pathRewrites region queueUrl roleArn roleExternalId roleSessionName stsEndpoint
		awsAccessKey awsSecretKey restrictNotificationSetupToSameAWSAccountId resourceGroup subscriptionId clientId
		clientSecret tenantId connectionString queueName projectId client clientEmail privateKey privateKeyId subscription`) {
		all = append(all, Option{Name: prefix + name, Status: Refused, Doc: "it sets up queues of file events, which are not used"})
	}
	return append(all, Option{
		Name: "databricks.serviceCredential", Status: Refused, Doc: "it sets up queues of file events, which are not used",
		aliases: []string{prefix + "databricks.serviceCredential"},
	})
}

func sinkOptions() []Option {
	return []Option{
		{Name: "checkpointLocation", Status: Implemented, Takes: "a folder or `file://` URL", Doc: "place of the state, where neither the source nor the table has its files; by default `_landfall/` in the table's folder", set: isPlace},
		{Name: "mergeSchema", Status: Implemented, Default: "true", Takes: "only `true`", Doc: "the policy column_added decides on new columns", set: only("true", "set the policy column_added to rescue, ignore or fail instead")},
		{Name: "txnAppId", Status: Refused, Doc: "batches are numbered by the source's own identity"},
		{Name: "txnVersion", Status: Refused, Doc: "batches are numbered by the source's own identity"},
	}
}

func setFormat(o *Options, s Setting) *diag.Diagnostic {
	switch f := strings.ToLower(s.Value.Text); f {
	case "csv":
		o.Format = f
		return nil
	case "json", "parquet", "avro", "xml", "text", "orc", "binaryfile":
		return s.refused(f + " comes with a later release; this one lands csv")
	}
	return s.bad("csv")
}

func setMaxFiles(o *Options, s Setting) (d *diag.Diagnostic) {
	o.MaxFiles, d = s.count()
	return d
}

func setMaxBytes(o *Options, s Setting) (d *diag.Diagnostic) {
	o.MaxBytes, d = s.bytes()
	return d
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
	modes := []string{contract.AddNewColumns, contract.RescueMode, contract.FailOnNewColumns, contract.NoEvolution}
	for _, mode := range modes {
		if strings.EqualFold(mode, s.Value.Text) {
			o.Policy.Preset = mode
			return nil
		}
	}
	if strings.EqualFold(s.Value.Text, "addNewColumnsWithTypeWidening") {
		return s.refused("types come with a later release; set addNewColumns")
	}
	return s.bad(strings.Join(modes, ", "))
}

func setRescue(o *Options, s Setting) *diag.Diagnostic {
	name := s.Value.Text
	if name != schema.CleanName(name) {
		return s.bad("a name that a table can have")
	}
	if f := schema.Fold(name); f == contract.SourceFile || f == contract.IngestedAt {
		return s.bad("another name than that of a metadata column")
	}
	o.Policy.Rescue = name
	return nil
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
