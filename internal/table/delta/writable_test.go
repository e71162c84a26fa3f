package delta

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/store/memory"
	"landfall/internal/table"
)

// protocolOf is a protocol line; a list of features is written if it is 3 or 7.
func protocolOf(reader, writer int, features ...string) string {
	p := fmt.Sprintf(`{"protocol":{"minReaderVersion":%d,"minWriterVersion":%d`, reader, writer)
	list := strings.ReplaceAll(fmt.Sprintf("%q", features), `" "`, `","`)
	if reader == 3 {
		p += `,"readerFeatures":` + list
	}
	if writer == 7 {
		p += `,"writerFeatures":` + list
	}
	return p + "}}"
}

// metaOf is a metaData line with one property and with metadata on column a.
func metaOf(property, field string) string {
	if property == "" {
		property = "k=v"
	}
	key, value, _ := strings.Cut(property, "=")
	m := strings.Replace(metaLine, `"k":"v"`, fmt.Sprintf("%q:%q", key, value), 1)
	return strings.Replace(m, `\"metadata\":{}`, `\"metadata\":{`+strings.ReplaceAll(field, `"`, `\"`)+`}`, 1)
}

func TestWriterRules(t *testing.T) {
	appends := table.Change{Attempt: "ours", Adds: []table.File{dataFile("new")}}
	empties := table.Change{Attempt: "ours"}
	replaces := appends
	replaces.Removes = []table.File{{Path: "x"}}
	moves := replaces
	moves.Removes = []table.File{{Path: "x", Moved: true}}
	moves.Adds = []table.File{dataFile("new")}
	moves.Adds[0].Moved = true
	const check = "delta.constraints.positive=a > 0"
	const feed = "delta.enableChangeDataFeed=true"
	for _, c := range []struct {
		name     string
		protocol string
		property string
		field    string
		change   table.Change
		want     diag.Code
		names    string
	}{
		{"version 1", protocolOf(1, 1), "", "", appends, "", ""},
		{"version 2", protocolOf(1, 2), "", "", replaces, "", ""},
		{"version 3", protocolOf(1, 3), "", "", replaces, "", ""},
		{"version 4", protocolOf(1, 4), "", "", replaces, "", ""},
		{"version 5", protocolOf(2, 5), "", "", replaces, "", ""},
		{"version 6", protocolOf(2, 6), "", "", replaces, "", ""},
		{"version 7 of nothing", protocolOf(1, 7), "", "", replaces, "", ""},
		{"version 8", protocolOf(1, 8), "", "", appends, diag.UnknownFeature, "1/8"},
		{"feature of tomorrow", protocolOf(1, 7, "teleport"), "", "", appends, diag.UnknownFeature, `"teleport"`},
		{"rowTracking", protocolOf(1, 7, "rowTracking"), "", "", appends, diag.UnknownFeature, "rowTracking"},
		{"clustering", protocolOf(1, 7, "clustering"), "", "", appends, diag.UnknownFeature, "clustering"},
		{"icebergCompatV2", protocolOf(1, 7, "icebergCompatV2"), "", "", appends, diag.UnknownFeature, "icebergCompatV2"},

		{"appendOnly off", protocolOf(1, 7, "appendOnly"), "delta.appendOnly=false", "", replaces, "", ""},
		{"appendOnly appends", protocolOf(1, 2), "delta.appendOnly=true", "", appends, "", ""},
		{"appendOnly moves", protocolOf(1, 2), "delta.appendOnly=true", "", moves, "", ""},
		{"appendOnly replaces", protocolOf(1, 2), "delta.appendOnly=true", "", replaces, diag.AppendOnly, "append-only"},

		{"invariants unused", protocolOf(1, 7, "invariants"), "", "", appends, "", ""},
		{"invariants", protocolOf(1, 2), "", `"delta.invariants":"{}"`, appends, diag.Constraint, "invariant"},
		{"invariants, no rows", protocolOf(1, 2), "", `"delta.invariants":"{}"`, empties, "", ""},
		{"invariants, rows move", protocolOf(1, 2), "", `"delta.invariants":"{}"`, moves, "", ""},

		{"checkConstraints unused", protocolOf(1, 7, "checkConstraints"), "", "", appends, "", ""},
		{"checkConstraints", protocolOf(1, 3), check, "", appends, diag.Constraint, `"positive" (a > 0)`},

		{"changeDataFeed off", protocolOf(1, 7, "changeDataFeed"), "", "", replaces, "", ""},
		{"changeDataFeed appends", protocolOf(1, 4), feed, "", appends, "", ""},
		{"changeDataFeed replaces", protocolOf(1, 4), feed, "", replaces, diag.UnknownFeature, "changeDataFeed"},
		{"changeDataFeed moves", protocolOf(1, 4), feed, "", moves, "", ""},

		{"generatedColumns unused", protocolOf(1, 7, "generatedColumns"), "", "", appends, "", ""},
		{"generatedColumns", protocolOf(1, 4), "", `"delta.generationExpression":"1"`, appends, diag.Constraint, "generation"},

		{"columnMapping none", protocolOf(3, 7, "columnMapping"), "delta.columnMapping.mode=none", "", replaces, "", ""},
		{"columnMapping name", protocolOf(2, 5), "delta.columnMapping.mode=name", "", appends, diag.UnknownFeature, "columnMapping"},

		{"identityColumns unused", protocolOf(1, 7, "identityColumns"), "", "", appends, "", ""},
		{"identityColumns", protocolOf(2, 6), "", `"delta.identity.start":1`, appends, diag.Constraint, "identity"},

		{"allowColumnDefaults unused", protocolOf(1, 7, "allowColumnDefaults"), "", "", appends, "", ""},
		{"allowColumnDefaults", protocolOf(1, 7, "allowColumnDefaults"), "", `"CURRENT_DEFAULT":"1"`, appends, diag.Constraint, "default"},

		{"timestampNtz", protocolOf(3, 7, "timestampNtz"), "", "", replaces, "", ""},
		{"deletionVectors", protocolOf(3, 7, "deletionVectors"), "", "", replaces, "", ""},
		{"v2Checkpoint", protocolOf(3, 7, "v2Checkpoint"), "", "", replaces, "", ""},
		{"vacuumProtocolCheck", protocolOf(3, 7, "vacuumProtocolCheck"), "", "", replaces, "", ""},
		{"inCommitTimestamp", protocolOf(1, 7, "inCommitTimestamp"), "", "", replaces, "", ""},
		{"typeWidening", protocolOf(3, 7, "typeWidening"), enableWidening + "=true", `"delta.typeChanges":[{"fromType":"integer","toType":"long"}]`, replaces, "", ""},
		{"typeWidening-preview", protocolOf(3, 7, "typeWidening-preview"), enableWidening + "=true", `"delta.typeChanges":[{"tableVersion":1,"fromType":"short","toType":"long"}]`, replaces, "", ""},
		{"domainMetadata", protocolOf(1, 7, "domainMetadata"), "", "", replaces, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			disk, tbl, base := tableOf(t, []string{c.protocol, metaOf(c.property, c.field), addLine("x")})
			before := len(disk.Keys())
			_, err := tbl.Commit(t.Context(), base, c.change)
			if got := diag.CodeOf(err); got != c.want || c.want == "" && err != nil {
				t.Fatalf("found %v, want code %q", err, c.want)
			}
			if c.want != "" && !strings.Contains(err.Error(), c.names) {
				t.Errorf("%q does not name %q", err, c.names)
			}
			if wrote := len(disk.Keys()) > before; wrote != (c.want == "") {
				t.Errorf("wrote = %v", wrote)
			}
		})
	}
}

