package json

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/column"
)

// randomText puts pieces together that matter to a scanner.
func randomText(rnd *rand.Rand) string {
	pieces := []string{
		"{", "}", "[", "]", ",", ",", ":", "\"", "\"", "'", "\\", "\\u", "d83d", "\\ude00", "00e9", "\n", "\n", "\r", "\r\n", " ", "\t",
		"a", "1", "0", "-", ".", "e", "+", "true", "nul", "NaN", "é", "\x00", "\xff", bom, "/", "/*", "*/", "//", "|",
		"{\"a\":1}", "{\"a\":1}\n", "{\"a\":1},", "\n{\"a\":\"b", "[1,2]", "[[]]\n", "{\"b\":{\"a\":[", "\"x\",", "\"y\":", "\n  {\n    \"a\": 1\n  }", "}, {",
		"{\"a\":\"" + strings.Repeat("x", 30) + "\"}\n", "{\"a\":1,\"b\":[", "\"\\n\\u0041\"",
	}
	var b strings.Builder
	for range rnd.IntN(25) {
		b.WriteString(pieces[rnd.IntN(len(pieces))])
	}
	return b.String()
}

func randomOptions(rnd *rand.Rand) Options {
	o := Options{headBytes: 16, reach: defaultReach}
	if rnd.IntN(2) == 0 {
		o.reach = 1 + rnd.IntN(60)
	}
	if rnd.IntN(2) == 0 {
		o.MaxRecordBytes = 1 + rnd.IntN(50)
	}
	if rnd.IntN(8) == 0 {
		o.LineSep = []string{"|", "\r\n", "}"}[rnd.IntN(3)]
	}
	if rnd.IntN(3) == 0 {
		for _, f := range []*bool{
			&o.AllowComments, &o.AllowUnquotedFieldNames, &o.AllowSingleQuotes, &o.AllowNonNumericNumbers,
			&o.AllowNumericLeadingZeros, &o.AllowBackslashEscapingAnyCharacter, &o.AllowUnquotedControlChars,
		} {
			*f = rnd.IntN(2) == 0
		}
	}
	return o
}

// spell spells the nodes of a value.
func spell(tape *column.Tape, i uint32) string {
	var b strings.Builder
	for end := tape.Next(i); i < end; i++ {
		fmt.Fprintf(&b, "%d/%d:%s ", tape.Nodes[i].Kind, tape.Nodes[i].Flags, tape.Raw(i))
	}
	return b.String()
}

// TestSameAsJSONText: one document is taken if jsontext takes it, and its strings
// are the same.
func TestSameAsJSONText(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 40000 {
		compareWithJSONText(t, nearJSON(rnd))
	}
}

// nearJSON is a value, or one with a fault.
func nearJSON(rnd *rand.Rand) string {
	text := []byte(randomValue(rnd, 0))
	for rnd.IntN(2) == 0 && len(text) > 0 {
		at := rnd.IntN(len(text))
		switch rnd.IntN(3) {
		case 0:
			text = append(text[:at:at], text[at+1:]...)
		case 1:
			text[at] = randomByte(rnd)
		default:
			text = append(text[:at:at], append([]byte{randomByte(rnd)}, text[at:]...)...)
		}
	}
	return string(text)
}

func randomByte(rnd *rand.Rand) byte {
	const most = "{}[],:\"\\u0019dDeE+-.tfn \n\r\t/\x00\xff\xc3\xa9x'N"
	return most[rnd.IntN(len(most))]
}

func randomValue(rnd *rand.Rand, depth int) string {
	blank := []string{"", "", "", "", " ", "\n", "\r\n\t"}[rnd.IntN(7)]
	kind := rnd.IntN(8)
	if depth > 3 {
		kind = rnd.IntN(6)
	}
	switch kind {
	case 0:
		return []string{"true", "false", "null"}[rnd.IntN(3)]
	case 1, 2:
		return []string{"0", "-0", "12", "-3.14", "1e5", "0.5E-07", "123456789012345678901234567890", "9.0"}[rnd.IntN(8)]
	case 3, 4, 5:
		return randomString(rnd)
	case 6:
		var parts []string
		for range rnd.IntN(4) {
			parts = append(parts, blank+randomValue(rnd, depth+1)+blank)
		}
		return "[" + blank + strings.Join(parts, ",") + "]"
	}
	var parts []string
	for range rnd.IntN(4) {
		parts = append(parts, blank+randomString(rnd)+blank+":"+blank+randomValue(rnd, depth+1)+blank)
	}
	return "{" + blank + strings.Join(parts, ",") + "}"
}

func randomString(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteByte('"')
	for range rnd.IntN(6) {
		b.WriteString([]string{
			"a", "longer than eight bytes", "é", "😀", `\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0041`, `\u00E9`,
			`\ud83d\ude00`, `\ud83d`, `\uDE00`, `\u0000`, "\u2028", "{", "]", ",",
		}[rnd.IntN(22)])
	}
	b.WriteByte('"')
	return b.String()
}

func compareWithJSONText(t *testing.T, text string) {
	t.Helper()
	s := scanner{o: &Options{}, base: len(text), shapes: column.NewShapes()}
	at := s.space([]byte(text), 0)
	end, ok := s.value([]byte(text), at)
	ok = ok && s.space([]byte(text), end) == len(text) && utf8.ValidString(text)
	want := jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) && utf8.ValidString(text)
	if ok != want && s.fault.want != "at most 200 levels of brackets" {
		t.Fatalf("%q: taken: %v, jsontext: %v, fault %+v", text, ok, want, s.fault)
	}
	if !ok {
		return
	}
	tape := column.Tape{Data: append([]byte(text), s.tail...), Nodes: s.nodes}
	checkNodes(t, &tape, 0)
	for i, n := range s.nodes {
		if n.Kind != column.String && n.Kind != column.Member {
			continue
		}
		want, err := jsontext.AppendUnquote(nil, tape.Raw(uint32(i)))
		if lone := n.Flags == column.Lone; lone != (err != nil) {
			t.Fatalf("%s: lone is %v, jsontext says %v", tape.Raw(uint32(i)), lone, err)
		}
		if got := tape.Text(uint32(i)); err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%s: got %q, want %q", tape.Raw(uint32(i)), got, want)
		}
		if sp := tape.Span(uint32(i)); string(tape.Data[sp.Offset():sp.Offset()+sp.Len()]) != string(tape.Text(uint32(i))) {
			t.Fatalf("%s: span and text differ", tape.Raw(uint32(i)))
		}
	}
}
