package contract

import (
	"encoding/json"
	"fmt"
)

// versionFormat is the format of a version on disk (docs/format/contract.md).
const versionFormat = 1

// plain is a Version without its methods.
type plain Version

type stored struct {
	Format int `json:"format"`
	plain
}

// MarshalJSON writes the version with the number of its format in front.
func (v Version) MarshalJSON() ([]byte, error) {
	return json.Marshal(stored{versionFormat, plain(v)})
}

// UnmarshalJSON reads a version of any format so far.
func (v *Version) UnmarshalJSON(data []byte) error {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if s.Format != versionFormat {
		return fmt.Errorf("contract of format %d, want %d: it was written by another release", s.Format, versionFormat)
	}
	*v = Version(s.plain)
	return nil
}
