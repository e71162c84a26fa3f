package local

import (
	"os"

	"golang.org/x/sys/unix"
)

// renameIfAbsent renames from to a name that is not taken.
func renameIfAbsent(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
