package definition

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// spelt writes a table on a line.
func spelt(t Table) string {
	list := func(columns []schema.Declared) string {
		var out []string
		for _, c := range columns {
			text := c.Path.String() + " " + c.Type.String()
			if c.NotNull {
				text += "!"
			}
			out = append(out, text)
		}
		return strings.Join(out, ", ")
	}
	return fmt.Sprintf("%s: %s | %s", t.Form, list(t.Columns), list(t.Partitions))
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"list":           {"order_id bigint, amount decimal(18,2) NOT NULL COMMENT 'x, y', s.`a b` double precision", "columns: order_id bigint, amount decimal(18,2)!, s.`a b` double | "},
		"list, lines":    {"\ufeff-- orders\norder_id BIGINT,\n\tamount\tDOUBLE /* money */\n;\n", "columns: order_id bigint, amount double | "},
		"hive":           {hiveText, "create table: order_id bigint, `amount net` decimal(18,2), ok boolean, items array<struct<sku:string,n:int>>, at timestamp, note string | dt date, hour int"},
		"hive, beeline":  {hiveBox, "create table: id int, v float | dt string"},
		"spark":          {sparkText, "create table: id bigint!, ts timestamp_ntz, comment string, price decimal(10,0) | dt date"},
		"iceberg":        {"create table a (id int, ts timestamp) using iceberg partitioned by (days(ts), bucket(4, id))", "create table: id int, ts timestamp | "},
		"describe":       {"order_id\tbigint\tNULL\namount\tdecimal(18,2)\tin euros\ndt\tdate\tNULL\n# Partition Information\t\t\n# col_name\tdata_type\tcomment\ndt\tdate\tNULL\n\n# Detailed Table Information\t\t\nDatabase\tx\t\n", "describe: order_id bigint, amount decimal(18,2) | dt date"},
		"describe box":   {describeBox, "describe: id bigint, `a b` struct<x:int,y:string> | dt string"},
		"describe hive":  {"# col_name            \tdata_type           \tcomment             \n\t \t \nid                  \tint                 \t                    \nv                   \tdouble              \t                    \n", "describe: id int, v double | "},
		"spark, shown":   {"+---+\n|createtab_stmt|\n+---+\n|CREATE TABLE t (\\n  id BIGINT,\\n  dt DATE)\\nUSING parquet\\nPARTITIONED BY (dt)\\n|\n+---+\n\n", "create table: id bigint | dt date"},
		"describe more":  {"+--------+---------+-------+\n|col_name|data_type|comment|\n+--------+---------+-------+\n|id      |bigint   |NULL   |\n|        |         |       |\n|# Detailed Table Information|  |  |\n|Name    |t        |       |\n+--------+---------+-------+\n", "describe: id bigint | "},
		"describe bare":  {"col_name  data_type  comment\nid  bigint  null\nm  map<string, int>  null\n", "describe: id bigint, m map<string,int> | "},
		"spark json":     {`{"type":"struct","fields":[{"name":"id","type":"long","nullable":false,"metadata":{}},{"name":"l","type":{"type":"array","elementType":"integer","containsNull":true},"nullable":true,"metadata":{}}]}`, "spark json: id bigint!, l array<int> | "},
		"glue":           {`{"Table":{"Name":"orders","StorageDescriptor":{"Columns":[{"Name":"id","Type":"bigint"},{"Name":"s","Type":"struct<a:int,b:string>","Comment":"c"}],"Location":"s3://b/o"},"PartitionKeys":[{"Name":"dt","Type":"string"}]}}`, "glue: id bigint, s struct<a:int,b:string> | dt string"},
		"athena":         {`{"TableMetadata":{"Name":"orders","Columns":[{"Name":"id","Type":"int"}],"PartitionKeys":[]}}`, "glue: id int | "},
		"glue, list":     {`{"TableList":[{"StorageDescriptor":{"Columns":[{"Name":"id","Type":"int"}]}}]}`, "glue: id int | "},
		"unity":          {`{"name":"orders","columns":[{"name":"id","type_text":"bigint","type_name":"LONG","position":0,"nullable":false},{"name":"dt","type_text":"date","position":1,"partition_index":0,"nullable":true}]}`, "unity catalog: id bigint! | dt date"},
		"contract":       {`{"source":"orders","version":3,"at":"2026-11-01T00:00:00Z","batch":1,"cause":[],"columns":[{"name":"order_id","type":"bigint","original":"Order ID"},{"name":"gone","type":"int","retired":true},{"name":"n","type":"void"},{"name":"dt","type":"date","partition":true}]}`, "contract: `Order ID` bigint, n void | dt date"},
		"contract twice": {`{"columns":[{"name":"a","type":"int","original":"a"},{"name":"a_x","type":"int","original":"a","k":2}]}`, "contract: a int, a_x int | "},
	} {
		table, err := Parse("f", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := spelt(table); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

const hiveText = "-- made by hand\nCREATE EXTERNAL TABLE IF NOT EXISTS `sales`.`orders`(\n" +
	"  `order_id` bigint COMMENT 'the key, as the shop has it', \n" +
	"  `amount net` decimal(18,2), \n" +
	"  ok boolean, /* since 2024, or so */\n" +
	"  items array<struct<sku:string COMMENT 'a;b', n:int>>,\n" +
	"  `at` timestamp with local time zone,\n" +
	"  note varchar(20),\n" +
	"  PRIMARY KEY (order_id) DISABLE NOVALIDATE)\n" +
	"COMMENT 'orders (of all shops)'\n" +
	"PARTITIONED BY ( \n  `dt` date COMMENT 'day', \n  hour int)\n" +
	"ROW FORMAT SERDE \n  'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe' \n" +
	"STORED AS INPUTFORMAT \n  'x' \nLOCATION\n  's3://b/orders'\nTBLPROPERTIES (\n  'a'='b', \n  'c'='PARTITIONED BY (x int)');\n"

const hiveBox = `+-------------------------------+
|        createtab_stmt         |
+-------------------------------+
| CREATE EXTERNAL TABLE ` + "`t`" + `(     |
|   ` + "`id`" + ` int,                    |
|   ` + "`v`" + ` float)                   |
| PARTITIONED BY (              |
|   ` + "`dt`" + ` string)                 |
| STORED AS PARQUET             |
+-------------------------------+
`

const sparkText = "CREATE TABLE spark_catalog.sales.orders (\n  id BIGINT NOT NULL COMMENT 'x',\n  ts TIMESTAMP WITHOUT TIME ZONE DEFAULT now(),\n  comment STRING COLLATE UTF8_BINARY,\n  dt DATE,\n  price DECIMAL)\nUSING parquet\nPARTITIONED BY (dt)\nLOCATION 'abfss://x'\nTBLPROPERTIES (\n  'k' = 'v')\n"

const describeBox = `+--------------------+----------------------+-------+
|            col_name|             data_type|comment|
+--------------------+----------------------+-------+
|                  id|                bigint|   NULL|
|                 a b|struct<x:int,y:string>|  a | b|
|                  dt|                string|   NULL|
|# Partition Infor...|                      |       |
|          # col_name|             data_type|comment|
|                  dt|                string|   NULL|
+--------------------+----------------------+-------+
`

// A mistake is told with its line and column, and an action.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "f:1:1: found no columns, want some"},
		{"id bigint,\n  ü bigint, v dubble", `f:2:16: found "dubble", want a type; did you mean double?`},
		{"CREATE TABLE t (\n  id int,\n  v uniontype<int,string>)", `f:3:5: found "uniontype", want a type`},
		{"CREATE TABLE t (id int", `f:1:23: found the end, want ")" after the columns`},
		{"CREATE TABLE t", "f:1:15: found the end, want the table's columns in parentheses"},
		{"CREATE TABLE t AS SELECT 1", `f:1:16: found "AS", want the table's columns in parentheses before it`},
		{"CREATE VIEW v (id) AS SELECT 1", "f:1:8: found a view, want a table"},
		{"CREATE TABLE t (id int) PARTITIONED BY (dt)", `f:1:41: found partition column "dt", which is none of the table's columns`},
		{"CREATE TABLE t (id int, ID int)", "f:1:25: found column ID twice, want one"},
		{"CREATE TABLE t (id int,, v int)", `f:1:24: found ",", want a column before it`},
		{"CREATE TABLE t ()", `f:1:17: found ")", want a column before it`},
		{"CREATE TABLE t (id)", "f:1:19: found the end, want a type"},
		{"# col_name\tdata_type\nid\tbigint\ns\tstruct<a:int,b:st...\n", `f:3:3: found "struct<a:int,b:st...", which was cut when it was printed`},
		{"# col_name\tdata_type\nid\t\n", `f:2:3: found column "id" without a type`},
		{"# col_name\tdata_type\nid\tbigin\n", `f:2:4: found "bigin", want a type; did you mean bigint?`},
		{`{"type":"struct","fields":[` + "\n" + `{"name":"id","type":"varint"}]}`, "f:2:1: id: "},
		{`{"Table":{"StorageDescriptor":{"Columns":[{"Name":"id","Type":"dubble"}]}}}`, `f:1:64: found "dubble", want a type; did you mean double?`},
		{`{"columns":[{"name":"id"}]}`, `f:1:13: found column "id" without a type`},
		{`{"columns":[{"type_text":"int"}]}`, "f:1:13: found a column without a name"},
		{`{"columns":[]}`, "f:1:1: found no columns, want some"},
		{`{"columns":[}`, "f:1:13: no JSON: "},
		{`{"columns":`, "f:1:"},
		{`{"rows": 3}`, "f:1:1: found JSON that is no table definition"},
		{`{"columns":[]} {"columns":[]}`, "f:1:1: found 2 tables, want one"},
		{"PAR1\x00\x00", "f: found bytes that are no text, want a table definition"},
		{strings.Repeat("[", 1000), "f:1:202: no definition: nested too deep"},
	} {
		_, err := Parse("f", []byte(c.text))
		var d *diag.Diagnostic
		if !errors.As(err, &d) {
			t.Errorf("%.40q: %v, want a diagnostic", c.text, err)
			continue
		}
		if !strings.HasPrefix(d.Error(), c.want) || d.Hint == "" || d.Code != diag.Usage {
			t.Errorf("%.40q: %v (%s), want %s", c.text, d, d.Hint, c.want)
		}
	}
}
