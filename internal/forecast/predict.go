package forecast

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Usual returns the modes that a forecast is about when nobody asks for others: for
// each reader its newest and an older version, as it is called without options, and
// with the option that its manual names for folders of several schemas.
func (m *Matrix) Usual() []Mode {
	return []Mode{
		{"Spark", "3.5.7", "spark.read.parquet", ""},
		{"Spark", "3.5.7", "spark.read.parquet", "mergeSchema=true"},
		{"Spark", "4.1.0", "spark.read.parquet", ""},
		{"Spark", "4.1.0", "spark.read.parquet", "mergeSchema=true"},
		{"PyArrow", "26.0.1", "pyarrow.dataset", ""},
		{"PyArrow", "26.0.1", "pyarrow.dataset", "schema=unify_schemas(permissive)"},
		{"PyArrow", "26.0.1", "pq.read_table", ""},
		{"pandas", "26.0.1", "pandas.read_parquet", ""},
		{"Polars", "1.20.0", "polars.scan_parquet", "folder"},
		{"Polars", "2.1.0", "polars.scan_parquet", "folder"},
		{"Polars", "2.1.0", "polars.scan_parquet", castOptions},
		{"Polars", "2.1.0", "polars.scan_parquet", "per-file concat how=diagonal_relaxed"},
		{"DuckDB", "1.5.6", "duckdb.read_parquet", "*.parquet"},
		{"DuckDB", "1.5.6", "duckdb.read_parquet", "*.parquet union_by_name=true"},
		{"DuckDB", "2.0.1", "duckdb.read_parquet", "*.parquet"},
		{"DuckDB", "2.0.1", "duckdb.read_parquet", "*.parquet union_by_name=true"},
		{"ADF data flow", "", "source", ""},
	}
}

const castOptions = "missing_columns=insert extra_columns=ignore ScanCastOptions(all allowed)"

// Predict says what each mode makes of a folder, the worst first within a mode. A
// mode that reads all as it was written has one prediction, that it works. Files that
// share their columns and their trouble are one prediction, about the first of them.
func (m *Matrix) Predict(f Folder, modes ...Mode) []Prediction {
	if len(modes) == 0 {
		modes = m.Usual()
		if f.Schema != nil {
			modes = append(modes, Mode{"Spark", "3.5.7", "spark.read.schema.parquet", "explicit schema"},
				Mode{"Spark", "4.1.0", "spark.read.schema.parquet", "explicit schema"})
		}
	}
	var out []Prediction
	for _, mode := range modes {
		p := predictor{m: m, mode: mode, asked: mode, folder: f}
		out = append(out, p.predict()...)
	}
	return out
}

// predictor makes the forecast of one mode.
type predictor struct {
	m *Matrix
	// asked is the mode to tell, mode the one whose cells are looked up.
	asked, mode Mode
	folder      Folder
	out         []Prediction
	// seen are the causes that are told of already, by where they stand in out.
	seen map[string]int
	// met are the files that brought a cause up, by where it stands in out.
	met [][]string
}

func (p *predictor) predict() []Prediction {
	p.seen = map[string]int{}
	if p.mode.Reader == "ADF data flow" { // its engine is a Spark 3
		p.mode = Mode{"Spark", "3.5.7", "spark.read.parquet", ""}
	}
	if partitioned(p.folder.Files) && p.mode.Reader == "DuckDB" {
		p.deep()
	}
	p.names()
	p.partitions()
	var read []File
	for i, f := range p.folder.Files {
		if !p.hides(f.Path) && p.condition(i, f) {
			read = append(read, f)
		}
	}
	if p.mode.Options == "explicit schema" {
		p.explicit(read)
	} else {
		p.columns(read)
	}
	if len(p.out) == 0 {
		return []Prediction{{Mode: p.asked, Measured: p.asked.Version != ""}}
	}
	p.widen()
	slices.SortStableFunc(p.out, func(a, b Prediction) int {
		return cmp.Or(cmp.Compare(b.Outcome, a.Outcome), cmp.Compare(b.Mild, a.Mild))
	})
	return p.out
}

