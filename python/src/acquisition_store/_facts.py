"""Facts of the answer to an open request, as types of Python."""

from __future__ import annotations

import datetime
import re
from typing import Any, NamedTuple


class VoxelSize(NamedTuple):
    """Micrometers from one section, row and column to the next; None where the file does not state them."""

    z: float | None
    y: float | None
    x: float | None


class SplitRecording(NamedTuple):
    """The recording in several files that a file is a part of."""

    parts: int
    """Number of files."""
    part: int
    """Index of the file among them."""
    along: tuple[str, ...]
    """Axes along which the files follow each other: "S", "T", "Z" or "C"."""
    evidence: str
    """How it is known that they belong together: "master file", "frame numbers" or "names"."""
    master: str | None = None
    """Name of the file that describes all of them, in their folder. Only for "master file"."""


def split_of(told: dict[str, Any] | None) -> SplitRecording | None:
    """Returns what the server tells of a recording in several files."""
    if told is None:
        return None
    # A later server may tell more.
    return SplitRecording(told["parts"], told["part"], tuple(told["along"]), told["evidence"], told.get("master"))


_ISO = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?")


def date_of(info: dict[str, Any]) -> datetime.datetime | None:
    """Returns the start of the recording, to the microsecond, else the date and time of the header."""
    start = _ISO.fullmatch(info["source"].get("instrument", {}).get("start", ""))
    if start:
        second, fraction, zone = start.groups()
        # Python 3.10 knows neither seven digits nor Z.
        text = f"{second}.{(fraction or '0')[:6]:0<6}{'+00:00' if zone == 'Z' else zone or ''}"
        return datetime.datetime.fromisoformat(text)
    header = info["header"]
    if not header["date"]:
        return None
    return datetime.datetime.strptime(f"{header['date']} {header['time'] or '00:00:00'}", "%Y%m%d %H:%M:%S")
