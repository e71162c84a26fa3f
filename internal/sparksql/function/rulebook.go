package function

import (
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
)

// typeRule is a rule for the type of a result by its name in the table, nil if
// there is none.
func typeRule(name string) func(types []schema.Type) schema.Type {
	switch name {
	case "text":
		return sameText
	case "same", "first":
		return func(t []schema.Type) schema.Type { return t[0] }
	case "sum":
		return func(t []schema.Type) schema.Type { return wider(t[0], 10, 0) }
	case "avg":
		return func(t []schema.Type) schema.Type { return wider(t[0], 4, 4) }
	case "ceil":
		return wholeType
	case "entries", "posentries":
		return func(t []schema.Type) schema.Type { return entriesType(t[0], name == "posentries") }
	case "col", "poscol":
		return func(t []schema.Type) schema.Type { return columnType(t[0], name == "poscol") }
	case "map_of":
		return mapOfEntries
	}
	return nil
}

// textRule is a rule for the text of a call by its name in the table, nil if
// there is none.
func textRule(name string) func(w *writing) (string, error) {
	rule, of, _ := strings.Cut(name, " ")
	for _, rules := range []func(rule, of string) func(w *writing) (string, error){valueRule, timeRule, partRule, rowRule, jsonRule} {
		if f := rules(rule, of); f != nil {
			return f
		}
	}
	return nil
}

// valueRule is a rule for texts, numbers and anything.
func valueRule(rule, of string) func(w *writing) (string, error) {
	switch rule {
	case "joined":
		return (*writing).joined
	case "regexp_replace":
		return (*writing).regexpReplace
	case "regexp_extract", "regexp_extract_all":
		return func(w *writing) (string, error) { return w.regexpExtract(rule) }
	case "split":
		return (*writing).split
	case "to_binary":
		return (*writing).toBinary
	case "decode":
		return (*writing).decode
	case "format_number":
		return (*writing).formatNumber
	case "format_string":
		return (*writing).formatString
	case "ceil", "floor":
		return func(w *writing) (string, error) { return w.stepped(rule) }
	case "round", "bround":
		return func(w *writing) (string, error) { return w.rounded(rule == "bround") }
	case "operator":
		return func(w *writing) (string, error) { return w.operator(of) }
	case "try_operator":
		return func(w *writing) (string, error) { return w.tryOperator(of) }
	case "pmod":
		return (*writing).pmod
	case "zeroifnull":
		return (*writing).zeroIfNull
	case "nullif":
		return (*writing).nullif
	case "typeof":
		return func(w *writing) (string, error) { return typed.Quote(w.types[0].String()), nil }
	case "cast":
		return (*writing).cast
	case "hash", "xxhash64":
		return func(w *writing) (string, error) { return w.hash(rule) }
	}
	return nil
}

// timeRule is a rule for dates and times.
func timeRule(rule, _ string) func(w *writing) (string, error) {
	switch rule {
	case "now", "local_now", "today", "unix_now":
		return func(w *writing) (string, error) { return w.now(rule) }
	case "date_part":
		return (*writing).datePart
	case "timestampadd":
		return (*writing).timestampAdd
	case "timestampdiff":
		return (*writing).timestampDiff
	case "to_date", "try_to_date", "to_timestamp", "try_to_timestamp", "to_timestamp_ntz", "unix_timestamp":
		return func(w *writing) (string, error) { return w.parsed(rule) }
	case "date_format":
		return func(w *writing) (string, error) { return w.formatted(w.args[0]) }
	case "from_unixtime":
		return func(w *writing) (string, error) { return w.formatted("make_timestamptz(" + w.args[0] + " * 1000000)") }
	case "date_trunc", "trunc":
		return func(w *writing) (string, error) { return w.truncated(rule) }
	case "window":
		return (*writing).window
	}
	return nil
}

// partRule is a rule for arrays, maps and structs.
func partRule(rule, _ string) func(w *writing) (string, error) {
	switch rule {
	case "aggregate":
		return (*writing).aggregate
	case "map":
		return (*writing).mapOf
	case "map_from_entries":
		return (*writing).mapFromEntries
	case "map_concat":
		return (*writing).mapConcat
	case "named_struct":
		return (*writing).namedStruct
	case "struct":
		return (*writing).structOf
	}
	return nil
}

// rowRule is a rule for aggregates, window functions and generators.
func rowRule(rule, of string) func(w *writing) (string, error) {
	switch rule {
	case "count_all":
		return (*writing).countAll
	case "avg":
		return (*writing).average
	case "first", "last":
		return func(w *writing) (string, error) { return w.firstOrLast(rule) }
	case "nth_value":
		return (*writing).nthValue
	case "offset":
		return func(w *writing) (string, error) { return w.offset(of) }
	case "within":
		return func(w *writing) (string, error) { return w.within(of) }
	case "stack":
		return (*writing).stack
	}
	return nil
}