// TestRulesAreTested ties the table of features to the test above.
func TestRulesAreTested(t *testing.T) {
	tested := "appendOnly invariants checkConstraints changeDataFeed generatedColumns columnMapping identityColumns " +
		"allowColumnDefaults timestampNtz deletionVectors v2Checkpoint vacuumProtocolCheck inCommitTimestamp typeWidening typeWidening-preview domainMetadata"
	var names []string
	for _, r := range rules() {
		names = append(names, r.feature)
	}
	if got := strings.Join(names, " "); got != tested {
		t.Errorf("features are\n%s\ntested are\n%s", got, tested)
	}
}

func TestNtzNeedsItsFeature(t *testing.T) {
	_, tbl, base := tableOf(t, first())
	s := withColumn(base.Schema, "at")
	s.Fields[1].Type = mustType(t, "map<string,array<struct<x:timestamp_ntz>>>")
	_, err := tbl.Commit(t.Context(), base, table.Change{Attempt: "ours", Schema: &s})
	if diag.CodeOf(err) != diag.UnknownFeature || !strings.Contains(err.Error(), "at.value.element.x") {
		t.Errorf("found %v", err)
	}
}

func TestVectorNeedsItsFeature(t *testing.T) {
	_, tbl, base := tableOf(t, first())
	f := dataFile("new")
	f.DV = &table.DeletionVector{StorageType: "u", PathOrInlineDV: "p"}
	if _, err := tbl.Commit(t.Context(), base, table.Change{Attempt: "ours", Adds: []table.File{f}}); err == nil {
		t.Error("a vector that readers do not expect was committed")
	}
}

