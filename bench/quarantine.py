"""Counts the lines that a landing keeps outside the table, beside what the input has of them."""
import base64
import json
import os
import subprocess
import tempfile


def lines(landfall, base, work):
    """Land the input of a workload; return the lines in quarantine, and those that its truth calls malformed."""
    with open(os.path.join(base, "truth.json")) as f:
        want = json.load(f)["extra"].get("malformed", 0)
    source = os.path.join(base, "in")
    with tempfile.TemporaryDirectory(dir=work) as table:
        subprocess.run([landfall, "land", source, table, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        listed = subprocess.check_output([landfall, "files", "--table", table, "--quarantined", "--bytes", "--json"], text=True)
        found = sum(kept(source, json.loads(line)) for line in listed.splitlines())
    return found, want


def kept(source, record):
    """Whether a record in quarantine holds the bytes of the file."""
    with open(os.path.join(source, record["path"]), "rb") as f:
        f.seek(record.get("offset", 0))
        return f.read(record["length"]) == base64.b64decode(record["bytes"])
