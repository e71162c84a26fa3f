"""Evaluates expressions on Spark: a JSON list of [expression, rows, whether it fails] in, one of answers out.

usage: spark.py IN OUT   (an answer is {"value", "type"} or {"error"}; rows are a relation, or "")
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


def many(expressions, rows):
    """Returns the answers to expressions of the same rows; one that fails must not take others along."""
    columns = ", ".join(f"{e} AS c{i}" for i, e in enumerate(expressions))
    over = " OVER (" in expressions[0]
    try:
        df = spark.sql(f"SELECT {columns}" + (", o" if over else "") + (f" FROM {rows}" if rows else ""))
        kinds = df.dtypes[: len(expressions)]
        if over:
            df = df.orderBy("o")
        found = df.selectExpr(*[text(name, kind) for name, kind in kinds]).collect()
        return [{"value": shown([r[i] for r in found]), "type": kind} for i, (_, kind) in enumerate(kinds)]
    except Exception as e:
        if len(expressions) == 1:
            return [{"error": str(e).strip()[:300]}]
        half = len(expressions) // 2
        return many(expressions[:half], rows) + many(expressions[half:], rows)


def one(expression, rows):
    """Returns the answer to an expression that sees or makes several rows."""
    generator = rows == "rows"
    source = "" if rows in ("", "rows") else f" FROM {rows}"
    try:
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
answers, batches = {}, {}
for expression, rows, fails in questions:
    # What fails would make others be asked again, and DISTINCT changes the order in which others see rows.
    if rows != "rows" and not fails and "GROUP BY" not in rows and "DISTINCT" not in expression:
        batches.setdefault((rows, bool(rows) and " OVER (" in expression), {})[expression] = None
for (rows, _), expressions in batches.items():
    expressions = list(expressions)
    for i in range(0, len(expressions), 50):
        batch = expressions[i : i + 50]
        answers.update(((e, rows), answer) for e, answer in zip(batch, many(batch, rows)))
for expression, rows, _ in questions:
    if (expression, rows) not in answers:
        answers[expression, rows] = one(expression, rows)
with open(target, "w") as f:
    json.dump([answers[e, rows] for e, rows, _ in questions], f)
spark.stop()
