package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// swap exchanges two names.
func swap(a, b string) error {
	for {
		err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// mounted reports whether another file system begins at a folder. Of one that is
// mounted a second time only the system knows, and refuses it as busy.
func mounted(path string, info fs.FileInfo) bool {
	parent, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return false // the exchange will say so
	}
	here, ok := info.Sys().(*syscall.Stat_t)
	above, also := parent.Sys().(*syscall.Stat_t)
	return ok && also && (here.Dev != above.Dev || here.Ino == above.Ino)
}
