package reconcile

// Report is what a proof found. Its JSON is an interface: keys may be added, never
// changed. It does not depend on the number of workers.
type Report struct {
	// Reconciled says that nothing differs.
	Reconciled bool  `json:"reconciled"`
	Rows       Count `json:"rows"`
	// Files are the objects, in the order of the proof.
	Files []File `json:"files"`
	// Columns are the paths of values, sorted.
	Columns []Path `json:"columns"`
	// Differences are the first, by file and column; Total is how many there are.
	Differences []Difference `json:"differences"`
	Total       int64        `json:"differences_total"`
}

// Count is a number of rows in the files and in the copy.
type Count struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

// File is the account of one object. After counts the rows of the copy that come
// from it.
type File struct {
	File string `json:"file"`
	Count
	// Equal says that its rows and all of their values are in the copy.
	Equal bool `json:"equal"`
}

// Path is the account of one column, or of one part of a column without parts of
// its own. Of an array it has the lengths, of a map that it is there.
type Path struct {
	// Column is the path in the names of the files, as schema.Path writes it.
	Column string  `json:"column"`
	Before Figures `json:"before"`
	After  Figures `json:"after"`
	// Converted counts the values that stand in another type than their file's,
	// Rescued those in the rescue column, Truncated the instants that lost digits
	// beyond the microsecond.
	Converted int64 `json:"converted"`
	Rescued   int64 `json:"rescued"`
	Truncated int64 `json:"truncated,omitzero"`
	// Examples are the first converted and rescued values.
	Examples []Example `json:"examples,omitempty"`
	Equal    bool      `json:"equal"`
}

// Figures sum up values.
type Figures struct {
	// Values are those that are not null, Nulls the others; of a part of an array or
	// a map, of its elements.
	Values int64 `json:"values"`
	Nulls  int64 `json:"nulls"`
	// Min and Max are the least and the greatest value as text, empty where there is
	// none; Sum is that of numbers: in all its digits, but for floating-point numbers,
	// of which it is the double that is nearest.
	Min string `json:"min,omitempty"`
	Max string `json:"max,omitempty"`
	Sum string `json:"sum,omitempty"`
	// Hash is one of all values and the rows that they are in, in hex.
	Hash string `json:"hash"`
}

// Example is a value that the copy holds otherwise than the file.
type Example struct {
	File string `json:"file"`
	// Row is its number in the file, from 1.
	Row   int64  `json:"row"`
	Found string `json:"found"`
	// Became is the value in its column, Rescued the one in the rescue column; one of
	// them is set.
	Became  string `json:"became,omitempty"`
	Rescued string `json:"rescued,omitempty"`
}

// Difference is something that is not in the copy as it was in the files.
type Difference struct {
	// File is the object, or a data file of the copy that cannot be read. Column is
	// empty if it is about the whole file.
	File   string `json:"file"`
	Column string `json:"column,omitempty"`
	// What is one of the constants. Row is the first row concerned, from 1, 0 if none
	// is known.
	What string `json:"what"`
	Row  int64  `json:"row,omitzero"`
	// Before and After are what the file and the copy have: in that row, or without one
	// how many values and their hash.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// What differs.
const (
	// Rows: the copy has another number of rows of the file.
	Rows = "rows"
	// Order: the rows of the copy are not those of the file, each once.
	Order = "order"
	// Values: the copy has other values, or has them in other rows.
	Values = "values"
	// Rescued: the rescue column has something that the file has not.
	Rescued = "rescued"
	// Gone: there is no such file. Unreadable: it cannot be read, or its schema is not
	// what was wanted. Changed: it is not the file that was copied.
	Gone       = "gone"
	Unreadable = "unreadable"
	Changed    = "changed"
)

// MaxDifferences is how many differences a report lists.
const MaxDifferences = 100
