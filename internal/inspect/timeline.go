package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"landfall/internal/schema"
)

// Changeover is a moment from which files have another schema or another writer
// than those before.
type Changeover struct {
	At time.Time `json:"at"`
	// File is the first one that is other.
	File string `json:"file"`
	// FromGroup and Group are what files had before and have from then on.
	FromGroup  int    `json:"from_group"`
	Group      int    `json:"group"`
	FromWriter string `json:"from_writer"`
	Writer     string `json:"writer"`
}

// changeovers finds where files, in the order in which they were modified, begin
// to have a group that was not there before.
func changeovers(files []File) []Changeover {
	out := []Changeover{}
	met := map[int]bool{}
	for i, f := range files {
		if !met[f.Group] && i > 0 {
			before := files[i-1]
			out = append(out, Changeover{f.Modified, f.Path, before.Group, f.Group, before.Writer, f.Writer})
		}
		met[f.Group] = true
	}
	return out
}

// Partition is the files of one partition folder.
type Partition struct {
	Folder string `json:"folder"`
	Files  int    `json:"files"`
	// Groups are the groups of its files: one if it is consistent.
	Groups []int `json:"groups"`
}

// partitions lists the partition folders; there are none where nothing is
// partitioned.
func partitions(files []File) []Partition {
	at := map[string]int{}
	out := []Partition{}
	for _, f := range files {
		_, folder := partition(f.Path)
		if folder == "" {
			continue
		}
		i, ok := at[folder]
		if !ok {
			i = len(out)
			at[folder] = i
			out = append(out, Partition{Folder: folder})
		}
		out[i].Files++
		if !slices.Contains(out[i].Groups, f.Group) {
			out[i].Groups = append(out[i].Groups, f.Group)
		}
	}
	for i := range out {
		slices.Sort(out[i].Groups)
	}
	slices.SortFunc(out, func(a, b Partition) int { return cmp.Compare(a.Folder, b.Folder) })
	return out
}

// Warning is a thing that readers trip over though the files can be read.
type Warning struct {
	// Kind is int96, legacy_calendar, ancient_dates, malformed (records of text), partition_column (files have a column of the
	// name of their folder), column_twice (names that differ in casing alone).
	Kind   string `json:"kind"`
	Column string `json:"column,omitempty"`
	Files  int    `json:"files"`
	// Example is the first of the files.
	Example string `json:"example"`
	Message string `json:"message"`
}

// warn lists what is odd in files that can be read.
func (r *Report) warn() {
	r.Warnings = []Warning{}
	at := map[string]int{}
	add := func(kind, column, path string, files int, message string) {
		k := kind + "\x00" + column + "\x00" + message
		i, ok := at[k]
		if !ok {
			i = len(r.Warnings)
			at[k] = i
			r.Warnings = append(r.Warnings, Warning{kind, column, 0, path, message})
		}
		r.Warnings[i].Files += files
	}
	for _, g := range r.Groups {
		met := map[string]bool{}
		for _, n := range g.Schema {
			if n.Stored == "int96" {
				add("int96", n.Path, g.Example, g.Files, "timestamps are INT96, which has no zone and no unit of its own; old writers used the Julian calendar before 1582-10-15")
			}
			if f := schema.Fold(n.Path); met[f] {
				add("column_twice", n.Path, g.Example, g.Files, "two columns differ in casing alone; readers that fold names refuse them or take one")
			} else {
				met[f] = true
			}
		}
	}
	for _, f := range r.Read {
		if f.Legacy {
			add("legacy_calendar", "", f.Path, 1, "dates before 1582-10-15 and instants before 1900 are in the old calendar and have to be rebased; Spark does, most others do not")
		}
		if f.Malformed > 0 {
			add("malformed", "", f.Path, 1, "has records that cannot be parsed; landing keeps them in quarantine with their places")
		}
		for _, a := range f.Ancient {
			add("ancient_dates", a.Column, f.Path, 1, a.message())
		}
		pairs, _ := partition(f.Path)
		for _, p := range pairs {
			for _, n := range r.Groups[f.Group-1].Schema {
				if schema.Fold(n.Path) != schema.Fold(p.name) {
					continue
				}
				add("partition_column", n.Path, f.Path, 1, conflict(p, n))
			}
		}
	}
}

// conflict says what it means that a file has the column of its folder.
func conflict(p pair, n Node) string {
	if n.Type != typeString && !fits(p.value, n.Type) {
		return fmt.Sprintf("the folder says %s=%s, and the files have a column of that name of type %s, which cannot hold it", p.name, p.value, n.Type)
	}
	return "folder and file both have this column; some readers take the folder's value, some the file's, some fail"
}

// fits tells whether the text of a folder can be a value of a type; of types that it
// does not know it says so.
func fits(value, typ string) bool {
	if value == "__HIVE_DEFAULT_PARTITION__" {
		return true
	}
	var err error
	switch typ {
	case "tinyint":
		_, err = strconv.ParseInt(value, 10, 8)
	case "smallint":
		_, err = strconv.ParseInt(value, 10, 16)
	case "int":
		_, err = strconv.ParseInt(value, 10, 32)
	case "bigint":
		_, err = strconv.ParseInt(value, 10, 64)
	case "date":
		_, err = time.Parse(time.DateOnly, value)
	case typeTimestamp, "timestamp_ntz":
		return moment(value)
	case "double", "float":
		_, err = strconv.ParseFloat(value, 64)
	case "boolean":
		v := strings.ToLower(value)
		return v == "true" || v == "false"
	}
	return err == nil && (!strings.HasPrefix(typ, "decimal(") || inDecimal(value, typ))
}

// moment tells a text that is an instant, as writers of partitions have it.
func moment(text string) bool {
	for _, layout := range []string{time.DateTime, time.DateOnly, time.RFC3339, "2006-01-02T15:04:05"} {
		if _, err := time.Parse(layout, text); err == nil { // takes a fraction, too
			return true
		}
	}
	return false
}

// inDecimal tells whether a text is a number with room in a decimal.
func inDecimal(text, typ string) bool {
	var precision, scale int
	if _, err := fmt.Sscanf(typ, "decimal(%d,%d)", &precision, &scale); err != nil {
		return false
	}
	whole, part, _ := strings.Cut(strings.TrimLeft(text, "+-"), ".")
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	return whole+part != "" && digits(whole) && digits(part) &&
		len(strings.TrimLeft(whole, "0")) <= precision-scale && len(strings.TrimRight(part, "0")) <= scale
}
