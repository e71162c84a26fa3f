package function

import (
	"fmt"
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
)

// countAll counts the rows in which no argument is null.
func (w *writing) countAll() (string, error) {
	known := make([]string, len(w.args))
	for i := range w.args {
		known[i] = w.args[i] + " IS NOT NULL"
	}
	counted := "*"
	if w.call.Distinct {
		counted = "DISTINCT (" + strings.Join(w.args, ", ") + ")"
	}
	return "count(" + counted + ")" + w.filter(strings.Join(known, " AND ")), nil
}

// average is that of decimals: a sum by a count.
func (w *writing) average() (string, error) {
	d, _ := w.typ.(schema.Decimal)
	return w.expand(fmt.Sprintf("CAST(spark_decimal('/', CAST(sum($D$1)$F AS VARCHAR), CAST(count($D$1)$F AS VARCHAR), %d, %d) AS {})", d.Precision, d.Scale)), nil
}

// ignoresNulls reports whether nulls are passed over, as IGNORE NULLS or a
// literal in place i says.
func (w *writing) ignoresNulls(i int) (bool, error) {
	if i >= len(w.args) {
		return w.call.IgnoreNulls, nil
	}
	switch strings.ToLower(w.call.Args[i].SQL) {
	case "true":
		return true, nil
	case "false":
		return w.call.IgnoreNulls, nil
	}
	return false, &typed.Misuse{Function: w.name, Argument: i, Found: "an expression", Want: "true or false"}
}

func (w *writing) firstOrLast(by string) (string, error) {
	ignored, err := w.ignoresNulls(1)
	switch {
	case ignored && w.call.Over != "" && w.call.Filter == "":
		return w.expand(by + "_value($1 IGNORE NULLS)$F"), err
	case ignored:
		return w.expand(by + "($1)$F[$1 IS NOT NULL]"), err
	case w.call.Over != "" && w.call.Filter == "":
		return w.expand(by + "_value($1)$F"), err
	}
	return w.expand(by + "($1)$F"), err
}

func (w *writing) nthValue() (string, error) {
	ignored, err := w.ignoresNulls(2)
	if ignored {
		return w.expand("nth_value($1, $2 IGNORE NULLS)$F"), err
	}
	return w.expand("nth_value($1, $2)$F"), err
}

// offset is the value of another row, or the third argument as one of its type.
func (w *writing) offset(by string) (string, error) {
	other, err := typed.Cast(w.call.Args[2], w.types[0], false)
	if err != nil || !typed.Assignable(w.types[2], w.types[0]) {
		return "", &typed.Misuse{Function: w.name, Argument: 2, Found: w.types[2].String(), Want: w.types[0].String(), Hint: "cast it"}
	}
	return w.expand(by+"($1, $2, ") + other + w.expand("$N)$F"), nil
}

// within is an aggregate of the values in WITHIN GROUP.
func (w *writing) within(by string) (string, error) {
	if w.call.Distinct {
		return "", w.notDistinct()
	}
	if w.call.Order == "" {
		return "", &typed.Misuse{Function: w.name, Argument: -1, Found: "no order", Want: "WITHIN GROUP (ORDER BY …) behind the call"}
	}
	name := map[string]string{"quantile_cont": "percentile_cont", "quantile_disc": "percentile_disc"}[by]
	return w.expand(name+"($1)") + " WITHIN GROUP (ORDER BY " + w.call.Order + ")" + w.filter(""), nil
}

// stack is rows of the arguments, filled from left to right.
func (w *writing) stack() (string, error) {
	n, err := w.number(0, "how many rows")
	if err != nil {
		return "", err
	}
	values := w.call.Args[1:]
	if n < 1 || len(values) == 0 {
		return "", &typed.Misuse{Function: w.name, Argument: 0, Found: fmt.Sprint(n), Want: "a number of rows from 1 on, and values"}
	}
	columns := (len(values) + n - 1) / n
	fields := make([]schema.Field, columns)
	for c := range fields {
		t := schema.Type(typed.Void)
		for i := c; i < len(values); i += columns {
			common, ok := typed.Common(t, values[i].Type)
			if !ok {
				return "", &typed.Misuse{Function: w.name, Argument: i + 1, Found: values[i].Type.String(), Want: t.String(), Hint: "cast it"}
			}
			t = common
		}
		fields[c] = typed.Field(fmt.Sprintf("col%d", c), t)
	}
	row := typed.StructOf(fields...)
	rows := make([]string, n)
	for r := range rows {
		cells := make([]string, columns)
		for c, f := range fields {
			text := typed.CastTo("NULL", f.Type)
			if i := r*columns + c; i < len(values) {
				if text, err = typed.Cast(values[i], f.Type, false); err != nil {
					return "", err
				}
			}
			cells[c] = typed.Quote(f.Name) + ": " + text
		}
		rows[r] = "{" + strings.Join(cells, ", ") + "}"
	}
	w.typ = typed.ArrayOf(row)
	return typed.CastTo("["+strings.Join(rows, ", ")+"]", w.typ), nil
}
