package notebook

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// literal is the value of a string token.
func (p *parser) literal(t token) string {
	if !t.formatted {
		if t.raw {
			return t.body
		}
		return unescape(t.body)
	}
	var b strings.Builder
	rest := t.body
	for rest != "" {
		n := strings.IndexAny(rest, "{}")
		if n < 0 {
			break
		}
		b.WriteString(p.plain(rest[:n], t.raw))
		if strings.HasPrefix(rest[n:], "{{") || strings.HasPrefix(rest[n:], "}}") || rest[n] == '}' {
			b.WriteByte(rest[n])
			rest = strings.TrimPrefix(rest[n+1:], rest[n:n+1])
			continue
		}
		size, _ := textLength(rest[n+1:], "}", true)
		b.WriteString(p.hole(rest[n+1 : n+1+size]))
		rest = rest[min(n+2+size, len(rest)):]
	}
	b.WriteString(p.plain(rest, t.raw))
	return b.String()
}

func (p *parser) plain(s string, raw bool) string {
	if raw {
		return s
	}
	return unescape(s)
}

// hole is what stands between braces of a formatted string: an expression of its
// own, with how to print it behind it.
func (p *parser) hole(src string) string {
	tokens, _ := scan(src, 0)
	inner := parser{tokens: tokens, vars: p.vars, depth: p.depth + 1, seen: func(*chain) {}}
	if inner.depth > deepest {
		return value{}.put()
	}
	return inner.expression().put()
}

// unescape resolves the escapes of a string.
func unescape(s string) string {
	if !strings.ContainsRune(s, '\\') {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		const from, to = "abfnrtv\\'\"", "\a\b\f\n\r\t\v\\'\""
		if n := strings.IndexByte(from, s[i]); n >= 0 {
			b.WriteByte(to[n])
			continue
		}
		if s[i] == '\n' {
			continue
		}
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
		if code, err := strconv.ParseUint(s[i+1:min(i+1+digits, len(s))], 16, 32); digits > 0 && err == nil && code <= utf8.MaxRune {
			b.WriteRune(rune(code))
			i += digits
			continue
		}
		if s[i] == '0' {
			b.WriteByte(0)
			continue
		}
		b.WriteByte('\\')
		b.WriteByte(s[i])
	}
	return b.String()
}
