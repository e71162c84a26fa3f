package reconcile

import (
	"testing"

	"landfall/internal/rescue"
	"landfall/internal/schema"
)

// Whatever stands in the rescue column is told or astray.
func FuzzRescued(f *testing.F) {
	typ, err := schema.ParseDDL("struct<a:struct<p:int,q:array<string>>,m:map<int,struct<x:double>>,t:timestamp,b:binary,k:map<array<int>,int>>")
	if err != nil {
		f.Fatal(err)
	}
	p := newPlan(typ.(schema.Struct).Fields, []Folder{{Name: "dt"}}, &Proof{})
	for _, text := range []string{
		`"a":{"p":1,"q":["x",null]},"_why":{"a":"unknown"}`,
		`"m":{"1":{"x":1.5}},"_why":{"m.` + "`1`" + `.x":"type:int"}`,
		`"m":[{"key":1,"value":{"x":"NaN"}}],"t":"2026-11-30T10:00:00Z","b":{"$base64":"/w=="},"dt":"x","_why":{"m":"a","t":"b","b":"c","dt":"d"}`,
		`"k":{"[1,2]":3},"_why":{"k":"unknown"}`, `"k":[{"key":[1],"value":1}],"a":[],"_why":{"k":"x","a":"y"}`, ``,
	} {
		f.Add(`{"_file_path":"f","_record":1,` + text + `}`)
	}
	f.Fuzz(func(t *testing.T, text string) {
		y := newTeller(p)
		y.rescued([]byte(text), placeOf(0))
		z := newTeller(p)
		z.rescued([]byte(text), placeOf(0))
		for i := range y.tallies {
			if y.tallies[i].sum != z.tallies[i].sum {
				t.Error("told otherwise the second time")
			}
		}
		if _, err := rescue.ParseRow([]byte(text)); err != nil && y.strays[0].n != 1 {
			t.Errorf("%d are astray of a text that is no row", y.strays[0].n)
		}
	})
}
