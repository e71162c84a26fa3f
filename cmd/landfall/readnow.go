package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/inspect"
	"landfall/internal/readnow"
)

// readNowFlags ask for a program instead of the report.
type readNowFlags struct {
	options readnow.Options
	// files is where the paths are written, "" for nowhere.
	files string
}

func (f *readNowFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.options.Reader, "read-now", "", "print a program that reads what can be read safely: "+strings.Join(readnow.Readers(), ", "))
	c.Flags().IntVar(&f.options.Group, "group", 0, "with --read-now: the group to read (default: that with most rows)")
	c.Flags().StringVar(&f.files, "files", "", "with --read-now: write the paths to this file, from which the program reads them")
}

// check refuses flags that mean nothing together.
func (f *readNowFlags) check(c *cobra.Command, a *app) error {
	if !c.Flags().Changed("read-now") {
		for _, name := range []string{"group", "files"} {
			if c.Flags().Changed(name) {
				return diag.New(diag.Usage, "found --%s without --read-now", name).Hinted("name the reader: --read-now spark")
			}
		}
		return nil
	}
	for _, name := range []string{"quarantine", "readers", "gate"} {
		if c.Flags().Changed(name) {
			return diag.New(diag.Usage, "found --read-now and --%s, want one", name).Hinted("--read-now prints a program and nothing else")
		}
	}
	if a.json {
		return diag.New(diag.Usage, "found --read-now and --json, want one").Hinted("a program is no JSON: leave --json out")
	}
	return nil
}

// readNow prints the program, and writes the paths where they are wanted.
func (a *app) readNow(ctx context.Context, r *inspect.Report, f readNowFlags) error {
	if f.files != "" {
		abs, err := filepath.Abs(f.files)
		if err != nil {
			return diag.New(diag.Usage, "--files: %v", err)
		}
		f.options.List = abs
	}
	p, err := readnow.Write(r, f.options)
	if err != nil {
		return err
	}
	if f.files != "" {
		data, err := json.MarshalIndent(p.Paths, "", " ")
		if err != nil {
			return err
		}
		if err := outsideOf(r.Folder, f.files, "--files"); err != nil {
			return err
		}
		if err := writeWhole(ctx, f.files, append(data, '\n')); err != nil {
			return diag.New(diag.Usage, "--files: %v", err).Hinted("name a file in a folder that is there").Because(err)
		}
	}
	_, err = fmt.Fprint(a.stdout, p.Text)
	return err
}
