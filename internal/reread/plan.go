package reread

import (
	"iter"
	"slices"

	"landfall/internal/contract"
	"landfall/internal/schema"
)

// Compared returns the columns of a table that a source's rows have: those of its
// contract, and the rescue column.
func (s Source) Compared(table schema.Struct, now contract.Version) []schema.Field {
	ours := map[string]bool{schema.Fold(s.Policy.RescueColumn()): true}
	for _, c := range now.Columns {
		ours[schema.Fold(c.Name)] = true
	}
	var fields []schema.Field
	for _, f := range table.Fields {
		if ours[schema.Fold(f.Name)] {
			fields = append(fields, f)
		}
	}
	return fields
}

// Merged returns what tells, for a column of the table, the stored names that its
// values had under an older contract: decisions make one column of two.
func Merged(then, now contract.Version) func(schema.Field) []string {
	names := map[string][]string{}
	for _, c := range then.Columns {
		if to := Target(now, c); to >= 0 && schema.Fold(now.Columns[to].Name) != schema.Fold(c.Name) {
			name := schema.Fold(now.Columns[to].Name)
			names[name] = append(names[name], c.Name)
		}
	}
	return func(f schema.Field) []string { return names[schema.Fold(f.Name)] }
}

// Target returns the position of the column that has the values of one of an older
// contract now, -1 for none.
func Target(now contract.Version, c contract.Column) int {
	at := slices.IndexFunc(now.Columns, func(d contract.Column) bool { return schema.Fold(d.Name) == schema.Fold(c.Name) })
	if at >= 0 {
		return at
	}
	return slices.IndexFunc(now.Columns, func(d contract.Column) bool {
		return slices.ContainsFunc(now.Aliases(d), func(name string) bool { return schema.Fold(name) == schema.Fold(c.Original) })
	})
}

// URLs maps every URL under which objects can stand in a table to their paths: the
// source may have had several roots.
func (s Source) URLs(roots []string, paths iter.Seq[string]) map[string]string {
	urls := map[string]string{}
	here := s.Files.URL("")
	for path := range paths {
		url := s.Files.URL(path)
		urls[url] = path
		for _, root := range roots {
			urls[root+url[len(here):]] = path
		}
	}
	return urls
}
