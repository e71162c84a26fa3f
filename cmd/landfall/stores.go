package main

import (
	"net/url"
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
