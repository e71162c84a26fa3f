package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"landfall/internal/engine/duckdb"
)

// version is that of a release; there is none yet.
const version = "devel"

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print what this program is built from",
		Example: "  landfall version --json",
		Args:    args(0, 0, "none"),
		RunE: func(*cobra.Command, []string) error {
			doc := map[string]string{"version": version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH, "duckdb": duckdb.Version()}
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						doc["revision"] = s.Value
					}
				}
			}
			if a.json {
				return a.print(doc)
			}
			_, err := fmt.Fprintf(a.stdout, "landfall %s %s (%s, %s, DuckDB %s)\n", doc["version"], doc["revision"], doc["platform"], doc["go"], doc["duckdb"])
			return err
		},
	}
}
