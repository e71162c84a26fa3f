// Package notebook finds Auto Loader streams in notebooks.
//
// It reads Python source as far as that takes: chains of calls, their arguments,
// and variables that are texts or mappings of texts. Nothing is run. What a
// value is made of and cannot be known from the text, such as a widget, stands
// as ${name} in it.
package notebook

import (
	"fmt"
	"strings"
)

// Place is where something stands in a notebook.
type Place struct {
	// Cell counts the cells of a notebook in JSON from 1; 0 for source text.
	Cell int
	// Line counts from 1, in the cell or the source.
	Line int
}

// String names the place as people do.
func (p Place) String() string {
	if p.Cell > 0 {
		return fmt.Sprintf("cell %d, line %d", p.Cell, p.Line)
	}
	return fmt.Sprintf("line %d", p.Line)
}

// Option is one option of a stream, as it is written.
type Option struct {
	Name, Value string
	At          Place
}

// Note is something to tell about a place.
type Note struct {
	At   Place
	Text string
}

// Stream is one Auto Loader stream.
type Stream struct {
	// At is where its reader begins.
	At Place
	// Path is what it loads, "" if that is not said.
	Path string
	// Options are those of the reader, in the order of the text.
	Options []Option
	// Schema is the DDL of a schema that is given, HasSchema that one is.
	Schema    string
	HasSchema bool
	// Steps are the calls between the reader and the writer.
	Steps []Option
	// Table is the table it writes to by name, Folder by path.
	Table, Folder string
	// Sink are the options of the writer, SinkAt where it begins; zero if there
	// is none.
	Sink   []Option
	SinkAt Place
	// Trigger is the trigger as it is written: "once=True"; "" for none.
	Trigger Option
	// PartitionBy are the partition columns of the writer.
	PartitionBy []string
	// Managed says that a pipeline or SQL keeps checkpoints and schemas, ReadFiles
	// that the stream is a read_files of SQL, which finds types by default.
	Managed, ReadFiles bool

	formatAt Place // where its format is named
}

// Notebook is what was found.
type Notebook struct {
	Streams []Stream
	Notes   []Note
}

// Option returns the last setting of an option of the reader, in any casing,
// with or without the prefix.
func (s *Stream) Option(name string) (Option, bool) { return last(s.Options, name) }

// SinkOption is [Stream.Option] for the writer.
func (s *Stream) SinkOption(name string) (Option, bool) { return last(s.Sink, name) }

func last(options []Option, name string) (Option, bool) {
	for i := len(options) - 1; i >= 0; i-- {
		if strings.EqualFold(bare(options[i].Name), bare(name)) {
			return options[i], true
		}
	}
	return Option{}, false
}

func bare(name string) string {
	const prefix = "cloudfiles."
	if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
		return name[len(prefix):]
	}
	return name
}

// Parse reads a notebook: .ipynb in JSON, or the source of one in Python or SQL.
// The name says which. The error is a diagnostic: the file is no notebook.
func Parse(name string, data []byte) (Notebook, error) {
	cells, err := split(name, data)
	if err != nil {
		return Notebook{}, err
	}
	f := newFinder()
	for _, c := range cells {
		if c.sql {
			f.query(c.text, c.at)
			continue
		}
		f.python(c.text, c.at)
	}
	return f.done(), nil
}
