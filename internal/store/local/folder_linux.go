package local

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// folder is an open folder: what is asked of the files in it does not resolve its
// path again.
type folder struct {
	f  *os.File
	fd int
}

func openFolder(path string) (*folder, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY, 0) // a pipe would block
	if err != nil {
		return nil, err
	}
	return &folder{f, int(f.Fd())}, nil //nolint:gosec // a descriptor is a small number
}

func (d *folder) close() { _ = d.f.Close() } // nothing was written

// The head of a directory entry of Linux, on every machine: inode (8 bytes),
// offset (8), length of the entry (2), type (1), name up to a zero byte.
const direntLength, direntType, direntName = 16, 18, 19

// read tells each the names in the folder that were not told yet, in the order of the
// file system. The bytes of a name are valid within the call. The buffer is for later
// calls. Now and then goOn is asked; whole is false if it says no.
func (d *folder) read(buffer *[]byte, each func(name []byte, kind kind), goOn func() bool) (whole bool, err error) {
	if *buffer == nil {
		*buffer = make([]byte, 64<<10)
	}
	buf := *buffer
	for {
		n, err := unix.Getdents(d.fd, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n <= 0 || err != nil {
			return err == nil, err
		}
		for rest := buf[:n]; len(rest) > direntName; {
			size := int(binary.NativeEndian.Uint16(rest[direntLength:]))
			if size <= direntName || size > len(rest) {
				return false, unix.EIO
			}
			name := rest[direntName:size]
			if end := bytes.IndexByte(name, 0); end >= 0 {
				name = name[:end]
			}
			if string(name) != "." && string(name) != ".." {
				each(name, kindOf(rest[direntType]))
			}
			rest = rest[size:]
		}
		if !goOn() {
			return false, nil
		}
	}
}

func kindOf(dtype byte) kind {
	switch dtype {
	case unix.DT_REG:
		return aFile
	case unix.DT_DIR:
		return aFolder
	case unix.DT_LNK, unix.DT_UNKNOWN:
		return unknown
	}
	return other
}

// stat describes what a name in the folder stands for; links are followed.
func (d *folder) stat(name string) (meta, error) {
	var st unix.Stat_t
	err := unix.Fstatat(d.fd, name, &st, 0)
	for errors.Is(err, unix.EINTR) {
		err = unix.Fstatat(d.fd, name, &st, 0)
	}
	if err != nil {
		return meta{}, err
	}
	m := meta{kind: other, size: st.Size, inode: st.Ino}
	m.sec, m.nsec = st.Mtim.Unix()
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		m.kind = aFile
	case unix.S_IFDIR:
		m.kind = aFolder
	}
	return m, nil
}
