package schema

// Path is the way to a column or a part of one: names of fields, and "element",
// "key" and "value" for the parts of arrays and maps.
type Path []string
