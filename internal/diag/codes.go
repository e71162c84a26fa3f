package diag

import (
	"maps"
	"slices"
)

// Exit is the process status that a problem leads to (design: exit codes).
type Exit int

// The exit codes of every command.
const (
	ExitOK          Exit = 0   // the promise held
	ExitError       Exit = 1   // an error
	ExitUsage       Exit = 2   // usage or configuration
	ExitRule        Exit = 3   // a rule the user set stopped the run
	ExitConflict    Exit = 4   // a conflict lost for good
	ExitInterrupted Exit = 130 // interrupted
)

// Entry describes a code.
type Entry struct {
	// Title says the problem in a few words.
	Title string
	// Exit is the status a command ends with when this is its error.
	Exit Exit
	// Example says in one line what provokes it; a test does.
	Example string
}

// The codes. E01 usage, E02 project file, E03 stores, E04 input data, E05
// tables, E06 state, E07 contract and policy, E08 queries and plans, E09 data flows, E10 SQL and pipelines.
const (
	Usage             Code = "E0101"
	UnknownOption     Code = "E0203"
	BadOption         Code = "E0204"
	ProjectSyntax     Code = "E0201"
	ProjectKey        Code = "E0202"
	NoProject         Code = "E0205"
	OptionRefused     Code = "E0206"
	FolderMissing     Code = "E0301"
	NoPermission      Code = "E0302"
	StoreUnreachable  Code = "E0303"
	StoreFull         Code = "E0304"
	NoCreateIfAbsent  Code = "E0305"
	NoExchange        Code = "E0306"
	AlertTarget       Code = "E0307"
	RecordMalformed   Code = "E0401"
	FileUnreadable    Code = "E0402"
	FileForeign       Code = "E0403"
	TooManyColumns    Code = "E0404"
	RecordTooLong     Code = "E0405"
	Encoding          Code = "E0406"
	NoFormat          Code = "E0407"
	FileCorrupt       Code = "E0408"
	ValueMisfit       Code = "E0409"
	NotDelta          Code = "E0501"
	UnknownFeature    Code = "E0502"
	LogBroken         Code = "E0503"
	AppendOnly        Code = "E0504"
	Constraint        Code = "E0505"
	ConflictLost      Code = "E0506"
	ReplaceRefused    Code = "E0507"
	TableMissing      Code = "E0508"
	AuditFailed       Code = "E0509"
	ChangesGone       Code = "E0510"
	StateLost         Code = "E0601"
	TableRestored     Code = "E0602"
	TableRecreated    Code = "E0603"
	SourceMoved       Code = "E0604"
	StateBroken       Code = "E0605"
	StateForeign      Code = "E0606"
	PolicyFail        Code = "E0701"
	BadDecision       Code = "E0702"
	GateClosed        Code = "E0703"
	CopyDiffers       Code = "E0704"
	DrillFailed       Code = "E0705"
	QueryFailed       Code = "E0801"
	PlanInvalid       Code = "E0810"
	AssertFailed      Code = "E0811"
	FlowSyntax        Code = "E0901"
	FlowName          Code = "E0902"
	FlowGraph         Code = "E0903"
	FlowResource      Code = "E0904"
	FlowLint          Code = "E0905"
	FlowLayout        Code = "E0906"
	FlowRefused       Code = "E0907"
	FlowColumn        Code = "E0908"
	FlowType          Code = "E0909"
	FlowInput         Code = "E0910"
	FlowPlace         Code = "E0911"
	FlowService       Code = "E0912"
	SQLSyntax         Code = "E1001"
	SQLName           Code = "E1002"
	SQLType           Code = "E1003"
	SQLRefused        Code = "E1004"
	PipelineGraph     Code = "E1005"
	PipelineStream    Code = "E1006"
	PipelineRule      Code = "E1007"
	ExpectationFailed Code = "E1008"
	PipelineState     Code = "E1009"
)

