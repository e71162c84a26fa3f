package project

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"landfall/internal/diag"
)

// tree is a node of a project file with its place. Exactly one of scalar,
// fields and items is set; a null is none of them.
type tree struct {
	at      diag.Place
	excerpt string
	scalar  *string
	fields  []pair
	items   []tree
	// lines are those of the file.
	lines   []string
	mapping bool
	list    bool
}

// pair is an entry of a mapping.
type pair struct {
	key   tree
	value tree
}

// what says what a node is, for "found …".
func (n tree) what() string {
	switch {
	case n.mapping:
		return "a mapping"
	case n.list:
		return "a list"
	case n.scalar != nil:
		return diag.Quote(*n.scalar)
	default:
		return "nothing"
	}
}

// name is the text of a key.
func (n tree) name() string {
	if n.scalar == nil {
		return ""
	}
	return *n.scalar
}

// located is what was written for the key.
func (p pair) located() Value {
	text := ""
	if p.value.scalar != nil {
		text = *p.value.scalar
	}
	return Value{
		Text: text, At: p.value.at, Excerpt: p.value.excerpt, Key: p.key.at, KeyExcerpt: p.key.excerpt, lines: p.value.lines,
	}
}

// yamlFile turns the text of a project file into trees.
type yamlFile struct {
	path  string
	lines []string
}

// parseYAML reads the one document of a file; an empty file is a null.
func parseYAML(path string, data []byte) (root tree, err error) {
	f := &yamlFile{path: path, lines: strings.Split(string(data), "\n")}
	defer func() {
		// The parser is not ours, and a file is no reason to die.
		if r := recover(); r != nil {
			err = diag.New(diag.ProjectSyntax, "the file is not YAML (%v)", r).In(diag.Place{File: path})
		}
	}()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return tree{}, f.syntaxError(err)
	}
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case body != nil:
			n := f.node(doc.Body.GetToken())
			return tree{}, n.problem(diag.ProjectSyntax, "found a second document, want one")
		default:
			body = doc.Body
		}
	}
	if body == nil {
		return tree{at: diag.Place{File: path, Line: 1, Column: 1}}, nil
	}
	return f.convert(body, 0)
}

// convert turns a parsed node into a tree.
func (f *yamlFile) convert(node ast.Node, depth int) (tree, error) {
	const deepest = 20
	n := f.node(node.GetToken())
	if depth > deepest {
		return n, n.problem(diag.ProjectSyntax, "it is nested too deep")
	}
	switch node := node.(type) {
	case *ast.NullNode:
		return n, nil
	case *ast.MappingNode:
		return f.mapping(n, node.Values, depth)
	case *ast.MappingValueNode:
		return f.mapping(n, []*ast.MappingValueNode{node}, depth)
	case *ast.SequenceNode:
		n.list = true
		for _, value := range node.Values {
			item, err := f.convert(value, depth+1)
			if err != nil {
				return n, err
			}
			n.items = append(n.items, item)
		}
		return n, nil
	case *ast.StringNode:
		n.scalar = &node.Value
		return n, nil
	case *ast.LiteralNode:
		n.scalar = &node.Value.Value
		return n, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		text := node.GetToken().Value
		n.scalar = &text
		return n, nil
	default:
		return n, n.problem(diag.ProjectSyntax, "found %s, want a plain value", strings.ToLower(node.Type().String()))
	}
}

func (f *yamlFile) mapping(n tree, values []*ast.MappingValueNode, depth int) (tree, error) {
	n.mapping = true
	if len(values) > 0 {
		first := f.node(values[0].Key.GetToken())
		n.at, n.excerpt = first.at, first.excerpt
	}
	for _, v := range values {
		key, err := f.convert(v.Key, depth+1)
		if err != nil {
			return n, err
		}
		if key.scalar == nil {
			return n, key.problem(diag.ProjectSyntax, "found %s, want a key", key.what())
		}
		value, err := f.convert(v.Value, depth+1)
		if err != nil {
			return n, err
		}
		n.fields = append(n.fields, pair{key, value})
	}
	return n, nil
}

// node is a tree without content at the place of a token.
func (f *yamlFile) node(t *token.Token) tree {
	if t == nil || t.Position == nil {
		return tree{at: diag.Place{File: f.path}}
	}
	line := t.Position.Line
	n := tree{at: diag.Place{File: f.path, Line: int64(line)}, lines: f.lines}
	if line < 1 || line > len(f.lines) {
		return n
	}
	n.excerpt = strings.TrimSuffix(f.lines[line-1], "\r")
	// The parser counts characters, places count bytes.
	column, characters := len(n.excerpt), 1
	for i := range n.excerpt {
		if characters == t.Position.Column {
			column = i
			break
		}
		characters++
	}
	n.at.Column = column + 1
	return n
}

// syntaxError turns an error of the parser into a diagnostic at its token.
func (f *yamlFile) syntaxError(err error) error {
	var y yaml.Error
	if !errors.As(err, &y) {
		return diag.New(diag.ProjectSyntax, "%v", err).In(diag.Place{File: f.path})
	}
	message, _, _ := strings.Cut(y.GetMessage(), "\n")
	return f.node(y.GetToken()).problem(diag.ProjectSyntax, "%s", message)
}

// problem is a diagnostic about what stands at a node.
func (n tree) problem(code diag.Code, format string, args ...any) *diag.Diagnostic {
	d := diag.New(code, format, args...).In(n.at)
	d.Excerpt = n.excerpt
	return d
}
