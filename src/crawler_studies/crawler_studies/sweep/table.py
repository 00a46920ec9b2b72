"""The table of a sweep: Parquet or CSV."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from crawler_core.files import replace_file
from crawler_studies.sweep.grid import Grid
from crawler_studies.sweep.rows import columns

ARROW = {float: pa.float64(), bool: pa.bool_(), str: pa.string()}
SUFFIXES = (".parquet", ".csv")


def make_table(
    grid: Grid, rows: Sequence[tuple[Any, ...]], identity: Mapping[str, Any], own: Mapping[str, type]
) -> pa.Table:
    """Every point with its results. What is not known is null; the metadata say what the table is of."""
    kinds = columns(grid, own)
    units = {variable.name: variable.unit for variable in grid.variables}
    fields = [
        pa.field(name, ARROW[kind], metadata={"unit": units[name]} if units.get(name) else None)
        for name, kind in kinds.items()
    ]
    by_column = list(zip(*rows, strict=True))[1:] if rows else [()] * len(kinds)
    arrays = [
        pa.array([_known(v) for v in column] if kind is not str else column, type=ARROW[kind])
        for column, kind in zip(by_column, kinds.values(), strict=True)
    ]
    return pa.table(arrays, schema=pa.schema(fields, metadata={"study": json.dumps(identity)}))


def write_table(table: pa.Table, file: Path) -> None:
    """Write `table` in the format that the suffix names. A file is there whole or as it was before."""
    write = pyarrow.csv.write_csv if file.suffix == ".csv" else pyarrow.parquet.write_table
    replace_file(file, lambda part: write(table, part))


def _known(value: Any) -> Any:
    if isinstance(value, float):
        return None if math.isnan(value) else value
    return value if value is None else bool(value)
