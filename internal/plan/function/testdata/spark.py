"""Evaluates expressions on Spark: a JSON list of texts in, one of results out.

usage: spark.py IN OUT   (a result is a text, null, or {"error": ...})
"""

import json
import sys

from pyspark.sql import SparkSession

source, target = sys.argv[1:3]
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    # Each expression is computed once: compiling it takes longer.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Subqueries are merged for one with DISTINCT, and then see rows in another order.
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.MergeScalarSubqueries",
    # The service gives null where ANSI mode fails.
    "spark.sql.ansi.enabled": "false",
}
builder = SparkSession.builder.master("local[1]")
for key, value in SETTINGS.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")


def evaluate(texts):
    """Returns the values of expressions; one that fails must not take others along."""
    try:
        row = spark.sql("SELECT " + ", ".join(f"{t} AS c{i}" for i, t in enumerate(texts))).collect()[0]
        return list(row)
    except Exception as e:
        if len(texts) == 1:
            return [{"error": str(e).splitlines()[0]}]
        half = len(texts) // 2
        return evaluate(texts[:half]) + evaluate(texts[half:])


with open(source) as f:
    texts = json.load(f)
results = []
for i in range(0, len(texts), 100):
    results += evaluate(texts[i : i + 100])
with open(target, "w") as f:
    json.dump(results, f)
spark.stop()
