package function

import (
	"fmt"
	"strconv"
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function/kernel"
	"landfall/internal/sparksql/function/typed"
)

// now is when the run began, as one of several types.
func (w *writing) now(as string) (string, error) {
	if w.call.Now == "" {
		return "", &typed.Misuse{Function: w.name, Argument: -1, Found: "no time of a run", Want: "a query that is part of one"}
	}
	switch as {
	case "local_now":
		return "spark_wall(" + w.call.Now + ")", nil
	case "today":
		return "CAST(spark_wall(" + w.call.Now + ") AS DATE)", nil
	case "unix_now":
		return "spark_seconds(" + w.call.Now + ")", nil
	}
	return w.call.Now, nil
}

// unit is the unit of time that a literal names, "" if there is none.
func unit(text string) string {
	switch text = strings.ToLower(strings.TrimSpace(text)); text {
	case "year", "yyyy", "yy", "years", "y", "yr", "yrs":
		return "year"
	case "quarter", "qtr", "quarters":
		return "quarter"
	case "month", "mm", "mon", "months", "mons":
		return "month"
	case "week", "weeks", "w":
		return "week"
	case "day", "dd", "days", "d":
		return "day"
	case "hour", "hours", "h", "hr", "hrs":
		return "hour"
	case "minute", "minutes", "m", "min", "mins":
		return "minute"
	case "second", "seconds", "s", "sec", "secs":
		return "second"
	case "millisecond", "milliseconds", "msec", "msecs", "ms":
		return "millisecond"
	case "microsecond", "microseconds", "usec", "usecs", "us":
		return "microsecond"
	}
	return ""
}

// unitArgument is the unit that the first argument names.
func (w *writing) unitArgument(i int) (string, error) {
	text, err := w.literal(i, "the name of a unit")
	if err != nil {
		return "", err
	}
	u := unit(text)
	if strings.EqualFold(text, "dayofyear") {
		u = "day"
	}
	if u == "" {
		return "", &typed.Misuse{Function: w.name, Argument: i, Found: text, Want: "year, quarter, month, week, day, hour, minute, second, millisecond or microsecond"}
	}
	return u, nil
}

// datePart is a part of a date or a time.
func (w *writing) datePart() (string, error) {
	text, err := w.literal(0, "the name of a part")
	if err != nil {
		return "", err
	}
	x := w.args[1]
	w.typ = schema.Integer
	switch part := strings.ToLower(text); part {
	case "dow", "dayofweek":
		return "CAST(dayofweek(" + x + ") + 1 AS INTEGER)", nil
	case "dow_iso", "dayofweek_iso":
		return "CAST(isodow(" + x + ") AS INTEGER)", nil
	case "doy":
		return "CAST(dayofyear(" + x + ") AS INTEGER)", nil
	case "yearofweek":
		return "CAST(isoyear(" + x + ") AS INTEGER)", nil
	default:
		u := unit(part)
		if w.types[1] == schema.Date && (u == "hour" || u == "minute" || u == "second") {
			x = typed.CastTo(x, schema.TimestampNTZ)
		}
		if u == "second" {
			w.typ = schema.Decimal{Precision: 8, Scale: 6}
			return "CAST(CAST(microsecond(" + x + ") AS DECIMAL(18,6)) / 1000000 AS DECIMAL(8,6))", nil
		}
		if u == "" || strings.HasSuffix(u, "isecond") || strings.HasSuffix(u, "osecond") {
			return "", &typed.Misuse{Function: w.name, Argument: 0, Found: text, Want: "a part that the second argument has, such as year, month or day"}
		}
		return "CAST(" + u + "(" + x + ") AS INTEGER)", nil
	}
}

func (w *writing) timestampAdd() (string, error) {
	u, err := w.unitArgument(0)
	if err != nil {
		return "", err
	}
	w.typ = w.types[2]
	n := w.args[1]
	switch u {
	case "quarter":
		return "(" + w.args[2] + " + to_months(3 * " + n + "))", nil
	case "week":
		return "(" + w.args[2] + " + to_days(7 * " + n + "))", nil
	}
	return "(" + w.args[2] + " + to_" + u + "s(" + n + "))", nil
}

// timestampDiff counts whole units from one time to another.
func (w *writing) timestampDiff() (string, error) {
	u, err := w.unitArgument(0)
	if err != nil {
		return "", err
	}
	texts := []string{w.args[1], w.args[2]}
	switch u {
	case "year":
		return typed.Once(texts, func(n []string) string { return "spark_whole_months(" + n[0] + ", " + n[1] + ") // 12" }), nil
	case "quarter":
		return typed.Once(texts, func(n []string) string { return "spark_whole_months(" + n[0] + ", " + n[1] + ") // 3" }), nil
	case "month":
		return typed.Once(texts, func(n []string) string { return "spark_whole_months(" + n[0] + ", " + n[1] + ")" }), nil
	}
	micros := map[string]int64{
		"week": 7 * 86400e6, "day": 86400e6, "hour": 3600e6, "minute": 60e6, "second": 1e6, "millisecond": 1e3, "microsecond": 1,
	}[u]
	return fmt.Sprintf("((epoch_us(%s) - epoch_us(%s)) // %d)", texts[1], texts[0], micros), nil
}

