"""The table of planes, read in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._acquisition import ROWS

if TYPE_CHECKING:
    from ._acquisition import Acquisition

INDICES = ("T", "Z", "C")


def read_planes(acquisition: Acquisition) -> Any:
    """Returns a pandas table, or the columns by name where pandas is not installed."""
    columns: dict[str, list[Any]] = {}
    start, total = 0, 1
    while start < total:
        told = _read_part(acquisition, start)
        total = told["total"]
        for name, values in told["columns"].items():
            columns.setdefault(name, []).extend(values)
        start += ROWS
    table = {
        name: np.array(values, np.int64 if name in INDICES else np.float64) for name, values in columns.items()
    }
    try:
        import pandas
    except ImportError:
        return table
    return pandas.DataFrame(table)


def _read_part(acquisition: Acquisition, start: int) -> dict[str, Any]:
    query = f"planes?from={start}&count={ROWS}"
    return acquisition._read(lambda transport, base: transport.json("GET", f"{base}/{query}"))
