package contract

import (
	"net/url"
	"strings"

	"landfall/internal/schema"
)

// NullFolder is how Hive writes a null partition value.
const NullFolder = "__HIVE_DEFAULT_PARTITION__"

// Folder is a k=v folder of a path, %-escapes undone.
type Folder struct {
	// Key is trimmed as names of headers are.
	Key string
	// Value is [NullFolder] for a null.
	Value string
}

// Folders returns the k=v folders of an object's path from the outermost in,
// and their keys alone. A folder without a key is none.
func Folders(path string) (keys []string, folders []Folder) {
	dirs := strings.Split(path, "/")
	for _, dir := range dirs[:len(dirs)-1] {
		key, value, ok := strings.Cut(dir, "=")
		if key = schema.TrimName(unescape(key)); !ok || key == "" {
			continue
		}
		keys = append(keys, key)
		folders = append(folders, Folder{key, unescape(value)})
	}
	return keys, folders
}

// unescape undoes %-escapes; text that has none, or a broken one, is kept.
func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
