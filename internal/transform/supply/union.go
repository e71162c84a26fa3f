package supply

import (
	"landfall/internal/schema"
)

// Kind is how a column of a file differs.
type Kind string

// How a column of a file differs from the projection, or from the first file.
const (
	Added   Kind = "added"
	Missing Kind = "missing"
	Retyped Kind = "type"
	Recased Kind = "casing"
)

// Drift is a column in which a file differs.
type Drift struct {
	Kind   Kind   `json:"kind"`
	Column string `json:"column"`
	// From is the type or the name that was expected, To what the file has; "" for none.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// String says it for people.
func (d Drift) String() string {
	switch d.Kind {
	case Added:
		return "+ " + d.Column + " " + d.To
	case Missing:
		return "- " + d.Column
	case Retyped:
		return d.Column + " " + d.From + " → " + d.To
	}
	return d.From + " is spelt " + d.To
}

// drift compares the columns of a file with others. Fields of structs are part of a type.
func drift(want, got []schema.Field) []Drift {
	out := []Drift{}
	wanted, found := schema.Struct{Fields: want}, schema.Struct{Fields: got}
	for _, c := range got {
		i := wanted.Lookup(c.Name)
		if i < 0 {
			out = append(out, Drift{Kind: Added, Column: c.Name, To: c.Type.String()})
			continue
		}
		w := want[i]
		if w.Name != c.Name {
			out = append(out, Drift{Kind: Recased, Column: w.Name, From: w.Name, To: c.Name})
		}
		if w.Type.String() != c.Type.String() {
			out = append(out, Drift{Kind: Retyped, Column: w.Name, From: w.Type.String(), To: c.Type.String()})
		}
	}
	for _, w := range want {
		if found.Lookup(w.Name) < 0 {
			out = append(out, Drift{Kind: Missing, Column: w.Name, From: w.Type.String()})
		}
	}
	return out
}

// union is the columns of several files, put together by name.
type union struct {
	columns []schema.Field
	places  map[string]int
}

// add adds a column. Where its type and the one that stands have none that holds the
// values of both, it is text.
func (u *union) add(c schema.Field) {
	if u.places == nil {
		u.places = map[string]int{}
	}
	key := schema.Fold(c.Name)
	i, ok := u.places[key]
	if !ok {
		u.places[key] = len(u.columns)
		u.columns = append(u.columns, schema.Field{Name: c.Name, Type: c.Type, Nullable: true})
		return
	}
	t, lossless := schema.Join(u.columns[i].Type, c.Type)
	if !lossless || t == nil {
		t = schema.String
	}
	u.columns[i].Type = t
}
