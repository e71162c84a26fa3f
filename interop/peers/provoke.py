"""Provokes the errors of readers over the folders of stumbles.py, and prints them.

usage: provoke.py READER FOLDER   (READER: arrow, pandas, polars, duckdb, deltalake, spark, delta)

Each error stands below a line `=== run READER VERSION CASE | FAILURE | FILE | COLUMN`: what
we know of it from the folder, whatever the text says. FILE is * where nobody knows it
before. A case without an error is printed as `=== none CASE`.
"""

import os
import re
import sys

ODD = "dt=2026-11-02/Lieferung ä (1).parquet"
BAD = "bad/%s/" + ODD


def arrow(root):
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.dataset as pd
    import pyarrow.json as pj
    import pyarrow.parquet as pq

    def read(name, **options):
        return lambda: pd.dataset(root + "/" + name, **{"format": "parquet", **options}).to_table()

    def all_of(name):
        schemas = [pq.read_schema(root + "/pairs/%s/%s.parquet" % (name, f)) for f in "ab"]
        return lambda: pa.unify_schemas(schemas)

    def one(name):
        return lambda: pq.ParquetFile(root + "/" + name).read()

    yield "member", "arrow-parse||", read("pairs/member")
    yield "element", "arrow-parse||", read("pairs/element")
    yield "mapvalue", "arrow-parse||", read("pairs/mapvalue")
    yield "maplist", "arrow-cast||", read("pairs/maplist")
    yield "odd", "arrow-parse||", read("pairs/odd")
    yield "unsigned", "arrow-range||", read("pairs/unsigned")
    yield "narrow", "arrow-range||", read("pairs/narrow")
    yield "far", "arrow-time||", read("pairs/far")
    yield "finer", "arrow-time||", read("pairs/finer")
    yield "scale", "arrow-decimal||", read("pairs/scale")
    yield "tens", "arrow-decimal||", read("pairs/tens")
    yield "day", "arrow-parse||", read("pairs/day")
    yield "void", "arrow-cast||", read("pairs/void")
    yield "bytes", "arrow-utf8||", read("pairs/bytes")
    yield "words", "arrow-cast||", read("pairs/words")
    yield "bigger", "arrow-range||", read("pairs/bigger")
    yield "unify_umlaut", "arrow-merge||größe", all_of("umlaut")
    yield "unify_odd", "arrow-merge||ship region, (EU)", all_of("odd")
    yield "unify_member", "arrow-merge||order", all_of("member")
    yield "unify_dots", "arrow-merge||a.b", all_of("dots")
    yield "concat_gone", "arrow-concat||", lambda: pa.concat_tables(
        [pq.read_table(root + "/pairs/gone/%s.parquet" % f) for f in "ab"])
    for bad, what in {
        "cut": "arrow-not-parquet", "none": "arrow-short", "seven": "arrow-short", "csv": "arrow-not-parquet",
        "orc": "arrow-not-parquet", "xlsx": "arrow-not-parquet", "gzip": "arrow-not-parquet",
        "length": "arrow-footer", "footer": "arrow-footer", "page": "arrow-page", "locked": "arrow-encrypted",
    }.items():
        yield "dir_" + bad, "%s|%s|" % (what, "" if bad == "page" else BAD % bad), read("bad/" + bad)
        yield "one_" + bad, what + "||", one(BAD % bad)
    yield "among", "arrow-not-parquet|bad/among/b.parquet|", read("bad/among")
    yield "sums", "arrow-page||", lambda: pq.ParquetFile(root + "/" + BAD % "page", page_checksum_verification=True).read()
    yield "crypt", "arrow-encrypted|crypt/locked/a.parquet|", read("crypt/locked")
    yield "cryptcolumn", "arrow-encrypted||", one("crypt/lockedcolumn/a.parquet")
    yield "key", "arrow-schema-key|kinds/key/a.parquet|", read("kinds/key")
    yield "twice", "duplicate-name||", read("kinds/twice")
    yield "parttype", "arrow-merge||dt", read("parts/infile", partitioning="hive")
    yield "mixed", "arrow-short|parts/mixed/b.csv|", read("parts/mixed")
    yield "nocolumn", "arrow-no-column||amount", lambda: pd.dataset(root + "/pairs/added").to_table(columns=["amount"])
    yield "nofilter", "arrow-no-column||amount", lambda: pq.read_table(
        root + "/pairs/added", filters=[("amount", ">", 1)])
    yield "csv_late", "arrow-csv||", read("csv/late", format="csv")
    yield "csv_wide", "arrow-csv||", lambda: pc.read_csv(root + "/csv/wide/a.csv")
    yield "csv_none", "arrow-csv||", lambda: pc.read_csv(root + "/csv/nothing/a.csv")
    yield "csv_dir_none", "arrow-csv|csv/nothing/a.csv|", read("csv/nothing", format="csv")
    yield "csv_typed", "arrow-csv||", lambda: pc.read_csv(
        root + "/csv/typed/a.csv", convert_options=pc.ConvertOptions(column_types={"c": pa.int64()}, null_values=[]))
    yield "json_mixed", "arrow-json||c", lambda: pj.read_json(root + "/json/mixed/a.json")
    yield "json_broken", "arrow-json||", lambda: pj.read_json(root + "/json/broken/a.json")
    yield "json_twice", "arrow-json||c", lambda: pj.read_json(root + "/json/twice/a.json")
    yield "json_array", "arrow-json||", lambda: pj.read_json(root + "/json/array/a.json")