func TestNotNull(t *testing.T) {
	for _, c := range []struct {
		ddl   string
		stats string
		want  string // the path that may hold nulls, "" if none
	}{
		{"struct<a:string>", ``, ""},
		{"struct<a:string not null>", `{"numRecords":2,"nullCount":{"a":0}}`, ""},
		{"struct<a:string not null>", `{"numRecords":2,"nullCount":{"a":1}}`, "a"},
		{"struct<a:string not null>", `{"numRecords":2,"nullCount":{}}`, "a"},
		{"struct<a:string not null>", `{"nullCount":{"a":0}}`, "a"},
		{"struct<a:string not null>", ``, "a"},
		{"struct<a:string not null>", `{"numRecords":0}`, ""},
		{"struct<a:string,s:struct<x:string not null>>", `{"numRecords":2,"nullCount":{"s":{"x":0}}}`, ""},
		{"struct<a:string,s:struct<x:string not null>>", `{"numRecords":2,"nullCount":{"s":{"x":2}}}`, "s.x"},
		{"struct<a:string,s:array<struct<x:string not null>>>", `{"numRecords":2,"nullCount":{"s":0}}`, "s.element.x"},
		{"struct<a:string,m:map<string,struct<x:string not null>>>", `{"numRecords":2,"nullCount":{"m":0}}`, "m.value.x"},
		{"struct<day:string not null,a:string>", `{"numRecords":2}`, ""},
	} {
		t.Run(c.ddl+" "+c.stats, func(t *testing.T) {
			tbl := Open(memory.New(nil), testOptions())
			s, f, day := mustStruct(t, c.ddl), dataFile("new"), "d"
			f.Stats = c.stats
			change := table.Change{Attempt: "ours", TableID: "t", Schema: &s, Adds: []table.File{f}}
			if s.Fields[0].Name == "day" {
				change.Partitions, change.Adds[0].Partition = []string{"day"}, map[string]*string{"day": &day}
			}
			_, err := tbl.Commit(t.Context(), nil, change)
			var d *diag.Diagnostic
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (!errors.As(err, &d) || d.Code != diag.Constraint || d.Path != c.want):
				t.Errorf("found %v, want a constraint on %s", err, c.want)
			}
		})
	}
	s, f := mustStruct(t, "struct<day:string not null,a:string>"), dataFile("new")
	f.Partition = map[string]*string{"day": nil}
	change := table.Change{Attempt: "ours", TableID: "t", Schema: &s, Adds: []table.File{f}, Partitions: []string{"day"}}
	if _, err := Open(memory.New(nil), testOptions()).Commit(t.Context(), nil, change); diag.CodeOf(err) != diag.Constraint {
		t.Errorf("a null partition: found %v", err)
	}
}

func mustType(t *testing.T, ddl string) schema.Type {
	t.Helper()
	typ, err := schema.ParseDDL(ddl)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

func mustStruct(t *testing.T, ddl string) schema.Struct {
	t.Helper()
	s, ok := mustType(t, ddl).(schema.Struct)
	if !ok {
		t.Fatalf("%s is no struct", ddl)
	}
	return s
}

func TestRetypes(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"struct<a:int>", "struct<a:int>", false},
		{"struct<a:int>", "struct<b:string,a:int>", false},
		{"struct<a:int>", "struct<a:bigint>", true},
		{"struct<a:int>", "struct<b:int>", true},
		{"struct<a:int>", "struct<a:int not null>", true},
		{"struct<a:int not null>", "struct<a:int>", false},
		{"struct<a:int>", "struct<a:int,b:int not null>", true},
		{"struct<a:decimal(9,2)>", "struct<a:decimal(10,2)>", true},
		{"struct<a:decimal(9,2)>", "struct<a:decimal(9,2)>", false},
		{"struct<a:struct<x:int>>", "struct<a:struct<x:int,y:int>>", false},
		{"struct<a:struct<x:int>>", "struct<a:struct<x:date>>", true},
		{"struct<a:array<struct<x:int>>>", "struct<a:array<struct<x:int,y:int>>>", false},
		{"struct<a:array<int>>", "struct<a:array<bigint>>", true},
		{"struct<a:array<int>>", "struct<a:map<int,int>>", true},
		{"struct<a:map<string,int>>", "struct<a:map<string,bigint>>", true},
		{"struct<a:map<string,int>>", "struct<a:map<int,int>>", true},
		{"struct<a:map<string,int>>", "struct<a:map<string,int>>", false},
	} {
		if got := retypes(mustStruct(t, c.from), mustStruct(t, c.to)); got != c.want {
			t.Errorf("%s to %s: found %v", c.from, c.to, got)
		}
	}
}
