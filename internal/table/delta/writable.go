package delta

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/table"
)

// proposal is a change together with the table it would leave behind.
type proposal struct {
	protocol   table.Protocol
	schema     schema.Struct
	partitions []string
	config     map[string]string
	change     *table.Change
}

// rule is a writer feature and what it demands of a change. A feature without
// a check demands nothing of the changes that we make.
type rule struct {
	feature string
	check   func(*proposal) error
}

// rules are the writer features that we can obey; every other one is refused
// by name. The checks look at what the table's metadata asks for, so they hold
// under the old numbered protocols too, which imply features without naming them.
func rules() []rule {
	return []rule{
		{"appendOnly", checkAppendOnly},
		{"invariants", checkInvariants},
		{"checkConstraints", checkConstraints},
		{"changeDataFeed", checkChangeFeed},
		{"generatedColumns", checkGenerated},
		{featureColumnMapping, checkMapping},
		{"identityColumns", checkIdentity},
		{"allowColumnDefaults", checkDefaults},
		{featureTimestampNTZ, checkNtz},
		{featureDeletionVectors, checkVectors},
		{featureV2Checkpoint, nil},    // classic checkpoints stay allowed
		{featureVacuumCheck, nil},     // concerns VACUUM only
		{featureCommitTimestamp, nil}, // every commit obeys it
		{featureTypeWidening, nil},    // commits record what widens
		{featureWideningPreview, nil}, // nothing widens in place there
		{"domainMetadata", nil},       // checkpoints repeat all domains, commits change none
	}
}

// checkWritable returns why the proposal must not be committed, nil if it may.
func checkWritable(p *proposal) error {
	if err := checkProtocol(p.protocol); err != nil {
		return err
	}
	for _, r := range rules() {
		if r.check == nil {
			continue
		}
		if err := r.check(p); err != nil {
			return err
		}
	}
	return checkNotNull(p)
}

// checkProtocol refuses protocols that ask for more than the rules know.
func checkProtocol(p table.Protocol) error {
	if p.MinWriter > writerFeatureVersion || p.MinReader > readerFeatureVersion {
		return diag.New(diag.UnknownFeature, "table needs protocol %d/%d, this program writes up to %d/%d",
			p.MinReader, p.MinWriter, readerFeatureVersion, writerFeatureVersion).Hinted("use a newer landfall")
	}
	known := map[string]bool{}
	for _, r := range rules() {
		known[r.feature] = true
	}
	for _, name := range slices.Concat(p.WriterFeatures, p.ReaderFeatures) {
		if !known[name] {
			return diag.New(diag.UnknownFeature, "table has the feature %s, which this program cannot write", diag.Quote(name)).
				Hinted("land into another table, or drop the feature with a tool that knows it")
		}
	}
	return nil
}

// hasFeature reports whether writers of the table must obey the named feature.
func hasFeature(p table.Protocol, name string) bool {
	return p.MinWriter >= writerFeatureVersion && slices.Contains(p.WriterFeatures, name)
}

// addsRows and removesRows report whether rows come or go, and do not only move.
func (p *proposal) addsRows() bool    { return slices.ContainsFunc(p.change.Adds, changesRows) }
func (p *proposal) removesRows() bool { return slices.ContainsFunc(p.change.Removes, changesRows) }

func changesRows(f table.File) bool { return !f.Moved }

func checkAppendOnly(p *proposal) error {
	if !isTrue(p.config["delta.appendOnly"]) || !p.removesRows() {
		return nil
	}
	return diag.New(diag.AppendOnly, "table is append-only, the change would remove %d files", len(p.change.Removes)).
		Hinted("set delta.appendOnly to false, or do not replace files of this feed")
}

func checkConstraints(p *proposal) error {
	if !p.addsRows() {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(p.config)) {
		if name, ok := strings.CutPrefix(key, "delta.constraints."); ok {
			return diag.New(diag.Constraint, "table has the CHECK constraint %s (%s), which cannot be verified here",
				diag.Quote(name), p.config[key]).Hinted("drop the constraint, or land into a table without it")
		}
	}
	return nil
}

func checkChangeFeed(p *proposal) error {
	if !isTrue(p.config["delta.enableChangeDataFeed"]) || !p.removesRows() {
		return nil
	}
	return diag.New(diag.UnknownFeature, "table has the feature \"changeDataFeed\" on: replacing rows would need change files").
		Hinted("set delta.enableChangeDataFeed to false, or do not replace files of this feed")
}

func checkMapping(p *proposal) error {
	if mode := p.config["delta.columnMapping.mode"]; mode != "" && mode != "none" {
		return diag.New(diag.UnknownFeature, "table has the feature \"columnMapping\" on (mode %s), which this program cannot write", mode).
			Hinted("land into a table without column mapping")
	}
	return nil
}

func checkInvariants(p *proposal) error {
	return p.refuseKey("delta.invariants", "an invariant, which cannot be verified here")
}

func checkGenerated(p *proposal) error {
	return p.refuseKey("delta.generationExpression", "a generation expression, which cannot be computed here")
}

func checkIdentity(p *proposal) error {
	return p.refuseKey("delta.identity.", "identity values, which cannot be assigned here")
}

func checkDefaults(p *proposal) error {
	return p.refuseKey("CURRENT_DEFAULT", "a default value, which cannot be computed here")
}

