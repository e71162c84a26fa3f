package forecast

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:generate go run ../../scripts/forecast.go

//go:embed matrix.txt
var measured string

// Matrix is the table of what was measured.
type Matrix struct {
	results []Result
	// pairs are by mode and then by the types of the two files; casts by those of the
	// file and of the schema; cases by the name of a folder.
	pairs, mild, casts map[Mode]map[[2]string]int
	cases              map[Mode]map[string]int
	modes              map[string][]Mode
}

// Load decodes the table. An error says that the package was built of a broken table.
func Load() (*Matrix, error) {
	m := &Matrix{
		pairs: map[Mode]map[[2]string]int{}, mild: map[Mode]map[[2]string]int{},
		casts: map[Mode]map[[2]string]int{}, cases: map[Mode]map[string]int{}, modes: map[string][]Mode{},
	}
	d := decoder{m: m, lines: strings.Split(strings.TrimSuffix(measured, "\n"), "\n")}
	for len(d.lines) > 0 {
		if err := d.next(); err != nil {
			return nil, fmt.Errorf("the table of readers: %w", err)
		}
	}
	return m, nil
}

// decoder reads the lines of the table, see the comment at its head.
type decoder struct {
	m               *Matrix
	lines           []string
	types, expected []string
	before          [][][]int
	kind            string
}

func (d *decoder) next() error {
	line := d.lines[0]
	d.lines = d.lines[1:]
	if strings.HasPrefix(line, "#") {
		return nil
	}
	f := strings.Split(line, "\t")
	switch f[0] {
	case "types":
		d.types = f[1:]
	case "expected":
		d.expected = f[1:]
	case "result":
		d.m.results = append(d.m.results, resultOf(f[1], f[2], f[3]))
	case "pairs":
		into := d.m.mild
		if f[4] == "extreme" {
			into = d.m.pairs
		}
		return d.square(into, modeOf(f[1:]), d.types)
	case "casts":
		if len(d.m.casts) == 0 {
			d.before = nil
		}
		return d.square(d.m.casts, modeOf(f[1:]), d.expected)
	case "kind":
		d.kind = f[1]
	case "mode":
		d.m.modes[d.kind] = append(d.m.modes[d.kind], modeOf(f[1:]))
	case "case":
		return d.folder(f[1], f[2])
	default:
		return fmt.Errorf("a line begins with %q", f[0])
	}
	return nil
}

func modeOf(f []string) Mode {
	return Mode{Reader: readerOf(f[0]), Version: f[1], Call: f[0], Options: f[2]}
}

// readerOf is the name for people of whom a function belongs to.
func readerOf(call string) string {
	first, _, _ := strings.Cut(call, ".")
	return map[string]string{
		"spark": "Spark", "pyarrow": "PyArrow", "pq": "PyArrow", "pandas": "pandas", "polars": "Polars", "duckdb": "DuckDB",
	}[first]
}

func resultOf(outcome, class, message string) Result {
	kind, how, _ := strings.Cut(outcome, ":")
	return Result{Class: class, Message: message, How: how, Outcome: map[string]Outcome{
		"ok": Works, "ok_retyped": Retyped, "silent": Wrong, "flagged": Wrong,
	}[kind] + map[string]Outcome{"error": Fails, "crash": Fails}[kind]}
}

// square reads a line for each type of a file.
func (d *decoder) square(into map[Mode]map[[2]string]int, mode Mode, columns []string) error {
	if len(d.lines) < len(d.types) {
		return fmt.Errorf("found %d lines for %q, wanted %d", len(d.lines), mode.Call, len(d.types))
	}
	cells := map[[2]string]int{}
	var square [][]int
	for i, line := range d.lines[:len(d.types)] {
		row, err := d.row(line, i, len(columns))
		if err != nil {
			return err
		}
		square = append(square, row)
		for k, n := range row {
			if n >= 0 {
				cells[[2]string{d.types[i], columns[k]}] = n
			}
		}
	}
	d.lines = d.lines[len(d.types):]
	d.before = append(d.before, square)
	into[mode] = cells
	return nil
}

func (d *decoder) row(line string, i, wanted int) ([]int, error) {
	back, same := strings.CutPrefix(line, "=")
	if !same {
		return d.entries(line, wanted)
	}
	n := 1
	if back != "" {
		n, _ = strconv.Atoi(back) // 0 is none of the sections
	}
	if n < 1 || n > len(d.before) {
		return nil, fmt.Errorf("no section stands %q before", back)
	}
	return d.before[len(d.before)-n][i], nil
}

// entries reads numbers of results, −1 where nothing is known.
func (d *decoder) entries(line string, wanted int) ([]int, error) {
	var out []int
	for _, entry := range strings.Fields(line) {
		number, times, _ := strings.Cut(entry, "*")
		n, repeat := int64(-1), 1
		var err error
		if number != "-" {
			n, err = strconv.ParseInt(number, 36, 32)
		}
		if err == nil && times != "" {
			repeat, err = strconv.Atoi(times)
		}
		if err != nil || n >= int64(len(d.m.results)) || repeat < 1 {
			return nil, fmt.Errorf("%q is no entry", entry)
		}
		out = append(out, slices.Repeat([]int{int(n)}, repeat)...)
	}
	if len(out) != wanted {
		return nil, fmt.Errorf("found %d entries, wanted %d", len(out), wanted)
	}
	return out, nil
}

func (d *decoder) folder(name, line string) error {
	row, err := d.entries(line, len(d.m.modes[d.kind]))
	for i, n := range row {
		mode := d.m.modes[d.kind][i]
		if d.m.cases[mode] == nil {
			d.m.cases[mode] = map[string]int{}
		}
		if n >= 0 {
			d.m.cases[mode][name] = n
		}
	}
	return err
}

// Case returns what a mode did with a folder that was measured under a name, such as
// zero_byte_first or csv_header_renamed; false if it was not tried.
func (m *Matrix) Case(mode Mode, name string) (Result, bool) {
	n, ok := m.cases[mode][name]
	if !ok {
		return Result{}, false
	}
	return m.results[n], true
}

// Modes returns the modes in which folders of a kind were read: layout for those of
// Parquet files, csv or json.
func (m *Matrix) Modes(kind string) []Mode { return slices.Clone(m.modes[kind]) }
