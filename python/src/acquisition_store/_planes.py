"""Planes, and what the server computes from them."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence, TypeVar
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt

from ._transport import Transport

T = TypeVar("T")
Span = tuple[int, int]


class Planes:
    """Reads planes of an acquisition.

    In all methods `channel` is a name or an index in the file, `t` and `z` choose another plane than the opened one,
    and `rows` and `columns` are (first, end) from 0, end excluded; everything by default.
    """

    def plane(self, channel: str | int = 0, *, t: int | None = None, z: int | None = None) -> npt.NDArray[np.float32]:
        """Returns a plane, float32 [rows, columns]. In a line scan a row is a line.

        Raises:
            ChannelNotFoundError: the acquisition has no such channel.
            AcqError: the plane cannot be read.
        """
        out = np.empty(self.shape, "<f4")
        path = self._address(channel, "data", _place(t, z))
        self._read(lambda transport, base: transport.fill(base + path, out))
        return out

    def window(
        self,
        channel: str | int = 0,
        rows: Span | None = None,
        columns: Span | None = None,
        *,
        every: tuple[int, int] = (1, 1),
        t: int | None = None,
        z: int | None = None,
    ) -> npt.NDArray[np.float32]:
        """Returns a part of a plane, float32 [rows, columns]: of `every=(r, c)` each r-th row and c-th column."""
        query = {**_place(t, z), **_window(rows, columns), "every": f"{every[0]},{every[1]}"}
        return self._array(self._address(channel, "window", query))

    def overview(
        self,
        channel: str | int = 0,
        height: int = 1024,
        width: int = 1024,
        *,
        rows: Span | None = None,
        columns: Span | None = None,
        t: int | None = None,
        z: int | None = None,
    ) -> npt.NDArray[np.float32]:
        """Returns a plane reduced to cells, float32 [3, height, width]: smallest, largest and mean sample of each.

        `height` and `width` are limited to the rows and columns there are.
        """
        all_rows, all_columns = self.shape
        first, end = rows or (0, all_rows)
        left, right = columns or (0, all_columns)
        cells = {"height": str(min(height, end - first)), "width": str(min(width, right - left))}
        return self._array(
            self._address(channel, "overview", {**_place(t, z), **_window(rows, columns), **cells})
        )

    def statistics(
        self,
        channel: str | int = 0,
        *,
        rows: Span | None = None,
        columns: Span | None = None,
        percentiles: Sequence[float] = (),
        bins: int | None = None,
        range: tuple[float, float] | None = None,
        t: int | None = None,
        z: int | None = None,
    ) -> dict[str, Any]:
        """Returns counts, ``min``, ``max``, ``mean``, ``std`` and ``sum`` of the finite samples of a plane.

        With `percentiles` from 0 to 100 also ``percentiles``, as ``numpy.percentile``; with `bins` and perhaps `range`
        also ``histogram``, as ``numpy.histogram``.
        """
        query = {**_place(t, z), **_window(rows, columns)}
        if percentiles:
            query["percentiles"] = ",".join(str(float(percent)) for percent in percentiles)
        if bins is not None:
            query["bins"] = str(bins)
        if range is not None:
            query["range"] = f"{float(range[0])},{float(range[1])}"
        path = self._address(channel, "statistics", query)
        return _without_envelope(self._read(lambda transport, base: transport.json("GET", base + path)))

    def profile(
        self,
        channel: str | int,
        points: Sequence[Sequence[float]],
        *,
        width: int = 1,
        t: int | None = None,
        z: int | None = None,
    ) -> dict[str, Any]:
        """Returns samples along a line through `points`, each (row, column) in pixels.

        ``values``, ``distance`` (in ``unit``, else in pixels), ``rows`` and ``columns`` are float64 arrays of one
        length; ``values`` is NaN outside the plane. `width` samples across the line are averaged.
        """
        path = self._address(channel, "profile", _place(t, z))
        body = {"points": [[float(row), float(column)] for row, column in points], "width": width}
        told = _without_envelope(self._read(lambda transport, base: transport.json("POST", base + path, body)))
        arrays = {name: np.array(told[name], np.float64) for name in ("distance", "rows", "columns", "values")}
        return {**told, **arrays}

    def traces(
        self,
        channel: str | int,
        regions: Sequence[Mapping[str, Span | Sequence[tuple[int, int, int]]]],
        *,
        along: str = "Y",
        every: int = 1,
        statistic: str = "mean",
        t: int | None = None,
        z: int | None = None,
    ) -> npt.NDArray[np.float32]:
        """Returns one number for each row (`along` "Y"), time point ("T") or section ("Z"), float32 [regions, n].

        A region is ``{"rows": (first, end), "columns": (first, end)}``, everything where a name is missing; along "Y"
        it has no rows. Along "T" and "Z", ``{"runs": [(row, first, end), …]}`` is a region of any shape. `statistic` is
        "mean", "min" or "max" of `every` neighbors.
        """
        place = {name: index for name, index in _place(t, z).items() if name != along}
        spans = [{name: list(span) for name, span in region.items()} for region in regions]
        body = {"along": along, "regions": spans, "every": every, "statistic": statistic}
        path = self._address(channel, "traces", place)
        return self._read(lambda transport, base: transport.array("POST", base + path, body))

    def _array(self, path: str) -> npt.NDArray[Any]:
        return self._read(lambda transport, base: transport.array("GET", base + path))

    def _address(self, channel: str | int, operation: str, query: Mapping[str, str]) -> str:
        path = f"/channels/{self._channel(channel)['index']}/{operation}"
        return f"{path}?{urlencode(query, safe=':,')}" if query else path

    # What Acquisition provides.
    @property
    def shape(self) -> tuple[int, int]:
        raise NotImplementedError

    def _read(self, action: Callable[[Transport, str], T]) -> T:
        raise NotImplementedError

    def _channel(self, channel: str | int) -> dict[str, Any]:
        raise NotImplementedError


def _place(t: int | None, z: int | None) -> dict[str, str]:
    return {name: str(int(index)) for name, index in (("T", t), ("Z", z)) if index is not None}


def _window(rows: Span | None, columns: Span | None) -> dict[str, str]:
    spans = (("rows", rows), ("columns", columns))
    return {name: f"{int(span[0])}:{int(span[1])}" for name, span in spans if span is not None}


def _without_envelope(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name not in ("ok", "apiVersion")}
