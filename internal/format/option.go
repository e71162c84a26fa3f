package format

import (
	"fmt"
	"strconv"
	"strings"

	"landfall/internal/diag"
)

// BadOption is the error of an option whose value is not understood.
func BadOption(key, value, want string) error {
	return diag.New(diag.BadOption, "%s: found %s, want %s", key, diag.Quote(value), want)
}

// ParseBool reads the value of an option that is true or false.
func ParseBool(key, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, BadOption(key, value, "true or false")
}

// ParseNumber reads the value of an option that is a whole number up to most.
func ParseNumber(key, value string, most int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > most {
		return 0, BadOption(key, value, fmt.Sprintf("a whole number up to %d", most))
	}
	return n, nil
}

// ParseCharset reads the value of an option that names an encoding.
func ParseCharset(key, value string) (string, error) {
	if _, ok := ParseEncoding(value); !ok {
		return value, BadOption(key, value, "UTF-8, UTF-16, UTF-16LE, UTF-16BE, ISO-8859-1 or windows-1252")
	}
	return value, nil
}

// Unescape reads the escapes that option values use for characters that are
// hard to type: \t, \n, \r, \\, \0, \u0001. A lone backslash is itself.
func Unescape(key, value string) (string, error) {
	if len(value) < 2 || value[0] != '\\' && !strings.Contains(value, `\`) {
		return value, nil
	}
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] != '\\' || i+1 == len(value) {
			b.WriteByte(value[i])
			continue
		}
		i++
		switch value[i] {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case '0':
			b.WriteByte(0)
		case '\\', '"', '\'':
			b.WriteByte(value[i])
		case 'u':
			n, err := strconv.ParseUint(value[i+1:min(i+5, len(value))], 16, 16)
			if err != nil || i+5 > len(value) {
				return "", BadOption(key, value, `four hex digits after \u`)
			}
			b.WriteRune(rune(n))
			i += 4
		default:
			return "", BadOption(key, value, `\t, \n, \r, \0, \\ or \u and four hex digits`)
		}
	}
	return b.String(), nil
}
