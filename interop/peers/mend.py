"""Does what the catalogue of failures says to do, and looks whether it helps.

usage: mend.py READER FOLDER   (READER: arrow, pandas, polars, duckdb, spark, delta; FOLDER
of stumbles.py, which is changed)

Each failure is provoked first: its error stands below a line `=== READER FAILURE FIX WORDS`,
where WORDS are in the command of that fix. Then the fix is carried out. A line `--- …` below
says what is wrong: no error before, an error after, or other rows than are in the files.
"""

import glob
import os
import shutil
import subprocess
import sys
from decimal import Decimal

from provoke import BAD, said, session

TINY = "find FOLDER -name '*.parquet' -size -12c"


def tidy(rows):
    return sorted((tuple(r.values()) if isinstance(r, dict) else tuple(r) for r in rows), key=repr)


def shell(command, folder, file=""):
    text = command.replace("FOLDER", "'%s'" % folder).replace("FILE", "'%s'" % file)
    return subprocess.run(["bash", "-c", text], check=True, capture_output=True, text=True).stdout


def drop(command, folder):
    """Deletes the files that a command lists."""
    for path in shell(command, folder).splitlines():
        os.remove(path)


def copy(root, name, to):
    target = os.path.join(root, "mend", to)
    shutil.rmtree(target, ignore_errors=True)
    return shutil.copytree(os.path.join(root, name), target)


def short(root, to):
    """A folder of a whole file and a tiny one."""
    folder = copy(root, "pairs/added", to)
    shutil.copy(os.path.join(root, BAD % "seven"), folder + "/c.parquet")
    os.remove(folder + "/b.parquet")
    return folder


def among(root, to):
    """A folder of a whole file and one that was cut."""
    return copy(root, "bad/among", to)


def away(folder, name):
    os.makedirs(folder + "-quarantine", exist_ok=True)
    shell("mv FILE FOLDER", folder + "-quarantine/", folder + "/" + name)


