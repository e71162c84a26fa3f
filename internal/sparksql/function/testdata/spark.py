"""Evaluates expressions on Spark: a JSON list of [expression, rows, whether it fails] in, one of answers out.

usage: spark.py IN OUT   (an answer is {"value", "type"} or {"error"}; rows are a relation, or "")
"""

import json
import sys

from pyspark.sql import SparkSession

source, target = sys.argv[1:]
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
    "spark.sql.ansi.enabled": "true",
}
builder = SparkSession.builder.master("local[1]")
for key, value in SETTINGS.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")


def text(name, kind):
    return f"lower(hex({name}))" if kind == "binary" else f"CAST({name} AS STRING)"


def shown(values):
    return "; ".join("NULL" if v is None else v for v in values)


def many(expressions):
    """Returns the answers to expressions of one row; one that fails must not take others along."""
    try:
        df = spark.sql("SELECT " + ", ".join(f"{e} AS c{i}" for i, e in enumerate(expressions)))
        row = df.selectExpr(*[text(name, kind) for name, kind in df.dtypes]).collect()[0]
        return [{"value": shown([v]), "type": kind} for v, (_, kind) in zip(row, df.dtypes)]
    except Exception as e:
        if len(expressions) == 1:
            return [{"error": str(e).strip()[:300]}]
        half = len(expressions) // 2
        return many(expressions[:half]) + many(expressions[half:])


def one(expression, rows):
    """Returns the answer to an expression that sees or makes several rows."""
    generator = rows == "rows"
    source = "" if rows in ("", "rows") else f" FROM {rows}"
    try:
        if " OVER (" in expression:
            df = spark.sql(f"SELECT c FROM (SELECT {expression} AS c, o{source}) ORDER BY o")
        else:
            df = spark.sql(f"SELECT {expression}{source}" if generator else f"SELECT {expression} AS c{source}")
        if generator:
            kind = "array<struct<" + ",".join(f"{n}:{k}" for n, k in df.dtypes) + ">>"
            values = df.selectExpr("CAST(struct(*) AS STRING)").collect()
        else:
            kind = df.dtypes[0][1]
            values = df.selectExpr(text("c", kind)).collect()
        return {"value": shown([v[0] for v in values]), "type": kind}
    except Exception as e:
        return {"error": str(e).strip()[:300]}


with open(source) as f:
    questions = json.load(f)
answers = {}
plain = [q for q in dict.fromkeys(e for e, rows, fails in questions if not rows and not fails)]
for i in range(0, len(plain), 50):
    answers.update(zip(((e, "") for e in plain[i : i + 50]), many(plain[i : i + 50])))
for expression, rows, _ in questions:
    if (expression, rows) not in answers:
        answers[expression, rows] = one(expression, rows)
with open(target, "w") as f:
    json.dump([answers[e, rows] for e, rows, _ in questions], f)
spark.stop()
