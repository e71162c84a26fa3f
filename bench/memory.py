"""Measures the memory and time of large landings, each in a process of its own: one CSV
file of a size, and a folder of small ones. The rows are counted again by a query.
"""
import json
import os
import shutil
import subprocess
import sys
import time

LIMIT = 1 << 30  # bytes of resident memory
HEAD = "id,customer,day,total,note,token,status\n"


def row(i):
    token = (i * 2862933555777941757 + 3037000493) % (1 << 64)
    return f'{i},customer {i % 9973},2026-10-{i % 28 + 1:02d},{i % 100000 / 100:.2f},"some, quoted text {i % 77}",{token:x},status{i % 5}\n'


def one_file(folder, gigabytes):
    block = "".join(row(i) for i in range(200_000))
    blocks = int(gigabytes * (1 << 30) / len(block)) + 1
    with open(os.path.join(folder, "large.csv"), "w") as f:
        f.write(HEAD)
        for _ in range(blocks):
            f.write(block)
    return 200_000 * blocks


def many_files(folder, files):
    for n in range(files):
        with open(os.path.join(folder, f"f{n:06d}.csv"), "w") as f:
            f.write(HEAD + "".join(row(5 * n + k) for k in range(5)))
    return 5 * files


def run(*command):
    """Run a command; return its output, seconds of wall and CPU, peak memory."""
    read, write = os.pipe()
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        os.dup2(write, 1)
        os.close(read)
        os.execvp(command[0], command)
    os.close(write)
    with os.fdopen(read) as pipe:
        out = pipe.read()
    _, status, used = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}")
    return out, time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def measure(landfall, work, name, fill):
    source, table = os.path.join(work, name), os.path.join(work, name + "-table")
    os.makedirs(source)
    rows = fill(source)
    size = sum(e.stat().st_size for e in os.scandir(source))
    out, wall, cpu, peak = run(landfall, "land", source, table, "--json")
    landed = sum(b["rows_landed"] for b in json.loads(out)["batches"])
    count = json.loads(subprocess.check_output([landfall, "query", "--json", "--table", table, "SELECT count(*) AS n FROM t"]))["n"]
    if not rows == landed == count:
        sys.exit(f"{name}: wrote {rows} rows, landed {landed}, the table has {count}")
    shutil.rmtree(source)
    shutil.rmtree(table)
    return [name, len_text(rows), size_text(size), f"{wall:.0f}", f"{cpu:.0f}", f"{size / cpu / 1e6:.0f}", f"{peak / (1 << 20):.0f}"], peak


def len_text(n):
    return f"{n:,}".replace(",", " ")


def size_text(n):
    return f"{n / 1e9:.2f} GB" if n > 1e9 else f"{n / 1e6:.1f} MB"


def page(landfall, work, gigabytes, files):
    """The table of large landings, and the worst peak in bytes."""
    lines, worst = [], 0
    for name, fill in [("one-file", lambda d: one_file(d, gigabytes)), ("small-files", lambda d: many_files(d, files))]:
        line, peak = measure(landfall, work, name, fill)
        lines.append(line)
        worst = max(worst, peak)
    head = "| landing | rows | input | wall s | CPU s | MB per CPU s | peak memory MiB |\n| --- | --: | --: | --: | --: | --: | --: |\n"
    table = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    return f"""## Memory

{head}{table}
All columns are text, files are zstd-compressed Parquet with statistics, the commit
is included, and every row was counted again by a query.
""", worst
