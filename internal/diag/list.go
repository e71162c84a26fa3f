package diag

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mostShown is how many problems of a list are printed; the rest is counted.
const mostShown = 10

// List is several problems met at once. The zero value is an empty list.
type List []*Diagnostic

// Add appends a problem.
func (l *List) Add(d *Diagnostic) { *l = append(*l, d) }

// Merge appends the problems that err holds; any other error becomes one
// without a code.
func (l *List) Merge(err error) {
	var many List
	var one *Diagnostic
	switch {
	case err == nil:
	case errors.As(err, &many):
		*l = append(*l, many...)
	case errors.As(err, &one):
		l.Add(one)
	default:
		l.Add(&Diagnostic{Message: err.Error(), Cause: err})
	}
}

// Err returns nil for an empty list, its only member, or the list sorted by
// place.
func (l List) Err() error {
	switch len(l) {
	case 0:
		return nil
	case 1:
		return l[0]
	}
	sorted := slices.Clone(l)
	slices.SortStableFunc(sorted, func(a, b *Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.At.File, b.At.File),
			cmp.Compare(a.At.Line, b.At.Line),
			cmp.Compare(a.At.Column, b.At.Column),
			cmp.Compare(a.At.Record, b.At.Record),
			cmp.Compare(a.At.Offset, b.At.Offset),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return sorted
}

// Error renders the first line of each problem, capped.
func (l List) Error() string {
	lines := make([]string, 0, mostShown+1)
	for _, d := range l[:min(len(l), mostShown)] {
		lines = append(lines, d.Error())
	}
	if rest := len(l) - mostShown; rest > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the problems, so that errors.Is and errors.As find them.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, d := range l {
		errs[i] = d
	}
	return errs
}

// Nearest returns the candidate that a misspelt word most likely means, or ""
// if none is near. Casing and a missing or added prefix up to the last dot
// count little.
func Nearest(word string, candidates []string) string {
	best, least := "", 1<<30
	for _, c := range candidates {
		if d := distance(bare(word), bare(c)); d < least {
			best, least = c, d
		}
	}
	if least > 1+len(bare(word))/4 {
		return ""
	}
	return best
}

// bare is a word without prefix and casing.
func bare(word string) string {
	return strings.ToLower(word[strings.LastIndexByte(word, '.')+1:])
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b.
func distance(a, b string) int {
	before, last := []int(nil), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			same := 1
			if a[i-1] == b[j-1] {
				same = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+same)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