// deep makes the mode one that looks into folders, without which DuckDB finds nothing.
func (p *predictor) deep() {
	switch p.mode.Options {
	case "*.parquet":
		p.mode.Options = deepGlob
		p.asked.Options = deepGlob
	case "*.parquet union_by_name=true":
		p.asked.Options = deepGlob + " union_by_name=true"
	}
}

const deepGlob = "**/*.parquet hive_partitioning=true"

// add notes a prediction, once for each cause and column.
func (p *predictor) add(cause string, q Prediction) {
	told := cause + "\x00" + q.Column
	if q.Outcome == Works {
		return
	}
	if at, ok := p.seen[told]; ok {
		p.met[at] = append(p.met[at], q.File)
		return
	}
	p.seen[told] = len(p.out)
	p.met = append(p.met, []string{q.File})
	q.Mode = p.asked
	if p.asked != p.mode && p.asked.Reader != p.mode.Reader {
		q.Measured = false
	}
	q.Mild = min(q.Mild, q.Outcome)
	if q.Outcome >= Wrong && q.Fix == "" {
		q.Fix = p.fix(cause, q)
	}
	p.out = append(p.out, q)
}

// widen names all files of each trouble: those that brought it up, and those that
// were not looked at because they have the columns of one that did.
func (p *predictor) widen() {
	type class struct {
		columns   *Column
		condition Condition
		path      string
	}
	of := func(f File) class {
		if k := key(f); k != nil {
			return class{columns: k}
		}
		return class{condition: f.Condition, path: f.Path}
	}
	classes := map[string]class{}
	for _, f := range p.folder.Files {
		classes[f.Path] = of(f)
	}
	for i := range p.out {
		troubled := map[class]bool{}
		for _, path := range p.met[i] {
			troubled[classes[path]] = true
		}
		for _, f := range p.folder.Files {
			if troubled[of(f)] && !p.hides(f.Path) {
				p.out[i].Files = append(p.out[i].Files, f.Path)
			}
		}
	}
}

// found adds what a folder that was measured under a name is to the mode.
func (p *predictor) found(name, file, column string) {
	mode := p.caseMode()
	if strings.HasPrefix(name, "part_") && mode.Reader == "DuckDB" {
		mode.Options = deepGlob // the only one in which partitions were measured
	}
	r, ok := p.m.Case(mode, name)
	r.Message = general(name, r.Message, column)
	if ok {
		p.add(name, Prediction{Result: r, Mild: r.Outcome, File: file, Column: column, Measured: true})
	}
}

// general takes out of a message what is about the measured folder alone: the last
// bytes of its file, the names of its columns.
func general(name, message, column string) string {
	if at := strings.Index(message, "but found "); at >= 0 {
		message = message[:at+len("but found ")] + `\[.+\]`
	}
	message, _, _ = strings.Cut(message, " in footer, got ")
	if name == "col_case_only" {
		message = regexp.MustCompile(`(column |schema: |file: )[cC]($|\W)`).ReplaceAllString(message, "${1}.+${2}")
	}
	if strings.HasPrefix(name, "col_") && column != "" {
		message = regexp.MustCompile(`(column |schema: |column\(s\): )d($|\W)`).ReplaceAllString(message, "${1}"+strings.ReplaceAll(regexp.QuoteMeta(column), "$", "$$")+"${2}")
	}
	return message
}

// anyValue takes the values of the measured files out of a message about types.
func anyValue(message string) string {
	for _, of := range []struct{ found, said string }{
		{`'(0x1Fé|abc|null|42|z)'`, `'.*'`},
		{`"(0x1Fé|abc|null|42|z)"`, `".*"`},
		{`with value \S+ can't`, `with value .+ can't`},
		{`failed in column 'c' for .*`, `failed in column '.+' for`},
		{`(would lose data: |Failed to parse value: |at least )\S+$`, `${1}.+`},
		{`(Cannot convert |Float value )\S+ `, `${1}.+ `},
	} {
		message = regexp.MustCompile(of.found).ReplaceAllString(message, of.said)
	}
	return message
}

