package land_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/land"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	"landfall/internal/state"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
)

// versions are the two versions of a file that other tools have met in between.
const (
	first     = "id,name\na1,Ann\na2,Bo\n"
	rewritten = "id,name\na1,Ann\na3,Fay\na4,Gil\n"
)

// Replacing after other tools rearranged the table is right or refused, never
// both versions.
func TestReplaceAfterOthers(t *testing.T) {
	t.Run("optimize", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().optimize(t.Context()))
		l.day(2)
		l.lands()
		l.settled("a.csv", state.Landed, "")
	})
	t.Run("delete", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().remove(t.Context(), "a1"))
		l.want["a.csv"] = []map[string]int{ids("id\na2\n")}
		ok(t, l.check(t.Context()))
		l.day(2)
		l.lands()
	})
	t.Run("delete by vector", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().vector(t.Context(), l.fileOf("a.csv")))
		l.want["a.csv"] = []map[string]int{ids("id\na2\n")}
		ok(t, l.check(t.Context()))
		l.day(2)
		l.lands()
	})
	t.Run("vector on a packed neighbour", func(t *testing.T) {
		// The vector hides a1; the file is rewritten for b, and a1 stays away.
		l := afterDays(t, 2, scene{})
		ok(t, l.other().vector(t.Context(), l.fileOf("a.csv")))
		l.want["a.csv"] = []map[string]int{ids("id\na2\n")}
		l.put("b.csv", "id\nb7\n")
		l.lands()
	})
	t.Run("optimize, then two rewrites", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().optimize(t.Context()))
		l.put("a.csv", rewritten)
		l.put("b.csv", "id\nb2\nb3\n")
		l.lands()
		ok(t, l.other().optimize(t.Context()))
		l.put("a.csv", "id\na9\n")
		l.lands()
	})
	t.Run("rows copied by INSERT INTO t SELECT * FROM t", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().double(t.Context()))
		double := ids(first)
		for id := range double {
			double[id] = 2
		}
		// The lineage of the old rows is known, the copies are another's.
		l.put("a.csv", rewritten, map[string]int{"a1": 2, "a2": 1, "a3": 1, "a4": 1})
		l.want["b.csv"] = []map[string]int{{"b1": 2}}
		l.want["c.csv"] = []map[string]int{{"c1": 2, "c2": 2}}
		l.lands()
	})
	t.Run("copied, then packed", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().double(t.Context()))
		ok(t, l.other().optimize(t.Context()))
		l.want = map[string][]map[string]int{"b.csv": {{"b1": 2}}, "c.csv": {{"c1": 2, "c2": 2}}}
		l.put("a.csv", rewritten, map[string]int{"a1": 2, "a2": 2})
		l.lands()
		l.settled("a.csv", state.Quarantined, diag.ReplaceRefused)
		l.put("f.csv", "id\nf1\n") // nothing else is held up
		l.lands()
	})
	t.Run("rows in files without a source", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().insert(t.Context(), true, "x1"))
		ok(t, l.other().optimize(t.Context()))
		ok(t, l.other().insert(t.Context(), true, "x2"))
		l.want[""] = []map[string]int{{"x1": 1, "x2": 1}}
		l.day(2) // all old rows are found, so that file holds none
		l.lands()
		l.settled("a.csv", state.Landed, "")
	})
	t.Run("rows missing, and files without a source", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().remove(t.Context(), "a1"))
		ok(t, l.other().insert(t.Context(), true, "a1"))
		l.want[""] = []map[string]int{{"a1": 1}}
		l.put("a.csv", rewritten, map[string]int{"a2": 1})
		l.lands()
		l.settled("a.csv", state.Quarantined, diag.ReplaceRefused)
	})
	t.Run("reprocess over all of it", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().optimize(t.Context()))
		ok(t, l.other().insert(t.Context(), true, "x1"))
		l.want[""] = []map[string]int{{"x1": 1}}
		l.resets(land.ResetReprocess)
		ok(t, l.other().vector(t.Context(), l.fileOf("a.csv")))
		l.resets(land.ResetReprocess)
	})
	t.Run("reprocess with rows that hide", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().remove(t.Context(), "a1"))
		ok(t, l.other().insert(t.Context(), true, "a1"))
		p := l.next()
		p.day.reset = land.ResetReprocess
		l.refused(p, diag.ReplaceRefused, "other-")
		l.want[""], l.want["a.csv"] = []map[string]int{{"a1": 1}}, []map[string]int{{"a2": 1}}
		l.resets(land.ResetKeep)
	})
}

