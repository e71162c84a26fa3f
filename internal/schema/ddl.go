package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseDDL reads one type in Spark's DDL, in any casing: "bigint",
// "decimal(18,2)", "struct<a:int not null,`b c`:array<string>>".
func ParseDDL(text string) (Type, error) {
	p := ddl{text: text}
	t, err := p.typ(0)
	if err == nil {
		if word := p.word(); word != "" {
			err = fmt.Errorf("found %q after the type", word)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("type %q: %w", text, err)
	}
	return t, nil
}

// ddl is a cursor over DDL text.
type ddl struct {
	text string
	at   int
}

// typ reads a type.
func (p *ddl) typ(depth int) (Type, error) {
	if depth > maxDepth {
		return nil, errTooDeep
	}
	word := p.word()
	switch name := strings.ToLower(word); name {
	case "array":
		return p.array(depth)
	case "map":
		return p.mapping(depth)
	case "struct":
		return p.structure(depth)
	case "decimal", "dec", "numeric":
		return p.decimal()
	case "":
		return nil, errors.New("it ends where a type is wanted")
	default:
		if t, ok := primitive(name); ok {
			return t, nil
		}
		return nil, fmt.Errorf("%q is no type", word)
	}
}

// primitive knows the names of types without parameters, synonyms included.
func primitive(name string) (Primitive, bool) {
	switch name {
	case "boolean":
		return Boolean, true
	case "tinyint", "byte":
		return Byte, true
	case "smallint", "short":
		return Short, true
	case "int", "integer":
		return Integer, true
	case "bigint", "long":
		return Long, true
	case "float", "real":
		return Float, true
	case "double":
		return Double, true
	case "string":
		return String, true
	case "binary":
		return Binary, true
	case "date":
		return Date, true
	case "timestamp", "timestamp_ltz":
		return Timestamp, true
	case "timestamp_ntz":
		return TimestampNTZ, true
	case "void":
		return Unknown, true
	default:
		return "", false
	}
}

func (p *ddl) array(depth int) (Type, error) {
	if err := p.want("<"); err != nil {
		return nil, err
	}
	e, err := p.typ(depth + 1)
	if err != nil {
		return nil, err
	}
	return Array{Element: e, ContainsNull: true}, p.want(">")
}

func (p *ddl) mapping(depth int) (Type, error) {
	if err := p.want("<"); err != nil {
		return nil, err
	}
	k, err := p.typ(depth + 1)
	if err != nil {
		return nil, err
	}
	if err = p.want(","); err != nil {
		return nil, err
	}
	v, err := p.typ(depth + 1)
	if err != nil {
		return nil, err
	}
	return Map{Key: k, Value: v, ValueContainsNull: true}, p.want(">")
}

func (p *ddl) structure(depth int) (Type, error) {
	s := Struct{Fields: []Field{}}
	if err := p.want("<"); err != nil {
		return nil, err
	}
	if p.take(">") {
		return s, nil
	}
	for {
		f, err := p.field(depth)
		if err != nil {
			return nil, err
		}
		s.Fields = append(s.Fields, f)
		if !p.take(",") {
			return s, p.want(">")
		}
	}
}

// field reads "name[:] type [not null]".
func (p *ddl) field(depth int) (Field, error) {
	name, err := p.name()
	if err != nil {
		return Field{}, err
	}
	p.take(":")
	t, err := p.typ(depth + 1)
	if err != nil {
		return Field{}, err
	}
	f := Field{Name: name, Type: t, Nullable: true}
	if p.take("not") {
		f.Nullable = false
		err = p.want("null")
	}
	return f, err
}

func (p *ddl) decimal() (Type, error) {
	if !p.take("(") {
		return newDecimal(10, 0)
	}
	precision, err := p.number()
	if err != nil {
		return nil, err
	}
	scale := 0
	if p.take(",") {
		if scale, err = p.number(); err != nil {
			return nil, err
		}
	}
	if err = p.want(")"); err != nil {
		return nil, err
	}
	return newDecimal(precision, scale)
}

func (p *ddl) number() (int, error) {
	word := p.word()
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0, fmt.Errorf("found %q, want a number", word)
	}
	return n, nil
}

// name reads a field's name. A quoted one may hold anything, and writes a
// backtick twice.
func (p *ddl) name() (string, error) {
	word := p.word()
	if !strings.HasPrefix(word, "`") {
		if first, _ := utf8.DecodeRuneInString(word); word == "" || !isNamePart(first) {
			return "", fmt.Errorf("found %q, want a field's name", word)
		}
		return word, nil
	}
	if len(word) < 2 || !strings.HasSuffix(word, "`") {
		return "", errors.New("a quoted name is not closed")
	}
	return strings.ReplaceAll(word[1:len(word)-1], "``", "`"), nil
}

// want reads the given word or is an error.
func (p *ddl) want(word string) error {
	if p.take(word) {
		return nil
	}
	if found := p.word(); found != "" {
		return fmt.Errorf("found %q, want %q", found, word)
	}
	return fmt.Errorf("it ends where %q is wanted", word)
}

// take reads the given word if it is next.
func (p *ddl) take(word string) bool {
	before := p.at
	if strings.EqualFold(p.word(), word) {
		return true
	}
	p.at = before
	return false
}

// word reads the next word, quoted name or sign; "" at the end.
func (p *ddl) word() string {
	p.at += len(p.text[p.at:]) - len(strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace))
	rest := p.text[p.at:]
	if rest == "" {
		return ""
	}
	if rest[0] == '`' {
		n := quotedLength(rest)
		p.at += n
		return rest[:n]
	}
	n := strings.IndexFunc(rest, func(r rune) bool { return !isNamePart(r) })
	switch n {
	case -1:
		n = len(rest)
	case 0:
		_, n = utf8.DecodeRuneInString(rest)
	}
	p.at += n
	return rest[:n]
}

// quotedLength is the length of the quoted name that text begins with.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] != '`' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '`' {
			i++
			continue
		}
		return i + 1
	}
	return len(text)
}

func isNamePart(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// quoteName quotes a name that cannot stand bare in DDL.
func quoteName(name string) string {
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !isNamePart(r) }) {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}
