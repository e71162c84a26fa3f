"""Readers over folders of Parquet files, judged as the reader matrix was made.

usage: folders.py GENERATOR ENGINE...   (spark alone, or any of the others)

GENERATOR is the program that the matrix came of: how a reader is called, what its
values are compared by, and what an error is called are its own. A partition column is
no part of the comparison.
"""

import glob
import os
import sys

import canon
import pyarrow as pa
import pyarrow.parquet as pq
import wire
from cells import load


def truth(generator, files):
    """All rows of files, each read by itself, and the names of all columns. A name in
    other letters is the same column."""
    rows, spelt = [], {}
    for path in files:
        file = pq.ParquetFile(path)
        old = {c.path for c in map(file.schema.column, range(len(file.schema))) if c.physical_type == "INT96"}
        names, found = generator.rows_of_arrow(file.read())
        for n in names:
            spelt.setdefault(n.lower(), n)
        for row in found:
            # Nothing in an INT96 says whether it is an instant or a wall clock.
            rows.append({spelt[k.lower()]: "i" + v[1:] if k in old and v else v for k, v in row.items()})
    return rows, list(spelt.values())


def calls(generator, engine):
    """(function, options, read) of an engine; read takes a case and a folder."""
    known = {(call, options): read for call, options, kinds, read in generator.ENGINES[engine]() if "layout" in kinds or "cast" in kinds}
    if engine == "spark":
        explicit = known["spark.read.schema.parquet", "explicit schema"]
        # The generator's schema begins with k int, which all files have, and a column c.
        known["spark.read.schema.parquet", "explicit schema"] = lambda c, d: explicit({"t2": "int, " + c["schema"]}, d)
    if engine == "polars":
        known["polars.scan_parquet", "per-file concat how=diagonal_relaxed"] = lambda c, d: relaxed(generator, d)
    if engine == "duckdb":
        deep = "**/*.parquet hive_partitioning=true union_by_name=true"
        known["duckdb.read_parquet", deep] = lambda c, d: united(generator, d)
    return known


def only(case, schema):
    """A case about the columns of an explicit schema alone."""
    names = [c.split()[0] for c in schema.split(", ")]
    return case | {"cols": [c for c in case["cols"] if c == "k" or c in names]}


def relaxed(generator, folder):
    import polars

    files = sorted(glob.glob(folder + "/**/*.parquet", recursive=True))
    frame = polars.concat([polars.scan_parquet(f, glob=False) for f in files], how="diagonal_relaxed").collect()
    wide = [name for name, kind in frame.schema.items() if kind == polars.Int128]  # which Arrow does not have
    return generator.rows_of_arrow(frame.with_columns(polars.col(wide).cast(polars.Decimal(38, 0))).to_arrow())


def united(generator, folder):
    import duckdb

    with duckdb.connect() as con:
        con.execute("set TimeZone = 'America/New_York'")  # as the generator does
        query = f"select * from read_parquet('{folder}/**/*.parquet', hive_partitioning = true, union_by_name = true)"
        return generator.rows_of_arrow(con.execute(query).to_arrow_table())


def start():
    path, *engines = sys.argv[1:]
    generator = load(path)
    known = {e: calls(generator, e) for e in engines}

    def attempt(engine, call, options, folder, case):
        try:
            names, rows = known[engine][call, options](case, folder)
        except BaseException as e:  # noqa: BLE001 - a panic of Polars is no Exception
            kind, message = generator.spark_error(e) if engine == "spark" else (type(e).__name__, str(e))
            return {"outcome": "error", "class": kind, "message": message, "whole": str(e)[:4000]}
        names = [n for n in names if n != "dt" and not (call == "spark.read.schema.parquet" and n == "c")]
        outcome, example = generator.judge(case, names, rows)
        return {"outcome": outcome, "class": "", "message": example, "whole": ""}

    def judge(folder, files, modes, schema):
        """What each of the modes [call, options] does with a folder whose readable
        files are given."""
        rows, columns = truth(generator, [os.path.join(folder, f) for f in files])
        case = {"rows": rows, "cols": columns, "key": "k", "schema": schema, "kind": "parquet"}
        out = []
        for engine in engines:
            for call, options in modes:
                if (call, options) in known[engine]:
                    asked = schema if options == "explicit schema" else None
                    found = attempt(engine, call, options, folder, case if asked is None else only(case, asked))
                    out.append(found | {"call": call, "options": options, "version": generator.version_of(engine)})
        return out

    def sql(text):
        """Runs a statement of Spark that returns nothing."""
        from pyspark.sql import SparkSession

        SparkSession.getActiveSession().sql(text).collect()

    def run(reader, program):
        """Runs a program that reads, and returns the rows that it has read."""
        if reader == "duckdb":
            import duckdb

            with duckdb.connect() as con:
                con.execute("set TimeZone = 'UTC'")
                return canon.rows(con.execute(program).to_arrow_table())
        names = {}
        exec(compile(program, reader, "exec"), names)  # noqa: S102 - what is tested
        if reader == "spark":
            return canon.rows(pa.Table.from_batches(names["df"]._collect_as_arrow()))
        return canon.rows(names["table"] if reader == "pyarrow" else names["df"].to_arrow())

    def plain(folder, files):
        """The rows of files, each read by itself, with its partition columns as text."""
        tables = []
        for f in files:
            table = pq.ParquetFile(os.path.join(folder, f)).read()
            for name, value in (part.split("=", 1) for part in f.split("/")[:-1] if "=" in part):
                if name not in table.column_names:
                    table = table.append_column(name, pa.array([value] * len(table), pa.string()))
            tables.append(table)
        return canon.rows(pa.concat_tables(tables, promote_options="default"))

    return {"judge": judge, "sql": sql, "run": run, "plain": plain}


wire.serve(start)
