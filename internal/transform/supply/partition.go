package supply

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// hiveNull is the name of a folder of rows without a value.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// partitions adds the columns of key=value folders below the root that the source names.
func (s *Supply) partitions() error {
	root := s.source.PartitionRoot
	if root == "" {
		return nil
	}
	var keys []string
	values := map[string][]*string{}
	for i := range s.Files {
		f := &s.Files[i]
		own, err := s.folders(f.Path, root)
		if err != nil {
			return err
		}
		var names []string
		f.partition = map[string]*string{}
		for _, kv := range own {
			names = append(names, kv.key)
			f.partition[kv.key] = kv.value
			values[kv.key] = append(values[kv.key], kv.value)
		}
		if i == 0 {
			keys = names
		}
		if strings.Join(names, "/") != strings.Join(keys, "/") {
			return diag.New(diag.FlowInput, "source %s: found the partition folders %s, and %s in %s (DF-Executor-PartitionDirectoryError)", s.source.Name, list(names), list(keys), diag.Quote(s.Files[0].Path)).
				In(diag.Place{File: f.Path}).Hinted("read each tree of folders in a source of its own")
		}
	}
	for i := range s.Files {
		for _, key := range keys {
			s.Files[i].Columns = append(s.Files[i].Columns, schema.Field{Name: key, Type: typeOfAll(values[key]), Nullable: true})
		}
	}
	return nil
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

type folder struct {
	key   string
	value *string
}

// folders are the key=value folders of a path below a root.
func (s *Supply) folders(path, root string) ([]folder, error) {
	below, ok := strings.CutPrefix(path, root+"/")
	if !ok {
		return nil, diag.New(diag.FlowInput, "source %s: found a file outside of partitionRootPath %s (DF-Executor-PartitionDirectoryError)", s.source.Name, diag.Quote(root)).
			In(diag.Place{File: path}).Hinted("name the folder that holds all key=value folders")
	}
	parts := strings.Split(below, "/")
	var out []folder
	for _, part := range parts[:len(parts)-1] {
		key, value, ok := strings.Cut(part, "=")
		if !ok {
			continue
		}
		f := folder{key: unescaped(key)}
		if value != hiveNull {
			text := unescaped(value)
			f.value = &text
		}
		out = append(out, f)
	}
	return out, nil
}

// unescaped is a name of a folder without its %-escapes, as far as they are any.
func unescaped(name string) string {
	if text, err := url.PathUnescape(name); err == nil {
		return text
	}
	return name
}

// typeOfAll is the narrowest of integer, long, date and string that all values are written
// as.
func typeOfAll(values []*string) schema.Type {
	fits := []func(string) bool{
		func(v string) bool {
			n, err := strconv.ParseInt(v, 10, 32)
			return err == nil && strconv.FormatInt(n, 10) == v
		},
		func(v string) bool {
			n, err := strconv.ParseInt(v, 10, 64)
			return err == nil && strconv.FormatInt(n, 10) == v
		},
		func(v string) bool { _, err := time.Parse(time.DateOnly, v); return err == nil },
	}
	types := []schema.Type{schema.Integer, schema.Long, schema.Date}
	for i, fit := range fits {
		all, some := true, false
		for _, v := range values {
			if v != nil {
				all, some = all && fit(*v), true
			}
		}
		if all && some {
			return types[i]
		}
	}
	return schema.String
}