def pandas(root):
    import pandas as pd

    def read(name):
        return lambda: pd.read_parquet(root + "/" + name)

    yield "element", "arrow-parse||", read("pairs/element")
    yield "narrow", "arrow-range||", read("pairs/narrow")
    yield "far", "arrow-time||", read("pairs/far")
    yield "cut", "arrow-not-parquet|%s|" % (BAD % "cut"), read("bad/cut")
    yield "xlsx", "arrow-not-parquet|%s|" % (BAD % "xlsx"), read(BAD % "xlsx")
    yield "seven", "arrow-short|%s|" % (BAD % "seven"), read(BAD % "seven")
    yield "locked", "arrow-encrypted|%s|" % (BAD % "locked"), read(BAD % "locked")
    yield "page", "arrow-page||", read(BAD % "page")
    yield "key", "arrow-schema-key||", read("kinds/key/a.parquet")
    yield "json_broken", "pandas-json||", lambda: pd.read_json(root + "/json/broken/a.json", lines=True)
    yield "csv_none", "pandas-csv||", lambda: pd.read_csv(root + "/csv/nothing/a.csv")
    yield "csv_wide", "pandas-csv||", lambda: pd.read_csv(root + "/csv/wide/a.csv")


def polars(root):
    import polars as pl

    def scan(name, **options):
        return lambda: pl.scan_parquet(root + "/" + name, **options).collect()

    for pair, name in {
        "member": "total", "element": "tags", "mapvalue": "rates", "odd": "ship region, (EU)", "dots": "a.b",
        "quotes": 'it"s', "umlaut": "größe", "unsigned": "qty", "narrow": "qty", "far": "valid_to", "scale": "price",
        "flag": "paid", "day": "due", "void": "note", "bytes": "note", "words": "kind", "tens": "n",
    }.items():
        yield pair, "polars-type||" + name, scan("pairs/%s/*.parquet" % pair)
    yield "inner", "polars-struct||who", scan("pairs/inner/*.parquet")
    yield "less", "polars-struct||who", scan("pairs/less/*.parquet")
    yield "added", "polars-extra|pairs/added/b.parquet|ship region", scan("pairs/added/*.parquet")
    yield "gone", "polars-missing||ship region", scan("pairs/gone/*.parquet")
    yield "cased", "polars-extra|pairs/cased/b.parquet|amount", scan("pairs/cased/*.parquet")
    yield "concat", "polars-supertype||", lambda: pl.concat(
        [pl.scan_parquet(root + "/pairs/member/%s.parquet" % f) for f in "ab"], how="diagonal").collect()
    yield "relaxed", "polars-supertype||", lambda: pl.concat(
        [pl.scan_parquet(root + "/pairs/maplist/%s.parquet" % f) for f in "ab"], how="diagonal_relaxed").collect()
    for bad, what in {
        "cut": "polars-not-parquet", "none": "polars-none", "seven": "polars-short", "csv": "polars-not-parquet",
        "orc": "polars-not-parquet", "xlsx": "polars-not-parquet", "gzip": "polars-not-parquet",
        "length": "polars-not-parquet", "footer": "polars-not-parquet", "page": "polars-page",
        "locked": "polars-encrypted",
    }.items():
        yield "dir_" + bad, what + ("|bad/none|" if bad == "none" else "||"), scan("bad/" + bad)
        yield "one_" + bad, what.replace("none", "short") + "||", lambda bad=bad: pl.read_parquet(root + "/" + BAD % bad)
    yield "among", "polars-not-parquet||", scan("bad/among/*.parquet")
    yield "crypt", "polars-encrypted||", scan("crypt/locked/*.parquet")
    yield "cryptcolumn", "polars-encrypted||card", scan("crypt/lockedcolumn/*.parquet")
    yield "key", "arrow-schema-key||", scan("kinds/key/a.parquet")
    yield "twice", "duplicate-name||id", scan("kinds/twice/a.parquet")
    yield "keys", "polars-partitions|parts/keys/dt=2/b.parquet|dt", scan("parts/keys", hive_partitioning=True)
    yield "mixed", "polars-extensions|parts/mixed/b.csv|", scan("parts/mixed")
    yield "nowhere", "polars-none|nowhere/*.parquet|", scan("nowhere/*.parquet")
    for name, what in {
        "csv/late/a.csv": "polars-csv||c", "csv/wide/a.csv": "polars-csv||", "csv/more/*.csv": "polars-csv-columns||",
        "csv/renamed/*.csv": "polars-csv-columns||", "csv/latin/a.csv": "polars-csv-text||", "csv/nothing/a.csv": "polars-csv-empty||",
        "csv/quote/a.csv": "polars-csv||c",
    }.items():
        yield name, what, lambda name=name: pl.scan_csv(root + "/" + name).collect()
    yield "csv_typed", "polars-csv||c", lambda: pl.read_csv(root + "/csv/typed/a.csv", schema_overrides={"c": pl.Int64})
    for name in "broken", "array", "late":
        yield "json_" + name, "polars-json||", lambda name=name: pl.scan_ndjson(root + "/json/%s/a.json" % name).collect()


