package delta

import (
	"context"
	"errors"
	"maps"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/table/delta/action"
)

// state is the replayed log at one version. It is immutable once it has been
// handed out: a commit goes on from a copy.
type state struct {
	version    int64
	protocol   *action.Protocol
	meta       *action.MetaData
	txns       map[string]*action.Txn
	domains    map[string]*action.DomainMetadata
	files      layers[action.Add]
	tombstones layers[action.Remove]
	// stamp is the version of the file of the newest commit, as the store has it; ""
	// if it is not known.
	stamp string
}

func newState() *state {
	return &state{
		version:    -1,
		txns:       map[string]*action.Txn{},
		domains:    map[string]*action.DomainMetadata{},
		files:      newLayers[action.Add](),
		tombstones: newLayers[action.Remove](),
	}
}

func (st *state) clone() *state {
	c := *st
	c.txns, c.domains = maps.Clone(st.txns), maps.Clone(st.domains)
	c.files, c.tombstones, c.stamp = st.files.clone(), st.tombstones.clone(), ""
	return &c
}

// apply replays one action: the newest of its kind and key wins.
func (st *state) apply(a *action.Action) {
	switch {
	case a.Add != nil:
		k := a.Add.Key()
		st.files.set(k, a.Add)
		st.tombstones.set(k, nil)
	case a.Remove != nil:
		k := a.Remove.Key()
		st.tombstones.set(k, a.Remove)
		st.files.set(k, nil)
	case a.MetaData != nil:
		st.meta = a.MetaData
	case a.Protocol != nil:
		st.protocol = a.Protocol
	case a.Txn != nil:
		st.txns[a.Txn.AppID] = a.Txn
	case a.DomainMetadata != nil && a.DomainMetadata.Removed:
		delete(st.domains, a.DomainMetadata.Domain)
	case a.DomainMetadata != nil:
		st.domains[a.DomainMetadata.Domain] = a.DomainMetadata
	}
}

// replay applies the commit of the next version, all of it or nothing.
func (st *state) replay(ctx context.Context, s store.Store) error {
	var read []*action.Action
	for a, err := range actions(ctx, s, st.version+1) {
		if err != nil {
			return err
		}
		read = append(read, a)
	}
	for _, a := range read {
		st.apply(a)
	}
	st.version++
	return nil
}

// missing is the diagnostic of a hole in the log.
func missing(s store.Store, version, newest int64) error {
	return diag.New(diag.LogBroken, "version %d is missing from the log, which goes on to version %d", version, newest).
		In(diag.Place{File: s.URL(versionKey(version))}).
		Hinted("restore the file from a backup or a copy of the table").Because(errHole)
}

// check refuses a state that we would misread. Features come first: a table
// that has them may well look broken to us.
func (st *state) check() error {
	if st.protocol == nil {
		return diag.New(diag.LogBroken, "version %d of the table has no protocol action", st.version).
			Hinted("the log was cut short or edited; restore it from a backup")
	}
	if err := readable(st.protocol); err != nil {
		return err
	}
	if st.meta == nil {
		return diag.New(diag.LogBroken, "version %d of the table has no metaData action", st.version).
			Hinted("the log was cut short or edited; restore it from a backup")
	}
	if p := st.meta.Format.Provider; p != "" && p != "parquet" {
		return diag.New(diag.UnknownFeature, "the table keeps its data as %s, want parquet", diag.Quote(p))
	}
	return nil
}

// schema is the table's schema.
func (st *state) schema() (schema.Struct, error) {
	if st.meta.SchemaString == "" {
		return schema.Struct{}, diag.New(diag.LogBroken, "version %d of the table has no schema", st.version).
			Hinted("the log was cut short or edited; restore it from a backup")
	}
	s, err := schema.ParseJSON([]byte(st.meta.SchemaString))
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		return schema.Struct{}, err
	}
	if err != nil {
		return schema.Struct{}, diag.New(diag.LogBroken, "version %d of the table has a schema that cannot be read: %s",
			st.version, diag.Quote(st.meta.SchemaString)).Because(err)
	}
	return s, checkChanges(s)
}

// snapshot is the public view of st.
func (st *state) snapshot() (*table.Snapshot, error) {
	fields, err := st.schema()
	if err != nil {
		return nil, err
	}
	s := table.Snapshot{
		Version:    st.version,
		ID:         st.meta.ID,
		Protocol:   public(st.protocol),
		Schema:     fields,
		Partitions: st.meta.PartitionColumns,
		Config:     maps.Clone(st.meta.Configuration),
		Txns:       make(map[string]int64, len(st.txns)),
	}
	for id, txn := range st.txns {
		s.Txns[id] = txn.Version
	}
	return s.With(st.live), nil
}

// live are the live data files.
func (st *state) live() map[table.Key]table.File {
	files := make(map[table.Key]table.File, st.files.size)
	for k, add := range st.files.each() {
		files[k] = add.File()
	}
	return files
}
