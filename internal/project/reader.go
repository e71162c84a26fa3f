package project

import (
	"strings"

	"landfall/internal/diag"
)

// csvOptions are the options of the CSV reader. Its decoder reads the values.
func csvOptions() []Option {
	const strung = "it has no effect while all columns are strings"
	all := []Option{
		{Name: "header", Status: Implemented, Default: "true", Takes: "`true`, `false`", Doc: "the first record holds the names; without it they are `_c0`, `_c1`, …", set: toDecoder},
		{Name: "sep", Status: Implemented, Takes: "one or more characters; `\\t` is a tab", Doc: "what separates fields; found out by default", aliases: []string{"delimiter"}, set: toDecoder},
		{Name: "quote", Status: Implemented, Takes: "one ASCII character; empty for none", Doc: "the quote character; found out by default", set: toDecoder},
		{Name: "escape", Status: Implemented, Takes: "one ASCII character; empty for none", Doc: "what makes a quote data within quotes, beside a doubled quote; found out by default", set: toDecoder},
		{Name: "comment", Status: Implemented, Takes: "one ASCII character; empty for none", Doc: "what begins a line that is no record; none by default", set: toDecoder},
		{Name: "encoding", Status: Implemented, Takes: "`UTF-8`, `UTF-16`, `UTF-16LE`, `UTF-16BE`, `ISO-8859-1`, `windows-1252`", Doc: "encoding of the text; found out by default. A byte order mark wins", aliases: []string{"charset"}, set: toDecoder},
		{Name: "lineSep", Status: Implemented, Takes: "one or more characters; `\\n`, `\\r\\n`", Doc: "what ends a record; by default LF, CRLF and CR do", set: toDecoder},
		{Name: "skipRows", Status: Implemented, Default: "0", Takes: "a whole number", Doc: "lines before the header", set: toDecoder},
		{Name: "multiLine", Status: Implemented, Takes: "`true`, `false`", Doc: "line breaks within quotes are data, whatever this says", set: toDecoder},
		{Name: "maxColumns", Status: Implemented, Default: "20480", Takes: "a whole number, 0 for the default", Doc: "most fields of a record", set: toDecoder},
		{Name: "maxRecordBytes", Status: Implemented, Default: "268435456", Takes: "a whole number, 0 for the default", Doc: "length of the longest record, in bytes of UTF-8", set: toDecoder},
		{Name: "maxCharsPerColumn", Status: Implemented, Default: "-1", Takes: "only `-1`", Doc: "a field has no bound of its own: maxRecordBytes bounds the record", set: only("-1", "maxRecordBytes bounds the whole record")},
		{Name: "nullValue", Status: Refused, Takes: "only an empty value", Doc: "text that means null: an empty field without quotes does", set: only("", "only an empty field without quotes is null; other texts come with a later release")},
		{Name: "emptyValue", Status: Refused, Takes: "only an empty value", Doc: "text that means an empty string: `\"\"` does", set: only("", "an empty field in quotes is an empty string")},
		{Name: "ignoreLeadingWhiteSpace", Status: Implemented, Default: "false", Takes: "only `false`", Doc: "values land as they are", set: only("false", "values land as they are")},
		{Name: "ignoreTrailingWhiteSpace", Status: Implemented, Default: "false", Takes: "only `false`", Doc: "values land as they are", set: only("false", "values land as they are")},
		{Name: "enforceSchema", Status: Accepted, Takes: "`true`, `false`", Doc: "the names of the header decide, never the position", set: isTruth},
		{Name: "inferSchema", Status: Implemented, Default: "false", Takes: "only `false`", Doc: "all columns are strings", set: only("false", "types come with a later release: all columns of text files are strings")},
		{Name: "mode", Status: Accepted, Default: "PERMISSIVE", Takes: "only `PERMISSIVE`", Doc: "a malformed record is quarantined with its place, and is no row of nulls", set: only("PERMISSIVE", "one bad record never costs its neighbours; leave it out")},
		{Name: "columnNameOfCorruptRecord", Status: Accepted, Takes: "any", Doc: "a malformed record is quarantined with its place, not kept in a column"},
		{Name: "badRecordsPath", Status: Accepted, Takes: "any", Doc: "bad records are in quarantine, in the state; nothing is written to this path"},
		{Name: "charToEscapeQuoteEscaping", Status: Refused, Doc: "an escape character escapes itself"},
		{Name: "unescapedQuoteHandling", Status: Refused, Doc: "a quote within a field without quotes is data"},
		{Name: "failOnUnknownFields", Status: Refused, Default: "false", Takes: "only `false`", Doc: "set cloudFiles.schemaEvolutionMode to failOnNewColumns instead", set: only("false", "set cloudFiles.schemaEvolutionMode to failOnNewColumns")},
		{Name: "failOnWidenedFields", Status: Refused, Default: "false", Takes: "only `false`", Doc: "no type is ever widened: all columns are strings", set: only("false", "types come with a later release")},
	}
	for name := range strings.FieldsSeq(`preferDate dateFormat timestampFormat timestampNTZFormat timeZone locale
		nanValue positiveInf negativeInf`) {
		all = append(all, Option{Name: name, Status: Accepted, Takes: "any", Doc: strung})
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
