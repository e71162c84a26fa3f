package cutover

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"landfall/internal/schema"
)

// The texts that a partition's value has in a catalog, whoever wrote it. A folder
// hh=07 is registered under 07 by a repair of the table, and no statement finds it
// any more: each turns what it is given into 7.
var (
	wholeText = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)
	dateText  = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
)

// canonical reports whether statements find a partition of a value whoever
// registered it.
func canonical(v Value, t schema.Type) bool {
	if v.Null || t == schema.String {
		return true
	}
	switch {
	case whole(t):
		return wholeText.MatchString(v.Text)
	case t == schema.Date:
		return dateText.MatchString(v.Text)
	}
	return t == schema.Boolean && (v.Text == "true" || v.Text == "false")
}

// found reports whether statements find all partitions of both folders, which are
// partitioned alike.
func (w writer) found() bool {
	strange := func(p Partition) bool {
		for i, v := range p.Values {
			if !canonical(v, w.t.By[i].Type) {
				return true
			}
		}
		return false
	}
	return !slices.ContainsFunc(w.t.Was, strange) && !slices.ContainsFunc(w.t.Copy, strange)
}

// key tells partitions apart.
func key(p Partition) string {
	var b strings.Builder
	for _, v := range p.Values {
		fmt.Fprintf(&b, "%t%q", v.Null || v.Text == "", v.Text)
	}
	return b.String()
}

// shared are the partitions of the copy that the old folder has too, came those
// that it has not, and gone those that the old folder alone has.
func (w writer) shared() (shared, came, gone []Partition) {
	was := map[string]bool{}
	for _, p := range w.t.Was {
		was[key(p)] = true
	}
	has := map[string]bool{}
	for _, p := range w.t.Copy {
		has[key(p)] = true
		if was[key(p)] {
			shared = append(shared, p)
		} else {
			came = append(came, p)
		}
	}
	for _, p := range w.t.Was {
		if !has[key(p)] {
			gone = append(gone, p)
		}
	}
	return shared, came, gone
}

// older returns the partitions of the old folder that have the values of others.
func (w writer) older(others []Partition) []Partition {
	wanted := map[string]bool{}
	for _, p := range others {
		wanted[key(p)] = true
	}
	return slices.DeleteFunc(slices.Clone(w.t.Was), func(p Partition) bool { return !wanted[key(p)] })
}

// spec is PARTITION (…) for a partition.
func (w writer) spec(by []schema.Field, p Partition) string {
	parts := make([]string, len(p.Values))
	for i, v := range p.Values {
		parts[i] = w.d.quote(by[i].Name) + " = " + w.value(v, by[i].Type)
	}
	return "PARTITION (" + strings.Join(parts, ", ") + ")"
}

// value is a partition's value in a statement that changes the catalog.
func (w writer) value(v Value, t schema.Type) string {
	spark := w.d.engine == Spark || w.d.engine == Databricks
	switch {
	case (v.Null || v.Text == "") && spark:
		return "NULL"
	case v.Null || v.Text == "":
		return w.d.literal(nullFolder)
	case whole(t) && wholeText.MatchString(v.Text):
		return v.Text
	}
	return w.d.literal(v.Text)
}

// whole reports whether a type is an integer.
func whole(t schema.Type) bool {
	return t == schema.Byte || t == schema.Short || t == schema.Integer || t == schema.Long
}

// add registers partitions, several at a time.
func (w writer) add(table string, s side, partitions []Partition, why string) []Step {
	var out []Step
	for some := range slices.Chunk(partitions, max(w.d.batch, 1)) {
		var b strings.Builder
		fmt.Fprintf(&b, "ALTER TABLE %s ADD IF NOT EXISTS", table)
		for _, p := range some {
			fmt.Fprintf(&b, "\n  %s LOCATION %s", w.spec(s.by, p), w.d.literal(w.at(s, p)))
		}
		out = append(out, Step{Text: b.String()})
	}
	return because(why, out)
}

// set gives partitions that are registered their location.
func (w writer) set(table string, s side, partitions []Partition, why string) []Step {
	var out []Step
	for _, p := range partitions {
		out = append(out, Step{Text: fmt.Sprintf("ALTER TABLE %s %s\n  SET LOCATION %s", table, w.spec(s.by, p), w.d.literal(w.at(s, p)))})
	}
	return because(why, out)
}

// drop forgets partitions. The files of an external table stay.
func (w writer) drop(table string, by []schema.Field, partitions []Partition, why string) []Step {
	var out []Step
	for some := range slices.Chunk(partitions, max(w.d.batch, 1)) {
		specs := make([]string, len(some))
		for i, p := range some {
			specs[i] = "\n  " + w.spec(by, p)
		}
		out = append(out, Step{Text: fmt.Sprintf("ALTER TABLE %s DROP IF EXISTS%s", table, strings.Join(specs, ","))})
	}
	return because(why, out)
}

// because gives the first of some steps its reason.
func because(why string, steps []Step) []Step {
	if len(steps) > 0 {
		steps[0].Why = why
	}
	return steps
}