// refuseKey refuses new rows when a column's metadata has a key that begins
// with prefix: something there would have to be evaluated for each row.
func (p *proposal) refuseKey(prefix, what string) error {
	if !p.addsRows() {
		return nil
	}
	for path, f := range eachField(p.schema) {
		for key := range f.Metadata {
			if strings.HasPrefix(key, prefix) {
				d := diag.New(diag.Constraint, "column has %s", what)
				d.Path = path
				return d.Hinted("drop it from the table, or land into a table without it")
			}
		}
	}
	return nil
}

func checkNtz(p *proposal) error {
	if hasFeature(p.protocol, featureTimestampNTZ) {
		return nil
	}
	for path, f := range eachField(p.schema) {
		if holdsNtz(f.Type) {
			d := diag.New(diag.UnknownFeature, "column of type timestamp_ntz needs the table feature \"timestampNtz\", which is not on")
			d.Path = path
			return d.Hinted("hint the column as timestamp, or switch the feature on")
		}
	}
	return nil
}

func holdsNtz(t schema.Type) bool {
	switch t := t.(type) {
	case schema.Primitive:
		return t == schema.TimestampNTZ
	case schema.Array:
		return holdsNtz(t.Element)
	case schema.Map:
		return holdsNtz(t.Key) || holdsNtz(t.Value)
	}
	return false // the fields of a struct are met by themselves
}

// checkVectors is about our own adds: a deletion vector in a table whose
// readers do not expect one would bring deleted rows back.
func checkVectors(p *proposal) error {
	if hasFeature(p.protocol, featureDeletionVectors) {
		return nil
	}
	for _, f := range p.change.Adds {
		if f.DV != nil {
			return fmt.Errorf("file %s has a deletion vector, but the table has no such feature", diag.Quote(f.Path))
		}
	}
	return nil
}

// checkNotNull refuses files that may hold a null where the table wants none.
// Only the writer's word, a partition value or an exact null count proves that
// there is none.
func checkNotNull(p *proposal) error {
	if !p.addsRows() {
		return nil
	}
	for path, strict := range strictPaths(p.schema) {
		for _, f := range p.change.Adds {
			if f.Moved || f.Strict || strict.provenBy(p, &f) {
				continue
			}
			d := diag.New(diag.Constraint, "file %s may hold nulls, the table wants none", diag.Quote(f.Path))
			d.Path = path
			return d.Hinted("drop NOT NULL from the column, or let a policy refuse such rows")
		}
	}
	return nil
}

// strictPath is a place in the schema that must not be null.
type strictPath struct {
	// names lead to it through structs; provable is false when it lies in an
	// array or map, of whose elements no statistics tell.
	names    []string
	provable bool
}

func (s strictPath) provenBy(p *proposal, f *table.File) bool {
	if len(s.names) == 1 && slices.Contains(p.partitions, s.names[0]) {
		v := f.Partition[s.names[0]]
		return v != nil && *v != ""
	}
	var stats struct {
		NumRecords *int64         `json:"numRecords"`
		NullCount  map[string]any `json:"nullCount"`
	}
	if json.Unmarshal([]byte(f.Stats), &stats) != nil || stats.NumRecords == nil {
		return false
	}
	if *stats.NumRecords == 0 {
		return true
	}
	if !s.provable {
		return false
	}
	at := stats.NullCount
	for _, name := range s.names[:len(s.names)-1] {
		at, _ = at[name].(map[string]any)
	}
	nulls, ok := at[s.names[len(s.names)-1]].(float64)
	return ok && nulls == 0
}

// strictPaths lists the places that must not be null, in schema order.
func strictPaths(s schema.Struct) func(func(string, strictPath) bool) {
	return func(yield func(string, strictPath) bool) {
		walkStrict(s, nil, true, func(names []string, provable bool) bool {
			return yield(strings.Join(names, "."), strictPath{slices.Clone(names), provable})
		})
	}
}

func walkStrict(t schema.Type, at []string, provable bool, yield func([]string, bool) bool) bool {
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			path := append(slices.Clone(at), f.Name)
			if !f.Nullable && !yield(path, provable) {
				return false
			}
			if !walkStrict(f.Type, path, provable, yield) {
				return false
			}
		}
	case schema.Array:
		path := append(slices.Clone(at), "element")
		if !t.ContainsNull && !yield(path, false) {
			return false
		}
		return walkStrict(t.Element, path, false, yield)
	case schema.Map:
		path := append(slices.Clone(at), "value")
		if !t.ValueContainsNull && !yield(path, false) {
			return false
		}
		return walkStrict(t.Value, path, false, yield)
	}
	return true
}

// eachField yields every field of a schema, nested ones too, by dotted path.
func eachField(s schema.Struct) func(func(string, schema.Field) bool) {
	return func(yield func(string, schema.Field) bool) { walkFields(s, "", yield) }
}

func walkFields(t schema.Type, at string, yield func(string, schema.Field) bool) bool {
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			path := strings.TrimPrefix(at+"."+f.Name, ".")
			if !yield(path, f) || !walkFields(f.Type, path, yield) {
				return false
			}
		}
	case schema.Array:
		return walkFields(t.Element, at+".element", yield)
	case schema.Map:
		return walkFields(t.Key, at+".key", yield) && walkFields(t.Value, at+".value", yield)
	}
	return true
}

func isTrue(property string) bool { return strings.EqualFold(strings.TrimSpace(property), "true") }
