package cutover

import (
	"fmt"
	"net/url"
	"strings"
)

// nullFolder is what stands in a path, and in a partition's value, for a null.
const nullFolder = "__HIVE_DEFAULT_PARTITION__"

// Address returns the location of a URL as Hadoop and the catalogs write it:
// the same without escapes. What is no URL comes back as it is.
func Address(location string) string {
	u, err := url.Parse(location)
	if err != nil || u.Scheme == "" {
		return location
	}
	user := ""
	if u.User != nil {
		user = u.User.Username() + "@" // the container of abfss
	}
	return u.Scheme + "://" + user + u.Host + u.Path
}

// FolderOf returns the folder that Hive and Spark give to a partition with these
// values of these columns.
func FolderOf(columns []string, values []Value) string {
	parts := make([]string, len(columns))
	for i, column := range columns {
		value := nullFolder
		if v := values[i]; !v.Null && v.Text != "" {
			value = escape(v.Text)
		}
		parts[i] = escape(column) + "=" + value
	}
	return strings.Join(parts, "/")
}

// escape writes text as part of a folder's name.
func escape(text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c == 0x7f || strings.IndexByte(`"#%'*/:=?\{[]^`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// at is where a partition of a folder is, as a literal or a document has it.
func (w writer) at(s side, p Partition) string {
	folder := p.Folder
	if folder == "" {
		folder = FolderOf(names(s.by), p.Values)
	}
	return w.place(strings.TrimSuffix(s.location, "/") + "/" + strings.Trim(folder, "/"))
}

// place is a location as the engine wants it: Athena wants a slash at its end, or
// takes other folders that begin alike for it.
func (w writer) place(location string) string {
	if w.d.engine == Athena || w.d.engine == Glue {
		return strings.TrimSuffix(location, "/") + "/"
	}
	return location
}

// below splits a location into what the paths of its files have in common,
// whatever scheme they are written with (s3 and s3a, file:/ and file:///), and
// whether nothing but a scheme stands before it in a file's path. Where escaped it
// is as Java writes it in a URI.
func below(location string, escaped bool) (path string, first bool) {
	scheme, rest, _ := strings.Cut(location, ":/")
	first = scheme == "file" || strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, "//")
	rest = strings.Trim(rest, "/") + "/"
	if !escaped {
		return rest, first
	}
	var b strings.Builder
	for i := range len(rest) {
		c := rest[i]
		if c <= ' ' || c == 0x7f || strings.IndexByte("\"#%<>?[\\]^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String(), first
}
