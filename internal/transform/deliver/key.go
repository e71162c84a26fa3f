package deliver

import (
	"net/url"
	"path"
	"strings"

	"landfall/internal/cutover"
	"landfall/internal/schema"
)

// hiveNull is the name of a folder of rows without a value.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// dealtPrefix begins the name of a folder by which the engine deals rows to files.
const dealtPrefix = "_landfall_file="

// key is a column and the value that all rows of a file have in it; nil is null.
type key struct {
	column string
	value  *string
}

// keysOf reads the folders of a file that the engine wrote: column=value, with escapes of
// every byte that is not plain. An empty text is as null, since no reader tells them apart.
func keysOf(file string, columns []schema.Field) ([]key, error) {
	var out []key
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		name, text, ok := strings.Cut(part, "=")
		if !ok || strings.HasPrefix(part, dealtPrefix) {
			continue
		}
		k := key{}
		var err error
		if k.column, err = url.PathUnescape(name); err != nil {
			return nil, err
		}
		if text != hiveNull && text != "" {
			if text, err = url.PathUnescape(text); err != nil {
				return nil, err
			}
			text = plain(text, columns, k.column)
			k.value = &text
		}
		out = append(out, k)
	}
	return out, nil
}

// plain is a value as Spark writes it: an instant of UTC has no zone.
func plain(text string, columns []schema.Field, column string) string {
	if at := (schema.Struct{Fields: columns}).Lookup(column); at >= 0 && columns[at].Type == schema.Timestamp {
		return strings.TrimSuffix(text, "+00")
	}
	return text
}

// folderOf is the folder that Spark writes rows with these keys to; "." for none.
func folderOf(keys []key) string {
	if len(keys) == 0 {
		return "."
	}
	columns, values := make([]string, len(keys)), make([]cutover.Value, len(keys))
	for i, k := range keys {
		columns[i], values[i].Null = k.column, k.value == nil
		if k.value != nil {
			values[i].Text = *k.value
		}
	}
	return cutover.FolderOf(columns, values)
}
