package notebook

import (
	"slices"
	"strings"
)

// finder collects the streams of a notebook.
type finder struct {
	vars  map[string]value
	found []Stream
	notes []Note
	// told are notes that were given, since a chain is seen in parts.
	told map[Note]bool
}

func newFinder() *finder {
	return &finder{vars: map[string]value{}, told: map[Note]bool{}}
}

func (f *finder) note(at Place, text string) {
	n := Note{at, text}
	if !f.told[n] {
		f.told[n] = true
		f.notes = append(f.notes, n)
	}
}

// python reads a cell of Python. Variables last from cell to cell.
func (f *finder) python(src string, at Place) {
	tokens, faults := scan(src, at.Line)
	p := &parser{tokens: tokens, cell: at.Cell, vars: f.vars}
	p.seen = func(c *chain) { f.chain(c, p.functions) }
	p.statements()
	f.vars = p.vars
	f.missed(tokens, faults, at.Cell)
	for _, t := range tokens {
		if t.kind == text && len(t.body) < longest && (containsFold(t.body, "read_files") || containsFold(t.body, "cloud_files")) {
			f.query(p.literal(t), Place{at.Cell, t.line})
		}
	}
}

// missed tells of streams that begin in a cell and were not understood: those that
// no stream found has the format of. What is wrong with the text is told where
// there is a stream that it may concern.
func (f *finder) missed(tokens []token, faults []fault, cell int) {
	streams := false
	for i, t := range tokens {
		if t.kind != text || !strings.EqualFold(t.body, "cloudFiles") || i < 2 || tokens[i-1].body != "(" || tokens[i-2].body != "format" {
			continue
		}
		streams = true
		at := Place{cell, t.line}
		if !slices.ContainsFunc(f.found, func(s Stream) bool { return s.formatAt == at }) {
			f.note(at, "a stream of Auto Loader begins here that could not be read: it is not taken over; add its source by hand")
		}
	}
	for _, wrong := range faults {
		if streams {
			f.note(Place{cell, wrong.line}, "no Python: "+wrong.what+"; a stream near it may be read wrong or missed")
		}
	}
}

func containsFold(s, sub string) bool { return strings.Contains(strings.ToLower(s), sub) }

// chain looks at a chain of calls. It may be part of one that is seen later.
func (f *finder) chain(c *chain, functions []function) {
	at := slices.IndexFunc(c.steps, func(s step) bool { return s.name == "readStream" })
	if at < 0 {
		return
	}
	s := Stream{At: c.steps[at].at}
	write := slices.IndexFunc(c.steps, func(s step) bool { return s.name == "writeStream" })
	reader, writer := c.steps[at+1:], []step(nil)
	if write > at {
		reader, writer = c.steps[at+1:write], c.steps[write+1:]
		s.SinkAt = c.steps[write].at
	}
	format := ""
	loaded := false
	for _, r := range reader {
		switch {
		case loaded:
			s.Steps = append(s.Steps, call(r))
		case r.name == "format":
			if format = argument(r, "source"); len(r.args) > 0 {
				s.formatAt = r.args[0].at
			}
		default:
			loaded = f.read(&s, r)
		}
	}
	if !strings.EqualFold(format, "cloudFiles") {
		if loaded && format != "" {
			f.note(s.At, "a stream of "+format+", which is not Auto Loader's: not taken over")
		}
		return
	}
	for _, w := range writer {
		f.write(&s, w)
	}
	declare(&s, functions)
	if loaded || write > at {
		f.add(s)
	}
}

// read takes a step of the reader; it is the last one if it loads.
func (f *finder) read(s *Stream, r step) (loaded bool) {
	switch r.name {
	case "option", "options":
		s.Options = append(s.Options, f.options(r)...)
	case "schema":
		s.HasSchema = true
		if len(r.args) > 0 && r.args[0].value.isText {
			s.Schema = r.args[0].value.text
		}
	case "load", "csv", "json", "parquet", "avro", "text", "orc", "xml":
		s.Path = argument(r, "path")
		if s.Path == "" {
			if o, ok := s.Option("path"); ok {
				s.Path = o.Value
			}
		}
		s.Options = slices.DeleteFunc(s.Options, func(o Option) bool { return o.Name == "path" })
		return true
	}
	return false
}

