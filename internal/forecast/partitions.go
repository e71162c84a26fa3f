package forecast

import (
	"path"
	"strconv"
	"strings"
	"time"
)

// partitioned reports whether a file lies in a folder key=value.
func partitioned(files []File) bool {
	for _, f := range files {
		if keys, _ := partition(f.Path); len(keys) > 0 {
			return true
		}
	}
	return false
}

// partition splits the folders of a path into keys and values.
func partition(name string) (keys, values []string) {
	dir := path.Dir(name)
	if dir == "." {
		return nil, nil
	}
	for _, part := range strings.Split(dir, "/") {
		if k, v, ok := strings.Cut(part, "="); ok && k != "" {
			keys, values = append(keys, k), append(values, v)
		}
	}
	return keys, values
}

// partitions looks at the folders that files lie in.
func (p *predictor) partitions() {
	var first []string
	kinds := map[string]map[string]bool{}
	some := partitioned(p.folder.Files)
	for _, f := range p.folder.Files {
		if p.hides(f.Path) || f.Columns == nil {
			continue
		}
		keys, values := partition(f.Path)
		p.place(f, keys, some)
		if len(keys) == 0 {
			continue
		}
		if first == nil {
			first = keys
		}
		p.keys(f, first, keys)
		for i, k := range keys {
			p.value(f, k, values[i], kinds)
			if c, ok := field(f.Columns, k); ok {
				p.inside(f, c, values[i])
			}
		}
	}
}

// place looks at files that lie where no partition is.
func (p *predictor) place(f File, keys []string, some bool) {
	switch {
	case len(keys) == 0 && some:
		p.found("part_mixed_depth", f.Path, "")
	case len(keys) == 0 && strings.Contains(f.Path, "/"):
		p.found("plain_subfolder", f.Path, "")
	}
}

// keys compares the keys of two paths.
func (p *predictor) keys(f File, first, keys []string) {
	same := len(first) == len(keys)
	for i := 0; same && i < len(keys); i++ {
		same = strings.EqualFold(first[i], keys[i])
		if same && first[i] != keys[i] {
			p.found("part_case_of_key", f.Path, keys[i])
			return
		}
	}
	if !same {
		p.found("part_conflicting_keys", f.Path, strings.Join(keys, "/"))
	}
}

// value looks at what a partition's value looks like, beside the others of its key.
func (p *predictor) value(f File, key, value string, kinds map[string]map[string]bool) {
	kind := lookOf(value)
	if kinds[key] == nil {
		kinds[key] = map[string]bool{}
	}
	had := kinds[key]
	had[kind] = true
	switch {
	case kind == "empty":
		p.found("part_empty_value", f.Path, key)
	case kind == "zeros":
		p.found("part_leading_zero", f.Path, key)
	case strings.Contains(value, "%"):
		p.found("part_percent_encoded", f.Path, key)
	}
	switch {
	case had["date"] && had["text"]:
		p.found("part_date_and_text", f.Path, key)
	case had["int"] && had["text"]:
		p.found("part_int_and_text", f.Path, key)
	case had["int"] && had["double"]:
		p.found("part_int_and_double", f.Path, key)
	}
}

func lookOf(value string) string {
	_, notInt := strconv.ParseInt(value, 10, 64)
	_, notFloat := strconv.ParseFloat(value, 64)
	_, notDate := time.Parse(time.DateOnly, value)
	switch {
	case value == "":
		return "empty"
	case value == "__HIVE_DEFAULT_PARTITION__":
		return "null"
	case notInt == nil && len(value) > 1 && value[0] == '0':
		return "zeros"
	case notInt == nil:
		return "int"
	case notFloat == nil:
		return "double"
	case notDate == nil:
		return "date"
	}
	return "text"
}

// inside looks at a column that the file has beside the partition of its name.
func (p *predictor) inside(f File, c Column, value string) {
	text := c.Type.Kind == String
	switch {
	case text && lookOf(value) == "date":
		p.found("part_col_in_file_string_date", f.Path, c.Name)
	case c.Type.integral() && lookOf(value) == "int":
		p.found("part_col_in_file_same_type", f.Path, c.Name)
	default:
		p.found("part_col_in_file_other_type", f.Path, c.Name)
	}
}
