package store

import (
	"fmt"
	"strings"
)

// CheckKey refuses keys that no store may hold: empty ones, those with an
// empty, "." or ".." element, which could leave the root, and those with a NUL.
func CheckKey(key string) error {
	if key == "" || strings.ContainsRune(key, 0) {
		return fmt.Errorf("key %q: found an empty name or a NUL byte, wanted a path below the root", key)
	}
	for e := range strings.SplitSeq(key, "/") {
		if e == "" || e == "." || e == ".." {
			return fmt.Errorf("key %q: found element %q, wanted a path below the root", key, e)
		}
	}
	return nil
}