def arrow(root):
    import pyarrow as pa
    import pyarrow.csv as pc
    import pyarrow.dataset as pd
    import pyarrow.json as pj
    import pyarrow.parquet as pq

    def files(pair):
        return [root + "/pairs/%s/%s.parquet" % (pair, f) for f in "ab"]

    def rows(table):
        return tidy(zip(*table.to_pydict().values()))

    def read(name, **options):
        return lambda: rows(pd.dataset(root + "/" + name, **{"format": "parquet", **options}).to_table())

    def wider(pair, name, kind, want, failure, fix, words):
        return failure, fix, words, read("pairs/" + pair), read("pairs/" + pair, schema=pa.schema([(name, kind)])), want

    def permissive():
        schema = pa.unify_schemas([pq.read_schema(f) for f in files("narrow")], promote_options="permissive")
        return read("pairs/narrow", schema=schema)()

    yield "arrow-merge", 1, 'promote_options="permissive"', lambda: pa.unify_schemas([pq.read_schema(f) for f in files("narrow")]), permissive, [(1,), (300,)]
    yield "arrow-merge", 2, "schema=schema", read("parts/infile", partitioning="hive"), \
        read("parts/infile", partitioning=pd.partitioning(pa.schema([("dt", pa.string())]), flavor="hive"), schema=pa.schema([("id", pa.int64()), ("dt", pa.string())])), [(1, "2026-11-01")]
    yield "arrow-concat", 1, 'promote_options="permissive"', lambda: pa.concat_tables(map(pq.read_table, files("gone"))), \
        lambda: rows(pa.concat_tables(map(pq.read_table, files("gone")), promote_options="permissive")), [(1, "EU"), (2, None)]
    flag = read("pairs/day", schema=pa.schema([("due", pa.string())]))
    yield "arrow-parse", 1, "pyarrow.string()", read("pairs/day"), flag, [("2026-01-01",), ("2026-13-45",)]
    yield wider("bigger", "total", pa.decimal128(38, 4), [(Decimal("1.5000"),), (Decimal("9007199254740993.0000"),)], "arrow-range", 2, "decimal128(38, 4)")
    yield wider("narrow", "qty", pa.int64(), [(1,), (300,)], "arrow-range", 1, "int64")
    yield wider("scale", "price", pa.decimal128(38, 4), [(Decimal("1.2500"),), (Decimal("1.2525"),)], "arrow-decimal", 1, "decimal128(38, 4)")
    yield "arrow-cast", 2, 'promote_options="permissive"', read("pairs/words"), lambda: rows(pa.concat_tables(
        [t.set_column(0, "kind", t["kind"].cast(pa.string())) for t in map(pq.read_table, files("words"))], promote_options="permissive")), [("1.5",), ("a",)]
    yield wider("void", "note", pa.struct([("a", pa.int64())]), [(None,), ({"a": 1},)], "arrow-cast", 1, "schema=schema")
    yield wider("bytes", "note", pa.binary(), [(b"\xff\xfe",), (b"x",)], "arrow-utf8", 1, "binary")
    yield "arrow-time", 1, 'pyarrow.timestamp("us")', read("pairs/far"), lambda: [len(read("pairs/far", schema=pa.schema([("valid_to", pa.timestamp("us"))]))())], [2]
    cut = among(root, "arrow-cut")
    yield "arrow-not-parquet", 2, "exclude_invalid_files=True", read("mend/arrow-cut"), lambda: [len(read("mend/arrow-cut", exclude_invalid_files=True)())], [5000]
    yield "arrow-not-parquet", 1, "mv FILE", read("mend/arrow-cut"), lambda: away(cut, "b.parquet") or [len(read("mend/arrow-cut")())], [5000]
    tiny = short(root, "arrow-tiny")
    yield "arrow-short", 1, TINY, read("mend/arrow-tiny"), lambda: drop(TINY, tiny) or read("mend/arrow-tiny")(), [(1,)]
    both = lambda: pa.unify_schemas([pq.read_schema(f) for f in files("added")])
    yield "arrow-no-column", 1, "pyarrow.unify_schemas(", lambda: pd.dataset(root + "/pairs/added").to_table(columns=["ship region"]), \
        lambda: rows(pd.dataset(root + "/pairs/added", schema=both()).to_table(columns=["ship region"])), [("EU",), (None,)]
    yield "duplicate-name", 2, "pyarrow.parquet.ParquetFile(file).read()", read("kinds/twice"), \
        lambda: [c.to_pylist() for c in pq.ParquetFile(root + "/kinds/twice/a.parquet").read().columns], [[1], [2]]
    text = pc.ConvertOptions(column_types={"c": pa.string()})
    yield "arrow-csv", 1, "column_types=", read("csv/late", format="csv"), lambda: [pc.read_csv(root + "/csv/late/a.csv", convert_options=text).num_rows], [300001]
    yield "arrow-csv", 2, "block_size=64 << 20", read("csv/late", format="csv"), \
        lambda: [pc.read_csv(root + "/csv/late/a.csv", read_options=pc.ReadOptions(block_size=64 << 20)).num_rows], [300001]
    schema = pj.ParseOptions(explicit_schema=pa.schema([("c", pa.float64())]))
    grown = root + "/mend/grown.json"
    with open(grown, "w") as f:
        f.write('{"c": 1}\n{"c": true}\n')
    with open(root + "/mend/numbers.json", "w") as f:
        f.write('{"c": 1}\n' * 200000 + '{"c": 1.5}\n')
    yield "arrow-json", 1, "explicit_schema=schema", lambda: pj.read_json(grown), lambda: [pj.read_json(root + "/mend/numbers.json", parse_options=schema).num_rows], [200001]


def pandas(root):
    import pandas as pd
    wide = root + "/csv/wide/a.csv"
    yield "pandas-csv", 1, 'engine="python", on_bad_lines=print', lambda: pd.read_csv(wide), lambda: [len(pd.read_csv(wide, engine="python", on_bad_lines=lambda line: line[:3]))], [2]
    lines = root + "/mend/lines.json"
    with open(lines, "w") as f:
        f.write('{"c": 1}\n{"c": 2}\n')
    yield "pandas-json", 1, "lines=True", lambda: pd.read_json(lines), lambda: tidy(pd.read_json(lines, lines=True).values.tolist()), [(1,), (2,)]


