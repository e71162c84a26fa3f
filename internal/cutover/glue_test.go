package cutover_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"landfall/internal/cutover"
)

// stateFile names, in the environment of a child, the file that holds what the
// catalog knows: the child is an aws command with a catalog of one table.
const stateFile = "GLUE_STATE"

// asJQ makes the test binary run as jq, which a machine need not have.
const asJQ = "LANDFALL_AS_JQ"

func TestMain(m *testing.M) {
	if os.Getenv(asJQ) != "" {
		os.Exit(jqMain(os.Args[1:]))
	}
	file, isChild := os.LookupEnv(stateFile)
	if !isChild {
		os.Exit(m.Run())
	}
	if err := aws(file, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(255)
	}
}

type object = map[string]any

// state is what the catalog knows.
type state struct {
	Table      object
	Partitions []object
}

func (s *state) find(values any) int {
	return slices.IndexFunc(s.Partitions, func(p object) bool { return reflect.DeepEqual(p["Values"], values) })
}

// aws answers one call as the Glue Data Catalog does: it knows what each call
// takes, and answers what it could not do of a batch in a list.
func aws(file string, args []string) error {
	var s state
	if err := load(file, &s); err != nil {
		return err
	}
	flags := map[string]string{}
	for i := 2; i+1 < len(args); i += 2 {
		flags[args[i]] = args[i+1]
	}
	if flags["--database-name"] != "sales" || flags["--table-name"]+flags["--name"] != "orders" && args[1] != "update-table" {
		return fmt.Errorf("EntityNotFoundException: %q", args)
	}
	answer, err := s.call(args[1], flags)
	if err != nil {
		return err
	}
	if err := store(file, s); err != nil {
		return err
	}
	return json.MarshalWrite(os.Stdout, answer)
}

func (s *state) call(name string, flags map[string]string) (any, error) {
	switch name {
	case "get-table":
		return object{"Table": s.Table}, nil
	case "get-partitions":
		return object{"Partitions": s.Partitions}, nil
	case "update-table":
		var input object
		if err := load(strings.TrimPrefix(flags["--table-input"], "file://"), &input); err != nil {
			return nil, err
		}
		if _, set := input["CreateTime"]; set {
			return nil, fmt.Errorf("unknown parameter in TableInput: CreateTime")
		}
		input["CreateTime"] = s.Table["CreateTime"]
		s.Table = input
		return object{}, nil
	}
	limit, flag := 100, map[string]string{"batch-update-partition": "--entries", "batch-create-partition": "--partition-input-list", "batch-delete-partition": "--partitions-to-delete"}[name]
	if name == "batch-delete-partition" {
		limit = 25
	}
	var list []object
	if err := load(strings.TrimPrefix(flags[flag], "file://"), &list); err != nil {
		return nil, err
	}
	if len(list) == 0 || len(list) > limit {
		return nil, fmt.Errorf("ValidationException: %d entries", len(list))
	}
	var errs []object
	for _, entry := range list {
		if err := s.partition(name, entry); err != nil {
			errs = append(errs, object{"ErrorDetail": object{"ErrorMessage": err.Error()}})
		}
	}
	return object{"Errors": errs}, nil
}

func (s *state) partition(call string, entry object) error {
	values := entry["Values"]
	if call == "batch-update-partition" {
		values = entry["PartitionValueList"]
	}
	at := s.find(values)
	switch {
	case call == "batch-create-partition" && at >= 0:
		return fmt.Errorf("AlreadyExistsException")
	case call == "batch-create-partition":
		s.Partitions = append(s.Partitions, entry)
	case at < 0:
		return fmt.Errorf("EntityNotFoundException")
	case call == "batch-update-partition":
		s.Partitions[at] = entry["PartitionInput"].(object)
	default:
		s.Partitions = slices.Delete(s.Partitions, at, at+1)
	}
	return nil
}