def duckdb(root):
    import duckdb as db

    def read(name, more="", by="read_parquet"):
        return lambda: db.sql("select * from %s('%s/%s'%s)" % (by, root, name, more)).fetchall()

    for pair, name in {
        "member": "", "element": "tags", "mapvalue": "rates", "maplist": "attrs", "odd": "ship region, (EU)",
        "dots": "a.b", "quotes": 'it"s', "umlaut": "größe", "unsigned": "qty", "narrow": "qty", "flag": "paid",
        "day": "due", "void": "note",
    }.items():
        yield pair, "duckdb-cast|pairs/%s/b.parquet|%s" % (pair, name), read("pairs/%s/*.parquet" % pair)
    yield "union_maplist", "duckdb-cast|pairs/maplist/b.parquet|attrs", read("pairs/maplist/*.parquet", ", union_by_name=true")
    yield "gone", "duckdb-column-missing|pairs/gone/b.parquet|ship region", read("pairs/gone/*.parquet")
    for bad, what in {
        "cut": "duckdb-not-parquet", "none": "duckdb-short", "seven": "duckdb-short", "csv": "duckdb-not-parquet",
        "orc": "duckdb-not-parquet", "xlsx": "duckdb-not-parquet", "gzip": "duckdb-not-parquet",
        "length": "duckdb-footer", "footer": "duckdb-footer", "page": "duckdb-page", "locked": "duckdb-encrypted",
    }.items():
        yield bad, "%s|%s|" % (what, "" if bad == "footer" else BAD % bad), read("bad/%s/**/*.parquet" % bad)
    yield "among", "duckdb-not-parquet|bad/among/b.parquet|", read("bad/among/*.parquet")
    yield "crypt", "duckdb-encrypted|crypt/locked/a.parquet|", read("crypt/locked/*.parquet")
    yield "cryptcolumn", "duckdb-footer||", read("crypt/lockedcolumn/*.parquet")
    yield "beside", "duckdb-partitions|parts/beside/a.parquet|", read("parts/beside/**/*.parquet", ", hive_partitioning=true")
    yield "keys", "duckdb-partitions|parts/keys/day=1/a.parquet|", read("parts/keys/**/*.parquet", ", hive_partitioning=true")
    yield "nowhere", "duckdb-none|nowhere/*.parquet|", read("nowhere/*.parquet")
    yield "readme", "duckdb-short|parts/mixed/b.csv|", read("parts/mixed/*")
    yield "csv_late", "duckdb-csv||c", read("csv/late/a.csv", by="read_csv")
    yield "csv_more", "duckdb-csv-columns|csv/renamed/b.csv|c", read("csv/renamed/*.csv", by="read_csv")
    yield "csv_latin", "duckdb-csv||", read("csv/latin/a.csv", by="read_csv")
    yield "csv_typed", "duckdb-csv||c", read("csv/typed/a.csv", ", types={'c': 'BIGINT'}", by="read_csv")
    yield "csv_wide", "duckdb-csv|csv/wide/a.csv|", read("csv/wide/a.csv", ", header=true, columns={'k': 'BIGINT', 'c': 'BIGINT', 'd': 'BIGINT'}", by="read_csv")
    yield "json_broken", "duckdb-json|json/broken/a.json|", read("json/broken/a.json", by="read_json")
    yield "json_twice", "duckdb-json|json/twice/a.json|", read("json/twice/a.json", by="read_json")
    yield "json_late", "duckdb-json|json/late/a.json|", read("json/late/a.json", by="read_json")
    yield "json_latin", "duckdb-json|json/latin/a.json|", read("json/latin/a.json", by="read_json")


