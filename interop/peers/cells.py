"""Writes folders with the generator of the reader matrix, and types that it has not.

usage: cells.py GENERATOR ROOT NAME...

Each NAME is a decimal that the matrix does not have, such as dec12_3: it is written
with values that take all its digits, and with small ones. What is written, and how
its readers are run and judged, is the generator's.
"""

import importlib.util
import sys


def load(path):
    spec = importlib.util.spec_from_file_location("generator", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def more(names):
    """The types of the names, as the generator describes its own."""
    import pyarrow

    out = {}
    for name in names:
        precision, scale = map(int, name.removeprefix("dec").split("_"))
        most = "9" * (precision - scale) + "." + "9" * scale
        least = "-0." + "0" * (scale - 1) + "1"
        kind = pyarrow.decimal128(precision, scale)
        out[name] = (kind, [most, least, "1." + "2" * scale], ["1", "0", "42"], f"decimal({precision},{scale})")
    return out


def main():
    path, root, *names = sys.argv[1:]
    generator = load(path)
    types = generator.types
    generator.types = lambda: types() | more(names)
    writer = generator.Gen(root)
    generator.gen_pairs(writer)
    generator.gen_layout(writer)
    generator.gen_text(writer)
    writer.man.close()


if __name__ == "__main__":
    main()
