package action

import (
	"testing"
)

func FuzzPath(f *testing.F) {
	for _, p := range []string{"a%20b", "file:/x", "S3://b/%zz", "x:y", "/", "", "a%2Fb"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		key := DecodePath(p)
		if _, _, ok := cutScheme(key); ok && DecodePath(key) != key {
			t.Fatalf("%q became %q, then %q", p, key, DecodePath(key))
		}
	})
}

// A version of a table of another program may hold any bytes.
func FuzzStatsRows(f *testing.F) {
	for _, s := range []string{`{"numRecords":12}`, `{"numRecords":1`, `{"numRecords":999999999999999999999}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, stats string) {
		if n := statsRows(stats); n < -1 {
			t.Fatalf("%q has %d rows", stats, n)
		}
	})
}
