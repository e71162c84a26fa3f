package contract_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"landfall/internal/column/columntest"
	"landfall/internal/contract"
	"landfall/internal/evolution"
	"landfall/internal/hint"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func TestVersionOnDisk(t *testing.T) {
	header := []string{"id", "Order ID", "id"}
	v := landed(t, contract.Version{}, contract.Policy{}, contract.ObjectEvidence{
		Path: "dt=1/a.csv", Header: header, Partitions: []string{"dt"}, Evidence: columntest.Cells(header, []string{"x", "y", "z"}),
	})
	v.At = time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC)
	golden(t, "testdata/version1.json", v)

	// What types brought: files without these keys are read as they ever were.
	hints, err := hint.Parse("amount decimal(18,2)")
	if err != nil {
		t.Fatal(err)
	}
	p := contract.Policy{Hints: hints}
	first := landed(t, contract.Version{}, p, tree(t, "a.json", `{"id":1,"amount":1.5,"who":{"first name":"x","tags":[]},"note":null}`))
	v = contract.Rollback(landed(t, first, p, tree(t, "b.json", `{"id":2,"x":true}`)), first)
	v.At, v.Who, v.Options, v.Cause = time.Date(2026, 11, 30, 8, 30, 0, 0, time.UTC), "ann", "0123456789abcdef", first.Cause[:1]
	golden(t, "testdata/version1-types.json", v)
}

// landed is the version after one more object.
func landed(t *testing.T, v contract.Version, p contract.Policy, o contract.ObjectEvidence) contract.Version {
	t.Helper()
	r, err := evolution.Evolve(v, evolution.Evidence{Objects: []contract.ObjectEvidence{o}}, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Version
}

// tree is an object of one JSON record.
func tree(t *testing.T, path, record string) contract.ObjectEvidence {
	t.Helper()
	o := contract.ObjectEvidence{Path: path, Tree: true, Evidence: columntest.Trees(t, record)}
	for _, f := range o.Evidence.Fields {
		o.Header = append(o.Header, f.Name)
	}
	return o
}

// golden compares a version with its file, and with what is read from that.
func golden(t *testing.T, golden string, v contract.Version) {
	t.Helper()
	got, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var back contract.Version
	if err := json.Unmarshal(want, &back); err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("read back as %+v, %v", back, err)
	}
}

func TestVersionOfTomorrow(t *testing.T) {
	var v contract.Version
	err := json.Unmarshal([]byte(`{"format":3,"number":1}`), &v)
	if err == nil || !strings.Contains(err.Error(), "contract of format 3, want 2") {
		t.Errorf("got %v", err)
	}
}

func TestVersionIsWhole(t *testing.T) {
	for columns, want := range map[string]string{
		`[{"name":"a","type":"int"}]`:                                                                     "column 1 of the contract has no name",
		`[{"name":"a","original":"a","type":"in"}]`:                                                       "column a of the contract",
		`[{"name":"a","original":"a","type":"int"},{"name":"A","original":"b","type":"int"}]`:             "column A stands twice",
		`[{"name":"a","original":"a","type":"int"},{"name":"b","original":"A","type":"int"}]`:             "column b stands twice",
		`[{"name":"a","original":"a","type":"array<struct<x:int,X:int>>"}]`:                               "field X of column a stands twice",
		`[{"name":"a","original":"a","type":"map<string,struct<x:int,y:int>>","nested":{"value.y":"x"}}]`: "field y of column a stands twice",
	} {
		var v contract.Version
		err := json.Unmarshal([]byte(`{"format":1,"columns":`+columns+`}`), &v)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", columns, err, want)
		}
	}
}
