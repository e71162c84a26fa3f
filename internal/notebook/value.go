package notebook

import (
	"strconv"
	"strings"
	"unicode"
)

// value is what an expression is known to be: a text, a mapping, a list, a
// chain of calls, or none of them.
type value struct {
	// isText tells that text is the value; a part that is not known stands in it
	// as ${name}.
	isText bool
	text   string
	// isDict and isList tell that items are those of a mapping or list.
	isDict, isList bool
	items          []item
	chain          *chain
	// name is what an unknown value is called.
	name string
}

// item is an entry of a mapping or list, or an argument of a call; key is ""
// for one without. spread is set for **value.
type item struct {
	key    string
	value  value
	at     Place
	spread bool
}

// chain is a root and what is called on it, one after the other.
type chain struct {
	root  string
	steps []step
}

// step is one attribute of a chain, and its arguments if it is called.
type step struct {
	name   string
	at     Place
	called bool
	args   []item
}

// longest bounds texts, and the entries of mappings: variables may double them.
const longest = 1 << 16

func known(s string) value {
	if len(s) > longest {
		return value{}
	}
	return value{isText: true, text: s}
}

// with returns the chain with a step more; the chain itself is not changed,
// since variables may hold it.
func (c *chain) with(s step) *chain {
	return &chain{c.root, append(c.steps[:len(c.steps):len(c.steps)], s)}
}

// put returns the value as text: as it is, or a place-holder by its name.
func (v value) put() string {
	if v.isText {
		return v.text
	}
	return "${" + v.called() + "}"
}

// called is the name of an unknown value.
func (v value) called() string {
	name := v.name
	if v.chain != nil {
		name = v.chain.called()
	}
	name = strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
	if name == "" {
		return "unknown"
	}
	return name
}

// called is what the value of a chain is called: dbutils.widgets.get("env") is
// env, config.landing is landing.
func (c *chain) called() string {
	if len(c.steps) == 0 {
		return c.root
	}
	last := c.steps[len(c.steps)-1]
	if last.called && len(last.args) > 0 && last.args[0].value.isText {
		return last.args[0].value.text
	}
	return last.name
}

// attribute is v.name.
func (v value) attribute(name string, at Place) value {
	s := step{name: name, at: at}
	switch {
	case v.chain != nil:
		return value{chain: v.chain.with(s)}
	case v.isText:
		return value{chain: &chain{"", []step{{name: v.text, at: at}, s}}}
	}
	return value{chain: &chain{v.name, []step{s}}}
}

// call is v(args).
func (v value) call(args []item, at Place) value {
	if v.chain == nil {
		return v.function(args, at)
	}
	c := v.chain
	n := len(c.steps)
	s := c.steps[n-1]
	s.called, s.args = true, args
	if c.root == "" && s.name == "format" && n == 2 {
		return known(formatted(c.steps[0].name, args))
	}
	if c.root == "" && n == 2 {
		return value{name: c.steps[0].name}
	}
	return value{chain: &chain{c.root, append(c.steps[:n-1:n-1], s)}}
}

// function calls a name. A function of one's own that takes a stream is a step
// of it: it hands the stream on, more or less changed.
func (v value) function(args []item, at Place) value {
	switch {
	case v.name == "str" && len(args) == 1:
		return known(args[0].value.put())
	case v.name == "dict":
		return value{isDict: true, items: args}
	case len(args) > 0 && args[0].value.chain != nil && args[0].value.chain.has("readStream"):
		return value{chain: args[0].value.chain.with(step{v.name, at, true, args[1:]})}
	}
	return value{chain: &chain{v.name, []step{{name: v.name, at: at, called: true, args: args}}}}
}

func (c *chain) has(name string) bool {
	for _, s := range c.steps {
		if s.name == name {
			return true
		}
	}
	return false
}

// index is v[key].
func (v value) index(key value) value {
	if v.isDict && key.isText {
		for i := len(v.items) - 1; i >= 0; i-- {
			if v.items[i].key == key.text {
				return v.items[i].value
			}
		}
	}
	if key.isText {
		return value{name: key.text}
	}
	return value{name: v.called()}
}

// plus is v + w, and v += w.
func (v value) plus(w value) value {
	switch {
	case v.isDict && w.isDict && len(v.items)+len(w.items) < longest:
		return value{isDict: true, items: append(v.items[:len(v.items):len(v.items)], w.items...)}
	case v.isText || w.isText:
		return known(v.put() + w.put())
	}
	return value{name: v.called()}
}

// modulo is v % w, for texts.
func (v value) modulo(w value) value {
	if !v.isText {
		return value{name: v.called()}
	}
	args := []item{{value: w}}
	if w.isList {
		args = w.items
	}
	text := v.text
	for _, a := range args {
		before, after, ok := strings.Cut(text, "%s")
		if !ok {
			break
		}
		text = before + a.value.put() + after
	}
	return known(text)
}

// formatted is text.format(args).
func formatted(text string, args []item) string {
	var b strings.Builder
	next := 0
	for text != "" {
		open := strings.IndexByte(text, '{')
		end := strings.IndexByte(text, '}')
		if open < 0 || end < open {
			break
		}
		b.WriteString(text[:open])
		field, _, _ := strings.Cut(text[open+1:end], ":")
		text = text[end+1:]
		n, err := strconv.Atoi(field)
		if field == "" {
			n, err = next, nil
			next++
		}
		arg := value{name: field}
		if err == nil && n >= 0 && n < len(args) {
			arg = args[n].value
		}
		for _, a := range args {
			if err != nil && a.key == field {
				arg = a.value
			}
		}
		b.WriteString(arg.put())
	}
	return b.String() + text
}
