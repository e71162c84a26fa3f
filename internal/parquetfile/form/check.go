package form

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Faults of a batch. A conformer makes none of them, so they are ours.
var (
	ErrForm      = errors.New("values in another form than the type has")
	ErrNullValue = errors.New("null among the values of a leaf")
	ErrLevels    = errors.New("levels do not make rows")
	ErrFlaw      = errors.New("a value that the type does not hold")
	ErrSiblings  = errors.New("the leaves of a column disagree about what surrounds them")
	// ErrNotText: the bytes of a string are not UTF-8, which scanners see to.
	ErrNotText = errors.New("value is not valid UTF-8")
)

// Check tells whether c fits the field, whose leaves are given.
func Check(c column.Column, f schema.Field, leaves []Leaf, rows int) error {
	if c.Type != nil && !sameType(c.Type, f.Type) {
		return fmt.Errorf("batch has type %v, the file %v", c.Type, f.Type)
	}
	switch {
	case c.Constant != nil:
		return checkConstant(c.Constant, f.Type)
	case c.Leaves != nil:
		if slices.ContainsFunc(c.Leaves, func(l column.Leaf) bool { return len(l.Flaws) > 0 }) {
			return ErrFlaw
		}
		return CheckLeaves(c.Leaves, f, leaves, rows)
	case c.Text != nil:
		if f.Type != schema.String {
			return fmt.Errorf("text in a column of type %v", f.Type)
		}
		if len(c.Text.Spans) != rows {
			return fmt.Errorf("%d values for %d rows", len(c.Text.Spans), rows)
		}
		if !f.Nullable && slices.ContainsFunc(c.Text.Spans, column.Span.Null) {
			return nullRefused(f.Name)
		}
	case !f.Nullable && rows > 0:
		return nullRefused(f.Name)
	}
	return nil
}

func checkConstant(v any, t schema.Type) error {
	ok := false
	switch v := v.(type) {
	case string:
		ok = t == schema.String
		if !utf8.ValidString(v) {
			return ErrNotText
		}
	case int64:
		_, isDecimal := t.(schema.Decimal)
		_, isPrimitive := t.(schema.Primitive)
		lo, hi := Range(t)
		ok = (isDecimal || isPrimitive) && KindOf(t) == Ints && lo <= v && v <= hi
	case float64:
		ok = t == schema.Double || t == schema.Float && (float64(float32(v)) == v || v != v)
	case bool:
		ok = t == schema.Boolean
	}
	if !ok {
		return fmt.Errorf("constant %v (%T) in a column of type %v", v, v, t)
	}
	return nil
}

func nullRefused(name string) error {
	d := diag.New(diag.Constraint, "found null, but the column is NOT NULL").
		Hinted("drop the constraint of the table, or give every record a value")
	d.Path = name
	return d
}

// CheckLeaves tells whether the leaves make so many rows of the field.
func CheckLeaves(ls []column.Leaf, f schema.Field, leaves []Leaf, rows int) error {
	if len(ls) != len(leaves) {
		return fmt.Errorf("%d leaves, want %d", len(ls), len(leaves))
	}
	for i := range ls {
		b := &leaves[i]
		if err := b.check(&ls[i], f, rows); err != nil {
			return fmt.Errorf("leaf %d of type %v: %w", i+1, b.Type, err)
		}
		if i > 0 && !agree(&ls[i-1], &ls[i], &leaves[i-1], b) {
			return fmt.Errorf("leaf %d of type %v: %w", i+1, b.Type, ErrSiblings)
		}
	}
	return nil
}

// CheckLevels tells whether the levels of the leaf at makes so many rows of the field,
// and agree with those of the leaf before it. Of both leaves only levels are looked at,
// which both have; of the first, before is nil.
func CheckLevels(before, l *column.Leaf, f schema.Field, leaves []Leaf, at, rows int) error {
	b := &leaves[at]
	if _, err := b.values(l.Defs); err != nil {
		return err
	}
	if err := b.rows(l, len(l.Defs), f, rows); err != nil {
		return err
	}
	if before != nil && !agree(before, l, &leaves[at-1], b) {
		return ErrSiblings
	}
	return nil
}

// check tells whether a leaf alone makes so many rows.
func (b *Leaf) check(l *column.Leaf, f schema.Field, rows int) error {
	values, err := valuesOf(l, b.Kind)
	if err != nil {
		return err
	}
	entries := values
	if l.Defs != nil {
		entries = len(l.Defs)
		found, err := b.values(l.Defs)
		if err != nil {
			return err
		}
		if found != values {
			return fmt.Errorf("%d values, the levels say %d", values, found)
		}
	}
	return b.rows(l, entries, f, rows)
}

