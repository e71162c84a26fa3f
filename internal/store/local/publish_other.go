//go:build !linux

package local

import "os"

// renameIfAbsent renames a folder to a name that is not taken: the system takes the
// place of an empty folder, and of no other.
func renameIfAbsent(from, to string) error { return os.Rename(from, to) }
