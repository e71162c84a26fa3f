package format

import (
	"path"
	"strings"
)

// ByName returns the format that a file's name tells, compression suffixes set
// aside; "" if it tells none.
func ByName(name string) string {
	name = strings.ToLower(path.Base(name))
	for _, packed := range []string{".gz", ".zst", ".bz2", ".snappy", ".sz"} {
		name = strings.TrimSuffix(name, packed)
	}
	switch path.Ext(name) {
	case ".csv", ".tsv", ".psv", ".tab":
		return "csv"
	case ".json", ".jsonl", ".ndjson":
		return "json"
	case ".parquet":
		return "parquet"
	case ".avro":
		return "avro"
	case ".xml":
		return "xml"
	case ".orc":
		return "orc"
	case ".txt", ".text", ".log":
		return "text"
	default:
		return ""
	}
}

// Unnamed says why the name of a file tells no format.
func Unnamed(name string) string {
	switch ext := path.Ext(strings.ToLower(name)); ext {
	case ".xz", ".lz4", ".zip", ".7z", ".rar", ".z", ".lzma", ".lzo", ".br", ".tgz", ".tar":
		return "its name tells " + ext[1:] + " data" + unread
	}
	return "its name tells no data format"
}