def polars(root):
    import polars as pl

    def files(pair):
        return [root + "/pairs/%s/%s.parquet" % (pair, f) for f in "ab"]

    def scan(name, **options):
        return lambda: tidy(pl.scan_parquet(root + "/" + name, **options).collect().rows())

    up = pl.ScanCastOptions(integer_cast="upcast", float_cast="upcast", datetime_cast="nanosecond-downcast")
    os.makedirs(root + "/mend/up", exist_ok=True)
    pl.DataFrame({"n": [2**40]}).write_parquet(root + "/mend/up/a.parquet")
    pl.DataFrame({"n": [1]}, schema={"n": pl.Int32}).write_parquet(root + "/mend/up/b.parquet")
    yield "polars-type", 1, 'integer_cast="upcast", float_cast="upcast", datetime_cast="nanosecond-downcast"', scan("mend/up/*.parquet"), scan("mend/up/*.parquet", cast_options=up), [(1,), (2**40,)]
    cast = lambda: tidy(pl.concat([pl.scan_parquet(g).with_columns(pl.col("price").cast(pl.Decimal(18, 4))) for g in files("scale")], how="diagonal").collect().rows())
    yield "polars-type", 2, 'for g in groups], how="diagonal")', scan("pairs/scale/*.parquet"), cast, [(Decimal("1.2500"),), (Decimal("1.2525"),)]
    both = {"id": pl.Int64, "ship region": pl.String}
    yield "polars-extra", 1, 'missing_columns="insert"', scan("pairs/added/*.parquet"), scan("pairs/added/*.parquet", schema=both, missing_columns="insert"), [(1, None), (2, "EU")]
    yield "polars-extra", 2, 'pl.concat([pl.scan_parquet(g) for g in groups], how="diagonal")', scan("pairs/added/*.parquet"), \
        lambda: tidy(pl.concat([pl.scan_parquet(g) for g in files("added")], how="diagonal").collect().rows()), [(1, None), (2, "EU")]
    yield "polars-missing", 1, 'missing_columns="insert"', scan("pairs/gone/*.parquet"), scan("pairs/gone/*.parquet", missing_columns="insert"), [(1, "EU"), (2, None)]
    struct = {"who": pl.Struct({"a": pl.Int64, "b": pl.Int64})}
    yield "polars-struct", 1, 'missing_struct_fields="insert"', scan("pairs/inner/*.parquet"), \
        scan("pairs/inner/*.parquet", schema=struct, cast_options=pl.ScanCastOptions(missing_struct_fields="insert")), [({"a": 1, "b": 2},), ({"a": 1, "b": None},)]
    yield "polars-struct", 2, 'how="diagonal_relaxed"', scan("pairs/inner/*.parquet"), \
        lambda: [len(pl.concat([pl.scan_parquet(g) for g in files("inner")], how="diagonal_relaxed").collect())], [2]
    tiny = short(root, "polars-tiny")
    yield "polars-short", 1, TINY, scan("mend/polars-tiny/*.parquet"), lambda: drop(TINY, tiny) or scan("mend/polars-tiny/*.parquet")(), [(1,)]
    among(root, "polars-cut")

    def find():
        for f in sorted(glob.glob(root + "/mend/polars-cut/*")):
            try:
                pl.read_parquet_schema(f)
            except pl.exceptions.PolarsError:
                return [os.path.basename(f)]
        return []

    yield "polars-not-parquet", 1, "pl.read_parquet_schema(f)", scan("mend/polars-cut/*.parquet"), find, ["b.parquet"]
    yield "polars-none", 2, "pl.scan_parquet(path, schema={…})", scan("bad/none/**/*.parquet"), scan("bad/none/**/*.parquet", schema={"id": pl.Int64}), []
    trees = lambda: tidy(pl.concat([pl.scan_parquet(root + "/parts/keys/%s=*/*.parquet" % k, hive_partitioning=True) for k in ("day", "dt")], how="diagonal").collect().rows())
    yield "polars-partitions", 1, 'how="diagonal")', scan("parts/keys", hive_partitioning=True), trees, [(1, 1, None), (2, None, 2)]
    yield "polars-partitions", 2, "hive_partitioning=False", scan("parts/keys", hive_partitioning=True), scan("parts/keys", hive_partitioning=False), [(1,), (2,)]
    yield "polars-extensions", 1, 'pl.scan_parquet("FOLDER/**/*.parquet")', scan("parts/mixed"), scan("parts/mixed/**/*.parquet"), [(1,)]
    frames = lambda: [pl.scan_parquet(f) for f in files("narrow")]
    yield "polars-supertype", 2, 'pl.concat(frames, how="diagonal_relaxed")', lambda: pl.concat(frames(), how="diagonal").collect(), \
        lambda: tidy(pl.concat(frames(), how="diagonal_relaxed").collect().rows()), [(1,), (300,)]
    yield "polars-supertype", 1, 'cast(pl.String)', lambda: pl.concat([pl.scan_parquet(f) for f in files("flag")], how="diagonal").collect(), \
        lambda: tidy(pl.concat([pl.scan_parquet(f).with_columns(pl.col("paid").cast(pl.String)) for f in files("flag")], how="diagonal").collect().rows()), [("maybe",), ("true",)]
    csv = root + "/csv/%s/a.csv"
    yield "polars-csv", 1, "infer_schema_length=None", lambda: pl.read_csv(csv % "late"), lambda: [len(pl.read_csv(csv % "late", infer_schema_length=None))], [300001]
    yield "polars-csv", 2, "schema_overrides=", lambda: pl.read_csv(csv % "late"), lambda: [len(pl.read_csv(csv % "late", schema_overrides={"c": pl.String}))], [300001]
    yield "polars-csv-columns", 1, 'pl.concat([pl.scan_csv(f) for f in files], how="diagonal_relaxed")', lambda: pl.scan_csv(root + "/csv/more/*.csv").collect(), \
        lambda: tidy(pl.concat([pl.scan_csv(f) for f in sorted(glob.glob(root + "/csv/more/*.csv"))], how="diagonal_relaxed").collect().rows()), [(1, 2, 9), (1, 2, None)]
    yield "polars-csv-text", 1, 'encoding="windows-1252"', lambda: pl.read_csv(csv % "latin"), lambda: pl.read_csv(csv % "latin", encoding="windows-1252").rows(), [(1, "café")]
    iconv = "iconv -f WINDOWS-1252 -t UTF-8 FILE > FILE.utf8"
    yield "polars-csv-text", 2, iconv, lambda: pl.read_csv(csv % "latin"), lambda: shell(iconv, "", csv % "latin") or pl.read_csv(csv % "latin" + ".utf8").rows(), [(1, "café")]
    yield "polars-csv-empty", 2, "raise_if_empty=False", lambda: pl.read_csv(csv % "nothing"), lambda: pl.read_csv(csv % "nothing", raise_if_empty=False).rows(), []
    json = root + "/json/%s/a.json"
    with open(root + "/mend/deep.json", "w") as f:
        f.write('{"c": 1}\n' * 2000 + '{"c": "x"}\n')
    yield "polars-json", 1, "infer_schema_length=None", lambda: pl.scan_ndjson(root + "/mend/deep.json").collect(), \
        lambda: [len(pl.scan_ndjson(root + "/mend/deep.json", infer_schema_length=None).collect())], [2001]
    yield "polars-json", 2, "pl.read_json(path)", lambda: pl.read_ndjson(json % "array"), lambda: pl.read_json(json % "array").rows(), [(1,), (2,)]


