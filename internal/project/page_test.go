package project_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/project"
)

// meanings says of each kind of drift what it is, and of its actions what they
// do, where the word alone does not.
func meanings() map[contract.Kind]string {
	return map[contract.Kind]string{
		event.ColumnAdded:     "a column that the contract has not. `add`: the table grows it; `rescue`: its values stand in `_rescued_data`; `ignore`: they are dropped, and the event says so. The first landing takes all columns, whatever this says",
		event.ColumnMissing:   "a column of the contract that the file has not. `null`: its rows have NULL there",
		event.ColumnRecased:   "a column in another casing. `fold`: it is the same column",
		event.ColumnOrder:     "columns in another order: they are matched by name",
		event.NameCleaned:     "a name with a character that Delta refuses (space `,;{}()=`, control characters). `clean`: each becomes `_`",
		event.NameDuplicate:   "a name that stands twice in a header. `clean`: the second lands as `name#2`",
		event.TypeWider:       "values that do not fit their column, but would fit a wider type that holds all its values: 2.5 in a bigint column. `widen`: where no value that the table ever had is lost by it, the column gets that type, and its standing rows are written again in the same commit. `feature`: as `widen`, but files stay as they are where the readers of Delta's [type widening](readers.md#type-widening) take them for the new type: many readers refuse such a table. Else, and under `rescue`, the values stand in `_rescued_data`",
		event.TypeConflict:    "values of another type altogether: text in a bigint column. `rescue`: NULL, and the value is in `_rescued_data`; `null`: NULL, and the event counts what was dropped; `quarantine`: the whole row is kept outside the table",
		event.ValueMisfit:     "single values that do not fit their column: `N/A` among numbers. Choices as of type_conflict",
		event.ValueTruncated:  "a timestamp with digits beyond the microsecond. `land`: they are cut; `rescue`: NULL, and the whole value is in `_rescued_data`",
		event.CalendarRebased: "dates and timestamps of Parquet files in the calendar that was before the Gregorian one. `land`: they are the same day in ours",
		event.ZoneAssumed:     "timestamps that name no zone. `land`: they are in that of the option timeZone",
		event.KeyDuplicate:    "an object that has one name twice. `rescue`: the last one lands, the others stand in `_rescued_data`",
		event.RecordMalformed: "a record that cannot be parsed. `quarantine`: it is kept outside the table, with its bytes and place; `rescue`: it is a row of NULLs, with its text in `_rescued_data` under `_corrupt_record`; `drop`: it is counted",
		event.RecordRagged:    "a record with more or fewer fields than the header. `rescue`: what is too much stands in `_rescued_data`, what lacks is NULL; `quarantine`: the record is kept outside the table",
		event.FileUnreadable:  "a file that cannot be read: cut short, damaged. What was read whole before the cut lands, the rest is listed",
		event.FileEmpty:       "a file of 0 bytes",
		event.FileForeign:     "a file that shares no column with the feed, or is something else by its first bytes (HTML, Parquet, …); under `land` the columns of the first sort are new columns; of the second, what can be read as text lands",
		event.FileRewritten:   "a file that landed and has other bytes now. `replace`: the new rows take the place of the old ones in one commit; `skip`: the new version is passed over for good; `append`: the new rows stand beside the old ones",
		event.FileVanished:    "a file that was listed and is gone: it has landed nothing",
		event.PartitionClash:  "a folder `k=v` whose key is also a column of the file: the folder's value counts; a value of the file that differs stands in `_rescued_data`",
	}
}

// policyTable is the table of policies.
func policyTable() string {
	var b strings.Builder
	b.WriteString("| policy | choices, default first | drift, and what is done |\n|---|---|---|\n")
	for _, kind := range contract.Kinds() {
		choices := "`" + strings.Join(contract.Choices(kind), "`, `") + "`"
		if len(contract.Choices(kind)) == 1 {
			choices = "always " + choices
		}
		own := ""
		if slices.Contains(contract.ColumnKinds(), kind) {
			own = "\\*"
		}
		fmt.Fprintf(&b, "| `%s`%s | %s | %s |\n", kind, own, choices, meanings()[kind])
	}
	return b.String()
}

// modeTable says what each mode of schema evolution makes of the policies.
func modeTable() string {
	var b strings.Builder
	kinds := []contract.Kind{event.ColumnAdded, event.TypeWider, event.ValueMisfit, event.RecordMalformed, event.FileRewritten}
	b.WriteString("| schemaEvolutionMode | column_added | type_wider | value_misfit | record_malformed | file_rewritten | rescue column |\n|---|---|---|---|---|---|---|\n")
	for _, mode := range []string{"", contract.AddNewColumns, contract.TypeWidening, contract.RescueMode, contract.FailOnNewColumns, contract.NoEvolution} {
		p := contract.Policy{Preset: mode}
		name, rescue := "`"+mode+"`", "`"+p.RescueColumn()+"`"
		if mode == "" {
			name = "not set"
		}
		if p.RescueColumn() == "" {
			rescue = "none, unless rescuedDataColumn names one"
		}
		fmt.Fprintf(&b, "| %s |", name)
		for _, k := range kinds {
			action, _ := p.Action(k)
			fmt.Fprintf(&b, " `%s` |", action)
		}
		fmt.Fprintf(&b, " %s |\n", rescue)
	}
	return b.String()
}

// docs/project.md holds the tables of policies and of modes.
func TestProjectPage(t *testing.T) {
	const page = "../../docs/project.md"
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(got)
	for name, table := range map[string]string{"policies": policyTable(), "modes": modeTable()} {
		text = between(t, text, name, table)
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != string(got) {
		t.Errorf("%s is not up to date: go test ./internal/project -update", page)
	}
	for _, kind := range contract.Kinds() {
		if meanings()[kind] == "" {
			t.Errorf("%s has no meaning", kind)
		}
	}
}

// between puts a table between its marks in a page.
func between(t *testing.T, text, name, table string) string {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- end -->"
	before, rest, ok := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("the page has no place for %s", name)
	}
	return before + begin + table + end + after
}

// The example of the page is a project that can be read.
func TestProjectExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/project.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the page has no example")
	}
	if p, err := project.Load("landfall.yaml", []byte(example)); err != nil || len(p.Sources) != 2 {
		t.Errorf("found %v, %v; want two sources", p, err)
	}
}
