package laws_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/diag"
)

// TestMain has more cases than rapid would by itself; make check has 10,000. They
// are the same each time, so that a change is to blame for what fails; make fuzz
// looks for new ones.
func TestMain(m *testing.M) {
	flag.Parse()
	set := make(map[string]bool)
	flag.Visit(func(f *flag.Flag) { set[f.Name] = true })
	for name, value := range map[string]string{"rapid.checks": "300", "rapid.seed": "1"} {
		if set[name] {
			continue
		}
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	debug.SetGCPercent(1000) // much is forgotten at once
	os.Exit(m.Run())
}

// TestLaws checks all laws on random feeds.
func TestLaws(t *testing.T) { rapid.Check(t, obeys) }

// FuzzLaws looks for cases by coverage.
func FuzzLaws(f *testing.F) { f.Fuzz(rapid.MakeFuzz(obeys)) }

func obeys(t *rapid.T) {
	c := trials().Draw(t, "case")
	if err := c.obeys(sound()); err != nil {
		t.Fatalf("%v\n%#v", err, c)
	}
}

// obeys checks one case: it lands in one batch in two ways, and in several.
func (c trial) obeys(p parts) error {
	known := make(map[string]reading)
	lands := func(h how, cuts []int) (*landing, error) {
		l := &landing{source: &c.source, parts: p, known: known}
		return l, l.land(h, cuts)
	}
	one, err := lands(c.one, nil)
	other, err2 := lands(c.other, nil)
	cut, err3 := lands(c.other, c.cuts)
	if err := sameOrder(one, other, err, err2); err != nil {
		return fmt.Errorf("law 1, order: %w", err)
	}
	for _, run := range []struct {
		*landing
		err error
	}{{one, err}, {cut, err3}} {
		if run.err != nil {
			if why := (*diag.Diagnostic)(nil); !errors.As(run.err, &why) {
				return run.err
			}
			continue
		}
		if err := run.account(); err != nil {
			return fmt.Errorf("law 2 and 3, every value in one place and the same: %w", err)
		}
		if err := run.stands(); err != nil {
			return fmt.Errorf("law 2, what has landed stands: %w", err)
		}
	}
	if err != nil || err3 != nil {
		return nil // a hint or policy stops it: where, the cuts decide
	}
	if err := sameCut(one, cut); err != nil {
		return fmt.Errorf("law 2, cuts: %w", err)
	}
	return nil
}

// sameOrder is the first law: however the objects of a batch are dealt to
// workers, in whatever order they are read and in slabs of whatever size, under a
// guess or not, the contract, its drift and the rows are the same, or the error.
func sameOrder(one, other *landing, err1, err2 error) error {
	if fmt.Sprint(err1) != fmt.Sprint(err2) {
		return fmt.Errorf("one way: %w\nanother way: %w", err1, err2)
	}
	if a, b := one.String(), other.String(); a != b {
		return errors.New(differing(a, b))
	}
	return nil
}

// land lands the feed in one batch, or in several.
func (l *landing) land(h how, cuts []int) error {
	files := inOrder(l.files)
	for _, cut := range append(append([]int{}, cuts...), len(files)) {
		if err := l.batch(files[len(l.objects):cut], h); err != nil {
			return err
		}
	}
	return nil
}

func differing(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "one way:\n" + x[i] + "\nanother way:\n" + y[i]
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}