// fileOf is the live data file that holds rows of a source file.
func (l *landed) fileOf(name string) string {
	l.t.Helper()
	for _, f := range l.snapshot().Files() {
		o, err := l.data.Open(l.t.Context(), f.Path)
		ok(l.t, err)
		for rec, err := range parquetfile.Read(l.t.Context(), o, f.Size, nil) {
			ok(l.t, err)
			if strings.HasSuffix(text(rec, contract.SourceFile, 0), name) {
				return f.Path
			}
		}
	}
	l.t.Fatalf("no file begins with rows of %s", name)
	return ""
}

// Tables that others made say what may be landed in them.
func TestTablesOfOthers(t *testing.T) {
	field := func(name string, typ schema.Type) schema.Field {
		return schema.Field{Name: name, Type: typ, Nullable: true}
	}
	id := field("id", schema.String)
	t.Run("partitioned", func(t *testing.T) {
		l := afterDays(t, 0, scene{})
		s := schema.Struct{Fields: []schema.Field{id, field("dt", schema.String)}}
		ok(t, l.other().create(t.Context(), "t", s, "dt"))
		l.day(0)
		l.refused(l.next(), diag.UnknownFeature, "memory:")
	})
	t.Run("constraint", func(t *testing.T) {
		l := afterDays(t, 1, scene{})
		ok(t, l.other().set(t.Context(), "delta.constraints.short", "length(id) < 3"))
		l.day(1)
		l.refused(l.next(), diag.Constraint, "memory:")
		ok(t, l.other().set(t.Context(), "delta.constraints.short", "")) // not how it is dropped
		ok(t, l.other().unset(t.Context(), "delta.constraints.short"))
		l.lands()
	})
	t.Run("NOT NULL", func(t *testing.T) {
		l := afterDays(t, 0, scene{})
		s := schema.Struct{Fields: []schema.Field{id, {Name: "must", Type: schema.String}}}
		ok(t, l.other().create(t.Context(), "t", s))
		l.day(0)
		l.refused(l.next(), diag.Constraint, "a.csv")
		l.put("a.csv", "id,must\na1,x\n")
		l.put("b.csv", "id,must\nb1,y\n")
		l.lands()
	})
	t.Run("appends only", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().set(t.Context(), "delta.appendOnly", "true"))
		l.day(2)
		l.want["a.csv"] = []map[string]int{ids(first)}
		l.lands()
		l.settled("a.csv", state.Quarantined, diag.AppendOnly)
		p := l.next()
		p.day.reset = land.ResetReprocess
		l.refused(p, diag.AppendOnly, "memory:")
		// What the table refused lands by itself once it allows it.
		ok(t, l.other().set(t.Context(), "delta.appendOnly", "false"))
		l.want["a.csv"] = []map[string]int{ids(feed()[2].files["a.csv"])}
		l.lands()
		l.settled("a.csv", state.Landed, "")
		l.put("a.csv", "id\na9\n")
		l.lands()
	})
	t.Run("other types", func(t *testing.T) {
		l := afterDays(t, 0, scene{})
		s := schema.Struct{Fields: []schema.Field{
			id, field("name", schema.Integer), field("city", schema.Struct{Fields: []schema.Field{field("zip", schema.String)}}),
			field("tags", schema.Array{Element: schema.String, ContainsNull: true}),
		}}
		ok(t, l.other().create(t.Context(), "t", s))
		l.put("a.csv", "id,name,city,tags\na1,Ann,Oslo,red\n")
		r := l.lands()
		if n := r.Batches[0].ValuesRescued; n != 3 {
			t.Errorf("found %d values rescued, want 3: the table's types are not text", n)
		}
		for _, want := range []string{"name", "city", "tags"} {
			if !slices.ContainsFunc(r.Drift, func(d event.Drift) bool { return d.Kind == event.TypeConflict && d.Column == want }) {
				t.Errorf("found %v, want a conflict of types of %s", r.Drift, want)
			}
		}
	})
	t.Run("other case", func(t *testing.T) {
		l := afterDays(t, 0, scene{})
		ok(t, l.other().create(t.Context(), "t", schema.Struct{Fields: []schema.Field{field("ID", schema.String), field("Name", schema.String)}}))
		l.put("a.csv", "id,name\na1,Ann\n", map[string]int{"": 1})
		l.lands()
		// Readers that mind the case look for the table's own spelling.
		o, err := l.data.Open(t.Context(), l.fileOf("a.csv"))
		ok(t, err)
		s, err := parquetfile.Schema(o, o.Info().Size)
		ok(t, err)
		for _, name := range []string{"ID", "Name"} {
			if len(s.FieldIndices(name)) != 1 {
				t.Errorf("the data file has %v, want %s", s.Fields(), name)
			}
		}
		if got := len(l.snapshot().Schema.Fields); got != 5 {
			t.Errorf("found %d columns, want the two of the table and three of ours", got)
		}
	})
	t.Run("a column of another case while a batch lands", func(t *testing.T) {
		l := afterDays(t, 1, scene{})
		l.day(1)
		p := l.next()
		p.data = fault.New(l.data, fault.Plan{
			Match:  func(c fault.Call) bool { return c.Op == fault.Create && strings.HasPrefix(c.Key, "_delta_log/") },
			Before: func() { ok(t, l.other().addColumn(t.Context(), "CITY", schema.String)) },
		})
		_, err := p.land(t.Context())
		ok(t, err)
		ok(t, l.check(t.Context()))
		if got := l.values(t, "CITY"); !slices.Contains(got, "Oslo") {
			t.Errorf("found %q in CITY, want Oslo too", got)
		}
	})
	t.Run("a column of another type while a batch lands", func(t *testing.T) {
		l := afterDays(t, 1, scene{})
		l.day(1)
		p := l.next()
		p.data = fault.New(l.data, fault.Plan{
			Match:  func(c fault.Call) bool { return c.Op == fault.Create && strings.HasPrefix(c.Key, "_delta_log/") },
			Before: func() { ok(t, l.other().addColumn(t.Context(), "city", schema.Date)) },
		})
		_, err := p.land(t.Context())
		ok(t, err)
		ok(t, l.check(t.Context()))
		if got := strings.Join(l.values(t, contract.RescuedData), ""); !strings.Contains(got, "Oslo") {
			t.Errorf("found %q rescued, want Oslo", got)
		}
	})
	t.Run("no room for our own columns", func(t *testing.T) {
		l := afterDays(t, 0, scene{})
		ok(t, l.other().create(t.Context(), "t", schema.Struct{Fields: []schema.Field{id, field(contract.SourceFile, schema.Long)}}))
		l.day(0)
		l.refused(l.next(), diag.Constraint, "a.csv")
	})
	t.Run("files, and no table", func(t *testing.T) {
		l := afterDays(t, 0, scene{})
		ok(t, l.data.Create(t.Context(), "x.parquet", []byte("PAR1")))
		l.day(0)
		l.refused(l.next(), diag.NotDelta, "x.parquet")
		l.drop(func(key string) bool { return key == "x.parquet" })
		l.lands()
	})
}

