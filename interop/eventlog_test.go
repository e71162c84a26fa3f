//go:build interop

package interop

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestEventLogInSpark asks Spark what people ask Lakeflow's event log: how rows met
// expectations, what is made of what, and how runs ended. Spark itself knows no paths into
// text with a colon: get_json_object says the same.
func TestEventLogInSpark(t *testing.T) {
	p := &project{dir: t.TempDir(), spark: spark(t)}
	p.write(t, "landfall.yaml", "version: 1\nsources:\n  bronze:\n    path: landing\n    table: lake/bronze\npipelines:\n  p:\n    files: [p.sql]\n    target: lake\n")
	p.write(t, "p.sql", `CREATE STREAMING TABLE silver (CONSTRAINT some EXPECT (n > 0), CONSTRAINT few EXPECT (n < 9) ON VIOLATION DROP ROW) AS SELECT n FROM STREAM(bronze);
CREATE MATERIALIZED VIEW gold AS SELECT count(*) AS n FROM silver;
`)
	p.write(t, "landing/a.csv", "n\n1\n\"\"\n9\n-1\n")
	p.do(t, "a.csv", "run")
	p.write(t, "landing/b.csv", "n\n2\n")
	p.do(t, "b.csv", "run")
	p.write(t, "p.sql", `CREATE STREAMING TABLE silver (CONSTRAINT few EXPECT (n < 9) ON VIOLATION FAIL UPDATE) AS SELECT n FROM STREAM(bronze);
CREATE MATERIALIZED VIEW gold AS SELECT count(*) AS n FROM silver;
`)
	p.write(t, "landing/c.csv", "n\n10\n")
	if out, err := p.command("run").CombinedOutput(); err == nil {
		t.Fatalf("a rule that fails did not\n%s", out)
	}
	log, err := p.command("events", "--format", "lakeflow").Output()
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "log.ndjson", string(log))
	for what, q := range map[string]struct{ text, want string }{
		"expectations": {
			`select e.dataset, e.name, sum(e.passed_records) as passed_records, sum(e.failed_records) as failed_records from (
select explode(from_json(get_json_object(details, '$.flow_progress.data_quality.expectations'),
'array<struct<name: string, dataset: string, passed_records: int, failed_records: int>>')) as e
from log where event_type = 'flow_progress') group by e.dataset, e.name`,
			`select * from values ('silver', 'some', 3L, 2L), ('silver', 'few', 3L, 2L), ('silver', 'nothing_rescued', 4L, 1L) as t(dataset, name, passed_records, failed_records)`,
		},
		"lineage": {
			`select distinct get_json_object(details, '$.flow_definition.output_dataset') as output_dataset,
get_json_object(details, '$.flow_definition.input_datasets') as input_datasets from log where event_type = 'flow_definition'`,
			`select * from values ('silver', '["bronze"]'), ('gold', '["silver"]') as t(output_dataset, input_datasets)`,
		},
		"states": {
			`select state, count(*) as n from (select get_json_object(details, '$.update_progress.state') as state,
row_number() over (partition by origin.update_id order by timestamp desc) as rn from log where event_type = 'update_progress') where rn = 1 group by state`,
			`select * from values ('COMPLETED', 2L), ('FAILED', 1L) as t(state, n)`,
		},
		"dropped": {
			`select sum(cast(get_json_object(details, '$.flow_progress.data_quality.dropped_records') as bigint)) as dropped,
sum(cast(get_json_object(details, '$.flow_progress.metrics.num_output_rows') as bigint)) as written
from log where event_type = 'flow_progress' and origin.dataset_name = 'silver'`,
			`select 2L as dropped, 3L as written`,
		},
	} {
		text := strings.ReplaceAll(q.text, "from log", "from json.`"+filepath.Join(p.dir, "log.ndjson")+"`")
		same(t, what, p.spark.sql(t, "", text), p.spark.sql(t, "", q.want))
	}
}
