package contract

import (
	"slices"

	"landfall/internal/event"
	"landfall/internal/schema"
)

// The presets: ours, and those of Auto Loader's schema evolution modes.
const (
	Evolves          = "evolve"
	AddNewColumns    = "addNewColumns"
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
	// under the preset "none", where it means no such column. Without the
	// column, what it would hold is counted as ignored by policy.
	Rescue string
	// Columns overrides Kinds for single columns: path, as schema.Path writes it,
	// in any casing → kind → action.
	Columns map[string]map[Kind]string
	// Rules say how evidence becomes types.
	Rules Rules
	// Hints pin the types of columns.
	Hints Hints
	// CaseSensitive says that another casing of a column is not that column:
	// its values are rescued.
	CaseSensitive bool
	// Folders names the k=v folders that become columns; nil means all, an
	// empty list none.
	Folders []string
}

// RescueColumn returns the name of the rescue column, "" for none.
func (p Policy) RescueColumn() string {
	if p.Rescue == "" && p.Preset != NoEvolution {
		return RescuedData
	}
	return p.Rescue
}

// Action returns what to do on a kind of drift, and the rule that says so:
// "policy" for a choice of its own, else the name of the preset.
func (p Policy) Action(kind Kind) (action, rule string) {
	if action, ok := p.Kinds[kind]; ok {
		return action, "policy"
	}
	preset := p.Preset
	if preset == "" {
		preset = Evolves
	}
	if kind == event.ColumnAdded {
		switch preset {
		case RescueMode:
			return "rescue", preset
		case FailOnNewColumns:
			return "fail", preset
		case NoEvolution:
			return "ignore", preset
		}
	}
	if kind == event.FileRewritten && preset != Evolves {
		return "skip", preset
	}
	if choices := Choices(kind); len(choices) > 0 {
		return choices[0], preset
	}
	return "", preset
}

// Setting writes down what decides on a kind of drift, as a person sets it.
func (p Policy) Setting(kind Kind) string {
	action, rule := p.Action(kind)
	if rule == "policy" {
		return "policy " + string(kind) + ": " + action
	}
	return "cloudFiles.schemaEvolutionMode: " + rule
}

// Choices lists the actions that can be chosen for a kind of drift, that of
// our preset first; nil for a kind that has no policy.
func Choices(kind Kind) []string {
	switch kind {
	case event.ColumnAdded:
		return []string{"add", "rescue", "ignore", "fail"}
	case event.ColumnMissing:
		return []string{"null", "fail"}
	case event.ColumnRecased:
		return []string{"fold", "fail"}
	case event.NameCleaned, event.NameDuplicate:
		return []string{"clean", "fail"}
	case event.RecordRagged:
		return []string{"rescue", "fail"}
	case event.FileForeign:
		return []string{"quarantine", "land", "fail"}
	case event.ColumnOrder:
		return []string{"by_name"}
	case event.PartitionClash:
		return []string{"path"}
	case event.RecordMalformed, event.FileUnreadable, event.FileEmpty:
		return []string{"quarantine"}
	case event.FileRewritten:
		return []string{"replace", "skip", "append", "fail"}
	case event.FileVanished:
		return []string{"skip"}
	default:
		return nil
	}
}

// Kinds lists the kinds of drift that have a policy.
func Kinds() []Kind {
	return []Kind{
		event.ColumnAdded, event.ColumnMissing, event.ColumnRecased, event.ColumnOrder,
		event.NameCleaned, event.NameDuplicate, event.RecordMalformed, event.RecordRagged,
		event.FileUnreadable, event.FileEmpty, event.FileForeign, event.FileRewritten,
		event.FileVanished, event.PartitionClash,
	}
}

// takes reports whether a folder's key becomes a column.
func (p Policy) takes(key string) bool {
	return p.Folders == nil || slices.ContainsFunc(p.Folders, func(f string) bool {
		return schema.Fold(f) == schema.Fold(key)
	})
}

// reserves reports whether a folded name is that of a metadata column.
func (p Policy) reserves(folded string) bool {
	return slices.Contains([]string{RescuedData, SourceFile, IngestedAt, schema.Fold(p.RescueColumn())}, folded)
}
