// Package checkpoint reads and writes the checkpoint files of a Delta log.
package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/store"
	"landfall/internal/table/delta/action"
)

// Read hands each action of a checkpoint, a part of one or a
// sidecar to apply. A broken file is diag.LogBroken.
func Read(ctx context.Context, s store.Store, key string, apply func(*action.Action)) error {
	if strings.HasSuffix(key, ".json") {
		for a, err := range action.Lines(ctx, s, key) {
			if err != nil {
				return err
			}
			apply(a)
		}
		return nil
	}
	o, err := s.Open(ctx, key)
	if err != nil {
		return fmt.Errorf("open %s: %w", key, err)
	}
	defer o.Close() //nolint:errcheck // nothing was written
	for rec, err := range parquetfile.Read(ctx, o, o.Info().Size, wanted()) {
		if err == nil {
			err = readRecord(rec, apply)
		}
		var d *diag.Diagnostic
		if errors.As(err, &d) || errors.Is(err, errCheckpoint) {
			return diag.New(diag.LogBroken, "checkpoint %s cannot be read", path.Base(key)).
				In(diag.Place{File: s.URL(key)}).
				Hinted("if all commits since version 0 are there, delete the checkpoint; else restore it from a backup").
				Because(err)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", key, err)
		}
	}
	return nil
}

// wanted names what we read: partitionValues_parsed only repeats
// partitionValues and is left out.
func wanted() []string {
	names := []string{"metaData", "protocol", "txn", "remove", "domainMetadata", "sidecar"}
	for _, n := range []string{
		"path", "partitionValues", "size", "modificationTime", "dataChange", "stats", "stats_parsed",
		"tags", "deletionVector", "baseRowId", "defaultRowCommitVersion", "clusteringProvider",
	} {
		names = append(names, "add."+n)
	}
	return names
}

// errCheckpoint: the rows of a checkpoint are not actions.
var errCheckpoint = errors.New("not the columns of a checkpoint")

// readRecord hands each row to apply as an action.
func readRecord(rec arrow.RecordBatch, apply func(*action.Action)) error {
	for c, f := range rec.Schema().Fields() {
		col, ok := rec.Column(c).(*array.Struct)
		if !ok {
			return fmt.Errorf("%w: %s is %s", errCheckpoint, f.Name, f.Type)
		}
		g := newGroup(col)
		for i := range col.Len() {
			if col.IsNull(i) {
				continue
			}
			a := g.action(f.Name, i)
			if g.err != nil {
				return fmt.Errorf("%s: %w", f.Name, g.err)
			}
			if a != nil {
				apply(a)
			}
		}
	}
	return nil
}

// action is row i of the column of that name; nil if it is no action after all.
func (g *group) action(column string, i int) *action.Action {
	switch column {
	case "add":
		return &action.Action{Add: g.add(i)}
	case "remove":
		return &action.Action{Remove: g.remove(i)}
	case "metaData":
		return &action.Action{MetaData: g.metaData(i)}
	case "protocol":
		return &action.Action{Protocol: &action.Protocol{
			MinReaderVersion: int(g.int(i, "minReaderVersion")),
			MinWriterVersion: int(g.int(i, "minWriterVersion")),
			ReaderFeatures:   g.list(i, "readerFeatures"),
			WriterFeatures:   g.list(i, "writerFeatures"),
		}}
	case "txn":
		return &action.Action{Txn: &action.Txn{
			AppID: g.must(i, "appId"), Version: g.int(i, "version"), LastUpdated: g.optInt(i, "lastUpdated"),
		}}
	case "domainMetadata":
		return &action.Action{DomainMetadata: &action.DomainMetadata{
			Domain: g.must(i, "domain"), Configuration: g.text(i, "configuration"), Removed: g.bool(i, "removed"),
		}}
	case "sidecar":
		return &action.Action{Sidecar: &action.Sidecar{
			Path: g.must(i, "path"), SizeInBytes: g.int(i, "sizeInBytes"),
			ModificationTime: g.int(i, "modificationTime"), Tags: g.texts(i, "tags"),
		}}
	}
	return nil
}

func (g *group) add(i int) *action.Add {
	a := &action.Add{
		Path:                    g.must(i, "path"),
		PartitionValues:         g.texts(i, "partitionValues"),
		Size:                    g.int(i, "size"),
		ModificationTime:        g.int(i, "modificationTime"),
		DataChange:              g.bool(i, "dataChange"),
		Stats:                   g.text(i, "stats"),
		Tags:                    g.texts(i, "tags"),
		DeletionVector:          g.vector(i),
		BaseRowID:               g.optInt(i, "baseRowId"),
		DefaultRowCommitVersion: g.optInt(i, "defaultRowCommitVersion"),
		ClusteringProvider:      g.optText(i, "clusteringProvider"),
	}
	if parsed := g.child("stats_parsed"); a.Stats == "" && parsed != nil && parsed.IsValid(i) {
		a.Stats = statsJSON(parsed, i)
	}
	return a
}

func (g *group) remove(i int) *action.Remove {
	r := &action.Remove{
		Path:                    g.must(i, "path"),
		DeletionTimestamp:       g.optInt(i, "deletionTimestamp"),
		DataChange:              g.bool(i, "dataChange"),
		PartitionValues:         g.texts(i, "partitionValues"),
		Size:                    g.optInt(i, "size"),
		Stats:                   g.text(i, "stats"),
		Tags:                    g.texts(i, "tags"),
		DeletionVector:          g.vector(i),
		BaseRowID:               g.optInt(i, "baseRowId"),
		DefaultRowCommitVersion: g.optInt(i, "defaultRowCommitVersion"),
	}
	if g.has(i, "extendedFileMetadata") {
		v := g.bool(i, "extendedFileMetadata")
		r.ExtendedFileMetadata = &v
	}
	return r
}

func (g *group) metaData(i int) *action.MetaData {
	m := &action.MetaData{
		ID:            g.text(i, "id"),
		Name:          g.optText(i, "name"),
		Description:   g.optText(i, "description"),
		SchemaString:  g.text(i, "schemaString"),
		Configuration: present(g.texts(i, "configuration")),
		CreatedTime:   g.optInt(i, "createdTime"),
	}
	if columns := g.list(i, "partitionColumns"); columns != nil {
		m.PartitionColumns = *columns
	}
	if format := g.group(i, "format"); format != nil {
		m.Format = action.Format{Provider: format.text(i, "provider"), Options: present(format.texts(i, "options"))}
	}
	return m
}
