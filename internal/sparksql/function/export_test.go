package function

import (
	"math/rand/v2"
	"strings"
)

// Draw makes calls of a function with arguments at random, as Spark reads them.
func Draw(r *rand.Rand, f *Function, n int) []string {
	var out []string
	for range n {
		form := f.forms[r.IntN(len(f.forms))]
		ps := params(form.takes)
		if len(ps) > 0 && ps[len(ps)-1].rest {
			last := ps[len(ps)-1]
			ps = ps[:len(ps)-1]
			for range 1 + r.IntN(3) {
				ps = append(ps, last)
			}
		}
		d := drawer{r: r, bound: map[string]string{}}
		args := make([]string, len(ps))
		for i, p := range ps {
			args[i] = d.argument(p)
		}
		out = append(out, f.Name()+"("+strings.Join(args, ", ")+")")
	}
	return out
}

type drawer struct {
	r     *rand.Rand
	bound map[string]string
	// columns says that values are columns of Rows.
	columns bool
}

// Rows is the relation of which the calls of aggregates and windows are.
const Rows = "VALUES (1, 'b', 10, 5L, 1.5D, 2.50, true, DATE'2026-01-31', TIMESTAMP'2026-01-31 10:00:00', CAST(1.5 AS float)), " +
	"(2, 'a', 20, -7L, -2.5D, -0.75, false, DATE'2024-02-29', TIMESTAMP'2024-02-29 00:00:00.5', CAST(-1 AS float)), " +
	"(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), " +
	"(4, 'a', 10, 12345678901L, 100D, 99.99, true, DATE'2026-01-31', TIMESTAMP'2026-07-14 03:04:05.12', CAST(0.25 AS float)), " +
	"(5, '', -3, 5L, 0D, 2.50, true, DATE'1969-12-31', TIMESTAMP'1969-12-31 12:34:56.5', CAST(1.5 AS float)) AS t(o, s, i, l, d, n, b, dt, ts, f)"

