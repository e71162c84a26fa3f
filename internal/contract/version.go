package contract

import (
	"encoding/json"
	"fmt"

	"landfall/internal/schema"
)

// versionFormat is the newest format of a version on disk, and plainFormat that of
// one without decisions (docs/format/contract.md).
const (
	versionFormat = 2
	plainFormat   = 1
)

// plain is a Version without its methods.
type plain Version

type stored struct {
	Format int `json:"format"`
	plain
}

// MarshalJSON writes the version with the number of its format in front.
func (v Version) MarshalJSON() ([]byte, error) {
	format := plainFormat
	if len(v.Decisions) > 0 {
		format = versionFormat
	}
	return json.Marshal(stored{format, plain(v)})
}

// UnmarshalJSON reads a version of any format so far.
func (v *Version) UnmarshalJSON(data []byte) error {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if s.Format < plainFormat || s.Format > versionFormat {
		return fmt.Errorf("contract of format %d, want %d or less: it was written by another release", s.Format, versionFormat)
	}
	if err := check(s.Columns); err != nil {
		return err
	}
	*v = Version(s.plain)
	return nil
}

// check refuses columns that no version can have: without a name or type, or two
// of one.
func check(columns []Column) error {
	names, originals := make(map[string]bool, len(columns)), make(map[nth]bool, len(columns))
	for i, c := range columns {
		folded, id := schema.Fold(c.Name), c.nth()
		switch {
		case folded == "" || c.Original == "":
			return fmt.Errorf("column %d of the contract has no name", i+1)
		case names[folded] || originals[id]:
			return fmt.Errorf("column %s stands twice in the contract", c.Name)
		}
		t, err := c.SchemaType()
		if err != nil {
			return err
		}
		if name, twice := repeated(t); twice {
			return fmt.Errorf("field %s of column %s stands twice in the contract", name, c.Name)
		}
		names[folded], originals[id] = true, true
	}
	return nil
}

// repeated finds a field that a struct has twice, by its stored or its original
// name.
func repeated(t schema.Type) (name string, found bool) {
	switch t := t.(type) {
	case schema.Array:
		return repeated(t.Element)
	case schema.Map:
		if name, found = repeated(t.Key); found {
			return name, true
		}
		return repeated(t.Value)
	case schema.Struct:
		names, originals := make(map[string]bool, len(t.Fields)), make(map[string]bool, len(t.Fields))
		for _, f := range t.Fields {
			original, _ := schema.Original(f)
			if names[schema.Fold(f.Name)] || originals[schema.Fold(original)] {
				return f.Name, true
			}
			names[schema.Fold(f.Name)], originals[schema.Fold(original)] = true, true
			if name, found = repeated(f.Type); found {
				return name, true
			}
		}
	}
	return "", false
}
