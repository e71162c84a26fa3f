package contract

import (
	"net/url"
	"strings"

	"landfall/internal/schema"
)

// Folder is a k=v folder of a path, %-escapes undone.
type Folder struct {
	// Key is trimmed as names of headers are.
	Key string
	// Value is what stands in the path, also for a null.
	Value string
}

// Null reports whether the value is Hive's for a null.
func (f Folder) Null() bool { return f.Value == "__HIVE_DEFAULT_PARTITION__" }

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
