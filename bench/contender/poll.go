package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// poll lands a folder by the landfall command, and tells what was new to it. The
// first call lands all files; what the harness measures is the next.
func poll(ctx context.Context, in, kept string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(self), "landfall"), "land", in, filepath.Join(kept, "table"), "--quiet", "--json") //nolint:gosec // the program beside this one
	cmd.Stderr = os.Stderr
	said, err := cmd.Output()
	if err != nil {
		return err
	}
	var report struct {
		Known   int64 `json:"files_known"`
		Batches []struct {
			Files int64 `json:"files"`
		} `json:"batches"`
	}
	if err := json.Unmarshal(said, &report); err != nil {
		return fmt.Errorf("read %q: %w", said, err)
	}
	files := int64(0)
	for _, b := range report.Batches {
		files += b.Files
	}
	return tell(map[string]any{"new": files, "seen": report.Known + files})
}
