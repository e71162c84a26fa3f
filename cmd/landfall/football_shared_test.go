//go:build shared

package main

import (
	"slices"
	"testing"
)

// TestFootball lands matches as they were written over ten years: teams that
// were objects became strings, two scores became an object of arrays, rounds that
// held matches became a member of each match, and some objects are empty.
func TestFootball(t *testing.T) {
	dir := realData(t, "openfootball-json-history")
	files := jsonFiles(t, dir)
	if len(files) != 11 {
		t.Fatalf("found %d files, want 11", len(files))
	}
	reversed := slices.Clone(files)
	slices.Reverse(reversed)
	const rounds = ".rounds[].matches[]"
	flipped := map[string]string{ // both forms, the objects as JSON
		rounds + ".team1": "string", rounds + ".team1.key": "", rounds + ".team1.name": "", rounds + ".team1.code": "",
		rounds + ".team2": "string", rounds + ".team2.key": "", rounds + ".team2.name": "", rounds + ".team2.code": "",
	}
	for _, c := range []struct {
		name           string
		order          []string
		oneByOne       bool
		rescued        int
		types          map[string]string
		reasons, drift map[string]int
	}{
		{"at once", files, false, 0, flipped, map[string]int{}, map[string]int{
			"column_added matches": 1, "column_added name": 1, "column_added rounds": 1,
			"type_conflict rounds.element.matches.element.team1": 1,
			"type_conflict rounds.element.matches.element.team2": 1,
		}},
		{"one by one", files, true, 3502, map[string]string{rounds + ".team1": "struct", rounds + ".team2": "struct"}, map[string]int{
			"rounds type:array<struct<name:string,matches:array<struct<date:string,team1:struct<key:string,name:string,code:string>," +
				"team2:struct<key:string,name:string,code:string>,score1:bigint,score2:bigint,score:struct<ft:array<bigint>>>>>>": 2,
		}, map[string]int{
			"column_added matches": 1, "column_added name": 1, "column_added rounds": 1,
			"column_added matches.element.score.et": 1, "column_added matches.element.score.p": 1, "column_added matches.element.status": 1,
			"column_added rounds.element.matches.element.score":  1,
			"column_missing rounds":                              5,
			"type_conflict rounds.element.matches.element.team1": 2,
		}},
		{"backwards", reversed, true, 0, flipped, map[string]int{}, map[string]int{
			"column_added matches": 1, "column_added name": 1, "column_added rounds": 1,
			"column_added matches.element.score.et": 1, "column_added matches.element.score.p": 1,
			"column_added rounds.element.matches.element.score1": 1,
			"column_added rounds.element.matches.element.score2": 1,
			"column_missing matches":                             6,
			"type_conflict rounds.element.matches.element.team1": 4,
			"type_conflict rounds.element.matches.element.team2": 4,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := landTrees(t, dir, c.order, c.oneByOne)
			table := readTrees(t, f.landedFeed)[0]
			f.checkHunt(t, table, 23994, c.rescued)
			sameTypes(t, typesStored(table.schema), typesAsked(f.all()), c.types)
			sameCounts(t, "reasons", table.reasons(), c.reasons)
			sameCounts(t, "drift", f.drift(), c.drift)
		})
	}
}
