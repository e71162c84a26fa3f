package csv

import "strings"

type refRecord struct {
	fields    []refField
	end, next int
	state     outcome
	at        int
}

type refField struct {
	value  string
	quoted bool
}

func (f refField) null() bool { return f.value == "" && !f.quoted }

func (f refField) String() string {
	if f.null() {
		return "∅"
	}
	return show([]byte(f.value), f.quoted)
}

// lineEnd returns the line end at the start of s.
func (f *reference) lineEnd(s string) string {
	ends := []string{"\r\n", "\n", "\r"}
	if f.sep != "" {
		ends = []string{f.sep}
	}
	for _, e := range ends {
		if strings.HasPrefix(s, e) {
			return e
		}
	}
	return ""
}

// parse cuts the record at the start of s. A text that is not at its end may go
// on with anything, so nothing is certain that stands in its last bytes.
func (f *reference) parse(s string, last bool) (r refRecord) {
	i := 0
	unsure := func(token string) bool {
		return !last && len(s)-i < len(token) && strings.HasPrefix(token, s[i:])
	}
	atEnd := func() bool {
		return i == len(s) || f.lineEnd(s[i:]) != ""
	}
	atDelim := func() bool { return strings.HasPrefix(s[i:], f.delim) }
	ambiguous := func() bool {
		return i == len(s) && !last || unsure(f.delim) || f.sep != "" && unsure(f.sep) ||
			f.sep == "" && !last && s[i:] == "\r"
	}
	for {
		var field refField
		begin := i
		if f.trimLeft && f.quote != "" && f.delim[0] != ' ' {
			if j := i + len(s[i:]) - len(strings.TrimLeft(s[i:], " ")); strings.HasPrefix(s[j:], f.quote) {
				i = j
			}
		}
		if f.quote != "" && strings.HasPrefix(s[i:], f.quote) {
			field.quoted = true
			start := i
			i++
			for {
				if i == len(s) {
					r.state, r.at = open, start
					if !last {
						r.state = more
					}
					return r
				}
				if i+1 == len(s) && !last && (s[i:] == f.quote || s[i:] == f.escape) {
					r.state = more
					return r
				}
				two := s[i:min(i+2, len(s))]
				if two == f.quote+f.quote || f.escape != "" && (two == f.escape+f.quote || two == f.escape+f.escape) {
					field.value += two[1:]
					i += 2
					continue
				}
				if s[i:i+1] == f.quote {
					i++
					break
				}
				field.value += s[i : i+1]
				i++
			}
			for i < len(s) && !atDelim() && !ambiguous() && (s[i] == ' ' || s[i] == '\t') && !atEnd() {
				i++
			}
			if ambiguous() {
				r.state = more
				return r
			}
			if !atDelim() && !atEnd() {
				if _, _, broken := f.line(s[begin:i]); broken || !f.loose {
					r.state, r.at = stray, i
					return r
				}
				field = refField{value: s[begin:i]}
			}
		}
		if !field.quoted {
			for !atDelim() && !atEnd() && !ambiguous() {
				field.value += s[i : i+1]
				i++
			}
			if ambiguous() {
				r.state = more
				return r
			}
		}
		r.fields = append(r.fields, field)
		if i < len(s) && atDelim() {
			i += len(f.delim)
			continue
		}
		r.end, r.next = i, i+len(f.lineEnd(s[i:]))
		return r
	}
}

// adapt changes a field as the options ask for.
func (f *reference) adapt(v refField) refField {
	if !v.quoted && f.trimLeft {
		v.value = strings.TrimLeft(v.value, " \t")
	}
	if !v.quoted && f.trimRight {
		v.value = strings.TrimRight(v.value, " \t")
	}
	if v.quoted && v.value == "" {
		v.value = f.emptyValue
	}
	if f.nullValue != "" && v.value == f.nullValue {
		return refField{}
	}
	return v
}
