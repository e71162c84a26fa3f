package inspect

import (
	"net/url"
	"path"
	"strings"

	"landfall/internal/format"
)

// Other is a file of the folder that was not read as Parquet.
type Other struct {
	Path string `json:"path"`
	// Kind is hidden (readers leave it out), marker, temporary, or the format that
	// its name tells; readers that take every file of a folder take those too.
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

// kindOf says what a file is by its path; "" is one to read as Parquet.
func kindOf(key string) string {
	base := path.Base(key)
	switch {
	case temporary(key):
		return "temporary"
	case base == "_SUCCESS" || strings.HasPrefix(base, "_committed_") || strings.HasPrefix(base, "_started_") || base == "_metadata" || base == "_common_metadata":
		return "marker"
	case Hidden(key):
		return "hidden"
	}
	if f := format.ByName(base); f != "" && f != "parquet" {
		return f
	}
	return ""
}

// Hidden tells whether readers leave a file out: a part of its path begins with
// "." or "_". Partition folders such as _k=v are data.
func Hidden(key string) bool {
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || part[0] == '_' && !strings.Contains(part, "=") {
			return true
		}
	}
	return false
}

// temporary tells what writers leave while they work.
func temporary(key string) bool {
	base := path.Base(key)
	for _, end := range []string{".tmp", ".temp", ".part", ".partial", ".inprogress", ".crdownload", ".filepart", "._COPYING_"} {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "_temporary" || strings.HasPrefix(part, ".spark-staging") || strings.HasPrefix(part, ".hive-staging") {
			return true
		}
	}
	return false
}

// Layout says what the folder is beside a folder of files.
type Layout struct {
	// Kind is delta, iceberg, hudi, hive (partition folders) or plain.
	Kind string `json:"kind"`
	// At is the folder of the table below the inspected one, "" for itself.
	At string `json:"at,omitempty"`
	// Message says what follows for readers, "" if nothing does.
	Message string `json:"message,omitempty"`
}

// layoutOf recognises the table formats by a file that only they have. It is "plain"
// for keys that tell nothing.
func layoutOf(key string) Layout {
	for _, t := range []struct{ mark, kind, name string }{
		{"_delta_log/", "delta", "a Delta table"}, {".hoodie/", "hudi", "a Hudi table"},
	} {
		if at, _, ok := cutFolder(key, t.mark); ok {
			return table(t.kind, t.name, at)
		}
	}
	if at, file, ok := cutFolder(key, "metadata/"); ok && (strings.HasSuffix(file, ".metadata.json") || file == "version-hint.text") {
		return table("iceberg", "an Iceberg table", at)
	}
	return Layout{Kind: "plain"}
}

func table(kind, name, at string) Layout {
	what := "this is " + name
	if at != "" {
		what = at + " is " + name
	}
	return Layout{kind, at, what + ": do not read its folder, some of its files may be old versions of its rows"}
}

// cutFolder cuts a key around a folder of a name.
func cutFolder(key, folder string) (before, after string, ok bool) {
	if after, ok := strings.CutPrefix(key, folder); ok {
		return "", after, true
	}
	return strings.Cut(key, "/"+folder)
}

// pair is a column that a folder gives a value, as dt=2026-11-01 does.
type pair struct{ name, value string }

// partition returns the pairs of a file's folders, and the folders that they are
// in, "" for none.
func partition(key string) (pairs []pair, folder string) {
	end := 0
	at := 0
	for part := range strings.SplitSeq(path.Dir(key), "/") {
		at += len(part) + 1
		name, value, ok := strings.Cut(part, "=")
		if !ok || name == "" {
			continue
		}
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		pairs = append(pairs, pair{name, value})
		end = at - 1
	}
	return pairs, key[:end]
}
