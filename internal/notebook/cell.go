package notebook

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"landfall/internal/diag"
)

// cell is a stretch of one language.
type cell struct {
	text string
	// at is the place of its first line.
	at  Place
	sql bool
}

// magic begins the lines of a cell that is not in a notebook's own language, in
// the source that Databricks exports.
const magic = "MAGIC"

// split divides a notebook into cells.
func split(name string, data []byte) ([]cell, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".ipynb":
		return splitJSON(name, data)
	case ".sql":
		return []cell{{text: uncommented(string(data), "--"), at: Place{Line: 1}, sql: true}}, nil
	}
	text := string(data)
	return append([]cell{{text: text, at: Place{Line: 1}}}, magicCells(text)...), nil
}

// magicCells returns the SQL cells of a Python source, whose lines are comments.
func magicCells(text string) []cell {
	var cells []cell
	var open *cell
	line := 0
	for raw := range strings.Lines(text) {
		line++
		body, ok := magicLine(raw, "#")
		if !ok {
			open = nil
			continue
		}
		if first, rest, _ := strings.Cut(strings.TrimSpace(body), " "); strings.HasPrefix(first, "%") {
			open = nil
			if first == "%sql" {
				cells = append(cells, cell{at: Place{Line: line}, sql: true})
				open = &cells[len(cells)-1]
			}
			body = rest
		}
		if open != nil {
			open.text += strings.TrimRight(body, "\r\n") + "\n"
		}
	}
	return cells
}

// magicLine returns what stands behind "# MAGIC" in a line.
func magicLine(raw, comment string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(raw), comment)
	if !ok {
		return "", false
	}
	return strings.CutPrefix(strings.TrimSpace(rest), magic)
}

// uncommented takes the marks off the lines of cells in other languages, which
// may hold SQL in a SQL notebook too.
func uncommented(text, comment string) string {
	var b strings.Builder
	for raw := range strings.Lines(text) {
		if body, ok := magicLine(raw, comment); ok && strings.HasPrefix(strings.TrimSpace(body), "%") {
			raw = "\n"
		}
		b.WriteString(raw)
	}
	return b.String()
}

// splitJSON reads a notebook in Jupyter's form.
func splitJSON(name string, data []byte) ([]cell, error) {
	var doc struct {
		Cells []struct {
			Type   string          `json:"cell_type"`
			Source json.RawMessage `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, diag.New(diag.BadOption, "the file is no notebook: %v", err).In(diag.Place{File: name}).
			Hinted("name a notebook: .ipynb, or source in .py or .sql")
	}
	var cells []cell
	for i, c := range doc.Cells {
		if c.Type != "code" {
			continue
		}
		at := Place{Cell: i + 1, Line: 1}
		cells = append(cells, jsonCell(joined(c.Source), at))
	}
	return cells, nil
}

// joined is the text of a cell, which is one text or a list of lines.
func joined(source json.RawMessage) string {
	var lines []string
	if json.Unmarshal(source, &lines) == nil {
		return strings.Join(lines, "")
	}
	var text string
	_ = json.Unmarshal(source, &text) // anything else is no text, and has no stream
	return text
}

// jsonCell tells a cell of SQL, and takes magics and shell commands out.
func jsonCell(text string, at Place) cell {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), "%sql"); ok {
		skipped := text[:len(text)-len(rest)]
		at.Line += strings.Count(skipped, "\n")
		return cell{text: rest, at: at, sql: true}
	}
	var b strings.Builder
	for raw := range strings.Lines(text) {
		if t := strings.TrimSpace(raw); strings.HasPrefix(t, "%") || strings.HasPrefix(t, "!") {
			raw = "\n"
		}
		b.WriteString(raw)
	}
	return cell{text: b.String(), at: at}
}
