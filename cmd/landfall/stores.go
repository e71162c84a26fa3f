package main

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/store/retry"
)

// openStore opens the store at a path or URL, with its faults retried.
func openStore(at string) (store.Store, error) {
	path := at
	if scheme, _, ok := strings.Cut(at, "://"); ok {
		u, err := url.Parse(at)
		if err != nil || scheme != "file" {
			return nil, diag.New(diag.Usage, "found %s, want a local folder", diag.Quote(at)).
				Hinted("abfss://, s3:// and gs:// come with a later release; mount or copy the folder until then")
		}
		path = u.Path
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, diag.New(diag.Usage, "%v", err)
	}
	s, err := local.Open(abs)
	if err != nil {
		return nil, err
	}
	return retry.New(s, retry.Policy{}), nil
}

// folders looks at local folders.
type folders struct{}

// Missing implements source.Folders.
func (folders) Missing(at string) bool {
	p, ok := localPath(at)
	if !ok {
		return false
	}
	_, err := os.Stat(p)
	return errors.Is(err, fs.ErrNotExist)
}

// Same implements source.Folders.
func (folders) Same(a, b string) bool {
	pa, oka := localPath(a)
	pb, okb := localPath(b)
	if !oka || !okb {
		return false
	}
	ia, erra := os.Stat(pa)
	ib, errb := os.Stat(pb)
	return erra == nil && errb == nil && os.SameFile(ia, ib)
}
