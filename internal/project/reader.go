package project

import (
	"strings"

	"landfall/internal/diag"
)

// csvOptions are the options of the CSV reader. Its decoder reads the values.
func csvOptions() []Option {
	const strung = "it has no effect while all columns are strings"
	all := []Option{
		{Name: "header", Status: Implemented, Doc: "the first record holds the names (true)", set: toDecoder},
		{Name: "sep", Status: Implemented, Doc: "what separates fields (found out)", aliases: []string{"delimiter"}, set: toDecoder},
		{Name: "quote", Status: Implemented, Doc: "the quote character (found out)", set: toDecoder},
		{Name: "escape", Status: Implemented, Doc: "the escape character within quotes (found out)", set: toDecoder},
		{Name: "comment", Status: Implemented, Doc: "what begins a line that is no record (none)", set: toDecoder},
		{Name: "encoding", Status: Implemented, Doc: "encoding of the text (found out)", aliases: []string{"charset"}, set: toDecoder},
		{Name: "lineSep", Status: Implemented, Doc: "what ends a record (CR, LF or both)", set: toDecoder},
		{Name: "skipRows", Status: Implemented, Doc: "lines before the header (0)", set: toDecoder},
		{Name: "multiLine", Status: Implemented, Doc: "line breaks within quotes are data, whatever this says", set: toDecoder},
		{Name: "maxColumns", Status: Implemented, Doc: "most fields of a record (20480)", set: toDecoder},
		{Name: "maxRecordBytes", Status: Implemented, Doc: "length of the longest record (268435456)", set: toDecoder},
		{Name: "maxCharsPerColumn", Status: Implemented, Doc: "longest field: -1, no bound of its own", set: only("-1", "maxRecordBytes bounds the whole record")},
		{Name: "nullValue", Status: Refused, Doc: "text that means null", set: only("", "only an empty field without quotes is null; other texts come with a later release")},
		{Name: "emptyValue", Status: Refused, Doc: "text that means an empty string", set: only("", "an empty field in quotes is an empty string")},
		{Name: "ignoreLeadingWhiteSpace", Status: Implemented, Doc: "drop space before values: false", set: only("false", "values land as they are")},
		{Name: "ignoreTrailingWhiteSpace", Status: Implemented, Doc: "drop space after values: false", set: only("false", "values land as they are")},
		{Name: "enforceSchema", Status: Accepted, Doc: "the names of the header decide, never the position", set: isTruth},
		{Name: "inferSchema", Status: Implemented, Doc: "find out types: false, all columns are strings", set: only("false", "types come with a later release: all columns of text files are strings")},
		{Name: "mode", Status: Accepted, Doc: "a malformed record is quarantined with its place, and is no row of nulls", set: only("PERMISSIVE", "one bad record never costs its neighbours; leave it out")},
		{Name: "columnNameOfCorruptRecord", Status: Accepted, Doc: "a malformed record is quarantined with its place, not kept in a column"},
		{Name: "badRecordsPath", Status: Accepted, Doc: "bad records are in quarantine, in the state; nothing is written to this path"},
		{Name: "charToEscapeQuoteEscaping", Status: Refused, Doc: "an escape character escapes itself"},
		{Name: "unescapedQuoteHandling", Status: Refused, Doc: "a quote within a field without quotes is data"},
		{Name: "failOnUnknownFields", Status: Refused, Doc: "fail on new columns", set: only("false", "set cloudFiles.schemaEvolutionMode to failOnNewColumns")},
		{Name: "failOnWidenedFields", Status: Refused, Doc: "fail on wider types", set: only("false", "types come with a later release")},
	}
	for name := range strings.FieldsSeq(`preferDate dateFormat timestampFormat timestampNTZFormat timeZone locale
		nanValue positiveInf negativeInf`) {
		all = append(all, Option{Name: name, Status: Accepted, Doc: strung})
	}
	return all
}

func toDecoder(o *Options, s Setting) *diag.Diagnostic {
	o.Decoder = append(o.Decoder, s)
	return nil
}

// otherReaders are the options of formats that come later.
func otherReaders() []Option {
	var all []Option
	for _, r := range []struct{ format, names string }{
		{"JSON", `primitivesAsString prefersDecimal inferTimestamp dropFieldIfAllNull singleVariantColumn allowComments
			allowUnquotedFieldNames allowUnquotedControlChars allowNumericLeadingZeros allowBackslashEscapingAnyCharacter
			allowSingleQuotes allowNonNumericNumbers`},
		{"XML", `rowTag attributePrefix valueTag excludeAttribute ignoreSurroundingSpaces ignoreNamespace
			rowValidationXSDPath samplingRatio`},
		{"Parquet", "datetimeRebaseMode int96RebaseMode"},
		{"Avro", "avroSchema"},
		{"text", "wholeText"},
	} {
		for name := range strings.FieldsSeq(r.names) {
			all = append(all, Option{
				Name: name, Status: Refused, Doc: "it is an option of " + r.format + " files",
				hint: r.format + " comes with a later release; leave it out for csv",
			})
		}
	}
	return all
}
