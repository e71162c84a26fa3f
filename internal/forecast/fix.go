package forecast

import (
	"fmt"
	"strings"
)

// fix is the smallest thing that helps against a cause: first another way of calling
// the same reader that is known to read all, else a change to what it reads.
func (p *predictor) fix(cause string, q Prediction) string {
	if by := p.option(cause, q); by != "" && p.asked.Reader == p.mode.Reader {
		return by
	}
	switch {
	case strings.HasPrefix(cause, "type "), strings.HasPrefix(cause, "cast "):
		return p.fixType(q)
	case strings.HasPrefix(cause, "col_dup"):
		return fmt.Sprintf("write %s again with other names: it has %q twice", q.File, q.Column)
	case cause == "col_case_only":
		return fmt.Sprintf("write %s again with the column named %q as in the others", q.File, q.Column)
	case strings.HasPrefix(cause, "col_"):
		return fmt.Sprintf("give a schema that names %q, or write %s again with the columns of the others", q.Column, q.File)
	case cause == "part_empty_value":
		return fmt.Sprintf("rename the folder to %s=__HIVE_DEFAULT_PARTITION__", q.Column)
	case cause == "part_leading_zero" && p.mode.Reader == "Spark":
		return "spark.conf.set(\"spark.sql.sources.partitionColumnTypeInference.enabled\", \"false\")"
	case strings.HasPrefix(cause, "part_"), cause == "plain_subfolder":
		return "read each sub-folder on its own, or move " + q.File + " to where the others are"
	case cause == "encrypted_footer", cause == "encrypted_column_plain_footer":
		return "give the reader the key of " + q.File + ", or move the file out of the folder"
	case cause == "crc_files":
		return "delete " + q.File
	case cause == "name_colon":
		return "rename " + q.File + " without a colon"
	}
	return "move " + q.File + " out of the folder, and have it sent again if its rows are wanted"
}

// option is another way of calling the reader that reads what this one does not, as
// was measured; "" if there is none.
func (p *predictor) option(cause string, q Prediction) string {
	calls := map[string]string{
		"mergeSchema=true":                 `spark.read.option("mergeSchema", "true").parquet(folder)`,
		"schema=unify_schemas(permissive)": `pa.unify_schemas([ds.dataset(f).schema for f in files], promote_options="permissive"), given as ds.dataset(folder, schema=...)`,
		castOptions:                        `pl.scan_parquet(folder, missing_columns="insert", extra_columns="ignore", cast_options=pl.ScanCastOptions(...))`,
		"allow_missing_columns=True":       "pl.scan_parquet(folder, allow_missing_columns=True)",
		"*.parquet union_by_name=true":     "read_parquet('folder/**/*.parquet', union_by_name = true)",
		"recursiveFileLookup=true":         `spark.read.option("recursiveFileLookup", "true").parquet(folder)`,
		"spark.sql.caseSensitive=true":     `spark.conf.set("spark.sql.caseSensitive", "true")`,
	}
	for _, mode := range p.m.Modes("layout") {
		call := calls[mode.Options]
		fits := mode.Options != "recursiveFileLookup=true" || cause == "plain_subfolder"
		fits = fits && (mode.Options != "spark.sql.caseSensitive=true" || strings.HasPrefix(cause, "col_"))
		if call == "" || !fits || mode == p.mode || mode.Reader != p.mode.Reader || mode.Version != p.mode.Version || p.mode.Options == "explicit schema" {
			continue
		}
		r, ok := p.m.Case(mode, cause)
		if strings.HasPrefix(cause, "type ") {
			r, ok = p.again(mode, q)
		}
		if ok && r.Outcome < Wrong {
			return call
		}
	}
	return ""
}

// again reads the column of a prediction in another mode.
func (p *predictor) again(mode Mode, q Prediction) (Result, bool) {
	first, ok1 := p.typeAt(q.Against, q.Column)
	second, ok2 := p.typeAt(q.File, q.Column)
	if !ok1 || !ok2 {
		return Result{}, false
	}
	r, _, known := p.m.Pair(mode, first, second, false)
	return r, known
}

func (p *predictor) typeAt(file, column string) (Type, bool) {
	for _, f := range p.folder.Files {
		if f.Path == file {
			c, ok := field(f.Columns, column)
			return c.Type, ok
		}
	}
	return Type{}, false
}

// fixType says how a column is read, or written, so that its values survive.
func (p *predictor) fixType(q Prediction) string {
	if q.Against == "" && q.Wanted == q.Found {
		return p.fixOne(q)
	}
	if p.mode.Options == "explicit schema" {
		t, _ := p.typeAt(q.File, q.Column)
		if own, r := sparkAt(p.mode.Version).infer(t); r.Outcome != Fails {
			return fmt.Sprintf("declare %s %s for the files like %s, and cast after reading", q.Column, own, q.File)
		}
		return p.fixOne(q)
	}
	return fmt.Sprintf("read the files like %s and those like %s on their own and cast %s to one type, or write the fewer again with the other's type", q.File, q.Against, q.Column)
}

// fixOne is about a type that the reader does not read in any file.
func (p *predictor) fixOne(q Prediction) string {
	raw := func(ddl string) string {
		return fmt.Sprintf("spark.read.schema(\"%s %s, …\").parquet(folder) reads the raw values; or write %s again", q.Column, ddl, q.File)
	}
	if strings.HasPrefix(q.Found, "INT96") {
		return "write " + q.File + " again with timestamps in microseconds (Spark: spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS); all but what is below a microsecond is right"
	}
	if p.mode.Reader == "Spark" {
		switch {
		case strings.Contains(q.Found, "NANOS"):
			return `spark.conf.set("spark.sql.legacy.parquet.nanosAsLong", "true") reads nanoseconds as bigint; or write the files again with microseconds (pyarrow: coerce_timestamps="us")`
		case strings.Contains(q.Found, "UUID"):
			return raw("BINARY")
		case strings.Contains(q.Found, "TIME("):
			return raw(map[bool]string{true: "INT", false: "BIGINT"}[strings.Contains(q.Found, "MILLIS")])
		case strings.Contains(q.Found, "FLOAT16"):
			return "write " + q.File + " again with FLOAT"
		}
	}
	return fmt.Sprintf("write %s again with another type of %s", q.File, q.Column)
}
