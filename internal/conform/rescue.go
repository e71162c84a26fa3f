package conform

import (
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/column"
	"landfall/internal/contract"
)

// Keys of the rescue JSON that are ours; a field of the source that has such a
// name, or begins with the prefix, is kept under the prefix and its name.
const (
	filePathKey = "_file_path"
	recordKey   = "_record"
	whyKey      = "_why"
	// Kept for the records that only other formats have.
	byteOffsetKey    = "_byte_offset"
	corruptRecordKey = "_corrupt_record"
	fieldPrefix      = "_field:"
)

var errTooLarge = errors.New("the rescued values of one slab are too many to hold")

// key is a field's name, and what it is in the rescue JSON.
type key struct {
	name string
	// quoted is `"name":`, and why `"name":"reason",`.
	quoted, why []byte
}

// rescueWriter writes the values of the rescue column: for a row with values
// that no column took, one JSON object with these under the file's own
// spelling, then the file, the record and the reasons.
type rescueWriter struct {
	names map[string]bool
	// path is `"_file_path":"…","_record":`.
	path []byte
	// past are the keys of fields past the header, made when they are met.
	past  []key
	width int
	why   []byte
	// size is that of the last slab, from which the next is guessed.
	size int
}

func (w *rescueWriter) init(fields []field, folders []folder, url string) error {
	w.width = len(fields)
	w.names = make(map[string]bool, len(fields))
	for i := range fields {
		w.names[fields[i].key.name] = true
		if err := fields[i].key.quote(fields[i].misfits.Why); err != nil {
			return err
		}
	}
	for i := range folders {
		k := &folders[i].key
		k.name = w.free(k.name)
		w.names[k.name] = true
		if err := k.quote(folders[i].misfits.Why); err != nil {
			return err
		}
	}
	quoted, err := jsontext.AppendQuote([]byte(`"`+filePathKey+`":`), strings.ToValidUTF8(url, "\uFFFD"))
	w.path = append(quoted, `,"`+recordKey+`":`...)
	return err
}

// quote prepares what is written for each value of the field.
func (k *key) quote(why string) error {
	name := k.name
	switch name {
	case filePathKey, recordKey, whyKey, byteOffsetKey, corruptRecordKey,
		contract.RescuedData, contract.SourceFile, contract.IngestedAt:
		name = fieldPrefix + name
	default:
		if strings.HasPrefix(name, fieldPrefix) {
			name = fieldPrefix + name
		}
	}
	quoted, err := jsontext.AppendQuote(nil, name)
	if err != nil {
		return err
	}
	k.quoted = append(quoted, ':')
	reason, err := jsontext.AppendQuote(append([]byte(nil), k.quoted...), why)
	k.why = append(reason, ',')
	return err
}

// write returns the rescue column of a slab.
func (w *rescueWriter) write(s *column.Slab, fields []field, folders []folder) (*column.Text, error) {
	text := &column.Text{Data: make([]byte, 0, w.size), Spans: make([]column.Span, s.Rows())}
	var rescued []int
	for i := range fields {
		if fate := fields[i].fate; fate == rescues || fate == repeats {
			rescued = append(rescued, i)
		}
	}
	ragged := s.Ragged
	for row := range text.Spans {
		start := len(text.Data)
		b := append(text.Data, '{')
		w.why = w.why[:0]
		for _, i := range rescued {
			value := s.Fields[i].Value(row)
			if s.Fields[i].Spans[row].Null() || !fields[i].misfit(value) {
				continue
			}
			b = w.value(b, &fields[i].key, value)
		}
		for i := range folders {
			if !folders[i].ignored {
				b = w.value(b, &folders[i].key, folders[i].value)
			}
		}
		if len(ragged) > 0 && ragged[0].Row == row {
			var err error
			if b, err = w.extra(b, ragged[0].Extra); err != nil {
				return nil, err
			}
			ragged = ragged[1:]
		}
		if len(w.why) == 0 {
			text.Data = b[:start]
			text.Spans[row] = column.NullSpan
			continue
		}
		b = w.close(b, s.Records[row])
		if len(b) > math.MaxUint32 || len(b)-start > column.MaxValue {
			return nil, errTooLarge
		}
		text.Data = b
		text.Spans[row] = column.NewSpan(start, len(b)-start, false)
	}
	w.size = len(text.Data) + len(text.Data)/8
	return text, nil
}

// value adds a value and its reason. Bytes that are not UTF-8 are in base 64.
func (w *rescueWriter) value(b []byte, k *key, value []byte) []byte {
	w.why = append(w.why, k.why...)
	b = append(b, k.quoted...)
	if utf8.Valid(value) {
		quoted, err := jsontext.AppendQuote(b, value)
		if err == nil { // always so for valid UTF-8
			return append(quoted, ',')
		}
	}
	b = append(b, `{"$base64":"`...)
	b = base64.StdEncoding.AppendEncode(b, value)
	return append(b, `"},`...)
}

// extra adds the fields past the header, named by position.
func (w *rescueWriter) extra(b []byte, values [][]byte) ([]byte, error) {
	for i, value := range values {
		if i == len(w.past) {
			k := key{name: w.free("_c" + strconv.Itoa(w.width+i))}
			if err := k.quote(contract.WhyRagged); err != nil {
				return nil, err
			}
			w.past = append(w.past, k)
		}
		if value != nil {
			b = w.value(b, &w.past[i], value)
		}
	}
	return b, nil
}

// free returns a name for a folder's key or a field past the header, which a
// field of the header may have already.
func (w *rescueWriter) free(name string) string {
	for k, try := 2, name; ; k++ {
		if !w.names[try] {
			return try
		}
		try = name + "#" + strconv.Itoa(k)
	}
}

// close ends the object.
func (w *rescueWriter) close(b []byte, record int64) []byte {
	b = append(b, w.path...)
	b = strconv.AppendInt(b, record, 10)
	b = append(b, `,"`+whyKey+`":{`...)
	b = append(b, w.why[:len(w.why)-1]...)
	return append(b, `}}`...)
}
