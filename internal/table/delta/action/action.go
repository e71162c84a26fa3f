// Package action reads and writes the actions of a Delta log.
package action

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"landfall/internal/table"
)

// Action is one line of a commit, or one row of a checkpoint: exactly one of
// its fields is set, or none when the action is one we do not know. The shapes
// keep what a checkpoint must repeat, also where we do not use it.
type Action struct {
	Add                *Add                `json:"add,omitempty"`
	Remove             *Remove             `json:"remove,omitempty"`
	MetaData           *MetaData           `json:"metaData,omitempty"`
	Protocol           *Protocol           `json:"protocol,omitempty"`
	Txn                *Txn                `json:"txn,omitempty"`
	DomainMetadata     *DomainMetadata     `json:"domainMetadata,omitempty"`
	CDC                *CDC                `json:"cdc,omitempty"`
	CheckpointMetadata *CheckpointMetadata `json:"checkpointMetadata,omitempty"`
	Sidecar            *Sidecar            `json:"sidecar,omitempty"`
	CommitInfo         json.RawMessage     `json:"commitInfo,omitempty"`
}

// Add makes a logical file, that is (path, deletion vector), live.
type Add struct {
	// Path is as the log spells it: a URI, escaped, relative or absolute. A
	// remove of the file must repeat it letter by letter, since some readers
	// compare spellings.
	Path                    string                `json:"path"`
	PartitionValues         map[string]*string    `json:"partitionValues"`
	Size                    int64                 `json:"size"`
	ModificationTime        int64                 `json:"modificationTime"`
	DataChange              bool                  `json:"dataChange"`
	Stats                   string                `json:"stats,omitempty"`
	Tags                    map[string]*string    `json:"tags,omitempty"`
	DeletionVector          *table.DeletionVector `json:"deletionVector,omitempty"`
	BaseRowID               *int64                `json:"baseRowId,omitempty"`
	DefaultRowCommitVersion *int64                `json:"defaultRowCommitVersion,omitempty"`
	ClusteringProvider      *string               `json:"clusteringProvider,omitempty"`
}

// Remove makes a logical file a tombstone.
type Remove struct {
	Path                    string                `json:"path"`
	DeletionTimestamp       *int64                `json:"deletionTimestamp,omitempty"`
	DataChange              bool                  `json:"dataChange"`
	ExtendedFileMetadata    *bool                 `json:"extendedFileMetadata,omitempty"`
	PartitionValues         map[string]*string    `json:"partitionValues,omitempty"`
	Size                    *int64                `json:"size,omitempty"`
	Stats                   string                `json:"stats,omitempty"`
	Tags                    map[string]*string    `json:"tags,omitempty"`
	DeletionVector          *table.DeletionVector `json:"deletionVector,omitempty"`
	BaseRowID               *int64                `json:"baseRowId,omitempty"`
	DefaultRowCommitVersion *int64                `json:"defaultRowCommitVersion,omitempty"`
}

// MetaData is the table's schema and properties, whole: the newest one holds.
type MetaData struct {
	ID               string            `json:"id"`
	Name             *string           `json:"name,omitempty"`
	Description      *string           `json:"description,omitempty"`
	Format           Format            `json:"format"`
	SchemaString     string            `json:"schemaString"`
	PartitionColumns []string          `json:"partitionColumns"`
	Configuration    map[string]string `json:"configuration"`
	CreatedTime      *int64            `json:"createdTime,omitempty"`
}

// Format says how the data files are encoded: as Parquet.
type Format struct {
	Provider string            `json:"provider"`
	Options  map[string]string `json:"options"`
}

// Protocol has a list of features only where its version is 3 (readers)
// or 7 (writers); nil and empty lists are different.
type Protocol struct {
	MinReaderVersion int       `json:"minReaderVersion"`
	MinWriterVersion int       `json:"minWriterVersion"`
	ReaderFeatures   *[]string `json:"readerFeatures,omitempty"`
	WriterFeatures   *[]string `json:"writerFeatures,omitempty"`
}

// Txn is the newest batch of an application.
type Txn struct {
	AppID       string `json:"appId"`
	Version     int64  `json:"version"`
	LastUpdated *int64 `json:"lastUpdated,omitempty"`
}

