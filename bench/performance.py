#!/usr/bin/env python3
"""Measure everything that docs/performance.md says, and write it.

    bench/performance.py BINARIES --cache DIR --shared DIR [--scales medium,full] [--slow] [--parts compare,flows,growth,memory]

Exit status 1 if a landing fails, loses a value or a line, or needs more memory than it
may; the page is written all the same.
"""
import argparse
import datetime
import os
import platform
import re
import subprocess
import sys
import tempfile

import compare
import flows
import growth
import memory

NOTES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "notes.md")  # what people say to the figures


def machine():
    with open("/proc/cpuinfo") as f:
        names = [line.split(":", 1)[1].strip() for line in f if line.startswith("model name")]
    return names[0] if names else platform.machine()


def versions(env):
    """The versions of the other tools that are installed."""
    ask = ("import importlib.metadata as m\n"
           "for n in ('duckdb', 'pyarrow', 'polars', 'deltalake', 'pyspark', 'dlt', 'pysimdjson'):\n"
           "    try: print(n, m.version(n))\n    except m.PackageNotFoundError: pass\n")
    found = []
    for name in ("BENCH_PY", "BENCH_PY15", "BENCH_PYX"):
        if env.get(name) and os.path.exists(env[name]):
            found += subprocess.check_output([env[name], "-c", ask], text=True).splitlines()
    return ", ".join(dict.fromkeys(found))


def head(binaries, env):
    with open("/proc/meminfo") as f:
        kib = int(re.search(r"MemTotal:\s+(\d+)", f.read())[1])
    version = subprocess.check_output([os.path.join(binaries, "landfall"), "version"], text=True).strip()
    return f"""# Performance

Made by `make bench`, which fails where a result of ours is wrong or a landing needs more than
{memory.LIMIT >> 20} MiB. Times depend on the machine and on what else it does: compare CPU, and ratios.

{datetime.date.today()}, {machine()}, {os.cpu_count()} processors, {kib / (1 << 20):.0f} GiB, {platform.system()}, load average {os.getloadavg()[0]:.0f}.
{version}; {versions(env)}.
"""


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries")
    parser.add_argument("--cache", required=True)
    parser.add_argument("--shared", required=True)
    parser.add_argument("--scales", default="medium", help="of " + ", ".join(compare.SCALES))
    parser.add_argument("--repeats", type=int, default=0, help="rounds at most; by default as the scale has them")
    parser.add_argument("--slow", action="store_true", help="Spark and dlt too")
    parser.add_argument("--workloads", default=",".join(compare.WORKLOADS))
    parser.add_argument("--parts", default="compare,flows,growth,memory")
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--work")
    parser.add_argument("--out", default="docs/performance.md")
    return parser.parse_args()


def main():
    args = options()
    binaries, shared, parts = os.path.abspath(args.binaries), os.path.abspath(args.shared), args.parts.split(",")
    env = compare.environment(shared, os.path.abspath(args.cache))
    said, wrong = [head(binaries, env)], []
    with tempfile.TemporaryDirectory(dir=args.work) as work:
        for scale in args.scales.split(",") if "compare" in parts else []:
            found = compare.Comparison(shared, env, binaries, work, scale, args.repeats, args.slow)
            for workload in args.workloads.split(","):
                found.run(workload)
            said.append(found.page())
            wrong += found.wrong
        for scale in args.scales.split(",") if "flows" in parts else []:
            found = flows.Flows(os.path.join(binaries, "landfall"), env["BENCH_PY15"], work, scale)
            said.append(found.page())
            wrong += found.wrong
        if "growth" in parts:
            said.append(growth.page(binaries, work, shared, env))
        if "memory" in parts:
            text, worst = memory.page(os.path.join(binaries, "landfall"), work, args.gigabytes, 20_000)
            said.append(text)
            if worst > memory.LIMIT:
                wrong.append(f"peak memory {worst >> 20} MiB, want at most {memory.LIMIT >> 20} MiB")
    with open(NOTES) as f:
        said.append(f.read())
    with open(args.out, "w") as f:
        f.write("\n".join(said))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