// values counts the definition levels of values.
func (b *Leaf) values(defs []uint8) (n int, err error) {
	for _, d := range defs {
		if d > b.MaxDef {
			return 0, fmt.Errorf("definition level %d, want up to %d", d, b.MaxDef)
		}
		if d == b.MaxDef {
			n++
		}
	}
	return n, nil
}

// rows tells whether so many entries make so many rows.
func (b *Leaf) rows(l *column.Leaf, entries int, f schema.Field, rows int) error {
	if b.MaxRep > 0 {
		return b.checkReps(l, entries, rows)
	}
	switch {
	case l.Reps != nil:
		return ErrLevels
	case b.MaxDef == 0 && entries < rows:
		return nullRefused(f.Name)
	case entries != rows:
		return fmt.Errorf("%d values for %d rows", entries, rows)
	}
	return nil
}

// checkReps tells whether the repetition levels make rows: the first entry of
// each has level 0, and only what has elements goes on.
func (b *Leaf) checkReps(l *column.Leaf, entries, rows int) error {
	if len(l.Reps) != entries || entries > 0 && l.Reps[0] != 0 {
		return ErrLevels
	}
	begun := 0
	for i, r := range l.Reps {
		switch {
		case r == 0:
			begun++
		case r > b.MaxRep:
			return ErrLevels
		case l.Defs != nil && min(l.Defs[i-1], l.Defs[i]) < b.floors[r-1]:
			return ErrLevels
		}
	}
	if begun != rows {
		return fmt.Errorf("levels of %d rows, want %d", begun, rows)
	}
	return nil
}

// valuesOf counts the values of a leaf, which must be of one kind.
func valuesOf(l *column.Leaf, k Kind) (int, error) {
	all := 0
	for other := Text; other <= Bools; other++ {
		all += lengthOf(l, other)
	}
	n := lengthOf(l, k)
	if n != all {
		return 0, ErrForm
	}
	if k == Text && l.Text != nil && slices.ContainsFunc(l.Text.Spans, column.Span.Null) {
		return 0, ErrNullValue
	}
	return n, nil
}

func lengthOf(l *column.Leaf, k Kind) int {
	switch k {
	case Ints:
		return len(l.Ints)
	case Wide:
		return len(l.Wide)
	case Floats:
		return len(l.Floats)
	case Bools:
		return len(l.Bools)
	}
	if l.Text == nil {
		return 0
	}
	return len(l.Text.Spans)
}

// agree tells whether two leaves, one behind the other, have the same levels as
// far as what surrounds both goes.
func agree(x, y *column.Leaf, bx, by *Leaf) bool {
	def, rep := by.sharedDef, by.sharedRep
	if def == 0 {
		return true
	}
	i, j := 0, 0
	nx, ny := entriesOf(x, bx.Kind), entriesOf(y, by.Kind)
	if bx.MaxDef == by.MaxDef && nx == ny && bytes.Equal(x.Defs, y.Defs) && bytes.Equal(x.Reps, y.Reps) {
		return true // as most are
	}
	for {
		for i < nx && x.Reps != nil && x.Reps[i] > rep {
			i++
		}
		for j < ny && y.Reps != nil && y.Reps[j] > rep {
			j++
		}
		if i == nx || j == ny {
			return i == nx && j == ny
		}
		if min(defOf(x, bx, i), def) != min(defOf(y, by, j), def) || repOf(x, i) != repOf(y, j) {
			return false
		}
		i++
		j++
	}
}

func entriesOf(l *column.Leaf, k Kind) int {
	if l.Defs != nil {
		return len(l.Defs)
	}
	return lengthOf(l, k)
}

func defOf(l *column.Leaf, b *Leaf, i int) uint8 {
	if l.Defs == nil {
		return b.MaxDef
	}
	return l.Defs[i]
}

func repOf(l *column.Leaf, i int) uint8 {
	if l.Reps == nil {
		return 0
	}
	return l.Reps[i]
}

// sameType tells whether values of both types have the same leaves. Types may
// hold slices, which cannot be compared with ==.
func sameType(a, b schema.Type) bool {
	switch a := a.(type) {
	case schema.Struct:
		b, ok := b.(schema.Struct)
		return ok && slices.EqualFunc(a.Fields, b.Fields, func(x, y schema.Field) bool {
			return x.Nullable == y.Nullable && schema.PhysicalName(x) == schema.PhysicalName(y) && sameType(x.Type, y.Type)
		})
	case schema.Array:
		b, ok := b.(schema.Array)
		return ok && a.ContainsNull == b.ContainsNull && sameType(a.Element, b.Element)
	case schema.Map:
		b, ok := b.(schema.Map)
		return ok && a.ValueContainsNull == b.ValueContainsNull && sameType(a.Key, b.Key) && sameType(a.Value, b.Value)
	case schema.Primitive, schema.Decimal:
		return a == b
	}
	return false
}
