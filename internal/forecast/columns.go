package forecast

import (
	"strings"
)

// merges reports whether a mode makes one schema of those of all files.
func merges(m Mode) bool {
	for _, word := range []string{"mergeSchema", "union_by_name", "unify_schemas", "diagonal"} {
		if strings.Contains(m.Options, word) {
			return true
		}
	}
	return false
}

// columns compares the schemas of files, each once, with that of the first.
func (p *predictor) columns(files []File) {
	if len(files) == 0 {
		return
	}
	p.alone(files[0], true)
	seen := map[*Column]bool{key(files[0]): true}
	for _, f := range files[1:] {
		if k := key(f); k == nil || !seen[k] {
			seen[k] = true
			p.alone(f, false)
			p.beside(files[0], f)
		}
	}
}

// key tells schemas apart by where they are.
func key(f File) *Column {
	if len(f.Columns) == 0 {
		return nil
	}
	return &f.Columns[0]
}

// alone looks at a schema by itself: names that are there twice, types that nobody
// reads, columns that ADF refuses.
func (p *predictor) alone(f File, first bool) {
	exact, folded := map[string]bool{}, map[string]bool{}
	for _, c := range f.Columns {
		low := strings.ToLower(c.Name)
		switch {
		case exact[c.Name]:
			p.found("col_dup_exact", f.Path, c.Name)
		case folded[low] && first:
			p.found("col_dup_by_case_one_file", f.Path, c.Name)
		case folded[low]:
			p.found("col_dup_by_case_second_file", f.Path, c.Name)
		}
		exact[c.Name], folded[low] = true, true
		if first || merges(p.mode) {
			p.pair(f, f, c, c, c.Name)
		}
		if p.asked.Reader == "ADF data flow" {
			p.flow(f, c)
		}
	}
}

// flow adds what the data flows of ADF refuse beyond what Spark does, as documented.
func (p *predictor) flow(f File, c Column) {
	if c.Type.Physical == Int96 {
		p.add("adf int96 "+c.Name, Prediction{
			Result: Result{Fails, "", "DF-Executor-DriverError", "INT96 is legacy timestamp type"},
			Mild:   Fails, File: f.Path, Column: c.Name, Found: c.Type.String(),
			Fix: "write " + f.Path + ` again with timestamps in microseconds (Spark: spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS)`,
		})
	}
	if strings.ContainsAny(c.Name, " ,;{}()\n\t=") {
		p.add("adf name "+c.Name, Prediction{
			Result: Result{Fails, "", "ParquetInvalidColumnName", "ParquetInvalidColumnName"},
			Mild:   Fails, File: f.Path, Column: c.Name, Fix: "rename the column where the file is written: letters, digits and _ alone",
		})
	}
}

// beside compares a file with the first.
func (p *predictor) beside(first, f File) {
	for _, want := range first.Columns {
		got, ok := field(f.Columns, want.Name)
		switch {
		case ok:
			p.pair(first, f, want, got, want.Name)
		case folds(f.Columns, want.Name):
			p.found("col_case_only", f.Path, want.Name)
		default:
			p.found("col_missing_in_second", f.Path, want.Name)
		}
	}
	for _, got := range f.Columns {
		if _, ok := field(first.Columns, got.Name); !ok && !folds(first.Columns, got.Name) {
			p.found("col_extra_in_second", f.Path, got.Name)
		}
	}
}

// folds reports whether a column has the name in other letters.
func folds(columns []Column, name string) bool {
	for _, c := range columns {
		if strings.EqualFold(c.Name, name) {
			return true
		}
	}
	return false
}

// pair adds what comes of one column of two files.
func (p *predictor) pair(first, f File, want, got Column, column string) {
	if want.Type.Physical == Group && got.Type.Physical == Group && want.Type.Kind == got.Type.Kind && first.Path != f.Path {
		p.fields(first, f, want, got, column)
	}
	r, table, known := p.m.Pair(p.mode, want.Type, got.Type, false)
	if !known || r.Outcome == Works {
		return
	}
	mild, _, _ := p.m.Pair(p.mode, want.Type, got.Type, true)
	q := Prediction{Result: r, Mild: mild.Outcome, File: f.Path, Column: column, Found: got.Type.String(), Wanted: want.Type.String(), Measured: table}
	if q.Outcome == Fails {
		q.Message = anyValue(q.Message)
	}
	if mild.How != "" && mild.How != q.How {
		q.How = strings.TrimPrefix(q.How+"+"+mild.How, "+")
	}
	if strings.Contains(column, ".") {
		q.Message = inside(q.Message, q.Outcome)
	}
	if first.Path != f.Path {
		q.Against = first.Path
	}
	if empty, ok := p.m.Case(p.mode, "int_then_zero_rows_string"); ok && empty.Outcome < Wrong && f.Groups == 0 && first.Path != f.Path {
		return // nothing is ever decoded
	}
	p.add("type "+column+" "+q.Found+" "+q.Wanted, q)
}

// fields names the field of a group in which two files differ.
func (p *predictor) fields(first, f File, want, got Column, column string) {
	for i, a := range want.Type.Fields {
		b, ok := field(got.Type.Fields, a.Name)
		if want.Type.Kind == List || want.Type.Kind == Map {
			ok = i < len(got.Type.Fields)
			if ok {
				b = got.Type.Fields[i]
			}
		}
		if ok {
			p.pair(first, f, a, b, column+"."+a.Name)
		}
	}
}

// explicit holds columns against the schema that is given.
func (p *predictor) explicit(files []File) {
	seen := map[*Column]bool{}
	for _, f := range files {
		if k := key(f); f.Groups == 0 || k == nil || seen[k] {
			continue
		}
		seen[key(f)] = true
		for _, c := range f.Columns {
			ddl, ok := ddlOf(p.folder.Schema, c.Name)
			if !ok {
				continue
			}
			r, table, known := p.m.Cast(p.mode, c.Type, ddl)
			if known {
				p.add("cast "+c.Name+" "+c.Type.String(), Prediction{
					Result: r, Mild: r.Outcome, File: f.Path, Column: c.Name, Found: c.Type.String(), Wanted: ddl, Measured: table,
				})
			}
		}
	}
}

// ddlOf finds the type of a column by its name in any letters.
func ddlOf(types map[string]string, name string) (string, bool) {
	for n, ddl := range types {
		if strings.EqualFold(n, name) {
			return strings.ToLower(strings.ReplaceAll(ddl, " ", "")), true
		}
	}
	return "", false
}
