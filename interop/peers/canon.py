"""Rows in one spelling, whoever read them, so that cells compare exactly.

A null is null and every other scalar a string: decimals with all their
digits, instants in UTC with µs and Z, wall clocks without Z, binary as 0x….
A list is a list, a struct a list of [name, value] under "struct", a map a
list of [key, value] under "map".
"""

import decimal

import pyarrow as pa


def rows(table):
    """Returns {"columns": [name…], "rows": [[cell…]…]} of an Arrow table."""
    columns = [[cell(v, f.type) for v in c] for f, c in zip(table.schema, table.columns)]
    return {"columns": table.column_names, "rows": [list(r) for r in zip(*columns)]}


def cell(value, kind):
    """Spells one Arrow scalar."""
    if not value.is_valid:
        return None
    if isinstance(value, pa.ExtensionScalar):
        return cell(value.value, kind.storage_type)
    if pa.types.is_map(kind):
        return {"map": [[cell(k, kind.key_type), cell(v, kind.item_type)] for k, v in entries(value)]}
    if pa.types.is_struct(kind):
        return {"struct": [[f.name, cell(value[f.name], f.type)] for f in kind]}
    if pa.types.is_nested(kind):
        return [cell(v, kind.value_type) for v in value.values]
    if pa.types.is_dictionary(kind):
        return cell(pa.scalar(value.as_py(), kind.value_type), kind.value_type)
    return scalar(value, kind)


def entries(value):
    """The (key, value) scalars of a map scalar."""
    items = value.values
    return zip(items.field(0), items.field(1))


def scalar(value, kind):
    if pa.types.is_timestamp(kind):
        return instant(value, kind)
    if pa.types.is_date(kind):
        return date(value.cast(pa.date32()).value)
    v = value.as_py()
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, float):
        return "NaN" if v != v else f"{v:.17g}"
    if isinstance(v, decimal.Decimal):
        return f"{v:f}"
    if isinstance(v, bytes):
        return "0x" + v.hex()
    return str(v)


def instant(value, kind):
    micros = value.cast(pa.timestamp("us", kind.tz)).value
    days, rest = divmod(micros, 86_400_000_000)
    seconds, micros = divmod(rest, 1_000_000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{micros:06}"
    return f"{date(days)}T{clock}{'Z' if kind.tz else ''}"


def date(days):
    """Days since 1970 in the proleptic Gregorian calendar, any year."""
    days += 719_468
    era, of_era = divmod(days, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month += 3 if month < 10 else -9
    return f"{year + era * 400 + (month <= 2):04}-{month:02}-{day:02}"