def duckdb(root):
    import duckdb as db

    def sql(text):
        return lambda: tidy(db.sql(text.replace("ROOT", root)).fetchall())

    def read(name, more="", by="read_parquet"):
        return sql("select * from %s('ROOT/%s'%s)" % (by, name, more))

    yield "duckdb-cast", 1, "union_by_name=true", read("pairs/narrow/*.parquet"), read("pairs/narrow/*.parquet", ", union_by_name=true"), [(1,), (300,)]
    yield "duckdb-cast", 2, "UNION ALL BY NAME", read("pairs/quotes/*.parquet"), \
        sql("select cast(\"it\"\"s\" as varchar) as a from 'ROOT/pairs/quotes/a.parquet' union all by name select \"it\"\"s\" as a from 'ROOT/pairs/quotes/b.parquet'"), [("1.5",), ("x y",)]
    yield "duckdb-column-missing", 1, "union_by_name=true", read("pairs/gone/*.parquet"), read("pairs/gone/*.parquet", ", union_by_name=true"), [(1, "EU"), (2, None)]
    tiny = short(root, "duckdb-tiny")
    yield "duckdb-short", 1, TINY, read("mend/duckdb-tiny/*.parquet"), lambda: drop(TINY, tiny) or read("mend/duckdb-tiny/*.parquet")(), [(1,)]
    yield "duckdb-not-parquet", 2, "read_csv('FILE')", read(BAD % "csv"), lambda: [len(read(BAD % "csv", by="read_csv")())], [79]
    yield "duckdb-partitions", 1, "hive_partitioning=false", read("parts/keys/**/*.parquet", ", hive_partitioning=true"), read("parts/keys/**/*.parquet", ", hive_partitioning=false"), [(1,), (2,)]
    yield "duckdb-partitions", 2, "read_parquet('root/dt=*/*.parquet')", read("parts/keys/**/*.parquet", ", hive_partitioning=true"), read("parts/keys/dt=*/*.parquet"), [(2, 2)]
    yield "duckdb-cast", 1, "union_by_name=true", read("pairs/void/*.parquet"), read("pairs/void/*.parquet", ", union_by_name=true"), [(None,), ({"a": 1},)]
    key = "set force_mbedtls_unsafe = true; pragma add_parquet_key('k', '0123456789112345'); "
    db.sql(key + "copy (select 1 as id) to '%s/mend/key.parquet' (encryption_config {footer_key: 'k'})" % root)
    yield "duckdb-encrypted", 1, "encryption_config={footer_key: 'k'}", read("mend/key.parquet"), read("mend/key.parquet", ", encryption_config={footer_key: 'k'}"), [(1,)]
    typed = ", types={'c': 'BIGINT'}"
    yield "duckdb-csv", 1, "all_varchar=true", read("csv/late/a.csv", by="read_csv"), lambda: [len(read("csv/late/a.csv", ", all_varchar=true", "read_csv")())], [300001]
    yield "duckdb-csv", 2, "sample_size=-1", read("csv/late/a.csv", by="read_csv"), lambda: [len(read("csv/late/a.csv", ", sample_size=-1", "read_csv")())], [300001]
    yield "duckdb-csv", 3, "store_rejects=true", read("csv/typed/a.csv", typed, "read_csv"), \
        lambda: read("csv/typed/a.csv", typed + ", store_rejects=true", "read_csv")() and sql("select line, column_name from reject_errors")(), [(3, "c")]
    yield "duckdb-csv-columns", 1, "union_by_name=true", read("csv/renamed/*.csv", by="read_csv"), read("csv/renamed/*.csv", ", union_by_name=true", "read_csv"), [(1, 2, None), (1, None, 2)]
    yield "duckdb-csv-columns", 2, "all_varchar=true", read("csv/renamed/*.csv", by="read_csv"), read("csv/renamed/*.csv", ", union_by_name=true, all_varchar=true", "read_csv"), [("1", "2", None), ("1", None, "2")]
    yield "duckdb-json", 1, "sample_size=-1", read("json/late/a.json", by="read_json"), lambda: [len(read("json/late/a.json", ", sample_size=-1", "read_json")())], [30001]
    yield "duckdb-json", 2, "read_json_objects('FILE')", read("json/late/a.json", by="read_json"), lambda: [len(read("json/late/a.json", by="read_json_objects")())], [30001]
    import polars as pl
    path = root + "/kinds/key/a.parquet"
    again = "COPY (FROM read_parquet('FILE')) TO 'FILE.new.parquet'"
    yield "arrow-schema-key", 1, again, lambda: pl.read_parquet(path), lambda: db.sql(again.replace("FILE", path)) or pl.read_parquet(path + ".new.parquet").rows(), [(1,)]


