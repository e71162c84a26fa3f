//go:build shared

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// plain is a file as the standard library's CSV reader sees it, which shares no
// code with ours: it takes the delimiter as given and RFC 4180 at its word.
type plain struct {
	names []string
	rows  []row
}

// readPlain reads a file. It fails where a strict reader must: on text after a
// closing quote, and on quotes that are not closed. A quote within a field that
// does not begin with one is text.
func readPlain(t *testing.T, path string, delimiter rune) (plain, error) {
	t.Helper()
	text := decodePlain(readRaw(t, path))
	if !bytes.Contains(text, []byte("\n")) {
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	}
	p, err := parsePlain(text, delimiter, false)
	if errors.Is(err, csv.ErrBareQuote) {
		p, err = parsePlain(text, delimiter, true)
	}
	return p, err
}

func parsePlain(text []byte, delimiter rune, lazy bool) (plain, error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = delimiter, lazy, -1, true
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

// readRaw reads a file's bytes as they were before they were compressed.
func readRaw(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r io.Reader
	switch {
	case bytes.HasPrefix(raw, []byte{0x1f, 0x8b}):
		r, err = gzip.NewReader(bytes.NewReader(raw))
	case filepath.Ext(path) == ".zst":
		var z *zstd.Decoder
		if z, err = zstd.NewReader(bytes.NewReader(raw)); err == nil {
			defer z.Close()
		}
		r = z
	default:
		return raw
	}
	if err == nil {
		raw, err = io.ReadAll(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return raw
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

// upper1252 is what windows-1252 has from 0x80 on where Latin-1 has controls.
const upper1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

// decodePlain turns UTF-16 and windows-1252 into UTF-8 and takes a mark off.
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
		upper := []rune(upper1252)
		for i, b := range raw {
			runes[i] = rune(b)
			if b >= 0x80 && b < 0xa0 {
				runes[i] = upper[b-0x80]
			}
		}
		return []byte(string(runes))
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = order.Uint16(raw[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}
