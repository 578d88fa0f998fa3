"""A small picture of an acquisition, for notebooks that are read without a server."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._acquisition import Acquisition

WIDTH, HEIGHT = 480, 240
LOW, HIGH = 0.1, 99.9
"""Percentiles that are shown black and at full intensity."""
WHITE = "#ffffff"


def draw_png(acquisition: Acquisition) -> bytes:
    """Returns the opened planes as a PNG, at most 480 x 240.

    Channels with a color of their own are in one picture; otherwise it is the first one in gray. Time is horizontal in
    a line scan.
    """
    names = acquisition.channels
    colors = acquisition.colors
    together = len(names) > 1 and all(colors) and len(set(colors)) == len(names)
    layers = [(at, colors[at] or WHITE) for at in range(len(names))] if together else [(0, WHITE)]
    picture = sum(_layer(acquisition, at, color) for at, color in layers)
    return _to_png(np.clip(np.rint(picture), 0, 255).astype(np.uint8))


def _layer(acquisition: Acquisition, channel: int, color: str) -> npt.NDArray[Any]:
    """Returns a channel in its color, float64 [height, width, 3]."""
    scan = acquisition.is_line_scan
    height, width = (WIDTH, HEIGHT) if scan else _fit(*acquisition.shape)
    cells = acquisition.overview(channel, height, width)[2].astype(np.float64)
    if scan:
        # As in the viewer: time to the right, the line upward.
        cells = cells.T[::-1]
    finite = cells[np.isfinite(cells)]
    low, high = np.percentile(finite, (LOW, HIGH)) if finite.size else (0.0, 1.0)
    shade = np.clip((np.nan_to_num(cells) - low) / ((high - low) or 1.0), 0, 1)
    rgb = [int(color[at : at + 2], 16) for at in (1, 3, 5)]
    layer: npt.NDArray[Any] = shade[:, :, np.newaxis] * rgb
    return layer


def _fit(rows: int, columns: int) -> tuple[int, int]:
    """Returns the size of a plane that is reduced until it fits."""
    factor = max(1.0, rows / HEIGHT, columns / WIDTH)
    return max(1, round(rows / factor)), max(1, round(columns / factor))


def _to_png(rgb: npt.NDArray[np.uint8]) -> bytes:
    """Returns an image of 8 bits a sample, [height, width, 3], as a file (W3C, Portable Network Graphics, 2003)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = rgb.shape[:2]
    # Each row begins with the number of its filter: none.
    rows = np.hstack([np.zeros((height, 1), np.uint8), rgb.reshape(height, -1)])
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows.tobytes())), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
