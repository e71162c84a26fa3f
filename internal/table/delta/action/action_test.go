package action

import (
	"testing"
)

// A file is described by its action whichever way statistics were written.
func TestStatsRows(t *testing.T) {
	for stats, want := range map[string]int64{
		"": -1, `{"numRecords":12,"minValues":{}}`: 12, `{"numRecords":0}`: 0,
		`{"minValues":{"numRecords":3},"numRecords":4}`: 4, `{"numRecords": 5}`: 5,
		`{}`: -1, `{"numRecords":-1}`: -1, `{"numRecords":1.5}`: -1, `{"numRecords":12`: -1,
		`{"numRecords":null}`: -1, `nonsense`: -1, `{"numRecords":9223372036854775807}`: 9223372036854775807,
	} {
		if got := statsRows(stats); got != want {
			t.Errorf("%s: found %d, want %d", stats, got, want)
		}
	}
}
