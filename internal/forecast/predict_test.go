package forecast

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// seed is a folder whose amounts changed their type at a day's turn, with the odd
// files of such a folder.
func seed() Folder {
	text := Type{Physical: ByteArray, Kind: String}
	old := []Column{{"order_id", text}, {"amount", Type{Physical: Double}}}
	young := []Column{{"order_id", text}, {"amount", Type{Physical: Fixed, Length: 8, Kind: Decimal, Precision: 18, Scale: 2}}, {"channel", text}}
	past := []Column{{"order_id", text}, {"amount", Type{Physical: Double}}, {"at", Type{Physical: Int96}}}
	return Folder{Files: []File{
		{Path: "dt=2026-11-01/a.parquet", Columns: old, Groups: 1},
		{Path: "dt=2026-11-01/b.parquet", Columns: old, Groups: 1},
		{Path: "dt=2026-11-01/empty.parquet", Condition: ZeroBytes},
		{Path: "dt=2026-11-02/c.parquet", Columns: young, Groups: 1},
		{Path: "dt=2026-11-02/cut.parquet", Condition: Truncated},
		{Path: "dt=2026-11-02/past.parquet", Columns: past, Groups: 1},
		{Path: "dt=2026-11-02/text.parquet", Condition: TextCSV},
	}}
}

// TestSeed predicts the seed's folder: each reader is told about each trouble.
func TestSeed(t *testing.T) {
	m := load(t)
	told := map[string][]Prediction{}
	modes := map[Mode]bool{}
	for _, p := range m.Predict(seed()) {
		modes[p.Mode] = true
		name := p.Reader + " " + p.Version + " " + p.Options
		told[name] = append(told[name], p)
		t.Logf("%s: %v %s %s %s|%s|%s|%s", name, p.Outcome, p.How, p.File, p.Column, p.Class, p.Message, p.Fix)
		if p.Outcome >= Wrong && p.Fix == "" {
			t.Errorf("%s: nothing helps against %s", name, p.Message)
		}
	}
	if len(modes) != len(m.Usual()) {
		t.Errorf("found forecasts of %d modes, wanted %d", len(modes), len(m.Usual()))
	}
	for _, want := range []struct{ mode, file, message string }{
		{"Spark 3.5.7 ", "dt=2026-11-02/c.parquet", `Expected: double, Found: FIXED_LEN_BYTE_ARRAY`},
		{"Spark 4.1.0 ", "dt=2026-11-02/c.parquet", `Expected Spark type double, actual Parquet type FIXED_LEN_BYTE_ARRAY`},
		{"Spark 4.1.0 mergeSchema=true", "dt=2026-11-02/c.parquet", `"DOUBLE.*" and "DECIMAL\(18,2\).*"`},
		{"PyArrow 26.0.1 ", "dt=2026-11-02/c.parquet", "column channel is gone|extra|gone"},
		{"ADF data flow  ", "dt=2026-11-02/past.parquet", "INT96"},
	} {
		found := false
		for _, p := range told[want.mode] {
			found = found || p.File == want.file && (strings.Contains(p.Message, want.message) || strings.Contains(want.message, "|") && p.Outcome >= Wrong)
		}
		if !found {
			t.Errorf("%s: no word about %s", want.mode, want.file)
		}
	}
}

// kc is the schema of the measured folders, with other columns for theirs.
func kc(more ...Column) []Column {
	i32 := Type{Physical: Int32}
	return append([]Column{{"k", i32}, {"c", i32}}, more...)
}

