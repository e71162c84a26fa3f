package contract

import (
	"net/url"
	"strings"
)

// NullFolder is how Hive writes a null partition value.
const NullFolder = "__HIVE_DEFAULT_PARTITION__"

// Folders returns the keys of the k=v folders of an object's path from the
// outermost in, and their values with %-escapes undone. Of a key that occurs
// twice the innermost value holds. [NullFolder] stays as it is.
func Folders(path string) (keys []string, values map[string]string) {
	dirs := strings.Split(path, "/")
	values = make(map[string]string)
	seen := make(map[string]bool)
	for _, dir := range dirs[:len(dirs)-1] {
		key, value, ok := strings.Cut(dir, "=")
		if key = unescape(key); !ok || key == "" {
			continue
		}
		if !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
		values[key] = unescape(value)
	}
	return keys, values
}

// unescape undoes %-escapes; text that has none, or a broken one, is kept.
func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
