package delta

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/table"
	"landfall/internal/table/delta/action"
)

// commitInfo is what a commit says about itself.
type commitInfo struct {
	Timestamp           int64             `json:"timestamp,omitempty"`
	InCommitTimestamp   int64             `json:"inCommitTimestamp,omitempty"`
	Operation           string            `json:"operation,omitempty"`
	OperationParameters map[string]string `json:"operationParameters,omitempty"`
	OperationMetrics    map[string]string `json:"operationMetrics,omitempty"`
	ReadVersion         *int64            `json:"readVersion,omitempty"`
	IsBlindAppend       bool              `json:"isBlindAppend"`
	EngineInfo          string            `json:"engineInfo,omitempty"`
	// Attempt is ours: by it a writer recognises its own commit.
	Attempt string `json:"landfallAttempt,omitempty"`
}

// readInfo returns the commitInfo of a version, as far as it can be read: other
// writers may keep anything under these names.
func readInfo(acts []*action.Action) commitInfo {
	var info commitInfo
	for _, a := range acts {
		var fields map[string]json.RawMessage
		if a.CommitInfo == nil || json.Unmarshal(a.CommitInfo, &fields) != nil {
			continue
		}
		for name, into := range map[string]any{
			"timestamp": &info.Timestamp, "inCommitTimestamp": &info.InCommitTimestamp,
			"operation": &info.Operation, "landfallAttempt": &info.Attempt,
		} {
			if raw, ok := fields[name]; ok {
				_ = json.Unmarshal(raw, into) // another type than ours says nothing to us
			}
		}
	}
	return info
}

func attemptOf(acts []*action.Action) string { return readInfo(acts).Attempt }

// prepare checks the change and computes what it makes of protocol and
// metadata.
func (k *commit) prepare() error {
	if err := checkChange(k.c); err != nil {
		return err
	}
	var from, to schema.Struct
	var err error
	if k.base == nil {
		to, err = k.newTable()
	} else if from, err = k.base.schema(); err == nil {
		if to, err = k.alter(from); err == nil {
			k.retypes = k.misread(from, to)
			err = k.checkHeld(from, to)
		}
	}
	if err == nil {
		err = k.checkMoved()
	}
	if err != nil {
		return err
	}
	meta, protocol := k.effective()
	for _, f := range k.c.Adds {
		if err := checkPartition(&f, meta.PartitionColumns); err != nil {
			return err
		}
	}
	return checkWritable(&proposal{
		protocol: public(protocol), schema: to, partitions: meta.PartitionColumns,
		config: meta.Configuration, change: k.c,
	})
}

// effective returns metadata and protocol as they are after the change.
func (k *commit) effective() (*action.MetaData, *action.Protocol) {
	meta, protocol := k.cur.meta, k.cur.protocol
	if k.meta != nil {
		meta = k.meta
	}
	if k.protocol != nil {
		protocol = k.protocol
	}
	return meta, protocol
}

// checkChange refuses changes that no caller may ask for.
func checkChange(c *table.Change) error {
	if c.Attempt == "" {
		return errors.New("a change without an attempt id cannot be recognised in the log")
	}
	for _, files := range [][]table.File{c.Adds, c.Removes} {
		seen := make(map[string]bool, len(files))
		for i := range files {
			if files[i].Path == "" || seen[files[i].Path] {
				return fmt.Errorf("file %s is named twice, or not at all, in one change", diag.Quote(files[i].Path))
			}
			seen[files[i].Path] = true
		}
	}
	return nil
}

func checkPartition(f *table.File, columns []string) error {
	for _, c := range columns {
		if _, ok := f.Partition[c]; !ok {
			return fmt.Errorf("file %s has no value for the partition column %s", diag.Quote(f.Path), diag.Quote(c))
		}
	}
	if len(f.Partition) != len(columns) {
		return fmt.Errorf("file %s has values for %d partition columns, want %d", diag.Quote(f.Path), len(f.Partition), len(columns))
	}
	return nil
}

// newTable makes protocol and metadata of a new table.
func (k *commit) newTable() (schema.Struct, error) {
	if k.c.Schema == nil || k.c.TableID == "" || len(k.c.Removes) > 0 {
		return schema.Struct{}, errors.New("a new table needs a schema and an id, and has nothing to remove")
	}
	text, err := k.c.Schema.JSON()
	if err != nil {
		return schema.Struct{}, fmt.Errorf("encode the schema: %w", err)
	}
	now := millis(k.t.o.Now())
	k.meta = &action.MetaData{
		ID: k.c.TableID, Format: action.Format{Provider: "parquet", Options: map[string]string{}},
		SchemaString: string(text), PartitionColumns: append([]string{}, k.c.Partitions...),
		Configuration: merged(nil, k.c.Config), CreatedTime: &now,
	}
	k.protocol = &action.Protocol{MinReaderVersion: 1, MinWriterVersion: 2}
	for _, f := range eachField(*k.c.Schema) {
		if holdsNtz(f.Type) {
			k.protocol = &action.Protocol{
				MinReaderVersion: readerFeatureVersion, MinWriterVersion: writerFeatureVersion,
				ReaderFeatures: &[]string{featureTimestampNTZ}, WriterFeatures: &[]string{featureTimestampNTZ},
			}
			break
		}
	}
	return *k.c.Schema, nil
}

