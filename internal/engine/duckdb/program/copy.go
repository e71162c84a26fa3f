package program

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// FileNumber is the column that deals rows to files; the folders of DuckDB's
// partitions are named after it.
const FileNumber = "_landfall_file"

// Copy writes the statement that writes the rows of a step, which the text selects,
// to files.
func Copy(step *plan.Step, text string, to engine.Target) (string, error) {
	if err := distinctNames(step); err != nil {
		return "", err
	}
	var by []string
	if to.Format == engine.Delimited {
		text = flat(step, text, to)
	}
	text, by = dealt(text, to)
	switch {
	case to.Format == engine.Delimited && to.Text.Escape != "" && strings.Contains(to.Text.Null, to.Text.Escape):
		text, to.Text.Null = nullsInText(step, text, to), ""
	case to.Format == engine.JSON:
		text = documents(step, text, append(slices.Clone(by), names(to.Keys)...), Gone(to))
	}
	options := formatOptions(to)
	path := filepath.Join(to.Folder, "part"+extension(to.Format))
	by = append(by, names(to.Keys)...)
	if len(by) > 0 {
		path = to.Folder
		options = append(options, "PARTITION_BY ("+strings.Join(by, ", ")+")", "OVERWRITE_OR_IGNORE true",
			"FILENAME_PATTERN 'part-{i}'", "FILE_EXTENSION "+dialect.Quote(strings.TrimPrefix(extension(to.Format), ".")))
	}
	if to.KeysStay && len(to.Keys) > 0 && to.Format != engine.JSON { // a document has its own
		options = append(options, "WRITE_PARTITION_COLUMNS true")
	}
	if to.Format == engine.Parquet {
		options = append(options, "RETURN_STATS true")
	} else {
		options = append(options, "RETURN_FILES true")
	}
	return "COPY (\n" + indent(text) + "\n) TO " + dialect.Quote(path) + " (" + strings.Join(options, ", ") + ")", nil
}

// distinctNames refuses names that a file cannot have side by side.
func distinctNames(step *plan.Step) error {
	seen := map[string]string{}
	for _, c := range step.Visible() {
		folded := schema.Fold(c.Name)
		if other, ok := seen[folded]; ok {
			return diag.New(diag.PlanInvalid, "%s: found the columns %s and %s, want names that differ in more than casing",
				step.Name, diag.Quote(other), diag.Quote(c.Name)).In(step.At).
				Hinted("drop or rename one of them in a select before the sink")
		}
		seen[folded] = c.Name
	}
	if len(seen) == 0 {
		return diag.New(diag.PlanInvalid, "%s: found no columns, want at least one to write", step.Name).In(step.At)
	}
	return nil
}

// flat writes structs, arrays and maps as JSON, since delimited text has none.
func flat(step *plan.Step, query string, to engine.Target) string {
	var list []string
	for _, c := range step.Visible() {
		if !schema.Scalar(c.Type) && !slices.Contains(to.Keys, c.Name) {
			name := dialect.Name(c.Name)
			list = append(list, jsonText(name, c.Type, 0)+" AS "+name)
		}
	}
	if len(list) == 0 {
		return query
	}
	return "SELECT * REPLACE (" + strings.Join(list, ", ") + ")\nFROM (\n" + indent(query) + "\n)"
}

// nullsInText writes nulls as a text that holds the escape character, which DuckDB does
// not take.
func nullsInText(step *plan.Step, query string, to engine.Target) string {
	var list []string
	for _, c := range step.Visible() {
		if name := dialect.Name(c.Name); !slices.Contains(to.Keys, c.Name) {
			list = append(list, "coalesce(CAST("+name+" AS VARCHAR), "+dialect.Text(to.Text.Null)+") AS "+name)
		}
	}
	return "SELECT * REPLACE (" + strings.Join(list, ", ") + ")\nFROM (\n" + indent(query) + "\n)"
}

// dealt adds the number of a row's file, if there are several.
func dealt(query string, to engine.Target) (text string, by []string) {
	if to.Files <= 1 {
		return query, nil
	}
	number := "row_number() OVER ()"
	if len(to.By) > 0 {
		number = "CAST(hash(" + strings.Join(names(to.By), ", ") + ") % 2147483647 AS BIGINT)"
	}
	text = fmt.Sprintf("SELECT *, %s %% %d AS %s\nFROM (\n%s\n)", number, to.Files, FileNumber, indent(query))
	return text, []string{FileNumber}
}

func extension(f engine.Format) string {
	switch f {
	case engine.Delimited:
		return ".csv"
	case engine.JSON:
		return ".json"
	}
	return ".parquet"
}

func formatOptions(to engine.Target) []string {
	var options []string
	switch to.Format {
	case engine.Delimited:
		delimiter := to.Text.Delimiter
		if delimiter == "" {
			delimiter = ","
		}
		options = []string{
			"FORMAT csv", "HEADER " + strconv.FormatBool(to.Text.Header), "DELIMITER " + dialect.Quote(delimiter),
			"NULLSTR " + dialect.Quote(to.Text.Null), "QUOTE " + dialect.Quote(to.Text.Quote), "ESCAPE " + dialect.Quote(to.Text.Escape),
		}
		if to.QuoteAll {
			options = append(options, "FORCE_QUOTE *")
		}
	case engine.JSON:
		// DuckDB's own JSON writes decimals as doubles, and one file alone.
		options = []string{"FORMAT csv", "HEADER false", "QUOTE ''", "ESCAPE ''", "DELIMITER e'\\x1f'"}
		if to.Documents == engine.Array {
			options = append(options, "PREFIX e'[\\n\\t'", "SUFFIX e'\\n]\\n'", "NEW_LINE e',\\n\\t'")
		}
	default:
		options = []string{"FORMAT parquet"}
	}
	if to.Compression != "" {
		options = append(options, "COMPRESSION "+dialect.Quote(to.Compression))
	}
	return options
}

// Gone are the columns that files lack, since folders tell them.
func Gone(to engine.Target) []string {
	if to.KeysStay {
		return nil
	}
	return to.Keys
}

// Single is a target with one file.
func Single(to engine.Target) engine.Target {
	to.Files, to.By, to.Keys = 1, nil, nil
	return to
}

// Nothing selects the columns of a query that files have, and no rows.
func Nothing(query string, keys []string) string {
	star := "*"
	if len(keys) > 0 {
		star += " EXCLUDE (" + strings.Join(names(keys), ", ") + ")"
	}
	return "SELECT " + star + "\nFROM (\n" + indent(query) + "\n)\nLIMIT 0"
}

func names(columns []string) []string {
	out := make([]string, len(columns))
	for i, name := range columns {
		out[i] = dialect.Name(name)
	}
	return out
}
