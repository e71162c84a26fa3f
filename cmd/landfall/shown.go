package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// shown writes a URL as a person would: a local path, from here if it is below.
func shown(at string) string {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "file" {
		return at
	}
	here, err := os.Getwd()
	if err != nil {
		return u.Path
	}
	if rel, err := filepath.Rel(here, u.Path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return u.Path
}
