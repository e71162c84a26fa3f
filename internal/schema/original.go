package schema

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// OriginalKey is the field metadata that holds a field's original name where
// the stored one differs.
const OriginalKey = "landfall.original"

// NthKey is the field metadata beside it that holds k of the k-th equal name of
// one header.
const NthKey = "landfall.k"

// Original returns the name that a field had in its first file, and k if that
// was the k-th of several equal ones (k ≥ 2), else 0.
func Original(f Field) (name string, k int) {
	raw, ok := f.Metadata[OriginalKey]
	if !ok || json.Unmarshal(raw, &name) != nil {
		return f.Name, 0
	}
	if raw, ok := f.Metadata[NthKey]; ok && json.Unmarshal(raw, &k) != nil {
		return f.Name, 0
	}
	return name, k
}

// WithOriginal returns the field with the name that it had in its first file,
// and k, in its metadata; without them where the stored name says it all.
func (f Field) WithOriginal(name string, k int) Field {
	f.Metadata = maps.Clone(f.Metadata)
	delete(f.Metadata, OriginalKey)
	delete(f.Metadata, NthKey)
	if name != f.Name {
		if f.Metadata == nil {
			f.Metadata = make(map[string]json.RawMessage, 2)
		}
		// Valid text can always be quoted.
		f.Metadata[OriginalKey], _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(name, "\uFFFD"))
		if k > 0 {
			f.Metadata[NthKey] = strconv.AppendInt(nil, int64(k), 10)
		}
	}
	if len(f.Metadata) == 0 {
		f.Metadata = nil
	}
	return f
}