// Two processes make identity and table at the same time, with the state in
// another place than beside the table.
func TestStateElsewhere(t *testing.T) {
	for i := 0; ; i++ {
		l := afterDays(t, 0, scene{})
		l.day(0)
		kept := memory.New(nil)
		p, second := l.next(), l.process("second-")
		p.kept, second.kept = kept, kept
		data := fault.New(l.data, fault.Plan{At: i, Before: func() {
			_, err := second.land(t.Context())
			ok(t, err)
		}})
		p.data = data
		_, err := p.land(t.Context())
		ok(t, err)
		ok(t, l.check(t.Context()))
		if !data.Struck() {
			return
		}
	}
}

// Other tools clean the log up. What it no longer says must not matter, or be
// told.
func TestLogCleaned(t *testing.T) {
	inserts := func(l *landed) {
		for range 3 {
			ok(l.t, l.other().insert(l.t.Context(), false, "x"))
		}
		l.want[""] = []map[string]int{{"x": 3}}
	}
	clean := func(l *landed, through string) {
		l.drop(func(key string) bool {
			return strings.HasSuffix(key, ".json") && key >= "_delta_log/" && key <= "_delta_log/000000000000000000"+through+".json"
		})
	}
	t.Run("harmless", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		inserts(l)
		clean(l, "03")
		l.day(2)
		l.lands()
	})
	t.Run("the log still says who took our files out", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		inserts(l)
		ok(t, l.other().optimize(t.Context()))
		clean(l, "03")
		l.day(2)
		l.lands()
	})
	t.Run("nobody says who took our files out", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		ok(t, l.other().optimize(t.Context()))
		inserts(l)
		clean(l, "03")
		l.day(2)
		l.refused(l.next(), diag.TableRestored, "memory:")
		l.resets(land.ResetReprocess)
	})
	t.Run("before a mark was written", func(t *testing.T) {
		l := afterDays(t, 1, scene{})
		l.day(1)
		l.crashes(creating("_delta_log/"))
		inserts(l)
		clean(l, "03")
		l.refused(l.next(), diag.StateLost, "_landfall/orders")
		l.resets(land.ResetKeep)
		l.vacuums()
	})
}