// caseMode is the mode in which folders were measured that is nearest: explicit
// schemas were tried on types alone, and a file that does not open opens in neither.
func (p *predictor) caseMode() Mode {
	if p.mode.Options == "explicit schema" {
		return Mode{p.mode.Reader, p.mode.Version, "spark.read.parquet", ""}
	}
	return p.mode
}

// hides reports whether the reader does not look at a file.
func (p *predictor) hides(name string) bool {
	switch p.mode.Reader {
	case "DuckDB":
		return !strings.HasSuffix(name, ".parquet") || strings.Contains(name, "/") && strings.HasPrefix(p.asked.Options, "*.parquet")
	case "Polars":
		return !strings.HasSuffix(name, ".parquet")
	}
	for _, part := range strings.Split(name, "/") {
		hidden := part != "" && (part[0] == '.' || part[0] == '_') && !strings.Contains(part, "=")
		if hidden || p.mode.Reader == "Spark" && strings.HasSuffix(part, "._COPYING_") {
			return true
		}
	}
	return false
}

// names looks at files by their names alone.
func (p *predictor) names() {
	for _, f := range p.folder.Files {
		base := path.Base(f.Path)
		switch {
		case base == "_SUCCESS", strings.HasPrefix(base, "_committed"), strings.HasPrefix(base, "_started"):
			p.found("success_marker", f.Path, "")
		case strings.Contains(f.Path, "_temporary/") && p.mode.Reader == "DuckDB" && p.hides(f.Path):
			// the glob does not reach it, and need not
		case p.mode.Reader == "DuckDB" && strings.Contains(f.Path, "/") && p.hides(f.Path) && f.Columns != nil:
			p.found("plain_subfolder", f.Path, "")
		case strings.Contains(f.Path, "_temporary/"):
			p.found("temporary_dir", f.Path, "")
		case strings.HasSuffix(base, ".crc"):
			p.found("crc_files", f.Path, "")
		case strings.HasPrefix(base, ".") && f.Columns != nil:
			p.found("hidden_dot_file", f.Path, "")
		case strings.HasPrefix(base, "_") && f.Columns != nil:
			p.found("underscore_file", f.Path, "")
		case strings.HasSuffix(base, "._COPYING_"):
			p.found("copying_suffix", f.Path, "")
		case strings.HasSuffix(base, ".tmp"):
			p.found("inflight_tmp_suffix", f.Path, "")
		case strings.HasSuffix(base, ".PARQUET"):
			p.found("upper_extension", f.Path, "")
		case path.Ext(base) == "" && f.Columns != nil:
			p.found("no_extension_parquet", f.Path, "")
		case strings.HasSuffix(base, ".csv"):
			p.found("csv_file_in_folder", f.Path, "")
		case strings.HasSuffix(base, ".txt"):
			p.found("txt_file_in_folder", f.Path, "")
		case strings.Contains(base, ":"):
			p.found("name_colon", f.Path, "")
		}
	}
}

// condition adds what a file is by itself, and reports whether it has columns.
func (p *predictor) condition(i int, f File) bool {
	where := "last"
	if i == 0 {
		where = "first"
	}
	name := map[Condition]string{
		ZeroBytes: "zero_byte_" + where, Truncated: "truncated_" + where, Tiny: "tiny_4_bytes_last", FooterTooLong: "footer_len_too_big",
		TextCSV: "csv_named_parquet", TextJSON: "json_named_parquet", ORC: "orc_magic_named_parquet", Gzip: "gzipped_parquet",
		EncryptedFooter: "encrypted_footer", EncryptedColumns: "encrypted_column_plain_footer", OddArrowSchema: "arrow_schema_corrupt",
	}[f.Condition]
	if name != "" && strings.HasSuffix(f.Path, ".parquet") {
		p.found(name, f.Path, "")
	}
	return f.Columns != nil
}
