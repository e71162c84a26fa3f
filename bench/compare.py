"""Runs the benchmarks that compare Landfall with other tools, and tells what came out.

The harness and its data are in the shared folder; what it needs is made once below the
cache. Its result is a line a run; here they become medians, ratios and goals.
"""
import csv
import json
import os
import re
import statistics
import subprocess
import sys

import quarantine

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
# TOLD is ours on Parquet as its peers are: told a type, and trusting what files say of themselves.
TOLD = "landfall, told a type, files trusted"
TOLD_OPTIONS = ("parquet.moveColumns=trusted", "cloudFiles.schemaHints=qty BIGINT")
# Scales: how often all run, and after how many seconds a contender runs once only.
SCALES = {"tiny": (1, 60), "small": (3, 60), "medium": (5, 3), "full": (3, 5)}
# Those that need a minute before they have read anything run when asked for.
QUICK = "duckdb,pyarrow,polars,delta-rs,simdjson,scandir"
KNOWN_FILES = 200_000  # of the poll, from medium on


def environment(shared, cache):
    """The variables of the harness; its peers are installed when they are missing."""
    home = os.path.join(cache, "bench")
    script = os.path.join(home, "env.sh")
    if not os.path.exists(script):
        subprocess.run([os.path.join(shared, "bench", "setup.sh"), home], check=True)
    env = dict(os.environ)
    with open(script) as f:
        for name, value in re.findall(r"(BENCH_\w+)=(\S*)", f.read()):
            env.setdefault(name, value)
    return env


class Comparison:
    """The runs of one scale, and what is wrong with them."""

    def __init__(self, shared, env, binaries, work, scale, repeats=0, slow=False):
        self.bench, self.env, self.binaries, self.work = os.path.join(shared, "bench", "bench.py"), env, binaries, work
        self.scale, self.repeats, self.slow = scale, repeats or SCALES[scale][0], slow
        self.runs, self.wrong, self.held = {}, [], {}

    def run(self, workload):
        """Run everybody on a workload, and on Parquet ours once more as its peers are told."""
        self.runs[workload] = self.harness(workload, OURS, self.command(workload), [] if self.slow else ["--only", QUICK])
        if workload == "w1":
            told = self.command(workload) + "".join(f" --option '{o}'" for o in TOLD_OPTIONS)
            self.runs[workload] += self.harness(workload, TOLD, told, ["--only", "nobody else"])
        if workload in ("w2", "w6"):
            found, want = quarantine.lines(os.path.join(self.binaries, "landfall"), self.base(workload), self.work)
            self.held[workload] = found
            if found != want:
                self.wrong.append(f"{self.scale} {workload}: quarantine holds {found} lines, the input has {want} that nobody can read")
        self.check_lost(workload)

    def base(self, workload):
        return os.path.join(self.env["BENCH_WORK"], self.scale, workload)

    def command(self, workload):
        """What the harness runs of ours."""
        contender = os.path.join(self.binaries, "contender")
        of = {"w4": f"{contender} w4 {{in}} {{out}}", "w5": f"{contender} w5 {{in}} {{state}}", "w7": f"{contender} w7 {{in}} {{out}}"}
        return of.get(workload, f"{self.binaries}/landfall land {{in}} {{out}} --quiet")

    def harness(self, workload, name, command, more):
        out = os.path.join(self.work, "compared")
        argv = [self.env["BENCH_PY"], self.bench, "--scale", self.scale, "--work", self.env["BENCH_WORK"], "--out", out,
                "--workloads", workload, "--repeats", str(self.repeats), "--once-over", str(SCALES[self.scale][1]),
                "--ours-name", name, "--ours", f"{workload}={command}", *more]
        if self.slow:
            argv.append("--slow")
        if workload == "w5" and self.scale in ("medium", "full"):
            argv += ["--files", str(KNOWN_FILES)]
        if subprocess.run(argv, env=self.env, stdout=subprocess.DEVNULL).returncode != 0:
            self.wrong.append(f"{self.scale} {workload}: {name} failed, or is wrong")
        if not os.path.exists(out + ".tsv"):
            sys.exit(f"{workload}: the harness did not come to a result")
        with open(out + ".tsv") as f:
            rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
        os.remove(out + ".tsv")
        if not any(r["contender"] == name for r in rows):
            self.wrong.append(f"{self.scale} {workload}: {name} did not run")
        for r in rows:
            r["round"] = name + r["round"]  # what ran at the same time is compared
        return rows

    def check_lost(self, workload):
        """What is in quarantine the harness does not see; more than that ours may not lose."""
        for r in self.runs[workload]:
            if r["role"] == "ours" and int(r["lost"] or 0) > self.held.get(workload, 0):
                self.wrong.append(f"{self.scale} {workload}: {r['contender']} lost {r['lost']} values or lines")

    def page(self):
        parts = [self.table(w) for w in self.runs]
        head = ["| | floor | CPU × floor | goal | ship | met | CPU of the cheapest other |", "| --- | --- | --: | --: | --: | --- | --- |"]
        lines = head + [line for p in parts for line in p[0]]
        return (f"## Compared: {self.scale}\n\nUp to {self.repeats} interleaved rounds; those that take longer than {SCALES[self.scale][1]} s run once. "
                "CPU is user and\nsystem time of all processes, ratios are medians of those within a round, and the output of each is checked,\n"
                "value for value.\n\n" + "\n".join(lines) + "\n\n" + "\n".join(p[1] for p in parts))

    def table(self, workload):
        """The lines of ours for the overview, and the table of one workload."""
        title, floor, _, _ = WORKLOADS[workload]
        of = {}
        for r in self.runs[workload]:
            of.setdefault(r["contender"], []).append(r)
        good = {name: [r for r in rows if r["status"] not in ("FAILED", "WRONG")] for name, rows in of.items()}
        lines = ["| | wall s | CPU s | CPU × floor | CPU × ours | peak MB | MB written | |", "| --- | --: | --: | --: | --: | --: | --: | --- |"]
        for name, rows in of.items():
            shown = f"**{name}**" if rows[0]["role"] == "ours" else name
            if not good[name]:
                lines.append(f"| {shown} | – | – | – | – | – | – | {failure(rows[0])} |")
                continue
            to = [f"{ratio(good[name], good.get(base)):.2f}" if good.get(base) else "–" for base in (floor, OURS)]
            about = "~" if any(float(r["factor"]) > 1 for r in good[name]) else ""
            lines.append(f"| {shown} | {about}{median(good[name], 'wall_s'):.2f} | {about}{cpu(good[name]):.2f} | {about}{to[0]} | {about}{to[1]} | "
                         f"{median(good[name], 'rss_mb'):.0f} | {median(good[name], 'bytes_out') / 1e6:.0f} | {self.result(workload, good[name][0])} |")
        text = f"### {title}\n\n{self.input(workload)} Floor: `{floor}`.\n\n" + "\n".join(lines) + "\n"
        if self.held.get(workload):
            text += f"\nThe quarantine of ours holds {self.held[workload]} lines, all that are broken in the input.\n"
        return [overview(workload, name, good, of) for name in of if of[name][0]["role"] == "ours"], text

    def input(self, workload):
        with open(os.path.join(self.base(workload), "stamp.json")) as f:
            files = json.load(f)["files"]
        if workload == "w7":
            return f"{files} commits."
        size = sum(e.stat().st_size for e in walk(os.path.join(self.base(workload), "in")))
        return f"{files} files, {size / 1e6:.0f} MB."

    def result(self, workload, run):
        """What became of the values; what ours has in quarantine the harness does not look for."""
        if run["role"] == "floor":
            return "floor"
        lost = int(run["lost"] or 0)
        held = self.held.get(workload, 0) if run["role"] == "ours" else 0
        said = ["part of the work"] if run["role"] == "probe" else ["right"] if run["status"] == "ok" else ["rows only in rejects"]
        if lost > held:
            said.append(f"{lost - held} lost")
        return ", ".join(said)


