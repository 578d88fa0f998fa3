"""Tables of the marks that the viewer has saved."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from ._arguments import to_path
from ._errors import AcqError


TEXTS = ("id", "kind", "name", "color", "comment")
ATTRIBUTES = ("file", "image", "axes", "calibration", "baseline", "background")


def read_marks(path: str | os.PathLike[str]) -> Any:
    """Reads a file of marks that the viewer has saved as JSON (**Marks**, **JSON**): a row for each mark.

    A pandas table where pandas is installed, else the columns by name: ``id``, ``kind``, ``name``, ``color``,
    ``comment``, ``T`` and ``Z`` (-1 for a mark of no single plane), ``points`` as an array [points, 2] of (row,
    column) in samples, ``width``, ``velocity``, and for each channel ``Calcium mean`` and ``Calcium ΔF/F₀``; NaN where
    a mark has none. A table has ``attrs`` with the ``file``, the ``axes`` and what ΔF/F₀ compares with.
    """
    told = to_path(path)
    try:
        with open(told, encoding="utf-8") as file:
            content: dict[str, Any] = json.load(file)
        table = _table(content["marks"])
        about = {name: content[name] for name in ATTRIBUTES}
    except OSError as error:
        raise AcqError("path_not_readable", f"{told} cannot be read: {error.strerror}") from None
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        message = f"{told} is not a file of marks; save one in the viewer with Marks, JSON"
        raise AcqError("unsupported_format", message) from None
    try:
        import pandas
    except ImportError:
        return table
    frame = pandas.DataFrame(table)
    frame.attrs.update(about)
    return frame


def _table(marks: list[dict[str, Any]]) -> dict[str, Any]:
    means = [{entry["name"]: entry for entry in mark["channels"]} for mark in marks]
    channels = list(dict.fromkeys(name for entries in means for name in entries))
    table: dict[str, Any] = {name: [mark[name] for mark in marks] for name in TEXTS}
    for axis in ("T", "Z"):
        # The viewer counts planes from 1.
        table[axis] = np.array([mark.get("plane", {}).get(axis.lower(), 0) - 1 for mark in marks], np.int64)
    table["points"] = [np.array([(at["row"], at["column"]) for at in mark["points"]]) for mark in marks]
    for name in ("width", "velocity"):
        table[name] = _numbers(mark.get(name) for mark in marks)
    for channel in channels:
        for title, field in (("mean", "mean"), ("ΔF/F₀", "dff")):
            table[f"{channel} {title}"] = _numbers(entries.get(channel, {}).get(field) for entries in means)
    return table


def _numbers(values: Any) -> Any:
    return np.array([np.nan if value is None else value for value in values], np.float64)
