package drill

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Break is a way in which files come broken.
type Break string

// The ways.
const (
	ExtraColumn  Break = "extra column"
	TextInNumber Break = "text in a column of numbers"
	Recased      Break = "casing switched"
	Dropped      Break = "column dropped"
	Cut          Break = "file cut short"
)

// Extra is the name of the column that a broken copy has more, Word the text that it has
// among numbers.
const (
	Extra = "drill_extra"
	Word  = "drill"
)

// ErrNothing says that a file has nothing to break in that way: no column of numbers, no
// letters in its names.
var ErrNothing = errors.New("nothing to break")

// mostBytes bounds the copies that are broken.
const mostBytes = 4 << 20

// head is the beginning of a text, up to the end of a line.
func head(data []byte) []byte {
	if len(data) <= mostBytes {
		return data
	}
	if end := bytes.LastIndexByte(data[:mostBytes], '\n'); end > 0 {
		return data[:end+1]
	}
	return data
}

var wholeNumber = regexp.MustCompile(`^[+-]?[0-9]{1,18}$`)

// Text breaks a copy of a file of delimited text or of JSON, and names the column that is
// broken, if it is one.
func Text(data []byte, format string, how Break) (out []byte, column string, err error) {
	data = head(data)
	if how == Cut {
		return cut(data)
	}
	if format == "json" {
		return brokenJSON(data, how)
	}
	return brokenCSV(data, how)
}

// cut ends a text within its last value but one.
func cut(data []byte) ([]byte, string, error) {
	trimmed := bytes.TrimRight(data, "\r\n")
	from := bytes.LastIndexByte(trimmed, '\n') + 1
	line := trimmed[from:]
	end := bytes.LastIndexAny(line, ",;\t|:")
	if end <= 0 {
		return nil, "", ErrNothing
	}
	return trimmed[:from+end], "", nil
}

// delimiter is that of the header: the most frequent of the usual ones.
func delimiter(line []byte) rune {
	best, most := ',', 0
	for _, d := range ",;\t|" {
		if n := bytes.Count(line, []byte(string(d))); n > most {
			best, most = d, n
		}
	}
	return best
}

func brokenCSV(data []byte, how Break) ([]byte, string, error) {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = delimiter(line), true, -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, "", fmt.Errorf("read the copy: %w", err)
	}
	if len(rows) < 2 {
		return nil, "", ErrNothing
	}
	column, err := breakRows(rows, how)
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Comma = r.Comma
	if err := w.WriteAll(rows); err != nil {
		return nil, "", err
	}
	return out.Bytes(), column, nil
}

// breakRows breaks rows of which the first has the names.
func breakRows(rows [][]string, how Break) (string, error) {
	names := rows[0]
	switch how {
	case ExtraColumn:
		rows[0] = append(rows[0], Extra)
		for i := range rows[1:] {
			rows[i+1] = append(rows[i+1], "1")
		}
		return Extra, nil
	case Dropped:
		if len(names) < 2 {
			return "", ErrNothing
		}
		for i := range rows {
			rows[i] = rows[i][:min(len(rows[i]), len(names)-1)]
		}
		return names[len(names)-1], nil
	case Recased:
		for i := len(names) - 1; i >= 0; i-- {
			if other := Switched(names[i]); other != names[i] {
				was := names[i]
				names[i] = other
				return was, nil
			}
		}
	case TextInNumber:
		for c := len(names) - 1; c >= 0; c-- {
			if numbers(rows[1:], c) {
				rows[1][c] = Word
				return names[c], nil
			}
		}
	}
	return "", ErrNothing
}

// numbers reports whether a column has whole numbers and nothing else.
func numbers(rows [][]string, c int) bool {
	found := false
	for _, row := range rows {
		if c >= len(row) || row[c] == "" {
			continue
		}
		if !wholeNumber.MatchString(row[c]) {
			return false
		}
		found = true
	}
	return found
}

// Switched is a name in the other casing.
func Switched(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, name)
}

// member is a key of an object, with its value as it is written.
type member struct {
	key   string
	value json.RawMessage
}

// brokenJSON breaks documents, one a line.
func brokenJSON(data []byte, how Break) ([]byte, string, error) {
	var docs [][]member
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		doc, err := members(line)
		if err != nil {
			return nil, "", ErrNothing // documents over several lines are left as they are
		}
		docs = append(docs, doc)
	}
	if len(docs) == 0 || len(docs[0]) == 0 {
		return nil, "", ErrNothing
	}
	column, err := breakDocs(docs, how)
	if err != nil {
		return nil, "", err
	}
	var out bytes.Buffer
	for _, doc := range docs {
		for i, m := range doc {
			key, err := json.Marshal(m.key)
			if err != nil {
				return nil, "", err
			}
			out.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
			out.Write(key)
			out.WriteByte(':')
			out.Write(m.value)
		}
		out.WriteString(map[bool]string{true: "{}\n", false: "}\n"}[len(doc) == 0])
	}
	return out.Bytes(), column, nil
}

// members reads an object, in the order of its keys.
func members(line []byte) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("no object")
	}
	var out []member
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: fmt.Sprint(t)}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	_, err := d.Token()
	return out, err
}

func breakDocs(docs [][]member, how Break) (string, error) {
	last := docs[0][len(docs[0])-1].key
	switch how {
	case ExtraColumn:
		for i := range docs {
			docs[i] = append(docs[i], member{Extra, json.RawMessage("1")})
		}
		return Extra, nil
	case Dropped:
		if len(docs[0]) < 2 {
			return "", ErrNothing
		}
		replace(docs, last, func(member) []member { return nil })
		return last, nil
	case Recased:
		other := Switched(last)
		if other == last {
			return "", ErrNothing
		}
		replace(docs, last, func(m member) []member { return []member{{other, m.value}} })
		return last, nil
	case TextInNumber:
		for i := len(docs[0]) - 1; i >= 0; i-- {
			if wholeIn(docs, docs[0][i].key) {
				docs[0][i].value = json.RawMessage(`"` + Word + `"`)
				return docs[0][i].key, nil
			}
		}
	}
	return "", ErrNothing
}

func replace(docs [][]member, key string, with func(member) []member) {
	for i, doc := range docs {
		var out []member
		for _, m := range doc {
			if m.key == key {
				out = append(out, with(m)...)
			} else {
				out = append(out, m)
			}
		}
		docs[i] = out
	}
}

// wholeIn reports whether a key has whole numbers and nothing else.
func wholeIn(docs [][]member, key string) bool {
	for _, doc := range docs {
		for _, m := range doc {
			if m.key == key && !wholeNumber.Match(m.value) && string(m.value) != "null" {
				return false
			}
		}
	}
	return true
}
