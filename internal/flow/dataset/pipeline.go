package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/resource"
)

// given are the values of the parameters of a dataset: those of the stream, else what the
// dataset says itself.
func given(d resource.Dataset, n resource.Node) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	var own map[string]struct {
		Default json.RawMessage `json:"defaultValue"`
	}
	if json.Unmarshal(d.Parameters, &own) == nil {
		for name, p := range own {
			if p.Default != nil {
				out[name] = p.Default
			}
		}
	}
	var set map[string]json.RawMessage
	if json.Unmarshal(n.Parameters, &set) == nil {
		maps.Copy(out, set)
	}
	return out
}

// computed is a value of a dataset: as it is written, or worked out of parameters where
// it is an expression of a pipeline. given is nil for values of parameters themselves,
// which only the pipeline can work out.
func computed(raw json.RawMessage, given map[string]json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if object, ok := v.(map[string]any); ok && object["type"] == "Expression" {
		v = object["value"]
	}
	text, ok := v.(string)
	switch {
	case !ok:
		return v, nil
	case deployed(text):
		return nil, errors.New(diag.Quote(text))
	case strings.HasPrefix(text, "@@"):
		return text[1:], nil
	case !strings.Contains(text, "@{") && !strings.HasPrefix(text, "@"):
		return text, nil
	}
	c := &computation{text: text, given: given}
	if strings.HasPrefix(text, "@") && !strings.HasPrefix(text, "@{") {
		c.at = 1
		v = c.value()
		if c.skip(); c.at < len(text) {
			c.unknown()
		}
		return v, c.err
	}
	return c.template()
}

// deployed tells that a text is an expression of a template, which its deployment works
// out: [parameters('folder')].
func deployed(text string) bool {
	inner, begins := strings.CutPrefix(text, "[")
	name, _, calls := strings.Cut(inner, "(")
	return begins && calls && strings.HasSuffix(text, ")]") && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// computation works out an expression of a pipeline, of which there is little in
// datasets: parameters, texts, and texts put together.
type computation struct {
	text  string
	at    int
	given map[string]json.RawMessage
	err   error
}

func (c *computation) fail(format string, args ...any) any {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
	c.at = len(c.text)
	return nil
}

func (c *computation) unknown() any { return c.fail("%s", diag.Quote(c.text)) }

// template puts a text together that has values within @{}.
func (c *computation) template() (any, error) {
	var b strings.Builder
	for c.at < len(c.text) && c.err == nil {
		before, after, found := strings.Cut(c.text[c.at:], "@{")
		if found && strings.HasSuffix(before, "@") { // @@{ is @{
			b.WriteString(before + "{")
			c.at = len(c.text) - len(after)
			continue
		}
		b.WriteString(before)
		if c.at = len(c.text) - len(after); !found {
			break
		}
		b.WriteString(c.join(c.value()))
		if !c.next('}') {
			c.unknown()
		}
	}
	return b.String(), c.err
}

// value is the value that begins here.
func (c *computation) value() any {
	if c.skip(); c.at < len(c.text) && c.text[c.at] == '\'' {
		return c.quoted()
	}
	name := c.word()
	if name == "" || !c.next('(') {
		return c.unknown()
	}
	switch strings.ToLower(name) {
	case "dataset":
		return c.parameter()
	case "concat":
		return c.concat()
	case "tolower", "toupper", "string", "trim":
		text := c.join(c.value())
		if !c.next(')') {
			return c.unknown()
		}
		return map[string]func(string) string{"tolower": strings.ToLower, "toupper": strings.ToUpper, "string": strings.Clone, "trim": strings.TrimSpace}[strings.ToLower(name)](text)
	}
	return c.unknown()
}

// word is the name that comes; "" for none.
func (c *computation) word() string {
	c.skip()
	start := c.at
	for c.at < len(c.text) && isLetter(c.text[c.at]) {
		c.at++
	}
	return c.text[start:c.at]
}

// parameter is the value of dataset().name.
func (c *computation) parameter() any {
	if !c.next(')') || !c.next('.') {
		return c.unknown()
	}
	name := c.word()
	raw, ok := c.given[name]
	if !ok {
		return c.fail("%s, and nothing gives the parameter %s", diag.Quote(c.text), diag.Quote(name))
	}
	v, err := computed(raw, nil)
	if err != nil {
		return c.fail("parameter %s: %w", diag.Quote(name), err)
	}
	return v
}

func (c *computation) concat() any {
	var b strings.Builder
	for c.err == nil {
		b.WriteString(c.join(c.value()))
		if c.next(')') {
			return b.String()
		}
		if !c.next(',') {
			return c.unknown()
		}
	}
	return nil
}

// quoted is a text between single quotes, in which two are one.
func (c *computation) quoted() any {
	var b strings.Builder
	for {
		c.at++
		text, _, found := strings.Cut(c.text[c.at:], "'")
		if !found {
			return c.unknown()
		}
		b.WriteString(text)
		if c.at += len(text) + 1; c.at >= len(c.text) || c.text[c.at] != '\'' {
			return b.String()
		}
		b.WriteByte('\'')
	}
}

// join is a value as part of a text.
func (c *computation) join(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case nil:
		if c.err != nil {
			return ""
		}
	}
	c.unknown()
	return ""
}

func (c *computation) skip() {
	for c.at < len(c.text) && (c.text[c.at] == ' ' || c.text[c.at] == '\n' || c.text[c.at] == '\r' || c.text[c.at] == '\t') {
		c.at++
	}
}

// next takes a character, if it is the one that comes.
func (c *computation) next(want byte) bool {
	c.skip()
	if c.at >= len(c.text) || c.text[c.at] != want {
		return false
	}
	c.at++
	return true
}

func isLetter(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