// DrawRows makes calls of an aggregate or a window function of Rows.
func DrawRows(r *rand.Rand, f *Function, n int) []string {
	var out []string
	for range n {
		form := f.forms[r.IntN(len(f.forms))]
		d := drawer{r, map[string]string{}, true}
		var args []string
		for i, p := range params(form.takes) {
			switch a := ""; {
			case p.name == "boolean" && i > 0:
				args = append(args, "false")
			case i > 0 && (f.names[0] == "min_by" || f.names[0] == "max_by"):
				args = append(args, "o") // of equal ones each may be the greatest
			case p.name == "int":
				args = append(args, d.of("1", "2"))
			case f.kind == Window && i == 2:
				d.columns = false
				a = d.literal(d.kind(p))
				d.columns = true
				args = append(args, a)
			case i > 0 && (p.name == "double" || p.name == "array") && (f.names[0] == "percentile" || f.names[0] == "percentile_approx"):
				args = append(args, d.of("0.25", "0.5", "1.0", "0"))
			case p.name == "array":
				args = append(args, "array("+d.value("double")+")")
			case i > 0 && f.names[0] == "string_agg":
				args = append(args, "', '")
			case i > 0 && f.names[0] == "approx_count_distinct":
				args = append(args, "0.05D")
			default:
				args = append(args, d.value(d.kind(p)))
			}
		}
		over := d.of("ORDER BY o", "PARTITION BY b ORDER BY o", "ORDER BY o ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", "ORDER BY o DESC", "PARTITION BY s ORDER BY o ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
		inside := strings.Join(args, ", ")
		switch {
		case inside == "" && f.kind == Aggregate:
			out = append(out, f.names[0]+"(*)")
		case f.kind == Window:
			if f.names[0] != "nth_value" && f.names[0] != "first" {
				over = d.of("ORDER BY o", "PARTITION BY b ORDER BY o", "ORDER BY o DESC")
			}
			out = append(out, f.names[0]+"("+inside+") OVER ("+over+")")
		case inside != "" && r.IntN(4) == 0:
			out = append(out, f.names[0]+"(DISTINCT "+inside+")")
		case r.IntN(3) == 0:
			out = append(out, f.names[0]+"("+inside+") OVER ("+over+")")
		case r.IntN(3) == 0:
			out = append(out, f.names[0]+"("+inside+") FILTER (WHERE "+d.of("o > 2", "b", "i = 10", "o > 9")+")")
		default:
			out = append(out, f.names[0]+"("+inside+")")
		}
	}
	return out
}

func (d drawer) of(list ...string) string { return list[d.r.IntN(len(list))] }

// kind is the name of a type for a pattern; the variables of a call stay with
// the one they got.
func (d drawer) kind(p pattern) string {
	name := p.name
	if p.variable() {
		if p.class == "" {
			p.class = "any"
		}
		if d.bound[name] == "" || d.r.IntN(8) == 0 {
			d.bound[name] = d.kind(pattern{name: p.class})
		}
		return d.bound[name]
	}
	switch name {
	case "any", "orderable":
		return d.of("int", "string", "double", "decimal", "date", "timestamp", "boolean", "bigint")
	case "number":
		return d.of("int", "bigint", "double", "decimal", "float", "smallint", "tinyint")
	case "integral":
		return d.of("int", "bigint", "smallint", "tinyint")
	case "fraction":
		return d.of("double", "float")
	case "decimals":
		return "decimal"
	case "moment":
		return d.of("date", "timestamp", "timestamp_ntz")
	case "time":
		return d.of("timestamp", "timestamp_ntz")
	case "text":
		return d.of("string", "string", "binary", "int")
	case "interval", "span":
		return "interval"
	}
	return name
}

func (d drawer) argument(p pattern) string {
	switch p.name {
	case "lambda":
		return d.lambda(p)
	case "array":
		if d.r.IntN(12) == 0 {
			return "CAST(NULL AS array<int>)"
		}
		d.bound["array"] = d.kind(p.parts[0])
		var parts []string
		for range 1 + d.r.IntN(4) {
			parts = append(parts, d.value(d.bound["array"]))
		}
		return "array(" + strings.Join(parts, ", ") + ")"
	case "map":
		k, v := d.kind(p.parts[0]), d.kind(p.parts[1])
		if k != "int" && k != "string" && k != "bigint" {
			k = "string"
			d.bound[p.parts[0].name] = k
		}
		keys := map[string][]string{"int": {"1", "2", "3"}, "bigint": {"1L", "2L", "3L"}, "string": {"'a'", "'b'", "'c'"}}[k]
		return "map(" + keys[0] + ", " + d.value(v) + ", " + keys[1+d.r.IntN(2)] + ", " + d.value(v) + ")"
	case "struct":
		return "named_struct('a', " + d.value("int") + ", 'b', " + d.value("string") + ")"
	}
	return d.value(d.kind(p))
}

// lambda has a body of the wanted type.
func (d drawer) lambda(p pattern) string {
	names := []string{"x", "y", "z"}[:len(p.parts)-1]
	head := names[0]
	if len(names) > 1 {
		head = "(" + strings.Join(names, ", ") + ")"
	}
	last := p.parts[len(p.parts)-1]
	v := d.of(names...)
	if last.name == "int" {
		return head + " -> " + d.of("0", "CASE WHEN x < y THEN -1 WHEN x > y THEN 1 ELSE 0 END", "CASE WHEN x IS NULL THEN 1 ELSE 0 END")
	}
	if last.name == "boolean" {
		return head + " -> " + d.of(v+" IS NOT NULL", v+" IS NULL", v+" = "+names[0], "true")
	}
	return head + " -> " + d.of(v, names[0], "coalesce("+v+", "+names[0]+")")
}

// value is a literal, or something that is not one.
func (d drawer) value(kind string) string {
	if d.columns {
		return d.column(kind)
	}
	v := d.literal(kind)
	if !fixedWord(kind) && d.r.IntN(4) == 0 {
		return "coalesce(" + v + ", " + d.literal(kind) + ")"
	}
	return v
}

// column is one of a kind.
func (d drawer) column(kind string) string {
	columns := map[string]string{"string": "s", "int": "i", "bigint": "l", "double": "d", "decimal": "n", "boolean": "b", "date": "dt", "timestamp": "ts", "float": "f"}
	if c := columns[kind]; c != "" && d.r.IntN(6) > 0 {
		return c
	}
	switch kind {
	case "smallint", "tinyint":
		return "CAST(i AS " + kind + ")"
	case "boolean":
		return "i > 5"
	case "string", "date", "timestamp", "binary":
		return map[string]string{"string": "CAST(i AS string)", "date": "dt", "timestamp": "ts", "binary": "CAST(s AS binary)"}[kind]
	case "timestamp_ntz":
		return "CAST(ts AS timestamp_ntz)"
	}
	return d.of("i", "i + o", "o")
}

// fixedWord reports whether arguments of a kind must be literals.
func fixedWord(kind string) bool {
	return kind == "regex" || kind == "char" || kind == "unit" || kind == "part" || kind == "pattern" || kind == "jsonpath" || kind == "form"
}

func timePatterns() []string {
	return []string{
		"'yyyy-MM-dd'", "'MM/dd/yyyy'", "'M/d/yyyy'", "'dd.MM.yyyy HH:mm'", "'yyyyMMdd'", "'yyyyMMddHHmmss'", "'d MMM yyyy'", "'MMMM d, yyyy'", "'yyyy-MM-dd HH:mm:ss.SSS'",
		"'yyyy-MM-dd\\'T\\'HH:mm:ssXXX'", "'yyyy-MM-dd\\'T\\'HH:mm:ss[.SSSSSS][XXX]'", "'dd/MM/yy'", "'hh:mm a'", "'h:mm a, d.M.y'", "'EEE, d MMM yyyy'", "'D yyyy'", "'yyyy'", "'yyyy-MM'", "'HH:mm'", "'yyyy-MM-dd HH:mm:ss Z'", "'QQQ yyyy'", "'EEEE'", "'kk K'",
	}
}

func timeTexts() []string {
	return []string{
		"'2026-03-04'", "'03/04/2026'", "'3/4/2026'", "'12/31/2026'", "'04.03.2026 05:06'", "'20260304'", "'20260304050607'", "'4 Mar 2026'", "'March 4, 2026'", "'2026-03-04 05:06:07.891'",
		"'2026-03-04T05:06:07+02:00'", "'2026-03-04T05:06:07.123456Z'", "'2026-03-04T05:06:07'", "'04/03/26'", "'05:06 PM'", "'5:06 pm, 4.3.2026'", "'Wed, 4 Mar 2026'", "'Thu, 4 Mar 2026'", "'63 2026'", "'2026'", "'2026-02'",
		"'05:06'", "'2026-03-04 05:06:07 +0130'", "'2026-02-30'", "'26-03-04'", "'02/29/2026'", "'2026-03-04 05:06:07.8'", "'2026-3-4'", "'12026-03-04'", "' 2026-03-04'", "'2026-03-04x'",
	}
}

func (d drawer) literal(kind string) string {
	if d.r.IntN(14) == 0 && !fixedWord(kind) {
		return "NULL"
	}
	switch kind {
	case "string":
		return d.of("'abc'", "''", "' Abc é '", "'a1b22'", "'straße'", "'😀x'", "'2026-01-15'", "'12.5'", "'a,b,,c'", "'The quick fox'", "'b'", "'yyyy-MM-dd'", "'{\"a\": 1}'", "'-7'")
	case "unit":
		return d.of("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND")
	case "part":
		return d.of("'year'", "'QUARTER'", "'mon'", "'week'", "'DAY'", "'hour'", "'minute'", "'second'", "'dow'", "'doy'", "'x'", "'yyyy'")
	case "pattern":
		return d.of(timePatterns()...)
	case "form":
		return d.of("'hex'", "'UTF-8'")
	case "jsonpath":
		return d.of("'$'", "'$.a'", "'$.a.b'", "'$[0]'", "'$.a[0]'", "'$.a[*]'", "'$.a[*].b'", "'$[\\'a\\']'", "'$.b.c[1]'", "'a'", "'$[*]'", "'$.*'")
	case "char":
		return "'!'"
	case "regex":
		return d.of("'[a-c]+'", "','", "'(\\\\d)(\\\\d)'", "'^.'", "'x'", "' '", "'([a-z])([0-9])'")
	case "int":
		return d.of("0", "1", "-1", "2", "3", "7", "-3", "100", "31")
	case "bigint":
		return d.of("0L", "1L", "-2L", "12345678901L")
	case "smallint", "tinyint":
		return "CAST(" + d.of("0", "1", "-2", "100") + " AS " + kind + ")"
	case "double":
		return d.of("0D", "1.5D", "-2.5D", "1e10", "CAST('NaN' AS double)", "CAST('Infinity' AS double)", "0.1D", "-0.75D", "100D", "2.675D")
	case "float":
		return "CAST(" + d.of("0", "1.5", "-2.25", "0.1") + " AS float)"
	case "decimal":
		return d.of("1.50", "-2.345", "12345.678901", "0.0", "99.99", "0.5", "7BD", "-0.05")
	case "boolean":
		return d.of("true", "false")
	case "date":
		return d.of("DATE'2026-01-31'", "DATE'2024-02-29'", "DATE'1969-12-31'", "DATE'2026-12-28'", "DATE'0999-01-01'")
	case "timestamp":
		return d.of("TIMESTAMP'2026-01-31 23:59:59.999999'", "TIMESTAMP'2024-02-29 00:00:00'", "TIMESTAMP'1969-12-31 12:34:56.5'", "TIMESTAMP'2026-07-14 03:04:05.12'")
	case "timestamp_ntz":
		return d.of("TIMESTAMP_NTZ'2026-01-31 23:59:59.999999'", "TIMESTAMP_NTZ'1969-12-31 12:34:56.5'")
	case "binary":
		return d.of("X''", "X'0041'", "X'616263'")
	case "interval":
		return d.of("INTERVAL '3' DAY", "INTERVAL '90' MINUTE", "INTERVAL '-2' HOUR")
	case "months":
		return d.of("INTERVAL '3' MONTH", "INTERVAL '-1' YEAR")
	}
	return "NULL"
}

// DrawOperators makes operators and casts of operands at random.
func DrawOperators(r *rand.Rand, n int) []string {
	d := drawer{r: r, bound: map[string]string{}}
	kinds := []string{"string", "int", "bigint", "smallint", "double", "float", "decimal", "boolean", "date", "timestamp", "timestamp_ntz"}
	types := []string{"string", "int", "bigint", "smallint", "tinyint", "double", "float", "decimal(10,2)", "decimal(5,3)", "boolean", "date", "timestamp", "timestamp_ntz"}
	texts := []string{
		"' 42 '", "'+5'", "'1e3'", "'12.345'", "'-.5'", "'5.'", "'nan'", "'-inf'", "'Infinity'", "'0x1F'", "'TRUE'", "' no'", "'2026-1-2'", "'2026'",
		"'2026-01-02 03:04'", "'2026-01-02T03:04:05.123456789Z'", "'2026-01-02 03:04:05 Europe/Oslo'", "'2026-01-02 3:4:5'", "'2026-01-02 03'", "'2026-02-30'",
		"'2026-01-02 03:04:05+1'", "'2026-01-02 03:04:05 UTC'", "'2026-01-02T'", "'2026-01-02 x'", "'99999999999'", "'1,5'", "'x'", "'2026-13-01'",
		"'2026-01-02 03:04:60'", "'2026-01-02 03:04:05-08:00'", "'+2026-01-02'", "'2026-01-02 03:04:05GMT+1'", "'1.5f'", "'9e99'",
	}
	var out []string
	for _, p := range timePatterns() {
		for _, text := range timeTexts() {
			if d.r.IntN(3) == 0 {
				out = append(out, "try_to_timestamp("+text+", "+p+")")
			}
		}
		for range 3 {
			out = append(out, "get_json_object("+d.of(jsonTexts()...)+", "+d.literal("jsonpath")+")")
		}
		out = append(out, "from_json("+d.of(jsonTexts()...)+", "+d.of(jsonSchemas()...)+")")
		out = append(out, "date_format("+d.literal("timestamp")+", "+p+")")
	}
	for range n {
		a, b := d.of(kinds...), d.of(kinds...)
		if d.r.IntN(20) == 0 {
			out = append(out, d.of("2147483647", "-2147483648", "9223372036854775807L", "CAST(100 AS tinyint)")+" "+d.of("+", "-", "*")+" "+d.literal(a))
		}
		switch d.r.IntN(4) {
		case 0:
			out = append(out, "CAST("+d.literal(a)+" AS "+d.of(types...)+")")
		case 1:
			out = append(out, d.of("CAST(", "TRY_CAST(")+d.of(texts...)+" AS "+d.of(types...)+")")
		case 2:
			out = append(out, d.literal(a)+" "+d.of("=", "<", ">=", "<=>", "<>")+" "+d.literal(b))
		default:
			if d.r.IntN(2) == 0 {
				a, b = d.of(kinds[1:7]...), d.of(kinds[1:7]...)
			}
			out = append(out, d.value(a)+" "+d.of("+", "-", "*", "/", "%", "div", "&", "|", "^", "||")+" "+d.value(b))
		}
	}
	return out
}

func jsonTexts() []string {
	return []string{
		`'{"a":1,"b":{"c":[1,2]}}'`, `'{"a":{"b":"x"},"b":null}'`, `'[1,"x",{"a":true}]'`, `'{"a":[{"b":1},{"b":"y"},{"c":2}]}'`, `'{"a":[[1,2],[3]]}'`, `'{"a":"1.10","b":1.10}'`,
		`'{"a":1e10}'`, `'{"a": "2026-01-02"} x'`, `'{a:1}'`, `'{\'a\':1}'`, `'{"a":12345678901234567890}'`, `'{"a":-0.0}'`, `'{"a":"2026-01-02T03:04:05.5+01:00"}'`, `'{"a":[1,null]}'`,
		`''`, `'null'`, `'"x"'`, `'12'`, `'{"A":1}'`, `'{"a":1,"a":2}'`, `'[{"a":1}]'`, `'{"a":[]}'`, `'{"a":false}'`, `'{"a":"NaN"}'`, `'{"a":"é\\u0041"}'`, `'{"a":5,"b":{"c":"x"}}'`,
	}
}

func jsonSchemas() []string {
	return []string{
		"'a INT'", "'a STRING'", "'a BIGINT, b STRING'", "'a DOUBLE'", "'a DATE'", "'a TIMESTAMP'", "'a DECIMAL(10,2)'", "'a BOOLEAN'", "'a array<int>'", "'a array<struct<b:string>>'",
		"'b struct<c:array<int>>'", "'map<string,string>'", "'map<string,int>'", "'array<struct<a:int>>'", "'a array<array<int>>'", "'a map<string,string>'", "'array<string>'",
	}
}