// write takes a step of the writer.
func (f *finder) write(s *Stream, w step) {
	switch w.name {
	case "option", "options":
		s.Sink = append(s.Sink, f.options(w)...)
	case "trigger":
		for _, a := range w.args {
			s.Trigger = Option{a.key, a.value.put(), a.at}
		}
	case "partitionBy":
		for _, a := range w.args {
			if a.value.isList {
				for _, i := range a.value.items {
					s.PartitionBy = append(s.PartitionBy, i.value.put())
				}
				continue
			}
			s.PartitionBy = append(s.PartitionBy, a.value.put())
		}
	case "toTable", "table":
		s.Table = argument(w, "tableName")
	case "start":
		s.Folder = argument(w, "path")
	case "foreachBatch", "foreach":
		f.note(w.at, w.name+" is code: what it does with the rows is not taken over")
	case "format":
		if format := argument(w, "source"); !strings.EqualFold(format, "delta") {
			f.note(w.at, "the stream writes "+format+"; landfall writes Delta")
		}
	}
}

// options are the settings of .option("k", v) and .options(…).
func (f *finder) options(s step) []Option {
	if s.name == "option" {
		if len(s.args) < 2 {
			return nil
		}
		return []Option{{s.args[0].value.put(), s.args[1].value.put(), s.at}}
	}
	var out []Option
	for _, a := range s.args {
		switch {
		case a.spread && a.value.isDict:
			for _, i := range a.value.items {
				out = append(out, Option{i.key, i.value.put(), i.at})
			}
		case a.spread:
			f.note(s.at, "options(**"+a.value.called()+") is not known: add what it holds")
		default:
			out = append(out, Option{a.key, a.value.put(), a.at})
		}
	}
	return out
}

// argument is the first argument of a call, or the one of that name.
func argument(s step, name string) string {
	for i, a := range s.args {
		if a.key == name || a.key == "" && i == 0 {
			return a.value.put()
		}
	}
	return ""
}

// call is a step as text.
func call(s step) Option {
	o := Option{Name: s.name, At: s.at}
	if len(s.args) > 0 && s.args[0].value.isText {
		o.Value = s.args[0].value.text
	}
	return o
}

// declare gives a stream without a writer the table of the function that
// returns it, where a decorator says that it is one.
func declare(s *Stream, functions []function) {
	if s.SinkAt != (Place{}) {
		return
	}
	for i := len(functions) - 1; i >= 0; i-- {
		for _, d := range functions[i].decorators {
			if d.chain == nil || len(d.chain.steps) == 0 {
				continue
			}
			last := d.chain.steps[len(d.chain.steps)-1]
			if !slices.Contains([]string{"table", "create_table", "view", "temporary_view", "append_flow"}, last.name) {
				continue
			}
			s.Managed, s.Table = true, functions[i].name
			for _, a := range last.args {
				if a.key == "name" || a.key == "target" {
					s.Table = a.value.put()
				}
			}
			return
		}
	}
}

// add keeps a stream. It is seen in parts, as its chain grows: the one with a
// writer takes the place of the same one without.
func (f *finder) add(s Stream) {
	none := Place{}
	for i, old := range f.found {
		switch {
		case old.At != s.At:
		case s.SinkAt == none && old.SinkAt != none:
			return
		case old.SinkAt == s.SinkAt || old.SinkAt == none:
			f.found[i] = s
			return
		}
	}
	f.found = append(f.found, s)
}

// done returns what was found, in the order of the text.
func (f *finder) done() Notebook {
	n := Notebook{Streams: f.found}
	slices.SortStableFunc(n.Streams, func(a, b Stream) int { return before(a.At, b.At) })
	slices.SortStableFunc(f.notes, func(a, b Note) int { return before(a.At, b.At) })
	n.Notes = f.notes
	return n
}

func before(a, b Place) int {
	if a.Cell != b.Cell {
		return a.Cell - b.Cell
	}
	return a.Line - b.Line
}
