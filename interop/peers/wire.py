"""One command a line on stdin, one answer a line on stdout, both JSON.

A command is {"op": name, …arguments}; the answer {"ok": result} or
{"error": "Class: message"}. The first answer, before any command, says that
the peer is ready. Everything else that a library prints goes to stderr.
"""

import json
import os
import sys


def serve(start):
    """Calls start, which returns the functions by name, and answers commands."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # a JVM or a library that prints must not break the protocol
    ops = start()
    answer(out, {"ok": sorted(ops)})
    for line in sys.stdin:
        command = json.loads(line)
        try:
            result = {"ok": ops[command.pop("op")](**command)}
        except Exception as e:  # noqa: BLE001 - the caller judges every failure
            result = {"error": f"{type(e).__name__}: {e}"[:4000]}
        answer(out, result)


def answer(out, value):
    out.write(json.dumps(value, ensure_ascii=False) + "\n")
    out.flush()
