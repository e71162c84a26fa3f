package duckdb

// getJSONObject is the function of Spark by which _rescued_data is read, with
// the results of Spark: the content of strings, the JSON of everything else,
// and null for what is absent, null, no JSON, or a path that is none.
//
// A path is made of .name, ['name'] and [0]; it is rewritten to one of DuckDB,
// in which quotes make every name literal. Spark's [*] is refused, since what
// it returns depends on how much it finds. Numbers with a point are written in
// the digits of a double, as in Spark, which from ten million on writes an
// exponent where DuckDB does not.
const getJSONObject = `CREATE MACRO get_json_object(j, p) AS CASE
	WHEN regexp_full_match(p, '\$(` + jsonStep + `|\[\*\])*') AND NOT regexp_full_match(p, '\$(` + jsonStep + `)*')
		THEN error('get_json_object: found [*] in the path ' || p || ', want names and numbers; unnest(json_extract(…)) finds many values')
	WHEN json_valid(j) AND regexp_full_match(p, '\$(` + jsonStep + `)*') THEN json_extract_string(j, '$' || coalesce(list_aggregate(list_transform(
		regexp_extract_all(substr(p, 2), '` + jsonStep + `'), lambda s: CASE
			WHEN s[1] = '.' THEN ` + jsonName + `(ltrim(s[2:])` + jsonQuoted + `
			WHEN s[2] = '''' THEN ` + jsonName + `(s[3:-3]` + jsonQuoted + `
			ELSE '[' || CAST(CAST(s[2:-2] AS BIGINT) AS VARCHAR) || ']' END), 'string_agg', ''), ''))
	END`

const (
	// jsonStep matches one step of a path of Spark, in a string literal of SQL.
	jsonStep = `\.[^.\[*][^.\[]*|\[''(?:\*[^'']+|[^''*][^'']*)''\]|\[[0-9]{1,9}\]`
	// jsonName and jsonQuoted surround a name that becomes a step of DuckDB's.
	jsonName   = `'."' || replace(replace`
	jsonQuoted = `, '\', '\\'), '"', '\"') || '"'`
)
