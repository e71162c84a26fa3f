package project

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/inference"
)

// The formats that can be landed.
const (
	csv     = "csv"
	json    = "json"
	parquet = "parquet"
)

// typeOptions say how values become typed, in files of any format.
func typeOptions() []Option {
	all := []Option{
		{Name: "cloudFiles.inferColumnTypes", Status: Implemented, Default: "true", Takes: "`true`, `false`", Doc: "find types of columns. `false`: all values are strings. Under `compat: autoloader` it is `false`. Parquet files have types, whatever it says", set: setInfer, idle: idleOn(parquet, "the files have types")},
		{Name: "cloudFiles.schemaHints", Status: Implemented, Takes: "columns and their types in DDL: `amount DECIMAL(18,2), user.born DATE, tags.element INT`", Doc: "types that hold whatever the files say; values that do not fit are rescued: [inference.md](inference.md#7-in-time)", set: setHints},
		{Name: "typeAgreement", Formats: textFormats(), Status: Implemented, Default: "0.99", Takes: "a share above 0 and up to 1", Doc: "Landfall's own: the share of values that make a type; the others are rescued. Under `compat: autoloader` it is 1: one other value makes the column string", set: setAgreement},
		{Name: "dateFormat", Status: Implemented, Default: "yyyy-MM-dd", Takes: "a pattern of Spark: `dd.MM.yyyy`", Doc: "how dates are written; other texts are none. In Parquet: those in strings that go into a column of dates, and so for the other patterns", set: setDate},
		{Name: "timestampFormat", Status: Implemented, Takes: "a pattern of Spark: `dd/MM/yyyy HH:mm[:ss]`", Doc: "how timestamps are written; ISO 8601 by default", set: setTimestamp},
		{Name: "timestampNTZFormat", Status: Implemented, Takes: "a pattern of Spark", Doc: "how timestamps are written in columns that a hint makes timestamp_ntz", set: setTimestampNTZ},
		{Name: "timeZone", Status: Implemented, Default: "UTC", Takes: "`UTC`, `Europe/Oslo`, `+02:00`", Doc: "zone of timestamps that name none; in Parquet: of those that are not adjusted to UTC. A file with one that its clocks skip, as where summer time begins, is quarantined", set: setZone},
		{Name: "locale", Status: Implemented, Default: "en-US", Takes: "only `en-US`", Doc: "names of months in patterns are English", set: setLocale},
		{Name: "mode", Formats: textFormats(), Status: Implemented, Takes: "`PERMISSIVE`, `DROPMALFORMED`, `FAILFAST`", Doc: "the policy record_malformed, in Spark's words: `rescue`, `drop`, `fail`. Without it, the schemaEvolutionMode decides; without that too, such records go to quarantine", set: setParseMode},
		{Name: "columnNameOfCorruptRecord", Formats: textFormats(), Status: Accepted, Takes: "any", Doc: "the text of a malformed record is in the rescue column under _corrupt_record, or in quarantine, not in a column of its own"},
		{Name: "badRecordsPath", Status: Refused, Doc: "bad records are kept in quarantine, with their place", hint: "leave it out, and see them with: landfall files --quarantined"},
		{Name: "singleVariantColumn", Status: Refused, Doc: "a table with a VARIANT column is one that few others can read", hint: "leave it out: objects become structs, and what fits none is kept in the rescue column"},
		{Name: "failOnUnknownFields", Status: Implemented, Default: "false", Takes: "`true`, `false`", Doc: "the policy column_added: fail", set: failOn(event.ColumnAdded)},
		{Name: "failOnWidenedFields", Status: Implemented, Default: "false", Takes: "`true`, `false`", Doc: "the policy type_wider: fail", set: failOn(event.TypeWider)},
		{Name: "encoding", Formats: textFormats(), Status: Implemented, Takes: "`UTF-8`, `UTF-16`, `UTF-16LE`, `UTF-16BE`, `ISO-8859-1`, `windows-1252`", Doc: "encoding of the text; found out by default. A byte order mark wins", aliases: []string{"charset"}, set: toDecoder},
		{Name: "lineSep", Formats: textFormats(), Status: Implemented, Takes: "one or more characters; `\\n`, `\\r\\n`", Doc: "what ends a record; by default LF, CRLF and CR do", set: toDecoder},
		{Name: "multiLine", Formats: textFormats(), Status: Implemented, Takes: "`true`, `false`", Doc: "nothing depends on it: line breaks within quotes are data, and JSON may be a record a line, one array or documents over several lines", set: toDecoder},
		{Name: "maxRecordBytes", Formats: textFormats(), Status: Implemented, Default: "268435456", Takes: "a whole number, 0 for the default", Doc: "Landfall's own: length of the longest record, in bytes of UTF-8", set: toDecoder},
	}
	for i := range all {
		all[i].decides = true
	}
	return append(all, Option{
		Name: "maxColumns", Formats: []string{csv, parquet}, Status: Implemented, Default: "20480", Takes: "a whole number, 0 for the default",
		Doc: "most fields of a record, or columns of a Parquet file", set: toDecoder,
	})
}