def walk(folder):
    for e in os.scandir(folder):
        if e.is_dir():
            yield from walk(e.path)
        else:
            yield e


def failure(run):
    """Why a contender has no figures, without paths of this machine."""
    note = re.sub(r"\S*/\S*", "…", run["note"]).replace("|", "/")[:80]
    return run["status"].lower() + (f": {note}" if note else "")


def median(rows, field):
    return statistics.median(float(r[field]) for r in rows)


def spent(row):
    return float(row["user_s"]) + float(row["sys_s"])


def cpu(rows):
    return statistics.median(spent(r) for r in rows)


def ratio(rows, base):
    """The CPU of some runs as a multiple of that of others, within rounds where they share some."""
    of = {r["round"]: max(spent(r), 1e-3) for r in base}
    shared = [spent(r) / of[r["round"]] for r in rows if r["round"] in of]
    return statistics.median(shared) if shared else cpu(rows) / statistics.median(of.values())


def overview(workload, name, good, of):
    title, floor, goal, ship = WORKLOADS[workload]
    if name != OURS:
        title += name.removeprefix(OURS)
    if not good[name] or not good.get(floor):
        return f"| {title} | `{floor}` | – | {goal} | {ship} | wrong | – |"
    times = ratio(good[name], good[floor])
    met = "goal" if times <= goal else "ship" if times <= ship else "short"
    peers = [n for n in of if of[n][0]["role"] == "peer" and good[n]]
    if not peers:
        return f"| {title} | `{floor}` | {times:.2f} | {goal} | {ship} | {met} | – |"
    best = min(peers, key=lambda n: cpu(good[n]))
    lost = good[best][0]["lost"]
    loses = f", loses {lost}" if lost not in ("", "0") else ""
    return f"| {title} | `{floor}` | {times:.2f} | {goal} | {ship} | {met} | {ratio(good[best], good[name]):.1f} × ({best}{loses}) |"
