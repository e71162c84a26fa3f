package contract

import (
	"slices"

	"landfall/internal/event"
	"landfall/internal/hint"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// The presets: ours, and those of Auto Loader's schema evolution modes.
const (
	Evolves          = "evolve"
	AddNewColumns    = "addNewColumns"
	TypeWidening     = "addNewColumnsWithTypeWidening"
	RescueMode       = "rescue"
	FailOnNewColumns = "failOnNewColumns"
	NoEvolution      = "none"
)

// Kind is a kind of drift, by its name in policies.
type Kind = event.Kind

// Policy says what to do on each kind of drift. The zero value is our preset.
type Policy struct {
	// Preset is "evolve" or one of Auto Loader's modes; "" means "evolve".
	Preset string
	// Kinds overrides the preset: kind → action.
	Kinds map[Kind]string
	// Rescue is the name of the rescue column; "" means _rescued_data, except
	// under the preset "none", where it means no such column.
	Rescue string
	// NoRescue says that there is no rescue column under other presets either:
	// rows with misfits go to quarantine. Under "none" misfits are null, and
	// counted as ignored by policy.
	NoRescue bool
	// Columns overrides Kinds for single columns: path, as schema.Path writes it,
	// in any casing → kind → action.
	Columns map[string]map[Kind]string
	// Rules say how evidence becomes types.
	Rules inference.Rules
	// Hints pin the types of columns.
	Hints hint.Set
	// Decisions are those that people wrote down for the source. With the first
	// landing they come into force; later ones that are not ([Pending]) are for
	// the caller to carry out by [Decide].
	Decisions []Decision
	// CaseSensitive says that another casing of a column is not that column:
	// its values are rescued.
	CaseSensitive bool
	// MaxColumns is the number of columns and nested fields that the contract
	// has at most; the values of more are rescued. 0 means 20,480.
	MaxColumns int
	// Folders names the k=v folders that become columns; nil means all, an
	// empty list none.
	Folders []string
	// Bare says that the table has no columns of ours but that for rescued values.
	Bare bool
}

// RescueColumn returns the name of the rescue column, "" for none.
func (p Policy) RescueColumn() string {
	if p.NoRescue || p.Rescue == "" && p.Preset == NoEvolution {
		return ""
	}
	if p.Rescue == "" {
		return RescuedData
	}
	return p.Rescue
}

// FieldLimit is the number of columns and nested fields that a contract has at
// most.
func (p Policy) FieldLimit() int {
	if p.MaxColumns > 0 {
		return p.MaxColumns
	}
	return 20_480
}

// Method is how the policy makes types of evidence. Under the modes of Auto Loader
// strings do not convert.
func (p Policy) Method() inference.Method {
	return inference.Method{Rules: p.Rules, CaseSensitive: p.CaseSensitive, Strict: p.Preset != "" && p.Preset != Evolves}
}

// takes reports whether a folder's key becomes a column.
func (p Policy) takes(key string) bool {
	return p.Folders == nil || slices.ContainsFunc(p.Folders, func(f string) bool {
		return schema.Fold(f) == schema.Fold(key)
	})
}

// Reserves reports whether a folded name is that of a metadata column.
func (p Policy) Reserves(folded string) bool {
	return slices.Contains([]string{RescuedData, SourceFile, IngestedAt, schema.Fold(p.RescueColumn())}, folded)
}
