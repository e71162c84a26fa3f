package evolution

import (
	"slices"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/inference"
)

// spot is what one object says of a part of a column; seen is nil where the object
// has values that nothing is known of.
type spot struct {
	file string
	seen *column.Evidence
}

// spots are what objects say of each column: of its fields, while the value of a
// folder, and names that evidence did not keep, could be anything.
func (e *evolution) spots(objects []contract.ObjectEvidence) [][]spot {
	spots := make([][]spot, len(e.index.Columns))
	for i := range objects {
		o := &objects[i]
		if _, foreign := e.foreign[o.Path]; foreign || len(o.Header) == 0 {
			continue
		}
		b := e.index.Bind(o.Header, o.Partitions, o.Tree)
		for k, f := range b.Fields {
			if f.Column >= 0 && !f.Folder && k < len(o.Evidence.Fields) {
				spots[f.Column] = append(spots[f.Column], spot{o.Path, &o.Evidence.Fields[k].Evidence})
			}
		}
		for _, k := range b.Folders {
			if k.Column >= 0 {
				spots[k.Column] = append(spots[k.Column], spot{file: o.Path})
			}
		}
		for at := range spots {
			if o.Evidence.Overflow > 0 {
				spots[at] = append(spots[at], spot{file: o.Path})
			}
		}
	}
	return spots
}

// stand is what a batch, and the life of its table, say of a part of a column.
type stand struct{ batch, life []spot }

// members are what is said of the fields of a struct.
func (s stand) members(fields int, names *contract.Names) []stand {
	split := func(e *column.Evidence, found func(part int, e *column.Evidence)) {
		for i := range e.Fields {
			if at, _ := names.Find(e.Fields[i].Name); at >= 0 {
				found(at, &e.Fields[i].Evidence)
			}
		}
	}
	batch, life, members := splitSpots(s.batch, fields, split), splitSpots(s.life, fields, split), make([]stand, fields)
	for i := range members {
		members[i] = stand{batch[i], life[i]}
	}
	return members
}

// element is what is said of the elements of arrays, or with maps of the values of
// maps: objects have those of all their members.
func (s stand) element(maps bool) stand {
	split := func(e *column.Evidence, found func(part int, e *column.Evidence)) {
		if e.Element != nil {
			found(0, e.Element)
		}
		for i := range e.Fields {
			if maps {
				found(0, &e.Fields[i].Evidence)
			}
		}
	}
	return stand{splitSpots(s.batch, 1, split)[0], splitSpots(s.life, 1, split)[0]}
}

// untexted is what would be said of a scalar if no value were text.
func (s stand) untexted(m inference.Method) stand {
	clean := func(spots []spot) []spot {
		spots = slices.Clone(spots)
		for i, of := range spots {
			if of.seen != nil {
				seen := m.Untexted(of.seen)
				spots[i].seen = &seen
			}
		}
		return spots
	}
	return stand{clean(s.batch), clean(s.life)}
}

// splitSpots splits what objects say of a whole by its parts.
func splitSpots(spots []spot, parts int, split func(e *column.Evidence, found func(part int, e *column.Evidence))) [][]spot {
	out := make([][]spot, parts)
	for _, of := range spots {
		if of.seen == nil || of.seen.Overflow > 0 {
			for part := range out {
				out[part] = append(out[part], spot{file: of.file})
			}
		}
		if of.seen != nil {
			split(of.seen, func(part int, e *column.Evidence) { out[part] = append(out[part], spot{of.file, e}) })
		}
	}
	return out
}
