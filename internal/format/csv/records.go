package csv

// Records is the number of records cut so far, the bad ones included.
func (r *Reader) Records() int64 { return r.records }