// textFormats are the formats whose files are text.
func textFormats() []string { return []string{csv, json} }

// idleOn says why an option changes nothing for files of one format.
func idleOn(format, why string) func(string) string {
	return func(f string) string {
		if f == format {
			return why
		}
		return ""
	}
}

// csvOptions are the options of the CSV reader alone. Its decoder reads the
// values.
func csvOptions() []Option {
	all := []Option{
		{Name: "header", Status: Implemented, Default: "true", Takes: "`true`, `false`", Doc: "the first record holds the names; without it they are `_c0`, `_c1`, …", set: toDecoder},
		{Name: "sep", Status: Implemented, Takes: "one or more characters; `\\t` is a tab", Doc: "what separates fields; found out by default", aliases: []string{"delimiter"}, set: toDecoder},
		{Name: "quote", Status: Implemented, Takes: "one ASCII character; empty for none", Doc: "the quote character; found out by default", set: toDecoder},
		{Name: "escape", Status: Implemented, Takes: "one ASCII character; empty for none", Doc: "what makes a quote data within quotes, beside a doubled quote; found out by default", set: toDecoder},
		{Name: "comment", Status: Implemented, Takes: "one ASCII character; empty for none", Doc: "what begins a line that is no record; none by default", set: toDecoder},
		{Name: "skipRows", Status: Implemented, Default: "0", Takes: "a whole number", Doc: "lines before the header", set: toDecoder},
		{Name: "maxCharsPerColumn", Status: Implemented, Default: "-1", Takes: "only `-1`", Doc: "a field has no bound of its own: maxRecordBytes bounds the record", set: only("-1", "maxRecordBytes bounds the whole record")},
		{Name: "nullValue", Status: Implemented, Takes: "a text", Doc: "a field that is this text is null, with quotes or without, as an empty one without quotes is", set: toDecoder},
		{Name: "emptyValue", Status: Implemented, Takes: "a text", Doc: "what an empty field in quotes stands for", set: toDecoder},
		{Name: "nanValue", Status: Implemented, Default: "NaN", Takes: "a text", Doc: "a text that is NaN too", set: setNaN, decides: true},
		{Name: "positiveInf", Status: Implemented, Default: "Inf", Takes: "a text", Doc: "what infinity is written as; `Infinity` always is", set: setPositiveInf, decides: true},
		{Name: "negativeInf", Status: Implemented, Default: "-Inf", Takes: "a text", Doc: "what minus infinity is written as; `-Infinity` always is", set: setNegativeInf, decides: true},
		{Name: "preferDate", Status: Implemented, Default: "true", Takes: "`true`, `false`", Doc: "a column of dates is date; `false`: timestamp", set: setPreferDate, decides: true},
		{Name: "ignoreLeadingWhiteSpace", Status: Implemented, Default: "false", Takes: "`true`, `false`", Doc: "spaces and tabs before a field without quotes are none of its value", set: toDecoder},
		{Name: "ignoreTrailingWhiteSpace", Status: Implemented, Default: "false", Takes: "`true`, `false`", Doc: "the same behind it", set: toDecoder},
		{Name: "enforceSchema", Status: Accepted, Takes: "`true`, `false`", Doc: "the names of the header decide, never the position", set: isTruth},
		{Name: "inferSchema", Status: Refused, Takes: "none", Doc: "types are found unless cloudFiles.inferColumnTypes is `false`", aliases: []string{prefix + "inferSchema"}, hint: "the option is called cloudFiles.inferColumnTypes"},
		{Name: "charToEscapeQuoteEscaping", Status: Implemented, Takes: "the character of the option escape", Doc: "an escape character escapes itself", set: toDecoder},
		{Name: "unescapedQuoteHandling", Status: Implemented, Default: "RAISE_ERROR", Takes: "`RAISE_ERROR`, `STOP_AT_DELIMITER`", Doc: "a field with text behind its closing quote. `RAISE_ERROR`: its record is malformed; `STOP_AT_DELIMITER`: its quotes are data. A quote within a field without quotes always is", set: toDecoder},
	}
	return of(csv, all)
}