func load(file string, into any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

func store(file string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

// many is a table with 130 partitions in both folders, 30 of them named to end a
// literal, and 26 that the copy, or the old folder, alone has.
func many(t *testing.T) (cutover.Table, state) {
	o := orders(t)
	fit(cutover.Glue, &o)
	o.Was, o.Copy, o.Rows = nil, nil, 156
	s := state{Table: object{
		"Name": "orders", "DatabaseName": "sales", "CreateTime": "2026-01-01", "TableType": "EXTERNAL_TABLE", "Parameters": object{"classification": "parquet"},
		"StorageDescriptor": object{"Location": o.Old, "SerdeInfo": object{"Name": "s"}, "Columns": []any{object{"Name": "order_id", "Type": "int", "Comment": "it's the key"}}},
	}}
	add := func(where *[]cutover.Partition, i int, name string) {
		*where = append(*where, cutover.Partition{Values: values("2026-11-01", fmt.Sprintf("%s %03d'\"\\\nLANDFALL\n$(exit 1)`exit 1`", name, i)), Rows: 1})
	}
	for i := range 130 {
		add(&o.Was, i, "both")
		add(&o.Copy, i, "both")
	}
	for i := range 26 {
		add(&o.Copy, i, "came")
		add(&o.Was, i, "gone")
	}
	for _, p := range o.Was {
		s.Partitions = append(s.Partitions, object{
			"Values": []any{p.Values[0].Text, p.Values[1].Text}, "Parameters": object{"n": "1"},
			"StorageDescriptor": object{"Location": o.Old + "/" + cutover.FolderOf([]string{"dt", "region"}, p.Values), "Columns": []any{}},
		})
	}
	return o, s
}

// glueRun writes what the catalog knows, runs steps in a folder, and returns what it
// knows then.
func glueRun(t *testing.T, folder string, before state, steps ...[]cutover.Step) (state, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(folder, "state")
	if err := store(at, before); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "aws"), []byte("#!/bin/sh\nexec '"+self+"' \"$@\"\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "jq"), []byte("#!/bin/sh\n"+asJQ+"=1 exec '"+self+"' \"$@\"\n"), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	c := exec.Command("sh", "-c", cutover.Script{Engine: cutover.Glue, Move: slices.Concat(steps...)}.String())
	c.Dir = folder
	c.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), stateFile+"="+at)
	out, failed := c.CombinedOutput()
	if failed != nil {
		failed = fmt.Errorf("%w\n%s", failed, out)
	}
	var after state
	if err := load(at, &after); err != nil {
		t.Fatal(err)
	}
	return after, failed
}

// TestGlueScript runs the script for Glue against a catalog of its own.
func TestGlueScript(t *testing.T) {
	o, before := many(t)
	folder := t.TempDir()
	s, err := cutover.Write(cutover.Glue, o)
	if err != nil {
		t.Fatal(err)
	}
	after, err := glueRun(t, folder, before, s.Before, s.Move, s.Check)
	if err != nil {
		t.Fatal(err)
	}
	descriptor := after.Table["StorageDescriptor"].(object)
	if descriptor["Location"] != o.New+"/" || !reflect.DeepEqual(after.Table["Parameters"], before.Table["Parameters"]) {
		t.Errorf("found the table %v", after.Table)
	}
	if found, want := descriptor["Columns"].([]any)[0], (object{"Name": "order_id", "Type": "bigint", "Comment": "it's the key"}); !reflect.DeepEqual(found, want) {
		t.Errorf("found the column %v, wanted %v", found, want)
	}
	if len(after.Partitions) != len(o.Copy) {
		t.Errorf("found %d partitions, wanted %d", len(after.Partitions), len(o.Copy))
	}
	for _, p := range o.Copy {
		k := after.find([]any{p.Values[0].Text, p.Values[1].Text})
		if k < 0 {
			t.Fatalf("found no partition %v", p.Values)
		}
		want := o.New + "/" + cutover.FolderOf([]string{"dt", "region"}, p.Values) + "/"
		if found := after.Partitions[k]["StorageDescriptor"].(object); found["Location"] != want || !reflect.DeepEqual(found["Columns"], descriptor["Columns"]) {
			t.Fatalf("found %v, wanted it at %q", found, want)
		}
	}
	if again, err := glueRun(t, folder, after, s.Before, s.Move); err == nil || !reflect.DeepEqual(again, after) {
		t.Errorf("a second run was not stopped: %v", err)
	}
	back, err := glueRun(t, folder, after, s.Undo)
	if err != nil {
		t.Fatal(err)
	}
	delete(before.Table, "DatabaseName") // it is the call's
	if !reflect.DeepEqual(back.Table, before.Table) {
		t.Errorf("found the table %v, wanted %v", back.Table, before.Table)
	}
	for _, p := range before.Partitions {
		if k := back.find(p["Values"]); k < 0 || !reflect.DeepEqual(back.Partitions[k], p) {
			t.Fatalf("found no partition %v as it was", p)
		}
	}
	if len(back.Partitions) != len(before.Partitions) {
		t.Errorf("found %d partitions, wanted %d", len(back.Partitions), len(before.Partitions))
	}
}

// TestGlueManaged holds that the script stops before it changes a table of which
// the catalog would remove files.
func TestGlueManaged(t *testing.T) {
	o, before := many(t)
	before.Table["TableType"] = "MANAGED_TABLE"
	s, err := cutover.Write(cutover.Glue, o)
	if err != nil {
		t.Fatal(err)
	}
	after, err := glueRun(t, t.TempDir(), before, s.Before, s.Move)
	if err == nil || !reflect.DeepEqual(after, before) {
		t.Errorf("the script went on: %v", err)
	}
}