// Another tool changes the table before each of our commits: we give up, and
// land when it is quiet.
func TestConflictForever(t *testing.T) {
	l := afterDays(t, 1, scene{})
	l.day(1)
	p := l.next()
	n := 0
	p.data = fault.New(l.data, fault.Plan{Times: fault.Forever, Match: creating("_delta_log/"), Before: func() {
		n++
		ok(t, l.other().set(t.Context(), "n", strings.Repeat("x", n)))
	}})
	_, err := p.land(t.Context())
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != diag.ConflictLost || d.Hint == "" || n != 10 {
		t.Errorf("found %v after %d tries, want %s after 10", err, n, diag.ConflictLost)
	}
	l.lands()
}

// values are the values of a column, of all rows.
func (l *landed) values(t *testing.T, name string) []string {
	t.Helper()
	var all []string
	for _, f := range l.snapshot().Files() {
		o, err := l.data.Open(t.Context(), f.Path)
		ok(t, err)
		for rec, err := range parquetfile.Read(t.Context(), o, f.Size, nil) {
			ok(t, err)
			for i := range int(rec.NumRows()) {
				all = append(all, text(rec, name, i))
			}
		}
	}
	return all
}

// Two sources make one table at the same time; each lands all its files.
func TestTwoSourcesOneTable(t *testing.T) {
	for i := 0; ; i++ {
		l := afterDays(t, 0, scene{})
		l.put("a.csv", "id\na1\n")
		other := l.process("other-")
		src := other.source()
		src.Name, src.StateKey = "customers", "_landfall/customers/"
		src.State = stateIn(l, src.StateKey)
		p := l.next()
		data := fault.New(l.data, fault.Plan{At: i, Before: func() {
			if _, err := land.Run(t.Context(), src, other.env()); err != nil {
				t.Errorf("call %d: the other source: %v", i, err)
			}
		}})
		p.data = data
		_, err := p.land(t.Context())
		if err != nil {
			t.Errorf("call %d: %v", i, err)
		}
		l.want["a.csv"] = []map[string]int{{"a1": 2}} // once by each
		if !data.Struck() {
			l.want["a.csv"] = []map[string]int{{"a1": 1}}
		}
		l.lands()
		if !data.Struck() {
			return
		}
	}
}
