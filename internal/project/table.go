package project

import (
	"slices"
	"strings"

	"landfall/internal/diag"
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
	// Formats are the formats whose files it is for, nil for all.
	Formats []string
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
	// idle says why it changes nothing for the files of a format, "" if it does;
	// nil: what it says holds for all.
	idle func(format string) string
	// decides tells that the option says how values become cells, without being
	// one of the decoder's.
	decides bool
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

// isFor reports whether the option is one for files of a format.
func (k *Option) isFor(format string) bool {
	return k.Formats == nil || slices.Contains(k.Formats, format)
}

// OptionTable lists every option that is known: Auto Loader's, its readers',
// and those of the sink.
func OptionTable() []Option {
	return slices.Concat(commonOptions(), fileOptions(), typeOptions(), csvOptions(), jsonOptions(), parquetOptions(), listingOptions(), sinkOptions(), otherReaders())
}

// Documented returns the documented name of an option from any of its spellings.
// One whose prefix is too much is found without it.
func Documented(spelt string) (name string, ok bool) {
	for _, text := range []string{spelt, withoutPrefix(spelt)} {
		for _, o := range OptionTable() {
			if slices.ContainsFunc(o.spellings(), func(s string) bool { return strings.EqualFold(s, text) }) {
				return o.Name, true
			}
		}
	}
	return spelt, false
}

func withoutPrefix(name string) string {
	bare, _ := cutPrefix(name)
	return bare
}

func commonOptions() []Option {
	return []Option{
		{Name: "cloudFiles.format", Status: Implemented, Takes: "`csv`, `json`, `parquet`", Doc: "format of the files; by default that of most names in the folder", set: setFormat},
		{Name: "cloudFiles.maxFilesPerTrigger", Status: Implemented, Default: "1000", Takes: "a whole number from 1 on", Doc: "most files of a batch", set: setMaxFiles},
		{Name: "cloudFiles.maxBytesPerTrigger", Status: Implemented, Takes: "a size: `1000`, `512k`, `64m`, `10g`", Doc: "bytes after which a batch is full, in whole files; no limit by default", set: setMaxBytes},
		{Name: "maxRewriteBytes", Status: Implemented, Default: "4g", Takes: "a size: `512m`, `10g`", Doc: "Landfall's own: bytes of the table's files that are written again at most when the type of a column widens; beyond, values that do not fit are rescued and the event says what it would take", set: setMaxRewrite},
		{Name: "targetFileSize", Status: Implemented, Default: "128m", Takes: "a size: `32m`, `1g`", Doc: "size at which a data file of the table is closed", aliases: []string{"delta.targetFileSize"}, set: setTargetSize},
		{Name: "parquet.compression", Status: Implemented, Default: "zstd", Takes: "`zstd`, `snappy`", Doc: "how data files are compressed; columns that are moved out of Parquet files stay as they are", set: setCompression},
		{Name: "parquet.encoding", Status: Implemented, Default: "delta", Takes: "`delta`, `plain`", Doc: "Landfall's own: how integers, dates and timestamps are stored. `plain` is larger, for readers that do not know DELTA_BINARY_PACKED (Spark does since 3.3)", set: setEncoding},
		{Name: "parquet.moveColumns", Status: Implemented, Default: "true", Takes: "`true`, `trusted`, `false`", Doc: "Landfall's own: columns of Parquet files of 1 MiB and more that are what the table has are moved as they are. `true`: their pages are unpacked before, to see that each value can be read. `trusted`: they are not, and what the files say of them is believed, at a third of the CPU. `false`: all columns are decoded", set: setCopy, decides: true},
		{Name: "cloudFiles.includeExistingFiles", Status: Implemented, Default: "true", Takes: "`true`, `false`", Doc: "land the files that are there before the first run", set: setExisting},
		{Name: "cloudFiles.allowOverwrites", Status: Implemented, Takes: "`true`, `false`", Doc: "what becomes of a file that was rewritten. `true`: its rows are replaced (under a schemaEvolutionMode: its new rows are added to the old ones); `false`: its new version is skipped for good. By default replaced, under a schemaEvolutionMode skipped. The policy file_rewritten comes first", set: isTruth},
		{Name: "cloudFiles.schemaLocation", Status: Implemented, Takes: "a folder or `file://` URL", Doc: "place of the state, if checkpointLocation names none; by default `_landfall/` in the table's folder", set: isPlace},
		{Name: "cloudFiles.partitionColumns", Status: Implemented, Takes: "names between commas; empty for none", Doc: "keys of k=v folders that become columns; all by default", set: setFolders, decides: true},
		{Name: "cloudFiles.schemaEvolutionMode", Status: Implemented, Takes: "`addNewColumns`, `addNewColumnsWithTypeWidening`, `rescue`, `failOnNewColumns`, `none`", Doc: "what becomes of new columns, of malformed records and of rewritten files: [project.md](project.md#schema-evolution-modes). addNewColumnsWithTypeWidening lets types widen as Auto Loader does; the values of wider types that others bring are rescued", set: setMode},
		{Name: "rescuedDataColumn", Status: Implemented, Default: "_rescued_data", Takes: "a name that a table can have; empty for none", Doc: "name of the rescue column. Without one, rows with values that fit no column go to quarantine; under mode none those values are dropped, and counted", aliases: []string{"cloudFiles.rescuedDataColumn"}, set: setRescue},
		{Name: "readerCaseSensitive", Status: Implemented, Default: "false", Takes: "`true`, `false`", Doc: "another casing of a column is not that column: its values are rescued. `false`: all casings of a name are one column. Under `compat: autoloader` it is `true`", aliases: []string{"parserCaseSensitive"}, set: setCase, decides: true},
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