// alter makes new metadata of a table's if the change asks for other ones. All
// that it does not ask for stays as it was written.
func (k *commit) alter(from schema.Struct) (schema.Struct, error) {
	to, text := from, k.base.meta.SchemaString
	if k.c.Schema != nil {
		old, err := from.JSON()
		if err != nil {
			return to, fmt.Errorf("encode the schema of the table: %w", err)
		}
		asked, err := k.c.Schema.JSON()
		if err != nil {
			return to, fmt.Errorf("encode the schema: %w", err)
		}
		if !bytes.Equal(old, asked) {
			if to, text, err = k.recorded(from, *k.c.Schema); err != nil {
				return to, err
			}
		}
	}
	config := merged(k.base.meta.Configuration, k.c.Config)
	if k.c.Widening {
		if err := k.widen(config); err != nil {
			return to, err
		}
	}
	if text == k.base.meta.SchemaString && maps.Equal(config, k.base.meta.Configuration) {
		return to, nil
	}
	meta := *k.base.meta
	meta.SchemaString, meta.Configuration = text, config
	k.meta = &meta
	return to, nil
}

// merged returns a copy of config with some entries set; never nil.
func merged(config, set map[string]string) map[string]string {
	out := make(map[string]string, len(config)+len(set))
	maps.Copy(out, config)
	maps.Copy(out, set)
	return out
}

// body builds the actions of the version after cur.
func (k *commit) body(ctx context.Context) ([]*action.Action, error) {
	now := millis(k.t.o.Now())
	info, err := k.info(ctx, now)
	if err != nil {
		return nil, err
	}
	acts := []*action.Action{{CommitInfo: info}} // in-commit timestamps want it first
	if k.protocol != nil {
		acts = append(acts, &action.Action{Protocol: k.protocol})
	}
	if k.meta != nil {
		acts = append(acts, &action.Action{MetaData: k.meta})
	}
	if k.c.App != "" {
		acts = append(acts, &action.Action{Txn: &action.Txn{AppID: k.c.App, Version: k.c.Batch, LastUpdated: &now}})
	}
	for i := range k.c.Removes {
		old := k.cur.files.get(k.c.Removes[i].Key())
		acts = append(acts, &action.Action{Remove: removeOf(old, now, !k.c.Removes[i].Moved)})
	}
	for i := range k.c.Adds {
		acts = append(acts, &action.Action{Add: addOf(&k.c.Adds[i])})
	}
	return acts, nil
}

// info encodes the commitInfo of the version after cur.
func (k *commit) info(ctx context.Context, now int64) (json.RawMessage, error) {
	info := commitInfo{
		Timestamp: now, Operation: k.c.Operation,
		OperationParameters: k.c.Parameters, OperationMetrics: k.c.Metrics,
		IsBlindAppend: len(k.c.Removes) == 0 && k.meta == nil,
		EngineInfo:    k.t.o.Engine, Attempt: k.c.Attempt,
	}
	if info.Operation == "" {
		info.Operation = "WRITE"
	}
	if info.EngineInfo == "" {
		info.EngineInfo = "landfall"
	}
	if k.base != nil {
		info.ReadVersion = &k.base.version
	}
	meta, protocol := k.effective()
	if hasFeature(public(protocol), featureCommitTimestamp) && isTrue(meta.Configuration["delta.enableInCommitTimestamps"]) {
		if err := k.readTime(ctx); err != nil {
			return nil, err
		}
		info.InCommitTimestamp = max(k.time+1, now)
		info.Timestamp = info.InCommitTimestamp
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(info); err != nil {
		return nil, fmt.Errorf("encode commitInfo: %w", err)
	}
	return buf.Bytes(), nil
}

// readTime reads the in-commit timestamp of cur's version, if it is not known.
func (k *commit) readTime(ctx context.Context) error {
	if k.time > 0 || k.cur.version < 0 {
		return nil
	}
	acts, err := k.t.version(ctx, k.cur.version)
	if err != nil {
		return fmt.Errorf("find the time of the last commit: %w", err)
	}
	k.time = readInfo(acts).InCommitTimestamp
	return nil
}

// addOf describes a data file in a new commit.
func addOf(f *table.File) *action.Add {
	a := &action.Add{
		Path: action.EncodePath(f.Path), PartitionValues: f.Partition, Size: f.Size,
		ModificationTime: millis(f.ModTime), DataChange: !f.Moved, Stats: f.Stats, DeletionVector: f.DV,
	}
	if a.PartitionValues == nil {
		a.PartitionValues = map[string]*string{}
	}
	if len(f.Tags) > 0 {
		a.Tags = make(map[string]*string, len(f.Tags))
		for k, v := range f.Tags {
			a.Tags[k] = &v
		}
	}
	return a
}

// removeOf describes a live file that goes, in the spelling of its add.
func removeOf(add *action.Add, now int64, dataChange bool) *action.Remove {
	extended, size := true, add.Size
	return &action.Remove{
		Path: add.Path, DeletionTimestamp: &now, DataChange: dataChange, ExtendedFileMetadata: &extended,
		PartitionValues: add.PartitionValues, Size: &size, Tags: maps.Clone(add.Tags), DeletionVector: add.DeletionVector,
		BaseRowID: add.BaseRowID, DefaultRowCommitVersion: add.DefaultRowCommitVersion,
	}
}
