package project_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/inference"
	"landfall/internal/project"
	"landfall/internal/value"
)

// set parses one option, written as name=value.
func set(text string) (project.Options, error) {
	name, value, _ := strings.Cut(text, "=")
	return project.ParseOptions(map[string]project.Value{name: {Text: value}}, project.Ours)
}

// rules are the rules that are not ours.
func rules(r inference.Rules) string {
	set := slices.DeleteFunc(strings.Fields(strings.Trim(fmt.Sprintf("%+v", r), "{}")), func(f string) bool {
		return strings.HasSuffix(f, ":false") || strings.HasSuffix(f, ":0")
	})
	return strings.Join(set, " ")
}

// effects is what an option did, in a few words.
func effects(o project.Options) string {
	var s []string
	add := func(format string, set bool, args ...any) {
		if set {
			s = append(s, fmt.Sprintf(format, args...))
		}
	}
	add("format %s", o.Format != "", o.Format)
	add("files %d", o.MaxFiles > 0, o.MaxFiles)
	add("bytes %d", o.MaxBytes > 0, o.MaxBytes)
	add("rewrite %d", o.MaxRewrite > 0, o.MaxRewrite)
	add("target %d", o.TargetSize > 0, o.TargetSize)
	add("snappy", o.Snappy)
	add("plain", o.Plain)
	add("decode", o.Decode)
	add("trust", o.Trust)
	add("new only", o.NewOnly)
	add("state %s", o.State.Name != "", o.State.Value.Text)
	add("flat", o.Flat)
	add("after %s", !o.After.IsZero(), o.After.Format(time.RFC3339))
	add("before %s", !o.Before.IsZero(), o.Before.Format(time.RFC3339))
	add("preset %s", o.Policy.Preset != "", o.Policy.Preset)
	add("rescue %s", o.Policy.Rescue != "", o.Policy.Rescue)
	add("no rescue", o.Policy.NoRescue)
	for _, kind := range slices.Sorted(maps.Keys(o.Policy.Kinds)) {
		add("%s %s", true, kind, o.Policy.Kinds[kind])
	}
	add("folders %q", o.Policy.Folders != nil, o.Policy.Folders)
	add("exact names", o.Policy.CaseSensitive)
	add("rules %s", o.Policy.Rules != inference.Rules{}, rules(o.Policy.Rules))
	add("hints %s", o.Policy.Hints.Text != "", o.Policy.Hints.Text)
	if f := o.Forms; f != nil {
		for name, p := range map[string]*value.Pattern{"date": f.Date, "timestamp": f.Timestamp, "ntz": f.TimestampNTZ} {
			add("%s %s", p != nil, name, p)
		}
		add("zone %s", f.Zone != nil, f.Zone)
		add("nan %s", f.NaN != "", f.NaN)
		add("inf %s", f.PositiveInf != "", f.PositiveInf)
		add("-inf %s", f.NegativeInf != "", f.NegativeInf)
	}
	add("no b.txt", !o.Match("a/b.txt"))
	for _, d := range o.Decoder {
		add("%s=%s", true, d.Name, d.Value.Text)
	}
	for _, n := range o.Notes {
		add("note %s", true, n)
	}
	return strings.Join(s, ", ")
}

