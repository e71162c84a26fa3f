package main

import (
	"os"
	"path/filepath"
	"strings"
)

// shown writes a URL as a person would: a local path, from here if it is below.
func shown(at string) string {
	p, ok := localPath(at)
	if !ok {
		return at
	}
	here, err := os.Getwd()
	if err != nil {
		return p
	}
	if rel, err := filepath.Rel(here, p); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return p
}
