package delta

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"landfall/internal/store"
	"landfall/internal/table/delta/action"
)

const (
	logFolder      = "_delta_log/"
	lastCheckpoint = logFolder + "_last_checkpoint"
	sidecarFolder  = logFolder + "_sidecars/"
)

// versionKey is the key of a commit.
func versionKey(v int64) string { return fmt.Sprintf("%s%020d.json", logFolder, v) }

// checkpointKey is the key of a checkpoint of one file without a UUID.
func checkpointKey(v int64) string {
	return fmt.Sprintf("%s%020d.checkpoint.parquet", logFolder, v)
}

// beforeVersion sorts before every key of version v and after those of v-1.
func beforeVersion(v int64) string { return fmt.Sprintf("%s%020d", logFolder, v) }

type kind int

const (
	other kind = iota
	commitFile
	checkpointSingle // n.checkpoint.parquet, or with a UUID and then parquet or json
	checkpointPart
)

// logName is what the name of a file in the log says.
type logName struct {
	key         string
	stamp       string // the version of the file
	kind        kind
	version     int64
	part, parts int64 // of a checkpoint in several files, from 1
}

// parseName understands a key of the log; kind other is for files to ignore:
// checksums, compacted logs, what later protocols may add.
func parseName(key string) logName {
	n := logName{key: key}
	fields := strings.Split(strings.TrimPrefix(key, logFolder), ".")
	v, ok := digits(fields[0], 20)
	if !ok {
		return n
	}
	n.version = v
	switch {
	case len(fields) == 2 && fields[1] == "json":
		n.kind = commitFile
	case len(fields) < 3 || fields[1] != "checkpoint":
	case len(fields) == 3 && fields[2] == "parquet",
		len(fields) == 4 && len(fields[2]) == 36 && (fields[3] == "parquet" || fields[3] == "json"):
		n.kind = checkpointSingle
	case len(fields) == 5 && fields[4] == "parquet":
		part, ok1 := digits(fields[2], 10)
		parts, ok2 := digits(fields[3], 10)
		if ok1 && ok2 && part >= 1 && part <= parts {
			n.kind, n.part, n.parts = checkpointPart, part, parts
		}
	}
	return n
}

// digits reads a number of exactly n digits.
func digits(s string, n int) (int64, bool) {
	if len(s) != n || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	v, err := strconv.ParseInt(s, 10, 64)
	return v, err == nil
}

// names yields the commits and checkpoints of the log from version `from` on.
func names(ctx context.Context, s store.Store, from int64) iter.Seq2[logName, error] {
	return func(yield func(logName, error) bool) {
		after := ""
		if from > 0 {
			after = beforeVersion(from)
		}
		for info, err := range s.List(ctx, logFolder, after) {
			if err != nil {
				yield(logName{}, fmt.Errorf("list the log: %w", err))
				return
			}
			name := strings.TrimPrefix(info.Key, logFolder)
			if name > ":" { // past all digits: _last_checkpoint, _sidecars/…
				return
			}
			n := parseName(info.Key)
			n.stamp = info.Version
			if n.kind != other && !yield(n, nil) {
				return
			}
		}
	}
}

// hint is the content of _last_checkpoint, as far as it matters.
type hint struct {
	Version       int64  `json:"version"`
	Size          int64  `json:"size"`
	SizeInBytes   *int64 `json:"sizeInBytes,omitempty"`
	NumOfAddFiles *int64 `json:"numOfAddFiles,omitempty"`
}

// readHint returns the version that _last_checkpoint names, -1 if it names
// none. A hint that cannot be understood is no hint.
func readHint(ctx context.Context, s store.Store) (int64, error) {
	data, err := store.Read(ctx, s, lastCheckpoint)
	if errors.Is(err, store.ErrNotExist) {
		return -1, nil
	}
	if err != nil {
		return -1, fmt.Errorf("read %s: %w", lastCheckpoint, err)
	}
	h := hint{Version: -1}
	if json.Unmarshal(data, &h) != nil {
		return -1, nil
	}
	return max(h.Version, -1), nil
}

// actions yields the actions of a commit in their order. It ends after the
// first error; that of an absent version is store.ErrNotExist.
func actions(ctx context.Context, s store.Store, version int64) iter.Seq2[*action.Action, error] {
	return action.Lines(ctx, s, versionKey(version))
}
