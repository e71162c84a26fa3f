package audit

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"landfall/internal/schema"
	"landfall/internal/table"
)

// claims are the statistics of a data file in the table's log. Readers leave out files
// by them: a value beyond a bound is hidden.
type claims struct {
	Rows  *int64         `json:"numRecords"`
	Low   map[string]any `json:"minValues"`
	High  map[string]any `json:"maxValues"`
	Nulls map[string]any `json:"nullCount"`
	// Tight is false where rows were deleted since: then nulls are not counted again.
	Tight *bool `json:"tightBounds"`
}

// checkStatistics notes where the statistics of a data file do not hold of its values.
func (a *Auditor) checkStatistics(f table.File, x *extents) {
	wrong := wrongClaims(f.Stats, x)
	a.report.Total += int64(len(wrong))
	a.report.Statistics += int64(len(wrong))
	for _, d := range wrong[:min(len(wrong), max(0, mostListed-len(a.report.Differences)))] {
		d.DataFile = f.Path
		a.report.Differences = append(a.report.Differences, d)
	}
}

// wrongClaims are the statistics that do not hold of such values; none, if there are
// no statistics.
func wrongClaims(stats string, x *extents) (wrong []Difference) {
	if stats == "" {
		return nil
	}
	var c claims
	d := json.NewDecoder(strings.NewReader(stats))
	d.UseNumber()
	if err := d.Decode(&c); err != nil {
		return []Difference{{Kind: StatisticsDiffer, Found: err.Error(), Want: "statistics as JSON"}}
	}
	if c.Rows != nil && *c.Rows != x.rows {
		wrong = append(wrong, Difference{Kind: StatisticsDiffer, Found: fmt.Sprintf("numRecords %d", *c.Rows), Want: strconv.FormatInt(x.rows, 10)})
	}
	for i := range x.leaves {
		wrong = slices.Concat(wrong, c.of(&x.leaves[i]))
	}
	return wrong
}

// of are the claims about a column that do not hold.
func (c *claims) of(e *extent) (wrong []Difference) {
	tell := func(claim string, value any, want string) {
		wrong = append(wrong, Difference{
			Kind: StatisticsDiffer, Column: schema.Path(e.path).String(), Found: fmt.Sprintf("%s %v", claim, value), Want: want,
		})
	}
	if n, ok := claimOf(c.Nulls, e.path).(json.Number); ok && (c.Tight == nil || *c.Tight) && n.String() != strconv.FormatInt(e.nulls, 10) {
		tell("nullCount", n, strconv.FormatInt(e.nulls, 10))
	}
	low, high := e.ends()
	if b := claimOf(c.Low, e.path); b != nil && low.beyond(b, e.typ, -1) {
		tell("minValues", b, "at most "+low.shown)
	}
	if b := claimOf(c.High, e.path); b != nil && high.beyond(b, e.typ, +1) {
		tell("maxValues", b, "at least "+high.shown)
	}
	return wrong
}

// claimOf finds what is claimed of a column, nil for nothing.
func claimOf(claims map[string]any, path []string) any {
	for ; len(path) > 1; path = path[1:] {
		claims, _ = claims[path[0]].(map[string]any)
	}
	return claims[path[0]]
}

// beyond tells whether a value lies beyond a bound, which is the least value (side −1)
// or the greatest (+1). Of a bound that the type does not have every value does.
func (e end) beyond(bound any, t schema.Type, side int) bool {
	switch {
	case e.outside:
		return true
	case e.text:
		s, ok := bound.(string)
		return !ok || strings.Compare(e.shown, s)*side > 0
	case e.number == nil:
		return false
	}
	b := numberOf(bound, t)
	if b != nil && side > 0 && (t == schema.Type(schema.Timestamp) || t == schema.Type(schema.TimestampNTZ)) {
		b.Add(b, new(big.Rat).SetInt64(999)) // Spark cuts the greatest time after milliseconds
	}
	return b == nil || e.number.Cmp(b)*side > 0
}

// numberOf is a bound of numbers as [end] has them, nil if it is none.
func numberOf(bound any, t schema.Type) *big.Rat {
	switch b := bound.(type) {
	case bool:
		return new(big.Rat).SetInt64(truth(b))
	case json.Number:
		bits := map[schema.Type]int{schema.Float: 32, schema.Double: 64}[t]
		if bits == 0 {
			n, _ := new(big.Rat).SetString(b.String())
			return n
		}
		// The shortest digits that are the double's own are not the double.
		if f, err := strconv.ParseFloat(b.String(), bits); err == nil {
			return new(big.Rat).SetFloat64(f)
		}
	case string:
		for _, layout := range []string{time.DateOnly, time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
			if at, err := time.Parse(layout, b); err == nil {
				return new(big.Rat).SetInt64(at.UnixMicro())
			}
		}
	}
	return nil
}