def deltalake(root):
    import pyarrow as pa
    from deltalake import DeltaTable, write_deltalake

    path = root + "/lake/orders"
    rows = pa.table({"id": pa.array([1], pa.int64()), "amount": pa.array([1.5], pa.float64())})

    def append(table, **options):
        return lambda: write_deltalake(path, table, mode="append", **options)

    if not os.path.exists(path):
        write_deltalake(path, rows)
        write_deltalake(path, rows, mode="append")
    yield "nowhere", "delta-none|nowhere|", lambda: DeltaTable(root + "/nowhere")
    yield "folder", "delta-none||", lambda: DeltaTable(root + "/pairs/added")
    yield "extra", "delta-schema||", append(pa.table({"id": [2], "amount": [2.5], "note": ["x"]}))
    yield "fewer", "delta-schema||", append(pa.table({"other": [2]}))
    yield "text", "delta-merge||", append(pa.table({"id": ["x"], "amount": [1.5]}))
    yield "merge_text", "delta-merge||", append(pa.table({"id": ["x"], "amount": [1.5]}), schema_mode="merge")
    yield "struct", "delta-merge||", append(pa.table({"id": [{"a": 1}], "amount": [1.5]}), schema_mode="merge")
    yield "exists", "delta-exists|lake/orders/|", lambda: write_deltalake(path, rows)
    yield "version", "delta-version||", lambda: DeltaTable(path, version=99)
    gone = root + "/lake/gone"
    if not os.path.exists(gone):
        write_deltalake(gone, rows)
    for f in os.listdir(gone):
        if f.endswith(".parquet"):
            os.remove(os.path.join(gone, f))
    yield "gone", "delta-file-gone|*|", lambda: DeltaTable(gone).to_pyarrow_table()


