package supply

import (
	"slices"

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
	// torn tells that a column has types of which no cast reaches the other: all values
	// have to be looked at.
	torn bool
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
	t, casts := common(u.columns[i].Type, c.Type)
	u.columns[i].Type = t
	u.torn = u.torn || !casts
}

// common is the type of which the values of two types are made by a cast, none of them
// lost, and whether there is such a cast.
func common(a, b schema.Type) (t schema.Type, casts bool) {
	if t, lossless := schema.Join(a, b); lossless && t != nil {
		return t, true
	}
	switch a := a.(type) {
	case schema.Struct:
		if b, ok := b.(schema.Struct); ok {
			return commonStruct(a, b)
		}
	case schema.Array:
		if b, ok := b.(schema.Array); ok {
			e, casts := common(a.Element, b.Element)
			return schema.Array{Element: e, ContainsNull: true}, casts
		}
	case schema.Map:
		if b, ok := b.(schema.Map); ok {
			k, keys := common(a.Key, b.Key)
			v, values := common(a.Value, b.Value)
			return schema.Map{Key: k, Value: v, ValueContainsNull: true}, keys && values
		}
	}
	binary := schema.Type(schema.Binary)
	if a == binary && b == schema.Type(schema.String) || b == binary && a == schema.Type(schema.String) {
		return binary, true
	}
	// Bytes need not be text, and texts of structs do not tell their fields.
	return schema.String, schema.Scalar(a) && schema.Scalar(b) && a != binary && b != binary
}

func commonStruct(a, b schema.Struct) (schema.Type, bool) {
	var all union
	for _, f := range slices.Concat(a.Fields, b.Fields) {
		all.add(f)
	}
	return schema.Struct{Fields: all.columns}, !all.torn
}

// at is where a column stands, behind all others if it is none of them.
func (u *union) at(name string) int {
	if i, ok := u.places[schema.Fold(name)]; ok {
		return i
	}
	return len(u.columns)
}

func (u *union) has(name string) bool { return u.at(name) < len(u.columns) }
