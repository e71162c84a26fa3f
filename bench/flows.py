"""Measures flows against SQL that a person writes for the same, which DuckDB of the same
version runs, and compares what both write.

    bench/flows.py LANDFALL PYTHON SCALE [WORK]

PYTHON is one that has duckdb, best of the version that Landfall has. A flow and its SQL are in flows/, NAME.dfs and NAME.sql.
"""
import os
import statistics
import subprocess
import sys
import tempfile

import memory

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "flows")
FLOWS = {  # what each does
    "cast": "casts and renames, all columns written",
    "derive": "a filter, and nine columns of decimals, text and dates",
    "aggregate": "seven aggregates of 40 000 groups",
    "join": "a join and a lookup",
    "dedupe": "the newest row of each key, by a window",
}
TABLES = ("sales", "customers", "products")
READS = {"join": TABLES}
SCALES = {"tiny": (100_000, 1), "small": (1_000_000, 3), "medium": (4_000_000, 3), "full": (14_000_000, 3)}  # rows, rounds
FILES = 8  # of sales
GOAL = 1.3  # of the wall time of the SQL

# MAKE writes the inputs. A table of its own for each file keeps their sizes even.
MAKE = """
import duckdb, sys
folder, rows, script = sys.argv[1], int(sys.argv[2]), open(sys.argv[3]).read().replace(":rows", sys.argv[2])
c = duckdb.connect(folder + "/made.db")
c.execute("SET enable_progress_bar = false")
c.execute(script)
for name in ("sales", "customers", "products"):
    files = int(sys.argv[4]) if name == "sales" else 1
    for n in range(files):
        c.execute(f"COPY (SELECT * FROM {name} WHERE rowid % {files} = {n}) TO '{folder}/{name}/{n}.parquet' (FORMAT parquet)")
"""
# HAND runs the SQL: only what DuckDB does itself is in it.
HAND = """
import duckdb, sys
folder, query, out = sys.argv[1], open(sys.argv[2]).read(), sys.argv[3]
c = duckdb.connect()
c.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
for name in ("sales", "customers", "products"):
    c.execute(f"CREATE VIEW {name} AS FROM read_parquet('{folder}/{name}/*.parquet')")
c.execute(f"COPY ({query}) TO '{out}' (FORMAT parquet)")
"""
# SAME compares all rows of two outputs as text, in any order.
SAME = """
import duckdb, sys
c = duckdb.connect()
c.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
def digest(path):
    names = sorted(r[0] for r in c.execute(f"DESCRIBE FROM read_parquet('{path}')").fetchall())
    row = ", ".join(f'CAST("{n}" AS VARCHAR)' for n in names)
    return names, c.execute(f"SELECT count(*), sum(hash([{row}])) FROM read_parquet('{path}')").fetchone()
a, b = digest(sys.argv[1]), digest(sys.argv[2])
if a != b:
    sys.exit(f"{a} and {b}")
"""


def make(python, work, rows):
    for name in TABLES:
        os.makedirs(os.path.join(work, name))
    subprocess.run([python, "-c", MAKE, work, str(rows), os.path.join(HERE, "data.sql"), str(FILES)], check=True)
    os.remove(os.path.join(work, "made.db"))
    return sum(e.stat().st_size for name in TABLES for e in os.scandir(os.path.join(work, name)))


class Flows:
    """The flows at one scale, and what is wrong with them."""

    def __init__(self, landfall, python, work, scale):
        self.landfall, self.python, self.scale, self.wrong = landfall, python, scale, []
        self.work = os.path.join(work, "flows-" + scale)
        os.makedirs(self.work)
        self.rows, self.rounds = SCALES[scale]
        self.size = make(python, self.work, self.rows)
        self.version = subprocess.check_output([python, "-c", "import duckdb; print(duckdb.__version__)"], text=True).strip()

    def ours(self, name, out):
        command = [self.landfall, "flow", "run", os.path.join(HERE, name + ".dfs"), "--quiet", "--sink", "Out=" + out]
        for table in READS.get(name, TABLES[:1]):
            command += ["--source", f"{table.capitalize()}={self.work}/{table}"]
        return memory.run(*command)[1:]

    def hand(self, name, out):
        return memory.run(self.python, "-c", HAND, self.work, os.path.join(HERE, name + ".sql"), out)[1:]

    def measure(self, name):
        """Seconds of wall and CPU and peak memory of each round, of ours and of the SQL."""
        out, by_hand, ours, hand = os.path.join(self.work, "out"), os.path.join(self.work, "hand.parquet"), [], []
        for _ in range(self.rounds):
            hand.append(self.hand(name, by_hand))
            ours.append(self.ours(name, out))
        same = subprocess.run([self.python, "-c", SAME, out + "/*.parquet", by_hand], stderr=subprocess.PIPE, text=True)
        if same.returncode != 0:
            self.wrong.append(f"{self.scale} flow {name}: the outputs differ: {same.stderr.strip().splitlines()[-1]}")
        return ours, hand

    def page(self):
        lines = ["| flow | ours wall s | CPU s | peak MiB | SQL wall s | CPU s | peak MiB | wall × SQL | |", "| --- | --: | --: | --: | --: | --: | --: | --: | --- |"]
        for name, what in FLOWS.items():
            ours, hand = self.measure(name)
            ratio = statistics.median(a[0] / b[0] for a, b in zip(ours, hand))
            cells = [what]
            for runs in (ours, hand):
                wall, cpu, peak = (statistics.median(r[i] for r in runs) for i in range(3))
                cells += [f"{wall:.2f}", f"{cpu:.2f}", f"{peak / (1 << 20):.0f}"]
            lines.append("| " + " | ".join(cells + [f"{ratio:.2f}", "goal" if ratio <= GOAL else "short"]) + " |")
        return (f"## Flows: {self.scale}\n\n{memory.len_text(self.rows)} rows, {memory.size_text(self.size)} of Parquet in {FILES + len(TABLES) - 1} files. "
                f"{self.rounds} interleaved rounds, each run a new process. The SQL is\nwritten by hand and run by DuckDB {self.version}. "
                f"The goal is {GOAL} × its time; the outputs of both are compared, value for\nvalue.\n\n" + "\n".join(lines) + "\n")


def main():
    landfall, python, scale = sys.argv[1:4]
    with tempfile.TemporaryDirectory(dir=sys.argv[4] if len(sys.argv) > 4 else None) as work:
        flows = Flows(os.path.abspath(landfall), python, work, scale)
        print(flows.page())
        if flows.wrong:
            sys.exit("\n".join(flows.wrong))


if __name__ == "__main__":
    main()
