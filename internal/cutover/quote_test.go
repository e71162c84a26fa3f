package cutover_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"landfall/internal/cutover"
)

// nasty draws texts in which quotes, escapes and separators are frequent.
func nasty() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.RuneFrom([]rune("ab'\"`\\;-${}/:=%#\n\t é\u2028")), 1, 12, -1)
}

// token is a piece of a statement as a lexer of an engine sees it.
type token struct {
	kind byte // ' a literal, ` a quoted name, . all else
	text string
}

// lex cuts statements into tokens: of Spark and Hive with backslashes, and of
// Trino without. It fails where a quote is not closed.
func lex(text string, backslash bool) ([]token, error) {
	var out []token
	var plain strings.Builder
	for i := 0; i < len(text); {
		c := text[i]
		if strings.HasPrefix(text[i:], "--") {
			end := strings.IndexByte(text[i:], '\n')
			i += end
			continue
		}
		if c != '\'' && c != '`' && c != '"' {
			plain.WriteByte(c)
			i++
			continue
		}
		out = append(out, token{'.', plain.String()})
		plain.Reset()
		body, n, ok := cut(text[i:], backslash)
		if !ok {
			return nil, fmt.Errorf("open quote at %.40q", text[i:])
		}
		kind := byte('`')
		if c == '\'' {
			kind = c
		}
		out = append(out, token{kind, body})
		i += n
	}
	return append(out, token{'.', plain.String()}), nil
}

// cut reads one quoted token at the beginning of text.
func cut(text string, backslash bool) (body string, n int, ok bool) {
	var b strings.Builder
	quote := text[0]
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && backslash && quote == '\'':
			i++
			if text[i] == 'u' {
				r, err := strconv.ParseUint(text[i+1:i+5], 16, 16)
				if err != nil {
					return "", 0, false
				}
				b.WriteRune(rune(r))
				i += 4
				continue
			}
			b.WriteByte(text[i])
		case c == quote && i+1 < len(text) && text[i+1] == quote && (quote != '\'' || !backslash):
			b.WriteByte(quote)
			i++
		case c == quote:
			return b.String(), i + 1, true
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}

// TestQuoting holds that whatever values and names are, a script has the same
// statements: the tokens of one with harmless names, and the names and values
// themselves where these stand.
func TestQuoting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom([]cutover.Engine{cutover.Spark, cutover.Databricks, cutover.Hive, cutover.Trino}).Draw(t, "engine")
		value := nasty().Draw(t, "value")
		column := nasty().Draw(t, "column")
		made := func(value, column string) ([]token, error) {
			o := cutover.Table{
				Name: []string{"lake", "sales", "orders"}, Old: "s3://b/old", New: "s3://b/new", Format: cutover.Parquet,
				Columns: columns(t, "id bigint"), Defined: columns(t, "id bigint"), WasBy: columns(t, "dt string"), By: columns(t, "dt string"),
				Was:  []cutover.Partition{{Values: values("x"), Folder: "x"}},
				Copy: []cutover.Partition{{Values: values(value), Folder: "f", Rows: 1}},
			}
			o.By[0].Name, o.WasBy[0].Name = column, column
			fit(e, &o)
			s, err := cutover.Write(e, o)
			if err != nil {
				return nil, err
			}
			text := s.String() + s.Back()
			if !utf8.ValidString(text) {
				t.Fatalf("not UTF-8: %q", text)
			}
			return lex(text, e != cutover.Trino)
		}
		found, err := made(value, column)
		if err != nil {
			return // refused: nothing is printed
		}
		want, err := made("VALUE", "COLUMN")
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != len(want) {
			t.Fatalf("found %d tokens, wanted %d: %q", len(found), len(want), found)
		}
		for i, w := range want {
			switch w.text {
			case "VALUE":
				w.text = value
			case "COLUMN":
				w.text = column
			case "column": // Trino's names in text are in lower case
				w.text = strings.ToLower(column)
			}
			if found[i] != w {
				t.Fatalf("found token %q, wanted %q", found[i], w)
			}
		}
	})
}
