// Package inspect says what a folder of files holds: which schemas, where and since
// when, and which of its files nobody can read.
//
// Of a Parquet file the end is read, where its schema stands, and nothing of its
// rows; files of text have the schema that their values look like.
// What is said of a folder depends on its files alone: not on the order in which
// they were read, nor on how many were read at once.
package inspect

import (
	"context"
	"errors"
	"slices"
	"time"

	"landfall/internal/definition"
	"landfall/internal/diag"
	"landfall/internal/parquetfile/footer"
	"landfall/internal/store"
)

// Options of an inspection. The zero value is ready.
type Options struct {
	// Expect is the definition of a table that the files should agree with, nil for
	// none.
	Expect *definition.Table
	// Dates has the bounds of days and instants read, to find old ones. It takes the
	// whole footer of each file that has such columns.
	Dates bool
	// Readers asks what readers make of a folder of Parquet files.
	Readers bool
	// Open reads text files; nil leaves them out. A folder without Parquet files is
	// inspected by the values of its CSV or JSON files, whichever are more.
	Open Opener
	// Sample is how many records of each text file are read, 0 for all.
	Sample int64
	// Workers is how many files are read at once; 0 is one for each processor.
	Workers int
	// Progress is told now and then how far the reading is; it may be nil. Calls do
	// not overlap.
	Progress func(Progress)

	text string
}

// Progress says how far an inspection is.
type Progress struct {
	Files, Done int
	// Bytes and BytesDone are of the files' sizes, which are not what is read.
	Bytes, BytesDone int64
}

// Report is what a folder holds. Its JSON keys are an interface (docs/json.md).
type Report struct {
	// Format is the version of the keys: 1.
	Format int `json:"format"`
	// Folder is its URL.
	Folder string `json:"folder"`
	Layout Layout `json:"layout"`
	// Files, Rows and Bytes are of the files of the groups.
	Files int   `json:"files"`
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
	// Groups are in the order of their first files.
	Groups      []Group      `json:"groups"`
	Differences []Difference `json:"differences"`
	Unreadable  []Unreadable `json:"unreadable"`
	Changeovers []Changeover `json:"changeovers"`
	Partitions  []Partition  `json:"partitions"`
	Warnings    []Warning    `json:"warnings"`
	// Expected is what disagrees with the definition that was given; nil if none was.
	Expected []Disagreement `json:"expected,omitempty"`
	// Predictions are what readers make of a folder of Parquet files; nil of text, and where
	// nobody asked.
	Predictions []Forecast `json:"predictions,omitempty"`
	Others      []Other    `json:"others"`
	// Changed are files that changed or went while the folder was inspected.
	Changed []string `json:"changed"`
	// Gate is what a gate said, nil without one.
	Gate *Verdict `json:"gate,omitempty"`
	// Quarantined are the files that were put aside.
	Quarantined []Aside `json:"quarantined,omitempty"`
	// Read are the files of the groups, in the order of time and path.
	Read []File `json:"-"`

	// moving are the files of Changed that are still there.
	moving []string
}

// Group is the files of one schema.
type Group struct {
	// ID counts from 1.
	ID    int   `json:"id"`
	Files int   `json:"files"`
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
	// First and Last are when its files were modified.
	First time.Time `json:"first_seen"`
	Last  time.Time `json:"last_seen"`
	// Writers name who wrote the files, the most frequent first.
	Writers []Writer `json:"writers"`
	Schema  []Node   `json:"schema"`
	// Example is its first file.
	Example string `json:"example"`

	key      string
	elements []footer.Element
}

// Writer is a program that wrote files of a group.
type Writer struct {
	// Name is as the files say, "" if they do not.
	Name  string `json:"name"`
	Files int    `json:"files"`
}

