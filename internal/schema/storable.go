package schema

// Storable returns what of a type a data file can hold: fields of type void,
// structs without fields, and arrays and maps of these are left out. ok is false
// if nothing is left.
func Storable(t Type) (s Type, ok bool) {
	switch t := t.(type) {
	case nil:
		return nil, false
	case Array:
		t.Element, ok = Storable(t.Element)
		return t, ok
	case Map:
		var key, value bool
		t.Key, key = Storable(t.Key)
		t.Value, value = Storable(t.Value)
		return t, key && value
	case Struct:
		fields := make([]Field, 0, len(t.Fields))
		for _, f := range t.Fields {
			if f.Type, ok = Storable(f.Type); ok {
				fields = append(fields, f)
			}
		}
		return Struct{Fields: fields}, len(fields) > 0
	default:
		return t, t != Type(Unknown)
	}
}
