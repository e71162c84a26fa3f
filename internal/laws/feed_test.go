package laws_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/hint"
	"landfall/internal/inference"
	"landfall/internal/value"
)

// source is a feed, and what was asked for.
type source struct {
	tree   bool
	policy contract.Policy
	hints  string
	forms  value.Forms
	// dates and moments are the forms of dates and timestamps, as package time
	// writes them; "" for ISO.
	dates, moments string
	// files are in the order of some listing.
	files []file
}

// file is one file of a feed, and how it was made.
type file struct {
	path  string
	mtime int
	text  string
	// header is the first line of a table, "" for none. records are its others, or
	// the trees.
	header  string
	records []record
	style   string
}

// record is a record as it was written, without its line end.
type record struct {
	text string
	bad  bool
}

// how says how a batch is worked on, which must not matter.
type how struct {
	// order is the permutation in which objects are dealt to workers.
	order   []int
	workers int
	// slab is about how many bytes are read at a time, 0 for all.
	slab int
	// guess names the objects whose beginnings make the contract under which all
	// are read first; nil for one pass for the evidence and another for the rows.
	guess []int
	// pieces has each slab observed on its own, and the evidence merged.
	pieces bool
	// bare takes the hints of the scanner from the nodes of trees.
	bare bool
}

// trial is one case for the laws.
type trial struct {
	source
	one, other how
	// cuts are the positions between files, in their order, at which batches end.
	cuts []int
}

// GoString shows the case where a law fails.
func (c trial) GoString() string {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %v, hints %q, zone %v, forms %q %q, cuts %v\n", c.tree, c.hints, c.forms.Zone, c.dates, c.moments, c.cuts)
	p := c.policy
	p.Hints = hint.Set{}
	fmt.Fprintf(&b, "policy %+v\none %+v\nother %+v\n", p, c.one, c.other)
	for _, f := range inOrder(c.files) {
		fmt.Fprintf(&b, "%s (%d): %q\n", f.path, f.mtime, f.text)
	}
	return b.String()
}

// trials draws cases.
func trials() *rapid.Generator[trial] {
	return rapid.Custom(func(t *rapid.T) trial {
		c := trial{source: drawSource(t)}
		n := len(c.files)
		c.one, c.other = drawHow(t, n), drawHow(t, n)
		for i := 1; i < n; i++ {
			if rapid.Bool().Draw(t, "cut") {
				c.cuts = append(c.cuts, i)
			}
		}
		return c
	})
}

func drawHow(t *rapid.T, files int) how {
	all := make([]int, files)
	for i := range all {
		all[i] = i
	}
	h := how{
		order:   rapid.Permutation(all).Draw(t, "order"),
		workers: rapid.IntRange(1, 4).Draw(t, "workers"),
		slab:    rapid.SampledFrom([]int{0, 1, 40, 100}).Draw(t, "slab"),
		pieces:  rapid.Bool().Draw(t, "pieces"),
		bare:    rapid.Bool().Draw(t, "bare"),
	}
	if rapid.Bool().Draw(t, "guess") {
		h.guess = h.order[:1+files/2]
		h.order = slices.Clone(h.order)
		slices.Reverse(h.order)
	}
	return h
}

func drawSource(t *rapid.T) source {
	s := source{tree: rapid.Bool().Draw(t, "tree")}
	s.policy = drawPolicy(t)
	s.drawForms(t)
	s.hints = drawHints(t, s.tree)
	hints, err := hint.Parse(s.hints)
	if err != nil {
		t.Fatal(err)
	}
	s.policy.Hints = hints
	paths := []string{"f1", "f2", "f3", "G", "k=1/f4", "a=2/f5", "A=x/f6"}
	for _, path := range rapid.Permutation(paths).Draw(t, "paths")[:rapid.IntRange(1, 6).Draw(t, "files")] {
		var f file
		if s.tree {
			f = drawTrees(t)
		} else {
			f = drawTable(t)
		}
		f.path, f.mtime = path, rapid.IntRange(1, 4).Draw(t, "mtime")
		s.files = append(s.files, f)
	}
	return s
}

