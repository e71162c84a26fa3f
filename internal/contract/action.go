package contract

import (
	"maps"
	"slices"

	"landfall/internal/event"
	"landfall/internal/schema"
)

// Action returns what to do on a kind of drift, and the rule that says so:
// "policy" for a choice of its own, else the name of the preset, or "note" for
// a kind that has no policy.
func (p Policy) Action(kind Kind) (action, rule string) {
	if action, ok := p.Kinds[kind]; ok {
		return p.possible(kind, action), "policy"
	}
	action, rule = p.preset(kind)
	return p.possible(kind, action), rule
}

// ActionOf returns what to do on a kind of drift of one column or part of one,
// by its path of original names as [schema.Path] writes it: the choice for the
// path, or for what it is part of, comes before that for all columns.
func (p Policy) ActionOf(kind Kind, path string) (action, rule string) {
	if len(p.Columns) > 0 {
		for folded := schema.Fold(path); folded != ""; folded = parent(folded) {
			if action, ok := p.choice(kind, folded); ok {
				return p.possible(kind, action), "policy"
			}
		}
	}
	return p.Action(kind)
}

// OfMisfits returns what becomes of values that do not fit a column, or part of one,
// and the rule that says so: where types widen, those of a wider type are misfits
// only of one that could not, and rescued.
func (p Policy) OfMisfits(kind Kind, path string) (action, rule string) {
	if action, rule = p.ActionOf(kind, path); action == widens || action == ByFeature {
		action = p.possible(kind, "rescue")
	}
	return action, rule
}

// widens is the action that lets types widen.
const widens = "widen"

// ByFeature is the action that lets types widen without a file being written again,
// where Delta's type widening has readers take the old files for the new type. Other
// types widen as under "widen".
const ByFeature = "feature"

// Uses reports whether an action is that for a kind of drift of any column.
func (p Policy) Uses(kind Kind, action string) bool {
	if of, _ := p.Action(kind); of == action {
		return true
	}
	for _, kinds := range p.Columns {
		if kinds[kind] == action {
			return true
		}
	}
	return false
}

// choice finds the choice for a folded path.
func (p Policy) choice(kind Kind, folded string) (action string, ok bool) {
	if action, ok := p.Columns[folded][kind]; ok {
		return action, true
	}
	for _, path := range slices.Sorted(maps.Keys(p.Columns)) {
		if action, ok := p.Columns[path][kind]; ok && schema.Fold(path) == folded {
			return action, true
		}
	}
	return "", false
}

// parent cuts the last name off a path, "" if it is the only one.
func parent(path string) string {
	quoted, at := false, 0
	for i := range len(path) {
		switch {
		case path[i] == '`':
			quoted = !quoted
		case path[i] == '.' && !quoted:
			at = i
		}
	}
	return path[:at]
}

// preset is the action of the preset.
func (p Policy) preset(kind Kind) (action, rule string) {
	preset := p.Preset
	if preset == "" {
		preset = Evolves
	}
	switch kind {
	case event.TypeWider:
		if preset != Evolves && preset != TypeWidening {
			return "rescue", preset
		}
	case event.ColumnAdded:
		switch preset {
		case RescueMode:
			return "rescue", preset
		case FailOnNewColumns:
			return "fail", preset
		case NoEvolution:
			return "ignore", preset
		}
	case event.FileRewritten:
		if preset != Evolves {
			return "skip", preset
		}
	case event.RecordMalformed:
		if preset != Evolves && preset != NoEvolution {
			return "rescue", preset
		}
	}
	if choices := Choices(kind); len(choices) > 0 {
		return choices[0], preset
	}
	return "", "note"
}

// possible replaces the action "rescue" where there is no rescue column.
func (p Policy) possible(kind Kind, action string) string {
	if action != "rescue" || p.RescueColumn() != "" {
		return action
	}
	switch {
	case kind == event.ColumnAdded && p.Preset == NoEvolution:
		return "ignore"
	case p.Preset == NoEvolution && kind != event.RecordMalformed:
		return "null"
	default:
		return "quarantine"
	}
}

// Setting writes down what decides on a kind of drift, as a person sets it.
func (p Policy) Setting(kind Kind) string { return p.SettingOf(kind, "") }

// SettingOf is Setting for one column or part of one, by its path as for [Policy.ActionOf].
func (p Policy) SettingOf(kind Kind, path string) string {
	action, rule := p.ActionOf(kind, path)
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
	case event.TypeWider:
		return []string{widens, ByFeature, "rescue", "fail"}
	case event.ValueMisfit, event.TypeConflict:
		return []string{"rescue", "null", "quarantine", "fail"}
	case event.ValueTruncated:
		return []string{"land", "rescue", "fail"}
	case event.ZoneAssumed, event.CalendarRebased:
		return []string{"land", "fail"}
	case event.RecordRagged:
		return []string{"rescue", "quarantine", "fail"}
	case event.RecordMalformed:
		return []string{"quarantine", "rescue", "drop", "fail"}
	case event.KeyDuplicate:
		return []string{"rescue", "fail"}
	case event.FileForeign:
		return []string{"quarantine", "land", "fail"}
	case event.ColumnOrder:
		return []string{"by_name"}
	case event.PartitionClash:
		return []string{"path"}
	case event.FileUnreadable, event.FileEmpty:
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
	return slices.Concat([]Kind{
		event.ColumnAdded, event.ColumnMissing, event.ColumnRecased, event.ColumnOrder,
		event.NameCleaned, event.NameDuplicate, event.RecordMalformed, event.RecordRagged,
		event.FileUnreadable, event.FileEmpty, event.FileForeign, event.FileRewritten,
		event.FileVanished, event.PartitionClash,
	}, ColumnKinds(), []Kind{event.KeyDuplicate})
}

// ColumnKinds lists those of single values, which columns may have of their own.
func ColumnKinds() []Kind {
	return []Kind{
		event.TypeWider, event.TypeConflict, event.ValueMisfit, event.ValueTruncated, event.ZoneAssumed, event.CalendarRebased,
	}
}
