"""Runs the benchmarks that compare Landfall with other tools, and reads what came out.

The harness and its data are in the shared folder; what it needs is made once below the
cache. Its result is a line a run; here they become medians, ratios and goals.
"""
import csv
import os
import re
import statistics
import subprocess
import sys

# The workloads: title, what is the floor, and of the floor's CPU: the goal, and what is
# good enough to hand over.
WORKLOADS = {
    "w1": ("Parquet landing", "cp", 1.4, 2),
    "w2": ("NDJSON landing", "cat", 8.5, 12),
    "w3": ("CSV landing", "cat", 9, 11),
    "w4": ("schemas of Parquet files", "pread", 1.6, 2.5),
    "w5": ("poll with no news", "find", 1.2, 1.4),
    "w6": ("many small NDJSON files", "cat", 2.5, 3.5),
    "w7": ("Delta commits, then a snapshot", "files, fsync", 2.5, 8),
}
OURS = "landfall"


def environment(shared, cache):
    """The variables of the harness; its peers are installed when they are missing."""
    home = os.path.join(cache, "bench")
    script = os.path.join(home, "env.sh")
    if not os.path.exists(script):
        subprocess.run([os.path.join(shared, "bench", "setup.sh"), home], check=True)
    env = dict(os.environ)
    with open(script) as f:
        for name, value in re.findall(r"(BENCH_\w+)=(\S*)", f.read()):
            env[name] = value
    return env


def run(shared, env, binaries, work, scale, repeats, workloads):
    """Run the harness; return its runs, and whether ours were right."""
    out = os.path.join(work, "compared")
    land = f"{binaries}/landfall land {{in}} {{out}} --quiet"
    contender = f"{binaries}/contender"
    ours = [f"{w}={land}" for w in ("w1", "w2", "w3", "w6")]
    ours += [f"w4={contender} w4 {{in}} {{out}}", f"w5={contender} w5 {{in}} {{state}}", f"w7={contender} w7 {{in}} {{out}}"]
    command = [env["BENCH_PY"], os.path.join(shared, "bench", "bench.py"), "--scale", scale, "--work", env["BENCH_WORK"],
               "--out", out, "--workloads", ",".join(workloads), "--repeats", str(repeats), "--once-over", "60"]
    for o in ours:
        command += ["--ours", o]
    done = subprocess.run(command, env=env, stdout=subprocess.DEVNULL)
    if not os.path.exists(out + ".tsv"):
        sys.exit("the harness did not come to a result")
    with open(out + ".tsv") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)), done.returncode == 0


def cpu(row):
    return float(row["user_s"]) + float(row["sys_s"])


def table(workload, runs):
    """The table of one workload, and the row of ours for the overview."""
    title, floor, goal, ship = WORKLOADS[workload]
    of = {}
    for r in runs:
        if r["workload"] == workload:
            of.setdefault(r["contender"], []).append(r)
    base = {r["round"]: cpu(r) for r in of.get(floor, [])}
    lines = ["| | wall s | CPU s | × floor | peak MB | |", "| --- | --: | --: | --: | --: | --- |"]
    ours, best = None, None
    for name, rows in of.items():
        good = [r for r in rows if r["status"] not in ("FAILED", "WRONG")]
        if not good:
            lines.append(f"| {name} | – | – | – | – | {rows[0]['status'].lower()} |")
            continue
        ratio = statistics.median([cpu(r) / max(base[r["round"]], 1e-3) for r in good if r["round"] in base] or [0])
        wall, spent, peak = (statistics.median(f(r) for r in good) for f in (lambda r: float(r["wall_s"]), cpu, lambda r: float(r["rss_mb"])))
        role = "floor" if rows[0]["role"] == "floor" else good[0]["status"] + (f", {good[0]['lost']} lost" if good[0]["lost"] not in ("", "0") else "")
        shown = f"**{name}**" if name == OURS else name
        lines.append(f"| {shown} | {wall:.2f} | {spent:.2f} | {ratio:.2f} | {peak:.0f} | {role} |")
        if name == OURS:
            ours = (ratio, spent, peak)
        elif rows[0]["role"] == "peer" and (best is None or spent < best[1]):
            best = (name, spent)
    return f"### {title}\n\nFloor: `{floor}`.\n\n" + "\n".join(lines) + "\n", overview(workload, ours, best)


def overview(workload, ours, best):
    title, floor, goal, ship = WORKLOADS[workload]
    if ours is None:
        return f"| {title} | `{floor}` | – | {goal} | {ship} | wrong | – |"
    met = "goal" if ours[0] <= goal else "ship" if ours[0] <= ship else "short"
    others = f"{best[0]}: {best[1] / max(ours[1], 1e-3):.1f} ×" if best else "–"
    return f"| {title} | `{floor}` | {ours[0]:.2f} | {goal} | {ship} | {met} | {others} |"


def page(runs, workloads, scale):
    parts = [table(w, runs) for w in workloads]
    head = ["| | floor | × its CPU | goal | ship | met | CPU of the cheapest other |", "| --- | --- | --: | --: | --: | --- | --- |"]
    return (f"## Compared\n\nScale {scale}. CPU is user and system time of all processes, ratios are medians over rounds that are\n"
            "interleaved with those of the others; the output of each is checked, value for value.\n\n"
            + "\n".join(head + [p[1] for p in parts]) + "\n\n" + "\n".join(p[0] for p in parts))
