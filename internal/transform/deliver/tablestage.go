package deliver

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
	"landfall/internal/schema"
	"landfall/internal/table"
)

// tableStage begins the names of the folders, within recordFolder of a table, into which
// the engine writes. Each is locked while its run lives.
const tableStage = "flow-"

func (t *inTable) stage() string {
	return path.Join(recordFolder, tableStage+t.options.Run+"-"+t.sink.Name)
}

func (t *inTable) folder() string {
	return filepath.Join(t.options.Folder, filepath.FromSlash(t.stage()))
}

// open makes the folder that the engine writes to, and takes away those of dead runs.
func (t *inTable) open(ctx context.Context) error {
	y := system{t.options.before}
	home := filepath.Dir(t.folder())
	_, err := os.Lstat(t.options.Folder)
	t.made = errors.Is(err, fs.ErrNotExist)
	if err := y.mkdir(home); err != nil {
		return err
	}
	return alone(ctx, home, func() error {
		entries, err := os.ReadDir(home)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !e.IsDir() || !strings.HasPrefix(e.Name(), tableStage) {
				continue
			}
			if _, live := working(filepath.Join(home, e.Name())); live {
				continue
			}
			if err := t.forget(ctx, strings.TrimPrefix(e.Name(), tableStage)); err != nil {
				return err
			}
			if err := y.removeTree(filepath.Join(home, e.Name())); err != nil {
				return err
			}
		}
		return t.lockStage(y)
	})
}

// forget takes the note of a dead run back, which was written before its commit, if the table
// does not hold that. The run has the name of its stage.
func (t *inTable) forget(ctx context.Context, run string) error {
	snap, err := t.snapshot(ctx)
	if err != nil {
		return err
	}
	if snap != nil {
		for app := range snap.Txns {
			if rest, ok := strings.CutPrefix(app, appPrefix); ok && strings.ReplaceAll(rest, "/", "-") == run {
				return nil
			}
		}
	}
	for info, err := range t.data.List(ctx, Records+"/", "") {
		if err != nil {
			return err
		}
		if strings.HasSuffix(info.Key, "-"+run+".ndjson") {
			if err := t.data.Delete(ctx, info.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

// appPrefix begins the names by which a table remembers runs of flows.
const appPrefix = "landfall-flow/"

func (t *inTable) lockStage(y system) error {
	if err := y.mkdir(t.folder()); err != nil {
		return err
	}
	var err error
	if t.lock, err = os.Open(t.folder()); err != nil {
		return err
	}
	if got, err := locked(t.lock); err != nil || !got {
		return errors.Join(err, errors.New("another run has the stage"))
	}
	return nil
}

// discard takes away what the engine wrote, and folders in which nothing is left.
func (t *inTable) discard() error {
	if t.lock == nil {
		return nil
	}
	y := system{t.options.before}
	err := errors.Join(y.removeTree(t.folder()), t.lock.Close())
	t.lock = nil
	if os.Remove(filepath.Dir(t.folder())) == nil && t.made { // nothing else is in it
		_ = os.Remove(t.options.Folder) // nor there, or it stays
	}
	return err
}

// keys are the columns by which the table is partitioned, as the table spells them.
func (t *inTable) keys(snap *table.Snapshot) ([]string, error) {
	var wanted []string
	if t.sink.Partition.Kind == dataset.ByKey {
		wanted = t.sink.Partition.Columns
	}
	all := schema.Struct{Fields: t.columns}
	var keys []string
	for _, name := range wanted {
		if at := all.Lookup(name); at >= 0 {
			name = t.columns[at].Name
		}
		keys = append(keys, name)
	}
	if snap != nil {
		if len(keys) > 0 && !slices.EqualFunc(keys, snap.Partitions, func(a, b string) bool { return schema.Fold(a) == schema.Fold(b) }) {
			return nil, diag.New(diag.FlowInput, "sink %s: found partitionBy('key') of %s, and the table is partitioned by %s", t.sink.Name,
				strings.Join(keys, ", "), orNothing(snap.Partitions)).In(t.sink.At).Hinted("leave partitionBy out: rows go to the partitions of the table")
		}
		keys = snap.Partitions
	}
	return keys, t.keysFit(keys)
}

func orNothing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// keysFit refuses partitions whose values a path cannot tell, and rows without one.
func (t *inTable) keysFit(keys []string) error {
	var problems diag.List
	all := schema.Struct{Fields: t.columns}
	for _, name := range keys {
		at := all.Lookup(name)
		if at < 0 {
			problems.Add(diag.New(diag.FlowInput, "sink %s: found no column %s, by which the table is partitioned", t.sink.Name, diag.Quote(name)).In(t.sink.At).
				Hinted("add it in a derive before the sink"))
			continue
		}
		switch t.columns[at].Type {
		case schema.String, schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Date, schema.Timestamp:
			continue
		}
		if _, ok := t.columns[at].Type.(schema.Decimal); !ok {
			problems.Add(diag.New(diag.FlowInput, "sink %s: found %s in column %s, by which no table is partitioned here", t.sink.Name, t.columns[at].Type, diag.Quote(name)).In(t.sink.At).
				Hinted("partition by a text, a date or a whole number"))
		}
	}
	if len(keys) > 0 && len(keys) == len(t.columns) {
		problems.Add(diag.New(diag.FlowInput, "sink %s: found no column beside those of the partitions, want one to write to files", t.sink.Name).In(t.sink.At).
			Hinted("partition by fewer columns"))
	}
	return problems.Err()
}

// written are the names that the rows have for columns of the table.
func (t *inTable) written(keys []string) []string {
	var out []string
	for _, name := range keys {
		at := schema.Struct{Fields: t.columns}.Lookup(name)
		out = append(out, t.columns[at].Name)
	}
	return out
}

// without is a schema less the columns that folders tell.
func without(s schema.Struct, keys []key) schema.Struct {
	var out schema.Struct
	for _, f := range s.Fields {
		if !slices.ContainsFunc(keys, func(k key) bool { return schema.Fold(k.column) == schema.Fold(f.Name) }) {
			out.Fields = append(out.Fields, f)
		}
	}
	return out
}

// partition holds the values of keys under the names that the table has for them; nil
// for none.
func partition(s schema.Struct, keys []key) map[string]*string {
	if len(keys) == 0 {
		return nil
	}
	out := map[string]*string{}
	for _, k := range keys {
		out[s.Fields[s.Lookup(k.column)].Name] = k.value
	}
	return out
}
