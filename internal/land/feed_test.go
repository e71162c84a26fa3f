package land_test

import (
	"encoding/json"
	"slices"
	"strings"

	"landfall/internal/land"
)

// feed is the landing of most sweeps. Each day brings something that the contract
// does not know: values of another type and a new column on the second day, a
// rewritten file with a new column on the third, no rows but another column on the
// fourth.
func feed() []day {
	return []day{
		{files: map[string]string{"a.csv": "id,name,n\na1,Ann,1\na2,Bo,2\n", "b.csv": "id,name,n\nb1,Cy,3\n"}},
		{files: map[string]string{"c.csv": "name,id,city,n\nDi,c1,Oslo,4.5\nEd,c2,,5\n"}},
		{files: map[string]string{
			"a.csv": "id,name,since\na1,Ann,2026-01-31\na3,Fay,2026-02-28\na4,Gil,\n",
			"d.csv": "id,name,n\nd1,\"Hal\nof two lines\",?\n",
		}},
		{files: map[string]string{"e.csv": "id,name,last\n"}},
	}
}

// trees is the same of JSON: types, fields of structs and elements of arrays come
// as the days go.
func trees() []day {
	return []day{
		{files: map[string]string{
			"a.json": `{"id":"a1","n":1,"o":{"x":1}}` + "\n" + `{"id":"a2","n":2,"o":null}` + "\n",
			"b.json": `{"id":"b1","n":3,"tags":[]}` + "\n",
		}},
		{files: map[string]string{"c.json": `{"o":{"y":true,"x":"?"},"id":"c1","city":"Oslo"}` + "\n" + `{"id":"c2","n":4.5,"tags":["t"]}` + "\n"}},
		{files: map[string]string{
			"a.json": `{"id":"a1","o":{"z":{"w":[1]}}}` + "\n" + `{"id":"a3"}` + "\n" + `{"id":"a4","n":"5"}` + "\n",
			"d.json": `{"id":"d1","list":[{"k":1},{"v":2.5}]}` + "\n",
		}},
		{files: map[string]string{"e.json": "[]\n"}},
	}
}

// scenes are what the sweeps play.
func scenes() map[string]scene {
	one := land.Limits{Files: 1}
	reprocess := feed()
	reprocess[2].reset = land.ResetReprocess
	// c is kept unread, so when it is rewritten nothing is there to replace; a
	// had landed, so it is replaced.
	keep := append(feed()[:3], day{files: map[string]string{"c.csv": "id,city\nc3,Rome\nc4,Bern\n"}})
	keep[1].reset = land.ResetKeep
	// Values and records of earlier days land as they would today, and then what
	// came with it.
	replay, anew := feed(), feed()
	replay[2].replay, anew[3].replay = &land.Choice{}, &land.Choice{All: true}
	return map[string]scene{
		"replay":       {days: replay, limits: one},
		"replay all":   {days: anew, limits: one},
		"whole days":   {days: feed()},
		"single files": {days: feed(), limits: one},
		"new only":     {days: feed(), limits: one, newOnly: true},
		"reprocess":    {days: reprocess, limits: one},
		"keep":         {days: keep, limits: one},
		"trees":        {days: trees(), tree: true, limits: land.Limits{Files: 2}},
	}
}

// ids counts the ids of a file. Quoted line breaks are only known as "\nof".
func ids(text string) map[string]int {
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\nof", " of"), "\n"), "\n")
	at := slices.Index(strings.Split(lines[0], ","), "id")
	found := map[string]int{}
	if at < 0 {
		return treeIDs(lines)
	}
	for _, line := range lines[1:] {
		found[strings.Split(line, ",")[at]]++
	}
	return found
}

// treeIDs counts the ids of a file of one object a line.
func treeIDs(lines []string) map[string]int {
	found := map[string]int{}
	for _, line := range lines {
		var record struct{ ID string }
		if err := json.Unmarshal([]byte(line), &record); err == nil {
			found[record.ID]++
		}
	}
	return found
}