// File is a file that was read.
type File struct {
	Path     string
	Bytes    int64
	Rows     int64
	Modified time.Time
	// Group is the ID of its group.
	Group int
	// Writer is who wrote it, as it says.
	Writer string
	// Legacy says that its writer counted days before 1582-10-15 by the Julian
	// calendar, or may have.
	Legacy bool
	// Malformed is how many records of a text file could not be parsed.
	Malformed int64
	// Ancient are its columns with old days or instants; looked for on demand.
	Ancient []Ancient

	version string
}

// Run inspects the folder of a store. A folder without any Parquet file is a
// diagnostic, as is one that is not there; files that cannot be read are not.
func Run(ctx context.Context, files store.Store, o Options) (*Report, error) {
	if f, ok := files.(store.Folder); ok {
		if err := f.CheckRoot(ctx); err != nil {
			return nil, diag.New(diag.FolderMissing, "the folder is missing, or is none").In(diag.Place{File: files.URL("")}).
				Hinted("name a folder that is there").Because(err)
		}
	}
	l, err := list(ctx, files)
	if err != nil {
		return nil, err
	}
	if o.Open != nil && len(l.files) == 0 {
		l.takeText()
	}
	o.text = l.text
	found, err := scan(ctx, files, l.files, o)
	if err != nil {
		return nil, err
	}
	r := &Report{Format: reportFormat, Folder: files.URL(""), Layout: l.layout, Others: l.others}
	r.gather(found)
	if r.Files == 0 && len(r.Unreadable) == 0 && len(r.Changed) == 0 {
		return nil, diag.New(diag.NoFormat, "found no Parquet, CSV or JSON files").In(diag.Place{File: files.URL("")}).Hinted("name the folder of the files")
	}
	r.Differences = differences(r.Groups)
	r.Changeovers = changeovers(r.Read)
	r.Partitions = partitions(r.Read)
	r.warn()
	if o.Expect != nil {
		r.expect(*o.Expect)
	}
	if o.Readers && l.text == "" {
		err = r.forecast(o.Expect)
	}
	return r, err
}

// Odd tells whether a person should look at the folder.
func (r *Report) Odd() bool {
	return len(r.Groups) != 1 || len(r.Unreadable)+len(r.Warnings)+len(r.Changed)+len(r.Expected) > 0 || r.Layout.Message != ""
}

// listing is what a folder lists.
type listing struct {
	files  []store.Info
	others []Other
	layout Layout
	// texts are files whose names tell a text format; text is the one to be read, ""
	// for Parquet.
	texts []store.Info
	text  string
}

// takeText makes the text files of one format the files to read.
func (l *listing) takeText() {
	if l.text = textFormat(l.others); l.text == "" {
		return
	}
	for _, info := range l.texts {
		if kindOf(info.Key) == l.text {
			l.files = append(l.files, info)
		}
	}
	l.others = slices.DeleteFunc(l.others, func(o Other) bool { return o.Kind == l.text })
}

func list(ctx context.Context, files store.Store) (listing, error) {
	l := listing{others: []Other{}, layout: Layout{Kind: "plain"}}
	hive := false
	for info, err := range files.List(ctx, "", "") {
		if errors.Is(err, store.ErrPermission) {
			return l, diag.New(diag.NoPermission, "a folder may not be listed: %v", err).In(diag.Place{File: files.URL("")}).
				Hinted("let it be listed, or inspect as a user who may").Because(err)
		}
		if err != nil {
			return l, err
		}
		if found := layoutOf(info.Key); found.Kind != "plain" {
			if l.layout.Kind == "plain" {
				l.layout = found
			}
			continue // what a table keeps about itself is no file of its own
		}
		if kind := kindOf(info.Key); kind != "" {
			l.others = append(l.others, Other{info.Key, kind, info.Size})
			if kind == "csv" || kind == "json" {
				l.texts = append(l.texts, info)
			}
			continue
		}
		if _, folder := partition(info.Key); folder != "" {
			hive = true
		}
		l.files = append(l.files, info)
	}
	if hive && l.layout.Kind == "plain" {
		l.layout = Layout{Kind: "hive"}
	}
	return l, nil
}
