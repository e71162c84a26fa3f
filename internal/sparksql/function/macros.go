package function

import (
	_ "embed"
	"strings"

	plan "landfall/internal/plan/function/kernel"
	"landfall/internal/sparksql/function/kernel"
)

//go:embed macros.sql
var macrosSQL string

// Macros are the statements that define what texts of DuckDB call, separated
// by semicolons. A session runs them once, after it has registered Kernels; a
// second time changes nothing.
func Macros() string {
	var out strings.Builder
	for _, text := range strings.Split(macrosSQL, ";\n") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		text = "CREATE OR REPLACE TEMP MACRO " + text
		if !strings.Contains(text, "{try}") {
			out.WriteString(text + ";\n")
			continue
		}
		// One that fails, and one that gives null.
		hard := strings.NewReplacer("{try}", "", "{TRY}", "", "{bad}", "error('CAST_INVALID_INPUT: found ' || s || ', want ' || ", "{.}", ")")
		soft := strings.NewReplacer("{try}", "try_", "{TRY}", "TRY_", "{bad}", "CASE WHEN false THEN ", "{.}", " END")
		out.WriteString(hard.Replace(text) + ";\n" + soft.Replace(text) + ";\n")
	}
	return out.String()
}

// Kernels are the functions in Go that a session registers before Macros.
func Kernels() []plan.Kernel { return kernel.All() }