// DomainMetadata is text that a feature or a program keeps in the table.
type DomainMetadata struct {
	Domain        string `json:"domain"`
	Configuration string `json:"configuration"`
	Removed       bool   `json:"removed"`
}

// CDC is a file of changed rows, for readers of the change feed.
type CDC struct {
	Path            string             `json:"path"`
	PartitionValues map[string]*string `json:"partitionValues"`
	Size            int64              `json:"size"`
	DataChange      bool               `json:"dataChange"`
	Tags            map[string]*string `json:"tags,omitempty"`
}

// CheckpointMetadata is in each checkpoint of the second kind.
type CheckpointMetadata struct {
	Version int64              `json:"version"`
	Tags    map[string]*string `json:"tags,omitempty"`
}

// Sidecar is a file that holds a part of such a checkpoint.
type Sidecar struct {
	Path             string             `json:"path"`
	SizeInBytes      int64              `json:"sizeInBytes"`
	ModificationTime int64              `json:"modificationTime"`
	Tags             map[string]*string `json:"tags,omitempty"`
}

// Decode reads one line of a commit. Unknown actions and fields are
// ignored, as the protocol asks: what matters bears a feature's name.
func Decode(line []byte) (*Action, error) {
	var a Action
	if err := json.Unmarshal(line, &a); err != nil {
		return nil, err
	}
	switch {
	case a.Add != nil && a.Add.Path == "":
		return nil, fmt.Errorf("add without a path")
	case a.Remove != nil && a.Remove.Path == "":
		return nil, fmt.Errorf("remove without a path")
	case a.Txn != nil && a.Txn.AppID == "":
		return nil, fmt.Errorf("txn without an appId")
	}
	return &a, nil
}

// Append appends a as one line, newline included, without the escapes
// that encoding/json adds for HTML.
func Append(dst []byte, a *Action) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a); err != nil {
		return dst, fmt.Errorf("encode an action: %w", err)
	}
	return buf.Bytes(), nil
}

// Key is the identity of the logical file.
func (a *Add) Key() table.Key {
	return table.Key{Path: DecodePath(a.Path), DV: a.DeletionVector.ID()}
}

// Key is the identity of the logical file that is gone.
func (r *Remove) Key() table.Key {
	return table.Key{Path: DecodePath(r.Path), DV: r.DeletionVector.ID()}
}

// File describes the logical file as the table package does.
func (a *Add) File() table.File {
	f := table.File{
		Path:      DecodePath(a.Path),
		Size:      a.Size,
		Partition: a.PartitionValues,
		ModTime:   time.UnixMilli(a.ModificationTime).UTC(),
		Stats:     a.Stats,
		Rows:      statsRows(a.Stats),
		DV:        a.DeletionVector,
	}
	f.Tags = present(a.Tags)
	return f
}

// File describes the logical file that is gone, as far as the action does: its partition
// is nil and its size -1 if it does not.
func (r *Remove) File() table.File {
	f := table.File{
		Path: DecodePath(r.Path), Size: -1, Partition: r.PartitionValues,
		Stats: r.Stats, Rows: statsRows(r.Stats), Tags: present(r.Tags), DV: r.DeletionVector,
	}
	if r.Size != nil {
		f.Size = *r.Size
	}
	return f
}

// present are the tags that have a value.
func present(tags map[string]*string) map[string]string {
	if len(tags) == 0 {
		return nil
	}
	out := make(map[string]string, len(tags))
	for k, v := range tags {
		if v != nil {
			out[k] = *v
		}
	}
	return out
}

// statsRows returns numRecords of a file's statistics, -1 if there is none.
// Most writers put it first, which saves parsing all the bounds.
func statsRows(stats string) int64 {
	if stats == "" {
		return -1
	}
	if rest, ok := strings.CutPrefix(stats, `{"numRecords":`); ok {
		n, digits := int64(0), 0
		for digits < len(rest) && digits < 18 && rest[digits] >= '0' && rest[digits] <= '9' {
			n = n*10 + int64(rest[digits]-'0')
			digits++
		}
		if digits > 0 && digits < len(rest) && (rest[digits] == ',' || rest[digits] == '}') {
			return n
		}
	}
	var s struct {
		NumRecords *int64 `json:"numRecords"`
	}
	if err := json.Unmarshal([]byte(stats), &s); err != nil || s.NumRecords == nil || *s.NumRecords < 0 {
		return -1
	}
	return *s.NumRecords
}
