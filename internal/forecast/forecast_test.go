package forecast

import "testing"

func load(t *testing.T) *Matrix {
	t.Helper()
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// scores counts what rules say right.
type scores struct{ right, all int }

func (s scores) part() float64 { return float64(s.right) / float64(s.all) }

func kindOf(o Outcome) Outcome {
	if o == Retyped {
		return Works
	}
	return o
}

// TestRules holds rules against what was measured: what they say without the table of
// what they talk about.
func TestRules(t *testing.T) {
	m := load(t)
	score := map[string]*scores{}
	note := func(name string, got, want Result, what ...string) {
		s := score[name]
		if s == nil {
			s = &scores{}
			score[name] = s
		}
		s.all++
		if kindOf(got.Outcome) == kindOf(want.Outcome) {
			s.right++
			return
		}
		t.Logf("%s %v: said %v, was %v (%s)", name, what, got.Outcome, want.Outcome, want.How)
	}
	for _, mild := range []bool{false, true} {
		cells := m.pairs
		if mild {
			cells = m.mild
		}
		for mode, pairs := range cells {
			for pair, n := range pairs {
				first, _ := TypeOf(pair[0])
				second, _ := TypeOf(pair[1])
				name := mode.Reader + " decimals"
				if mode.Reader == "Spark" {
					name = mode.Reader + " " + mode.Version + " " + mode.Options
				} else if first.Kind != Decimal || second.Kind != Decimal {
					continue
				}
				got, _, _ := m.ruled(mode, first, second, mild)
				note(name, got, m.results[n], pair[0], pair[1], mode.Options)
			}
		}
	}
	for mode, casts := range m.casts {
		if mode.Options != "explicit schema" {
			continue
		}
		for pair, n := range casts {
			typ, _ := TypeOf(pair[0])
			if pair[1] != "time(6)" {
				note("Spark "+mode.Version+" explicit schema", sparkAt(mode.Version).read(typ, pair[1]), m.results[n], pair[0], pair[1])
			}
		}
	}
	for name, s := range score {
		t.Logf("%s: %d of %d, %.1f %%", name, s.right, s.all, 100*s.part())
		if s.part() < 0.95 {
			t.Errorf("%s: rules say %.1f %% right", name, 100*s.part())
		}
	}
}
