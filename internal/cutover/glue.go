package cutover

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"landfall/internal/schema"
)

// Limits of one call.
const (
	glueBatch  = 100
	glueDelete = 25
)

// gluePartition is a partition in the files that the script writes.
type gluePartition struct {
	Values   []string
	Location string `json:",omitzero"`
}

// glue moves the table and its partitions by calls of the catalog. What the
// catalog holds is kept in files first, changed with jq, and put back: a table's
// properties are in one piece with its location.
func (w writer) glue() Script {
	shared, came, gone := w.shared()
	s := Script{Notes: []string{
		"For a POSIX shell with aws and jq, in an empty folder. The table stays, with its properties; its location, its columns and those of each partition are moved. Until the last call has answered, a reader may find old and clean partitions side by side.",
		"A call that moves partitions ends well although some of them did not: jq -e stops the script then.",
	}}
	s.Before = []Step{
		{"stops if it ran in this folder before: the way back would be lost", "test ! -e table.before.json"},
		{"what there is: the way back", w.aws("get-table", "--name") + " > table.before.json\n" + w.aws("get-partitions", "--table-name") + " > partitions.before.json"},
		{"stops if the table is managed", `jq -e '.Table.TableType == "EXTERNAL_TABLE"' table.before.json > /dev/null`},
	}
	if len(w.t.By) > 0 {
		s.Notes = append(s.Notes, projection)
	}
	columns := encode(w.glueColumns(w.t.Columns))
	s.Move = append(s.Move, Step{"the table", "cat > columns.json <<'LANDFALL'\n" + columns + "\nLANDFALL\n" +
		"jq --slurpfile columns columns.json --arg location " + shell(w.place(w.t.New)) + " " + shell(glueInput+" | .StorageDescriptor.Columns as $old | .StorageDescriptor.Columns = ($columns[0] | map(. as $c | (first($old[]? | select(.Name == $c.Name)) // {}) + $c)) | .StorageDescriptor.Location = $location") +
		" table.before.json > table.after.json\n" + w.update("table.after.json")})
	s.Move = append(s.Move, w.batches("batch-update-partition", "--entries", "update", w.fresh(), shared,
		"partitions that are registered", glueDescribed("{PartitionValueList: .Values, PartitionInput: ", "}"))...)
	s.Move = append(s.Move, w.batches("batch-create-partition", "--partition-input-list", "create", w.fresh(), came,
		"partitions that the old folder has not", glueDescribed("", ""))...)
	s.Move = append(s.Move, w.batches("batch-delete-partition", "--partitions-to-delete", "delete", side{}, gone,
		"partitions of which the copy has no row: their files stay", "{Values}")...)
	asked := w
	asked.d = dialectOf(Athena)
	s.Check = []Step{{"in Athena: rows of files that are not in the copy, and partitions with other counts than were proven; the first must be 0, the second must answer nothing", "printf '%s' " + shell(statements(asked.check()))}}
	s.Undo = w.glueBack(came)
	return s
}

// projection is told of the partitions of Athena and Glue.
const projection = "A table with partition projection (projection.enabled) asks the catalog for no partition: change its storage.location.template, where it has one, to the copy."

// glueInput takes out of what get-table answers what update-table takes.
const glueInput = ".Table | {Name, Description, Owner, LastAccessTime, LastAnalyzedTime, Retention, StorageDescriptor, PartitionKeys, ViewOriginalText, ViewExpandedText, TableType, Parameters, TargetTable} | with_entries(select(.value != null))"

// glueDescribed is what jq makes of a partition: the table's description with the
// partition's location.
func glueDescribed(ahead, behind string) string {
	return ahead + "{Values, StorageDescriptor: ($table[0].StorageDescriptor + {Location})}" + behind
}

