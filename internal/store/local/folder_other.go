//go:build !linux

package local

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// folder is an open folder.
type folder struct {
	f    *os.File
	path string
}

func openFolder(path string) (*folder, error) {
	// A pipe would block when opened, so the kind of file is seen first.
	fi, err := os.Stat(path)
	if err == nil && !fi.IsDir() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &folder{f, path}, nil
}

func (d *folder) close() { _ = d.f.Close() } // nothing was written

// read tells each the names in the folder that were not told yet, in the order of the
// file system. The bytes of a name are valid within the call. Now and then goOn is
// asked; whole is false if it says no.
func (d *folder) read(_ *[]byte, each func(name []byte, kind kind), goOn func() bool) (whole bool, err error) {
	for {
		found, err := d.f.ReadDir(1024)
		for _, e := range found {
			each([]byte(e.Name()), kindOf(e.Type()))
		}
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil || !goOn():
			return false, err
		}
	}
}

func kindOf(mode fs.FileMode) kind {
	switch {
	case mode.IsRegular():
		return aFile
	case mode.IsDir():
		return aFolder
	case mode&fs.ModeSymlink != 0:
		return unknown
	}
	return other
}

// stat describes what a name in the folder stands for; links are followed.
func (d *folder) stat(name string) (meta, error) {
	fi, err := os.Stat(d.path + "/" + name)
	if err != nil {
		return meta{}, err
	}
	return metaOf(fi), nil
}
