package evolution

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// pair is what went and what came in one object: columns that stood, and new
// ones with their places in the header (-1 in a tree).
type pair struct {
	file       string
	gone, came []int
	places     []int
	objects    int64
}

// mostCompared is the number of names that went times those that came; beyond,
// this is no renaming. mostPairs are remembered: a feed whose files differ more
// often has no names that stand.
const (
	mostCompared = 1 << 12
	mostPairs    = 256
)

// renamed remembers what an object lacks and what it brings, if both: of the
// columns that stood and those that the batch adds, and of those that files of the
// batch had before and those that this one is the first to have.
func (e *evolution) renamed(o contract.ObjectEvidence, b contract.Binding, has []bool, known int) {
	e.side(has)
	e.exchanged(o, b, has, 0, e.stood)
	e.exchanged(o, b, has, e.stood, known)
}

// side remembers what stands side by side in an object: that is no renaming.
func (e *evolution) side(has []bool) {
	for _, p := range e.pairs {
		for _, gone := range p.gone {
			for _, came := range p.came {
				if has[gone] && has[came] {
					e.both[[2]int{gone, came}] = true
				}
			}
		}
	}
}

// exchanged remembers which of the columns from..to an object lacks, and which of
// those behind them it has.
func (e *evolution) exchanged(o contract.ObjectEvidence, b contract.Binding, has []bool, from, to int) {
	p := pair{file: o.Path, objects: 1}
	for i, c := range e.index.Columns[from:to] {
		if !has[from+i] && !c.Retired && !c.Partition && !e.index.Ignores(c) {
			p.gone = append(p.gone, from+i)
		}
	}
	if len(p.gone) == 0 {
		return
	}
	met := make(map[int]bool)
	for i, f := range b.Fields {
		at := e.index.Find(f.Base, f.K)
		if at < to || f.Folder || met[at] {
			continue
		}
		met[at] = true
		if o.Tree {
			i = -1
		}
		p.came, p.places = append(p.came, at), append(p.places, i)
	}
	if len(p.came) == 0 || len(p.gone)*len(p.came) > mostCompared {
		return
	}
	for i := range e.pairs { // files of one feed are alike
		q := &e.pairs[i]
		if slices.Equal(p.gone, q.gone) && slices.Equal(p.came, q.came) && slices.Equal(p.places, q.places) {
			q.objects++
			return
		}
	}
	if len(e.pairs) < mostPairs {
		e.pairs = append(e.pairs, p)
	}
}

// likeness says how likely one column is another under a new name.
type likeness struct {
	gone, came int
	// rank is the rule that found it: 3 equal but for signs and casing, 2 one
	// begins with the other, 1 spelt alike, 0 the same place.
	rank  int
	share float64
}

// tellRenamed notes the columns that may have been renamed. It changes nothing.
func (e *evolution) tellRenamed() {
	for _, p := range e.pairs {
		for _, l := range e.alike(p) {
			from, to := e.index.Columns[l.gone], e.index.Columns[l.came]
			e.noteOf(from, event.ColumnRenamed, "as added and missing", event.Drift{
				File: p.file, From: from.Title(), To: to.Title(), Count: p.objects,
				Hint: fmt.Sprintf("if %s is %s under another name, landfall drift decide makes them one column", to.Title(), from.Title()),
			})
		}
	}
}

// alike finds which columns that came are like one that went, each once.
func (e *evolution) alike(p pair) []likeness {
	var all []likeness
	for _, gone := range p.gone {
		for i, came := range p.came {
			if e.both[[2]int{gone, came}] {
				continue
			}
			if l, ok := e.like(gone, came); ok {
				all = append(all, l)
			} else if len(p.gone) == 1 && len(p.came) == 1 && p.places[i] == gone && e.sameFamily(gone, came) {
				all = append(all, likeness{gone: gone, came: came})
			}
		}
	}
	slices.SortFunc(all, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.share, a.share),
			cmp.Compare(a.gone, b.gone), cmp.Compare(a.came, b.came))
	})
	var out []likeness
	for _, l := range all {
		if !slices.ContainsFunc(out, func(o likeness) bool { return o.gone == l.gone || o.came == l.came }) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b likeness) int { return cmp.Compare(a.gone, b.gone) })
	return out
}

// like compares the names of two columns of one family of types.
func (e *evolution) like(gone, came int) (l likeness, ok bool) {
	const prefix, enough = 3, 0.6
	if e.left[came] || !e.sameFamily(gone, came) {
		return l, false
	}
	a, b := bareName(e.index.Columns[gone].Original), bareName(e.index.Columns[came].Original)
	l = likeness{gone: gone, came: came, share: similarity(a, b)}
	short := min(len(a), len(b))
	switch {
	case short == 0:
		return l, false
	case string(a) == string(b):
		l.rank = 3
	case short >= prefix && string(a[:short]) == string(b[:short]):
		l.rank = 2
	case l.share >= enough:
		l.rank = 1
	default:
		return l, false
	}
	return l, true
}

// sameFamily reports whether the types of two columns are of one family.
func (e *evolution) sameFamily(a, b int) bool {
	x, err1 := schema.ParseDDL(e.index.Columns[a].Type)
	y, err2 := schema.ParseDDL(e.index.Columns[b].Type)
	return err1 == nil && err2 == nil && x != schema.Unknown && schema.Family(x) == schema.Family(y)
}

// bareName is the letters and digits of a name, folded.
func bareName(name string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, schema.Fold(name)))
}

// similarity is the share of letters that two names have in common: 1 less the
// edits from one to the other by the length of the longer.
func similarity(a, b []rune) float64 {
	longest := max(len(a), len(b))
	if longest == 0 {
		return 0
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return 1 - float64(row[len(b)])/float64(longest)
}
