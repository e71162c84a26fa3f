package duckdb_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// rescued is a rescued record with names and values of every kind.
const rescued = `{"reading":"N/A","n":12,"f":1.50,"e":1e5,"big":12345678901234567890,"neg0":-0.0,"t":true,"z":null,` +
	`"o":{"b" : [1, "x", {"c":"d"}], "s":"q"},"l":[1,2.50,"s",null,[3]],"a.b":"dot","a b":"sp","a/b":"sl","ti~l":"til",` +
	`"q\"u":"quote","b\\s":"slash","u":"\u00e9\n\"","0":"zero","it's":"apo","":"empty","A":"upper","a":"lower","ö":"uml",` +
	`"$":"dollar","*":"star","a*":"more","*x":"less","x[0]":"br"}`

// What Spark 4.1 returns, "" for null.
func TestGetJSONObject(t *testing.T) {
	f, e := newFolder(t), open(t)
	view := f.view("t", []schema.Field{col("j", schema.String)}, f.file("a.parquet", "SELECT '"+strings.ReplaceAll(rescued, "'", "''")+"' AS j"))
	var paths, calls []string
	var wanted []any
	for _, c := range []struct{ path, want string }{
		{"$.reading", "N/A"},
		{"$['reading']", "N/A"},
		{"$.n", "12"},
		{"$.f", "1.5"},
		{"$.e", "100000.0"},
		{"$.big", "12345678901234567890"},
		{"$.neg0", "-0.0"},
		{"$.t", "true"},
		{"$.z", ""},
		{"$.none", ""},
		{"$.o", `{"b":[1,"x",{"c":"d"}],"s":"q"}`},
		{"$.o.b", `[1,"x",{"c":"d"}]`},
		{"$.o.b[1]", "x"},
		{"$.o['b'][2].c", "d"},
		{"$.o.b[9]", ""},
		{"$.l", `[1,2.5,"s",null,[3]]`},
		{"$.l[4][0]", "3"},
		{"$.l[01]", "2.5"},
		{"$.l[-1]", ""},
		{"$.l[a]", ""},
		{"$.a.b", ""},
		{"$['a.b']", "dot"},
		{"$.a b", "sp"},
		{"$.a/b", "sl"},
		{"$.ti~l", "til"},
		{`$.q"u`, "quote"},
		{`$['q"u']`, "quote"},
		{`$.b\s`, "slash"},
		{"$.u", "é\n\""},
		{"$.0", "zero"},
		{"$[0]", ""},
		{"$.it's", "apo"},
		{"$['']", ""},
		{"$.A", "upper"},
		{"$.a", "lower"},
		{"$.ö", "uml"},
		{"$.$", "dollar"},
		{"$.*", ""},
		{"$['*']", ""},
		{"$.a*", "more"},
		{"$.*x", ""},
		{"$['*x']", "less"},
		{"$.x[0]", ""},
		{"$['x[0]']", "br"},
		{"$.n.x", ""},
		{"$.o[0]", ""},
		{"reading", ""},
		{"$reading", ""},
		{"$.", ""},
		{"$..n", ""},
		{"$[", ""},
		{`$."n"`, ""},
		{" $.n", ""},
		{"$. n", "12"},
		{"$.n ", ""},
		{"", ""},
		{"$['n'].", ""},
		{`$["n"]`, ""},
	} {
		literal := "'" + strings.ReplaceAll(c.path, "'", "''") + "'"
		paths = append(paths, fmt.Sprintf("(%d, %s)", len(paths), literal))
		calls = append(calls, "get_json_object(j, "+literal+")")
		if c.want == "" {
			wanted = append(wanted, nil)
		} else {
			wanted = append(wanted, c.want)
		}
	}
	row, err := json.Marshal(map[string]any{"v": wanted})
	if err != nil {
		t.Fatal(err)
	}
	want(t, e, string(row), "SELECT ["+strings.Join(calls, ", ")+"] AS v FROM t", view)
	want(t, e, string(row), "SELECT list(get_json_object(j, p) ORDER BY i) AS v FROM t, (VALUES "+strings.Join(paths, ", ")+") x(i, p)", view)

	want(t, e, `{"v":["{\"a\":1}","a","{\"a\":2}",null,null,null,null]}`, `SELECT [
		get_json_object('{"a": 1}', '$'), get_json_object('"a"', '$'), get_json_object('[{"a":2}]', '$[0]'),
		get_json_object('{bad', '$.a'), get_json_object('', '$'), get_json_object(NULL, '$.a'), get_json_object('{"a":1}', NULL)] AS v`)
	for _, path := range []string{"$.l[*]", "$[*].a", "$.o.b[*].c"} {
		_, rows, err := ask(t.Context(), e, "SELECT get_json_object(j, '"+path+"') AS v FROM t", view)
		if diag.CodeOf(err) != diag.QueryFailed || !strings.Contains(err.Error(), "[*]") {
			t.Errorf("%s: got %s, %v; want a refusal", path, rows, err)
		}
	}
}
