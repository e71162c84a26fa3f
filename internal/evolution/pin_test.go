package evolution_test

import (
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/hint"
)

func hints(t *testing.T, text string) hint.Set {
	t.Helper()
	h, err := hint.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return h
}

func TestHints(t *testing.T) {
	p := contract.Policy{Hints: hints(t, "ID int, o.d date, absent double, o.new string, m.value int, `x y` timestamp")}
	first := land(t, contract.Version{}, p, nil, ndjson(t, "a", `{"id":1,"o":{"d":"2026-11-30","e":1},"m":{"k":1,"l":2},"n":1}`))
	check(t, "first", columns(first.Version), "ID:int o:struct<d:date,e:bigint,new:string> m:map<string,int> n:bigint absent:double x_y=x y:timestamp")
	check(t, "drift", brief(first, event.ColumnAdded), `column_added ID >int add
column_added o >struct<d:date,e:bigint,new:string> add
column_added m >map<string,int> add
column_added n >bigint add
column_added absent >double hint
column_added x y >timestamp hint`)
	if c := first.Version.Columns; !c[0].Hinted || !c[1].Hinted || c[3].Hinted {
		t.Errorf("hinted: %+v", c)
	}

	// Against a policy, and on what has landed.
	p = contract.Policy{Preset: contract.RescueMode, Hints: hints(t, "n string, o.e double, o.f.g int, late date, m.value int")}
	r := land(t, first.Version, p, nil, ndjson(t, "b", `{"id":1,"o":{"f":{"h":1},"i":1},"late":"x","m":{"k":1},"q":1}`))
	check(t, "second", columns(r.Version), "ID:int o:struct<d:date,e:bigint,new:string,f:struct<h:bigint,g:int>> m:map<string,int> n:bigint absent:double x_y=x y:timestamp late:date")
	check(t, "drift", brief(r, event.ColumnAdded, event.HintHeld), `column_added late >date hint
column_added q >bigint rescue
column_added o.f >struct<h:bigint,g:int> hint
column_added o.i >bigint rescue
hint_held o.e bigint>double hold
hint_held n bigint>string hold`)

	// Another shape, and a way through a scalar.
	other := contract.Policy{Hints: hints(t, "o string, m.key int, m.value int")}
	r = land(t, first.Version, other, nil, ndjson(t, "b", `{"id":1}`))
	check(t, "shapes", brief(r, event.HintHeld), "hint_held o struct<d:date,e:bigint,new:string>>string hold\nhint_held m.key string>int hold")
	_, err := evolution.Evolve(first.Version, evolution.Evidence{Objects: []contract.ObjectEvidence{ndjson(t, "b", `{"n":1}`)}},
		contract.Policy{Hints: hints(t, "n.x int")}, nil)
	if diag.CodeOf(err) != diag.BadOption || !strings.Contains(err.Error(), "found a hint for a part of n, which has landed as bigint") {
		t.Errorf("got %v", err)
	}
	_, err = evolution.Evolve(contract.Version{}, evolution.Evidence{Objects: []contract.ObjectEvidence{csv("b.csv", "n", "1")}},
		contract.Policy{Hints: hints(t, "m int, n.x int, o array<int>")}, nil)
	if diag.CodeOf(err) != diag.BadOption || !strings.Contains(err.Error(), `column "n": found a hint for parts of it at character 8`) || !strings.Contains(err.Error(), `"o": found array<int>`) {
		t.Errorf("got %v", err)
	}
}

// A hint says how a new column is spelt, also where casings count.
func TestHintsSpell(t *testing.T) {
	p := contract.Policy{CaseSensitive: true, Hints: hints(t, "ID string, o.A int, DT int")}
	r := land(t, contract.Version{}, p, nil, ndjson(t, "dt=1/a", `{"id":1,"o":{"a":"x"}}`))
	check(t, "columns", columns(r.Version), "ID o:struct<A:int> DT:int")
	folder := csv("dt=1/a.csv", "id,ID", "x,1")
	flat := land(t, contract.Version{}, contract.Policy{Hints: hints(t, "ID int, DT int")}, nil, folder)
	check(t, "flat", columns(flat.Version), "ID:int DT:int/")
	b := contract.Bind(flat.Version, contract.Policy{}, folder.Header, nil)
	if b.Fields[0].Column != -1 || b.Fields[1].Column != 0 {
		t.Errorf("got %+v", b.Fields)
	}
}