def spark(root):
    s = session()
    import pyarrow.parquet as pq
    from pyspark.sql.functions import col
    four = s.version >= "4"

    def read(name, schema=None, conf=(), by="parquet", act=lambda f: f, **options):
        def run():
            for key, value in dict(conf).items():
                s.conf.set(key, value)
            try:
                r = s.read.options(**options)
                return tidy(act((r.schema(schema) if schema else r).format(by).load(root + "/" + name)).collect())
            finally:
                for key in dict(conf):
                    s.conf.unset(key)
        return run

    def grouped(pair, name, kind):
        a, b = (s.read.parquet(root + "/pairs/%s/%s.parquet" % (pair, f)).withColumn(name, col(name).cast(kind)) for f in "ab")
        return tidy(a.unionByName(b, allowMissingColumns=True).collect())

    prices, union = [(Decimal("1.2500"),), (Decimal("1.2525"),)], "then unionByName(allowMissingColumns=True)"
    narrower = read("pairs/scale", "price decimal(9,2)")
    yield "column-type", 1, union, narrower, lambda: grouped("scale", "price", "decimal(18,4)"), prices
    yield "column-type", 3, "spark.read.schema(", read("pairs/quotes/b.parquet", "`it\"s` double"), read("pairs/quotes/b.parquet", "`it\"s` string"), [("x y",)]
    yield "merge-types", 1, union, read("pairs/scale", mergeSchema="true"), lambda: grouped("scale", "price", "decimal(18,4)"), prices
    if four:
        void = copy(root, "pairs/void", "spark-void")

        def typed():
            pq.write_table(pq.read_table(void + "/a.parquet").cast(pq.read_schema(void + "/b.parquet")), void + "/a.parquet")
            return read("mend/spark-void", mergeSchema="true", act=lambda f: f.selectExpr("note.a"))()

        yield "merge-types", 3, "pyarrow.parquet.read_table(file).cast(schema)", read("mend/spark-void", mergeSchema="true"), typed, [(1,), (None,)]
    yield "nested-kind", 1, ".selectExpr(", read("pairs/maplist", "attrs map<string,string>"), \
        lambda: tidy(read("pairs/maplist/a.parquet", act=lambda f: f.selectExpr("map_values(attrs) as v"))() + read("pairs/maplist/b.parquet", act=lambda f: f.selectExpr("attrs as v"))()), [(["a"],), (["b"],)]
    off = {"spark.sql.parquet.enableVectorizedReader": "false"}
    decimal = read("pairs/quotes/a.parquet", "`it\"s` decimal(9,2)", off)
    yield "row-reader-decimal", 1, '.cast("decimal(18,2)")', decimal, read("pairs/quotes/a.parquet", "`it\"s` double", off, act=lambda f: f.select(col("it\"s").cast("decimal(18,2)"))), [(Decimal("1.50"),)]
    yield "row-reader-type", 2, "decimal(20,0) for an unsigned 64-bit one", read("pairs/unsigned/b.parquet", "qty bigint"), read("pairs/unsigned/b.parquet", "qty decimal(20,0)"), [(Decimal(2**63 + 5),)]
    if not four:
        yield "timestamp-ntz", 1, "order_ts timestamp", read("kinds/int96", "ts timestamp_ntz"), lambda: [len(read("kinds/int96", "ts timestamp")())], [1]
    cut = among(root, "spark-cut-" + s.version)
    yield "not-parquet", 1, "mv FILE", read("mend/" + os.path.basename(cut), mergeSchema="true"), lambda: away(cut, "b.parquet") or [len(read("mend/" + os.path.basename(cut))())], [5000]
    tiny = short(root, "spark-tiny-" + s.version)
    yield "too-short", 1, TINY, read("mend/" + os.path.basename(tiny), mergeSchema="true"), lambda: drop(TINY, tiny) or read("mend/" + os.path.basename(tiny))(), [(1,)]
    none = copy(root, "pairs/added", "spark-none-" + s.version)
    open(none + "/c.parquet", "w").close()
    yield "too-short", 2, "spark.read.schema(", read("mend/" + os.path.basename(none), mergeSchema="true"), read("mend/" + os.path.basename(none), "id bigint"), [(1,), (2,)]
    gz = copy(root, "bad/gzip", "spark-gzip-" + s.version)
    packed = glob.glob(gz + "/*/*.parquet")[0]
    unzip = "gunzip < FILE > FILE.parquet"
    yield "not-parquet", 3, unzip, read(os.path.relpath(packed, root)), lambda: shell(unzip, "", packed) and [] or [len(read(os.path.relpath(packed, root) + ".parquet")())], [5000]
    yield "nanoseconds", 2, '"spark.sql.legacy.parquet.nanosAsLong", "true"', read("kinds/ns"), read("kinds/ns", conf={"spark.sql.legacy.parquet.nanosAsLong": "true"}), [(1, 1767225600000000001)]
    yield "illegal-type", 1, "order_id binary", read("kinds/uuid"), lambda: [len(read("kinds/uuid", "uid binary")()[0][0])], [16]
    if not four:
        yield "illegal-type", 1, "bigint for times", read("kinds/time"), read("kinds/time", "at bigint"), [(36000000000,)]
    yield "duplicate-case", 1, '"spark.sql.caseSensitive", "true"', read("kinds/cases"), read("kinds/cases", conf={"spark.sql.caseSensitive": "true"}, act=lambda f: f.select("Id", "ID")), [(1, 2)]
    yield "no-files", 3, "spark.read.schema(", read("parts/hidden"), read("parts/hidden", "id bigint"), []
    exception = {"spark.sql.parquet.datetimeRebaseModeInRead": "EXCEPTION"}
    for n, mode, day in (1, "CORRECTED", "0001-01-01"), (2, "LEGACY", "0001-01-03"):
        yield "ancient", n, '"spark.sql.parquet.datetimeRebaseModeInRead", "%s"' % mode, read("kinds/old", "d date", exception), \
            read("kinds/old", "d date", {"spark.sql.parquet.datetimeRebaseModeInRead": mode}, act=lambda f: f.selectExpr("cast(min(d) as string)")), [(day,)]
    yield "partition-names", 1, 'spark.read.option("basePath", root).parquet(root + "/dt=*")', read("parts/keys"), read("parts/keys/dt=*", basePath=root + "/parts/keys"), [(2, 2)]
    yield "directories", 1, "spark.read.parquet(root1), spark.read.parquet(root2)", read("parts/roots"), lambda: tidy(read("parts/roots/x")() + read("parts/roots/y")()), [(1, 1), (2, 1)]
    if four:
        yield "spark-cast", 1, "try_cast(", read("pairs/umlaut/b.parquet", act=lambda f: f.selectExpr("cast(`größe` as int)")), read("pairs/umlaut/b.parquet", act=lambda f: f.selectExpr("try_cast(`größe` as int)")), [(None,)]
    blank = copy(root, "parts/blank", "spark-blank-" + s.version)
    rename = 'mv "FOLDER/k=" "FOLDER/k=__HIVE_DEFAULT_PARTITION__"'
    quoted = rename.replace('"FOLDER/k="', "FOLDER/k=").replace('"FOLDER/k=__HIVE_DEFAULT_PARTITION__"', "FOLDER/k=__HIVE_DEFAULT_PARTITION__")
    yield "blank-partition", 1, rename, read("mend/" + os.path.basename(blank)), lambda: shell(quoted, blank) and [] or read("mend/" + os.path.basename(blank))(), [(1, None), (2, 1)]
    colon = copy(root, "parts/colon", "spark-colon-" + s.version)
    yield "colon-name", 1, 'mv "FOLDER/a:1.parquet" "FOLDER/a-1.parquet"', read("mend/" + os.path.basename(colon)), \
        lambda: shell("mv FOLDER/a:1.parquet FOLDER/a-1.parquet", colon) and [] or read("mend/" + os.path.basename(colon))(), [(1,)]
    crc = copy(root, "parts/crc", "spark-crc-" + s.version)
    wipe = "find FOLDER -name '.*.crc' -delete"
    yield "stale-checksum", 1, wipe, read("mend/" + os.path.basename(crc)), lambda: shell(wipe, crc) and [] or read("mend/" + os.path.basename(crc))(), [(1,)]
    from pyspark.sql.types import LongType, StructField, StructType
    ids = StructType([StructField("a", LongType(), True, {"parquet.field.id": 1})])
    on = {"spark.sql.parquet.fieldId.read.enabled": "true"}
    yield "field-ids", 1, '"spark.sql.parquet.fieldId.read.ignoreMissing", "true"', read("kinds/noids", ids, on), read("kinds/noids", ids, {**on, "spark.sql.parquet.fieldId.read.ignoreMissing": "true"}), [(None,)]
    plain = StructType([StructField(f.name, f.dataType, f.nullable) for f in ids])
    yield "field-ids", 2, "StructField(f.name, f.dataType, f.nullable) for f in schema", read("kinds/noids", ids, on), read("kinds/noids", plain, on), [(1,)]
    header = {"by": "csv", "header": "true"}
    swapped = read("csv/swapped", "c int, k int", enforceSchema="false", **header)
    by_name = lambda: tidy(s.read.option("header", True).csv(root + "/csv/swapped/a.csv").unionByName(s.read.option("header", True).csv(root + "/csv/swapped/b.csv"), allowMissingColumns=True).collect())
    yield "csv-header", 1, "unionByName(other, allowMissingColumns=True)", swapped, by_name, [("1", "2"), ("1", "2"), ("3", "4")]
    kept = read("csv/wide", "k int, c int, d int, _corrupt_record string", mode="PERMISSIVE", columnNameOfCorruptRecord="_corrupt_record", **header)
    yield "malformed-record", 1, '.option("mode", "PERMISSIVE")', read("csv/wide", "k int, c int, d int", mode="FAILFAST", **header), kept, [(1, 2, 3, None), (4, 5, 6, "4,5,6,7")]
    yield "corrupt-record", 1, 'spark.read.option("multiLine", True).json(file)', read("json/pretty", by="json"), read("json/pretty", by="json", multiLine="true"), [(1,)]
    stream = lambda **k: s.readStream.options(**k).format("parquet")
    folder = root + "/pairs/gone"
    yield "stream-schema", 1, "spark.readStream.schema(spark.read.parquet(folder).schema).parquet(folder)", lambda: stream().load(folder), lambda: stream().schema(s.read.parquet(folder).schema).load(folder).columns, ["id", "ship region"]

    def inferred():
        s.conf.set("spark.sql.streaming.schemaInference", "true")
        try:
            return stream().load(folder).columns
        finally:
            s.conf.unset("spark.sql.streaming.schemaInference")

    yield "stream-schema", 2, '"spark.sql.streaming.schemaInference", "true"', lambda: stream().load(folder), inferred, ["id", "ship region"]
    s.sql("create table if not exists t%s (amount int) using parquet location '%s/out/t%s'" % (s.version[0], root, s.version[0]))
    table = "t" + s.version[0]
    yield "insert-type", 1, "try_cast(", lambda: s.sql("insert into %s select 'x'" % table), \
        lambda: s.sql("insert into %s select try_cast('7' as int)" % table) and tidy(s.table(table).collect()), [(7,)]