// rows has at least one row for every option: what it does, or which code and
// words it is refused with.
const rows = `
cloudFiles.format=csv                           -> format csv
format=CSV                                      -> format csv
cloudFiles.format=json                          -> format json
cloudFiles.format=parquet                       -> format parquet
cloudFiles.format=pdf                           !> E0204 found "pdf", want csv, json or parquet
cloudFiles.maxFilesPerTrigger=5                 -> files 5
maxfilespertrigger=0                            !> E0204 want a whole number from 1 on
cloudFiles.maxBytesPerTrigger=10g               -> bytes 10737418240
cloudFiles.maxBytesPerTrigger=512MB             -> bytes 536870912
maxRewriteBytes=6g                              -> rewrite 6442450944
targetFileSize=32m                              -> target 33554432
delta.targetFileSize=much                       !> E0204 want a size
parquet.compression=SNAPPY                      -> snappy
parquet.compression=lz4                         !> E0204 found "lz4", want zstd or snappy
parquet.moveColumns=false                       -> decode
parquet.moveColumns=true                        ->
parquet.moveColumns=Trusted                     -> trust
parquet.moveColumns=perhaps                     !> E0204 want true, trusted or false
parquet.encoding=plain                          -> plain
parquet.encoding=split                          !> E0204 found "split", want delta or plain
cloudFiles.maxBytesPerTrigger=7                 -> bytes 7
cloudFiles.maxBytesPerTrigger=10 parsecs        !> E0204 want a size
cloudFiles.maxBytesPerTrigger=9999999999g       !> E0204 want a size
cloudFiles.includeExistingFiles=false           -> new only
cloudFiles.includeExistingFiles=maybe           !> E0204 want true or false
cloudFiles.allowOverwrites=true                 -> file_rewritten replace
cloudFiles.allowOverwrites=FALSE                -> file_rewritten skip
cloudFiles.schemaLocation=state/x               -> state state/x
cloudFiles.schemaLocation=                      !> E0204 want a folder or URL
checkpointLocation=state/y                      -> state state/y
cloudFiles.checkpointLocation=state/y           !> E0203 it has no prefix: write checkpointLocation
cloudFiles.partitionColumns=dt, hour            -> folders ["dt" "hour"]
cloudFiles.partitionColumns=                    -> folders []
cloudFiles.inferColumnTypes=false               -> rules Strings:true
cloudFiles.inferColumnTypes=true                ->
cloudFiles.inferColumnTypes=yes                 !> E0204 want true or false
cloudFiles.inferSchema=true                     !> E0206 the option is called cloudFiles.inferColumnTypes
cloudFiles.schemaHints=                         ->
cloudFiles.schemaHints=a INT                    -> hints a INT
cloudfiles.schemahints=a INT, b.c DATE          -> hints a INT, b.c DATE
schemaHints=a IN                                !> E0204 cloudFiles.schemaHints:
typeAgreement=0.9                               -> rules Agreement:0.9
typeAgreement=1.0                               -> rules Agreement:1
typeAgreement=0                                 !> E0204 want a share above 0
typeAgreement=NaN                               !> E0204 want a share above 0
typeAgreement=99%                               !> E0204 want a share above 0
cloudFiles.typeAgreement=0.9                    !> E0203 it has no prefix: write typeAgreement
cloudFiles.schemaEvolutionMode=addNewColumns    -> preset addNewColumns
cloudFiles.schemaEvolutionMode=RESCUE           -> preset rescue
schemaEvolutionMode=failOnNewColumns            -> preset failOnNewColumns
cloudFiles.schemaEvolutionMode=none             -> preset none
cloudFiles.schemaEvolutionMode=addNewColumnsWithTypeWidening -> preset addNewColumnsWithTypeWidening
cloudFiles.schemaEvolutionMode=all              !> E0204 want addNewColumns, addNewColumnsWithTypeWidening, rescue
cloudFiles.schemaEvolutionMode=addNewColumn     !> E0204 did you mean addNewColumns?
rescuedDataColumn=rest                          -> rescue rest
cloudFiles.rescuedDataColumn=rest               -> rescue rest
rescuedDataColumn=                              -> no rescue
rescuedDataColumn=a b                           !> E0204 want a name that a table can have
rescuedDataColumn=_Source_file                  !> E0204 want another name
readerCaseSensitive=false                       ->
cloudFiles.readerCaseSensitive=false            !> E0203 it has no prefix: write readerCaseSensitive
readerCaseSensitive=true                        -> exact names
readerCaseSensitive=maybe                       !> E0204 want true or false
parserCaseSensitive=false                       ->
cloudFiles.maxFileAge=90 days                   !> E0206 forgetting them lands them twice
cloudFiles.backfillInterval=1 day               -> note cloudFiles.backfillInterval: every run lists the whole folder, so nothing is missed between listings
cloudFiles.cleanSource=off                      ->
cloudFiles.cleanSource=DELETE                   !> E0206 remove files by other means
cloudFiles.cleanSource.retentionDuration=1 day  !> E0206 never touched
cloudFiles.cleanSource.moveDestination=x        !> E0206 never touched
cloudFiles.useStrictGlobber=true                -> note cloudFiles.useStrictGlobber: patterns always follow Hadoop's rules
cloudFiles.validateOptions=false                -> note cloudFiles.validateOptions: options are always checked
pathGlobFilter=*.csv                            -> no b.txt
fileNamePattern=*.txt                           ->
pathGlobFilter=[a                               !> E0204 want a pattern
cloudFiles.pathGlobFilter=*.csv                 !> E0203 it has no prefix: write pathGlobFilter
recursiveFileLookup=false                       -> flat
recursiveFileLookup=true                        ->
modifiedAfter=2026-10-02T08:30:00+02:00         -> after 2026-10-02T06:30:00Z
modifiedAfter=yesterday                         !> E0204 want a time
modifiedBefore=2026-10-02                       -> before 2026-10-02T00:00:00Z
ignoreMissingFiles=false                        -> note ignoreMissingFiles: a file that vanishes before it is read is skipped, with an event
ignoreCorruptFiles=true                         -> note ignoreCorruptFiles: a file that is cut off lands its whole records, a damaged one none; the rest is quarantined with the reason, never skipped in silence
cloudFiles.useIncrementalListing=auto           -> note cloudFiles.useIncrementalListing: every run lists the whole folder
cloudFiles.fetchParallelism=4                   -> note cloudFiles.fetchParallelism: every run lists the whole folder
cloudFiles.useNotifications=false               ->
cloudFiles.useNotifications=true                !> E0206 no queue is needed
cloudFiles.useManagedFileEvents=true            !> E0206 no queue is needed
cloudFiles.pathRewrites={}                      !> E0206 queues of file events
cloudFiles.region=x                             !> E0206 queues of file events
cloudFiles.queueUrl=x                           !> E0206 queues of file events
cloudFiles.roleArn=x                            !> E0206 queues of file events
cloudFiles.roleExternalId=x                     !> E0206 queues of file events
cloudFiles.roleSessionName=x                    !> E0206 queues of file events
cloudFiles.stsEndpoint=x                        !> E0206 queues of file events
cloudFiles.awsAccessKey=x                       !> E0206 queues of file events
cloudFiles.awsSecretKey=x                       !> E0206 queues of file events
cloudFiles.restrictNotificationSetupToSameAWSAccountId=x !> E0206 queues of file events
cloudFiles.resourceGroup=x                      !> E0206 queues of file events
cloudFiles.subscriptionId=x                     !> E0206 queues of file events
cloudFiles.clientId=x                           !> E0206 queues of file events
cloudFiles.clientSecret=x                       !> E0206 queues of file events
cloudFiles.tenantId=x                           !> E0206 queues of file events
cloudFiles.connectionString=x                   !> E0206 queues of file events
cloudFiles.queueName=x                          !> E0206 queues of file events
cloudFiles.projectId=x                          !> E0206 queues of file events
cloudFiles.client=x                             !> E0206 queues of file events
cloudFiles.clientEmail=x                        !> E0206 queues of file events
cloudFiles.privateKey=x                         !> E0206 queues of file events
cloudFiles.privateKeyId=x                       !> E0206 queues of file events
cloudFiles.subscription=x                       !> E0206 queues of file events
databricks.serviceCredential=x                  !> E0206 queues of file events
cloudFiles.resourceTag.team=x                   !> E0206 no cloud resources are made
header=false                                    -> header=false
sep=;                                           -> sep=;
delimiter=;                                     -> sep=;
cloudFiles.sep=;                                !> E0203 it has no prefix: write sep
cloudFiles.charset=x                            !> E0203 it has no prefix: write charset
quote='                                         -> quote='
escape=\                                        -> escape=\
comment=#                                       -> comment=#
encoding=UTF-8                                  -> encoding=UTF-8
charset=UTF-8                                   -> encoding=UTF-8
lineSep=\n                                      -> lineSep=\n
skipRows=2                                      -> skipRows=2
multiLine=true                                  -> multiLine=true
maxColumns=9                                    -> maxColumns=9
maxRecordBytes=9                                -> maxRecordBytes=9
maxCharsPerColumn=-1                            ->
maxCharsPerColumn=9                             !> E0206 maxRecordBytes bounds
nullValue=NA                                    -> nullValue=NA
cloudFiles.nullValue=NA                         !> E0203 it has no prefix: write nullValue
emptyValue=-                                    -> emptyValue=-
ignoreLeadingWhiteSpace=true                    -> ignoreLeadingWhiteSpace=true
ignoreTrailingWhiteSpace=false                  -> ignoreTrailingWhiteSpace=false
enforceSchema=false                             -> note enforceSchema: the names of the header decide, never the position
inferSchema=true                                !> E0206 the option is called cloudFiles.inferColumnTypes
mode=permissive                                 -> record_malformed rescue
mode=DROPMALFORMED                              -> record_malformed drop
mode=FAILFAST                                   -> record_malformed fail
mode=strict                                     !> E0204 want PERMISSIVE, DROPMALFORMED or FAILFAST
columnNameOfCorruptRecord=c                     -> note columnNameOfCorruptRecord: the text of a malformed record is in the rescue column under _corrupt_record, or in quarantine, not in a column of its own
badRecordsPath=x                                !> E0206 landfall files --quarantined
charToEscapeQuoteEscaping=x                     -> charToEscapeQuoteEscaping=x
unescapedQuoteHandling=x                        -> unescapedQuoteHandling=x
failOnUnknownFields=true                        -> column_added fail
failOnWidenedFields=true                        -> type_wider fail
failOnWidenedFields=false                       ->
preferDate=true                                 ->
preferDate=false                                -> rules NoDates:true
dateFormat=dd.MM.yyyy                           -> date dd.MM.yyyy
dateFormat=dd.QQ                                !> E0204 want a pattern of Spark
timestampFormat=dd/MM/yyyy HH:mm[:ss]           -> timestamp dd/MM/yyyy HH:mm[:ss]
timestampFormat=dd/MM/yyyy [HH                  !> E0204 timestampFormat: 
timestampNTZFormat=yyyy-MM-dd HH:mm             -> ntz yyyy-MM-dd HH:mm
timeZone=UTC                                    -> zone UTC
timeZone=Europe/Oslo                            -> zone Europe/Oslo
timeZone=GMT+02:00                              -> zone +02:00
timeZone=-05:30                                 -> zone -05:30
timeZone=Oslo                                   !> E0204 want a zone
timeZone=                                       !> E0204 want a zone
timeZone=Local                                  !> E0204 want a zone
timeZone=+2                                     !> E0204 want a zone
locale=US                                       ->
locale=en_us                                    ->
locale=fr-FR                                    !> E0206 names of months in other languages
nanValue=x                                      -> nan x
positiveInf=x                                   -> inf x
negativeInf=x                                   -> -inf x
mergeSchema=true                                ->
mergeSchema=false                               !> E0206 set the policy column_added
txnAppId=x                                      !> E0206 the source's own identity
txnVersion=x                                    !> E0206 the source's own identity
primitivesAsString=true                         -> rules PrimitivesAsString:true
prefersDecimal=true                             -> rules PrefersDecimal:true
inferTimestamp=true                             -> rules Timestamps:true
inferTimestamp=x                                !> E0204 want true or false
dropFieldIfAllNull=true                         -> rules DropAllNull:true
singleVariantColumn=x                           !> E0206 objects become structs
allowComments=true                              -> allowComments=true
allowUnquotedFieldNames=true                    -> allowUnquotedFieldNames=true
allowUnquotedControlChars=true                  -> allowUnquotedControlChars=true
allowNumericLeadingZeros=true                   -> allowNumericLeadingZeros=true
allowBackslashEscapingAnyCharacter=true         -> allowBackslashEscapingAnyCharacter=true
allowSingleQuotes=true                          -> allowSingleQuotes=true
allowNonNumericNumbers=true                     -> allowNonNumericNumbers=true
rowTag=x                                        !> E0206 XML comes with a later release
attributePrefix=x                               !> E0206 XML comes with a later release
valueTag=x                                      !> E0206 XML comes with a later release
excludeAttribute=x                              !> E0206 XML comes with a later release
ignoreSurroundingSpaces=x                       !> E0206 XML comes with a later release
ignoreNamespace=x                               !> E0206 XML comes with a later release
rowValidationXSDPath=x                          !> E0206 XML comes with a later release
samplingRatio=x                                 !> E0206 XML comes with a later release
datetimeRebaseMode=CORRECTED                    -> datetimeRebaseMode=CORRECTED
datetimeRebaseMode=legacy                       -> datetimeRebaseMode=legacy
datetimeRebaseMode=EXCEPTION                    !> E0206 say how those days are counted
datetimeRebaseMode=x                            !> E0204 want CORRECTED or LEGACY
int96RebaseMode=LEGACY                          -> int96RebaseMode=LEGACY
int96RebaseMode=EXCEPTION                       !> E0206 say how those days are counted
cloudFiles.int96RebaseMode=LEGACY               !> E0203 it has no prefix: write int96RebaseMode
avroSchema=x                                    !> E0206 Avro comes with a later release
wholeText=x                                     !> E0206 text comes with a later release
headr=true                                      !> E0203 did you mean header?
cloudFiles.maxFilePerTrigger=1                  !> E0203 did you mean cloudFiles.maxFilesPerTrigger?
banana=1                                        !> E0203 options are those of Auto Loader
`

