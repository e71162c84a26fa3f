package land

import (
	"path"
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

// checkTable refuses tables that no batch can be landed in.
func (a *attempt) checkTable() error {
	if a.l.Snap == nil || slices.EqualFunc(a.l.Snap.Partitions, a.l.src.PartitionBy, sameName) {
		return nil
	}
	if len(a.l.Snap.Partitions) == 0 {
		return diag.New(diag.UnknownFeature, "the table has no partitions, want those by %s", strings.Join(a.l.src.PartitionBy, ", ")).
			In(diag.Place{File: a.l.report.Table}).Hinted("land into another table")
	}
	return diag.New(diag.UnknownFeature, "the table is partitioned by %s, and only tables without partitions can be landed in yet", strings.Join(a.l.Snap.Partitions, ", ")).
		In(diag.Place{File: a.l.report.Table}).Hinted("land into another table")
}

func sameName(a, b string) bool { return schema.Fold(a) == schema.Fold(b) }

// place returns the folder of the data files with the rows of an object: its own
// partition folders, in the order of the partition columns. Nil if there are none.
func (s *Source) place() func(path string) string {
	if len(s.PartitionBy) == 0 {
		return nil
	}
	return func(object string) string {
		var place strings.Builder
		for _, key := range s.PartitionBy {
			for _, dir := range strings.Split(path.Dir(object), "/") {
				if keys, _ := contract.Folders(dir + "/"); len(keys) == 1 && sameName(keys[0], key) {
					place.WriteString(dir + "/")
					break
				}
			}
		}
		return place.String()
	}
}

// partitions are the names of the partition columns.
func (a *attempt) partitions() (names []string) {
	for _, key := range a.l.src.PartitionBy {
		if c := partitionColumn(a.shape.Version, key); c != nil {
			names = append(names, c.Name)
		}
	}
	return names
}

// partitionColumn is the column of a folder, nil if there is none.
func partitionColumn(v contract.Version, key string) *contract.Column {
	for i, c := range v.Columns {
		if c.K < 2 && !c.Retired && sameName(c.Original, key) {
			return &v.Columns[i]
		}
	}
	return nil
}

// partition is what the partition columns hold in every row of a data file.
func (a *attempt) partition(f datafile.File) map[string]*string {
	values := map[string]*string{}
	for _, key := range a.l.src.PartitionBy {
		c := partitionColumn(a.shape.Version, key)
		if c == nil {
			continue
		}
		values[c.Name] = nil
		_, folders := contract.Folders(a.in.Objects[f.Parts[0].Object].Path)
		for _, folder := range folders {
			if sameName(folder.Key, key) && !folder.Null() {
				values[c.Name] = &folder.Value
			}
		}
	}
	return values
}

// partitioned tells whether a column of the table stands in the names of folders
// instead of data files.
func (a *attempt) partitioned(v contract.Version, name string) bool {
	return slices.ContainsFunc(a.l.src.PartitionBy, func(key string) bool {
		c := partitionColumn(v, key)
		return c != nil && sameName(c.Name, name)
	})
}

// stored are the columns of the table that data files have.
func (a *attempt) stored(table schema.Struct) schema.Struct {
	var s schema.Struct
	for _, f := range table.Fields {
		if !a.partitioned(a.shape.Version, f.Name) {
			s.Fields = append(s.Fields, f)
		}
	}
	return s
}