def delta(root):
    """Spark with Delta."""
    s = session(",".join(sorted(glob.glob(os.environ["JARS"] + "/*.jar"))))
    lake = root + "/mend/lake/"
    shutil.rmtree(lake, ignore_errors=True)

    def table(name, what, rows=""):
        s.sql("create table delta.`%s` (%s) using delta" % (lake + name, what))
        if rows:
            s.sql("insert into delta.`%s` values %s" % (lake + name, rows))
        return lake + name

    def append(path, values, **options):
        return lambda: s.sql("select " + values).write.format("delta").mode("append").options(**options).save(path)

    def rows(path):
        return tidy(s.read.format("delta").load(path).collect())

    orders = table("orders", "id bigint, amount decimal(9,2)", "(1, 1.5)")
    broken = append(orders, "2L as id, cast(2.5 as decimal(38,20)) as amount", mergeSchema="true")
    yield "delta-merge", 1, '.cast("decimal(18,2)")', broken, lambda: append(orders, "2L as id, cast(cast(2.5 as decimal(38,20)) as decimal(9,2)) as amount")() or rows(orders), [(1, Decimal("1.50")), (2, Decimal("2.50"))]
    wide = table("wide", "id int", "(1)")

    def widened():
        s.sql("ALTER TABLE delta.`%s` SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')" % wide)
        append(wide, "%dL as id" % 2**40, mergeSchema="true")()
        return rows(wide)

    yield "delta-merge", 2, "'delta.enableTypeWidening' = 'true'", append(wide, "array(1) as id", mergeSchema="true"), widened, [(1,), (2**40,)]
    extra = table("extra", "id bigint", "(1)")
    more = "2L as id, 'x' as note"
    yield "delta-schema", 1, '.option("mergeSchema", "true")', append(extra, more), lambda: append(extra, more, mergeSchema="true")() or rows(extra), [(1, None), (2, "x")]
    names = "create table delta.`%s` (`ship region` string) using delta" % (lake + "names")
    yield "delta-names", 1, "'delta.columnMapping.mode' = 'name'", lambda: s.sql(names), \
        lambda: s.sql(names + " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')") and s.read.format("delta").load(lake + "names").columns, ["ship region"]
    renamed = lambda f: f.withColumnsRenamed({c: c.replace(" ", "_") for c in f.columns})
    region = lambda: s.sql("select 'EU' as `ship region`")
    write = lambda f: f.write.format("delta").save(lake + "renamed")
    yield "delta-names", 2, 'df.withColumnsRenamed({c: c.replace(" ", "_") for c in df.columns})', lambda: write(region()), lambda: write(renamed(region())) or rows(lake + "renamed"), [("EU",)]
    strict = table("strict", "id bigint not null")
    null = "insert into delta.`%s` values (null)" % strict
    yield "delta-null", 2, "ALTER COLUMN order_id DROP NOT NULL", lambda: s.sql(null), \
        lambda: s.sql("alter table delta.`%s` ALTER COLUMN id DROP NOT NULL" % strict) and s.sql(null) and rows(strict), [(None,)]
    alter = "alter table delta.`%s` alter column amount type string" % orders
    again = lambda: s.read.format("delta").load(orders).selectExpr("id", "cast(amount as string) as amount").write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(orders)
    yield "delta-alter", 2, '.mode("overwrite").option("overwriteSchema", "true")', lambda: s.sql(alter), lambda: again() or rows(orders), [(1, "1.50"), (2, "2.50")]
    parts = copy(root, "parts/deep/y=1/m=1", "lake-parts/dt=2026-11-01") and root + "/mend/lake-parts"
    convert = "CONVERT TO DELTA parquet.`%s`" % parts
    yield "delta-convert-partitions", 1, "PARTITIONED BY (dt string)", lambda: s.sql(convert), lambda: s.sql(convert + " PARTITIONED BY (dt string)") and rows(parts), [(1, "2026-11-01")]
    yield "delta-none", 2, "spark.read.parquet(folder)", lambda: s.read.format("delta").load(root + "/pairs/narrow/a.parquet").collect(), lambda: tidy(s.read.parquet(root + "/pairs/narrow/a.parquet").collect()), [(1,)]


def main(reader, root):
    os.makedirs(root + "/mend", exist_ok=True)
    for failure, fix, words, broken, mended, want in globals()[reader](root):
        print("===", reader, failure, fix, words)
        try:
            broken()
            print("--- nothing fails")
        except Exception as error:
            print(said(error))
        try:
            found = mended()
            if found != want:
                print("--- found %r, want %r" % (found, want))
        except Exception as error:
            print("--- the fix fails: " + said(error)[:700])


if __name__ == "__main__":
    main(*sys.argv[1:])
