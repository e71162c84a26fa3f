package function_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// bound is an expression of an example as an engine computes it.
type bound struct {
	sql     string
	typ     schema.Type
	literal any
	over    func(window string) string // of an aggregate
}

// binder reads the expressions of examples and binds them by the table, as a
// flow does. It knows what examples are made of, and panics with a text on
// anything else.
type binder struct {
	table  *function.Table
	engine function.Engine
	toks   []string
	locals []map[string]bound
	column map[string]schema.Type
}

func (b *binder) fail(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// bind reads a whole expression.
func bind(t *testing.T, table *function.Table, engine function.Engine, text string, columns map[string]schema.Type) (out bound, err error) {
	t.Helper()
	b := &binder{table: table, engine: engine, toks: tokens(text), column: columns}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: %v", text, r)
		}
	}()
	out = b.expr(0)
	if len(b.toks) > 0 {
		b.fail("found %q after the expression", b.toks[0])
	}
	return out, nil
}

// tokens splits an expression; literals keep their quotes.
func tokens(text string) []string {
	var out []string
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case c == ' ':
			i++
			continue
		case c == '\'' || c == '"' || c == '`':
			for i++; i < len(text) && text[i] != c; i++ {
				if text[i] == '\\' && c != '`' {
					i++
				}
			}
			i++
		case c >= '0' && c <= '9':
			for i++; i < len(text) && (isWord(text[i]) || text[i] == '.' || (text[i] == '-' || text[i] == '+') && text[i-1] == 'E'); i++ {
			}
		case isWord(c) || c == '#':
			for i++; i < len(text) && isWord(text[i]); i++ {
			}
		default:
			i++
			for _, op := range []string{"===", "<=>", "==", "!=", ">=", "<=", "&&", "||", "->", "@("} {
				if strings.HasPrefix(text[start:], op) {
					i = start + len(op)
					break
				}
			}
		}
		out = append(out, text[start:min(i, len(text))])
	}
	return out
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// ladder is how tight operators bind, loosest first.
var ladder = [][]string{{"->"}, {"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!=", "===", "<=>"}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}}

func (b *binder) peek() string {
	if len(b.toks) == 0 {
		return ""
	}
	return b.toks[0]
}

func (b *binder) next() string {
	tok := b.peek()
	if tok == "" {
		b.fail("the expression ends early")
	}
	b.toks = b.toks[1:]
	return tok
}

func (b *binder) want(tok string) {
	if got := b.next(); got != tok {
		b.fail("found %q, want %q", got, tok)
	}
}

func (b *binder) expr(level int) bound {
	if level == len(ladder) {
		return b.unary()
	}
	left := b.expr(level + 1)
	for slices.Contains(ladder[level], b.peek()) && b.peek() != "->" {
		f := b.table.Operator(b.next())
		left = b.apply(f.Name, []bound{left, b.expr(level + 1)})
	}
	return left
}

func (b *binder) unary() bound {
	switch b.peek() {
	case "-", "!":
		f := b.table.Operator("unary " + b.next())
		x := b.unary()
		out := b.apply(f.Name, []bound{x})
		switch n := x.literal.(type) {
		case int64:
			out.literal = -n
		case float64:
			out.literal = -n
		}
		return out
	}
	x := b.primary()
	for {
		switch b.peek() {
		case "[":
			b.next()
			x = b.apply(b.table.Operator("[]").Name, []bound{x, b.expr(0)})
			b.want("]")
		case ".":
			b.next()
			x = b.member(x, b.next())
		default:
			return x
		}
	}
}

func (b *binder) member(x bound, name string) bound {
	s, _ := x.typ.(schema.Struct)
	for _, f := range s.Fields {
		if f.Name == name {
			return bound{sql: "(" + x.sql + ")." + name, typ: f.Type}
		}
	}
	b.fail("%s has no field %s", x.typ, name)
	return bound{}
}

func (b *binder) primary() bound {
	tok := b.next()
	switch c := tok[0]; {
	case tok == "(":
		x := b.expr(0)
		b.want(")")
		return x
	case tok == "[":
		return b.array()
	case tok == "@(":
		return b.structure()
	case c >= '0' && c <= '9':
		return b.number(tok)
	case c == '\'' || c == '"' || c == '`':
		return b.text(unquote(tok))
	case c == '#':
		return b.local(tok[1:])
	case b.peek() == "(":
		return b.call(tok)
	case len(b.toks) > 0 && b.peek()[0] == '\'' && slices.Contains([]string{"date", "timestamp", "binary", "decimal"}, tok):
		return b.typed(tok, unquote(b.next()))
	}
	switch tok {
	case "true", "false":
		return bound{sql: tok, typ: schema.Boolean, literal: tok == "true"}
	case "null":
		return bound{sql: "NULL", typ: schema.Unknown}
	}
	if t := b.column[tok]; t != nil {
		return bound{sql: tok, typ: t}
	}
	b.fail("found %q, which is nothing", tok)
	return bound{}
}

func unquote(tok string) string {
	body := tok[1 : len(tok)-1]
	if tok[0] == '`' {
		return body
	}
	return strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`, `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(body)
}

func (b *binder) text(s string) bound {
	return bound{sql: function.Quote(b.engine, s), typ: schema.String, literal: s}
}