def session(delta=""):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("landfall")
    settings = {
        "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "1", "spark.sql.legacy.allowUntypedScalaUDF": "true",
    }
    if delta:
        settings |= {
            "spark.jars": delta, "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        }
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def spark(root):
    s = session()
    four = s.version >= "4"
    type_ = "column-type"

    def read(name, schema=None, conf=(), by="parquet", act=lambda f: f.collect(), **options):
        def run():
            for key, value in dict(conf).items():
                s.conf.set(key, value)
            try:
                r = s.read.options(**options)
                act((r.schema(schema) if schema else r).format(by).load(root + "/" + name))
            finally:
                for key in dict(conf):
                    s.conf.unset(key)
        return run

    rows = {"spark.sql.parquet.enableVectorizedReader": "false"}
    at = lambda pair: "pairs/%s/b.parquet" % pair
    for pair, schema, what, name in (
        ("member", "`order` struct<id:bigint,total:double>", type_, "order.total"),
        ("element", "tags array<bigint>", type_, "tags.list.element"),
        ("mapvalue", "rates map<string,double>", type_, "rates.key_value.value"),
        ("maplist", "attrs map<string,string>", "nested-kind", "attrs"),
        ("odd", "`ship region, (EU)` bigint", type_, "ship region, (EU)"),
        ("dots", "`a.b` bigint", type_, "a.b"), ("quotes", "`it\"s` double", type_, 'it"s'),
        ("umlaut", "`größe` bigint", type_, "größe"), ("flag", "paid boolean", type_, "paid"),
        ("day", "due date", type_, "due"), ("scale", "price decimal(9,2)", type_, "price"),
    ):
        yield pair, "%s|%s|%s" % (what, at(pair), name), read("pairs/" + pair, schema)
        yield "merge_" + pair, "merge-types||" + name.replace(".list.element", "").replace(".key_value.value", ""), \
            read("pairs/" + pair, mergeSchema="true")
    yield "rows_umlaut", "row-reader-type|%s|" % at("umlaut"), read("pairs/umlaut", "`größe` bigint", rows)
    yield "rows_flag", "row-reader-type|%s|" % at("flag"), read("pairs/flag", "paid boolean", rows)
    yield "rows_quotes", "row-reader-decimal|pairs/quotes/a.parquet|it\"s", read("pairs/quotes/a.parquet", "`it\"s` decimal(9,2)", rows)
    yield "unsigned", "row-reader-type||", read(at("unsigned"), "qty bigint")
    if not four:
        yield "far_ntz", "timestamp-ntz|kinds/int96/a.parquet|", read("kinds/int96", "ts timestamp_ntz")
    yield "merge_tens", "merge-types||n", read("pairs/tens", mergeSchema="true")
    for bad, what in {
        "cut": "footer-outside" if four else "not-parquet", "none": "too-short", "seven": "too-short", "csv": "not-parquet", "orc": "not-parquet",
        "xlsx": "not-parquet", "gzip": "not-parquet", "length": "footer-outside", "footer": "footer-outside",
        "page": "page-damaged", "locked": "encrypted",
    }.items():
        what = "%s|%s|%s" % (what, BAD % bad, "id" if bad == "page" else "")
        yield "infer_" + bad, what, read("bad/" + bad)
        if bad != "none":
            yield "scan_" + bad, what, read("bad/" + bad, "id bigint, note string")
    yield "merge_among", "not-parquet|bad/among/b.parquet|", read("bad/among", mergeSchema="true")
    yield "scan_among", "not-parquet|bad/among/b.parquet|", read("bad/among", "id bigint, note string")
    yield "crypt", "encrypted|crypt/locked/a.parquet|", read("crypt/locked")
    yield "cryptcolumn", "encrypted|crypt/lockedcolumn/a.parquet|card", read("crypt/lockedcolumn")
    yield "keys", "partition-names||", read("parts/keys")
    yield "roots", "directories||", read("parts/roots")
    yield "blank", "blank-partition||k", read("parts/blank")
    yield "hidden", "no-files||", read("parts/hidden")
    yield "success", "no-files||", read("parts/empty")
    yield "mixed", "too-short|parts/mixed/b.csv|", read("parts/mixed", "id bigint")
    yield "colon", "colon-name|parts/colon/a:1.parquet|", read("parts/colon")
    yield "crc", "stale-checksum|parts/crc/a.parquet|", read("parts/crc")
    yield "nowhere", "path-missing|nowhere/dt=2026-11-02|", read("nowhere/dt=2026-11-02")
    yield "interval", "illegal-type||", read("kinds/interval")
    yield "uuid", "illegal-type||", read("kinds/uuid")
    yield "time", "illegal-type||", read("kinds/time")
    yield "ns", "nanoseconds||", read("kinds/ns")
    yield "int96", "illegal-type||", read("kinds/int96", conf={"spark.sql.parquet.int96AsTimestamp": "false"})
    yield "digits", "decimal-too-long|kinds/digits/a.parquet|", read("kinds/digits")
    yield "cases", "duplicate-case||id", read("kinds/cases")
    yield "cases_schema", "duplicate-case|kinds/cases/a.parquet|id", read("kinds/cases", "id bigint")
    s.sql("create table if not exists t (amount int) using parquet location '%s/out/t'" % root)
    yield "insert", "insert-type||`amount`", lambda: s.sql("insert into t select 'x'").collect()
    yield "stream", "stream-schema||", lambda: s.readStream.format("parquet").load(root + "/pairs/added")
    exception = {"spark.sql.parquet.datetimeRebaseModeInRead": "EXCEPTION"}
    yield "old", "ancient||", read("kinds/old", "d date", exception)
    yield "old_write", "ancient||", read(
        "kinds/old", "d date", {"spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED", "spark.sql.parquet.datetimeRebaseModeInWrite": "EXCEPTION"},
        act=lambda f: f.write.mode("overwrite").parquet(root + "/out/old"))
    ids = {"spark.sql.parquet.fieldId.read.enabled": "true"}

    def by_id(name, *numbers):
        from pyspark.sql.types import LongType, StructField, StructType
        schema = StructType([StructField(n, LongType(), True, {"parquet.field.id": i}) for n, i in numbers])
        return read(name, schema, ids)

    yield "noids", "field-ids|kinds/noids/a.parquet|", by_id("kinds/noids", ("a", 1), ("b", 2))
    yield "ids", "field-ids|kinds/ids/a.parquet|", by_id("kinds/ids", ("a", 1))
    yield "csv_header", "csv-header|csv/swapped/a.csv|", read("csv/swapped", "c int, k int", by="csv", header="true", enforceSchema="false")
    yield "csv_fail", "malformed-record|csv/wide/a.csv|", read("csv/wide", "k int, c int, d int", by="csv", header="true", mode="FAILFAST")
    yield "json_fail", "malformed-record|json/broken/a.json|", read("json/broken", "c bigint", by="json", mode="FAILFAST")
    yield "json_corrupt", "corrupt-record||", read("json/allbroken", by="json")
    yield "json_cased", "duplicate-case||id", read("json/cased", by="json")
    if four:
        yield "cast", "spark-cast||", read("pairs/umlaut/b.parquet", act=lambda f: f.selectExpr("cast(`größe` as int)").collect())
        yield "over", "spark-cast||", read("pairs/bigger/b.parquet", act=lambda f: f.selectExpr("cast(total as int)").collect())
        yield "digits_over", "spark-cast||", read("pairs/bigger/b.parquet", act=lambda f: f.selectExpr("cast(total as decimal(5,2))").collect())


def delta(root):
    """Spark with Delta: tables, and folders that become tables."""
    import glob
    s = session(",".join(sorted(glob.glob(os.environ["JARS"] + "/*.jar"))))
    lake = root + "/spark/"
    parquet = lambda name: "convert to delta parquet.`%s/%s`" % (root, name)

    def sql(text):
        return lambda: s.sql(text).collect()

    def table(name, what):
        path = lake + name
        if not os.path.exists(path):
            s.sql("create table delta.`%s` (%s) using delta" % (path, what))
        return path

    orders = table("orders", "id bigint, amount decimal(9,2)")
    strict = table("strict", "id bigint not null, amount double")
    s.sql("insert into delta.`%s` values (1, 1.5)" % orders)

    def append(values, **options):
        return lambda: s.sql("select " + values).write.format("delta").mode("append").options(**options).save(orders)

    yield "merge_text", "delta-merge||amount", append("2L as id, array(1) as amount", mergeSchema="true")
    yield "merge_digits", "delta-merge||amount", append("2L as id, cast(1.5 as decimal(38,20)) as amount", mergeSchema="true")
    yield "extra", "delta-schema||", append("2L as id, cast(1.5 as decimal(9,2)) as amount, 'x' as note")
    yield "names", "delta-names||ship region", lambda: s.sql("select 1 as `ship region`").write.format("delta").save(lake + "names")
    yield "twice", "duplicate-case||id", sql("create table delta.`%s` (id bigint, ID string) using delta" % (lake + "twice"))
    yield "null", "delta-null||id", sql("insert into delta.`%s` values (null, 1.5)" % strict)
    yield "alter", "delta-alter||amount", sql("alter table delta.`%s` alter column amount type string" % orders)
    yield "convert_pair", "delta-merge||größe", sql(parquet("pairs/umlaut"))
    yield "convert_keys", "delta-convert-partitions|parts/infile/dt=2026-11-01/a.parquet|", sql(parquet("parts/infile"))
    yield "convert_cast", "delta-convert-partitions||", sql(parquet("parts/infile") + " partitioned by (dt int)")
    yield "convert_none", "delta-convert-none|parts/hidden|", sql(parquet("parts/hidden"))
    yield "convert_csv", "delta-convert-none||", sql("convert to delta csv.`%s/csv/more`" % root)
    yield "folder", "delta-none|pairs/added|", lambda: s.read.format("delta").load(root + "/pairs/added").collect()
    yield "version", "delta-version||", lambda: s.read.format("delta").option("versionAsOf", 99).load(orders).collect()
    gone = table("gone", "id bigint")
    s.sql("insert into delta.`%s` values (1)" % gone)
    for f in glob.glob(gone + "/*.parquet"):
        os.remove(f)
    yield "gone", "file-gone|*|", lambda: s.read.format("delta").load(gone).collect()


def version(reader):
    import importlib
    name = {"arrow": "pyarrow", "spark": "pyspark", "delta": "pyspark"}.get(reader, reader)
    return importlib.import_module(name).__version__


def said(error):
    """The error as a log has it, of each stack trace the first frames alone."""
    text = str(error)
    if not re.match(r"An error occurred while calling", text):
        text = "%s.%s: %s" % (type(error).__module__, type(error).__name__, text)
    kept, frames = [], 0
    for line in text.rstrip().split("\n"):
        frames = frames + 1 if line.startswith("\tat ") else 0
        if frames <= 5:
            kept.append(line)
    return "\n".join(kept)


def main(reader, root):
    name = {"arrow": "pyarrow"}.get(reader, reader) + " " + version(reader)
    for case, what, run in globals()[reader](root):
        failure, file, column = what.split("|")
        file = root + "/" + file if file.strip("*") else file
        try:
            run()
        except Exception as error:
            print("=== run %s %s | %s | %s | %s" % (name, case, failure, file, column))
            print(said(error))
        else:
            print("=== none %s %s" % (name, case))
    sys.stdout.flush()
    if reader == "deltalake":
        os._exit(0)  # threads of its own abort an interpreter that ends


if __name__ == "__main__":
    main(*sys.argv[1:])
