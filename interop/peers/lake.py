"""deltalake, Polars and DuckDB as one peer."""

import pathlib

import canon
import deltalake
import duckdb
import duckdb_extension_delta
import polars
import pyarrow as pa
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
    with duckdb.connect() as con:
        con.execute("set TimeZone = 'UTC'")
        con.execute(f"load '{extension()}'")
        return con.execute("select * from delta_scan(?)", [path]).to_arrow_table()


def extension():
    folder = pathlib.Path(duckdb_extension_delta.__file__).parent / "extensions"
    return folder / f"v{duckdb.__version__}" / "delta.duckdb_extension"


def read(path, by):
    """Reads a Delta table with one of the readers."""
    return canon.rows(READERS[by + "_"](path))


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


wire.serve(lambda: {f.__name__: f for f in (read, version, append, optimize, delete, vacuum, checkpoint)})
