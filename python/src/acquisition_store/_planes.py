"""Planes, and what the server computes from them."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence, TypeVar
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt

from ._arguments import Span, from_end, to_index, to_list, to_mapping, to_numbers, to_span
from ._errors import InvalidArgumentError
from ._transport import Transport

T = TypeVar("T")


class Planes:
    """Reads planes of an acquisition.

    In all methods `channel` is a name or a place among the opened channels, `t` and `z` choose another plane than the
    opened one, and `rows` and `columns` are (first, end) or a slice, from 0, end excluded; everything by default.
    Negative indices count from the end.
    """

    def plane(self, channel: str | int = 0, *, t: int | None = None, z: int | None = None) -> npt.NDArray[np.float32]:
        """Returns a plane, float32 [rows, columns]. In a line scan a row is a line.

        Raises:
            ChannelNotFoundError: the acquisition has no such channel.
            AcqError: the plane cannot be read.
        """
        out = np.empty(self.shape, "<f4")
        path = self._address(channel, "data", self._place(t, z))
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
        """Returns a part of a plane, float32 [rows, columns]: of `every=(r, c)` each r-th row and c-th column.

        The step of a slice is the same: ``rows=slice(0, 1000, 2)`` is each second row.
        """
        try:
            every_row, every_column = every
        except (TypeError, ValueError):
            raise InvalidArgumentError(f"every is {every!r}; expected (rows, columns)") from None
        steps = [to_index(step, "every") for step in (every_row, every_column)]
        spans = self._spans(rows, columns)
        steps = [step * span[2] for step, span in zip(steps, spans)]
        query = {**self._place(t, z), **self._window(spans), "every": f"{steps[0]},{steps[1]}"}
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
        (first, end, _), (left, right, _) = spans = self._whole_spans(rows, columns)
        cells = {
            "height": str(min(to_index(height, "height"), end - first)),
            "width": str(min(to_index(width, "width"), right - left)),
        }
        return self._array(self._address(channel, "overview", {**self._place(t, z), **self._window(spans), **cells}))

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
        query = {**self._place(t, z), **self._window(self._whole_spans(rows, columns))}
        told = to_numbers(percentiles, "percentiles")
        if told:
            query["percentiles"] = ",".join(map(str, told))
        if bins is not None:
            query["bins"] = str(to_index(bins, "bins"))
        if range is not None:
            query["range"] = ",".join(map(str, to_numbers(range, "range")))
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
        path = self._address(channel, "profile", self._place(t, z))
        told_points = [to_numbers(point, "a point") for point in to_list(points, "points")]
        body = {"points": told_points, "width": to_index(width, "width")}
        told = _without_envelope(self._read(lambda transport, base: transport.json("POST", base + path, body)))
        arrays = {name: np.array(told[name], np.float64) for name in ("distance", "rows", "columns", "values")}
        return {**told, **arrays}

    def traces(
        self,
        channel: str | int,
        regions: Sequence[Mapping[str, Any]],
        *,
        along: str = "Y",
        every: int = 1,
        statistic: str = "mean",
        t: int | None = None,
        z: int | None = None,
    ) -> npt.NDArray[np.float32]:
        """Returns one number for each row (`along` "Y"), time point ("T") or section ("Z"), float32 [regions, n].

        A region is ``{"rows": (first, end), "columns": (first, end)}``, or slices, everything where a name is missing;
        along "Y" it has no rows. Along "T" and "Z", ``{"runs": [(row, first, end), …]}`` is a region of any shape.
        `statistic` is "mean", "min" or "max" of `every` neighbors.
        """
        place = {name: index for name, index in self._place(t, z).items() if name != along}
        if isinstance(regions, Mapping):
            raise InvalidArgumentError(f"regions is {regions!r}; expected a list such as [{regions!r}]")
        spans = [self._region(to_mapping(region, "a region")) for region in to_list(regions, "regions")]
        body = {"along": along, "regions": spans, "every": every, "statistic": statistic}
        path = self._address(channel, "traces", place)
        return self._read(lambda transport, base: transport.array("POST", base + path, body))

    def _array(self, path: str) -> npt.NDArray[Any]:
        return self._read(lambda transport, base: transport.array("GET", base + path))

    def _address(self, channel: str | int, operation: str, query: Mapping[str, str]) -> str:
        path = f"/channels/{self._channel(channel)['index']}/{operation}"
        return f"{path}?{urlencode(query, safe=':,')}" if query else path

    def _place(self, t: int | None, z: int | None) -> dict[str, str]:
        named = (("T", t), ("Z", z))
        told = {dim: from_end(at, self.sizes[dim], dim.lower()) for dim, at in named if at is not None}
        # The server knows only the dimensions of the file; the others have one entry here.
        return {dim: str(at) for dim, at in told.items() if dim in self._selectable or at != 0}

    def _spans(self, rows: Span | None, columns: Span | None) -> list[tuple[int, int, int]]:
        named = zip(("rows", "columns"), (rows, columns), self.shape)
        return [(0, size, 1) if span is None else to_span(span, size, name) for name, span, size in named]

    def _whole_spans(self, rows: Span | None, columns: Span | None) -> list[tuple[int, int, int]]:
        """Returns the spans of an operation that uses every sample."""
        spans = self._spans(rows, columns)
        if any(step != 1 for _, _, step in spans):
            raise InvalidArgumentError("rows and columns have no step here; every sample between first and end is used")
        return spans

    def _window(self, spans: Sequence[tuple[int, int, int]]) -> dict[str, str]:
        named = zip(("rows", "columns"), spans, self.shape)
        return {name: f"{first}:{end}" for name, (first, end, _), size in named if (first, end) != (0, size)}

    def _region(self, region: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the body of a region of traces."""
        told: dict[str, Any] = {name: value for name, value in region.items() if name not in ("rows", "columns")}
        spans = dict(zip(("rows", "columns"), self._whole_spans(region.get("rows"), region.get("columns"))))
        told.update({name: list(spans[name][:2]) for name in spans if name in region})
        return told

    # What Acquisition provides.
    @property
    def sizes(self) -> dict[str, int]:
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, int]:
        raise NotImplementedError

    @property
    def _selectable(self) -> list[str]:
        raise NotImplementedError

    def _read(self, action: Callable[[Transport, str], T]) -> T:
        raise NotImplementedError

    def _channel(self, channel: str | int) -> dict[str, Any]:
        raise NotImplementedError


def _without_envelope(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name not in ("ok", "apiVersion")}
