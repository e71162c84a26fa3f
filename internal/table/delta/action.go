package delta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"landfall/internal/table"
)

// action is one line of a commit, or one row of a checkpoint: exactly one of
// its fields is set, or none when the action is one we do not know. The shapes
// keep what a checkpoint must repeat, also where we do not use it.
type action struct {
	Add                *addAction                `json:"add,omitempty"`
	Remove             *removeAction             `json:"remove,omitempty"`
	MetaData           *metaDataAction           `json:"metaData,omitempty"`
	Protocol           *protocolAction           `json:"protocol,omitempty"`
	Txn                *txnAction                `json:"txn,omitempty"`
	DomainMetadata     *domainMetadataAction     `json:"domainMetadata,omitempty"`
	CDC                *cdcAction                `json:"cdc,omitempty"`
	CheckpointMetadata *checkpointMetadataAction `json:"checkpointMetadata,omitempty"`
	Sidecar            *sidecarAction            `json:"sidecar,omitempty"`
	CommitInfo         json.RawMessage           `json:"commitInfo,omitempty"`
}

// addAction makes a logical file, that is (path, deletion vector), live.
type addAction struct {
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

// removeAction makes a logical file a tombstone.
type removeAction struct {
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

type metaDataAction struct {
	ID               string            `json:"id"`
	Name             *string           `json:"name,omitempty"`
	Description      *string           `json:"description,omitempty"`
	Format           formatSpec        `json:"format"`
	SchemaString     string            `json:"schemaString"`
	PartitionColumns []string          `json:"partitionColumns"`
	Configuration    map[string]string `json:"configuration"`
	CreatedTime      *int64            `json:"createdTime,omitempty"`
}

type formatSpec struct {
	Provider string            `json:"provider"`
	Options  map[string]string `json:"options"`
}

// protocolAction has a list of features only where its version is 3 (readers)
// or 7 (writers); nil and empty lists are different.
type protocolAction struct {
	MinReaderVersion int       `json:"minReaderVersion"`
	MinWriterVersion int       `json:"minWriterVersion"`
	ReaderFeatures   *[]string `json:"readerFeatures,omitempty"`
	WriterFeatures   *[]string `json:"writerFeatures,omitempty"`
}

type txnAction struct {
	AppID       string `json:"appId"`
	Version     int64  `json:"version"`
	LastUpdated *int64 `json:"lastUpdated,omitempty"`
}

type domainMetadataAction struct {
	Domain        string `json:"domain"`
	Configuration string `json:"configuration"`
	Removed       bool   `json:"removed"`
}

type cdcAction struct {
	Path            string             `json:"path"`
	PartitionValues map[string]*string `json:"partitionValues"`
	Size            int64              `json:"size"`
	DataChange      bool               `json:"dataChange"`
	Tags            map[string]*string `json:"tags,omitempty"`
}

type checkpointMetadataAction struct {
	Version int64              `json:"version"`
	Tags    map[string]*string `json:"tags,omitempty"`
}

type sidecarAction struct {
	Path             string             `json:"path"`
	SizeInBytes      int64              `json:"sizeInBytes"`
	ModificationTime int64              `json:"modificationTime"`
	Tags             map[string]*string `json:"tags,omitempty"`
}

// decodeAction reads one line of a commit. Unknown actions and fields are
// ignored, as the protocol asks: what matters bears a feature's name.
func decodeAction(line []byte) (*action, error) {
	var a action
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

// appendAction appends a as one line, newline included, without the escapes
// that encoding/json adds for HTML.
func appendAction(dst []byte, a *action) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a); err != nil {
		return dst, fmt.Errorf("encode an action: %w", err)
	}
	return buf.Bytes(), nil
}

// key is the identity of the logical file.
func (a *addAction) key() table.Key {
	return table.Key{Path: decodePath(a.Path), DV: a.DeletionVector.ID()}
}

// key is the identity of the logical file that is gone.
func (r *removeAction) key() table.Key {
	return table.Key{Path: decodePath(r.Path), DV: r.DeletionVector.ID()}
}

// file describes the logical file as the table package does.
func (a *addAction) file() table.File {
	f := table.File{
		Path:      decodePath(a.Path),
		Size:      a.Size,
		Partition: a.PartitionValues,
		ModTime:   time.UnixMilli(a.ModificationTime).UTC(),
		Stats:     a.Stats,
		Rows:      statsRows(a.Stats),
		DV:        a.DeletionVector,
	}
	if len(a.Tags) > 0 {
		f.Tags = make(map[string]string, len(a.Tags))
		for k, v := range a.Tags {
			if v != nil {
				f.Tags[k] = *v
			}
		}
	}
	return f
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
