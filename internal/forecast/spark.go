package forecast

import (
	"fmt"
	"strings"
)

// spark knows by rule what a version of Spark makes of types.
type spark struct {
	// four says that the reader widens: 4.0 and later. Void says that a column of no
	// type is inferred as one: 4.1.
	four, void bool
}

func sparkAt(version string) spark {
	four := !strings.HasPrefix(version, "3.")
	return spark{four: four, void: four && !strings.HasPrefix(version, "4.0")}
}

// infer returns the type that Spark gives a column, or why it gives none.
func (s spark) infer(t Type) (string, Result) {
	switch t.Kind {
	case Time:
		if t.Unit == Micros && s.void {
			return "", s.noTime()
		}
		return "", s.illegal(t)
	case UUID:
		return "", s.illegal(t)
	case Float16:
		if !s.four {
			return "", Result{Fails, "", "CANNOT_READ_FILE_FOOTER (NullPointerException)", "NullPointerException"}
		}
		return "", s.illegal(t)
	case Timestamp:
		if t.Unit == Nanos {
			return "", s.illegal(t)
		}
		return map[bool]string{true: "timestamp", false: "timestamp_ntz"}[t.UTC], Result{}
	case Decimal:
		return s.inferDecimal(t)
	case Null:
		if s.void {
			return "void", Result{}
		}
		return "int", Result{}
	case Date:
		return "date", Result{}
	case String, Enum, JSON:
		return "string", Result{}
	}
	return s.inferPlain(t), Result{}
}

// noTime is how a schema with a time of day is refused.
func (s spark) noTime() Result {
	if s.void {
		return Result{Fails, "", "UNSUPPORTED_TIME_TYPE (AnalysisException)", `\[UNSUPPORTED_TIME_TYPE\] The data type TIME is not supported\.`}
	}
	return Result{Fails, "", "UNSUPPORTED_DATATYPE (ParseException)", `\[UNSUPPORTED_DATATYPE\] Unsupported data type "TIME`}
}

func (s spark) inferPlain(t Type) string {
	switch t.Physical {
	case Int32:
		if t.Unsigned {
			return map[int]string{8: "smallint", 16: "int", 32: "bigint"}[t.bits()]
		}
		return map[int]string{8: "tinyint", 16: "smallint", 32: "int"}[t.bits()]
	case Int64:
		if t.Unsigned {
			return "decimal(20,0)"
		}
		return "bigint"
	case Group:
		return map[Kind]string{List: "array", Map: "map", Plain: "struct"}[t.Kind]
	}
	return map[Physical]string{Boolean: "boolean", Int96: "timestamp", Float: "float", Double: "double", ByteArray: "binary", Fixed: "binary"}[t.Physical]
}

func (s spark) inferDecimal(t Type) (string, Result) {
	most := 38
	switch t.Physical {
	case Int32:
		most = 9
	case Int64:
		most = 18
	}
	if t.Precision > most {
		return "", Result{Fails, "", "AnalysisException", fmt.Sprintf(`Invalid decimal precision: .+ cannot store %d digits|exceeds max precision 38`, t.Precision)}
	}
	return fmt.Sprintf("decimal(%d,%d)", t.Precision, t.Scale), Result{}
}

func (s spark) illegal(t Type) Result {
	message := fmt.Sprintf(`Illegal Parquet type: %s\.`, quote(t.String()))
	if s.four {
		return Result{Fails, "", "PARQUET_TYPE_ILLEGAL (AnalysisException)", `\[PARQUET_TYPE_ILLEGAL\] ` + message}
	}
	return Result{Fails, "", "AnalysisException", message}
}

func quote(text string) string {
	return strings.NewReplacer("(", `\(`, ")", `\)`, ".", `\.`).Replace(text)
}

// refuse is how the vectorised reader says that a column is not what is wanted.
func (s spark) refuse(t Type, want string) Result {
	if s.four {
		return Result{
			Fails, "", "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH (SchemaColumnConvertNotSupportedException)",
			fmt.Sprintf(`Expected Spark type %s, actual Parquet type %s\.`, quote(want), t.Physical),
		}
	}
	return Result{
		Fails, "", "SchemaColumnConvertNotSupportedException",
		fmt.Sprintf(`Parquet column cannot be converted in file .+ Expected: %s, Found: %s\.`, quote(want), t.Physical),
	}
}

