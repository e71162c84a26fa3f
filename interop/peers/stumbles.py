"""Writes folders that readers stumble over: schemas that differ, files that are damaged.

usage: stumbles.py FOLDER   (with pyarrow, duckdb, deltalake)
"""

import datetime
import gzip
import os
import sys
from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

ODD = "dt=2026-11-02/Lieferung ä (1).parquet"


def column(name, values, kind):
    return pa.table({name: pa.array(values, kind)})


def pairs():
    """Two files of a folder, in the order of their names, that disagree in a column."""
    member = [("id", pa.int64()), ("total", pa.float64())]
    other = [("id", pa.int64()), ("total", pa.string())]
    far = datetime.datetime(9999, 12, 31)
    return {
        "member": (column("order", [{"id": 1, "total": 2.5}], pa.struct(member)),
                   column("order", [{"id": 1, "total": "n/a"}], pa.struct(other))),
        "element": (column("tags", [[1, 2]], pa.list_(pa.int64())), column("tags", [["new"]], pa.list_(pa.string()))),
        "mapvalue": (column("rates", [[("eur", 1.5)]], pa.map_(pa.string(), pa.float64())),
                     column("rates", [[("eur", "n/a")]], pa.map_(pa.string(), pa.string()))),
        "maplist": (column("attrs", [[("a", "b")]], pa.map_(pa.string(), pa.string())),
                    column("attrs", [["a"]], pa.list_(pa.string()))),
        "odd": (column("ship region, (EU)", [1], pa.int64()), column("ship region, (EU)", ["north"], pa.string())),
        "dots": (column("a.b", [1], pa.int64()), column("a.b", ["x"], pa.string())),
        "quotes": (column("it\"s", [1.5], pa.float64()), column("it\"s", ["x y"], pa.string())),
        "umlaut": (column("größe", [1], pa.int64()), column("größe", ["XL"], pa.string())),
        "unsigned": (column("qty", [1], pa.int64()), column("qty", [2**63 + 5], pa.uint64())),
        "narrow": (column("qty", [1], pa.int8()), column("qty", [300], pa.int32())),
        "far": (column("valid_to", [0], pa.timestamp("ns")), column("valid_to", [far], pa.timestamp("us"))),
        "finer": (column("seen", [0], pa.timestamp("ms")), column("seen", [1], pa.timestamp("ns"))),
        "scale": (column("price", [Decimal("1.25")], pa.decimal128(9, 2)),
                  column("price", [Decimal("1.2525")], pa.decimal128(10, 4))),
        "flag": (column("paid", [True], pa.bool_()), column("paid", ["maybe"], pa.string())),
        "day": (column("due", [datetime.date(2026, 1, 1)], pa.date32()), column("due", ["2026-13-45"], pa.string())),
        "void": (column("note", [None], pa.null()), column("note", [{"a": 1}], pa.struct([("a", pa.int64())]))),
        "bytes": (column("note", ["x"], pa.string()), column("note", [b"\xff\xfe"], pa.binary())),
        "fixed": (column("code", [b"abcd"], pa.binary(4)), column("code", ["abcde"], pa.string())),
        "words": (column("kind", ["a"], pa.dictionary(pa.int32(), pa.string())), column("kind", [1.5], pa.float64())),
        "bigger": (column("total", [1.5], pa.float64()), column("total", [2**53 + 1], pa.int64())),
        "inner": (column("who", [{"a": 1}], pa.struct([("a", pa.int64())])),
                  column("who", [{"a": 1, "b": 2}], pa.struct([("a", pa.int64()), ("b", pa.int64())]))),
        "less": (column("who", [{"a": 1, "b": 2}], pa.struct([("a", pa.int64()), ("b", pa.int64())])),
                 column("who", [{"a": 1}], pa.struct([("a", pa.int64())]))),
        "added": (pa.table({"id": [1]}), pa.table({"id": [2], "ship region": ["EU"]})),
        "gone": (pa.table({"id": [1], "ship region": ["EU"]}), pa.table({"id": [2]})),
        "cased": (pa.table({"id": [1], "Amount": [1]}), pa.table({"id": [2], "amount": [2]})),
        "tens": (column("n", [Decimal("1")], pa.decimal128(38, 0)), column("n", [Decimal("1.5")], pa.decimal128(38, 10))),
    }