// aws is a call about the table, of which the flag of its name differs.
func (w writer) aws(call, flag string) string {
	return fmt.Sprintf("aws glue %s --database-name %s %s %s", call, shell(strings.ToLower(w.t.Name[len(w.t.Name)-2])), flag, shell(strings.ToLower(w.t.Name[len(w.t.Name)-1])))
}

func (w writer) update(file string) string {
	return fmt.Sprintf("aws glue update-table --database-name %s --table-input file://%s", shell(strings.ToLower(w.t.Name[len(w.t.Name)-2])), file)
}

// batches calls for partitions, so many at a time as a call takes.
func (w writer) batches(call, flag, file string, s side, partitions []Partition, why, each string) []Step {
	if len(partitions) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "cat > %s.json <<'LANDFALL'\n[\n", file)
	for i, p := range partitions {
		g := gluePartition{Values: make([]string, len(p.Values))}
		for k, v := range p.Values {
			g.Values[k] = nullFolder
			if !v.Null && v.Text != "" {
				g.Values[k] = v.Text
			}
		}
		if s.location != "" {
			g.Location = w.at(s, p)
		}
		b.WriteString(encode(g))
		if i < len(partitions)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	size := glueBatch
	if call == "batch-delete-partition" {
		size = glueDelete
	}
	b.WriteString("]\nLANDFALL\n" + w.loop(call, flag, file+".json", strconv.Itoa(len(partitions)), size, ".", each))
	return []Step{{why, b.String()}}
}

// loop makes a call for each so many members of the list that a file holds.
func (w writer) loop(call, flag, file, count string, size int, members, each string) string {
	return fmt.Sprintf(`i=0
while [ "$i" -lt %s ]; do
  jq --slurpfile table table.after.json --argjson i "$i" %s %s > batch.json
  %s %s file://batch.json | jq -e '(.Errors // []) | length == 0'
  i=$((i + %d))
done`, count, shell(fmt.Sprintf("%s | .[$i:$i + %d] | map(%s)", members, size, each)), file, w.aws(call, "--table-name"), flag, size)
}

// glueBack puts back what the files hold.
func (w writer) glueBack(came []Partition) []Step {
	const input = "{Values, LastAccessTime, StorageDescriptor, Parameters, LastAnalyzedTime} | with_entries(select(.value != null))"
	out := []Step{{"the table as it was", "jq " + shell(glueInput) + " table.before.json > table.back.json\n" + w.update("table.back.json")}}
	out = append(out, w.batches("batch-delete-partition", "--partitions-to-delete", "came", side{}, came, "partitions that the old folder has not", "{Values}")...)
	if len(w.t.By) == 0 {
		return out
	}
	count := `"$(jq '.Partitions | length' partitions.before.json)"`
	return append(out,
		Step{"partitions that went are made, and all are as they were", w.ignoring(count, input)},
		Step{"", w.loop("batch-update-partition", "--entries", "partitions.before.json", count, glueBatch, ".Partitions", "{PartitionValueList: .Values, PartitionInput: ("+input+")}")})
}

// ignoring makes all partitions that were. Those that are there answer an error
// each, which is no matter: the next step is about them.
func (w writer) ignoring(count, input string) string {
	text := w.loop("batch-create-partition", "--partition-input-list", "partitions.before.json", count, glueBatch, ".Partitions", input)
	return strings.Replace(text, " | jq -e '(.Errors // []) | length == 0'", " > created.json", 1)
}

// glueColumn is a column of a table.
type glueColumn struct{ Name, Type string }

func (w writer) glueColumns(fields []schema.Field) []glueColumn {
	out := make([]glueColumn, len(fields))
	for i, f := range fields {
		out[i] = glueColumn{strings.ToLower(f.Name), hiveType(f.Type)}
	}
	return out
}

// encode writes JSON on one line.
func encode(v any) string {
	data, _ := json.Marshal(v) // strings and lists of them always encode
	return string(data)
}

func statements(steps []Step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(s.Text + ";\n")
	}
	return b.String()
}
