"""Runs queries on Spark: {"tables": {name: query}, "queries": [text]} in, a list of answers out.

usage: spark.py IN OUT FOLDER   (an answer is {"columns": [[name, type]], "rows": [[text]]} or {"error"})
"""

import datetime
import decimal
import json
import sys

from pyspark.sql import Row, SparkSession

source, target, folder = sys.argv[1:]
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    # Each query runs once: compiling it takes longer.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.warehouse.dir": folder,
}
builder = SparkSession.builder.master("local[1]")
for key, value in SETTINGS.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")


def text(v):
    """Returns a value as the test writes its own."""
    if v is None:
        return "NULL"
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        if v != v:
            return "NaN"
        if v in (float("inf"), float("-inf")):
            return "Infinity" if v > 0 else "-Infinity"
        return format(v + 0.0, ".12g")
    if isinstance(v, decimal.Decimal):
        return format(v, "f")
    if isinstance(v, datetime.datetime):
        return v.strftime("%Y-%m-%d %H:%M:%S.%f")
    if isinstance(v, (bytes, bytearray)):
        return "X" + bytes(v).hex()
    if isinstance(v, Row):
        return "{" + ", ".join(text(x) for x in v) + "}"
    if isinstance(v, list):
        return "[" + ", ".join(text(x) for x in v) + "]"
    if isinstance(v, dict):
        return "(" + ", ".join(sorted(text(k) + "=" + text(x) for k, x in v.items())) + ")"
    return str(v)


def answer(query, params):
    try:
        df = spark.sql(query, args=params)
        return {"columns": df.dtypes, "rows": [[text(v) for v in row] for row in df.collect()]}
    except Exception as e:
        return {"error": str(e).strip()[:400]}


with open(source) as f:
    task = json.load(f)
spark.sql("CREATE DATABASE lake")
for name, query in task["tables"].items():
    spark.sql(query).createOrReplaceTempView(name)
    spark.sql(f"CREATE VIEW lake.{name} AS {query}")
with open(target, "w") as f:
    json.dump([answer(q, task["params"] if ":p" in q else None) for q in task["queries"]], f)
spark.stop()
