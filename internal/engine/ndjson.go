package engine

import (
	"bufio"
	"fmt"
	"io"
)

// WriteNDJSON writes a result as one JSON object a row, keys in column order.
// Numbers keep all their digits. A repeated column name gets a suffix (a, a_1).
func WriteNDJSON(w io.Writer, r Result) (rows int64, err error) {
	out := bufio.NewWriter(w)
	keys := jsonKeys(r.Columns)
	var line []byte
	for row, err := range r.Rows {
		if err != nil {
			return rows, flushed(out, err)
		}
		line = append(line[:0], '{')
		for i, v := range row {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(append(line, keys[i]...), ':')
			line = appendJSON(line, v)
		}
		line = append(line, '}', '\n')
		if _, err := out.Write(line); err != nil {
			return rows, fmt.Errorf("write row: %w", err)
		}
		rows++
	}
	return rows, flushed(out, nil)
}

// flushed hands out the rows that came before an error, too.
func flushed(out *bufio.Writer, err error) error {
	if flushErr := out.Flush(); err == nil && flushErr != nil {
		return fmt.Errorf("write row: %w", flushErr)
	}
	return err
}

// jsonKeys returns the quoted, distinct keys of the columns.
func jsonKeys(columns []Column) []string {
	taken := make(map[string]bool, len(columns))
	for _, c := range columns {
		taken[c.Name] = true
	}
	seen := make(map[string]bool, len(columns))
	keys := make([]string, len(columns))
	for i, c := range columns {
		name := c.Name
		for n := 1; seen[name]; n++ {
			if try := fmt.Sprintf("%s_%d", c.Name, n); !taken[try] {
				name = try
			}
		}
		seen[name], taken[name] = true, true
		keys[i] = string(appendString(nil, name))
	}
	return keys
}
