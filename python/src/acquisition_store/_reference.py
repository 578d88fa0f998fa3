"""The image on which a line scan was drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._acquisition import Acquisition


class Reference:
    """The reference image of a line scan.

    Attributes:
        shape: (rows, columns) of its planes.
        steps: step of "Y" and "X", in their unit.
        units: unit of "Y" and "X".
        channels: names of its channels.
        line: (x0, y0, x1, y1) of the scanned line in pixels of the image, or None.
        path: vertices of the scanned path as an array [vertices, 2] of (row, column) in pixels, or None.
    """

    def __init__(self, acquisition: Acquisition, info: dict[str, Any]) -> None:
        self._acquisition = acquisition
        self.info = info
        rows, columns = info["plane"]["shape"]
        axes = info["plane"]["axes"]
        line, path = info["lineRoi"], info["scanPath"]
        self.shape: tuple[int, int] = (rows, columns)
        self.steps: dict[str, float] = {axis["name"]: axis["step"] for axis in axes}
        self.units: dict[str, str] = {axis["name"]: axis["unit"] for axis in axes}
        self.channels: list[str] = [channel["name"] for channel in info["channels"]]
        self.line: tuple[float, float, float, float] | None = None if line is None else (*line,)
        self.path: npt.NDArray[np.float64] | None = _vertices(line, path)

    def plane(self, channel: str | int = 0) -> npt.NDArray[np.float32]:
        """Returns a channel of the image, float32 [rows, columns]."""
        index = self._acquisition._channel(channel, self.info["channels"])["index"]
        out = np.empty(self.shape, "<f4")
        path = f"/reference/channels/{index}/data"
        self._acquisition._read(lambda transport, base: transport.fill(base + path, out))
        return out

    def __repr__(self) -> str:
        return f"<Reference {self.shape[0]} x {self.shape[1]}; {', '.join(self.channels)}>"


def _vertices(line: list[float] | None, path: dict[str, list[float]] | None) -> npt.NDArray[np.float64] | None:
    if path is not None:
        return np.column_stack([path["y"], path["x"]]).astype(np.float64)
    if line is None:
        return None
    x0, y0, x1, y1 = line
    return np.array([[y0, x0], [y1, x1]], np.float64)
