"""Measures how what landing costs grows with what there is."""
import json
import os
import shutil
import subprocess
import sys

import memory

STEPS = (1, 10, 100)


def growth(title, what, rows):
    """A table of rows (number, CPU seconds, peak bytes, unit)."""
    lines = [f"| {what} | CPU s | µs each | peak MiB |", "| --: | --: | --: | --: |"]
    lines += [f"| {memory.len_text(n)} | {cpu:.2f} | {cpu / n * 1e6:.1f} | {peak / (1 << 20):.0f} |" for n, cpu, peak in rows]
    return f"### {title}\n\n" + "\n".join(lines) + "\n"


def land(landfall, source, table, *more):
    out, _, cpu, peak = memory.run(landfall, "land", source, table, "--json", *more)
    return json.loads(out), cpu, peak


def folder(work, name):
    path = os.path.join(work, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def files(landfall, work):
    rows = []
    for step in STEPS:
        n, source = 100 * step, folder(work, "in")
        memory.many_files(source, n)
        report, cpu, peak = land(landfall, source, folder(work, "out"))
        expect(sum(b["files"] for b in report["batches"]), n)
        rows.append((n, cpu, peak))
    return growth("Files landed at once", "files of 5 rows", rows)


def known(landfall, work):
    """The poll with no news."""
    polls = []
    for step in STEPS:
        n, source, table = 2000 * step, folder(work, "in"), folder(work, "out")
        memory.many_files(source, n)
        land(landfall, source, table)
        report, cpu, peak = land(landfall, source, table)
        expect((report["files_known"], len(report["batches"])), (n, 0))
        polls.append((n, cpu, peak))
    return growth("Poll with no news", "known files", polls)


def batches(landfall, work):
    """One more file, by the number of batches and versions that there are."""
    rows = []
    for step in STEPS:
        n, source, table = 10 * step, folder(work, "in"), folder(work, "out")
        memory.many_files(source, n)
        land(landfall, source, table, "--option", "cloudFiles.maxFilesPerTrigger=1")
        with open(os.path.join(source, "one-more.csv"), "w") as f:
            f.write(memory.HEAD + memory.row(0))
        report, cpu, peak = land(landfall, source, table, "--option", "cloudFiles.maxFilesPerTrigger=1")
        expect(sum(b["files"] for b in report["batches"]), 1)
        rows.append((n, cpu, peak))
    lines = ["| batches before | CPU ms | peak MiB |", "| --: | --: | --: |"]
    lines += [f"| {memory.len_text(n)} | {cpu * 1000:.0f} | {peak / (1 << 20):.0f} |" for n, cpu, peak in rows]
    return "### One more file\n\n" + "\n".join(lines) + "\n"


def columns(landfall, work):
    rows = []
    for step in STEPS:
        n, source = 10 * step, folder(work, "in")
        with open(os.path.join(source, "wide.csv"), "w") as f:
            f.write(",".join(f"c{i}" for i in range(n)) + "\n")
            for r in range(2_000_000 // n):
                f.write(",".join(str(r * 7 + i) for i in range(n)) + "\n")
        report, cpu, peak = land(landfall, source, folder(work, "out"))
        expect(sum(b["rows_landed"] for b in report["batches"]), 2_000_000 // n)
        rows.append((n, cpu, peak))
    lines = ["| columns | CPU s | ns a value | peak MiB |", "| --: | --: | --: | --: |"]
    lines += [f"| {memory.len_text(n)} | {cpu:.2f} | {cpu / 2e6 * 1e9:.0f} | {peak / (1 << 20):.0f} |" for n, cpu, peak in rows]
    return "### Columns of one file of 2 000 000 values\n\n" + "\n".join(lines) + "\n"


def commits(contender, work, batch):
    rows = []
    for step in STEPS:
        n, base, out = 100 * step, folder(work, "commits"), folder(work, "out")
        os.makedirs(os.path.join(base, "in"))
        shutil.copy(batch, os.path.join(base, "in", "batch.parquet"))
        with open(os.path.join(base, "truth.json"), "w") as f:
            json.dump({"commits": n, "rows": 100 * n}, f)
        said, _, cpu, peak = memory.run(contender, "w7", os.path.join(base, "in"), out)
        expect(json.loads(said)["bench"]["loaded"], 100 * n)
        rows.append((n, cpu, peak))
    return growth("Commits of one file each, then a snapshot", "commits", rows)


def expect(found, want):
    if found != want:
        sys.exit(f"growth: found {found}, want {want}")


def page(binaries, work, shared, env):
    landfall = os.path.join(binaries, "landfall")
    subprocess.run([env["BENCH_PY"], os.path.join(shared, "bench", "gen.py"), "w7", "--scale", "tiny", "--out", work], check=True)
    batch = os.path.join(work, "w7", "in", "batch.parquet")
    parts = [files(landfall, work), batches(landfall, work), known(landfall, work), columns(landfall, work),
             commits(os.path.join(binaries, "contender"), work, batch)]
    return "## Growth\n\n" + "\n".join(parts)
