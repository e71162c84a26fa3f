package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"landfall/internal/diag"
)

// ParseDDL reads one type in Spark's DDL, in any casing: "bigint",
// "decimal(18,2)", "struct<a:int not null,`b c`:array<string>>". Comments are
// read and left out; varchar(n) and char(n) are string, as Spark reads them. The
// error wraps a [*DDLError].
func ParseDDL(text string) (Type, error) {
	p := ddl{text: text}
	t, err := p.typ(0)
	if err == nil {
		if word := p.word(); word != "" {
			err = p.failf(p.start, "found %s after the type", diag.Quote(word))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("type %s: %w", diag.Quote(text), err)
	}
	return t, nil
}

// Declared is one column, or part of one, of a list of declarations.
type Declared struct {
	Path    Path
	Type    Type
	NotNull bool
	// At is the 1-based character of the list at which the declaration begins.
	At int
}

// ParseColumns reads declarations between commas, as in a DDL schema and in
// schema hints: "a INT NOT NULL COMMENT 'key', b.c: DATE, m.value INT". Comments
// are read and left out. The error is a [*DDLError].
func ParseColumns(text string) ([]Declared, error) {
	p := ddl{text: text}
	var list []Declared
	for {
		d, err := p.declared()
		if err != nil {
			return nil, err
		}
		list = append(list, d)
		if !p.take(",") {
			break
		}
		if comma := p.start; p.peek() == "" {
			return nil, p.failf(comma, `found "," at the end, want a column after it`)
		}
	}
	if word := p.word(); word != "" {
		return nil, p.failf(p.start, `found %s, want "," or the end`, found(word))
	}
	return list, nil
}

// declared reads "path[:] type [not null] [comment '…']".
func (p *ddl) declared() (Declared, error) {
	var d Declared
	for {
		name, err := p.name()
		if err != nil {
			return d, err
		}
		if d.Path == nil {
			d.At = utf8.RuneCountInString(p.text[:p.start]) + 1
		}
		if d.Path = append(d.Path, name); len(d.Path) > maxDepth {
			return d, p.failf(p.start, "%v", errTooDeep)
		}
		if !p.take(".") {
			break
		}
	}
	p.take(":")
	var err error
	if d.Type, err = p.typ(0); err != nil {
		return d, err
	}
	d.NotNull, err = p.constraints()
	return d, err
}

// typ reads a type.
func (p *ddl) typ(depth int) (Type, error) {
	word := p.word()
	if depth > maxDepth {
		return nil, p.failf(p.start, "%v", errTooDeep)
	}
	switch name := strings.ToLower(word); name {
	case "array":
		return p.array(depth)
	case "map":
		return p.mapping(depth)
	case "struct":
		return p.structure(depth)
	case "decimal", "dec", "numeric":
		return p.decimal(p.start)
	case "varchar", "char", "character":
		return String, p.length()
	default:
		if t, ok := primitive(name); ok {
			return t, nil
		}
		return nil, p.noType(word)
	}
}

// noType says what is wrong with a word that stands where a type is wanted.
func (p *ddl) noType(word string) error {
	name, at := strings.ToLower(word), p.start
	const known = " boolean tinyint byte smallint short int integer bigint long float real double string binary" +
		" date timestamp timestamp_ltz timestamp_ntz void decimal dec numeric varchar char array map struct "
	first, _ := utf8.DecodeRuneInString(word)
	switch next := p.peek(); {
	case word == "":
		return p.failf(at, "found the end, want a type")
	case unsupported(name):
		return p.failf(at, "found %s, which no column can have here, want another type", diag.Quote(word))
	case next != "" && strings.Contains(known, " "+strings.ToLower(next)+" "),
		!isNamePart(first) && !strings.ContainsRune("<>(),:.;'\"`", first):
		return p.failf(at, "found %s, want a type; a name of more than letters, digits and _ stands in backticks", diag.Quote(word))
	}
	near := ours(name)
	if near == "" && isNamePart(first) {
		near = diag.Nearest(name, strings.Fields(known))
	}
	if near != "" {
		return p.failf(at, "found %s, want a type; did you mean %s?", diag.Quote(word), near)
	}
	return p.failf(at, "found %s, want a type", diag.Quote(word))
}

// unsupported knows the types of Spark that no column of ours can have.
func unsupported(name string) bool {
	switch name {
	case "interval", "variant", "object", "time", "geometry", "geography":
		return true
	default:
		return false
	}
}

// ours is the type that is meant by a name from elsewhere, "" if it is not known.
func ours(name string) string {
	switch name {
	case "bool":
		return "boolean"
	case "int16":
		return "smallint"
	case "int32":
		return "int"
	case "int64":
		return "bigint"
	case "float32":
		return "float"
	case "float64":
		return "double"
	case "text", "str", "uuid", "json", "nvarchar":
		return "string"
	case "bytes", "blob", "bytea":
		return "binary"
	case "datetime", "timestamptz":
		return "timestamp"
	case "number":
		return "decimal(38,0)"
	case "list":
		return "array"
	case "null":
		return "void"
	default:
		return ""
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

// field reads "name[:] type [not null] [comment '…']".
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
	notNull, err := p.constraints()
	return Field{Name: name, Type: t, Nullable: !notNull}, err
}

// constraints reads "[not null] [comment '…']".
func (p *ddl) constraints() (notNull bool, err error) {
	if p.take("not") {
		if err := p.want("null"); err != nil {
			return false, err
		}
		notNull = true
	}
	if p.take("comment") {
		return notNull, p.literal()
	}
	return notNull, nil
}

// decimal reads "[(precision[,scale])]" of a type that begins at a byte.
func (p *ddl) decimal(at int) (Type, error) {
	precision, scale, err := 10, 0, error(nil)
	if p.take("(") {
		if precision, err = p.number(); err != nil {
			return nil, err
		}
		if p.take(",") {
			if scale, err = p.number(); err != nil {
				return nil, err
			}
		}
		if err = p.want(")"); err != nil {
			return nil, err
		}
	}
	t, err := newDecimal(precision, scale)
	if err != nil {
		return nil, p.failf(at, "%v", err)
	}
	return t, nil
}

// length reads "(n)".
func (p *ddl) length() error {
	if err := p.want("("); err != nil {
		return err
	}
	if _, err := p.number(); err != nil {
		return err
	}
	return p.want(")")
}

func (p *ddl) number() (int, error) {
	word := p.word()
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0, p.failf(p.start, "found %s, want a number", found(word))
	}
	return n, nil
}
