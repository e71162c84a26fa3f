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

	"landfall/internal/contract"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func TestVersionOnDisk(t *testing.T) {
	v := evolve(t, contract.Version{}, contract.Policy{}, "dt=1/a.csv: id,Order ID,id").Version
	v.At = time.Date(2026, 10, 2, 8, 30, 0, 0, time.UTC)
	got, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const golden = "testdata/version1.json"
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
	err := json.Unmarshal([]byte(`{"format":2,"number":1}`), &v)
	if err == nil || !strings.Contains(err.Error(), "contract of format 2, want 1") {
		t.Errorf("got %v", err)
	}
}