def put(root, name, data):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if isinstance(data, bytes):
        with open(path, "wb") as f:
            f.write(data)
    else:
        pq.write_table(data, path)
    return path


def whole():
    sink = pa.BufferOutputStream()
    rows = pa.table({"id": pa.array(range(5000), pa.int64()), "note": ["x%d" % i for i in range(5000)]})
    pq.write_table(rows, sink, use_dictionary=False, write_page_checksum=True)
    return sink.getvalue().to_pybytes()


def patched(table, *pairs, **options):
    """A file with some of its bytes exchanged for as many others."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **options)
    data = sink.getvalue().to_pybytes()
    for old, new in pairs:
        assert old in data and len(old) == len(new), (old, data)
        data = data.replace(old, new)
    return data


def damaged(root):
    good = whole()
    swap = bytes(b ^ 0x5A for b in good[2000:2400])
    for name, data in {
        "cut": good[: len(good) // 3],
        "none": b"",
        "seven": b"PAR1PAR",
        "csv": b"id;note\n1;a\n" * 40,
        "orc": b"ORC" + bytes(200) + b"\x08\x03ORC\x17",
        "xlsx": b"PK\x03\x04" + bytes(300),
        "gzip": gzip.compress(good, mtime=0),
        "length": good[:-8] + (1 << 30).to_bytes(4, "little") + b"PAR1",
        "footer": good[:-600] + bytes(b ^ 0x33 for b in good[-600:-8]) + good[-8:],
        "page": good[:2000] + swap + good[2400:],
        "locked": good[:-4] + b"PARE",
    }.items():
        put(root, "bad/%s/%s" % (name, ODD), data)
    put(root, "bad/among/a.parquet", good)
    put(root, "bad/among/b.parquet", good[:1000])


class Plain(pe.KmsClient):
    """A key service that hides nothing: it is there to have a file that says encrypted."""

    def wrap_key(self, key, master):
        return master.encode() + key.hex().encode()

    def unwrap_key(self, wrapped, master):
        return bytes.fromhex(wrapped[len(master):].decode())


def encrypted(root):
    factory = pe.CryptoFactory(lambda config: Plain())
    for name, plain in {"locked": False, "lockedcolumn": True}.items():
        config = pe.EncryptionConfiguration(
            footer_key="f", column_keys={"c": ["card"]}, plaintext_footer=plain, double_wrapping=False)
        keys = factory.file_encryption_properties(pe.KmsConnectionConfig(), config)
        table = pa.table({"id": [1, 2], "card": ["a", "b"]})
        path = os.path.join(root, "crypt", name, "a.parquet")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with pq.ParquetWriter(path, table.schema, encryption_properties=keys) as w:
            w.write_table(table)


def text(root):
    big = b"".join(b"%d,%d,%d\n" % (i, i, i) for i in range(300000))
    for name, data in {
        "csv/late/a.csv": b"k,c,d\n" + big + b"1,two,3\n",
        "csv/wide/a.csv": b"k,c,d\n1,2,3\n4,5,6,7\n",
        "csv/more/a.csv": b"k,c\n1,2\n", "csv/more/b.csv": b"k,x,c\n1,9,2\n",
        "csv/renamed/a.csv": b"k,c\n1,2\n", "csv/renamed/b.csv": b"k,sea\n1,2\n",
        "csv/swapped/a.csv": b"k,c\n1,2\n3,4\n", "csv/swapped/b.csv": b"c,k\n2,1\n",
        "csv/latin/a.csv": "k,c\n1,café\n".encode("latin-1"),
        "csv/nothing/a.csv": b"",
        "csv/quote/a.csv": b'k,c\n1,"open\n2,b\n3,c\n',
        "csv/typed/a.csv": b"k,c\n1,2\n2,n/a\n",
        "json/mixed/a.json": b'{"c": 1}\n{"c": "x"}\n',
        "json/broken/a.json": b'{"c": 1}\n{"c": \n',
        "json/allbroken/a.json": b'{"c": \n{"c" 3\n',
        "json/twice/a.json": b'{"c": 1, "c": 2}\n',
        "json/cased/a.json": b'{"Id": 1, "id": 2}\n',
        "json/array/a.json": b'[\n {"c": 1},\n {"c": 2}\n]\n',
        "json/late/a.json": b'{"c": 1}\n' * 30000 + b'{"c": {"d": 1}}\n',
        "json/pretty/a.json": b'{\n "c": 1\n}\n',
        "json/latin/a.json": '{"c": "café"}\n'.encode("latin-1"),
    }.items():
        put(root, name, data)


def layouts(root):
    one, two = pa.table({"id": [1]}), pa.table({"id": [2]})
    for name, data in {
        "parts/keys/day=1/a.parquet": one, "parts/keys/dt=2/b.parquet": two,
        "parts/beside/a.parquet": one, "parts/beside/day=1/b.parquet": two,
        "parts/deep/y=1/m=1/a.parquet": one, "parts/deep/y=1/b.parquet": two,
        "parts/blank/k=/a.parquet": one, "parts/blank/k=1/b.parquet": two,
        "parts/roots/x/day=1/a.parquet": one, "parts/roots/y/day=1/b.parquet": two,
        "parts/infile/dt=2026-11-01/a.parquet": pa.table({"id": [1], "dt": [7]}),
        "parts/hidden/_a.parquet": one, "parts/hidden/.b.parquet": two,
        "parts/mixed/a.parquet": one, "parts/mixed/b.csv": b"id\n1\n",
        "parts/colon/a:1.parquet": one,
        "parts/crc/a.parquet": one, "parts/crc/.a.parquet.crc": b"crc\x00\x00\x00\x02\x00" + bytes(4),
        "parts/empty/_SUCCESS": b"",
    }.items():
        put(root, name, data)


def kinds(root):
    """Columns that not every reader knows."""
    con = duckdb.connect()
    for name, what in {
        "interval": "interval 1 day as span", "uuid": "uuid() as uid", "time": "time '10:00' as at",
        "uhuge": "18446744073709551615::ubigint as n", "ns": "timestamp_ns '2026-01-01 00:00:00.000000001' as ts",
    }.items():
        put(root, "kinds/%s/x" % name, b"")
        os.remove(os.path.join(root, "kinds", name, "x"))
        con.sql("copy (select 1 as id, %s) to '%s'" % (what, os.path.join(root, "kinds", name, "a.parquet")))
    old = column("d", [datetime.date(1, 1, 1), datetime.date(1500, 3, 1)], pa.date32())
    sink = pa.BufferOutputStream()
    pq.write_table(old, sink)
    put(root, "kinds/old/a.parquet", sink.getvalue().to_pybytes())
    short = column("amount", [Decimal("1.25")], pa.decimal128(9, 2))
    put(root, "kinds/digits/a.parquet", patched(short, (b"\x15\x12", b"\x15\x18"), store_decimal_as_integer=True))
    put(root, "kinds/key/a.parquet", patched(pa.table({"id": [1]}), (b"/////", b"!!!!!")))
    inner = pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "1"})
    again = pa.field("b", pa.int64(), metadata={"PARQUET:field_id": "1"})
    put(root, "kinds/ids/a.parquet", pa.table({"a": [1], "b": [2]}, schema=pa.schema([inner, again])))
    put(root, "kinds/noids/a.parquet", pa.table({"a": [1], "b": [2]}))
    put(root, "kinds/twice/a.parquet", pa.table([[1], [2]], names=["id", "id"]))
    put(root, "kinds/cases/a.parquet", pa.table([[1], [2]], names=["Id", "ID"]))
    path = put(root, "kinds/int96/a.parquet", b"")
    pq.write_table(column("ts", [0], pa.timestamp("us")), path, use_deprecated_int96_timestamps=True)


def main(root):
    for name, (a, b) in pairs().items():
        put(root, "pairs/%s/a.parquet" % name, a)
        put(root, "pairs/%s/b.parquet" % name, b)
    for make in damaged, encrypted, text, layouts, kinds:
        make(root)


if __name__ == "__main__":
    main(sys.argv[1])
