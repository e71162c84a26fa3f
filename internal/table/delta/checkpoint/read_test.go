package checkpoint_test

import (
	"encoding/json"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"landfall/internal/diag"
	"landfall/internal/store/memory"
	"landfall/internal/table/delta/action"
	"landfall/internal/table/delta/checkpoint"
	"landfall/internal/table/delta/checkpoint/checkpointtest"
)

// readActions returns the actions of a checkpoint as JSON lines.
func readActions(t *testing.T, file []byte) (string, error) {
	t.Helper()
	s := memory.New(nil)
	if err := s.Create(t.Context(), "_delta_log/c.parquet", file); err != nil {
		t.Fatal(err)
	}
	var out []byte
	err := checkpoint.Read(t.Context(), s, "_delta_log/c.parquet", func(a *action.Action) {
		var err error
		if out, err = action.Append(out, a); err != nil {
			t.Fatal(err)
		}
	})
	return string(out), err
}

func TestReadCheckpointFile(t *testing.T) {
	for name, c := range map[string]struct{ row, want string }{
		"protocol":               {`{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}`, `{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}}`},
		"protocol without lists": {`{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}`, `{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}`},
		"metaData": {
			`{"metaData":{"id":"m","format":{"provider":"parquet","options":[]},"schemaString":"{\"fields\":[]}","partitionColumns":["p"],"configuration":[{"key":"k","value":"v"}],"createdTime":5}}`,
			`{"metaData":{"id":"m","format":{"provider":"parquet","options":{}},"schemaString":"{\"fields\":[]}","partitionColumns":["p"],"configuration":{"k":"v"},"createdTime":5}}`,
		},
		"txn":    {`{"txn":{"appId":"landfall/x","version":41}}`, `{"txn":{"appId":"landfall/x","version":41}}`},
		"domain": {`{"domainMetadata":{"domain":"d","configuration":"{}","removed":false}}`, `{"domainMetadata":{"domain":"d","configuration":"{}","removed":false}}`},
		"remove": {`{"remove":{"path":"a%20b","deletionTimestamp":3,"dataChange":true}}`, `{"remove":{"path":"a%20b","deletionTimestamp":3,"dataChange":true}}`},
		"add with a vector, nulls and odd partitions": {
			`{"add":{"path":"a%20b","partitionValues":[{"key":"p","value":null},{"key":"q","value":"=%2F"}],"size":7,"modificationTime":8,"dataChange":true,"baseRowId":9,
			  "deletionVector":{"storageType":"u","pathOrInlineDv":"x","offset":1,"sizeInBytes":2,"cardinality":3}}}`,
			`{"add":{"path":"a%20b","partitionValues":{"p":null,"q":"=%2F"},"size":7,"modificationTime":8,"dataChange":true,` +
				`"deletionVector":{"storageType":"u","pathOrInlineDv":"x","offset":1,"sizeInBytes":2,"cardinality":3},"baseRowId":9}}`,
		},
		"statistics as a struct": {
			`{"add":{"path":"x","partitionValues":[],"size":7,"modificationTime":8,"dataChange":true,
			  "stats_parsed":{"numRecords":2,"minValues":{"a":1,"s":"<\"é","d":"2024-02-29","n":"12345678.50","t":"2024-02-29T01:02:03.000004Z"},"nullCount":{"a":null}}}}`,
			`{"add":{"path":"x","partitionValues":{},"size":7,"modificationTime":8,"dataChange":true,"stats":"{\"numRecords\":2,\"minValues\":{\"a\":1,` +
				`\"s\":\"<\\\"é\",\"d\":\"2024-02-29\",\"n\":12345678.50,\"t\":\"2024-02-29T01:02:03.000004Z\"},\"nullCount\":{}}"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readActions(t, checkpointtest.File(t, c.row))
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want+"\n" {
				t.Errorf("found %swant  %s", got, c.want)
			}
		})
	}
}

func TestReadCheckpointFileRefuses(t *testing.T) {
	text := arrow.BinaryTypes.String
	long := arrow.PrimitiveTypes.Int64
	for name, c := range map[string]struct {
		field arrow.Field
		row   string
	}{
		"a column that is no struct": {arrow.Field{Name: "txn", Type: text, Nullable: true}, `{"txn":"x"}`},
		"text for a number":          {arrow.Field{Name: "txn", Type: arrow.StructOf(arrow.Field{Name: "appId", Type: text}, arrow.Field{Name: "version", Type: text}), Nullable: true}, `{"txn":{"appId":"x","version":"7"}}`},
		"a number for text":          {arrow.Field{Name: "add", Type: arrow.StructOf(arrow.Field{Name: "path", Type: long}), Nullable: true}, `{"add":{"path":1}}`},
		"text for a map":             {arrow.Field{Name: "add", Type: arrow.StructOf(arrow.Field{Name: "path", Type: text}, arrow.Field{Name: "tags", Type: text}), Nullable: true}, `{"add":{"path":"x","tags":"y"}}`},
		"text for a list":            {arrow.Field{Name: "protocol", Type: arrow.StructOf(arrow.Field{Name: "readerFeatures", Type: text}), Nullable: true}, `{"protocol":{"readerFeatures":"y"}}`},
		"text for a struct":          {arrow.Field{Name: "metaData", Type: arrow.StructOf(arrow.Field{Name: "format", Type: text}), Nullable: true}, `{"metaData":{"format":"y"}}`},
		"no path":                    {arrow.Field{Name: "remove", Type: arrow.StructOf(arrow.Field{Name: "dataChange", Type: arrow.FixedWidthTypes.Boolean}), Nullable: true}, `{"remove":{"dataChange":true}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readActions(t, checkpointtest.FileOf(t, []arrow.Field{c.field}, c.row))
			if diag.CodeOf(err) != diag.LogBroken || got != "" {
				t.Errorf("found %q, %v; want a broken log", got, err)
			}
		})
	}
}

// The statistics made from a struct are JSON whatever is in it.
func TestStatsJSONOfOddFloats(t *testing.T) {
	group := arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.Binary, Nullable: true})
	file := checkpointtest.FileOf(t, []arrow.Field{{Name: "add", Nullable: true, Type: arrow.StructOf(
		arrow.Field{Name: "path", Type: arrow.BinaryTypes.String, Nullable: true},
		arrow.Field{Name: "stats_parsed", Nullable: true, Type: arrow.StructOf(arrow.Field{Name: "maxValues", Type: group, Nullable: true})})}},
		`{"add":{"path":"x","stats_parsed":{"maxValues":{"x":"NaN","b":"eA=="}}}}`,
		`{"add":{"path":"y","stats_parsed":{"maxValues":{"x":1.5e300,"b":null}}}}`)
	s := memory.New(nil)
	if err := s.Create(t.Context(), "c.parquet", file); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"x": `{"maxValues":{}}`, "y": `{"maxValues":{"x":1.5e+300}}`}
	err := checkpoint.Read(t.Context(), s, "c.parquet", func(a *action.Action) {
		if !json.Valid([]byte(a.Add.Stats)) || a.Add.Stats != want[a.Add.Path] {
			t.Errorf("found %s, want %s", a.Add.Stats, want[a.Add.Path])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