// dictionary is how pages with a dictionary of unsigned integers fail.
func dictionary(name string) Result {
	return Result{Fails, "", "UnsupportedOperationException", `PlainValuesDictionary\$Plain` + name + `Dictionary`}
}

func wrong(how string) Result { return Result{Outcome: Wrong, How: how} }

// since4 is a result of Spark 4, which Spark 3 refuses.
func (s spark) since4(r Result, t Type, want string) Result {
	if s.four {
		return r
	}
	return s.refuse(t, want)
}

// read is what the vectorised reader makes of a column where a type is wanted.
func (s spark) read(t Type, want string) Result {
	precision, scale, isDecimal := decimalOf(want)
	switch {
	case t.Kind == Float16 && !s.four:
		return Result{Fails, "", "NullPointerException", "NullPointerException"}
	case want == "void" && t.Kind != Null:
		return wrong("nulled")
	case want == "void":
		return Result{}
	case t.Physical == Group || want == "array" || want == "map" || want == "struct":
		return s.readGroup(t, want)
	case t.Kind == Decimal:
		return s.readDecimal(t, want, precision, scale, isDecimal)
	case isDecimal:
		return s.intoDecimal(t, want, precision, scale)
	}
	switch t.Physical {
	case Int32:
		return s.readInt32(t, want)
	case Int64:
		return s.readInt64(t, want)
	case ByteArray, Fixed:
		return s.readBytes(t, want)
	case Int96:
		return s.readInt96(t, want)
	}
	own := s.inferPlain(t)
	switch {
	case want == own:
		return Result{}
	case t.Physical == Float && want == "double":
		return s.since4(Result{}, t, want)
	}
	return s.refuse(t, want)
}

func decimalOf(want string) (precision, scale int, ok bool) {
	ok = scan(want, "decimal(%d,%d)", &precision, &scale)
	return precision, scale, ok
}

func (s spark) readGroup(t Type, want string) Result {
	class, message := "ClassCastException", "is not a group|cannot be cast to"
	switch {
	case t.Physical == Group && s.inferPlain(t) == want:
		return Result{}
	case t.Physical != Group && want != "struct":
		r := s.refuse(t, want)
		r.Message = strings.Replace(r.Message, want, want+".*", 1) // with the types of its elements
		return r
	case t.Kind == List || t.Kind == Map:
		class, message = "AnalysisException", "(?s)Invalid Spark read type: expected .+ to be (list|map) type"
	}
	if s.four {
		class = "FAILED_READ_FILE.NO_HINT (" + class + ")"
	}
	return Result{Fails, "", class, message}
}

func (s spark) readDecimal(t Type, want string, precision, scale int, isDecimal bool) Result {
	if isDecimal {
		most := map[Physical]int{Int32: 9, Int64: 18, ByteArray: 38, Fixed: 38}[t.Physical]
		old := scale == t.Scale && precision >= t.Precision && precision <= most && (t.Physical != ByteArray || precision > 18)
		if s.four && scale >= t.Scale && precision-t.Precision >= scale-t.Scale || !s.four && old {
			return Result{}
		}
		return s.refuse(t, want)
	}
	switch {
	case t.Physical == Int32 && (want == "int" || want == "smallint" || want == "tinyint"):
		return wrong("unscaled")
	case t.Physical == Int32 && want == "date":
		return wrong("reinterpreted")
	case t.Physical == Int32 && (want == "bigint" || want == "double"):
		return s.since4(wrong("unscaled"), t, want)
	case t.Physical == Int64 && want == "bigint":
		return wrong("unscaled")
	case (t.Physical == Fixed || t.Physical == ByteArray) && want == "binary":
		return wrong("raw_bytes")
	case t.Physical == ByteArray && want == "string":
		return wrong("garbage")
	}
	return s.refuse(t, want)
}

// intoDecimal reads what is no decimal as one.
func (s spark) intoDecimal(t Type, want string, precision, scale int) Result {
	switch {
	case t.Physical == Int64 && t.Unsigned && precision == 20 && scale == 0:
		return Result{}
	case !t.integral() || t.Unsigned:
		return s.refuse(t, want)
	case precision-scale >= map[Physical]int{Int32: 10, Int64: 20}[t.Physical]:
		return s.since4(Result{}, t, want)
	}
	return s.refuse(t, want)
}

func (s spark) readInt32(t Type, want string) Result {
	r := s.readInt32Values(t, want)
	if t.Kind == Null && r.Outcome != Fails {
		return Result{} // there are no values that could be wrong
	}
	return r
}