// jsonOptions are the options of the JSON reader alone.
func jsonOptions() []Option {
	all := []Option{
		{Name: "primitivesAsString", Status: Implemented, Default: "false", Takes: "`true`, `false`", Doc: "numbers and booleans become strings, with the text they have", set: rule(func(r *inference.Rules) *bool { return &r.PrimitivesAsString }), decides: true},
		{Name: "prefersDecimal", Status: Implemented, Default: "false", Takes: "`true`, `false`", Doc: "numbers with a point are decimal, where they have 38 digits at most, and so are strings that are numbers", set: rule(func(r *inference.Rules) *bool { return &r.PrefersDecimal }), decides: true},
		{Name: "inferTimestamp", Status: Implemented, Default: "false", Takes: "`true`, `false`", Doc: "strings that are dates or timestamps get that type", set: rule(func(r *inference.Rules) *bool { return &r.Timestamps }), decides: true},
		{Name: "dropFieldIfAllNull", Status: Implemented, Default: "false", Takes: "`true`, `false`", Doc: "no column for a field in which only null, `{}` and `[]` were seen", set: rule(func(r *inference.Rules) *bool { return &r.DropAllNull }), decides: true},
	}
	for _, o := range []struct{ name, def, doc string }{
		{"allowComments", "false", "`//` and `/* */` between values, and `#` to the end of a line"},
		{"allowUnquotedFieldNames", "false", "names of members without quotes"},
		{"allowSingleQuotes", "false", "strings and names in single quotes; `true` under `compat: autoloader`"},
		{"allowNumericLeadingZeros", "false", "numbers such as `007`; they land as text, with their zeros"},
		{"allowNonNumericNumbers", "false", "`NaN`, `Infinity`, `-INF` and the like as numbers; `true` under `compat: autoloader`"},
		{"allowBackslashEscapingAnyCharacter", "false", "a backslash before any character"},
		{"allowUnquotedControlChars", "false", "tabs and line ends within strings, as they are"},
	} {
		all = append(all, Option{Name: o.name, Status: Implemented, Default: o.def, Takes: "`true`, `false`", Doc: o.doc, set: toDecoder})
	}
	return of(json, all)
}

// parquetOptions are the options of the Parquet reader alone. Its decoder reads
// the values.
func parquetOptions() []Option {
	const doc = "in files that do not tell their calendar, as those of Spark do. `LEGACY`: by the Julian calendar, as old Spark and Hive wrote them; they become the same dates of the Gregorian, and an event says so. `LEGACY` under `compat: autoloader`"
	return of(parquet, []Option{
		{Name: "datetimeRebaseMode", Status: Implemented, Default: "CORRECTED", Takes: "`CORRECTED`, `LEGACY`", Doc: "how dates and timestamps before 1582-10-15 are counted " + doc, set: setRebase},
		{Name: "int96RebaseMode", Status: Implemented, Default: "CORRECTED", Takes: "`CORRECTED`, `LEGACY`", Doc: "the same for timestamps of INT96", set: setRebase},
	})
}

// of makes options those of one format.
func of(format string, options []Option) []Option {
	for i := range options {
		options[i].Formats = []string{format}
	}
	return options
}

// otherReaders are the options of formats that come later.
func otherReaders() []Option {
	var all []Option
	for _, r := range []struct{ format, names string }{
		{"XML", `rowTag attributePrefix valueTag excludeAttribute ignoreSurroundingSpaces ignoreNamespace
			rowValidationXSDPath samplingRatio`},
		{"Avro", "avroSchema"},
		{"text", "wholeText"},
	} {
		for name := range strings.FieldsSeq(r.names) {
			all = append(all, Option{
				Name: name, Status: Refused, Doc: "it is an option of " + r.format + " files",
				hint: r.format + " comes with a later release; leave it out for csv, json and parquet",
			})
		}
	}
	return all
}

// setRebase refuses what is no mode that a decoder reads.
func setRebase(o *Options, s Setting) *diag.Diagnostic {
	switch strings.ToUpper(s.Value.Text) {
	case "CORRECTED", "LEGACY":
		return toDecoder(o, s)
	case "EXCEPTION":
		return s.refused("say how those days are counted: CORRECTED for the Gregorian calendar, LEGACY for the Julian one")
	}
	return s.bad("CORRECTED or LEGACY")
}

func toDecoder(o *Options, s Setting) *diag.Diagnostic {
	o.Decoder = append(o.Decoder, s)
	return nil
}