// rarely is true once in n times.
func rarely(t *rapid.T, n int, what string) bool { return rapid.IntRange(1, n).Draw(t, what) == n }

func drawPolicy(t *rapid.T) contract.Policy {
	p := contract.Policy{Kinds: map[contract.Kind]string{event.FileForeign: "land"}}
	if rarely(t, 3, "foreign") {
		delete(p.Kinds, event.FileForeign)
	}
	if rarely(t, 2, "plain") {
		return p
	}
	p.Preset = rapid.SampledFrom([]string{
		"", contract.Evolves, contract.AddNewColumns, contract.RescueMode, contract.NoEvolution, contract.TypeWidening,
	}).Draw(t, "preset")
	p.CaseSensitive = rarely(t, 6, "case-sensitive")
	p.NoRescue = rarely(t, 8, "no rescue")
	if rarely(t, 20, "few columns") {
		p.MaxColumns = 4
	}
	for _, kind := range []contract.Kind{event.ColumnAdded, event.ValueMisfit, event.RecordRagged, event.RecordMalformed, event.ValueTruncated} {
		if choices := contract.Choices(kind); rarely(t, 4, string(kind)) {
			p.Kinds[kind] = rapid.SampledFrom(choices[:len(choices)-1]).Draw(t, "action") // not fail
		}
	}
	p.Rules = drawRules(t)
	// With both, a casing that was left out no longer keeps the others from their
	// columns: the second a of a header lands in A#2.
	p.Rules.DropAllNull = p.Rules.DropAllNull && !p.CaseSensitive
	return p
}

func drawRules(t *rapid.T) inference.Rules {
	var r inference.Rules
	r.Agreement = rapid.SampledFrom([]float64{0, 0, 0.5, 0.8}).Draw(t, "agreement")
	if rarely(t, 3, "rules") {
		for _, rule := range []*bool{
			&r.Strings, &r.PrefersDecimal, &r.Timestamps, &r.PrimitivesAsString, &r.DropAllNull, &r.NullLikesVote, &r.NoDates,
		} {
			*rule = rarely(t, 3, "rule")
		}
	}
	return r
}

func (s *source) drawForms(t *rapid.T) {
	switch rapid.IntRange(0, 5).Draw(t, "zone") {
	case 1:
		s.forms.Zone = time.FixedZone("+05:30", 5*3600+1800)
	case 2:
		zone, err := time.LoadLocation("America/New_York")
		if err != nil {
			t.Fatal(err)
		}
		s.forms.Zone = zone
	}
	var err error
	switch rapid.IntRange(0, 11).Draw(t, "forms") {
	case 1:
		s.dates = "02/01/2006"
		s.forms.Date, err = value.CompilePattern("dd/MM/yyyy")
	case 2:
		s.moments = "02.01.2006 15:04"
		s.forms.Timestamp, err = value.CompilePattern("dd.MM.yyyy HH:mm")
	}
	if err != nil {
		t.Fatal(err)
	}
}

func drawHints(t *rapid.T, tree bool) string {
	if !rarely(t, 5, "hints") {
		return ""
	}
	all := []string{
		"a INT", "A DOUBLE", "b DATE", "c DECIMAL(6,2)", "b TIMESTAMP", "b TIMESTAMP_NTZ", "a FLOAT", "c BINARY",
		"c TINYINT", "new TIMESTAMP", "a STRING", "`x y` BOOLEAN", "A DECIMAL(30,3), b BIGINT",
	}
	if tree {
		all = append(all, "a MAP<STRING,BIGINT>", "a.p STRING, a.r INT", "b ARRAY<DOUBLE>", "a STRUCT<p:INT,q:STRUCT<p:DATE>>", "a MAP<INT,STRING>")
	}
	return rapid.SampledFrom(all).Draw(t, "hint")
}
