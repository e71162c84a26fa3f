package syntax

import (
	"maps"
	"slices"
	"strings"
)

// takes says which arguments a transformation has besides settings and clauses.
type takes uint8

const (
	takesValues takes = 1 << iota
	takesAssigns
	takesPatterns
)

// verb is what a transformation may have.
type verb struct {
	// least and most bound how many streams go in; most is -1 for any number.
	least, most int
	takes       takes
	// options and clauses are the names of its settings and groups.
	options, clauses []string
	// connector is whether stores and formats add options of their own, of which no
	// list is whole.
	connector bool
}

// vocabulary is all words that scripts are made of.
type vocabulary struct {
	verbs map[string]verb
	// clauses are the names of all groups.
	clauses map[string]bool
}

// Verbs are the names of all transformations.
func Verbs() []string { return slices.Sorted(maps.Keys(newVocabulary().verbs)) }

// baseTypes are the types that a single word names.
func baseTypes() []string {
	return []string{"boolean", "byte", "short", "integer", "long", "float", "double", "decimal", "string", "date", "timestamp", "binary", "any"}
}

// list joins words for a message.
func list(words []string) string { return strings.Join(words, ", ") }

const (
	driftOptions  = "allowSchemaDrift validateSchema"
	mapOptions    = "skipDuplicateMapInputs skipDuplicateMapOutputs"
	placeOptions  = "format store fileSystem container folderPath fileName compressionType compressionLevel"
	textOptions   = "columnDelimiter rowDelimiter quoteChar escapeChar columnNamesAsHeader nullValue encoding multiLineRow quoteAll"
	tableOptions  = "tableName schemaName database isolationLevel staged stagingFolderPath query batchSize queryTimeout keys"
	jsonOptions   = "documentForm singleDocument unquotedColumnNames asComments singleQuoted backslashEscape"
	cdmOptions    = "entity entityPath corpusPath corpusStore corpusFolder manifestType manifestName localEntity adlsgen2_fileSystem"
	deltaOptions  = "timestampAsOf versionAsOf"
	sourceOptions = "inferDriftedColumnTypes useSchema preferredIntegralType preferredFractionalType dateFormats timestampFormats booleanFormats " +
		"wildcardPaths partitionRootPath fileList rowUrlColumn moveFiles purgeFiles modifiedAfter modifiedBefore ignoreNoFilesFound limit skipLines " +
		"enableCdc mode maxColumns validationMode namespaces namespacePrefixes sheetName sheetIndex range firstRowAsHeader inferSchema caseInsensitive"
	sinkOptions = "truncate filePattern partitionFileNames rowUrlColumn rowFolderUrlColumn umask preCommands postCommands preSQLs postSQLs saveOrder output " +
		"insertable updateable upsertable deletable recreate saveMode errorHandlingOption header emptyLinesAsHeader mergeSchema vacuum overwrite " +
		"deltaTruncate autoCompact optimizedWrite pruneCondition skipKeyWrites allowCopyCommand copyOptions enableStaging transactionCommitOption " +
		"partitionKey throughput writeThroughputBudget"
	callOptions = "httpMethod timeout requestFormat responseFormat linkedService url relativeUrl headers body allowSchemaDrift"
)

// newVocabulary is the table. A function makes it, so that nobody can change it.
func newVocabulary() vocabulary {
	v := vocabulary{clauses: map[string]bool{}, verbs: map[string]verb{
		"source": {
			most: 0, options: words(driftOptions, placeOptions, textOptions, tableOptions, jsonOptions, cdmOptions, deltaOptions, sourceOptions),
			clauses: words("output partitionBy"), connector: true,
		},
		"sink": {
			least: 1, most: 1, options: words(driftOptions, mapOptions, placeOptions, textOptions, tableOptions, jsonOptions, cdmOptions, sinkOptions),
			clauses: words("input mapColumn partitionBy"), connector: true,
		},
		"select":      {least: 1, most: 1, options: words(mapOptions), clauses: words("mapColumn partitionBy")},
		"derive":      {least: 1, most: 1, takes: takesAssigns | takesPatterns, clauses: words("partitionBy")},
		"filter":      {least: 1, most: 1, takes: takesValues, clauses: words("partitionBy")},
		"aggregate":   {least: 1, most: 1, takes: takesAssigns | takesPatterns, clauses: words("groupBy partitionBy")},
		"join":        {least: 2, most: 2, takes: takesValues, options: words("joinType matchType matchThreshold threshold ignoreSpaces broadcast combineTextParts"), clauses: words("partitionBy")},
		"lookup":      {least: 2, most: 2, takes: takesValues, options: words("multiple pickup broadcast matchType matchThreshold ignoreSpaces"), clauses: words("asc desc partitionBy")},
		"exists":      {least: 2, most: 2, takes: takesValues, options: words("negate broadcast"), clauses: words("partitionBy")},
		"union":       {least: 2, most: -1, options: words("byName"), clauses: words("partitionBy")},
		"split":       {least: 1, most: 1, takes: takesValues, options: words("disjoint"), clauses: words("partitionBy")},
		"pivot":       {least: 1, most: 1, takes: takesAssigns, options: words("columnNaming lateral"), clauses: words("groupBy pivotBy partitionBy")},
		"unpivot":     {least: 1, most: 1, options: words("lateral ignoreNullPivots"), clauses: words("output ungroupBy partitionBy")},
		"window":      {least: 1, most: 1, takes: takesAssigns | takesPatterns, options: words("startRowOffset endRowOffset startRangeOffset endRangeOffset"), clauses: words("over asc desc partitionBy")},
		"rank":        {least: 1, most: 1, options: words("caseInsensitive dense"), clauses: words("output asc desc partitionBy")},
		"keyGenerate": {least: 1, most: 1, options: words("startAt stepValue"), clauses: words("output partitionBy")},
		"sort":        {least: 1, most: 1, options: words("caseInsensitive"), clauses: words("asc desc partitionBy")},
		"alterRow":    {least: 1, most: 1, clauses: words("insertIf updateIf deleteIf upsertIf partitionBy")},
		"assert":      {least: 1, most: -1, options: words("abort"), clauses: words("expectTrue expectUnique expectExists partitionBy")},
		"cast":        {least: 1, most: 1, options: words("errors"), clauses: words("output partitionBy")},
		"foldDown":    {least: 1, most: 1, options: words(mapOptions), clauses: words("unroll unrollMultiple mapColumn partitionBy")},
		"parse":       {least: 1, most: 1, takes: takesAssigns, options: words("format namespaces namespacePrefixes validationMode", textOptions, jsonOptions), clauses: words("partitionBy")},
		"stringify":   {least: 1, most: 1, takes: takesAssigns, options: words("format", textOptions, jsonOptions), clauses: words("partitionBy")},
		"call":        {least: 1, most: 1, options: words(mapOptions, tableOptions, placeOptions, callOptions, "entity"), clauses: words("output mapColumn partitionBy"), connector: true},
		"input":       {most: 0, options: words(driftOptions), clauses: words("output partitionBy")},
		"output":      {least: 1, most: 1, options: words(driftOptions, mapOptions), clauses: words("input mapColumn partitionBy")},
	}}
	for _, one := range v.verbs {
		for _, c := range one.clauses {
			if c != "output" && c != "input" {
				v.clauses[c] = true
			}
		}
	}
	return v
}

func words(lists ...string) []string { return strings.Fields(strings.Join(lists, " ")) }
