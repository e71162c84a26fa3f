// Package sharedtest finds the data that the tests of several packages share.
package sharedtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Folder returns a folder of the shared data, named below its root. The data
// lies where LANDFALL_SHARED says, else in the folder shared beside that of the
// repository. Where it is missing the test fails: those that want it have a
// build tag.
func Folder(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("LANDFALL_SHARED")
	if root == "" {
		root = filepath.Join(Repository(t), "..", "shared")
	}
	folder, err := filepath.Abs(filepath.Join(root, "data", filepath.FromSlash(name)))
	if err == nil {
		_, err = os.Stat(folder)
	}
	if err != nil {
		t.Fatalf("no shared data, set LANDFALL_SHARED: %v", err)
	}
	return folder
}

// Repository is the root of the module that the test belongs to.
func Repository(t testing.TB) string {
	t.Helper()
	here, err := os.Getwd()
	for ; err == nil; here = filepath.Dir(here) {
		if _, missing := os.Stat(filepath.Join(here, "go.mod")); missing == nil {
			return here
		}
		if here == filepath.Dir(here) {
			t.Fatal("the test runs outside its module")
		}
	}
	t.Fatal(err)
	return ""
}