// truncated is the beginning of a unit.
func (w *writing) truncated(by string) (string, error) {
	at := 0
	if by == "trunc" {
		at = 1
	}
	text, err := w.literal(at, "the name of a unit")
	if err != nil {
		return "", err
	}
	u := ""
	switch word := strings.ToLower(text); word {
	case "year", "yyyy", "yy":
		u = "year"
	case "quarter":
		u = "quarter"
	case "month", "mm", "mon":
		u = "month"
	case "week":
		u = "week"
	case "day", "dd":
		u = "day"
	case "hour", "minute", "second", "millisecond", "microsecond":
		u = word
	}
	if by == "trunc" {
		if u != "year" && u != "quarter" && u != "month" && u != "week" {
			return typed.CastTo("NULL", schema.Date), nil
		}
		return "CAST(date_trunc('" + u + "', " + w.args[0] + ") AS DATE)", nil
	}
	if u == "" {
		return typed.CastTo("NULL", schema.Timestamp), nil
	}
	if u == "millisecond" || u == "microsecond" {
		u += "s"
	}
	return "spark_instant(date_trunc('" + u + "', spark_wall(" + w.args[1] + ")))", nil
}

// window is the span of a length that a time is in.
func (w *writing) window() (string, error) {
	text, err := w.literal(1, "a length such as '5 minutes'")
	if err != nil {
		return "", err
	}
	micros, ok := span(text)
	if !ok {
		return "", &typed.Misuse{Function: w.name, Argument: 1, Found: text, Want: "a length of days or parts of them, such as '5 minutes'"}
	}
	t := w.types[0]
	make := "make_timestamptz"
	if t == schema.TimestampNTZ {
		make = "make_timestamp"
	}
	w.typ = typed.StructOf(typed.Field("start", t), typed.Field("end", t))
	start := fmt.Sprintf("spark_floor_div(epoch_us(%s), %d) * %d", w.args[0], micros, micros)
	return typed.Once([]string{start}, func(n []string) string {
		return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN {'start': %s(%s), 'end': %s(%s + %d)} END", n[0], make, n[0], make, n[0], micros)
	}), nil
}

// span is a length of time in microseconds.
func span(text string) (int64, bool) {
	words := strings.Fields(strings.TrimPrefix(strings.ToLower(text), "interval"))
	if len(words) == 0 || len(words)%2 != 0 {
		return 0, false
	}
	var total int64
	for i := 0; i < len(words); i += 2 {
		n, err := strconv.ParseInt(words[i], 10, 32)
		size := map[string]int64{"week": 7 * 86400e6, "day": 86400e6, "hour": 3600e6, "minute": 60e6, "second": 1e6, "millisecond": 1e3, "microsecond": 1}[unit(words[i+1])]
		if err != nil || size == 0 {
			return 0, false
		}
		total += n * size
	}
	return total, total > 0
}

// pattern is the text of a pattern of times for the kernels, checked if it
// stands in the query.
func (w *writing) pattern(i int, read func(string) (kernel.TimePattern, error)) (string, *kernel.TimePattern, error) {
	a := w.call.Args[i]
	if a.Literal == nil {
		return w.args[i], nil, nil
	}
	p, err := read(*a.Literal)
	if err != nil {
		return "", nil, &typed.Misuse{Function: w.name, Argument: i, Found: err.Error(), Want: "a pattern of Java"}
	}
	return w.args[i], &p, nil
}

// formatted writes an instant by a pattern.
func (w *writing) formatted(instant string) (string, error) {
	text, p, err := w.pattern(1, kernel.ParseTimePattern)
	if err != nil {
		return "", err
	}
	if p != nil {
		if format, ok := p.Strftime(); ok {
			return "strftime(spark_wall(" + instant + "), " + typed.Quote(format) + ")", nil
		}
	}
	return "spark_format_time(epoch_us(" + instant + "), " + text + ")", nil
}

// parsed reads a text by a pattern, as one of several types.
func (w *writing) parsed(as string) (string, error) {
	text, p := "'yyyy-MM-dd HH:mm:ss'", (*kernel.TimePattern)(nil)
	if len(w.args) > 1 {
		var err error
		if text, p, err = w.pattern(1, kernel.ParseReadingPattern); err != nil {
			return "", err
		}
	} else if q, err := kernel.ParseTimePattern("yyyy-MM-dd HH:mm:ss"); err == nil {
		p = &q
	}
	try := strings.HasPrefix(as, "try_")
	slow := func(x string) string {
		if try {
			return "make_timestamp(spark_try_parse_time(" + x + ", " + text + "))"
		}
		return "make_timestamp(spark_parse_time(" + x + ", " + text + "))"
	}
	wall := slow(w.args[0])
	if p != nil {
		if shape, format, all, ok := p.Strptime(); ok {
			wall = typed.Once(w.args[:1], func(n []string) string {
				rest := slow(n[0])
				if try && all {
					rest = "NULL"
				}
				return "CASE WHEN regexp_full_match(" + n[0] + ", " + typed.Quote(shape) + ") THEN coalesce(try_strptime(" + n[0] + ", " + typed.Quote(format) + "), " + rest + ") ELSE " + rest + " END"
			})
		}
	}
	switch strings.TrimPrefix(as, "try_") {
	case "to_date":
		return "CAST(" + wall + " AS DATE)", nil
	case "to_timestamp_ntz":
		return wall, nil
	case "unix_timestamp":
		return typed.Once([]string{wall}, func(n []string) string { return "epoch_us(" + n[0] + ") // 1000000" }), nil
	}
	return "spark_instant(" + wall + ")", nil
}
