package duckdb

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/schema"
)

// addListing loads the lines of a listing and makes its table function.
func (s *session) addListing(ctx context.Context, n int, l engine.Listing) error {
	path := filepath.Join(s.files, fmt.Sprintf("listing-%d.ndjson", n))
	if err := stageLines(path, l); err != nil {
		return fmt.Errorf("stage %s(): %w", l.Name, err)
	}
	columns := make([]string, len(l.Schema.Fields))
	for i, f := range l.Schema.Fields {
		typ, err := typeSQL(f.Type)
		if err != nil {
			return fmt.Errorf("%s(): column %s: %w", l.Name, f.Name, err)
		}
		columns[i] = dialect.Quote(f.Name) + ": " + dialect.Quote(typ)
	}
	table := fmt.Sprintf("%s.listing_%d", own, n)
	err := s.exec(ctx,
		fmt.Sprintf("CREATE TABLE %s AS FROM read_json(%s, format = 'newline_delimited', columns = {%s})",
			table, dialect.Quote(path), strings.Join(columns, ", ")),
		fmt.Sprintf("CREATE MACRO %s() AS TABLE FROM %s", dialect.Name(l.Name), table))
	if err != nil {
		return fmt.Errorf("load %s(): %w", l.Name, err)
	}
	return nil
}

// stageLines writes the lines as DuckDB reads them without loss: it would pass
// the numbers inside text and decimals through a float, so they become strings.
func stageLines(path string, l engine.Listing) error {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	return errors.Join(copyLines(w, l), w.Flush(), out.Close())
}

func copyLines(w io.Writer, l engine.Listing) error {
	lines, objects := json.NewDecoder(l.Lines), json.NewEncoder(w)
	for n := 1; ; n++ {
		var object map[string]json.RawMessage
		err := lines.Decode(&object)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
		for _, f := range l.Schema.Fields {
			if raw, ok := object[f.Name]; ok {
				if object[f.Name], err = asText(raw, f.Type); err != nil {
					return fmt.Errorf("record %d: %s: %w", n, f.Name, err)
				}
			}
		}
		if err := objects.Encode(object); err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
	}
}

// asText makes a JSON string of the values that must keep their text.
func asText(raw json.RawMessage, typ schema.Type) (json.RawMessage, error) {
	_, isDecimal := typ.(schema.Decimal)
	if typ != schema.String && !isDecimal || len(raw) == 0 || raw[0] == '"' || string(raw) == "null" {
		return raw, nil
	}
	return json.Marshal(string(raw))
}
