//go:build shared

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// plain is a file as the standard library's CSV reader sees it, which shares no
// code with ours: it takes the delimiter as given and RFC 4180 at its word.
type plain struct {
	names []string
	rows  []row
}

// readPlain reads a file that is not compressed. It fails where a strict reader
// must: on quotes that are not as RFC 4180 wants them.
func readPlain(t *testing.T, path string, delimiter rune) (plain, error) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := decodePlain(raw)
	if !bytes.Contains(text, []byte("\n")) {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = delimiter, -1, true
	var p plain
	for {
		record, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return p, nil
		case err != nil:
			return p, err
		case p.names == nil:
			p.names = plainNames(record)
			continue
		}
		values := row{}
		for i, value := range record {
			switch {
			case value == "":
			case i < len(p.names):
				values[p.names[i]] = value
			default:
				values["_c"+strconv.Itoa(i)] = value
			}
		}
		if len(values) > 0 { // a record of empty fields is no row
			p.rows = append(p.rows, values)
		}
	}
}

// plainNames names the fields of a header: trimmed, the k-th of equal ones with
// its number, those without a name by their position.
func plainNames(record []string) []string {
	names := make([]string, len(record))
	times := map[string]int{}
	for i, name := range record {
		if name = strings.TrimSpace(name); name == "" {
			name = "_c" + strconv.Itoa(i)
		}
		if times[name]++; times[name] > 1 {
			name += "#" + strconv.Itoa(times[name])
		}
		names[i] = name
	}
	return names
}

// decodePlain turns UTF-16 and Latin-1 into UTF-8 and takes a mark off.
func decodePlain(raw []byte) []byte {
	order := binary.ByteOrder(binary.LittleEndian)
	switch {
	case bytes.HasPrefix(raw, []byte{0xef, 0xbb, 0xbf}):
		return raw[3:]
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}):
		raw = raw[2:]
	case bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		raw, order = raw[2:], binary.BigEndian
	case len(raw) > 3 && raw[1] == 0 && raw[3] == 0:
	case utf8.Valid(raw):
		return raw
	default:
		runes := make([]rune, len(raw))
		for i, b := range raw {
			runes[i] = rune(b)
		}
		return []byte(string(runes))
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = order.Uint16(raw[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}
