package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/zeebo/xxh3"
)

// physicalNameKey is where column mapping keeps the name used in data files.
const physicalNameKey = "delta.columnMapping.physicalName"

// PhysicalName returns the name of a field in data files, statistics and
// partition values: that of column mapping, else its name.
func PhysicalName(f Field) string {
	var name string
	if raw, ok := f.Metadata[physicalNameKey]; ok && json.Unmarshal(raw, &name) == nil && name != "" {
		return name
	}
	return f.Name
}

// WithPhysicalName returns the field with another name in data files than its own.
func WithPhysicalName(f Field, name string) Field {
	f.Metadata = maps.Clone(f.Metadata)
	if f.Metadata == nil {
		f.Metadata = make(map[string]json.RawMessage, 1)
	}
	// Valid text can always be quoted.
	f.Metadata[physicalNameKey], _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(name, "\uFFFD"))
	return f
}

// Fold returns the form of a name under which casings are equal. It is the
// lower case of Java's root locale, by which Spark and Delta compare names:
// İ becomes two characters, and Σ at the end of a word becomes ς.
func Fold(name string) string {
	special := false
	for i := range len(name) {
		if name[i] >= 0x80 {
			special = true
			break
		}
	}
	if !special {
		return strings.ToLower(name)
	}
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case r == 'İ':
			b.WriteString("i\u0307")
		case r == 'Σ' && endsWord(runes, i):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// endsWord reports whether a cased letter stands before position i, and none
// after it.
func endsWord(runes []rune, i int) bool {
	before, after := i-1, i+1
	for before >= 0 && caseIgnorable(runes[before]) {
		before--
	}
	for after < len(runes) && caseIgnorable(runes[after]) {
		after++
	}
	return before >= 0 && cased(runes[before]) && (after == len(runes) || !cased(runes[after]))
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

func caseIgnorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:·’‧﹒＇．", r)
}

// TrimName is the form of a name in which the contract knows it: without space
// around it, and valid UTF-8.
func TrimName(name string) string {
	return strings.TrimSpace(strings.ToValidUTF8(name, "\uFFFD"))
}

// CleanName returns the name under which a column is stored: trimmed, and with
// _ for every character that Delta or Parquet readers refuse. A name that
// needs no cleaning comes back as it is.
func CleanName(original string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" ,;{}()=", r) || unicode.IsControl(r) || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, TrimName(original))
}

// FreeName returns the stored name of a column: the cleaned one, or on a
// collision that with a suffix from a hash of the original. No counter is
// involved, so that a name does not depend on what else came before. taken is
// asked for folded names.
func FreeName(original string, taken func(folded string) bool) string {
	clean := CleanName(original)
	name := clean
	for salt := original; taken(Fold(name)); salt += "\x00" {
		name = fmt.Sprintf("%s_%08x", clean, uint32(xxh3.HashString(salt)))
	}
	return name
}
