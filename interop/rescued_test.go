//go:build interop

package interop

import (
	"fmt"
	"strings"
	"testing"

	"landfall/internal/schema"
)

// TestGetJSONObject has Spark and us look into the same rescued records.
func TestGetJSONObject(t *testing.T) {
	dir := newTable(t)
	a := newAuthor(t, dir)
	a.grow("id", schema.Long)
	a.grow("_rescued_data", schema.String)
	var rows []map[string]any
	for i, v := range []any{
		`{"reading":"N/A","n":12,"f":1.50,"e":1e5,"big":12345678901234567890,"neg0":-0.0,"t":true,"z":null,"o":{"b":[1, "x",{"c":"d"}]}}`,
		`{"a.b":"dot","a b":"sp","a/b":"sl","ti~l":"til","q\"u":"quote","b\\s":"slash","u":"\u00e9\n\"","0":"zero","it's":"apo","":"empty"}`,
		`{"A":"upper","a":"lower","ö":"uml","$":"dollar","*":"star","a*":"more","*x":"less","x[0]":"br","l":[1,2.50,"s",null,[3]]}`,
		`[{"n":1},"x"]`, `"text"`, "{bad", "", nil,
	} {
		rows = append(rows, map[string]any{"id": int64(i), "_rescued_data": v})
	}
	a.append(rows...)
	paths := []string{
		"$", "$.reading", "$['reading']", "$.n", "$.f", "$.e", "$.big", "$.neg0", "$.t", "$.z", "$.o", "$.o.b[1]", "$.o['b'][2].c",
		"$.o.b[9]", "$.a.b", "$['a.b']", "$.a b", "$.a/b", "$.ti~l", `$.q"u`, `$.b\s`, "$.u", "$.0", "$[0]", "$[0].n", "$.it's", "$['']",
		"$.A", "$.a", "$.ö", "$.$", "$.*", "$['*']", "$.a*", "$.*x", "$['*x']", "$['x[0]']", "$.x[0]", "$.l", "$.l[4][0]", "$.l[01]",
		"$.l[-1]", "$.n.x", "$.o[0]", "n", "$n", "$.", "$..n", "$[", `$."n"`, " $.n", "$. n", "$.n ", "", "$['n'].", `$["n"]`,
	}
	values := func(escape *strings.Replacer) string {
		var out []string
		for i, p := range paths {
			out = append(out, fmt.Sprintf("(%d, '%s')", i, escape.Replace(p)))
		}
		return "(values " + strings.Join(out, ", ") + ") as x(i, p)"
	}
	const ask = "select t.id, i, get_json_object(_rescued_data, p) as v from %s, "
	wanted := spark(t).sql(t, dir, fmt.Sprintf(ask, "%t as t")+values(strings.NewReplacer(`\`, `\\`, "'", `\'`)))
	found, err := query(t, dir, fmt.Sprintf(ask, "t")+values(strings.NewReplacer("'", "''")))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ours", found, wanted)
}
