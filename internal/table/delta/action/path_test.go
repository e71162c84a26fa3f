package action

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDecodePath(t *testing.T) {
	for in, want := range map[string]string{
		"part-0.parquet":                         "part-0.parquet",
		"special%20p@%23h":                       "special p@#h",
		"_2=bar+%252521/part-0.parquet":          "_2=bar+%2521/part-0.parquet",
		"d=100%/x":                               "d=100%/x", // not escaped at all
		"größe=ü/x.parquet":                      "größe=ü/x.parquet",
		"gr%C3%B6%C3%9Fe/x":                      "größe/x",
		"x:y.parquet":                            "x:y.parquet",
		"t=10%3A00/x":                            "t=10:00/x",
		"s3://bucket/a%20b.parquet":              "s3://bucket/a%20b.parquet",
		"S3://bucket/a b.parquet":                "s3://bucket/a%20b.parquet",
		"abfss://c@acc.dfs.core.windows.net/t/x": "abfss://c@acc.dfs.core.windows.net/t/x",
		"/a/with%20space/p@%23h":                 "file:///a/with%20space/p@%23h",
		"file:/a/with%20space/p@%23h":            "file:///a/with%20space/p@%23h",
		"file:///a/with space/p@%23h":            "file:///a/with%20space/p@%23h",
	} {
		if got := DecodePath(in); got != want {
			t.Errorf("%s: found %s, want %s", in, got, want)
		}
	}
}

func TestEncodePath(t *testing.T) {
	for in, want := range map[string]string{
		"a b/100%/x#y?z.parquet": "a%20b/100%25/x%23y%3Fz.parquet",
		"10:00/x":                "10%3A00/x",
		"s3://bucket/a%20b":      "s3://bucket/a%20b",
	} {
		if got := EncodePath(in); got != want {
			t.Errorf("%s: found %s, want %s", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`([a-zA-Z0-9 %#?:=+&@;,ü"\\-]{1,9}/){0,2}[a-z %#?:=+ü]{1,9}`).Draw(t, "key")
		if got := DecodePath(EncodePath(key)); got != key && !strings.Contains(key, ":/") {
			t.Errorf("%s became %s", key, got)
		}
	})
}