// Codes lists all codes in order.
func Codes() []Code { return slices.Sorted(maps.Keys(entries())) }

// Explain returns the entry of a code; ok is false for an unknown one.
func Explain(c Code) (Entry, bool) {
	e, ok := entries()[c]
	return e, ok
}

// entries is a function so that the package keeps no mutable state.
func entries() map[Code]Entry {
	return map[Code]Entry{
		Usage:             {"wrong use of a command", ExitUsage, "landfall land with one argument outside a project"},
		ProjectSyntax:     {"landfall.yaml cannot be parsed", ExitUsage, "an unclosed bracket"},
		ProjectKey:        {"unknown or misplaced key in landfall.yaml", ExitUsage, "sourcs: instead of sources:"},
		UnknownOption:     {"unknown option", ExitUsage, "cloudFiles.pathGlobFilter, which has no prefix"},
		BadOption:         {"option value not understood", ExitUsage, "maxFilesPerTrigger: many"},
		OptionRefused:     {"option or value that is not supported", ExitUsage, "cloudFiles.useNotifications: true"},
		NoProject:         {"no project here", ExitUsage, "landfall land without arguments in an empty folder"},
		FolderMissing:     {"source folder does not exist", ExitError, "landfall land nowhere t"},
		NoPermission:      {"no permission", ExitError, "a file that may not be read"},
		StoreUnreachable:  {"the store did not answer", ExitError, "every call times out"},
		StoreFull:         {"no space left", ExitError, "the disk fills up while data is written"},
		NoCreateIfAbsent:  {"store cannot create-if-absent", ExitError, "a file system without hard links"},
		NoExchange:        {"two folders cannot be exchanged", ExitError, "folders of two file systems"},
		AlertTarget:       {"a target of alerts did not take a message", ExitError, "landfall alert test with a webhook that nobody listens at"},
		RecordMalformed:   {"record cannot be parsed", ExitError, "a quote that is never closed"},
		FileUnreadable:    {"file cannot be read", ExitError, "a gzip file cut short"},
		FileForeign:       {"file does not belong to this feed", ExitError, "an HTML error page named .csv"},
		TooManyColumns:    {"more columns than allowed", ExitError, "a header of 100,000 names"},
		RecordTooLong:     {"record longer than allowed", ExitError, "a record of 1 GB"},
		Encoding:          {"bytes that are not text in the file's encoding", ExitError, "Latin-1 bytes in a file declared UTF-8"},
		NoFormat:          {"no files of a format that can be landed", ExitError, "a folder of Avro files"},
		FileCorrupt:       {"file is damaged", ExitError, "a flipped bit in a gzip file"},
		ValueMisfit:       {"record with a value that no column takes", ExitError, "text in a bigint column under value_misfit: quarantine"},
		NotDelta:          {"the target holds files but no Delta table", ExitError, "a folder of Parquet files as the target"},
		UnknownFeature:    {"table feature not supported", ExitError, "a table with a feature of tomorrow"},
		LogBroken:         {"the Delta log is broken", ExitError, "a missing version"},
		AppendOnly:        {"table allows appends only", ExitError, "a rewritten file and delta.appendOnly"},
		Constraint:        {"rows would violate a constraint of the table", ExitError, "a CHECK constraint set by another tool"},
		ConflictLost:      {"lost a conflict for good", ExitConflict, "another writer commits faster than we can follow"},
		AuditFailed:       {"the table is not as its files say", ExitRule, "a data file with a cell that somebody changed"},
		ChangesGone:       {"the log no longer tells what is new", ExitError, "a log that was cleaned past the version a pipeline had read"},
		ReplaceRefused:    {"old rows cannot be told apart", ExitError, "a table rewritten without _source_file"},
		TableMissing:      {"no table here", ExitError, "landfall query over a folder without a table"},
		StateLost:         {"state folder is gone", ExitError, "_landfall was deleted"},
		TableRestored:     {"table was restored to an older version", ExitError, "RESTORE after a landing"},
		TableRecreated:    {"table is another one than before", ExitError, "the table was dropped and made again"},
		SourceMoved:       {"source folder moved", ExitError, "the same feed under another path"},
		StateBroken:       {"a state file cannot be read", ExitError, "a half-written mark"},
		StateForeign:      {"state belongs to another source", ExitError, "--source other for a folder that landed under another name"},
		PolicyFail:        {"a policy stopped the run", ExitRule, "column_added: fail"},
		BadDecision:       {"a decision that cannot be carried out", ExitUsage, "a column that is mapped to two others"},
		GateClosed:        {"a gate does not let a folder pass", ExitRule, "a file of a new schema in a folder that is inspected with --gate"},
		CopyDiffers:       {"a copy is not as its files say", ExitRule, "a value of a repaired folder that somebody changed"},
		DrillFailed:       {"a step of a drill failed", ExitRule, "landfall drill in a project without alerts"},
		QueryFailed:       {"the query is wrong", ExitError, "SELECT nope"},
		PlanInvalid:       {"steps that do not fit together", ExitError, "two streams that take their rows from each other"},
		FlowSyntax:        {"the script of a data flow cannot be read", ExitUsage, "a text that is never closed"},
		FlowName:          {"a data flow names what does not exist", ExitUsage, "derived(…) instead of derive(…)"},
		FlowGraph:         {"the streams of a data flow do not fit together", ExitUsage, "an input that no transformation makes"},
		AssertFailed:      {"an assert stopped the run", ExitRule, "a row that breaks expectTrue(…) under abort: true"},
		FlowResource:      {"no data flow here", ExitUsage, "a JSON file without a script"},
		FlowLint:          {"a data flow will fail or lose columns when its files change", ExitRule, "landfall flow lint --fail-on loses over a sink with a fixed mapping"},
		FlowLayout:        {"a script is not laid out as flow fmt does", ExitRule, "landfall flow fmt --check over a script in one line"},
		FlowRefused:       {"a part of a data flow that does not run", ExitUsage, "a call of a REST service"},
		FlowColumn:        {"a data flow names a column that is not there", ExitError, "price * 2 where price is drifted"},
		FlowType:          {"a value of a data flow has the wrong type", ExitUsage, "upper(12)"},
		FlowInput:         {"the columns of files are not those that a data flow wants", ExitError, "a projection with a column that no file has"},
		FlowPlace:         {"no place on this machine for what a data flow reads or writes", ExitUsage, "a source without --source and without a location"},
		FlowService:       {"the service refuses what runs here", ExitRule, "a file with INT96 timestamps under --strict adf"},
		SQLSyntax:         {"SQL that cannot be read", ExitUsage, "a SELECT with a comma before FROM"},
		SQLName:           {"SQL names a table, column or function that is not there", ExitUsage, "SELECT fare_amout of a table with fare_amount"},
		SQLType:           {"SQL has a value of another type than is wanted", ExitUsage, "an expectation that is a number"},
		SQLRefused:        {"SQL that would have another meaning here", ExitUsage, "SELECT … TABLESAMPLE (10 PERCENT)"},
		PipelineGraph:     {"the datasets of a pipeline do not fit together", ExitUsage, "two tables that read each other"},
		PipelineStream:    {"a stream where none can be, or none where one must be", ExitUsage, "a streaming table FROM bronze without STREAM"},
		PipelineRule:      {"an expectation that cannot be one", ExitUsage, "two expectations of one name"},
		ExpectationFailed: {"rows break an expectation that fails the update", ExitRule, "a row with amount -1 under EXPECT (amount > 0) ON VIOLATION FAIL UPDATE"},
		PipelineState:     {"a table does not fit what its pipeline knows of it", ExitError, "a source table that was made anew"},
	}
}
