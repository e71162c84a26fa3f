package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/draft"
	"landfall/internal/format"
	"landfall/internal/notebook"
	"landfall/internal/report"
)

func (a *app) initCommand() *cobra.Command {
	var from, lake string
	c := &cobra.Command{
		Use:   "init [FOLDER…]",
		Short: "Write a landfall.yaml, for folders or from an Auto Loader notebook",
		Long: `Write a project file for the folders that are named, or for those below this one
that hold files. With --from it is made of the Auto Loader streams of a notebook
(.py, .ipynb or .sql): their options stay as they are named, and what will not do
as it does there is told with its line. A file that is there is not overwritten.` + exitCodes,
		Example: `  landfall init
  landfall init landing/orders landing/shops
  landfall init --from ingest.py`,
		RunE: func(_ *cobra.Command, folders []string) error {
			if from != "" && len(folders) > 0 {
				return diag.New(diag.Usage, "found folders and --from, want one of them")
			}
			var d draft.Draft
			var err error
			if from != "" {
				d, err = fromNotebook(from, lake)
			} else {
				d, err = fromFolders(folders, lake)
			}
			if err != nil {
				return err
			}
			return a.writeProject(d, from)
		},
	}
	c.Flags().StringVar(&from, "from", "", "a notebook with Auto Loader streams")
	c.Flags().StringVar(&lake, "lake", "lake", "the folder of the tables")
	return c
}

// fromNotebook drafts a project of the streams of a notebook.
func fromNotebook(file, lake string) (draft.Draft, error) {
	data, err := os.ReadFile(file) //nolint:gosec // the user names it
	if err != nil {
		return draft.Draft{}, diag.New(diag.Usage, "the notebook cannot be read").In(diag.Place{File: file}).Because(err)
	}
	n, err := notebook.Parse(file, data)
	if err != nil {
		return draft.Draft{}, err
	}
	if len(n.Streams) == 0 && len(n.Notes) > 0 {
		first := n.Notes[0]
		return draft.Draft{}, diag.New(diag.Usage, "found no Auto Loader stream that can be read: %s", first.Text).In(placeIn(file, first.At)).
			Hinted("mend the notebook; or make a project without one: landfall init FOLDER")
	}
	if len(n.Streams) == 0 {
		return draft.Draft{}, diag.New(diag.Usage, "found no Auto Loader stream, want spark.readStream.format(\"cloudFiles\") or read_files").
			In(diag.Place{File: file}).Hinted("name the notebook that has them; or a project without one: landfall init FOLDER")
	}
	return draft.Streams(n, lake), nil
}

// placeIn is a place in a notebook.
func placeIn(file string, at notebook.Place) diag.Place {
	if at.Cell > 0 {
		file = fmt.Sprintf("%s, cell %d", file, at.Cell)
	}
	return diag.Place{File: file, Line: int64(at.Line)}
}

// fromFolders drafts a project of folders: those given, or those that hold files.
func fromFolders(given []string, lake string) (draft.Draft, error) {
	if len(given) == 0 {
		found, err := feedFolders(".", lake)
		if err == nil && len(found) == 0 {
			err = diag.New(diag.Usage, "found no folder with files of csv, json or parquet here, want one").
				Hinted("name it: landfall init FOLDER")
		}
		return draft.Folders(found, lake), err
	}
	folders := make([]draft.Folder, len(given))
	for i, at := range given {
		listed, _ := divide(at)
		if info, err := os.Stat(listed); err != nil || !info.IsDir() {
			return draft.Draft{}, diag.New(diag.FolderMissing, "source folder does not exist").In(diag.Place{File: at}).
				Hinted("make it first, or check its name")
		}
		folders[i] = draft.Folder{Path: filepath.ToSlash(at)}
		if listed == at {
			folders[i].Format, folders[i].Files = mostOf(at)
		}
	}
	return draft.Folders(folders, lake), nil
}

// feedFolders finds the folders below root that hold files to land. Folders
// that divide one feed by dates or keys are not told apart.
func feedFolders(root, lake string) ([]draft.Folder, error) {
	const deepest = 5
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what may not be read is no feed
		}
		name := d.Name()
		hidden := at != root && strings.ContainsAny(name[:1], "_.")
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(at, "_delta_log"))
			if hidden || err == nil || at == lake || strings.Count(at, string(filepath.Separator)) > deepest {
				return fs.SkipDir
			}
			return nil
		}
		if folder := feedOf(filepath.ToSlash(filepath.Dir(at))); !hidden && folder != "." && slices.Contains(formats(), format.ByName(name)) {
			found[folder] = true
		}
		return nil
	})
	var folders []draft.Folder
	for folder := range found {
		if !slices.ContainsFunc(parents(folder), func(p string) bool { return found[p] }) {
			most, files := mostOf(folder)
			folders = append(folders, draft.Folder{Path: folder, Format: most, Files: files})
		}
	}
	slices.SortFunc(folders, func(a, b draft.Folder) int { return strings.Compare(a.Path, b.Path) })
	return folders, err
}

// feedOf is the folder of a feed: above folders of dates and of keys.
func feedOf(folder string) string {
	for {
		name := path.Base(folder)
		digits := strings.Trim(name, "0123456789-_") == ""
		if folder == "." || name == "." || !digits && !strings.Contains(name, "=") {
			return folder
		}
		folder = path.Dir(folder)
	}
}

// parents are the folders above one.
func parents(folder string) []string {
	var all []string
	for up := path.Dir(folder); up != "." && up != "/"; up = path.Dir(up) {
		all = append(all, up)
	}
	return all
}

// mostOf is the most frequent format of the files in a folder, "" for none.
func mostOf(folder string) (most string, files int) {
	counts := map[string]int{}
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error { // what may not be read is not counted
		if err == nil && !d.IsDir() {
			counts[format.ByName(d.Name())]++
		}
		return nil
	})
	for _, name := range formats() {
		if counts[name] > files {
			most, files = name, counts[name]
		}
	}
	return most, files
}

// writeProject writes the file where there is none, and says what to look at.
func (a *app) writeProject(d draft.Draft, from string) error {
	file := a.project
	if file == "" {
		file = projectFile
	}
	if err := createProject(file, d.YAML()); err != nil {
		return err
	}
	return a.toldProject(d, file, from)
}

// toldProject prints what was written.
func (a *app) toldProject(d draft.Draft, file, from string) error {
	notes := []noted{}
	names := []string{}
	for _, s := range d.Sources {
		names = append(names, s.Name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "wrote %s: %s\n", file, report.Plural(int64(len(names)), "source"))
	for _, n := range d.Notes {
		at := placeIn(from, n.At)
		notes = append(notes, noted{at, n.Text})
		fmt.Fprintf(&b, "  %s: %s\n", at, n.Text)
	}
	fmt.Fprintf(&b, "see what would land: landfall preview\n")
	if a.json {
		return a.print(struct {
			File    string   `json:"file"`
			Sources []string `json:"sources"`
			Notes   []noted  `json:"notes"`
		}{file, names, notes})
	}
	if a.quiet {
		return nil
	}
	_, err := fmt.Fprint(a.stdout, b.String())
	return err
}
