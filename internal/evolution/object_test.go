package evolution_test

import (
	"bytes"
	"testing"

	"landfall/internal/column/columntest"
	"landfall/internal/contract"
)

// ndjson is an object of JSON records.
func ndjson(t testing.TB, path string, rows ...string) contract.ObjectEvidence {
	t.Helper()
	o := contract.ObjectEvidence{Path: path, Tree: true, Evidence: columntest.Trees(t, rows...)}
	for _, f := range o.Evidence.Fields {
		o.Header = append(o.Header, f.Name)
	}
	return o
}

// csv is an object of lines of fields between commas, the header first.
func csv(path string, lines ...string) contract.ObjectEvidence {
	var rows [][]string
	for _, line := range lines {
		var row []string
		for _, cell := range bytes.Split([]byte(line), []byte(",")) {
			if row = append(row, string(cell)); len(cell) == 0 {
				row[len(row)-1] = "∅"
			}
		}
		rows = append(rows, row)
	}
	keys, _ := contract.Folders(path)
	header := bytes.Split([]byte(lines[0]), []byte(","))
	names := make([]string, len(header))
	for i := range header {
		names[i] = string(header[i])
	}
	return contract.ObjectEvidence{Path: path, Header: names, Evidence: columntest.Cells(names, rows[1:]...), Partitions: keys}
}
