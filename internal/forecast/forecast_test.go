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

// TestRules lets rules alone speak of pairs of decimals that were measured: they take
// each pair for another in the same relation.
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
				name := mode.Reader
				if first.Kind != Decimal || second.Kind != Decimal {
					continue
				}
				got, _, _ := m.ruled(mode, first, second, mild)
				note(name, got, m.results[n], pair[0], pair[1], mode.Options)
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

// TestSpark tries what rules say of Spark on types that were not measured.
func TestSpark(t *testing.T) {
	decimal := func(p Physical, precision, scale int) Type {
		return Type{Physical: p, Kind: Decimal, Precision: precision, Scale: scale}
	}
	for _, c := range []struct {
		t           Type
		want        string
		three, four Outcome
	}{
		{decimal(Int32, 5, 2), "decimal(9,2)", Works, Works},
		{decimal(Int32, 5, 2), "decimal(10,2)", Fails, Works},
		{decimal(Int64, 12, 3), "decimal(18,3)", Works, Works},
		{decimal(Int64, 12, 3), "decimal(18,2)", Fails, Fails},
		{decimal(Int64, 12, 3), "decimal(20,4)", Fails, Works},
		{decimal(ByteArray, 10, 2), "decimal(10,2)", Fails, Works},
		{decimal(ByteArray, 20, 2), "decimal(21,2)", Works, Works},
		{decimal(ByteArray, 10, 2), "string", Wrong, Wrong},
		{decimal(Int32, 7, 3), "double", Fails, Wrong},
		{Type{Physical: Int32}, "decimal(12,3)", Fails, Fails},
		{Type{Physical: Int32}, "decimal(13,3)", Fails, Works},
		{Type{Physical: Int64, Kind: Time, Unit: Nanos}, "bigint", Wrong, Wrong},
		{Type{Physical: Fixed, Length: 5}, "binary", Works, Works},
		{Type{Physical: ByteArray, Kind: Enum}, "string", Works, Works},
	} {
		if got := sparkAt("3.5.7").read(c.t, c.want); got.Outcome != c.three {
			t.Errorf("Spark 3.5, %v as %s: found %v, wanted %v", c.t, c.want, got.Outcome, c.three)
		}
		if got := sparkAt("4.1.0").read(c.t, c.want); got.Outcome != c.four {
			t.Errorf("Spark 4.1, %v as %s: found %v, wanted %v", c.t, c.want, got.Outcome, c.four)
		}
	}
}
