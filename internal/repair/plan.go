package repair

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// recordsFormat is the format version of what is written down.
const recordsFormat = 1

// plan is what a copy is to be: of it follow its name, and where it is made.
type plan struct {
	Format int    `json:"format_version"`
	Source string `json:"source"`
	Out    string `json:"out"`
	Form   Form   `json:"form"`
	Schema string `json:"schema"`
	// PartitionBy are the folders of the source that the copy has; if it is divided, all
	// are columns, which need not come from folders.
	PartitionBy []string `json:"partition_by"`
	Divided     bool     `json:"divided,omitzero"`
	// Folders are all keys of folders, which become columns.
	Folders []string `json:"folders"`

	id string
}

// plan looks at the source for what the copy is to be.
func (j *Job) plan(ctx context.Context) (*plan, error) {
	l, err := j.look(ctx)
	if err != nil {
		return nil, err
	}
	p := &plan{
		Format: recordsFormat, Source: j.Files.URL(""), Out: j.Place.Out().URL(""),
		Form: j.Want.Form, Schema: j.Want.Schema, Folders: l.keys,
	}
	if p.PartitionBy, p.Divided, err = l.partitions(j.Want); err != nil {
		return nil, err
	}
	text, err := json.Marshal(p)
	p.id = fmt.Sprintf("%016x", xxh3.Hash(text))
	return p, err
}

// The names of records.
const (
	stages = "copy-"
	proofs = "proofs/"
	plans  = "plans/"
)

func (p *plan) stage() string { return stages + p.id }

// begin writes the plan down. While another copy with the same place is being made, or
// was left behind, it is refused: nobody would miss what that one takes on disk.
func (j *Job) begin(ctx context.Context, p *plan) error {
	records := j.Place.Records()
	for info, err := range records.List(ctx, stages, "") {
		if err != nil {
			return j.fault(err)
		}
		if folder, _, _ := strings.Cut(info.Key, "/"); folder != p.stage() {
			return diag.New(diag.Usage, "a copy with other options was begun in this place, or of a folder that was other then").
				In(diag.Place{File: records.URL(folder)}).
				Hinted("finish that one, or remove its folder")
		}
	}
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := records.Create(ctx, plans+p.id+".json", text); !errors.Is(err, store.ErrExist) {
		return j.fault(err)
	}
	return nil
}

// readRecord reads a record of a copy; the error may be store.ErrNotExist.
func readRecord(ctx context.Context, s store.Store, key string, into any) error {
	data, err := store.Read(ctx, s, key)
	if err != nil {
		return err
	}
	head := struct {
		Format int `json:"format_version"`
	}{}
	err = json.Unmarshal(data, &head)
	if err == nil && head.Format == recordsFormat {
		err = json.Unmarshal(data, into)
	}
	if err != nil || head.Format != recordsFormat {
		return diag.New(diag.StateBroken, "found no record of format %d", recordsFormat).In(diag.Place{File: s.URL(key)}).
			Hinted("a newer landfall may have written it; else make the copy again").Because(err)
	}
	return nil
}

// look is what the names of a source's files say.
type look struct {
	// keys are those of all partition folders, in the order in which they were met.
	keys []string
	// every are the keys of folders that all files lie in, in the order of the first.
	every []string
	// values are those of each key, by its folded name.
	values map[string][]folder
	files  int
	url    string
}

// folder is a value of a partition folder.
type folder struct {
	contract.Folder
	// file is the first one in it.
	file string
}

// look lists the source.
func (j *Job) look(ctx context.Context) (*look, error) {
	if err := discovery.CheckFolder(ctx, j.Files); err != nil {
		return nil, err
	}
	l := &look{values: map[string][]folder{}, url: j.Files.URL(""), every: []string{}}
	for info, err := range j.Files.List(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		if at, ok := tableAt(info.Key); ok {
			return nil, diag.New(diag.Usage, "the folder is a table: its log says which files count").In(diag.Place{File: j.Files.URL(at)}).
				Hinted("read the table; a copy of its files would have old versions of its rows")
		}
		if !discovery.Hidden(info.Key) && isParquet(info.Key) {
			l.add(info.Key)
		}
	}
	if l.files == 0 {
		return nil, diag.New(diag.NoFormat, "found no Parquet files").In(diag.Place{File: j.Files.URL("")}).
			Hinted("folders of CSV and JSON files are landed: landfall land FOLDER TABLE")
	}
	return l, nil
}

// tableAt tells whether a key is that of a table's log, and of which folder.
func tableAt(key string) (folder string, ok bool) {
	for _, log := range []string{"_delta_log/", ".hoodie/", "metadata/v1.metadata.json"} {
		if at := strings.Index("/"+key, "/"+log); at >= 0 {
			return strings.TrimSuffix(key[:at], "/"), true
		}
	}
	return "", false
}

func isParquet(key string) bool {
	ok, _ := takes(key)
	return ok
}

// add takes a file into account.
func (l *look) add(key string) {
	keys, folders := contract.Folders(key)
	if l.files++; l.files == 1 {
		l.every = slices.Clone(keys)
	}
	l.every = slices.DeleteFunc(l.every, func(k string) bool {
		n := 0
		for _, other := range keys {
			if schema.Fold(other) != schema.Fold(k) {
				continue
			}
			if n++; other != k {
				n++ // readers that tell casings apart take it for another
			}
		}
		return n != 1 // one that stands twice tells two things
	})
	for i, k := range keys {
		if !slices.ContainsFunc(l.keys, func(other string) bool { return schema.Fold(other) == schema.Fold(k) }) {
			l.keys = append(l.keys, k)
		}
		values := l.values[schema.Fold(k)]
		if !slices.ContainsFunc(values, func(f folder) bool { return f.Value == folders[i].Value }) {
			l.values[schema.Fold(k)] = append(values, folder{folders[i], key})
		}
	}
}

// partitions are the folders of the source that the copy has. If one that is wanted is
// none in which every file lies, the copy is divided by columns.
func (l *look) partitions(w Want) (names []string, divided bool, err error) {
	names = l.every
	if w.PartitionBy != nil {
		names = []string{}
		if err := l.once(w.PartitionBy); err != nil {
			return nil, false, err
		}
		for _, name := range w.PartitionBy {
			at := slices.IndexFunc(l.every, func(k string) bool { return schema.Fold(k) == schema.Fold(name) })
			if at < 0 {
				return w.PartitionBy, true, nil
			}
			names = append(names, l.every[at])
		}
	}
	var problems diag.List
	for _, key := range names {
		problems = append(problems, l.misfits(key, w)...)
	}
	return names, false, problems.Err()
}

// once refuses columns that cannot be what a copy is partitioned by.
func (l *look) once(names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		folded := schema.Fold(name)
		if seen[folded] || folded == contract.RescuedData {
			return diag.New(diag.Usage, "--partition-by: found %s, want columns of the files, each once", diag.Quote(name)).
				In(diag.Place{File: l.url}).Hinted("leave it out")
		}
		seen[folded] = true
	}
	return nil
}
