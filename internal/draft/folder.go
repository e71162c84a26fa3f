package draft

import (
	"path"
	"strings"
)

// Folder is a folder with files of a feed.
type Folder struct {
	Path string
	// Format is the format of most of its files, Files their number.
	Format string
	Files  int
}

// Folders drafts a project of folders, whose tables are below lake.
func Folders(folders []Folder, lake string) Draft {
	d := Draft{Head: `A project of Landfall: "landfall preview" shows what would land, "landfall land"
lands it. Options: docs/options.md; policies: docs/project.md.`}
	for _, f := range folders {
		s := Source{
			Name: path.Base(strings.TrimRight(f.Path, "/")), Path: f.Path,
			Hints: []string{
				"options:",
				`  cloudFiles.schemaHints: "amount DECIMAL(18,2)"   # types that hold whatever the files say`,
				"policy:                                            # what to do on drift",
				"  column_added: add                                # or rescue, ignore, fail",
			},
		}
		if f.Format != "" {
			s.Options = []Option{{Name: "cloudFiles.format", Value: f.Format}}
			s.Hints = s.Hints[1:]
		}
		d.Sources = append(d.Sources, s)
	}
	d.named()
	for i := range d.Sources {
		d.Sources[i].Table = path.Join(lake, d.Sources[i].Name)
	}
	return d
}