func (s spark) readInt32Values(t Type, want string) Result {
	width := map[string]int{"tinyint": 8, "smallint": 16, "int": 32}[want]
	unsigned := t.Unsigned && t.bits() == 32
	switch {
	case unsigned && (width > 0 || want == "date"):
		return dictionary("Integer")
	case unsigned && want == "bigint":
		return Result{}
	case unsigned && want == "double":
		return s.since4(wrong("wrapped"), t, want)
	case t.Kind == Date && want == "date":
		return Result{}
	case t.Kind == Date && want == "timestamp_ntz":
		return s.since4(Result{Outcome: Retyped}, t, want)
	case (t.Kind == Date || t.Kind == Time) && width > 0 || want == "date":
		return wrong("reinterpreted")
	case (t.Kind == Date || t.Kind == Time) && (want == "bigint" || want == "double"):
		return s.since4(wrong("reinterpreted"), t, want)
	case width > 0 && (t.bits() > width || t.Unsigned && t.bits() == width):
		return wrong("wrapped")
	case width > 0:
		return Result{}
	case want == "bigint":
		return s.since4(Result{}, t, want)
	case want == "double":
		return s.since4(Result{Outcome: Retyped}, t, want)
	}
	return s.refuse(t, want)
}

func (s spark) readInt64(t Type, want string) Result {
	fine := t.Kind == Timestamp && t.Unit != Nanos
	switch {
	case t.Unsigned && want == "bigint":
		return dictionary("Long")
	case t.integral() && want == "bigint":
		return Result{}
	case want == "bigint":
		return wrong("reinterpreted")
	case fine && want == "timestamp" && !t.UTC:
		return wrong("tz_meaning")
	case fine && want == "timestamp_ntz" && t.UTC && !s.four:
		return Result{
			Fails, "", "RuntimeException",
			`Unable to create Parquet converter for data type "timestamp_ntz" whose Parquet type is int64 time`,
		}
	case fine && want == "timestamp_ntz" && t.UTC:
		return wrong("tz_meaning")
	case fine && strings.HasPrefix(want, "timestamp"):
		return Result{}
	}
	return s.refuse(t, want)
}

func (s spark) readInt96(t Type, want string) Result {
	switch {
	case want == "timestamp", want == "timestamp_ntz" && s.four:
		return wrong("truncated")
	case want == "timestamp_ntz":
		return Result{Fails, "", "RuntimeException", `Unable to create Parquet converter for data type "timestamp_ntz" whose Parquet type is int96`}
	}
	return s.refuse(t, want)
}

func (s spark) readBytes(t Type, want string) Result {
	text := t.Kind == String || t.Kind == Enum || t.Kind == JSON
	switch {
	case want == "binary" && t.Kind == Float16:
		return wrong("raw_bytes")
	case want == "binary" && (text || t.Kind == UUID):
		return Result{Outcome: Retyped}
	case want == "binary", want == "string" && text:
		return Result{}
	case want == "string" && t.Physical == ByteArray:
		return wrong("garbage")
	}
	return s.refuse(t, want)
}

// pair reads a file of type second where one of type first decides.
func (s spark) pair(first, second Type) Result {
	want, r := s.infer(first)
	if r.Outcome == Fails {
		return r
	}
	return worse(s.read(first, want), s.read(second, want))
}

// merge reads two files with mergeSchema.
func (s spark) merge(first, second Type) Result {
	a, r := s.infer(first)
	b, q := s.infer(second)
	if r = worse(r, q); r.Outcome == Fails {
		return r
	}
	want := a
	if a != b {
		p1, s1, ok1 := decimalOf(a)
		p2, s2, ok2 := decimalOf(b)
		if !ok1 || !ok2 || s1 != s2 {
			return Result{
				Fails, "", "CANNOT_MERGE_SCHEMAS (SparkException)",
				fmt.Sprintf(`\[CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE\] Failed to merge incompatible data types "%s.*" and "%s.*"`,
					quote(strings.ToUpper(a)), quote(strings.ToUpper(b))),
			}
		}
		want = fmt.Sprintf("decimal(%d,%d)", max(p1, p2), s1)
	}
	return worse(s.read(first, want), s.read(second, want))
}

// worse returns the worse of two results, the first if neither is.
func worse(a, b Result) Result {
	if b.Outcome > a.Outcome {
		return b
	}
	return a
}