func TestEveryOption(t *testing.T) {
	tested := make(map[string]bool)
	for line := range strings.SplitSeq(strings.TrimSpace(rows), "\n") {
		text, want, refused := strings.Cut(line, "!>")
		if !refused {
			text, want, _ = strings.Cut(line, "->")
		}
		text, want = strings.TrimSpace(text), strings.TrimSpace(want)
		name, _, _ := strings.Cut(text, "=")
		tested[strings.ToLower(name)] = true
		o, err := set(text)
		if !refused {
			if got := effects(o); err != nil || got != want {
				t.Errorf("%s: got %q, %v; want %q", text, got, err, want)
			}
			continue
		}
		code, words, _ := strings.Cut(want, " ")
		if got := diag.Render(err, false); string(diag.CodeOf(err)) != code || !strings.Contains(got, words) {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for _, o := range project.OptionTable() {
		if !tested[strings.ToLower(o.Name)] {
			t.Errorf("no row tests %s", o.Name)
		}
		if o.Doc == "" || !slices.Contains([]project.Status{project.Implemented, project.Accepted, project.Refused}, o.Status) {
			t.Errorf("%s: %q, %q", o.Name, o.Status, o.Doc)
		}
	}
}

func TestOptionsTogether(t *testing.T) {
	value := func(text string, line int64) project.Value {
		return project.Value{Text: text, Key: diag.Place{Line: line, Column: 1}, At: diag.Place{Line: line, Column: 9}}
	}
	for _, c := range []struct {
		values map[string]project.Value
		want   string
	}{
		{map[string]project.Value{"cloudFiles.rescuedDataColumn": value("", 1), "schemaEvolutionMode": value("none", 2)}, "preset none, no rescue"},
		{map[string]project.Value{"cloudFiles.allowOverwrites": value("true", 1), "schemaEvolutionMode": value("rescue", 2)}, "preset rescue, file_rewritten append"},
		{
			map[string]project.Value{"cloudFiles.schemaLocation": value("a", 1), "checkpointLocation": value("b", 2)},
			"state b, note cloudFiles.schemaLocation: the contract is kept with the rest of the state, at checkpointLocation",
		},
		{map[string]project.Value{"format": value("csv", 1), "mode": value("FAILFAST", 2), "allowOverwrites": value("true", 3)}, "format csv, file_rewritten replace, record_malformed fail"},
		{
			map[string]project.Value{"cloudFiles.format": value("json", 1), "header": value("true", 2), "delimiter": value(";", 3)},
			"2:1: header is an option of csv, and the files are json [E0206]\n3:1: sep is an option of csv, and the files are json [E0206]",
		},
		{
			map[string]project.Value{"cloudFiles.format": value("csv", 1), "schemaHints": value("a INT, b.c DATE, d ARRAY<INT>", 2)},
			"2:8: cloudFiles.schemaHints: found a hint for parts of \"b\", want a type without parts: files of csv have no nesting [E0204]\n2:18: cloudFiles.schemaHints: found \"array<int>\", want a type without parts: files of csv have no nesting [E0204]",
		},
		{
			map[string]project.Value{"schemaHints": value("a INT, _Rescued_data INT, b DATE, _source_file.x DATE", 1), "rescuedDataColumn": value("B", 2)},
			"1:8: cloudFiles.schemaHints: found a hint for \"_Rescued_data\", want one for a column of the files: landfall fills this one [E0204]\n" +
				"1:27: cloudFiles.schemaHints: found a hint for \"b\", want one for a column of the files: landfall fills this one [E0204]\n" +
				"1:35: cloudFiles.schemaHints: found a hint for \"_source_file\", want one for a column of the files: landfall fills this one [E0204]",
		},
		{
			map[string]project.Value{"schemaHints": value("a INT NOT NULL, b STRUCT<c: DATE, d: INT NOT NULL>", 1)},
			"hints a INT NOT NULL, b STRUCT<c: DATE, d: INT NOT NULL>, note cloudFiles.schemaHints: NOT NULL does not hold for a, b.d: columns of files may be null, as with the readers of Spark",
		},
		{
			map[string]project.Value{"cloudFiles.format": value("csv", 1), "allowComments": value("true", 2)},
			"2:1: allowComments is an option of json, and the files are csv [E0206]",
		},
		{
			map[string]project.Value{"sep": value(",", 2), "delimiter": value(";", 1), "headr": value("x", 3)},
			"2:1: option \"sep\" stands here as \"delimiter\" too [E0203]\n3:1: unknown option \"headr\" [E0203]",
		},
	} {
		o, err := project.ParseOptions(c.values, project.Ours)
		got := effects(o)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestDigest(t *testing.T) {
	digest := func(text string) string {
		o, err := set(text)
		if err != nil {
			t.Fatal(err)
		}
		return o.Digest()
	}
	if digest("sep=;") != digest("delimiter=;") || digest("format=csv") != digest("cloudFiles.format=csv") {
		t.Error("two spellings of one option have two digests")
	}
	seen := map[string]string{(project.Options{}).Digest(): "nothing"}
	for _, text := range []string{
		"sep=;", "sep=,", "schemaHints=a INT", "schemaHints=a LONG", "inferColumnTypes=false", "typeAgreement=1", "dateFormat=dd.MM.yyyy",
		"timeZone=Europe/Oslo", "nanValue=x", "prefersDecimal=true", "readerCaseSensitive=true", "rescuedDataColumn=", "rescuedDataColumn=r",
		"schemaEvolutionMode=rescue", "nullValue=x", "preferDate=false", "partitionColumns=",
	} {
		if twin, ok := seen[digest(text)]; ok {
			t.Errorf("%s has the digest of %s", text, twin)
		}
		seen[digest(text)] = text
	}
	if digest("maxFilesPerTrigger=5") != (project.Options{}).Digest() {
		t.Error("which files are taken is part of the digest")
	}
}

// What is for text is refused for Parquet, by name; what is for values of any kind
// is taken.
func TestOptionsOfParquet(t *testing.T) {
	taken := strings.Fields("cloudFiles.schemaHints dateFormat timestampFormat timestampNTZFormat timeZone locale failOnUnknownFields " +
		"failOnWidenedFields maxColumns datetimeRebaseMode int96RebaseMode readerCaseSensitive rescuedDataColumn " +
		"cloudFiles.schemaEvolutionMode mergeSchema cloudFiles.inferColumnTypes")
	refused := strings.Fields("header sep encoding mode multiLine typeAgreement primitivesAsString allowComments nullValue maxRecordBytes")
	for _, option := range project.OptionTable() {
		wants := option.Formats == nil || slices.Contains(option.Formats, "parquet")
		if slices.Contains(taken, option.Name) && !wants || slices.Contains(refused, option.Name) && wants {
			t.Errorf("%s is for %v", option.Name, option.Formats)
		}
	}
	o, err := project.ParseOptions(map[string]project.Value{"header": {Text: "true"}, "inferColumnTypes": {Text: "false"}}, project.Ours)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.DecoderOf("parquet"); err == nil || err.Error() != "header is an option of csv, and the files are parquet [E0206]" {
		t.Errorf("got %v", err)
	}
	for format, want := range map[string]string{"csv": "[]", "parquet": "[cloudFiles.inferColumnTypes: it changes nothing, since the files have types]"} {
		if got := fmt.Sprint(o.NotesOf(format)); got != want {
			t.Errorf("%s: got %s, want %s", format, got, want)
		}
	}
	o, err = project.ParseOptions(map[string]project.Value{"int96RebaseMode": {Text: "CORRECTED"}}, project.AutoLoader)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	settings, err := o.DecoderOf("parquet")
	for _, s := range settings {
		got = append(got, s.Name+"="+s.Value.Text)
	}
	if want := "[datetimeRebaseMode=LEGACY int96RebaseMode=LEGACY int96RebaseMode=CORRECTED]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("Parquet is read with %v, %v; want %s", got, err, want)
	}
}

// Under the defaults of Auto Loader what is set comes first.
func TestDefaultsOfAutoLoader(t *testing.T) {
	for _, c := range []struct {
		values map[string]project.Value
		want   string
	}{
		{nil, "preset addNewColumns, exact names, rules Strings:true Agreement:1 NullLikesVote:true"},
		{map[string]project.Value{"inferColumnTypes": {Text: "true"}, "readerCaseSensitive": {Text: "false"}}, "preset addNewColumns, rules Agreement:1 NullLikesVote:true"},
		{map[string]project.Value{"schemaEvolutionMode": {Text: "none"}, "typeAgreement": {Text: "0.5"}}, "preset none, exact names, rules Strings:true Agreement:0.5 NullLikesVote:true"},
		{map[string]project.Value{"allowOverwrites": {Text: "true"}}, "preset addNewColumns, file_rewritten append, exact names, rules Strings:true Agreement:1 NullLikesVote:true"},
	} {
		o, err := project.ParseOptions(c.values, project.AutoLoader)
		if got := effects(o); err != nil || got != c.want {
			t.Errorf("%v: got %s, %v; want %s", c.values, got, err, c.want)
		}
		if o.Digest() == (project.Options{}).Digest() {
			t.Error("the digest is that of our defaults")
		}
	}
	o, err := project.ParseOptions(map[string]project.Value{"allowSingleQuotes": {Text: "false"}}, project.AutoLoader)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	settings, err := o.DecoderOf("json")
	for _, s := range settings {
		got = append(got, s.Name+"="+s.Value.Text)
	}
	if want := []string{"allowNonNumericNumbers=true", "allowSingleQuotes=true", "allowSingleQuotes=false"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("JSON is read with %v, %v; want %v", got, err, want)
	}
	if _, err := project.ParseDefaults(project.Value{Text: "spark"}); diag.CodeOf(err) != diag.BadOption {
		t.Errorf("got %v", err)
	}
}

// A mistake within a value is shown where it stands, on the command line too.
func TestPlaceWithin(t *testing.T) {
	_, err := project.ParseOptions(map[string]project.Value{
		"cloudFiles.schemaHints": {Text: "a INT,\n  b DECIML(10,2)", At: diag.Place{File: "--option"}},
	}, project.Ours)
	const want = "    │   b DECIML(10,2)\n      │     ^^^^^^"
	if got := diag.Render(err, false); !strings.HasPrefix(got, "--option: cloudFiles.schemaHints: ") || !strings.Contains(got, want) {
		t.Errorf("got\n%s", got)
	}
}

func TestDocumented(t *testing.T) {
	for spelt, want := range map[string]string{
		"schemahints": "cloudFiles.schemaHints", "cloudFiles.pathGlobFilter": "pathGlobFilter", "delimiter": "sep",
		"CLOUDFILES.FORMAT": "cloudFiles.format", "banana": "",
	} {
		if got, ok := project.Documented(spelt); ok != (want != "") || ok && got != want {
			t.Errorf("%s: got %s, %v", spelt, got, ok)
		}
	}
}

func TestLocate(t *testing.T) {
	v := project.Value{Text: "x", At: diag.Place{File: "p.yaml", Line: 3, Column: 5}, Excerpt: "sep: x"}
	got := v.Locate(fmt.Errorf("decoder: %w", diag.New(diag.BadOption, "bad")))
	if got.Error() != "p.yaml:3:5: bad [E0204]" {
		t.Errorf("got %v", got)
	}
	placed := diag.New(diag.BadOption, "bad").In(diag.Place{File: "q"})
	if got := v.Locate(placed); got.Error() != "q: bad [E0204]" {
		t.Errorf("got %v", got)
	}
}

var update = flag.Bool("update", false, "rewrite the goldens")

// A default that the table names is taken, and does nothing.
func TestDefaults(t *testing.T) {
	for _, option := range project.OptionTable() {
		if option.Default == "" {
			continue
		}
		o, err := set(option.Name + "=" + option.Default)
		if err != nil {
			t.Errorf("%s=%s: %v", option.Name, option.Default, err)
		}
		if option.Status == project.Refused && effects(o) != "" {
			t.Errorf("%s=%s: does %s", option.Name, option.Default, effects(o))
		}
	}
}

// docs/options.md holds the table of options.
func TestOptionsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Options of a source

The options of a source bear the names of Auto Loader and of its readers, in any
casing. They stand under ` + "`options:`" + ` in landfall.yaml, or follow ` + "`--option`" + ` as
key=value. Those that begin with ` + "`cloudFiles.`" + ` may be written without it; the
others may not have it. An unknown one is an error, and so is one of another format
than the files have.

- *yes*: does what it says.
- *no effect*: taken so that a configuration works as it is; each run says why it
  changes nothing.
- *refused*: an error, since leaving it out in silence would change what lands. Where
  a value is named, that one is taken.

In values of characters, ` + "`\\t`, `\\n`, `\\r`, `\\\\`, `\\0` and `\\u0001`" + ` stand for characters that are hard to type.

The defaults are Landfall's own; under ` + "`compat: autoloader`" + ` ([project file](project.md))
they are Auto Loader's. How types are found is written in [inference.md](inference.md).

| option | | formats | default | takes | meaning, or why not |
|---|---|---|---|---|---|
`)
	words := map[project.Status]string{project.Implemented: "yes", project.Accepted: "no effect", project.Refused: "refused"}
	for _, o := range project.OptionTable() {
		def := ""
		if o.Default != "" {
			def = "`" + o.Default + "`"
		}
		formats := strings.Join(o.Formats, ", ")
		if formats == "" {
			formats = "all"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", o.Name, words[o.Status], formats, def, o.Takes, o.Doc)
	}
	const page = "../../docs/options.md"
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Errorf("%s is not up to date: go test ./internal/project -update", page)
	}
}
