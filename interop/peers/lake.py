"""deltalake, Polars and DuckDB as one peer."""

import pathlib

import canon
import deltalake
import duckdb
import duckdb_extension_delta
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import wire

READERS = {}


def reader(f):
    READERS[f.__name__] = f
    return f


@reader
def deltalake_(path):
    # The query builder reads deletion vectors and column mapping, which
    # to_pyarrow_table refuses.
    query = deltalake.QueryBuilder().register("t", deltalake.DeltaTable(path))
    return pa.table(query.execute("select * from t"))


@reader
def polars_(path):
    return polars.read_delta(path).to_arrow()


@reader
def duckdb_(path):
    return ask(f"select * from delta_scan('{path}')")


def extension():
    folder = pathlib.Path(duckdb_extension_delta.__file__).parent / "extensions"
    return folder / f"v{duckdb.__version__}" / "delta.duckdb_extension"


def ask(sql):
    """Runs a statement of DuckDB, which knows delta_scan, over nothing else."""
    with duckdb.connect() as con:
        con.execute("set TimeZone = 'UTC'")
        con.execute(f"load '{extension()}'")
        return con.execute(sql).to_arrow_table()


def read(path, by):
    """Reads a Delta table with one of the readers."""
    return canon.rows(READERS[by + "_"](path))


def filtered(path, by, conditions):
    """The number of each condition beside the ids of the rows that it chooses,
    for which readers look at the statistics of files too."""
    found = [[str(i), *row] for i, c in enumerate(conditions) for row in chosen(path, by, c)["rows"]]
    return {"columns": ["c", "id"], "rows": found}


def chosen(path, by, where):
    if by == "deltalake":
        query = deltalake.QueryBuilder().register("t", deltalake.DeltaTable(path))
        return canon.rows(pa.table(query.execute(f"select id from t where {where}")))
    if by == "polars":
        found = polars.scan_delta(path).filter(polars.sql_expr(where)).select("id")
        return canon.rows(found.collect().to_arrow())
    return canon.rows(ask(f"select id from delta_scan('{path}') where {where}"))


def dataset(path, conditions):
    """A Delta table as deltalake's dataset of pyarrow has it: all rows, and for each
    condition ([column, operator, text of a value]) the ids that the dataset finds
    by it, and those that the rows themselves give."""
    table = deltalake.DeltaTable(path)
    data, whole = table.to_pyarrow_dataset(), table.to_pyarrow_table()
    found = []
    for column, operator, text in conditions:
        kind = whole.schema.field(column).type
        value = pa.scalar(text).cast(kind) if text is not None else None
        where = OPERATORS[operator](pc.field(column), value)
        ids = (x.to_table(["id"], filter=where)["id"] if x is data else x.filter(where)["id"] for x in (data, whole))
        found.append([sorted(i.to_pylist()) for i in ids])
    return {"dataset": canon.rows(data.to_table()), "table": canon.rows(whole), "found": found}


OPERATORS = {
    "=": lambda f, v: f == v,
    "!=": lambda f, v: f != v,
    "<": lambda f, v: f < v,
    ">=": lambda f, v: f >= v,
    "null": lambda f, _: f.is_null(),
    "valid": lambda f, _: f.is_valid(),
}


def evaluate(sql):
    """The rows that a statement of DuckDB gives."""
    return canon.rows(ask(sql))


def parquet(path, sql, **options):
    """Writes what a statement of DuckDB gives as a Parquet file: with DuckDB, or
    with Arrow where there are options for that."""
    if options:
        pq.write_table(ask(sql), path, **options)
    else:
        ask(f"copy ({sql}) to '{path}' (format parquet)")


def insert(path, sql):
    """Appends what a statement of DuckDB gives to a Delta table."""
    deltalake.write_deltalake(path, ask(sql), mode="append", schema_mode="merge")
    return version(path)


def version(path):
    return deltalake.DeltaTable(path).version()


def append(path, columns, merge=False):
    """Appends string columns given as {name: [value…]}."""
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    mode = {"schema_mode": "merge"} if merge else {}
    deltalake.write_deltalake(path, table, mode="append", **mode)
    return version(path)


def optimize(path):
    """Compacts all files and returns the metrics."""
    metrics = deltalake.DeltaTable(path).optimize.compact()
    return {k: str(v) for k, v in metrics.items()}


def delete(path, where):
    return {k: str(v) for k, v in deltalake.DeltaTable(path).delete(where).items()}


def vacuum(path, hours):
    """Deletes what the table has not referenced for some hours."""
    return deltalake.DeltaTable(path).vacuum(hours, enforce_retention_duration=False, dry_run=False)


def checkpoint(path):
    deltalake.DeltaTable(path).create_checkpoint()
    return version(path)


OPS = (read, filtered, dataset, evaluate, parquet, version, append, insert, optimize, delete, vacuum, checkpoint)

wire.serve(lambda: {f.__name__: f for f in OPS})
