package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/drill"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/format"
	"landfall/internal/project"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table/delta"
)

// found is a file of a source.
type found struct {
	key, path string
	at        time.Time
}

// newestFiles are the newest data files of a source, the newest last, and their format.
func newestFiles(ctx context.Context, p *project.Project, src project.Source, most int) ([]found, string, error) {
	f, err := fromProject(p, src)
	if err != nil {
		return nil, "", err
	}
	files, err := openStore(f.folder)
	if err != nil {
		return nil, "", err
	}
	local, ok := files.(store.Localizer)
	if !ok {
		return nil, "", diag.New(diag.FolderMissing, "source %s does not lie on this machine", src.Name).In(src.At).Hinted("drill a source with a local folder")
	}
	kind := f.options.Format
	if kind == "" {
		if kind, err = discovery.ChooseFormat(ctx, files, f.selected); err != nil {
			return nil, "", err
		}
	}
	var all []found
	for info, err := range files.List(ctx, "", "") {
		if err != nil {
			return nil, "", err
		}
		if discovery.Hidden(info.Key) || format.ByName(info.Key) != kind || f.selected.Match != nil && !f.selected.Match(info.Key) {
			continue
		}
		all = append(all, found{info.Key, local.LocalPath(info.Key), info.ModTime})
	}
	slices.SortFunc(all, func(a, b found) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return strings.Compare(a.key, b.key)
	})
	return all[max(0, len(all)-most):], kind, nil
}

// broken writes a broken copy of the newest file into the sandbox, and gives its name and
// that of the column that is broken. [drill.ErrNothing] says that there is nothing to break.
func (s *sandbox) broken(ctx context.Context, how drill.Break) (file, column string, err error) {
	key, data := s.copyKey(), []byte(nil)
	to := filepath.Join(s.copies, filepath.FromSlash(key))
	whole, err := os.ReadFile(filepath.Join(s.copies, filepath.FromSlash(s.newest)))
	if err != nil {
		return "", "", err
	}
	switch {
	case s.format == "parquet" && how == drill.Cut:
		data = whole[:len(whole)*2/3]
	case s.format == "parquet":
		column, err := s.brokenParquet(ctx, how, to)
		return key, column, err
	case path.Ext(s.newest) == ".gz" || path.Ext(s.newest) == ".zst" || path.Ext(s.newest) == ".bz2":
		if how != drill.Cut {
			return "", "", drill.ErrNothing
		}
		data = whole[:len(whole)*2/3]
	default:
		if data, column, err = drill.Text(whole, s.format, how); err != nil {
			return "", "", err
		}
	}
	return key, column, os.WriteFile(to, data, 0o600)
}

// copyKey is the name of the next copy: the newest file's, with a number before its ending.
func (s *sandbox) copyKey() string {
	s.number++
	dir, base := path.Split(s.newest)
	name, ending, _ := strings.Cut(base, ".")
	return dir + fmt.Sprintf("%s-drill%d.%s", name, s.number, ending)
}

// brokenParquet writes rows of the sandbox's table to a Parquet file, broken.
func (s *sandbox) brokenParquet(ctx context.Context, how drill.Break, to string) (string, error) {
	data, err := openStore(filepath.Join(s.dir, "lake", s.source.Name))
	if err != nil {
		return "", err
	}
	t := delta.Open(data, delta.Options{Now: s.now})
	snap, err := t.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	v, err := viewOf(ctx, t, snap, namedTable{"t", data})
	if err != nil {
		return "", err
	}
	var columns []schema.Field
	for _, f := range snap.Schema.Fields {
		if !strings.HasPrefix(f.Name, "_") && f.Name != drill.Extra {
			columns = append(columns, f)
		}
	}
	texts, column, err := brokenColumns(columns, how)
	if err != nil {
		return "", err
	}
	e, err := duckdb.Open(ctx, duckdb.Options{})
	if err != nil {
		return "", err
	}
	aside := filepath.Join(s.dir, "aside")
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return "", err
	}
	var as schema.Struct
	selects := make([]string, len(texts))
	for i, c := range texts {
		as.Fields = append(as.Fields, schema.Field{Name: c.name, Type: c.typ, Nullable: true})
		selects[i] = c.sql
	}
	err = e.Session(ctx, engine.SessionOptions{Views: []engine.View{v}, Folders: []string{aside}}, func(session engine.Session) error {
		written, err := session.Write(ctx, "SELECT "+strings.Join(selects, ", ")+" FROM t LIMIT 1000", as, engine.Target{Folder: aside, Compression: "snappy"})
		if err != nil {
			return err
		}
		if len(written) != 1 {
			return fmt.Errorf("write a broken copy: found %d files", len(written))
		}
		return os.Rename(filepath.Join(aside, written[0].Path), to)
	})
	return column, err
}

// brokenColumn is a column of a broken copy.
type brokenColumn struct {
	name, sql string
	typ       schema.Type
}

// brokenColumns are the columns of a broken copy, and the name of the one that is broken.
func brokenColumns(columns []schema.Field, how drill.Break) ([]brokenColumn, string, error) {
	var out []brokenColumn
	for _, c := range columns {
		out = append(out, brokenColumn{c.Name, `"` + strings.ReplaceAll(c.Name, `"`, `""`) + `"`, c.Type})
	}
	last := len(out) - 1
	switch how {
	case drill.ExtraColumn:
		return append(out, brokenColumn{drill.Extra, "1", schema.Integer}), drill.Extra, nil
	case drill.Dropped:
		if last < 1 {
			return nil, "", drill.ErrNothing
		}
		return out[:last], out[last].name, nil
	case drill.Recased:
		for i := last; i >= 0; i-- {
			if other := drill.Switched(out[i].name); other != out[i].name {
				was := out[i].name
				out[i].name = other
				return out, was, nil
			}
		}
	case drill.TextInNumber:
		for i := last; i >= 0; i-- {
			switch out[i].typ {
			case schema.Byte, schema.Short, schema.Integer, schema.Long:
				out[i].sql, out[i].typ = "'"+drill.Word+"'", schema.String
				return out, out[i].name, nil
			}
		}
	}
	return nil, "", drill.ErrNothing
}

// nothing reports that a step has nothing to break.
func nothing(err error) bool { return errors.Is(err, drill.ErrNothing) }
