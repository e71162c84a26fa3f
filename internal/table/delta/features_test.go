package delta

import (
	"slices"
	"testing"

	"landfall/internal/table/delta/action"
)

func TestProtocolNeeds(t *testing.T) {
	for _, c := range []struct {
		in              string
		readers, writer []string
	}{
		{`{"protocol":{"minReaderVersion":1,"minWriterVersion":1}}`, nil, nil},
		{`{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}`, nil, []string{"appendOnly", "invariants"}},
		{
			`{"protocol":{"minReaderVersion":2,"minWriterVersion":5}}`,
			[]string{"columnMapping"},
			[]string{"appendOnly", "invariants", "checkConstraints", "changeDataFeed", "generatedColumns", "columnMapping"},
		},
		{`{"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["rowTracking"]}}`, nil, []string{"rowTracking"}},
		{
			`{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["v2Checkpoint"],"writerFeatures":["v2Checkpoint"]}}`,
			[]string{"v2Checkpoint"},
			[]string{"v2Checkpoint"},
		},
		{`{"protocol":{"minReaderVersion":3,"minWriterVersion":7}}`, nil, nil},
	} {
		a, err := action.Decode([]byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		p := a.Protocol
		if got := readerNeeds(p); !slices.Equal(got, c.readers) {
			t.Errorf("%s: readers need %v, want %v", c.in, got, c.readers)
		}
		if got := writerNeeds(p); !slices.Equal(got, c.writer) {
			t.Errorf("%s: writers need %v, want %v", c.in, got, c.writer)
		}
		if err := readable(p); err != nil {
			t.Errorf("%s: %v", c.in, err)
		}
	}
}
