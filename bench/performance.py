#!/usr/bin/env python3
"""Measure everything that docs/performance.md says, and write it.

    bench/performance.py BINARIES --cache DIR --shared DIR [--scale medium] [--parts compare,growth,memory]

Exit status 1 if a landing fails, loses a value, or needs more memory than it may.
"""
import argparse
import datetime
import os
import platform
import subprocess
import sys
import tempfile

import compare
import growth
import memory


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries")
    parser.add_argument("--cache", required=True)
    parser.add_argument("--shared", required=True)
    parser.add_argument("--scale", default="medium", choices=["tiny", "small", "medium", "full"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workloads", default=",".join(compare.WORKLOADS))
    parser.add_argument("--parts", default="compare,growth,memory")
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--work")
    parser.add_argument("--out", default="docs/performance.md")
    args = parser.parse_args()
    binaries, parts = os.path.abspath(args.binaries), args.parts.split(",")
    env = compare.environment(os.path.abspath(args.shared), os.path.abspath(args.cache))
    said, wrong = [], []
    version = subprocess.check_output([os.path.join(binaries, "landfall"), "version"], text=True).strip()
    said.append(f"""# Performance

Made by `make bench`, which fails where a result is wrong or a landing needs more than
{memory.LIMIT >> 20} MiB. Times depend on the machine and on what else it does: compare CPU, and ratios.

{datetime.date.today()}, {machine()}, {os.cpu_count()} processors, {platform.system()}, load average {os.getloadavg()[0]:.0f}.
{version}; {versions(env)}.
""")
    with tempfile.TemporaryDirectory(dir=args.work) as work:
        if "compare" in parts:
            names = args.workloads.split(",")
            runs, right = compare.run(os.path.abspath(args.shared), env, binaries, work, args.scale, args.repeats, names)
            said.append(compare.page(runs, names, args.scale))
            if not right:
                wrong.append("a result is wrong")
        if "growth" in parts:
            said.append(growth.page(binaries, work, os.path.abspath(args.shared), env))
        if "memory" in parts:
            text, worst = memory.page(os.path.join(binaries, "landfall"), work, args.gigabytes, 20_000)
            said.append(text)
            if worst > memory.LIMIT:
                wrong.append(f"peak memory {worst >> 20} MiB, want at most {memory.LIMIT >> 20} MiB")
    with open(args.out, "w") as f:
        f.write("\n".join(said))
    if wrong:
        sys.exit("; ".join(wrong))


if __name__ == "__main__":
    main()
