"""Counts the lines that a landing keeps outside the table, beside what the input has of them."""
import base64
import glob
import json
import os
import subprocess
import tempfile


def lines(landfall, base, work):
    """Land the input of a workload; return the lines in quarantine, and those that its truth calls malformed."""
    with open(os.path.join(base, "truth.json")) as f:
        want = json.load(f)["extra"].get("malformed", 0)
    source, found = os.path.join(base, "in"), 0
    with tempfile.TemporaryDirectory(dir=work) as table:
        subprocess.run([landfall, "land", source, table, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        for path in glob.glob(os.path.join(table, "_landfall", "*", "attempts", "*", "quarantine-*.ndjson")):
            with open(path) as f:
                next(f)  # the version of the format
                found += sum(kept(source, json.loads(line)) for line in f)
    return found, want


def kept(source, record):
    """Whether a record in quarantine holds the bytes of the file."""
    with open(os.path.join(source, record["path"]), "rb") as f:
        f.seek(record["offset"])
        return f.read(record["length"]) == base64.b64decode(record["bytes"])