// folders are measured folders by their names, as inspection would see them.
func folders() map[string][]File {
	text := Type{Physical: ByteArray, Kind: String}
	i32 := Type{Physical: Int32}
	base, base2 := File{Path: "a.parquet", Columns: kc(), Groups: 1}, File{Path: "b.parquet", Columns: kc(), Groups: 1}
	m := File{Path: "m.parquet", Columns: kc(), Groups: 1}
	at := func(path string, columns ...Column) File { return File{Path: path, Columns: kc(columns...), Groups: 1} }
	odd := func(path string, c Condition) File { return File{Path: path, Condition: c} }
	nested := func(fields ...Column) []Column {
		return []Column{{"k", i32}, {"c", Type{Physical: Group, Fields: fields}}}
	}
	return map[string][]File{
		"col_missing_in_second":       {at("a.parquet", Column{"d", text}), base2},
		"col_extra_in_second":         {base, at("b.parquet", Column{"d", text})},
		"col_reordered":               {at("a.parquet", Column{"d", text}), {Path: "b.parquet", Columns: []Column{{"d", text}, {"c", i32}, {"k", i32}}, Groups: 1}},
		"col_case_only":               {base, {Path: "b.parquet", Columns: []Column{{"k", i32}, {"C", i32}}, Groups: 1}},
		"col_dup_by_case_one_file":    {at("a.parquet", Column{"C", text})},
		"col_dup_by_case_second_file": {base, at("b.parquet", Column{"C", i32})},
		"col_dup_exact":               {at("a.parquet", Column{"c", i32})},
		"nested_extra_field_in_second": {
			{Path: "a.parquet", Columns: nested(Column{"a", i32}), Groups: 1},
			{Path: "b.parquet", Columns: nested(Column{"a", i32}, Column{"b", text}), Groups: 1},
		},
		"nested_missing_field_in_second": {
			{Path: "a.parquet", Columns: nested(Column{"a", i32}, Column{"b", text}), Groups: 1},
			{Path: "b.parquet", Columns: nested(Column{"a", i32}), Groups: 1},
		},
		"nested_field_type_i32_i64": {
			{Path: "a.parquet", Columns: nested(Column{"a", i32}), Groups: 1},
			{Path: "b.parquet", Columns: nested(Column{"a", Type{Physical: Int64}}), Groups: 1},
		},
		"nested_field_type_i64_i32": {
			{Path: "a.parquet", Columns: nested(Column{"a", Type{Physical: Int64}}), Groups: 1},
			{Path: "b.parquet", Columns: nested(Column{"a", i32}), Groups: 1},
		},
		"zero_byte_first":           {odd("a.parquet", ZeroBytes), m},
		"zero_byte_last":            {m, odd("z.parquet", ZeroBytes)},
		"tiny_4_bytes_last":         {m, odd("z.parquet", Tiny)},
		"truncated_first":           {odd("a.parquet", Truncated), m},
		"truncated_last":            {m, odd("z.parquet", Truncated)},
		"footer_len_too_big":        {m, odd("z.parquet", FooterTooLong)},
		"csv_named_parquet":         {m, odd("z.parquet", TextCSV)},
		"gzipped_parquet":           {m, odd("z.parquet", Gzip)},
		"encrypted_footer":          {base, odd("b.parquet", EncryptedFooter)},
		"success_marker":            {odd("_SUCCESS", ZeroBytes), m},
		"temporary_dir":             {at("_temporary/0/part-0.parquet"), m},
		"hidden_dot_file":           {at(".n.parquet"), m},
		"underscore_file":           {at("_n.parquet"), m},
		"txt_file_in_folder":        {m, odd("readme.txt", TextCSV)},
		"csv_file_in_folder":        {odd("extra.csv", TextCSV), m},
		"copying_suffix":            {m, odd("n.parquet._COPYING_", Truncated)},
		"no_extension_parquet":      {m, at("part-00001")},
		"upper_extension":           {at("N.PARQUET"), m},
		"plain_subfolder":           {m, at("sub/n.parquet")},
		"part_date":                 {at("p=2026-01-01/f.parquet"), at("p=2026-01-02/f.parquet")},
		"part_date_and_text":        {at("p=2026-01-01/f.parquet"), at("p=bad/f.parquet")},
		"part_leading_zero":         {at("p=007/f.parquet"), at("p=08/f.parquet")},
		"part_empty_value":          {at("p=/f.parquet"), at("p=1/f.parquet")},
		"part_case_of_key":          {at("P=2/f.parquet"), at("p=1/f.parquet")},
		"part_conflicting_keys":     {at("p=1/f.parquet"), at("q=2/f.parquet")},
		"int_then_zero_rows_string": {base, {Path: "b.parquet", Columns: []Column{{"k", i32}, {"c", text}}}},
	}
}

// TestFolders finds in a folder what it was measured for, and nothing worse.
func TestFolders(t *testing.T) {
	m := load(t)
	right, all := 0, 0
	for name, files := range folders() {
		for _, mode := range m.Usual() {
			worst := Works
			for _, p := range m.Predict(Folder{Files: files}, mode) {
				worst = max(worst, p.Outcome)
			}
			if partitioned(files) && mode.Reader == "DuckDB" {
				mode.Options = deepGlob
			}
			want, ok := m.Case(mode, name)
			if !ok {
				continue
			}
			all++
			if kindOf(worst) == kindOf(want.Outcome) {
				right++
				continue
			}
			t.Logf("%s, %s %s %s: said %v, was %v (%s)", name, mode.Reader, mode.Version, mode.Options, worst, want.Outcome, want.How)
		}
	}
	t.Logf("%d of %d right", right, all)
	if float64(right) < 0.98*float64(all) {
		t.Errorf("found %d of %d right, wanted 98 %%", right, all)
	}
}

// A trouble is told once, of all files that have it, whatever else differs in them.
func TestFiles(t *testing.T) {
	m := load(t)
	double := kc(Column{"amount", Type{Physical: Double}})
	decimal := kc(Column{"amount", Type{Physical: Fixed, Kind: Decimal, Precision: 18, Scale: 2}})
	more := append(slices.Clone(decimal), Column{"channel", Type{Physical: ByteArray, Kind: String}})
	f := Folder{Files: []File{
		{Path: "a.parquet", Columns: double, Groups: 1},
		{Path: "b.parquet", Columns: decimal, Groups: 1},
		{Path: "c.parquet", Columns: more, Groups: 1},
		{Path: "d.parquet", Columns: decimal, Groups: 1},
		{Path: "e.parquet", Condition: ZeroBytes},
	}}
	for _, p := range m.Predict(f, Mode{"Spark", "4.1.0", "spark.read.parquet", ""}) {
		want := map[string][]string{"amount": {"b.parquet", "c.parquet", "d.parquet"}, "channel": {"c.parquet"}}[p.Column]
		if !slices.Equal(p.Files, want) {
			t.Errorf("%s: found files %q, wanted %q", p.Column, p.Files, want)
		}
	}
}

// Messages do not hold the values of the files that were measured.
func TestAnyValue(t *testing.T) {
	for message, met := range map[string]string{
		`Failed to parse string: '0x1Fé' as a scalar of type int64`:           `Failed to parse string: 'A-17' as a scalar of type int64`,
		`Casting from timestamp\[ns\] to timestamp\[us\] would lose data: -1`: `Casting from timestamp[ns] to timestamp[us] would lose data: 77`,
		`Float value 3\.40282e\+38 was truncated converting to int16`:         `Float value 1.5 was truncated converting to int16`,
	} {
		if ok, err := regexp.MatchString(anyValue(message), met); err != nil || !ok {
			t.Errorf("%q does not match %q, %v", anyValue(message), met, err)
		}
	}
}