// typed is a value that only examples write.
func (b *binder) typed(kind, s string) bound {
	switch kind {
	case "date":
		return bound{sql: "DATE '" + s + "'", typ: schema.Date}
	case "timestamp":
		return bound{sql: "TIMESTAMP '" + s + "'", typ: schema.Timestamp}
	case "binary":
		if b.engine == function.Spark {
			return bound{sql: "X'" + s + "'", typ: schema.Binary}
		}
		return bound{sql: "from_hex('" + s + "')", typ: schema.Binary}
	}
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	d := schema.Decimal{Precision: len(strings.TrimLeft(whole, "0")) + len(fraction), Scale: len(fraction)}
	return bound{sql: fmt.Sprintf("CAST('%s' AS DECIMAL(%d,%d))", s, d.Precision, d.Scale), typ: d}
}

func (b *binder) number(tok string) bound {
	if hex, ok := strings.CutPrefix(tok, "0x"); ok {
		n, err := strconv.ParseUint(hex, 16, 32)
		if err != nil {
			b.fail("%v", err)
		}
		return bound{sql: strconv.Itoa(int(int32(n))), typ: schema.Integer, literal: int64(int32(n))}
	}
	if whole, ok := strings.CutSuffix(strings.ToLower(tok), "l"); ok {
		n, err := strconv.ParseInt(whole, 10, 64)
		if err != nil {
			b.fail("%v", err)
		}
		return bound{sql: "CAST(" + whole + " AS BIGINT)", typ: schema.Long, literal: n}
	}
	if f, ok := strings.CutSuffix(tok, "f"); ok {
		return bound{sql: "CAST(" + f + " AS FLOAT)", typ: schema.Float}
	}
	if strings.ContainsAny(tok, ".E") {
		n, err := strconv.ParseFloat(tok, 64)
		if err != nil {
			b.fail("%v", err)
		}
		return bound{sql: "CAST('" + tok + "' AS DOUBLE)", typ: schema.Double, literal: n}
	}
	n, err := strconv.ParseInt(tok, 10, 32)
	if err != nil {
		b.fail("%v", err)
	}
	return bound{sql: tok, typ: schema.Integer, literal: n}
}

// list reads expressions up to a closing token.
func (b *binder) list(end string, each func(i int) bound) []bound {
	var out []bound
	for b.peek() != end {
		out = append(out, each(len(out)))
		if b.peek() != end {
			b.want(",")
		}
	}
	b.next()
	return out
}

func (b *binder) array() bound {
	pairs := false
	items := b.list("]", func(int) bound {
		x := b.expr(1)
		if b.peek() == "->" {
			b.next()
			pairs = true
			return bound{sql: "pair", literal: [2]bound{x, b.expr(1)}}
		}
		return x
	})
	if !pairs {
		return b.apply("array", items)
	}
	var flat []bound
	for _, item := range items {
		pair := item.literal.([2]bound)
		flat = append(flat, pair[0], pair[1])
	}
	return b.apply("associate", flat)
}

func (b *binder) structure() bound {
	var fields []schema.Field
	var parts []string
	b.list(")", func(int) bound {
		name := b.next()
		b.want("=")
		x := b.expr(1)
		fields = append(fields, schema.Field{Name: name, Type: x.typ, Nullable: true})
		parts = append(parts, name+" := "+x.sql)
		return x
	})
	return bound{sql: "struct_pack(" + strings.Join(parts, ", ") + ")", typ: schema.Struct{Fields: fields}}
}

func (b *binder) local(name string) bound {
	outer := 0
	if base, digits, ok := strings.Cut(name, "_"); ok {
		n, err := strconv.Atoi(digits)
		if err != nil {
			b.fail("%v", err)
		}
		name, outer = base, n
	}
	for i := len(b.locals) - 1 - outer; i >= 0; i-- {
		if x, ok := b.locals[i][name]; ok {
			return x
		}
	}
	b.fail("there is no #%s here", name)
	return bound{}
}

// call binds the arguments in turn: what a lambda sees depends on those before.
func (b *binder) call(name string) bound {
	b.next()
	var known []function.Argument
	args := b.list(")", func(i int) bound {
		vars := b.table.Lambda(name, i, known)
		if len(vars) > 0 {
			scope := map[string]bound{}
			for _, v := range vars {
				scope[v.Name] = bound{sql: function.Local(v.Name, len(b.locals)), typ: v.Type}
			}
			b.locals = append(b.locals, scope)
			defer func() { b.locals = b.locals[:len(b.locals)-1] }()
		}
		x := b.expr(0)
		known = append(known, function.Argument{Type: x.typ, Literal: x.literal})
		return x
	})
	return b.apply(name, args)
}

func (b *binder) apply(name string, args []bound) bound {
	given := make([]function.Argument, len(args))
	texts := make([]string, len(args))
	for i, a := range args {
		given[i] = function.Argument{Type: a.typ, Literal: a.literal}
		texts[i] = a.sql
	}
	call, err := b.table.Resolve(name, given)
	if err != nil {
		b.fail("%v", err)
	}
	call.Nest = len(b.locals)
	over := func(window string) string {
		sql, err := call.Over(b.engine, texts, window)
		if err != nil {
			b.fail("%v", err)
		}
		return sql
	}
	if call.Function.Kind == function.Window {
		return bound{typ: call.Result, over: over}
	}
	sql, err := call.SQL(b.engine, texts)
	if err != nil {
		b.fail("%v", err)
	}
	out := bound{sql: sql, typ: call.Result}
	if call.Function.Kind == function.Aggregate {
		out.over = over
	}
	return out
}
